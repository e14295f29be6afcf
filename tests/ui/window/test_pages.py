"""Pages of the window itself: the log, and what Tandem is."""

import logging
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPlainTextEdit

from tandem_desktop import __version__
from tandem_desktop.storage.logs import AGENT_LOGGER, LOG_FILE
from tandem_desktop.storage.paths import default_state_directory
from tandem_desktop.ui.diagnostics import LAST_VERSION
from tests.ui.window.driver import Person


def text(window: Person, name: str) -> str:
    widget = window.find(name)
    assert isinstance(widget, QPlainTextEdit)
    return widget.toPlainText()


def test_log_shows_what_was_noted_and_what_an_agent_wrote_and_is_searched_and_copied(window: Person) -> None:
    window.ask("/replace Hello Goodbye")
    logging.getLogger(AGENT_LOGGER).info("no key for the model \u202egnp.exe")
    window.command("Show the log")
    window.wait(lambda: window.sees("log-search"))
    window.wait(lambda: "plan_moved PLAN-" in text(window, "log-text"))
    assert "\u202e" not in text(window, "log-text")  # nothing in it can turn the line around
    window.type("no key")
    assert [line.partition("agent: ")[2][:20] for line in text(window, "log-text").splitlines()] == [
        "no key for the model"
    ]
    window.click("log-copy")
    assert QGuiApplication.clipboard().text() == text(window, "log-text")
    logging.getLogger(AGENT_LOGGER).info("still no key")
    window.wait(lambda: "still no key" in text(window, "log-text"))  # while it is open, too
    window.press(Qt.Key.Key_Escape)
    window.press(Qt.Key.Key_Escape)
    window.wait(lambda: not window.sees("log-sheet"))
    assert "still no key" in (window.log_file.folder / LOG_FILE).read_text()


def test_failure_that_is_told_leads_to_the_log(window: Person) -> None:
    window.window.open_plan("PLAN-00000000")
    window.wait(lambda: window.sees("toast-action"))
    window.click("toast-action")
    window.wait(lambda: window.sees("log-text") and "PLAN-00000000" in text(window, "log-text"))


def test_about_names_versions_places_and_licences_and_is_copied_for_a_report(window: Person) -> None:
    window.command("About Tandem")
    window.wait(lambda: window.sees("about-copy"))
    sheet = window.find("about-sheet")
    assert __version__ in [label.text() for label in sheet.findChildren(QLabel)]
    assert "JetBrains Mono  OFL-1.1" in text(window, "about-parts")
    assert "pydantic" in text(window, "about-parts")
    window.click("about-copy")
    report = QGuiApplication.clipboard().text()
    assert f"Tandem Desktop: {__version__}" in report
    assert f"Log: {window.log_file.folder}" in report
    window.press(Qt.Key.Key_Escape)
    window.wait(lambda: not window.sees("about-sheet"))


def test_an_update_is_told_once_with_the_way_to_its_notes_which_about_leads_to_later(
    open_window: Callable[..., Person],
) -> None:
    window = open_window()
    (default_state_directory() / LAST_VERSION).write_text("0.0.9")
    window.window.pages.tell_update()
    assert window.window.toast.text == f"Tandem was updated to {__version__}."
    window.click("toast-action")
    window.wait(lambda: window.sees("news-text"))
    assert window.focus().objectName() == "news-text"  # read by keyboard
    window.press(Qt.Key.Key_Escape)
    window.wait(lambda: not window.sees("news-sheet"))
    window.window.pages.tell_update()
    assert not window.window.toast.isVisible()
    window.command("About Tandem")
    window.wait(lambda: window.sees("about-news"))
    window.click("about-news")
    window.wait(lambda: window.sees("news-text") and not window.sees("about-sheet"))


def test_page_that_is_open_makes_room_when_the_window_gets_lower(window: Person) -> None:
    for words, content, button in (
        ("Show the log", "log-text", "log-close"),
        ("About Tandem", "about-parts", "about-close"),
        ("What is new", "news-text", "news-close"),
        ("Keys", "keys-list", "keys-close"),
    ):
        window.window.resize(1440, 900)
        window.command(words)
        window.wait(lambda button=button: window.sees(button))  # type: ignore[misc]
        window.window.resize(900, 620)
        window.wait(lambda: window.window.height() == 620)
        assert below(window, content) < below(window, button) < 620, words
        window.click(button)


def below(window: Person, name: str) -> int:
    """Where something ends, in the window."""
    widget = window.find(name)
    return widget.mapTo(window.window, widget.rect().bottomLeft()).y()
