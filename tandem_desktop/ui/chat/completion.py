"""Completion of slash commands and file mentions, and the index of files."""

import os
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from tandem_desktop.domain.agent_protocol import OfferedCommand
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.storage.workspace import Workspace
from tandem_desktop.ui.i18n import later, tr, tr_table
from tandem_desktop.ui.theme.theme import Theme

Index = QModelIndex | QPersistentModelIndex
_MOST_ROWS = 8


@dataclass(frozen=True, slots=True)
class CompletionItem:
    """One entry of the list and the text it inserts."""

    insert: str
    words: str
    about: str = ""
    group: str = ""


class CompletionModel(QAbstractListModel):
    """The completions, best first."""

    OfferRole = Qt.ItemDataRole.UserRole + 1

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._offers: tuple[CompletionItem, ...] = ()

    def set_offers(self, offers: Sequence[CompletionItem]) -> None:
        self.beginResetModel()
        self._offers = tuple(offers)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own spelling of "the root"
        return 0 if parent.isValid() else len(self._offers)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid():
            return None
        offer = self._offers[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return offer.words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{offer.words}, {offer.about}" if offer.about else offer.words
        return offer if role == self.OfferRole else None


class CompletionPopup(QFrame):
    """Floats above the composer without taking the focus; the composer forwards its keys."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("completion-popup")
        self.setProperty("role", "toast")
        self._model = CompletionModel(self)
        self._list = QListView(self)
        self._list.setObjectName("completion-list")
        self._list.setAccessibleName(tr("Suggestions"))
        self._list.setModel(self._model)
        self._list.setItemDelegate(_CompletionDelegate(theme, self))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.setFrameShape(QFrame.Shape.NoFrame)
        self._list.setMouseTracking(True)
        self._list.clicked.connect(lambda index: self.chosen.emit(index.data(CompletionModel.OfferRole)))
        self._list.viewport().setAutoFillBackground(False)
        self.hide()

    @property
    def offers(self) -> tuple[CompletionItem, ...]:
        return self._model._offers

    def offer(self, offers: Sequence[CompletionItem], over: QRect) -> None:
        """Show the list above the rectangle `over`, in the parent's coordinates; hide it if it is empty."""
        self._model.set_offers(offers)
        if not offers:
            self.hide()
            return
        self._list.setCurrentIndex(self._model.index(0))
        edge, row = self._theme.px(4), self._theme.px(32)
        height = min(len(offers), _MOST_ROWS) * row + 2 * edge
        height = min(height, max(over.top() - self._theme.px(8), row + 2 * edge))
        self.setGeometry(over.left(), over.top() - height - self._theme.px(4), over.width(), height)
        self._list.setGeometry(edge, edge, over.width() - 2 * edge, height - 2 * edge)
        self.show()
        self.raise_()

    def take(self, key: int) -> bool:
        """Handle a navigation key; returns whether it was one."""
        if self.isHidden():
            return False
        count, now = self._model.rowCount(), self._list.currentIndex().row()
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            step = 1 if key == Qt.Key.Key_Down else -1
            self._list.setCurrentIndex(self._model.index((now + step) % count))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab):
            self.chosen.emit(self._model.index(now).data(CompletionModel.OfferRole))
            return True
        if key == Qt.Key.Key_Escape:
            self.hide()
            return True
        return False


class _CompletionDelegate(QStyledItemDelegate):
    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(self._theme.px(120), self._theme.px(32))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme: Theme = self._theme
        offer: CompletionItem = index.data(CompletionModel.OfferRole)
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            chosen = state & QStyle.StateFlag.State_Selected
            painter.setBrush(theme.color("selection" if chosen else "hover"))
            painter.drawRoundedRect(rect, theme.px(6), theme.px(6))
        inside = rect.adjusted(theme.px(10), 0, -theme.px(10), 0)
        left = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        small = theme.ui_font(-1)
        group_width = QFontMetrics(small).horizontalAdvance(offer.group) + theme.px(12) if offer.group else 0
        metrics = QFontMetrics(theme.code_font())
        room = inside.width() - group_width
        words = metrics.elidedText(offer.words, Qt.TextElideMode.ElideMiddle, room)
        painter.setFont(theme.code_font())
        painter.setPen(theme.color("text"))
        painter.drawText(inside, left, words)
        painter.setFont(small)
        painter.setPen(theme.color("muted"))
        taken = metrics.horizontalAdvance(words) + theme.px(12)
        about = QFontMetrics(small).elidedText(offer.about, Qt.TextElideMode.ElideRight, max(room - taken, 0))
        painter.drawText(inside.adjusted(taken, 0, 0, 0), left, about)
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, offer.group)
        painter.restore()


