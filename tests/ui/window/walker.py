"""Somebody who walks through the window and looks whether each part can be named, reached and read."""

from collections import Counter
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QPushButton, QRadioButton, QWidget

from tandem_desktop.ui.plan.sheets import Sheet
from tandem_desktop.ui.shell.palette import CommandPalette
from tandem_desktop.ui.theme.theme import THEMES, load_tokens
from tandem_desktop.ui.widgets.buttons import Button
from tests.support.contrast import contrast
from tests.ui.window.driver import Person

SHIFT = Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier
LEAST_CONTRAST = 4.5
MOST_LINKS = 60
"""A text takes Tab from link to link before it passes it on."""
ROUNDING = 6
"""Behind the corners of a button something else is seen."""


class Walker:
    """Looks at one place after the other and keeps what is wrong there. Words are measured as they are painted in the
    theme that is worn; what was written on which ground holds for every other theme by the tokens."""

    def __init__(self, window: QWidget, theme: str) -> None:
        self._window = window
        self._theme = theme
        self._found: set[str] = set()
        self._pairs: dict[tuple[str, str], str] = {}

    def look(self, place: str) -> None:
        for each in (each for each in QApplication.allWidgets() if each.isVisible()):
            if takes_keyboard(each) and not name_of(each):
                self._found.add(f"{place}: {type(each).__name__} {each.objectName()} has no name")
            if isinstance(each, QLabel) and each.text() and each.textFormat() is not Qt.TextFormat.PlainText:
                self._found.add(f"{place}: {each.text()} is not plain text")
        self._pairs |= {pair: f"{place}: {words}" for words, pair in painted(self._window)}

    def squeeze(self, place: str, *widths: int) -> None:
        """No button is cut, and none reaches out of what it stands in, however narrow the window is."""
        before = self._window.size()
        for width in widths:
            self._window.resize(width, before.height())
            for _ in range(3):  # what makes room for something else asks for another look
                QApplication.processEvents()
            for each in self._window.findChildren(Button):
                around = each.parentWidget()
                if each.isVisible() and around is not None and is_cut(each, around):
                    self._found.add(f"{place}, {width} wide: {each.objectName()} is cut")
        self._window.resize(before)
        QApplication.processEvents()

    def tab_through(self, place: str, person: Person, *, backwards: bool = False) -> None:
        """Tab goes to all of the sheet on top and stays in it."""
        top = next(each for each in self._window.findChildren(Sheet) if each.isVisible())
        stops = {each for each in top.card.findChildren(QWidget) if takes_keyboard(each)}
        reached: set[QWidget] = set()
        for _ in range(len(stops) + MOST_LINKS):
            if stops <= reached and len(reached) > 1:
                break
            person.press(*((Qt.Key.Key_Backtab, SHIFT) if backwards else (Qt.Key.Key_Tab, NONE)))
            reached.add(person.focus())
        if not reached <= set(top.findChildren(QWidget)):
            self._found.add(f"{place}: Tab leaves the sheet")
        self._found |= {f"{place}: Tab never reaches {each.objectName()}" for each in stops - reached}

    def complaints(self) -> set[str]:
        assert self._pairs, "nothing was looked at"
        worn = load_tokens(self._theme)
        named = {
            getattr(worn, name): name for name in reversed(worn.__slots__) if str(getattr(worn, name)).startswith("#")
        }
        faint = {
            f"{where} is faint: {ink} on {ground}"
            for (ink, ground), where in self._pairs.items()
            if contrast(ink, ground) < LEAST_CONTRAST
        }
        for name in THEMES:
            tokens = load_tokens(name)
            for (ink, ground), where in self._pairs.items():
                by_token = named.get(ink), named.get(ground)
                if all(by_token) and contrast(*(getattr(tokens, str(each)) for each in by_token)) < LEAST_CONTRAST:
                    faint.add(f"{where} is faint in {name}: {by_token[0]} on {by_token[1]}")
        return self._found | faint


def painted(window: QWidget) -> Iterator[tuple[str, tuple[str, str]]]:
    """The words of every label, button and field in sight, and the ink and ground they are really painted in."""
    above = [each for kind in (Sheet, CommandPalette) for each in window.findChildren(kind) if each.isVisible()]
    over = above[0] if above else window  # what is below is dimmed, or covered
    image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    for each in (child for kind in (QLabel, QPushButton, QLineEdit) for child in over.findChildren(kind)):
        edge = 0 if isinstance(each, QLabel) else ROUNDING
        words = (each.text() or each.placeholderText()) if isinstance(each, QLineEdit) else each.text()
        whole = each.visibleRegion().boundingRect() == each.rect()
        uncovered = each.isVisible() and window.childAt(each.mapTo(window, each.rect().center())) is each
        if uncovered and each.isEnabled() and words.strip() and whole:
            inside = each.rect().adjusted(edge, edge, -edge, -edge)
            spot = inside.translated(each.mapTo(window, each.rect().topLeft()))
            piece = image.copy(spot & image.rect())  # kept: the bits below are its own
            seen = Counter(memoryview(piece.constBits()).cast("I"))
            colors = {f"#{pixel & 0xFFFFFF:06x}": count for pixel, count in seen.items()}
            if colors:
                ground = max(colors, key=lambda color: colors[color])
                yield words, (max(colors, key=lambda color: contrast(color, ground)), ground)


def is_cut(button: Button, around: QWidget) -> bool:
    reach = button.geometry()
    is_inside = reach.left() >= 0 and reach.right() <= around.rect().right()
    return button.width() < button.sizeHint().width() or not is_inside


def takes_keyboard(widget: QWidget) -> bool:
    takes = widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None
    is_other_choice = isinstance(widget, QRadioButton) and not widget.isChecked()  # arrows go there
    return bool(takes) and widget.isVisible() and widget.isEnabled() and not is_other_choice


def name_of(widget: QWidget) -> str:
    return widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
