"""A run announces every beginning and every result, and of long output only as much as can be read."""

import threading
from datetime import UTC, datetime

from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import CommandPrinted, OperationFinished, OperationStarted, TandemEvent
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tandem_desktop.services.runs import TAIL, RunEvents, RunTasks

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
