"""The welcome page and the sample workspace."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from tandem_desktop.acp_client.profiles import BUILT_IN, FoundAgent
from tandem_desktop.sessions.launch import InstalledAgents
from tandem_desktop.shadow.sandbox import Confinement
from tandem_desktop.storage import atomic
from tandem_desktop.storage.paths import default_state_directory, resource
from tandem_desktop.ui.editor import from_home
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n
from tandem_desktop.ui.theme.style import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner
from tandem_desktop.ui.widgets.buttons import Button, LinkButton, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.labels import plain_label, plain_tooltip
from tandem_desktop.ui.widgets.progress import StatusMark


class AgentRow(QFrame):
    """An agent with its state and a button."""

    pressed = Signal(str)
    """Name of the chosen agent."""
    copied = Signal(str)

    def __init__(self, theme: Theme, found: FoundAgent, confinement: Confinement) -> None:
        super().__init__()
        profile, is_usable = found.profile, found.can_start
        is_built_in = profile.name == BUILT_IN
        note, words = _told(found, confinement)
        self.button: Button = Button(theme, tr("Use")) if is_usable else QuietButton(theme, tr("Copy command"))
        self.button.setObjectName(f"agent-{profile.name}")
        use, copy = (
            tr("Use {agent}", agent=profile.title),
            tr("Copy the command that installs {agent}", agent=profile.title),
        )
        self.button.setAccessibleName(use if is_usable else copy)
        self.button.clicked.connect(
            lambda: self.pressed.emit(profile.name) if is_usable else self._copy(profile.install)
        )
        is_ready = is_usable and not is_built_in and found.has_access
        mark = "failed" if found.lacks else "done" if is_ready else "waiting"
        fill(self, theme, mark, profile.title, note, words, self.button)

    def _copy(self, command: str) -> None:
        QGuiApplication.clipboard().setText(command)
        self.copied.emit(command)


class RecipesRow(QFrame):
    """The recipes, which need no model and no account, and the sample."""

    pressed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = PrimaryButton(theme, tr("Start with a sample project"))
        self.button.setObjectName("welcome-sample")
        self.button.clicked.connect(lambda: self.pressed.emit())
        words = tr("Rename, replace across files, licence headers, apply a patch")
        fill(self, theme, "done", tr("Built-in recipes"), tr("no model needed"), words, self.button)


def _told(found: FoundAgent, confinement: Confinement) -> tuple[str, str]:
    """The state beside the name, and the explanation."""
    profile = found.profile
    held = tr("confined by the kernel") if confinement.confined else confinement.description
    if found.path is None:
        return tr("not installed"), tr("Install it with: {install}", install=profile.install)
    if found.lacks:
        return tr("cannot start"), tr(
            "{program}, which runs it, was not found. Install that, or install {agent} again: {install}",
            program=found.lacks,
            agent=profile.title,
            install=profile.install,
        )
    if profile.name == BUILT_IN:
        return tr("Anthropic, OpenAI, Ollama, any compatible address"), profile.needs
    if found.has_access:
        return found.version or tr("found"), tr("Ready · {held}. {needs}", held=held, needs=profile.needs)
    lacks = tr("No log-in and no key was found · {held}. {needs}", held=held, needs=profile.needs)
    return found.version or tr("found"), lacks


def fill(frame: QFrame, theme: Theme, mark: str, title: str, note: str, words: str, button: Button) -> None:
    """The common layout of the rows."""
    set_role(frame, "card")
    row = QHBoxLayout(frame)
    row.setContentsMargins(theme.px(14), theme.px(12), theme.px(14), theme.px(12))
    row.setSpacing(theme.px(12))
    row.addWidget(StatusMark(theme, mark))
    head = QHBoxLayout()
    head.setSpacing(theme.px(8))
    head.addWidget(plain_label(title, "heading"))
    head.addWidget(plain_label(note, "code-muted"))
    head.addStretch(1)
    said = plain_label(words, "muted", wrap=True)
    said.setToolTip(plain_tooltip(words))
    column = QVBoxLayout()
    column.setSpacing(theme.px(2))
    column.addLayout(head)
    column.addWidget(said)
    row.addLayout(column, 1)
    row.addWidget(button)


_WIDTH = 760
_MOST_RECENT = 5
_PROMISE = later(
    "Choose who plans. Every agent works in a shadow of your project: nothing changes on disk until you say so."
)
_PRIVACY = later("No telemetry: agents talk to their own models, Tandem itself connects to nothing.")


class Welcome(QWidget):
    """Shown while no workspace is open."""

    folder_requested = Signal()
    folder_chosen = Signal(str)
    sample_requested = Signal()
    agent_chosen = Signal(str)
    """Use this agent for the folder that is opened next."""
    copied = Signal(str)
    """The text copied to the clipboard."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("welcome")
        set_role(self, "surface")
        self.problem = Banner(theme, "error", "", parent=self)
        self.problem.hide()
        self._recipes = RecipesRow(theme)
        self._recipes.pressed.connect(self.sample_requested)
        self.sample = self._recipes.button
        self._rows = QVBoxLayout()
        self._looked = plain_label(tr("Looking for agents on your PATH…"), "muted", wrap=True)
        self._looked.setObjectName("welcome-looked")
        self.folder = LinkButton(theme, tr("Open a folder"))
        self.folder.setObjectName("welcome-folder")
        self.folder.clicked.connect(self.folder_requested)
        self._recent_title = plain_label(tr("Recent"), "small")
        self._recent = QVBoxLayout()
        self._lay_out()
        self.show_recent(())

    def show_agents(self, here: InstalledAgents) -> None:
        """Show the agents found, those ready to use first."""
        ready = sorted(here.agents, key=lambda each: (not each.can_start, each.path is None))
        self._show_rows(tuple(AgentRow(self._theme, each, here.confinement) for each in ready))
        looked = tr_n("Looked for {n} agent on your PATH.", "Looked for {n} agents on your PATH.", len(here.agents))
        self._looked.setText(f"{looked} {tr_marked(_PRIVACY)}")

    def show_recent(self, folders: Sequence[str]) -> None:
        _empty(self._recent)
        self._recent_title.setVisible(bool(folders))
        for path in folders[:_MOST_RECENT]:
            button = LinkButton(self._theme, from_home(path), ink="muted", parent=self)
            button.setObjectName("recent-folder")
            button.clicked.connect(lambda checked=False, chosen=path: self.folder_chosen.emit(chosen))
            self._recent.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def show_problem(self, words: str) -> None:
        self.problem.set_message("error", words)
        self.problem.show()

    def _show_rows(self, rows: Sequence[AgentRow]) -> None:
        _empty(self._rows)
        for row in rows:
            row.pressed.connect(self.agent_chosen)
            row.copied.connect(self.copied)
            self._rows.addWidget(row)

    def _fit(self) -> None:
        self._holder.setMaximumWidth(self._theme.px(_WIDTH))

    def _lay_out(self) -> None:
        px = self._theme.px
        column = QVBoxLayout()
        column.setSpacing(px(10))
        column.addWidget(plain_label(tr("See it, approve it, get exactly that."), "display", wrap=True))
        column.addWidget(plain_label(tr_marked(_PROMISE), "muted", wrap=True))
        column.addSpacing(px(8))
        column.addWidget(self.problem)
        self._rows.setSpacing(px(10))
        column.addWidget(self._recipes)
        column.addLayout(self._rows)
        below = QHBoxLayout()
        below.addWidget(self._looked, 1)
        below.addWidget(self.folder, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(below)
        column.addWidget(self._recent_title)
        self._recent.setSpacing(px(2))
        column.addLayout(self._recent)
        self._holder = QWidget()
        self._holder.setLayout(column)
        self._fit()
        self._theme.changed.connect(self._fit)
        page = QWidget()
        set_role(page, "surface")
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(self._holder, 1000)
        across.addStretch(1)
        whole = QVBoxLayout(page)
        whole.setContentsMargins(px(24), px(24), px(24), px(24))
        whole.addStretch(1)
        whole.addLayout(across)
        whole.addStretch(1)
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
        return found.profile.install
    return tr("{program}, which runs it, was not found", program=found.lacks) if found.lacks else ""


def readiness(found: FoundAgent, confinement: Confinement) -> tuple[str, str]:
    """The state and status text of the agent in use."""
    title = found.profile.title
    if found.lacks:
        return "failed", tr("{agent} cannot start: {program} was not found", agent=title, program=found.lacks)
    if confinement.confined:
        return "done", tr("{agent} ready · confined", agent=title)
    return "done", tr("{agent} ready · not confined", agent=title)


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
