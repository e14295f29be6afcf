"""Nobody gets in without the token, from elsewhere or in a bad form, and whatever is sent gets a described answer."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.api import app, openapi, schema, server
from tests.support.patience import PATIENCE_S
from tests.support.served import APPROVAL, Served, serving

DESCRIPTION = openapi.description()
PLACES = [(path, method) for path, found in DESCRIPTION["paths"].items() for method in found if method != "parameters"]
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    # Whatever is asked, no agent is started here.
    with serving(tmp_path_factory.mktemp("guarded"), 'agent = "nobody"\n') as found:
        found.approve(found.propose({"tool": "write", "args": {"path": "a", "content": "x"}}))
        yield found


def filled(path: str) -> str:
    return path.replace("{sessionId}", "SES-00000000").replace("{runId}", "RUN-00000000")


def raw(served: Served, sent: bytes) -> bytes:
    """Everything that comes back until the other side hangs up."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE_S) as line:
        line.sendall(sent)
        return b"".join(iter(lambda: line.recv(65536), b""))


@pytest.mark.parametrize(("path", "method"), PLACES)
@pytest.mark.parametrize("given", ["", "Bearer", "Bearer wrong", "Basic {token}", "Bearer {token}x", "{token}"])
def test_nothing_is_answered_without_the_token(served: Served, path: str, method: str, given: str) -> None:
    headers = {"Authorization": given.format(token=served.token)} if given else {}
    found = served.ask(method.upper(), filled(path), token=False, **headers)
    assert found.status == 401
    assert found.headers["www-authenticate"] == "Bearer"
    assert found.data["error"]["kind"] == "request_refused"


def test_the_token_is_told_apart_from_one_of_another_server(served: Served, tmp_path: Path) -> None:
    with serving(tmp_path) as other:
        assert other.token != served.token
        found = served.ask("GET", "/plans", token=False, Authorization=f"Bearer {other.token}")
    assert found.status == 401


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "127.0.0.2:{port}"]
)
def test_another_name_for_this_machine_is_refused(served: Served, host: str) -> None:
    found = served.ask("GET", "/plans", Host=host.format(port=served.port))
    assert (found.status, found.data["error"]["message"]) == (403, "This is not a name of this server.")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
def test_every_name_of_this_machine_is_good(served: Served, name: str) -> None:
    assert served.ask("GET", "/plans", Host=f"{name}:{served.port}").status == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}"])
def test_a_page_from_elsewhere_is_refused_even_with_the_token(served: Served, origin: str) -> None:
    found = served.ask("GET", "/plans", Origin=origin.format(port=served.port))
    assert found.status == 403
    assert "access-control-allow-origin" not in found.headers


def test_two_hosts_or_two_tokens_are_refused(served: Served) -> None:
    host, token = f"Host: 127.0.0.1:{served.port}\r\n", f"Authorization: Bearer {served.token}\r\n"
    twice = f"GET /plans HTTP/1.1\r\n{host}{token}{token}\r\n".encode()
    assert b" 401 " in raw(served, twice).splitlines()[0]
    hosts = f"GET /plans HTTP/1.1\r\n{host}Host: evil\r\n{token}\r\n".encode()
    assert raw(served, hosts).splitlines()[0].split()[1] in (b"400", b"403")


def test_only_this_machine_can_reach_the_port(served: Served) -> None:
    listed = Path("/proc/net/tcp").read_text().splitlines()[1:]
    listening = [line.split()[1] for line in listed if line.split()[3] == "0A"]
    assert f"0100007F:{served.port:04X}" in listening
    assert f"00000000:{served.port:04X}" not in listening


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "POST"])
def test_a_method_that_is_not_described_is_refused(served: Served, method: str) -> None:
    found = served.ask(method, "/plans")
    assert found.status == 405
    assert found.headers["allow"] == "GET"


def test_a_body_that_is_not_json_by_name_is_not_read(served: Served) -> None:
    found = served.ask("POST", APPROVAL, body=b"{}", Content_Type="text/plain")
    assert (found.status, found.data["error"]["kind"]) == (415, "request_refused")


