"""A small bar to search the text of a comparison."""

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.icon_button import IconButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr


class SearchBar(QFrame):
    """Tells what is typed; whoever searches tells it how much was found."""

    changed = Signal(str)
    step_wanted = Signal(int)
    """One forward or one back."""
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("diff-search")
        self.setProperty("role", "card")
        self.setAutoFillBackground(True)
        self.field = QLineEdit(self)
        self.field.setObjectName("diff-search-field")
        self.field.setAccessibleName(tr("Search in these changes"))
        self.field.setPlaceholderText(tr("Search in these changes"))
        self.field.textChanged.connect(self.changed)
        self.field.installEventFilter(self)
        self._count = plain_label("", "muted", parent=self)
        self._count.setObjectName("diff-search-count")
        back = IconButton(theme, "chevron-up", tr("Previous match"), key="Shift+F3", parent=self)
        forward = IconButton(theme, "chevron-down", tr("Next match"), key="F3", parent=self)
        close = IconButton(theme, "cross", tr("Close search"), key="Esc", parent=self)
        back.clicked.connect(lambda: self.step_wanted.emit(-1))
        forward.clicked.connect(lambda: self.step_wanted.emit(1))
        close.clicked.connect(self.closed)
        row = QHBoxLayout(self)
        for part in (self.field, self._count, back, forward):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(close)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.hide()

    @property
    def count_text(self) -> str:
        return self._count.text()

    def tell(self, current: int, total: int) -> None:
        """`2 of 14`; words when there is nothing."""
        words = tr("none") if self.field.text() else ""
        if total:
            words = tr("{current} of {total}", current=f"{current + 1:,}", total=f"{total:,}")
        self._count.setText(words)
        self.field.setAccessibleDescription(words)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3):
                self.step_wanted.emit(-1 if is_back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
        return super().eventFilter(watched, event)

    def _restyle(self) -> None:
        px = self._theme.px
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(px(8), px(4), px(4), px(4))
        layout.setSpacing(px(4))
        self.field.setFixedWidth(px(280))
        self._count.setMinimumWidth(px(64))
