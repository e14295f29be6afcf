"""One who could plan: whether it is here, what it still needs, and the step that comes next."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from tandem_desktop.shadow.confinement import Confinement
from tandem_desktop.sidecar.profiles import BUILT_IN, FoundAgent
from tandem_desktop.ui.theme.stylesheet import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label, plain_tooltip
from tandem_desktop.ui.widgets.status_mark import StatusMark
from tandem_desktop.ui.words import tr


class AgentRow(QFrame):
    """A card with a mark, words, and one button."""

    pressed = Signal(str)
    """The agent to work with."""
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
    """What needs no model and no account: the sample starts with it."""

    pressed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.button = PrimaryButton(theme, tr("Start with a sample project"))
        self.button.setObjectName("welcome-sample")
        self.button.clicked.connect(lambda: self.pressed.emit())
        words = tr("Rename, replace across files, licence headers, apply a patch")
        fill(self, theme, "done", tr("Built-in recipes"), tr("no model needed"), words, self.button)


def _told(found: FoundAgent, confinement: Confinement) -> tuple[str, str]:
    """A word or two beside the name, and what the person has to know."""
    profile = found.profile
    held = tr("confined by the kernel") if confinement.confined else confinement.words
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
    """The same shape for every row."""
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
