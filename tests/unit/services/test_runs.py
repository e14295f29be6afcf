"""A run announces every beginning and every result, and of long output only as much as can be read."""

import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import CommandPrinted, OperationFinished, OperationStarted, TandemEvent
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import OperationResult, ResultStatus, RunStatus
from tandem_desktop.services.runs import TAIL, RunEvents, RunTasks
from tandem_desktop.storage import atomic
from tests.support.command_line import bash
from tests.support.rehearsals import plan_json
from tests.support.shadows import wait_until

RUN = RunId("RUN-00000001")
NO_TASKS = RunTasks(lambda: datetime(2026, 1, 1, tzinfo=UTC))


def listening() -> tuple[EventStream, list[TandemEvent]]:
    stream, heard = EventStream(), list[TandemEvent]()
    stream.subscribe(heard.append)
    return stream, heard


def test_every_beginning_is_told_at_once() -> None:
    stream, heard = listening()
    news = RunEvents(stream, NO_TASKS)
    names = [OperationId(f"s{number}") for number in range(100)]
    for name in names:
        news.started(RUN, name)
    assert [event.operation_id for event in heard if isinstance(event, OperationStarted)] == names


def test_every_result_is_told() -> None:
    stream, heard = listening()
    news = RunEvents(stream, NO_TASKS)
    results = [OperationResult(id=OperationId(f"s{n}"), status=ResultStatus.COMPLETED) for n in range(50)]
    for result in results:
        news.finished(RUN, result)
    assert [event.result for event in heard if isinstance(event, OperationFinished)] == results


def test_output_is_gathered_and_only_its_end_is_told() -> None:
    stream, told = EventStream(), threading.Event()
    tails: list[str] = []

    def hear(event: TandemEvent) -> None:
        if isinstance(event, CommandPrinted):
            tails.append(event.tail)
            told.set()

    stream.subscribe(hear)
    news = RunEvents(stream, NO_TASKS)
    umlaut = "ü".encode()
    for chunk in (b"x" * TAIL, b"end ", umlaut[:1], umlaut[1:]):
        news.printed(OperationId("c"), chunk)
    assert told.wait(20)
    assert len(tails) == 1
    assert tails[0].endswith("xend ü")
    assert len(tails[0]) == TAIL


def test_who_looks_while_a_run_is_under_way_waits_for_no_lock(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, gate = tmp_path / "begun", tmp_path / "gate"
    engine = build_engine(workspace, state=tmp_path / "state")
    version = engine.proposals.propose(plan_json(bash(f"touch {begun}; while [ ! -e {gate} ]; do sleep 0.05; done")))
    engine.decisions.approve(version.plan_id, ApprovalHash.of(version).combined_hash)
    run = threading.Thread(target=engine.runs.apply, args=(version.plan_id,))
    run.start()
    try:
        wait_until(begun.exists)
        with monkeypatch.context() as patched:
            patched.setattr(atomic, "_AGAIN_S", None)  # who waits for a lock fails
            assert [plan.status for plan in engine.listing().plans] == [PlanStatus.EXECUTING]
            assert [each.status for each in engine.runs.runs()] == [RunStatus.RUNNING]
            assert engine.meta(version.plan_id).status is PlanStatus.EXECUTING
    finally:
        gate.touch()
        run.join()
    assert engine.meta(version.plan_id).status is PlanStatus.COMPLETED
    engine.close()
