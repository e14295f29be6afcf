"""One order for everybody, whatever a subscriber does."""

import logging
from functools import partial

import pytest

from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import OperationFinished, PlanCancelled, TandemEvent
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tests.support.builders import PLAN_ID
from tests.support.threads import run_together


def an_event(number: int, source: int = 0) -> TandemEvent:
    result = OperationResult(id=OperationId(f"s{number}"), status=ResultStatus.COMPLETED)
    return OperationFinished(run_id=RunId(f"RUN-{source:08x}"), result=result)


def numbers(events: list[TandemEvent]) -> list[str]:
    return [event.result.id for event in events if isinstance(event, OperationFinished)]


def test_every_subscriber_hears_every_event_in_order() -> None:
    stream, first, second = EventStream(), list[TandemEvent](), list[TandemEvent]()
    stream.subscribe(first.append)
    stream.subscribe(second.append)
    for number in range(50):
        stream.publish(an_event(number))
    assert numbers(first) == [f"s{number}" for number in range(50)] == numbers(second)


@pytest.mark.req("S3-45")
def test_a_subscriber_that_throws_disturbs_neither_the_others_nor_the_publisher(
    caplog: pytest.LogCaptureFixture,
) -> None:
    stream, before, after = EventStream(), list[TandemEvent](), list[TandemEvent]()

    def broken(_: TandemEvent) -> None:
        raise RuntimeError("I am broken")

    stream.subscribe(before.append)
    stream.subscribe(broken)
    stream.subscribe(after.append)
    with caplog.at_level(logging.ERROR):
        for number in range(3):
            stream.publish(an_event(number))
    assert before == after == [an_event(number) for number in range(3)]
    assert len(caplog.records) == 3
    assert "operation_finished" in caplog.records[0].message


def test_unsubscribing_ends_delivery_and_may_be_repeated() -> None:
    stream, heard = EventStream(), list[TandemEvent]()
    unsubscribe = stream.subscribe(heard.append)
    stream.publish(an_event(1))
    unsubscribe()
    unsubscribe()
    stream.publish(an_event(2))
    assert numbers(heard) == ["s1"]


def test_the_same_function_subscribed_twice_is_told_twice_and_unsubscribed_once() -> None:
    stream, heard = EventStream(), list[TandemEvent]()
    unsubscribe = stream.subscribe(heard.append)
    stream.subscribe(heard.append)
    stream.publish(an_event(1))
    unsubscribe()
    stream.publish(an_event(2))
    assert numbers(heard) == ["s1", "s1", "s2"]


def test_what_a_subscriber_publishes_comes_after_what_it_is_told_for_everybody() -> None:
    stream, first, last = EventStream(), list[TandemEvent](), list[TandemEvent]()

    def answering(event: TandemEvent) -> None:
        if isinstance(event, OperationFinished):
            stream.publish(PlanCancelled(plan_id=PLAN_ID))

    stream.subscribe(first.append)
    stream.subscribe(answering)
    stream.subscribe(last.append)
    stream.publish(an_event(1))
    assert first == last == [an_event(1), PlanCancelled(plan_id=PLAN_ID)]


def test_a_subscriber_may_leave_and_join_while_an_event_is_delivered() -> None:
    stream, late, leaver = EventStream(), list[TandemEvent](), list[TandemEvent]()

    def join_and_leave(_: TandemEvent) -> None:
        unsubscribe_leaver()
        if not late:
            stream.subscribe(late.append)

    stream.subscribe(join_and_leave)
    unsubscribe_leaver = stream.subscribe(leaver.append)
    stream.publish(an_event(1))
    assert (late, leaver) == ([], [])
    stream.publish(an_event(2))
    assert (numbers(late), leaver) == (["s2"], [])


def test_an_interrupt_in_a_subscriber_does_not_silence_the_stream() -> None:
    stream, heard = EventStream(), list[TandemEvent]()

    def interrupted(event: TandemEvent) -> None:
        if event == an_event(1):
            raise KeyboardInterrupt

    stream.subscribe(interrupted)
    stream.subscribe(heard.append)
    with pytest.raises(KeyboardInterrupt):
        stream.publish(an_event(1))
    stream.publish(an_event(2))
    assert numbers(heard) == ["s2"]


def test_publishers_on_many_threads_give_one_order_and_lose_nothing() -> None:
    stream, first, second = EventStream(), list[TandemEvent](), list[TandemEvent]()
    stream.subscribe(first.append)
    stream.subscribe(second.append)

    def publish_many(source: int) -> None:
        for number in range(200):
            stream.publish(an_event(number, source))

    run_together(*(partial(publish_many, source) for source in range(8)))
    assert first == second
    assert len(first) == 8 * 200
    for source in range(8):
        own = [event for event in first if isinstance(event, OperationFinished) and event.run_id == f"RUN-{source:08x}"]
        assert own == [an_event(number, source) for number in range(200)]
