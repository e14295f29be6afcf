"""A run tells every result, every command, and of quick beginnings and long output only as much as can be read."""

import threading

from tandem_desktop.domain.execution import OperationResult, ResultStatus
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.events.events import CommandPrinted, OperationFinished, OperationStarted, TandemEvent
from tandem_desktop.events.stream import EventStream
from tandem_desktop.orchestration.run_news import TAIL, RunNews

RUN = RunId("RUN-00000001")


def listening() -> tuple[EventStream, list[TandemEvent]]:
    stream, heard = EventStream(), list[TandemEvent]()
    stream.subscribe(heard.append)
    return stream, heard


def test_of_beginnings_that_follow_each_other_at_once_the_first_and_the_last_are_told() -> None:
    stream, heard = listening()
    last = threading.Event()
    stream.subscribe(lambda event: last.set() if getattr(event, "operation_id", "") == "c" else None)
    news = RunNews(stream, now=lambda: 1.0)
    for number in range(100):
        news.started(RUN, OperationId(f"s{number}"))
    news.started(RUN, OperationId("c"))
    assert last.wait(20)
    assert [event.operation_id for event in heard if isinstance(event, OperationStarted)] == ["s0", "c"]


def test_every_result_is_told() -> None:
    stream, heard = listening()
    news = RunNews(stream)
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
    news = RunNews(stream)
    umlaut = "ü".encode()
    for chunk in (b"x" * TAIL, b"end ", umlaut[:1], umlaut[1:]):
        news.printed(OperationId("c"), chunk)
    assert told.wait(20)
    assert len(tails) == 1
    assert tails[0].endswith("xend ü")
    assert len(tails[0]) == TAIL
