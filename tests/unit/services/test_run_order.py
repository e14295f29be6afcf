"""The order in which a run announces tasks and operations, whatever the plan."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.events import OperationFinished, OperationStarted, TandemEvent, TaskStarted
from tandem_desktop.domain.runs import FailurePolicy, ResultStatus

TASKS = [{"id": name, "subject": f"Task {name}"} for name in "123"]
STEP = st.tuples(st.sampled_from(["write", "true", "touch", "fail"]), st.sampled_from(["1", "2", "3", None]))


def step(number: int, what: str, task: str | None) -> dict[str, Any]:
    commands = {"true": "true", "touch": f"touch made{number}", "fail": "exit 3"}
    if what == "write":
        made = {"tool": "write", "args": {"path": f"file{number}", "content": "x\n"}}
    else:
        made = {"tool": "bash", "args": {"command": commands[what]}}
    return {"description": what, "task": task, **made}


def announced(folder: Path, steps: list[dict[str, Any]], policy: FailurePolicy) -> tuple[list[TandemEvent], Any]:
    (folder / "project").mkdir()
    engine = build_engine(folder / "project", state=folder / "state")
    try:
        version = engine.proposals.propose(json.dumps({"title": "t", "tasks": TASKS, "steps": steps}).encode())
        engine.decisions.approve(version.plan_id, version.approval_hash)
        heard: list[TandemEvent] = []
        engine.events.subscribe(heard.append)
        result = engine.runs.apply(version.plan_id, policy)
        return heard, result
    finally:
        engine.close()


@pytest.mark.req("S2-15", "S4-17")
@settings(max_examples=25)
@given(st.lists(STEP, min_size=1, max_size=6), st.sampled_from(FailurePolicy))
def test_each_operation_starts_once_after_its_task_and_before_its_result(
    drawn: list[tuple[str, str | None]], policy: FailurePolicy
) -> None:
    steps = [step(number, *each) for number, each in enumerate(drawn)]
    with tempfile.TemporaryDirectory() as folder:
        heard, result = announced(Path(folder), steps, policy)
    tasks = {f"s{number}": each["task"] for number, each in enumerate(steps, start=1)}
    started: list[str] = []
    tasks_started: list[str] = []
    ended: list[str] = []
    for event in heard:
        if isinstance(event, TaskStarted):
            assert event.task_id not in tasks_started
            tasks_started.append(event.task_id)
        elif isinstance(event, OperationStarted):
            assert event.operation_id not in started
            assert tasks[event.operation_id] in (None, *tasks_started)
            started.append(event.operation_id)
        elif isinstance(event, OperationFinished) and event.result.status in (
            ResultStatus.COMPLETED,
            ResultStatus.FAILED,
        ):
            assert event.result.id in started
            assert event.result.id not in ended
            ended.append(event.result.id)
    carried_out = (ResultStatus.COMPLETED, ResultStatus.FAILED, ResultStatus.ROLLED_BACK)
    assert {each.id for each in result.results if each.status in carried_out} <= set(started)
