"""The debug log of real processes: what it tells, in which order, and what it never tells."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, a_workspace, edit
from tests.support.patience import PATIENCE_S
from tests.support.served import serving

ROOT = Path(__file__).resolve().parents[2]
LINE = re.compile(r"\d\d:\d\d:\d\d\.\d{3} (?P<level>debug|info|warning|error) +(?P<module>[\w.]+): (?P<text>.*)")


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path), capsys)


def logged(tandem: CommandLine, *words: str, **environment: str) -> list[str]:
    """The log of one call in a process of its own: module and message of each line."""
    return [
        f"{found['module']}: {found['text']}"
        for found in map(LINE.match, stderr(tandem, *words, **environment))
        if found
    ]


def stderr(tandem: CommandLine, *words: str, **environment: str) -> list[str]:
    ended = subprocess.run(
        [sys.executable, "-m", "tandem_desktop", "-C", str(tandem.workspace), *words],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stderr.splitlines()


def assert_in_order(log: list[str], *expected: str) -> None:
    """Each expected text is in a line after the one before."""
    lines = iter(log)
    for text in expected:
        assert any(text in line for line in lines), f"{text!r} is missing or comes too early in {log}"


def test_log_tells_a_plan_from_proposal_to_undo_in_order(tandem: CommandLine) -> None:
    log = logged(tandem, "propose", tandem.write_plan(edit("notes.txt", "two", "TWO")), TANDEM_LOG="debug")
    plan = tandem.answer("list")["plans"][0]
    plan_id, digest = plan["plan_id"], tandem.answer("show", plan["plan_id"])["plan"]["digest"]
    log += logged(tandem, "approve", plan_id, "--digest", digest, TANDEM_LOG="debug")
    log += logged(tandem, "apply", plan_id, TANDEM_LOG="debug")
    applied = tandem.answer("runs")["runs"][0]["run_id"]
    log += logged(tandem, "undo", applied, TANDEM_LOG="debug")
    undo = tandem.answer("runs")["runs"][0]["run_id"]
    assert_in_order(
        log,
        "cli.main: call: propose",
        f"plans.store: revision stored: {plan_id} r1, origin agent, digest {digest[:12]}, operations 1",
        f"services.lifecycle_actions: plan {plan_id}: PLAN_CREATED",
        "cli.main: call ended: propose, exit code 0",
        f"approval.enforcer: approval given: {plan_id} r1, digest {digest[:12]}",
        f"plan {plan_id}: APPROVE, state AWAITING_APPROVAL, status approved",
        f"approval.enforcer: approval used: {applied}, digest {digest[:12]}",
        f"execution.run_manager: run started: {applied}, apply, {plan_id} r1, operations 1",
        f"plan {plan_id}: EXECUTE_PLAN",
        f"execution.run: segment done: {applied}, segment 1, 1 of 1 steps",
        f"plan {plan_id}: PLAN_EXECUTED",
        f"run ended: {applied}, completed",
        f"run started: {undo}, undo of {applied}",
        f"plan {plan_id}: RUN_UNDONE",
        f"run ended: {undo}, completed",
    )
    assert digest not in "".join(log)


@pytest.mark.parametrize("words", [("--debug", "list"), ("list", "--debug")])
def test_option_switches_the_log_on_before_and_after_the_call(tandem: CommandLine, words: tuple[str, ...]) -> None:
    assert_in_order(logged(tandem, *words), "call: list", "call ended: list, exit code 0")


def test_without_a_choice_nothing_is_logged_and_info_leaves_debug_out(tandem: CommandLine) -> None:
    plan = tandem.write_plan(edit("notes.txt", "two", "TWO"))
    assert stderr(tandem, "propose", plan) == []
    log = logged(tandem, "propose", plan, TANDEM_LOG="info")
    assert [line.partition(":")[0] for line in log] == ["plans.store", "services.lifecycle_actions"]


def test_unknown_level_is_named_and_taken_as_warning(tandem: CommandLine) -> None:
    assert stderr(tandem, "list", TANDEM_LOG="loud\x1b") == [
        "tandem: TANDEM_LOG is 'loud⟨U+001B⟩', not debug, info or warning; only warnings are logged."
    ]


def test_log_of_an_agent_tells_its_life_and_no_prompt_content_key_or_token(tandem: CommandLine, tmp_path: Path) -> None:
    (tandem.workspace / "notes.txt").write_text("SECRET-content old SECRET-content\n")
    keys = {"ANTHROPIC_API_KEY": "SECRET-key", "TANDEM_MODEL_KEY": "SECRET-model-key", "TANDEM_LOG": "debug"}
    log = logged(tandem, "run", "--agent", "built-in", "--task", "/replace old SECRET-prompt", **keys)
    assert_in_order(
        log,
        "acp_client.client: agent starting: built-in",
        "acp_client.process: agent started: ",
        "acp sent: request initialize, id 0",
        "acp received: answer to initialize, id 0",
        "acp_client.client: agent ready: built-in",
        "acp sent: request session/prompt",
        "acp received: request session/request_permission",
        "permission answered: ",
        "acp sent: answer to session/request_permission",
        "acp received: answer to session/prompt",
        "plans.store: revision stored: ",
        "acp_client.process: agent ended: ",
    )
    assert_in_order(log, "permission answered: ", "staging.staging_store: staging: 1 staged")  # live, or at the end
    transcripts = Path(os.environ["TANDEM_STATE_DIR"]).glob("sessions/*/transcript.jsonl")
    wire = "".join(path.read_text() for path in transcripts).replace("\\", "")
    token = re.search(r'TANDEM_PLANNING_TOKEN","value":"([^"]+)"', wire)
    assert token is not None
    assert "SECRET-prompt" in wire
    assert [line for line in log if "SECRET" in line or token[1] in line or "notes.txt" in line] == []


def test_log_of_the_api_has_method_path_and_status_but_no_token_and_no_query(tmp_path: Path) -> None:
    with serving(tmp_path, TANDEM_LOG="debug") as served:
        served.ask("GET", "/openapi.json?word=SECRET")
        served.ask("GET", "/openapi.json", token=False)
        served.ask("GET", "/nowhere")
        _, _, errors = served.end()
    log = [found["text"] for found in map(LINE.match, errors.splitlines()) if found]
    requests = [line.rpartition(",")[0] for line in log if line.startswith("http ")]
    assert requests == [
        "http GET /openapi.json: status 200",
        "http GET /openapi.json: status 401",
        "http GET /nowhere: status 404",
    ]
    assert served.token not in errors
    assert "SECRET" not in errors
