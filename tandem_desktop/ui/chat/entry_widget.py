"""What every row of a conversation has in common."""

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QApplication, QSizePolicy, QWidget

from tandem_desktop.ui.models.transcript_model import Row
from tandem_desktop.ui.theme.theme import Theme


class EntryWidget(QWidget):
    """One row, made when it comes into sight and thrown away when it is far out of it."""

    height_changed = Signal()
    opened = Signal(bool)
    """What was folded is open now, or the other way round; whoever makes the row anew restores it."""
    link_activated = Signal(str)
    file_activated = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def set_row(self, row: Row) -> None:
        """Show this row, which may be a later state of the one that is shown."""
        raise NotImplementedError

    def set_open(self, is_open: bool) -> None:
        """Unfold or fold, where there is something to fold."""

    @property
    def is_kept(self) -> bool:
        """Whether throwing it away would lose something: a draft, or the focus."""
        focused = QApplication.focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    def needed_height(self, width: int) -> int:
        layout = self.layout()
        if layout is None:
            return self.heightForWidth(width)
        return max(layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.sizeHint().height(), 0)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self.height_changed.emit()
        return super().event(event)
