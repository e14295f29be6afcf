"""The first page: open a folder, go on with one, or see the whole promise in a minute on a sample."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from tandem_desktop.ui.theme.stylesheet import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banner import Banner
from tandem_desktop.ui.widgets.button import Button, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.icon_label import IconLabel
from tandem_desktop.ui.widgets.plain_text import plain_label

_WIDTH = 560
_PROMISE = (
    "See exactly what an agent will do. It works in a shadow of your folder; every change and command waits for you.",
    "Approve exactly that. Your click is bound to a digest of what was on screen.",
    "Get exactly that, and take it back. Tandem writes it under a journal, all or nothing, and can undo it.",
)


class Welcome(QWidget):
    """Nothing is open yet."""

    folder_requested = Signal()
    folder_chosen = Signal(str)
    sample_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("welcome")
        set_role(self, "surface")
        column = QVBoxLayout()
        column.setSpacing(theme.px(12))
        column.addWidget(IconLabel(theme, "logo", "accent", 48, self), 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(plain_label("Welcome to Tandem", "display"))
        for number, words in enumerate(_PROMISE, start=1):
            line = QHBoxLayout()
            line.addWidget(plain_label(str(number), "code-muted"), 0, Qt.AlignmentFlag.AlignTop)
            line.addWidget(plain_label(words, wrap=True), 1)
            column.addLayout(line)
        column.addSpacing(theme.px(8))
        self.problem = Banner(theme, "error", "", parent=self)
        self.problem.hide()
        column.addWidget(self.problem)
        buttons = QHBoxLayout()
        self.folder = PrimaryButton(theme, "Open a folder", "Ctrl+O", "folder", parent=self)
        self.sample = Button(theme, "Try it on a sample", parent=self)
        for button, signal in ((self.folder, self.folder_requested), (self.sample, self.sample_requested)):
            button.clicked.connect(signal)
            buttons.addWidget(button)
        buttons.addStretch(1)
        column.addLayout(buttons)
        column.addWidget(plain_label("Or drop a folder here.", "muted"))
        self._recent_title = plain_label("Recent", "small")
        column.addWidget(self._recent_title)
        self._recent = QVBoxLayout()
        column.addLayout(self._recent)
        words = "No telemetry. Agents talk to their own models; Tandem itself talks to nobody."
        column.addSpacing(theme.px(8))
        column.addWidget(plain_label(words, "small", wrap=True))
        holder = QWidget()
        holder.setLayout(column)
        holder.setMaximumWidth(theme.px(_WIDTH))
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(holder, 10)
        across.addStretch(1)
        whole = QVBoxLayout(self)
        whole.addStretch(1)
        whole.addLayout(across)
        whole.addStretch(2)
        self.show_recent(())

    def show_recent(self, folders: Sequence[str]) -> None:
        while (item := self._recent.takeAt(0)) is not None:
            if (old := item.widget()) is not None:
                old.deleteLater()
        self._recent_title.setVisible(bool(folders))
        for path in folders[:5]:
            button = QuietButton(self._theme, path, icon_name="folder", parent=self)
            button.setObjectName("recent-folder")
            button.clicked.connect(lambda checked=False, chosen=path: self.folder_chosen.emit(chosen))
            self._recent.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def show_problem(self, words: str) -> None:
        self.problem.set_message("error", words)
        self.problem.show()