class CommandSource(StrEnum):
    """What carries a command out."""

    WINDOW = "window"
    RECIPE = "recipe"
    AGENT = "agent"


SOURCE_WORDS = tr_table(
    {CommandSource.WINDOW: "window", CommandSource.RECIPE: "recipe", CommandSource.AGENT: "agent"},
)


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """One slash command."""

    name: str
    description: str = ""
    hint: str = ""
    """The argument, as shown after the name."""
    source: CommandSource = CommandSource.AGENT


WINDOW_COMMANDS = (
    ChatCommand("plan", later("Turn Plan mode on or off"), source=CommandSource.WINDOW),
    ChatCommand("perspectives", later("Get second opinions on a task, then plan it"), "task", CommandSource.WINDOW),
    ChatCommand(
        "orchestrate",
        later("Take a task from a plan to its end, with your decision at every gate; or stop it"),
        "task|stop",
        CommandSource.WINDOW,
    ),
    ChatCommand("plans", later("Find a plan"), "[words]", CommandSource.WINDOW),
    ChatCommand("plan-stats", later("Figures of this workspace's plans"), source=CommandSource.WINDOW),
    ChatCommand("plan-simulate", later("What the plan would do, without doing it"), "[plan]", CommandSource.WINDOW),
    ChatCommand("reflect", later("Ask what to change about the plan after its last run"), source=CommandSource.WINDOW),
    ChatCommand(
        "template", later("A plan from one of your templates"), "[name] [parameter=value]…", CommandSource.WINDOW
    ),
    ChatCommand("save-template", later("Save this plan as a template"), "name [parameter=text]…", CommandSource.WINDOW),
)


def with_window_commands(
    recipes: Iterable[OfferedCommand], of_the_agent: Iterable[OfferedCommand]
) -> tuple[ChatCommand, ...]:
    """The window's commands and the agent's; on equal names the window's wins."""
    found = {command.name: command for command in WINDOW_COMMANDS}
    for source, offered in ((CommandSource.RECIPE, recipes), (CommandSource.AGENT, of_the_agent)):
        for each in offered:
            name = each.name.removeprefix("/")
            found.setdefault(name, ChatCommand(name, each.description, each.hint, source))
    return tuple(found.values())


def matching(text: str, commands: Sequence[ChatCommand]) -> tuple[ChatCommand, ...]:
    """Commands that match the text after the slash, best first; all for an empty text."""
    wanted = text.lower()
    if not wanted:
        return tuple(commands)
    scored = [(score, command) for command in commands if (score := fuzzy_score(wanted, command.name)) is not None]
    return tuple(command for _, command in sorted(scored, key=lambda found: -found[0]))


def window_command(text: str) -> tuple[str, str] | None:
    """The window command in a message and its argument; None for a message to the agent."""
    name, _, rest = text.strip().partition(" ")
    own = {f"/{command.name}": command.name for command in WINDOW_COMMANDS}
    return (own[name], rest.strip()) if name in own else None


IMAGES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".svg"})
_TYPED = re.compile(r"(?:^|(?<=\s))@(\"[^\"]*|\S*)$")
_COMMAND = re.compile(r"^/(\S*)$")


