from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, Qt, QUrl
from PySide6.QtGui import QClipboard, QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.agent_protocol import OfferedCommand, UsageReported
from tandem_desktop.ui.chat.completion import WINDOW_COMMANDS, with_window_commands
from tandem_desktop.ui.chat.composer import usage_words
from tandem_desktop.ui.chat.pane import ChatPane
from tandem_desktop.ui.widgets.chips import Chip
from tests.ui.chat import talk

Key = Qt.Key


@pytest.fixture
def typed(qtbot: QtBot, pane: ChatPane) -> Callable[..., None]:
    """Types into the composer: words, or keys."""

    def type_(*what: str | Key) -> None:
        for each in what:
            if isinstance(each, str):
                qtbot.keyClicks(pane.composer.edit, each)
            else:
                qtbot.keyClick(pane.composer.edit, each)

    return type_


def press(qtbot: QtBot, pane: QWidget, name: str) -> None:
    button = pane.findChild(QAbstractButton, name)
    assert button is not None, name
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def words(pane: ChatPane) -> list[str]:
    return [offer.words for offer in pane.composer.popup.offers]


@pytest.fixture
def clipboard() -> Iterator[QClipboard]:
    """Emptied again: what a test made must not outlive the interpreter in it."""
    found = QGuiApplication.clipboard()
    yield found
    found.clear()


