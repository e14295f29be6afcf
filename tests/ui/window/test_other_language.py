"""In another language everything the window says is in that language; only what others wrote stays as it is."""

import platform
import re
from collections.abc import Callable, Iterator
from functools import cache

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QFontDatabase, QTextDocumentFragment
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from tandem_desktop.app.window import look_for_agents
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.storage.paths import default_state_directory
from tandem_desktop.ui.chat.completion import CommandSource
from tandem_desktop.ui.chat.empty_chat import EXAMPLES
from tandem_desktop.ui.chat.prose_view import ProseView
from tandem_desktop.ui.diff.view import DiffView
from tests.support.catalogue import sentences
from tests.support.pseudo_language import LEFT, RIGHT, PseudoLanguage, pseudo_language
from tests.ui.window.driver import Person
from tests.ui.window.test_access import sheet, sheets, tabs

CONTROL = Qt.KeyboardModifier.ControlModifier
ROLES = (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole)
IN_BRACKETS = re.compile(f"{LEFT}[^{LEFT}{RIGHT}]*{RIGHT}")
KEYS = "Ctrl|Shift|Alt|Esc|Enter|Return|Space|Up|Down|Left|Right|Tab|Del"
NAMES = "Tandem Desktop|Tandem|Qt|Python|CHAPO|KODA|DEVO|PNG|SVG|UTF-8|LF|MiB|sha256"


class Reader:
    """Reads every widget in sight and keeps what is said there in no other language."""

    def __init__(self, data: Callable[[], set[str]]) -> None:
        self._data = data
        self.found: set[tuple[str, str]] = set()
        self._seen: set[str] = set()

    @property
    def read(self) -> int:
        return len(self._seen)

    def look(self, place: str) -> None:
        data = sorted(self._data(), key=len, reverse=True)
        known = re.compile("|".join([*map(re.escape, data), rf"\b({KEYS}|{NAMES})\b", r"\b[0-9a-f]{4,}\b", r"r\d+"]))
        for widget in (each for each in QApplication.allWidgets() if each.isVisible()):
            for text in (each for each in texts(widget) if each not in self._seen):
                self._seen.add(text)
                if re.search(r"[^\W\d_]{2}", known.sub("", without_translated(text))):
                    self.found.add((place, f"{type(widget).__name__} {widget.objectName()}: {text}"))


def without_translated(text: str) -> str:
    """What is left of a text without the sentences in brackets, and those within them."""
    while LEFT in (text := IN_BRACKETS.sub("", before := text)) and text != before:
        pass
    return text


def texts(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, ProseView):
        return  # what others wrote
    if widget.toolTip():
        yield QTextDocumentFragment.fromHtml(widget.toolTip()).toPlainText()
    yield widget.accessibleName()
    if not isinstance(widget, DiffView):  # lines of files
        yield widget.accessibleDescription()
    match widget:
        case QLabel() | QAbstractButton():
            yield widget.text()
        case DiffView():
            yield from (widget.row_text(row) for row in range(min(len(widget.rows), 50)) if widget.rows.row(row).hunk)
        case QLineEdit() | QPlainTextEdit():
            yield widget.placeholderText()
        case QTabBar():
            yield from (widget.tabText(at) for at in range(widget.count()))
        case QComboBox():
            entries = (widget.itemText(at) for at in range(widget.count()))
            yield from (each for each in entries if each not in QFontDatabase.families())  # a font keeps its name
        case QMenu():
            yield from (action.text() for action in widget.actions())
        case QAbstractItemView():
            yield from rows(widget.model(), QModelIndex())


def rows(model: QAbstractItemModel | None, parent: QModelIndex) -> Iterator[str]:
    for row in range(model.rowCount(parent)) if model is not None else ():
        index = model.index(row, 0, parent)
        yield from (str(index.data(role) or "") for role in ROLES)
        yield from rows(model, index)


@pytest.fixture
def language() -> Iterator[PseudoLanguage]:
    with pseudo_language() as spoken:
        yield spoken


@cache
def said_by_agents() -> frozenset[str]:
    here = look_for_agents()
    titles = {words for each in here.agents for words in (each.profile.title, each.profile.install, each.profile.needs)}
    return frozenset(titles | {here.confinement.description, "/replace Hello Goodbye", "/plan", "Hello", "Goodbye"}) - {
        ""
    }


def not_ours(person: Person) -> set[str]:
    """What the workspace, the agents, the plan and the core say."""
    page, workspace, place = person.place.panel.page, person.workspace, person.place
    found = {str(workspace), workspace.name, platform.platform(terse=True), *(each.text for each in EXAMPLES)}
    found.add("def greet(name):")  # the function that a change is in
    found |= {
        str(default_state_directory()),
        *(f"{workspace.parent}/{each}" for each in ("logs", "config/settings.toml")),
    }
    for command in place.agents.commands_in(place.session_id):
        found |= {f"/{command.name}", command.hint or "/"}
        found |= {command.description} if command.source is not CommandSource.WINDOW else set()
    if page is not None:
        found |= {page.version.title, page.version.plan_id, page.digest, page.meta.result_summary or "/"}
    return found | said_by_agents() | {each.name for each in workspace.iterdir()}


def menus(person: Person) -> Iterator[tuple[str, QMenu]]:
    for name in ("plan-revision", "agent-button", "plan-footer-rehearse-how"):
        person.click(name)
        person.wait(lambda: isinstance(QApplication.activePopupWidget(), QMenu))
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        yield name, menu
        menu.close()


def test_nothing_of_the_window_is_left_in_english(language: PseudoLanguage, open_window: Callable[..., Person]) -> None:
    person = open_window()
    look = Reader(lambda: not_ours(person))
    look.look("no plan yet")
    person.place.set_plan_mode(True)
    person.ask("/replace Hello Goodbye")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    look.look("review")
    for tab in tabs(person):
        look.look(tab)
    for name, ask, shown in sheets(person):
        with sheet(person, ask, shown):
            look.look(name)
    for name, _ in menus(person):
        look.look(name)
    person.press(Qt.Key.Key_F, CONTROL)
    look.look("filter")
    person.click("composer-text")
    person.type("/")
    look.look("completion")
    person.press(Qt.Key.Key_Escape)
    person.press(Qt.Key.Key_I, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    person.wait(lambda: person.sees("approval-implement"))
    person.click("approval-implement")
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    for tab in tabs(person):
        look.look(f"finished, {tab}")
    assert look.read > 400, look.read
    assert language.asked - set(NAMES.split("|")) <= {each.text for each in sentences()}
    assert look.found == set()
