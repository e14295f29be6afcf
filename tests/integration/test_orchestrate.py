"""A task on its whole way by the real calls: the built-in agent, a scripted model, and a person at the terminal."""

import json
import os
import shlex
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import CommandLine
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel
from tests.support.shadows import wait_until
from tests.support.sidecars import AGENTS

BROKEN = "test -f missing.txt"
PLAN = {
    "title": "Greet [[scenario:mend]]",
    "steps": [
        {"id": "s1", "description": "Write", "tool": "write", "args": {"path": "hello.txt", "content": "hello\n"}},
        {"id": "s2", "description": "Check", "tool": "bash", "args": {"command": BROKEN}, "blocked_by": ["s1"]},
    ],
}
MEND = {
    "assessment": "NEEDS_ADJUSTMENT",
    "reasoning": "The check looks for a file that no step makes.",
    "adjustments": [
        {"action": "MODIFY", "step_id": "s2", "reason": "Right name", "tool_input": {"command": "test -f hello.txt"}},
        {"action": "SKIP", "step_id": "s1", "reason": "Not needed"},
    ],
}
SCENARIOS = {
    "make": (Step("", (Call("*plan_propose", PLAN),)), Step("Done.")),
    "mend": (Step("", (Call("*submit_reflection", MEND),)), Step("Done.")),
}


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(SCENARIOS) as served:
        yield served


@pytest.fixture
def asking(model: ScriptedModel) -> tuple[str, ...]:
    return ("--env", "TANDEM_MODEL=openai-compatible:scripted-1", "--env", f"TANDEM_MODEL_URL={model.openai_url}")


def saying(text: str) -> tuple[str, ...]:
    """An agent that says one thing, whatever it is asked."""
    script = json.dumps({"turns": [[{"do": "say", "text": text}]] * 5})
    return ("--agent-command", shlex.join((sys.executable, "-S", "-E", str(AGENTS / "scripted_agent.py"), script)))


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TANDEM_STATE_DIR", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


