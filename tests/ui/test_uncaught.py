"""A fault that nobody caught is in the log and told to the person, whichever thread it was on."""

import logging
import sys
import threading
from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from tandem_desktop.ui.threads import Uncaught


@pytest.fixture
def uncaught(monkeypatch: pytest.MonkeyPatch) -> Iterator[Uncaught]:
    monkeypatch.setattr(sys, "excepthook", lambda *words: None)  # pytest-qt would take it for a failure
    found = Uncaught()
    found.listen()
    yield found
    found.leave()


def fail() -> None:
    raise ZeroDivisionError("in the middle")


def struck() -> None:
    """As Qt does it when a slot fails."""
    try:
        fail()
    except ZeroDivisionError:
        sys.excepthook(*sys.exc_info())  # type: ignore[arg-type]  # there is one


def test_fault_is_logged_with_its_way_and_told(
    uncaught: Uncaught, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    told: list[str] = []
    uncaught.happened.connect(told.append)
    struck()
    assert told == ["ZeroDivisionError"]
    assert [record.levelno for record in caplog.records] == [logging.CRITICAL]
    assert "in fail" in caplog.text
    uncaught.leave()
    struck()
    assert told == ["ZeroDivisionError"]


def test_fault_of_another_thread_is_told_too(uncaught: Uncaught, qtbot: QtBot) -> None:
    with qtbot.waitSignal(uncaught.happened) as found:
        thread = threading.Thread(target=fail)
        thread.start()
    thread.join()
    assert found.args == ["ZeroDivisionError"]