def test_a_body_that_is_too_large_is_refused_whether_or_not_it_says_so(served: Served) -> None:
    large = b" " * (app.MOST_BYTES + 1)
    assert served.ask("POST", APPROVAL, body=large, Content_Type="application/json").status == 413
    head = (
        f"POST {APPROVAL} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"%x\r\n%b\r\n" % (len(large), large)
    assert b" 413 " in raw(served, head.encode() + chunk).splitlines()[0]


def test_a_head_without_end_is_cut_off(served: Served) -> None:
    endless = b"GET /plans HTTP/1.1\r\nX: " + b"x" * (server.MOST_HEADER_BYTES * 2)
    assert b" 400 " in raw(served, endless).splitlines()[0]


def test_a_request_that_comes_too_slowly_is_not_waited_for(served: Served) -> None:
    """Both at once, because each takes as long as the server is patient."""
    head = (
        f"POST {APPROVAL} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n"
        "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
    )
    with socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE_S) as half_a_head:
        half_a_head.sendall(b"GET /plans HTTP/1.1\r\nHo")
        assert b" 408 " in raw(served, head.encode()).splitlines()[0]
        assert half_a_head.recv(65536) == b""


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"null",
        b'"\\ud800"',
        b"\xff",
        b"[" * 5000,
        b'{"sessionId": "s", "planId": "PLAN-00000000", "approved": "yes"}',
        b'{"sessionId": "s", "planId": "../../etc", "approved": true}',
        b'{"sessionId": "s", "planId": "PLAN-00000000", "approved": true, "token": 1}',
    ],
)
def test_a_body_that_makes_no_sense_is_refused_in_words(served: Served, body: bytes) -> None:
    found = served.ask("POST", APPROVAL, body=body, Content_Type="application/json")
    assert (found.status, found.data["error"]["kind"]) == (422, "bad_input")
    assert found.data["error"]["message"].endswith(".")


def test_the_description_in_the_docs_is_the_one_that_is_served(served: Served) -> None:
    assert served.ask("GET", "/openapi.json").data == DESCRIPTION
    assert json.loads(DOCUMENT.read_text()) == DESCRIPTION, "write it anew: python -m tests.support.openapi_document"


NAMES = st.text(st.characters(codec="utf-8"), max_size=40) | st.sampled_from(["..", "%2e%2e", "%00", "%", "%zz", "a/b"])
SEGMENT = st.from_regex(r"[A-Za-z0-9._~%:@!$&'()*+,;=-]{1,40}", fullmatch=True)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
FIELDS = tuple(DESCRIPTION["components"]["schemas"]["ApprovalRequest"]["properties"])
BODIES = VALUES | st.dictionaries(st.sampled_from(FIELDS) | NAMES, VALUES | st.just("PLAN-00000000"), max_size=7)
ERROR = {"kind", "message", "path", "step", "next"}


@given(st.sampled_from([p for p in PLACES if p[0] != schema.EVENTS]), SEGMENT, BODIES, st.booleans(), st.booleans())
def test_whatever_is_asked_is_answered_as_described(
    served: Served, place: tuple[str, str], name: str, body: Any, fits: bool, known: bool
) -> None:
    path, described = place
    method = described.upper() if fits else "PUT"
    target = re.sub(r"\{\w+\}", lambda _: name, path)
    found = served.ask(method, target, body=body, token=known)
    if not known:
        assert found.status == 401
        return
    assert str(found.status) in {*DESCRIPTION["paths"][path][described]["responses"], "404"}
    if found.status != 200:
        assert set(found.data["error"]) == ERROR
        assert found.data["error"]["message"]


def test_schemathesis_finds_no_answer_that_is_not_described(served: Served, tmp_path: Path) -> None:
    assert schemathesis(served, tmp_path, _with_known_names(served), 15) > 100