@pytest.fixture
def tandem(root: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(root, capsys)


class Typed:
    """Standard input with a person at it, who looks at what is stored before each answer."""

    def __init__(self, *answers: str | Callable[[], str]) -> None:
        self._answers = list(answers)

    def readline(self) -> str:
        if not self._answers:
            return ""
        answer = self._answers.pop(0)
        return (answer() if callable(answer) else answer) + "\n"


def stored_digest(root: Path) -> Callable[[], str]:
    def look() -> str:
        (meta,) = (root / ".tandem" / "plans").glob("PLAN-*/meta.json")
        return str(json.loads(meta.read_text())["digest"][:12])

    return look


def kinds(state: Path) -> list[str]:
    return [json.loads(line)["kind"] for line in (state / "audit.jsonl").read_text().splitlines()]


@pytest.mark.exhaustive
@pytest.mark.req("S4-12", "S4-19", "S4-24", "S4-26")
def test_a_task_goes_from_a_plan_through_a_failure_to_its_end_with_a_person_at_every_gate(
    tandem: CommandLine,
    root: Path,
    asking: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    digest = stored_digest(root)
    monkeypatch.setattr(sys, "stdin", Typed(digest, "7", "1", "not a digest", digest))
    done = tandem.answer("orchestrate", "--task", "Greet [[scenario:make]]", *asking)
    assert (done["outcome"], done["status"], done["revision"], done["cycles"]) == ("completed", "completed", 2, 1)
    assert [(step["id"], step["status"]) for step in done["steps"]] == [("s1", "completed"), ("s2", "completed")]
    assert (root / "hello.txt").read_text() == "hello\n"
    assert done["problem"].startswith("The run completed. Looking back at it (NEEDS ADJUSTMENT): ")
    first = tandem.answer("runs")["runs"][-1]["run_id"]
    kept = json.loads((root / ".tandem" / "runs" / first / "reflection.json").read_text())
    verdicts = [each["verdict"] for each in kept["adjustments"]]
    assert (kept["assessment"], verdicts) == ("NEEDS_ADJUSTMENT", ["accepted", "rejected"])
    assert kinds(root.parent / "state") == [
        *("revised", "approved", "executed", "reflected", "revised", "adjusted", "approved", "executed"),
        "reflected",
    ]
    assert tandem.answer("audit", "verify")["ok"]


@pytest.mark.req("S4-12")
def test_a_signal_pauses_a_run_before_its_next_operation_and_the_same_signal_goes_on(
    tandem: CommandLine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end, held = root.parent / "begun", root.parent / "may-end", threading.Event()

    def pause_during_the_first_and_go_on() -> None:
        wait_until(begun.exists)
        os.kill(os.getpid(), signal.SIGUSR1)
        may_end.touch()
        (meta,) = (root / ".tandem" / "plans").glob("PLAN-*/meta.json")
        wait_until(lambda: json.loads(meta.read_text())["status"] == "paused")
        held.set()
        os.kill(os.getpid(), signal.SIGUSR1)

    wait = f"touch {begun}; until test -e {may_end}; do sleep 0.02; done"
    steps = [
        {"id": "s1", "description": "Wait", "tool": "bash", "args": {"command": wait}},
        {"id": "s2", "description": "Write", "tool": "write", "args": {"path": "a.txt", "content": "a\n"}},
    ]
    monkeypatch.setattr(sys, "stdin", Typed(stored_digest(root)))
    watcher = threading.Thread(target=pause_during_the_first_and_go_on)
    watcher.start()
    done = tandem("orchestrate", "--task", "Greet", "--json", *saying(json.dumps({"title": "Greet", "steps": steps})))
    watcher.join()
    assert held.is_set()
    assert done.data["outcome"] == "completed", done.err
    assert done.err.index("Paused before what comes next") < done.err.index("Going on.")
    assert (root / "a.txt").read_text() == "a\n"


@pytest.mark.req("S4-01", "S4-12")
def test_without_an_answer_the_plan_waits_to_be_taken_up_by_hand(
    tandem: CommandLine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Typed())
    made = tandem.answer("orchestrate", "--task", "Greet", *saying(json.dumps(PLAN)))
    assert (made["outcome"], made["stage"], made["status"]) == ("waiting", "awaiting_approval", "proposed")
    plan_id = made["plan_id"]
    tandem.approve(plan_id)
    failed = tandem("apply", plan_id, "--json")
    assert (failed.code, failed.data["rolled_back"]) == (4, True)

    found = tandem.answer("reflect", plan_id, *saying(f"Here it is:\n{json.dumps(MEND)}"))
    assert (found["assessment"], found["agent"]) == ("NEEDS_ADJUSTMENT", "custom")
    assert [(each["number"], each["action"], each["verdict"]) for each in found["adjustments"]] == [
        (1, "MODIFY", "open"),
        (2, "SKIP", "open"),
    ]
    assert tandem.answer("reflect", failed.data["run_id"]) == found  # kept; no agent is asked again

    revised = tandem.answer("adjust", plan_id, "--accept", "1")
    assert (revised["revision"], [each["command"] for each in revised["operations"]]) == (
        2,
        [None, "test -f hello.txt"],
    )
    assert tandem("apply", plan_id, "--json").code == 3  # no approval is inherited
    tandem.approve(plan_id)
    assert tandem.answer("apply", plan_id)["status"] == "completed"
    assert (root / "hello.txt").exists()


def step(name: str, tool: str, **arguments: str) -> dict[str, Any]:
    return {"id": name, "description": name, "tool": tool, "args": arguments}


def change(action: str, of: str, tool: str | None = None, **arguments: str) -> dict[str, Any]:
    return {"action": action, "step_id": of, "reason": "Better so", "tool": tool, "tool_input": arguments or None}


@pytest.mark.req("S4-10", "S4-11", "S4-23")
def test_each_of_the_six_adjustments_is_proposed_accepted_and_carried_out(tandem: CommandLine, root: Path) -> None:
    writes = [step(name, "write", path=name, content="as planned\n") for name in ("s1", "s2", "s4")]
    first, second, last = writes
    steps = [first, second, step("s3", "bash", command=BROKEN), last, step("s5", "bash", command="true")]
    plan_id = tandem.propose(*steps)["plan_id"]
    tandem.approve(plan_id)
    assert tandem("apply", plan_id, "--json").code == 4
    changes = [
        change("MODIFY", "s1", path="s1", content="otherwise\n"),
        change("SKIP", "s2"),
        change("RETRY", "s3", command="test -f before && test ! -e s2"),
        change("ADD_BEFORE", "s3", "write", path="before", content="before\n"),
        change("ADD_AFTER", "s4", "write", path="after", content="after\n"),
        change("REPLACE", "s5", "write", path="replaced", content="replaced\n"),
    ]
    said = {"assessment": "NEEDS_ADJUSTMENT", "reasoning": "A file is missing.", "adjustments": changes}
    found = tandem.answer("reflect", plan_id, *saying(json.dumps(said)))["adjustments"]
    assert [(each["action"], each["problem"]) for each in found] == [(each["action"], "") for each in changes]
    revised = tandem.answer("adjust", plan_id, "--accept", "1,2,3,4,5,6")
    told = [each["path"] or each["command"] for each in revised["operations"]]
    assert told == ["s1", "before", "test -f before && test ! -e s2", "s4", "after", "replaced"]
    earlier = tandem.answer("show", plan_id, "--revision", "1")["operations"]
    assert [each["id"] for each in earlier] == ["s1", "s2", "s3", "s4", "s5"]  # the revision before is as it was
    tandem.approve(plan_id)
    assert tandem.answer("apply", plan_id)["status"] == "completed"
    assert (root / "s1").read_text() == "otherwise\n"


@pytest.mark.req("S4-03", "S4-24")
def test_a_model_that_hands_in_nothing_leaves_a_basic_plan_that_says_so(
    tandem: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", Typed())
    made = tandem.answer("orchestrate", "--task", "Greet", *saying("I would rather not."))
    assert (made["outcome"], made["stage"]) == ("waiting", "generating")
    assert [(step["tool"], step["status"]) for step in made["steps"]] == [("think", "pending")]
    assert "No plan in steps could be made" in made["problem"]


def failed_plan(tandem: CommandLine, title: str) -> dict[str, Any]:
    plan = tandem.answer("propose", tandem.write_plan(*PLAN["steps"], title=title))
    tandem.approve(plan["plan_id"])
    assert tandem("apply", plan["plan_id"]).code == 4
    return plan


@pytest.mark.req("S4-09", "S4-24")
def test_a_reflector_that_cannot_answer_says_unknown_and_is_asked_again_the_next_time(
    tandem: CommandLine,
) -> None:
    plan = failed_plan(tandem, "x")
    said = tandem("reflect", plan["plan_id"], *saying('{"assessment": "FINE"}'), "--json")
    assert (said.code, said.data["assessment"], said.data["error"]["kind"]) == (4, "UNKNOWN", "agent_answer")
    assert tandem("adjust", plan["plan_id"], "--accept", "1").code == 2
    again = tandem("reflect", plan["plan_id"], *saying(json.dumps(MEND)))
    assert (again.code, "1. modify s2: Right name" in again.out) == (0, True)


def test_words_that_make_no_sense_are_refused(tandem: CommandLine) -> None:
    plan = tandem.propose(*PLAN["steps"])
    for words, code in (
        (("reflect", plan["plan_id"]), 3),
        (("reflect", "RUN-00000000"), 2),
        (("adjust", plan["plan_id"], "--accept", "1"), 3),
        (("orchestrate", "--task", " "), 2),
    ):
        assert tandem(*words).code == code
    failed = failed_plan(tandem, "x")
    assert tandem("adjust", failed["plan_id"], "--accept", "one").code == 2
