"""A few badges beside each other, or below each other where they do not fit."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.badge import Badge

_BETWEEN = 6


class BadgeRow(QWidget):
    """Never asks for more width than its widest badge, and never hides one."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._badges: list[Badge] = []
        self._row = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._row.setAlignment(Qt.AlignmentFlag.AlignLeft)
        Spacing(theme, self._row, between=_BETWEEN)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        theme.changed.connect(self._arrange)

    def set_badges(self, words: Sequence[tuple[str, str]]) -> None:
        """Text and tone of each."""
        for badge in self._badges:
            self._row.removeWidget(badge)
            badge.hide()
            badge.deleteLater()
        self._badges = [Badge(self._theme, text, tone) for text, tone in words]
        for badge in self._badges:
            self._row.addWidget(badge)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        gaps = self._theme.px(_BETWEEN) * max(0, len(self._badges) - 1)
        wanted = sum(badge.sizeHint().width() for badge in self._badges) + gaps
        fits = wanted <= self.width()
        self._row.setDirection(QBoxLayout.Direction.LeftToRight if fits else QBoxLayout.Direction.TopToBottom)
