"""Events reach the window in order, and an entry that grows a thousand times is shown as what it has come to."""

import threading
from datetime import UTC, datetime

import pytest
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.agent_protocol import ChatEntry, EntryKind
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import ChatGrew, TandemEvent, TurnEnded, TurnStarted
from tandem_desktop.ui.threads import EventBridge
from tests.support.builders import SESSION_ID

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def grew(number: int, text: str) -> ChatGrew:
    entry = ChatEntry(number=number, kind=EntryKind.AGENT, at=NOW, text=text)
    return ChatGrew(session_id=SESSION_ID, entry=entry)


def test_events_of_another_thread_arrive_on_this_one_in_order(qtbot: QtBot) -> None:
    stream, heard = EventStream(), list[tuple[TandemEvent, threading.Thread]]()
    bridge = EventBridge(stream)
    bridge.event_received.connect(lambda event: heard.append((event, threading.current_thread())))
    sent = [TurnStarted(session_id=SESSION_ID, text=str(number)) for number in range(2_000)]
    pouring = threading.Thread(target=lambda: [stream.publish(event) for event in sent])
    pouring.start()
    qtbot.waitUntil(lambda: len(heard) == len(sent))
    pouring.join()
    assert [event for event, _ in heard] == sent
    assert {thread for _, thread in heard} == {threading.current_thread()}


@pytest.mark.req("S4-25")
def test_of_an_entry_that_grows_only_the_last_is_shown_and_nothing_overtakes_it(qtbot: QtBot) -> None:
    stream, heard = EventStream(), list[TandemEvent]()
    bridge = EventBridge(stream)
    bridge.event_received.connect(heard.append)
    ended = TurnEnded(session_id=SESSION_ID)
    for event in (*(grew(1, "x" * n) for n in range(50)), grew(2, "y"), ended, grew(2, "yy")):
        stream.publish(event)
    qtbot.waitUntil(lambda: len(heard) == 4)
    assert heard == [grew(1, "x" * 49), grew(2, "y"), ended, grew(2, "yy")]


def test_closed_bridge_hands_nothing_over_any_more(qtbot: QtBot) -> None:
    stream, heard = EventStream(), list[TandemEvent]()
    bridge = EventBridge(stream)
    bridge.event_received.connect(heard.append)
    stream.publish(grew(1, "x"))
    bridge.close()
    qtbot.wait(20)
    assert heard == []