@pytest.mark.exhaustive
def test_schemathesis_finds_none_in_many_and_without_the_token_nothing_is_answered(
    served: Served, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    examples = int(os.environ.get("TANDEM_SCHEMATHESIS_EXAMPLES", "300"))
    known = schemathesis(served, tmp_path, _with_known_names(served), examples)
    refused = _with_known_names(served)
    for place, method in PLACES:
        refused["paths"][place][method]["responses"] = {"401": {"description": "Nothing else may come back."}}
    unknown = schemathesis(served, tmp_path, refused, examples, token="wrong", checks="status_code_conformance")
    with capsys.disabled():
        print(f"\n{known:,} requests with the token: all answered as described, none with 500.")
        print(f"{unknown:,} requests with another one: all refused with 401.")


REFUSALS = [400, 401, 403, 404, 405, 406, 408, 409, 413, 415, 422, 428, 429, "5xx"]


def schemathesis(
    served: Served, tmp_path: Path, described: dict[str, Any], examples: int, token: str = "", checks: str = "all"
) -> int:
    """How many requests it made; every answer was as described."""
    program = shutil.which("schemathesis", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("schemathesis is not installed")
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(described))
    # Too large is a refusal, too, which schemathesis does not count as one by itself.
    (tmp_path / "schemathesis.toml").write_text(f"[checks.negative_data_rejection]\nexpected-statuses = {REFUSALS}\n")
    header = f"Authorization: Bearer {token or served.token}"
    where = ["--url", served.url, "--header", header, "--exclude-path", schema.EVENTS]
    how = ["--max-examples", str(examples), "--seed", "1", "--no-color", "--generation-database", "none"]
    what = ["--checks", checks, *(["--exclude-checks", "positive_data_acceptance"] if checks == "all" else [])]
    ended = subprocess.run(
        [program, "run", str(document), *where, *how, *what],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    cases = re.search(r"(\d+) generated, (\d+) passed", ended.stdout)
    assert cases is not None
    return int(cases[1])


def _with_known_names(served: Served) -> dict[str, Any]:
    """The description, with names of a plan and a run that exist, so that more than "not found" is reached."""
    version = served.propose({"tool": "write", "args": {"path": "b", "content": "x"}})
    run_id = served.ask("GET", "/runs").data["runs"][0]["runId"]
    known: dict[str, Any] = json.loads(json.dumps(DESCRIPTION))
    for found in known["paths"].values():
        for parameter in found.get("parameters", []):
            parameter["schema"] = {"const": run_id if parameter["name"] == "runId" else version.session_id}
    asked = known["components"]["schemas"]["ApprovalRequest"]["properties"]
    asked["sessionId"], asked["planId"] = {"const": version.session_id}, {"const": version.plan_id}
    known["components"]["schemas"]["PlanRequest"]["properties"]["agent"] = {"const": "nobody"}
    return known


def test_idle_strangers_do_not_lock_out_who_has_the_token(served: Served) -> None:
    strangers = []
    try:
        for number in range(server.MOST_STRANGERS + 40):
            strangers.append(socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE_S))
            if number % 3 == 0:
                strangers[-1].sendall(b"GET /plans HTTP/1.1\r\nHost: 127.0.0.1")  # half a head
        assert served.ask("GET", "/plans").status == 200
        strangers[0].settimeout(PATIENCE_S)
        with contextlib.suppress(ConnectionError):
            assert strangers[0].recv(1) == b"", "the oldest stranger made room"
    finally:
        for each in strangers:
            each.close()


def test_a_key_that_stands_twice_is_refused_by_name_and_decides_nothing(served: Served) -> None:
    version = served.propose({"tool": "write", "args": {"path": "twice", "content": "x"}})
    fields = f'"sessionId": "{version.session_id}", "planId": "{version.plan_id}", "digest": "{version.approval_hash}"'
    body = f'{{{fields}, "approved": false, "approved": true}}'.encode()
    found = served.ask("POST", APPROVAL, body=body, Content_Type="application/json")
    assert (found.status, "'approved' is there twice" in found.data["error"]["message"]) == (422, True)
    assert not (served.workspace / "twice").exists()
    assert served.ask("GET", f"/chat/agents/{version.session_id}/plan").status == 200
