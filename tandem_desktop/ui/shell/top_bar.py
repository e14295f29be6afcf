"""The top bar and the status line."""

from collections.abc import Collection, Iterable
from pathlib import Path

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from tandem_desktop.diff.text import visible_sentence
from tandem_desktop.domain.network import NetworkMode
from tandem_desktop.shadow.factory import Confinement
from tandem_desktop.ui.editor import from_home
from tandem_desktop.ui.i18n import later, tr, tr_marked
from tandem_desktop.ui.theme.style import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, ButtonLook, IconButton, QuietButton
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.labels import ElidedLabel, IconLabel, plain_label, plain_tooltip
from tandem_desktop.ui.widgets.progress import MARKS

IMMEDIATE, PLAN = "immediate", "plan"
_HEIGHT = 44
_SEARCH, _SEARCH_KEY = later("Search && commands"), "Ctrl+Shift+P"


def held_in_words(confinement: Confinement) -> str:
    """How agents are held, in two or three words."""
    if not confinement.confined:
        return tr("not sandboxed")
    return tr("sandboxed, open network") if confinement.network is NetworkMode.OPEN else tr("sandboxed")


class TopBar(QWidget):
    """Workspace, agent, mode and search."""

    plan_mode_chosen = Signal(bool)
    agent_chosen = Signal(str)
    own_agents_requested = Signal()
    palette_requested = Signal()
    theme_requested = Signal()
    rail_requested = Signal()
    chat_requested = Signal()
    review_requested = Signal()
    folder_requested = Signal()
    """Choose another folder."""
    folder_chosen = Signal(str)
    """A folder that was open before."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._agents: tuple[tuple[str, str, str], ...] = ()
        self._missing: frozenset[str] = frozenset()
        self._agent = ""
        self._recent: tuple[str, ...] = ()
        self._confined, self._is_confined = "", False
        self.setObjectName("top-bar")
        set_role(self, "bar")
        self._logo = IconLabel(theme, "logo", "accent", 20, self)
        self.workspace = _Place(theme, "Tandem", parent=self)
        self.workspace.setObjectName("workspace-button")
        self._branch = ElidedLabel(theme, code=True, token="muted", mode=Qt.TextElideMode.ElideRight, parent=self)
        self._branch.setObjectName("branch")
        self.mode = Segmented(theme, ((IMMEDIATE, tr("Immediate")), (PLAN, tr("Plan mode"))), tr("Mode"), self)
        self.agent = Button(theme, tr("Agent"), icon_name="chevron-down", parent=self)
        self.agent.setObjectName("agent-button")
        self.palette_button = QuietButton(theme, tr_marked(_SEARCH), _SEARCH_KEY, "command", parent=self)
        self.palette_button.setObjectName("palette-button")
        self.theme_button = IconButton(theme, "moon", tr("Theme"), framed=True, size=32, parent=self)
        self.rail_button = IconButton(theme, "sidebar", tr("Conversations"), size=32, parent=self)
        self.chat_button = IconButton(theme, "comment", tr("Chat"), size=32, parent=self)
        self.review_button = IconButton(theme, "expand", tr("Review"), size=32, parent=self)
        self._row = QHBoxLayout(self)
        left: tuple[QWidget, ...] = (self._logo, self.workspace, self._branch)
        panes = (self.rail_button, self.chat_button, self.review_button)
        right: tuple[QWidget, ...] = (*panes, self.mode, self.agent, self.palette_button, self.theme_button)
        for widget in left:
            self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.setStretch(2, 1)
        for widget in right:
            self._row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        self.mode.chosen.connect(lambda key: self.plan_mode_chosen.emit(key == PLAN))
        self.agent.clicked.connect(self.offer_agents)
        self.palette_button.clicked.connect(self.palette_requested)
        self.theme_button.clicked.connect(self.theme_requested)
        self.rail_button.clicked.connect(self.rail_requested)
        self.chat_button.clicked.connect(self.chat_requested)
        self.review_button.clicked.connect(self.review_requested)
        self.workspace.clicked.connect(self._offer_folders)
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_workspace(self, name: str, path: str, branch: str) -> None:
        self.workspace.setText(name)
        self.workspace.setAccessibleName(tr("Workspace {name}", name=name))
        self.workspace.setAccessibleDescription(path)
        self.workspace.setToolTip(plain_tooltip(tr("{path}\nOpen another folder", path=path)))
        self.show_branch(branch)
        self._work_widgets(True)

    def show_recent(self, folders: Iterable[str]) -> None:
        """Folders the workspace's button offers, the last one first."""
        self._recent = tuple(folders)

    def show_branch(self, branch: str) -> None:
        self._branch.setText(branch)
        self._branch.setAccessibleName(tr("Branch {branch}", branch=branch) if branch else tr("No branch"))

    def show_no_workspace(self) -> None:
        """Hide what needs a workspace."""
        self.workspace.setText("Tandem")
        self.workspace.setAccessibleDescription("")
        self.show_branch("")
        self._work_widgets(False)

    def show_panes(self, *, rail: bool, chat: bool, is_review: bool) -> None:
        """Name the buttons after what they do next."""
        self.rail_button.set_name(tr("Hide the conversations") if rail else tr("Show the conversations"), "Ctrl+B")
        self.chat_button.set_name(tr("Hide the chat") if chat else tr("Show the chat"), "Ctrl+Alt+B")
        self.review_button.set_name(tr("Show all panes") if is_review else tr("Review the plan alone"), "F9")

    def show_mode(self, plan_mode: bool) -> None:
        self.mode.set_current(PLAN if plan_mode else IMMEDIATE)

    def show_agents(
        self,
        agents: Iterable[tuple[str, str, str]],
        chosen: str,
        confinement: Confinement,
        missing: Collection[str] = (),
    ) -> None:
        """Set the agents as (name, title, what they lack or an empty string) and the one in use.

        Those whose names are in `missing` are not installed.
        """
        self._missing = frozenset(missing)
        self._agents = tuple((name, visible_sentence(title), needs) for name, title, needs in agents)
        self._agent = chosen
        title = next((title for name, title, _ in self._agents if name == chosen), chosen)
        self.agent.setText(title)
        self._is_confined = confinement.confined and confinement.network is not NetworkMode.OPEN
        self._confined = held_in_words(confinement)
        self.agent.setAccessibleName(tr("Agent {title}", title=title))
        self._make_room()
        self.agent.setAccessibleDescription(confinement.description)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def _make_room(self) -> None:
        """In a narrow window hide the key hint, then the search text, then the confinement; "not confined" stays."""
        search = tr_marked(_SEARCH)
        for words, key, confined in (
            (search, _SEARCH_KEY, self._confined),
            (search, "", self._confined),
            ("", "", self._confined),
            ("", "", "" if self._is_confined else self._confined),
        ):
            self.palette_button.setText(words)
            self.palette_button.set_hint(key)
            self.agent.set_hint(confined)
            if self._row.minimumSize().width() <= self.width():
                break
        self._row.activate()  # while the window is busy, words would be drawn in the room they had before
        self.palette_button.setAccessibleName(tr("Search and commands"))
        self.palette_button.setToolTip(plain_tooltip(tr("Search and commands, {key}", key=_SEARCH_KEY)))

    def _offer_folders(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("folder-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        others = [path for path in self._recent if from_home(path) != self.workspace.accessibleDescription()]
        for path in (each for each in others if Path(each).is_dir()):
            action = menu.addAction(f"{Path(path).name}    {from_home(path)}".replace("&", "&&"))
            action.triggered.connect(lambda checked=False, chosen=path: self.folder_chosen.emit(chosen))
        if menu.actions():
            menu.addSeparator()
        menu.addAction(tr("Open a folder…")).triggered.connect(lambda: self.folder_requested.emit())
        menu.popup(self.workspace.mapToGlobal(QPoint(0, self.workspace.height() + self._theme.px(4))))

    def offer_agents(self) -> None:
        """Open the menu of agents."""
        menu = QMenu(self)
        menu.setObjectName("agent-menu")
        group = QActionGroup(menu)
        missing = QMenu(tr("Not installed"), menu)
        missing.setObjectName("agent-menu-missing")
        for name, title, needs in self._agents:
            action = QAction(f"{title} — {needs}" if needs else title, group)
            action.setCheckable(True)
            action.setChecked(name == self._agent)
            action.setEnabled(not needs)
            action.triggered.connect(lambda checked=False, chosen=name: self.agent_chosen.emit(chosen))
            (missing if name in self._missing else menu).addAction(action)
        menu.addSeparator()
        if missing.actions():
            menu.addMenu(missing)
        menu.addAction(tr("Your agents…")).triggered.connect(lambda: self.own_agents_requested.emit())
        menu.popup(self.agent.mapToGlobal(QPoint(0, self.agent.height() + self._theme.px(4))))

    def _work_widgets(self, visible: bool) -> None:
        for widget in (self.rail_button, self.chat_button, self.review_button, self.mode, self.agent):
            widget.setVisible(visible)
        self._make_room()

    def _restyle(self) -> None:
        px = self._theme.px
        self.setFixedHeight(px(_HEIGHT))
        self._row.setContentsMargins(px(12), 0, px(12), 0)
        self._row.setSpacing(px(8))
        self.theme_button.set_icon_name("sun" if self._theme.is_dark else "moon")
        self._make_room()


class _Place(Button):
    """The workspace's name as a button."""

    look = ButtonLook("", "text", "", "muted", "hover", "", bold=True)


_STATUS_HEIGHT, _DOT = 26, 8
_INKS = {"waiting": "muted", "running": "accent", "done": "ok", "failed": "removed_ink"}


class StatusLine(QWidget):
    """Agent, disk and encoding; not interactive."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("status-line")
        set_role(self, "footer")
        self._mark = _Dot(theme, self)
        self._agent = plain_label("", "small", parent=self)
        self._disk = plain_label("", "small", parent=self)
        self._drift = plain_label("", "risk", parent=self)
        self._right = plain_label("", "small", parent=self)
        self._row = QHBoxLayout(self)
        for widget in (self._mark, self._agent):
            self._row.addWidget(widget)
        self._row.addSpacing(theme.px(8))
        self._row.addWidget(self._disk)
        self._row.addStretch(1)
        self._row.addWidget(self._drift)
        self._row.addSpacing(theme.px(8))
        self._row.addWidget(self._right)
        self._agent.setObjectName("status-agent")
        self._disk.setObjectName("status-disk")
        self._drift.setObjectName("status-drift")
        self._right.setObjectName("status-encoding")
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_agent(self, state: str, words: str) -> None:
        """`state` is waiting, running, done or failed."""
        self._mark.set_state(state)
        self._agent.setText(visible_sentence(words))

    def show_disk(self, words: str) -> None:
        self._disk.setText(words[:1].upper() + words[1:])

    def show_drift(self, words: str) -> None:
        self._drift.setText(words)
        self._drift.setVisible(bool(words))

    def show_encoding(self, words: str) -> None:
        """The encoding of the selected file: `UTF-8 · LF`."""
        self._right.setText(words)

    def _restyle(self) -> None:
        px = self._theme.px
        self.setFixedHeight(px(_STATUS_HEIGHT))
        self._mark.setFixedSize(px(_DOT + 2), px(_STATUS_HEIGHT))
        self._row.setContentsMargins(px(12), 0, px(12), 0)
        self._row.setSpacing(px(8))


class _Dot(QWidget):
    """The agent's state as a colour; the text beside it says the same."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = "waiting"
        theme.changed.connect(self.update)

    def set_state(self, state: str) -> None:
        self._state = state
        self.setAccessibleName(MARKS[state])
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        side = self._theme.px(_DOT)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color(_INKS[self._state]))
        painter.drawEllipse(QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side))
        painter.end()
