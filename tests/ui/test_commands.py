"""What the engine answers arrives in the window once, as what was asked for last."""

from concurrent.futures import Future

from pytestqt.qtbot import QtBot

from tandem_desktop.domain.errors import BadInputError, TandemError
from tandem_desktop.ui.threads import Commands


def test_an_answer_that_comes_late_does_not_overrule_what_was_asked_after_it(qtbot: QtBot) -> None:
    commands, heard = Commands(), list[str]()
    earlier, later = Future[str](), Future[str]()
    commands.latest("page", earlier, heard.append)
    commands.latest("page", later, heard.append)
    later.set_result("as it is now")
    earlier.set_result("as it was before")
    last = Future[str]()
    commands.run(last, heard.append)
    last.set_result("the end")
    qtbot.waitUntil(lambda: "the end" in heard)
    assert heard == ["as it is now", "the end"]


def test_a_failure_of_what_nobody_waits_for_any_more_is_not_told(qtbot: QtBot) -> None:
    commands, heard, failed = Commands(), list[str](), list[TandemError]()
    earlier, later = Future[str](), Future[str]()
    commands.latest("page", earlier, heard.append, failed.append)
    commands.latest("page", later, heard.append, failed.append)
    later.set_result("as it is now")
    earlier.set_exception(BadInputError("It was gone.", next="Ask again."))
    last = Future[str]()
    commands.run(last, heard.append)
    last.set_result("the end")
    qtbot.waitUntil(lambda: "the end" in heard)
    assert not failed


def test_whoever_asks_without_end_still_hears_what_has_come_so_far(qtbot: QtBot) -> None:
    commands, heard = Commands(), list[str]()
    earlier = Future[str]()
    commands.latest("page", earlier, heard.append)
    commands.latest("page", Future[str](), heard.append)
    earlier.set_result("as it was before")
    qtbot.waitUntil(lambda: heard == ["as it was before"])
