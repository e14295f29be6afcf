"""The welcome page and the sample workspace."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QGuiApplication, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.acp_client.profiles import BUILT_IN, FoundAgent
from tandem_desktop.diff.text import visible_sentence
from tandem_desktop.sessions.launch import InstalledAgents
from tandem_desktop.shadow.sandbox import Confinement
from tandem_desktop.storage import atomic
from tandem_desktop.storage.paths import default_state_directory, resource
from tandem_desktop.ui.chat.entry_widget import Fold
from tandem_desktop.ui.editor import from_home
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n
from tandem_desktop.ui.shell.top_bar import held_in_words
from tandem_desktop.ui.theme.style import paint_focus_ring, paint_ground, paint_icon, set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner
from tandem_desktop.ui.widgets.buttons import Button, LinkButton, PrimaryButton, QuietButton, press_by_enter
from tandem_desktop.ui.widgets.labels import plain_label, plain_tooltip
from tandem_desktop.ui.widgets.progress import StatusMark


class AgentRow(QFrame):
    """An agent with its state and its buttons."""

    pressed = Signal(str)
    """Name of the chosen agent."""
    copied = Signal(str)

    def __init__(self, theme: Theme, found: FoundAgent, confinement: Confinement) -> None:
        super().__init__()
        profile, is_usable = found.profile, found.can_start
        note, words = _told(found, confinement)
        self.button: Button = Button(theme, tr("Use…")) if is_usable else QuietButton(theme, tr("Copy command"))
        self.button.setObjectName(f"agent-{profile.name}")
        use, copy = (
            tr("Use {agent}", agent=profile.title),
            tr("Copy the command that installs {agent}", agent=profile.title),
        )
        self.button.setAccessibleName(use if is_usable else copy)
        self.button.clicked.connect(
            lambda: self.pressed.emit(profile.name) if is_usable else self._copy(profile.install)
        )
        if not (is_usable or profile.install):
            self.button.hide()
        mark = "failed" if found.lacks else "done" if is_usable and found.has_access else "waiting"
        fill(self, theme, mark, visible_sentence(profile.title), note, words, self.button)

    def _copy(self, command: str) -> None:
        QGuiApplication.clipboard().setText(command)
        self.copied.emit(command)


class BuiltInRow(QFrame):
    """The agent that comes with Tandem, and its model."""

    pressed = Signal(str)
    model_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = Button(theme, tr("Use…"))
        self.button.setObjectName(f"agent-{BUILT_IN}")
        self.button.setAccessibleName(tr("Use {agent}", agent=tr("Built-in agent")))
        self.button.clicked.connect(lambda: self.pressed.emit(BUILT_IN))
        self.model = Button(theme, tr("Add a model…"))
        self.model.setObjectName("welcome-model")
        self.model.clicked.connect(lambda: self.model_requested.emit())
        self._note = plain_label("", "code-muted")
        self._words = plain_label("", "muted", wrap=True)
        fill(self, theme, "done", tr("Built-in agent"), self._note, self._words, self.model, self.button)
        self.show_model("")

    def show_model(self, name: str) -> None:
        """The model it would use; empty for none."""
        recipes = tr("Rename, replace across files, licence headers, apply a patch.")
        without = tr("Works without a model for built-in recipes: {recipes}", recipes=recipes[0].lower() + recipes[1:])
        self._note.setText(name or tr("no model yet"))
        self._words.setText(tr("Ready, in your own words and with built-in recipes.") if name else without)
        self.model.setText(tr("Change the model…") if name else tr("Add a model…"))
        self.model.updateGeometry()


def _told(found: FoundAgent, confinement: Confinement) -> tuple[str, str]:
    """The state beside the name, and the explanation."""
    profile = found.profile
    if found.path is None:
        install = tr("Install it with: {install}", install=profile.install)
        return tr("not installed"), install if profile.install else what_it_needs(found)
    if found.lacks:
        return tr("cannot start"), tr(
            "{program}, which runs it, was not found. Install that, or install {agent} again: {install}",
            program=found.lacks,
            agent=profile.title,
            install=profile.install,
        )
    held = held_in_words(confinement)
    if not confinement.confined:
        held = tr("not sandboxed: {reason}", reason=confinement.description)
    note = found.version or tr("found")
    if found.has_access:
        return note, tr("Ready · {held}", held=held)
    return note, tr("Not logged in, and no key was found · {held}. {needs}", held=held, needs=profile.needs)


def fill(frame: QFrame, theme: Theme, mark: str, title: str, note: object, words: object, *buttons: Button) -> None:
    """The common layout of the rows; note and words are texts, or labels that change."""
    set_role(frame, "card")
    row = QHBoxLayout(frame)
    row.setContentsMargins(theme.px(14), theme.px(10), theme.px(14), theme.px(10))
    row.setSpacing(theme.px(12))
    row.addWidget(StatusMark(theme, mark))
    head = QHBoxLayout()
    head.setSpacing(theme.px(8))
    head.addWidget(plain_label(title, "heading"))
    head.addWidget(note if isinstance(note, QWidget) else plain_label(str(note), "code-muted"))
    head.addStretch(1)
    if isinstance(words, QWidget):
        said = words
    else:
        said = plain_label(str(words), "muted", wrap=True)
        said.setToolTip(plain_tooltip(str(words)))
    column = QVBoxLayout()
    column.setSpacing(theme.px(2))
    column.addLayout(head)
    column.addWidget(said)
    row.addLayout(column, 1)
    for button in buttons:
        row.addWidget(button)


class RecentFolder(QAbstractButton):
    """A folder that was open before: its name, and where it is."""

    def __init__(self, theme: Theme, path: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._name, self._where = theme, Path(path).name or path, from_home(path)
        self.setObjectName("recent-folder")
        self.setAccessibleName(tr("Open {folder}", folder=self._where))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(240), self._theme.px(30))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_by_enter(self, event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        if self.underMouse() or self.isDown():
            paint_ground(painter, theme, QRectF(self.rect()), theme.color("hover"), None)
        side, at = theme.px(16), theme.px(8)
        paint_icon(painter, theme, "folder", "muted", QRectF(at, (self.height() - side) / 2, side, side))
        at += side + theme.px(8)
        bold, plain = theme.ui_font(bold=True), theme.ui_font()
        width = QFontMetrics(bold).horizontalAdvance(self._name)
        for font, ink, words in ((bold, "text", self._name), (plain, "muted", self._where)):
            painter.setFont(font)
            painter.setPen(theme.color(ink))
            room = QRect(at, 0, self.width() - at - theme.px(8), self.height())
            shown = QFontMetrics(font).elidedText(words, Qt.TextElideMode.ElideMiddle, room.width())
            painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, shown)
            at += width + theme.px(10)
        if self.hasFocus():
            paint_focus_ring(painter, theme, QRectF(self.rect()))
        painter.end()


_WIDTH = 760
_MOST_RECENT = 5
_PROMISE = later("Choose an agent. It works on a copy; your files change only when you approve.")
_PRIVACY = later("No telemetry: agents talk to their own models, Tandem itself connects to nothing.")


class Welcome(QWidget):
    """Shown while no workspace is open. What it shows first stays where it is when agents are found."""

    folder_requested = Signal()
    folder_chosen = Signal(str)
    patch_requested = Signal()
    """Choose a patch and review it."""
    sample_requested = Signal()
    agent_chosen = Signal(str)
    """Use this agent for the folder that is opened next."""
    model_requested = Signal()
    command_requested = Signal()
    """Add an agent by its command."""
    copied = Signal(str)
    """The text copied to the clipboard."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("welcome")
        set_role(self, "surface")
        self.problem = Banner(theme, "error", "", parent=self)
        self.problem.hide()
        self.folder = PrimaryButton(theme, tr("Open a folder…"), icon_name="folder")
        self.folder.setObjectName("welcome-folder")
        self.folder.clicked.connect(lambda: self.folder_requested.emit())
        self.patch = Button(theme, tr("Review a patch…"))
        self.patch.setObjectName("welcome-patch")
        self.patch.clicked.connect(lambda: self.patch_requested.emit())
        self.sample = Button(theme, tr("Try a sample project"))
        self.sample.setObjectName("welcome-sample")
        self.sample.clicked.connect(lambda: self.sample_requested.emit())
        self.built_in = BuiltInRow(theme)
        self.built_in.pressed.connect(self.agent_chosen)
        self.built_in.model_requested.connect(self.model_requested)
        self.command = LinkButton(theme, tr("Add an agent…"))
        self.command.setObjectName("welcome-command")
        self.command.clicked.connect(lambda: self.command_requested.emit())
        self._rows = QVBoxLayout()
        self._looked = plain_label(tr("Looking for agents…"), "muted", wrap=True)
        self._looked.setObjectName("welcome-looked")
        self._recent_title = plain_label(tr("Recent"), "section")
        self._recent = QVBoxLayout()
        self._lay_out()
        self.show_recent(())

    @property
    def first(self) -> QWidget:
        """What has the keyboard at first: the last folder, or the sample for a newcomer."""
        item = self._recent.itemAt(0)
        folder = item.widget() if item is not None else None
        return folder or self.sample

    def show_agents(self, here: InstalledAgents) -> None:
        """Show the agents found, and the others folded below them."""
        others = [each for each in here.agents if each.profile.name != BUILT_IN]
        found = sorted(
            (each for each in others if each.path), key=lambda each: not (each.can_start and each.has_access)
        )
        missing = [each for each in others if each.path is None]
        _empty(self._rows)
        for each in found:
            self._rows.addWidget(self._row(each, here.confinement))
        if missing:
            self._rows.addWidget(self._fold(missing, here.confinement))
        self._looked.setText(tr_marked(_PRIVACY))

    def show_recent(self, folders: Sequence[str]) -> None:
        _empty(self._recent)
        there = [path for path in folders if Path(path).is_dir()]
        self._recent_title.setVisible(bool(there))
        for path in there[:_MOST_RECENT]:
            button = RecentFolder(self._theme, path, self)
            button.clicked.connect(lambda checked=False, chosen=path: self.folder_chosen.emit(chosen))
            self._recent.addWidget(button)

    def show_problem(self, words: str) -> None:
        self.problem.set_message("error", words)
        self.problem.show()

    def _row(self, found: FoundAgent, confinement: Confinement) -> AgentRow:
        row = AgentRow(self._theme, found, confinement)
        row.pressed.connect(self.agent_chosen)
        row.copied.connect(self.copied)
        return row

    def _fold(self, missing: Sequence[FoundAgent], confinement: Confinement) -> Fold:
        def make() -> QWidget:
            page = QWidget()
            column = QVBoxLayout(page)
            column.setContentsMargins(0, 0, 0, 0)
            column.setSpacing(self._theme.px(8))
            for each in missing:
                column.addWidget(self._row(each, confinement))
            return page

        fold = Fold(self._theme, make)
        fold.line.setObjectName("welcome-missing")
        words = tr_n("{n} agent that is not installed", "{n} agents that are not installed", len(missing))
        fold.line.set_words(words, ", ".join(visible_sentence(each.profile.title) for each in missing))
        return fold

    def _fit(self) -> None:
        self._holder.setMaximumWidth(self._theme.px(_WIDTH))

    def _lay_out(self) -> None:
        px = self._theme.px
        column = QVBoxLayout()
        column.setSpacing(px(8))
        column.addWidget(plain_label(tr("See it, approve it, get exactly that."), "display", wrap=True))
        column.addWidget(plain_label(tr_marked(_PROMISE), "muted", wrap=True))
        column.addSpacing(px(8))
        column.addWidget(self.problem)
        begin = QHBoxLayout()
        begin.setSpacing(px(8))
        for button in (self.folder, self.patch, self.sample):
            begin.addWidget(button)
        begin.addStretch(1)
        column.addLayout(begin)
        column.addSpacing(px(4))
        column.addWidget(self._recent_title)
        self._recent.setSpacing(px(2))
        column.addLayout(self._recent)
        column.addSpacing(px(8))
        head = QHBoxLayout()
        head.addWidget(plain_label(tr("Agents"), "section"), 1)
        head.addWidget(self.command)
        column.addLayout(head)
        column.addWidget(self.built_in)
        self._rows.setSpacing(px(8))
        column.addLayout(self._rows)
        column.addWidget(self._looked)
        column.addStretch(1)
        self._holder = QWidget()
        self._holder.setLayout(column)
        self._fit()
        self._theme.changed.connect(self._fit)
        self._put_on_a_page()

    def _put_on_a_page(self) -> None:
        px = self._theme.px
        page = QWidget()
        set_role(page, "surface")
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(self._holder, 1000)
        across.addStretch(1)
        whole = QVBoxLayout(page)
        whole.setContentsMargins(px(24), px(48), px(24), px(24))
        whole.addLayout(across)
        scroll = QScrollArea()
        scroll.setObjectName("welcome-scroll")
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)


