"""One row of small widgets that shows as many whole ones as fit and hides the others."""

from collections.abc import Sequence

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from tandem_desktop.ui.theme.theme import Theme


class FlowRow(QWidget):
    """Never asks for width, so that it never widens the window."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._widgets: list[QWidget] = []
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._arrange)

    def set_widgets(self, widgets: Sequence[QWidget]) -> None:
        for old in self._widgets:
            old.hide()
            old.deleteLater()
        self._widgets = list(widgets)
        for widget in self._widgets:
            widget.setParent(self)
        self._arrange()

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(120), self._theme.px(24))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        x = 0
        for widget in self._widgets:
            wanted = widget.sizeHint()
            fits = x + wanted.width() <= self.width()
            if not fits and x == 0:
                wanted.setWidth(max(self.width(), widget.minimumSizeHint().width()))
                fits = True
            widget.setVisible(fits)
            widget.setGeometry(x, (self.height() - wanted.height()) // 2, wanted.width(), wanted.height())
            x = x + wanted.width() + self._theme.px(6) if fits else self.width() + 1
        self.updateGeometry()
