"""The empty chat with example tasks."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.ui.i18n import later, tr_marked
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import press_by_enter
from tandem_desktop.ui.widgets.labels import plain_label


@dataclass(frozen=True, slots=True)
class ExampleTask:
    """An example: its name and its message."""

    title: str
    text: str

    @property
    def message(self) -> str:
        """What is sent; a command is the same in every language."""
        return self.text if self.text.startswith("/") else tr_marked(self.text)


EXAMPLES = (
    ExampleTask(later("Replace words everywhere"), '/replace "colour" "color" --in *.md'),
    ExampleTask(later("Rename something in the code"), "/rename-identifier get_user fetch_user --in src/"),
    ExampleTask(later("Add a licence header"), '/licence-header MIT --holder "Jane Doe"'),
)
"""Recipes of the built-in agent: they need no model and no account."""
STARTS = (
    ExampleTask(later("Start a Python package"), '/new-from-template python-package "Weather"'),
    ExampleTask(later("Begin with a README"), '/new-from-template readme "Weather"'),
    ExampleTask(later("Set how every editor indents"), '/new-from-template editorconfig "Weather"'),
)
"""Recipes for an empty workspace."""
REQUESTS = (
    ExampleTask(later("Find out how it works"), later("Explain how this project is built and where it starts.")),
    ExampleTask(later("Mend a test"), later("Run the tests and mend what fails.")),
    ExampleTask(later("Write what is missing"), later("Write tests for the part that has none.")),
)
"""Requests in plain words, for an agent with a model."""
BEGINNINGS = (
    ExampleTask(later("Start a Python package"), later("Start a Python package with a first test.")),
    ExampleTask(later("Begin with a README"), later("Write a README: what this is to be, and how to run it.")),
)
"""The same for an empty workspace."""
_CHANGE = (
    later("Ask for a change"),
    later("The agent works in a copy of your files. Nothing on disk changes until you have read and approved it."),
)
_START = (
    later("Start a project"),
    later("Say what it is to be. The agent works in a copy of this folder: no file is made before you approve it."),
)

_AT_ONCE = later("The agent asks here before each change. What you allow is written at once, and can be undone.")


class EmptyChat(QWidget):
    """Shown before the first message."""

    chosen = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._examples: Sequence[ExampleTask] = ()
        self._buttons: list[_ExampleButton] = []
        self.setObjectName("empty-chat")
        self._column = QVBoxLayout()
        self._column.setSpacing(theme.px(8))
        self._title, self._words = plain_label("", "title"), plain_label("", "muted", wrap=True)
        self._column.addWidget(self._title)
        self._column.addWidget(self._words)
        self._column.addSpacing(theme.px(8))
        self._tasks = QVBoxLayout()
        self._tasks.setSpacing(theme.px(8))
        self._column.addLayout(self._tasks)
        holder = QWidget()
        holder.setLayout(self._column)
        holder.setMaximumWidth(theme.px(460))
        self._holder = holder
        theme.changed.connect(self._fit)
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(holder, 100)
        across.addStretch(1)
        layout = QVBoxLayout(self)
        layout.addStretch(2)
        layout.addLayout(across)
        layout.addStretch(3)
        self.show_beginning(has_files=True, has_recipes=True)

    def show_beginning(self, *, has_files: bool, has_recipes: bool, plan_mode: bool = True) -> None:
        """Examples that the chosen agent understands; recipes are the built-in agent's."""
        title, words = _CHANGE if has_files else _START
        words = words if plan_mode else _AT_ONCE
        self._title.setText(tr_marked(title))
        self._words.setText(tr_marked(words))
        if has_recipes:
            self._show_examples(EXAMPLES if has_files else STARTS)
        else:
            self._show_examples(REQUESTS if has_files else BEGINNINGS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _show_examples(self, examples: Sequence[ExampleTask]) -> None:
        if examples == self._examples:
            return
        self._examples = examples
        self._buttons = []
        while (item := self._tasks.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for at, example in enumerate(examples):
            button = _ExampleButton(self._theme, example)
            button.setObjectName(f"example-{at + 1}")
            button.clicked.connect(lambda checked=False, sent=example: self.chosen.emit(sent.message))
            self._tasks.addWidget(button)
            self._buttons.append(button)
        self._make_room()

    def _fit(self) -> None:
        self._holder.setMaximumWidth(self._theme.px(460))

    def _make_room(self) -> None:
        """Show only as many examples as fit."""
        height = self._theme.px(56) + self._theme.px(8)
        words = self._theme.px(120)
        room = max(0, self.height() - words) // height
        for at, button in enumerate(self._buttons):
            button.setVisible(at < room)


class _ExampleButton(QAbstractButton):
    def __init__(self, theme: Theme, example: ExampleTask, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._example = example
        self.setAccessibleName(f"{tr_marked(example.title)}: {example.message}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._fit()
        theme.changed.connect(self._fit)

    def _fit(self) -> None:
        self.setFixedHeight(self._theme.px(56))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_by_enter(self, event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(theme.color("focus" if self.hasFocus() else "line"), 1))
        painter.setBrush(theme.color("hover" if self.underMouse() else "panel"))
        painter.drawRoundedRect(self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5), theme.px(10), theme.px(10))
        inside = self.rect().adjusted(theme.px(14), theme.px(9), -theme.px(14), -theme.px(9))
        painter.setPen(theme.color("text"))
        painter.setFont(theme.ui_font())
        painter.drawText(inside, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft, tr_marked(self._example.title))
        painter.setPen(theme.color("muted"))
        painter.setFont(theme.code_font())
        text = painter.fontMetrics().elidedText(self._example.message, Qt.TextElideMode.ElideRight, inside.width())
        painter.drawText(inside, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft, text)
        painter.end()