def _empty(layout: QVBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        if (old := item.widget()) is not None:
            old.hide()
            old.deleteLater()


def what_it_needs(found: FoundAgent) -> str:
    """What the agent lacks; empty if it can be used."""
    if found.path is None:
        return found.profile.install or tr("{program} was not found", program=found.profile.command[0])
    return tr("{program}, which runs it, was not found", program=found.lacks) if found.lacks else ""


def readiness(found: FoundAgent, confinement: Confinement) -> tuple[str, str]:
    """The state and status text of the agent in use."""
    title = found.profile.title
    if found.lacks:
        return "failed", tr("{agent} cannot start: {program} was not found", agent=title, program=found.lacks)
    return "done", tr("{agent} ready · {held}", agent=title, held=held_in_words(confinement))


def make_sample() -> Path:
    """The path of the sample project; it is created if missing."""
    source = resource("sample/workspace")
    target = default_state_directory().parent / "tandem-sample"
    for path in sorted(each for each in source.rglob("*") if "__pycache__" not in each.parts):  # compiled by pip
        copy = target / path.relative_to(source)
        if path.is_dir():
            atomic.make_directory(copy)
        elif not copy.exists():
            atomic.make_directory(copy.parent)
            atomic.replace(copy, path.read_bytes())
    return target
