"""Addresses, records and pictures: nothing is opened unseen, and nothing is dropped in silence."""

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl

from tests.ui.window.driver import Person

pytestmark = pytest.mark.usefixtures("quick_agent")


@pytest.fixture
def opened(window: Person) -> list[str]:
    """What the desktop was asked to open."""
    found: list[str] = []
    window.window.chat_actions._open_address = lambda url: found.append(QUrl(url).toString()) or True
    return found


def test_address_is_shown_before_it_is_opened(window: Person, opened: list[str]) -> None:
    window.place.chat.link_activated.emit("https://example.org/page")
    window.wait(lambda: window.sees("confirm-sure"))
    assert window.window.chat_actions.sheet.said.text() == "https://example.org/page"
    assert opened == []
    window.click("confirm-sure")
    window.wait(lambda: opened == ["https://example.org/page"])


@pytest.mark.parametrize("address", ["file:///etc/passwd", "javascript:alert(1)", "smb://host/share"])
def test_only_pages_and_mail_are_opened(window: Person, opened: list[str], address: str) -> None:
    window.place.chat.link_activated.emit(address)
    assert "Only pages and mail" in window.window.toast.text
    assert not window.sees("confirm-sure")
    assert opened == []


def test_file_outside_the_workspace_is_not_opened(window: Person, opened: list[str]) -> None:
    window.place.chat.file_activated.emit("../secret.txt")
    assert "not in this workspace" in window.window.toast.text


def test_record_of_the_conversation_is_opened_from_the_palette(window: Person, opened: list[str]) -> None:
    window.command("record of this")
    window.wait(lambda: len(opened) == 1)
    assert opened[0].endswith(f"sessions/{window.place.session_id}")


def test_conversation_is_written_as_markdown_and_opened_in_the_editor(
    window: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[tuple[str, str]] = []

    def opened(path: Path, line: int, editor: str) -> str:
        shown.append((path.name, path.read_text()))
        return ""

    monkeypatch.setattr("tandem_desktop.ui.turn_controller.open_in_editor", opened)
    window.place.background.chat.note(window.place.session_id, "Something happened")
    window.command("as Markdown")
    window.wait(lambda: bool(shown))
    assert shown == [("conversation.md", "- Something happened\n")]
    window.command("Save diagnostics")
    window.wait(lambda: "Saved" in window.window.toast.text)
    assert (window.window.pages._log_file.folder / "diagnostics.txt").stat().st_mode & 0o777 == 0o600