def mention(path: str, root: Path | None) -> str:
    """`@app/auth.py`, `@"my notes.txt"`, `@/elsewhere/log.txt`; images are marked as such."""
    named = path
    if root is not None and Path(path).is_absolute():
        inside = os.path.relpath(os.path.realpath(path), os.path.realpath(root))
        named = path if inside.startswith("..") else inside
    written = f'@"{named}"' if any(character.isspace() for character in named) else f"@{named}"
    return f"{written} (image)" if Path(named).suffix.lower() in IMAGES else written


def mentions(paths: Iterable[str], root: Path | None) -> str:
    return " ".join(mention(path, root) for path in paths)


def file_being_typed(before_cursor: str) -> str | None:
    """The text after the @ before the cursor; None if there is none."""
    found = _TYPED.search(before_cursor)
    return None if found is None else found.group(1).removeprefix('"')


def command_being_typed(before_cursor: str) -> str | None:
    """The text after the slash at the start of the message; None if there is none."""
    found = _COMMAND.match(before_cursor)
    return None if found is None else found.group(1)


SHOWN = 12
_START_OF_WORD = "/_-. "


class FileIndex:
    """Lists the files of a workspace on its own thread and caches the names until `forget`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._paths: tuple[str, ...] | None = None
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="file-index")

    def find(self, text: str, limit: int = SHOWN) -> "Future[tuple[str, ...]]":
        """The best matches for `text`, best first. Does not block."""
        return self._worker.submit(lambda: best_matches(text, with_folders(self.paths()), limit))

    def paths(self) -> tuple[str, ...]:
        """All files, cached until `forget`."""
        with self._lock:
            if self._paths is None:
                self._paths = _look(self._root)
            return self._paths

    def forget(self) -> None:
        """Drop the cache; the next search reads the disk again."""
        with self._lock:
            self._paths = None

    def close(self) -> None:
        self._worker.shutdown(wait=False, cancel_futures=True)


def with_folders(paths: Sequence[str]) -> tuple[str, ...]:
    """The files and their folders; folders end with a slash."""
    folders: set[str] = set()
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/" not in folders:
            folders.add(f"{folder}/")
            folder = folder.rpartition("/")[0]
    return (*paths, *sorted(folders))


def best_matches(text: str, paths: Sequence[str], limit: int = SHOWN) -> tuple[str, ...]:
    """Paths that contain the letters of `text` in order, best match first."""
    wanted = text.strip().lower()
    if not wanted:
        return tuple(sorted(paths, key=lambda path: (path.removesuffix("/").count("/"), path))[:limit])
    ranked = [(score, len(path), path) for path in paths if (score := fuzzy_score(wanted, path)) is not None]
    ranked.sort(key=lambda found: (-found[0], found[1], found[2]))
    return tuple(path for _, _, path in ranked[:limit])


def fuzzy_score(wanted: str, candidate: str) -> int | None:
    """How well `candidate` matches the lower-case letters `wanted`; None if one is missing."""
    lowered = candidate.lower()
    name = lowered.removesuffix("/").rpartition("/")[2]
    if name.startswith(wanted):
        return 1000 + (200 if name == wanted or name.rpartition(".")[0] == wanted else 0)
    if wanted in name:
        return 800 - name.index(wanted)
    if wanted in lowered:
        return 600 + (100 if lowered.startswith(wanted) else 0) - min(lowered.index(wanted), 90)
    return _scattered(wanted, lowered)


def _scattered(wanted: str, lowered: str) -> int | None:
    score, at, before = 0, -1, -2
    for letter in wanted:
        at = lowered.find(letter, at + 1)
        if at < 0:
            return None
        score += 8 if at == before + 1 else 5 if at == 0 or lowered[at - 1] in _START_OF_WORD else 1
        before = at
    return score


def _look(root: Path) -> tuple[str, ...]:
    from tandem_desktop.recipes.sources import source_paths  # imported on this thread: the window does not wait

    try:
        workspace = Workspace(root)
    except TandemError:
        return ()
    try:
        return tuple(_until_it_fails(source_paths(workspace)))
    finally:
        workspace.close()


def _until_it_fails(paths: Iterator[str]) -> Iterator[str]:
    """The paths up to the first error: a partial list is better than none."""
    try:
        yield from paths
    except TandemError:
        return