@pytest.mark.parametrize(
    ("key", "modifier", "left"),
    [
        (Key.Key_W, Qt.KeyboardModifier.ControlModifier, "one  three"),
        (Key.Key_U, Qt.KeyboardModifier.ControlModifier, " three"),
        (Key.Key_K, Qt.KeyboardModifier.ControlModifier, "one two"),
        (Key.Key_D, Qt.KeyboardModifier.AltModifier, "one twothree"),
    ],
)
def test_keys_of_a_shell_delete_around_the_cursor(
    qtbot: QtBot, pane: ChatPane, key: Key, modifier: Qt.KeyboardModifier, left: str
) -> None:
    edit = pane.composer.edit
    qtbot.keyClicks(edit, "one two three")
    qtbot.keyClick(edit, Key.Key_B, Qt.KeyboardModifier.AltModifier)
    qtbot.keyClick(edit, Key.Key_Left)
    qtbot.keyClick(edit, key, modifier)
    assert edit.toPlainText() == left
    qtbot.keyClick(edit, Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    assert edit.textCursor().atEnd()


def test_enter_sends_and_shift_enter_makes_a_line(qtbot: QtBot, pane: ChatPane) -> None:
    edit = pane.composer.edit
    one_line = edit.height()
    qtbot.keyClicks(edit, "first")
    qtbot.keyClick(edit, Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(edit, "second")
    assert edit.height() > one_line
    with qtbot.waitSignal(pane.sent) as sent:
        qtbot.keyClick(edit, Key.Key_Return)
    assert sent.args == ["first\nsecond"]
    assert pane.composer.text == ""
    assert edit.height() == one_line


class EdgePaints(QObject):
    """Counts how often the left edge of a widget was painted, where the ring is."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QPaintEvent) and isinstance(watched, QWidget):
            self.count += event.region().contains(QPoint(0, watched.height() // 2))
        return False


def test_ring_is_painted_anew_when_the_message_field_gets_or_loses_the_keyboard(pane: ChatPane, qtbot: QtBot) -> None:
    paints = EdgePaints()
    pane.composer.edit.setFocus()
    QApplication.processEvents()
    pane.composer.installEventFilter(paints)
    for move in (pane.composer.edit.clearFocus, pane.composer.edit.setFocus):
        before = paints.count
        move()
        qtbot.waitUntil(lambda before=before: paints.count > before)  # type: ignore[misc]


def test_nothing_is_not_sent(qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]) -> None:
    with qtbot.assertNotEmitted(pane.sent):
        typed("   ", Key.Key_Return)
        press(qtbot, pane, "composer-send")


def test_send_becomes_stop_while_the_agent_works_and_esc_does_the_same(
    qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]
) -> None:
    pane.set_working(True, "OpenCode is working…")
    send = pane.findChild(QAbstractButton, "composer-send")
    assert send is not None
    assert send.accessibleName() == "Stop"
    typed("half a thought")
    with qtbot.waitSignal(pane.stop_requested):
        press(qtbot, pane, "composer-send")
    with qtbot.waitSignal(pane.stop_requested):
        typed(Key.Key_Escape)
    assert pane.composer.text == "half a thought"
    pane.set_working(False)
    assert send.accessibleName() == "Send"


def test_esc_stops_nothing_while_nothing_works(qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]) -> None:
    with qtbot.assertNotEmitted(pane.stop_requested):
        typed(Key.Key_Escape)


def test_what_is_typed_while_the_agent_works_goes_out_in_turn(
    qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]
) -> None:
    pane.set_working(True)
    with qtbot.assertNotEmitted(pane.sent):
        typed("one", Key.Key_Return, "two", Key.Key_Return)
    assert pane.queue == ("one", "two")
    with qtbot.waitSignal(pane.sent) as sent:
        pane.set_working(False)
    assert sent.args == ["one"]
    assert pane.queue == ("two",)


def test_who_stops_the_agent_does_not_start_it_again_with_the_queue(
    qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]
) -> None:
    pane.set_working(True)
    typed("later", Key.Key_Return, Key.Key_Escape)
    with qtbot.assertNotEmitted(pane.sent):
        pane.set_working(False)
    assert pane.queue == ("later",)
    with qtbot.waitSignal(pane.sent) as sent:
        press(qtbot, pane, "queue-send-now-0")
    assert sent.args == ["later"]


def test_a_queued_message_can_be_changed_and_taken_out(
    qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]
) -> None:
    pane.set_working(True)
    typed("one", Key.Key_Return, "two", Key.Key_Return)
    press(qtbot, pane, "queue-edit-0")
    assert (pane.composer.text, pane.queue) == ("one", ("two",))
    press(qtbot, pane, "queue-remove-0")
    assert pane.queue == ()


def test_send_now_stops_the_agent_and_then_sends_that_message_first(
    qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]
) -> None:
    pane.set_working(True)
    typed("one", Key.Key_Return, "two", Key.Key_Return)
    with qtbot.waitSignal(pane.stop_requested):
        press(qtbot, pane, "queue-send-now-1")
    with qtbot.waitSignal(pane.sent) as sent:
        pane.set_working(False)
    assert sent.args == ["two"]
    assert pane.queue == ("one",)


def test_up_in_an_empty_composer_brings_the_last_message_back(
    qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]
) -> None:
    pane.set_entries(talk.review())
    typed(Key.Key_Up)
    assert pane.composer.text == "Use the settings object for the limit, not a constant."
    note = pane.findChild(QLabel, "composer-editing")
    assert note is not None
    assert note.isVisible()
    with qtbot.waitSignal(pane.sent) as sent:
        typed(" Please.", Key.Key_Return)
    assert sent.args == ["Use the settings object for the limit, not a constant. Please."]


def test_up_with_text_moves_the_cursor_only(pane: ChatPane, typed: Callable[..., None]) -> None:
    pane.set_entries(talk.review())
    typed("mine", Key.Key_Up)
    assert pane.composer.text == "mine"


def test_slash_offers_the_windows_commands_the_recipes_and_the_agents_own(
    pane: ChatPane, typed: Callable[..., None]
) -> None:
    recipe, own = OfferedCommand(name="replace", hint="OLD NEW"), OfferedCommand(name="init")
    pane.set_commands(with_window_commands((recipe,), (own, OfferedCommand(name="plan"))))
    typed("/")
    names = [each.split()[0] for each in words(pane)]
    assert names == [*(f"/{each.name}" for each in WINDOW_COMMANDS), "/replace", "/init"]  # `/plan` is the window's own
    assert "/plans [words]" in words(pane)
    typed("rep")
    assert words(pane)[0] == "/replace OLD NEW"
    typed(Key.Key_Tab)
    assert pane.composer.text == "/replace "
    assert pane.composer.popup.isHidden()


def test_the_list_is_walked_with_the_arrows_and_left_with_esc(
    qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]
) -> None:
    pane.set_working(True)
    with qtbot.assertNotEmitted(pane.stop_requested):
        typed("/", Key.Key_Escape)
    assert pane.composer.popup.isHidden()
    typed("plan", Key.Key_Down, Key.Key_Return)
    assert pane.composer.text == "/plans "


def test_a_command_of_the_window_is_told_and_not_sent(qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]) -> None:
    pane.set_working(True)  # at once, even while the agent works
    with qtbot.assertNotEmitted(pane.sent), qtbot.waitSignal(pane.command) as told:
        typed("/plans rate limit", Key.Key_Return)
    assert told.args == ["plans", "rate limit"]
    with qtbot.waitSignal(pane.command) as told:
        press(qtbot, pane, "composer-plan")
    assert told.args == ["plan", ""]
    assert pane.queue == ()


def test_other_commands_go_to_the_agent(qtbot: QtBot, pane: ChatPane, typed: Callable[..., None]) -> None:
    with qtbot.waitSignal(pane.sent) as sent:
        typed("/replace a b", Key.Key_Return)
    assert sent.args == ["/replace a b"]


def test_at_offers_files_and_puts_the_chosen_one_in_place(
    qtbot: QtBot, pane: ChatPane, typed: Callable[..., None], tmp_path: Path
) -> None:
    waiting: dict[str, Future[tuple[str, ...]]] = {}

    def find(text: str) -> "Future[tuple[str, ...]]":
        return waiting.setdefault(text, Future())

    pane.set_files(tmp_path, find)
    typed("look at @au")
    waiting["au"].set_result(("app/auth.py", "my author.md"))
    waiting["a"].set_result(("stale.py",))
    after: Future[str] = Future()
    after.set_result("everything before has arrived")
    arrived: list[str] = []
    pane.composer._answers.run(after, arrived.append)
    qtbot.waitUntil(lambda: bool(arrived))
    assert words(pane) == ["app/auth.py", "my author.md"]
    typed(Key.Key_Down, Key.Key_Return)
    assert pane.composer.text == 'look at @"my author.md" '


def test_files_that_are_pasted_or_dropped_become_mentions(
    pane: ChatPane, tmp_path: Path, clipboard: QClipboard
) -> None:
    pane.set_files(tmp_path, None)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "app/auth.py")), QUrl.fromLocalFile("/elsewhere/shot.png")])
    clipboard.setMimeData(data)
    pane.composer.edit.paste()
    assert pane.composer.text == "@app/auth.py @/elsewhere/shot.png (image) "
    pane.composer.clear()
    copy, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    second = QMimeData()
    second.setUrls([QUrl.fromLocalFile(str(tmp_path / "b.py"))])
    target = pane.composer.edit.viewport()
    left = Qt.MouseButton.LeftButton
    QApplication.sendEvent(target, QDragEnterEvent(QPoint(5, 5), copy, second, left, none))
    QApplication.sendEvent(target, QDropEvent(QPoint(5, 5).toPointF(), copy, second, left, none))
    assert pane.composer.text == "@b.py "


def a_picture(side: int = 4) -> QImage:
    image = QImage(side, side, QImage.Format.Format_RGB32)
    image.fill(0)
    return image


def test_a_pasted_picture_waits_as_a_chip_and_can_be_taken_out(qtbot: QtBot, pane: ChatPane) -> None:
    for side in (4, 6):
        QGuiApplication.clipboard().setImage(a_picture(side))
        pane.composer.edit.paste()
    chips = pane.composer.pictures.findChildren(Chip)
    assert [chip.accessibleName() for chip in chips] == ["Picture 4 × 4", "Picture 6 × 6"]
    qtbot.keyClick(chips[0], Qt.Key.Key_Delete)
    (left,) = pane.composer.pictures.take()
    assert (left.mime_type, QImage.fromData(left.data).width()) == ("image/png", 6)
    assert pane.composer.pictures.take() == ()


def test_a_large_picture_is_made_smaller_and_a_ninth_is_refused_in_words(qtbot: QtBot, pane: ChatPane) -> None:
    for _ in range(8):
        assert pane.composer.pictures.add(a_picture(2100))
    QGuiApplication.clipboard().setImage(a_picture())
    with qtbot.waitSignal(pane.refused) as told:
        pane.composer.edit.paste()
    assert told.args is not None
    assert "eight already" in told.args[0]
    assert {QImage.fromData(each.data).width() for each in pane.composer.pictures.take()} == {2000}


def test_pasted_rich_text_arrives_as_words(pane: ChatPane, clipboard: QClipboard) -> None:
    data = QMimeData()
    data.setHtml("<b>bold</b>")
    data.setText("bold")
    clipboard.setMimeData(data)
    pane.composer.edit.paste()
    assert pane.composer.text == "bold"


@pytest.mark.parametrize(
    ("usage", "said"),
    [
        (None, ""),
        (UsageReported(), ""),
        (UsageReported(used=640), "640 tokens"),
        (UsageReported(used=12_400, size=200_000), "12.4k tokens"),
        (UsageReported(used=1_250_000, cost=0.314, currency="USD"), "1.2M tokens · $0.31"),
        (UsageReported(used=2000, cost=3, currency="CHF"), "2.0k tokens · 3.00 CHF"),
    ],
)
def test_the_meter_says_tokens_and_cost(usage: UsageReported | None, said: str) -> None:
    assert usage_words(usage) == said


def test_an_example_fills_the_composer_and_sends_nothing(qtbot: QtBot, pane: ChatPane) -> None:
    with qtbot.assertNotEmitted(pane.sent):
        press(qtbot, pane, "example-1")
    assert pane.composer.text.startswith("/replace")
    assert pane.composer.edit.hasFocus()
