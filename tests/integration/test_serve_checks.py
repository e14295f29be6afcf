"""Checks over real HTTP: the list, its acceptance by digest, progress, evidence as on the command line, and an end."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.command_line import edit
from tests.support.served import Served, serving

pytestmark = pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")
LIST = '[[check]]\nname = "words"\ncommand = "grep -q two notes.txt"\n'


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "project" / ".tandem").mkdir(parents=True)
    (tmp_path / "project" / "notes.txt").write_text("one\ntwo\n")
    (tmp_path / "project" / ".tandem" / "checks.toml").write_text(LIST)
    with serving(tmp_path) as found:
        yield found


def write_list(served: Served, command: str) -> str:
    """Write another list; its digest."""
    (served.workspace / ".tandem" / "checks.toml").write_text(f'[[check]]\nname = "words"\ncommand = "{command}"\n')
    digest = served.ask("GET", "/checks").data["checks_digest"]
    assert isinstance(digest, str)
    return digest


def test_a_list_runs_after_its_digest_was_accepted_and_the_evidence_is_that_of_the_command_line(served: Served) -> None:
    plan = served.propose(edit("notes.txt", "two", "TWO"))
    asked = {"planId": plan.plan_id}
    refused = served.ask("POST", "/checks", body=asked)
    assert (refused.status, refused.data["error"]["kind"]) == (409, "checks_not_accepted")
    assert served.ask("GET", f"/plans/{plan.plan_id}/checks").status == 404
    listed = served.ask("GET", "/checks").data
    assert (listed["accepted"], listed["would_run"][0]["command"]) == (False, "grep -q two notes.txt")
    assert served.ask("POST", "/checks", body={**asked, "accept": "0" * 64}).status == 409
    answer = served.ask("POST", "/checks", body={**asked, "accept": listed["checks_digest"]})
    types = [line["type"] for line in answer.lines]
    assert types == ["checks_started", "check_finished", "check_finished", "checks_ended", "checks_result"]
    with contextlib.closing(served.engine()) as engine:
        expected = json.loads(json.dumps(engine.checks.run(plan.plan_id).as_json()))
    result = answer.lines[-1]
    assert result == {"type": "checks_result", **expected}
    assert result["checks"][0]["new_failures"] == ["words: exit code 1"]
    assert served.ask("GET", f"/plans/{plan.plan_id}/checks").data == expected


def test_checks_are_stopped_and_the_answer_ends(served: Served) -> None:
    plan = served.propose(edit("notes.txt", "two", "TWO"))
    stop = {"planId": plan.plan_id}
    assert served.ask("POST", "/checks/stop", body=stop).data == {"stopped": False}
    digest = write_list(served, "sleep 1000")
    with served.asking("POST", "/checks", body={"planId": plan.plan_id, "accept": digest}) as answer:
        assert json.loads(answer.readline())["type"] == "checks_started"
        assert served.ask("POST", "/checks", body={"planId": plan.plan_id}).status == 429
        assert served.ask("POST", "/checks/stop", body=stop).data == {"stopped": True}
        lines = [json.loads(line) for line in answer]
    assert (lines[-1]["type"], lines[-1]["error"]["kind"]) == ("error", "aborted")


def test_what_does_not_exist_is_refused_before_anything_runs(served: Served) -> None:
    plan = served.propose(edit("notes.txt", "two", "TWO"))
    digest = served.ask("GET", "/checks").data["checks_digest"]
    for fields, status in (
        ({"planId": "PLAN-00000000"}, 404),
        ({"planId": plan.plan_id, "accept": digest, "only": ["none"]}, 422),
        ({"planId": plan.plan_id, "revision": 9}, 404),
        ({"planId": plan.plan_id, "timeout": 0}, 422),
        ({"planId": "x"}, 422),
    ):
        assert served.ask("POST", "/checks", body=fields).status == status, fields
    assert served.ask("PUT", "/checks", body={}).status == 405


def test_a_server_that_ends_ends_its_checks(served: Served) -> None:
    plan = served.propose(edit("notes.txt", "two", "TWO"))
    digest = write_list(served, "sleep 1000")
    with served.asking("POST", "/checks", body={"planId": plan.plan_id, "accept": digest}) as answer:
        assert json.loads(answer.readline())["type"] == "checks_started"
        code, _, _ = served.end()
    assert code == 0
    shadows = served.workspace.parent / "state" / "shadows"
    assert not list(shadows.glob("rehearsal-*"))
