"""Margins that follow the zoom, so that a layout is told once what it should look like."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QGridLayout, QLayout

from tandem_desktop.ui.theme.theme import Theme


class Spacing(QObject):
    """Lives as long as its layout and sets it anew whenever the theme changes."""

    def __init__(
        self, theme: Theme, layout: QLayout, margins: tuple[int, int, int, int] = (0, 0, 0, 0), between: int = 8
    ) -> None:
        super().__init__(layout)
        self._theme, self._layout, self._margins, self._between = theme, layout, margins, between
        theme.changed.connect(self.apply)
        self.apply()

    def apply(self) -> None:
        self._layout.setContentsMargins(*(self._theme.px(each) for each in self._margins))
        between = self._theme.px(self._between)
        if isinstance(self._layout, QGridLayout):
            self._layout.setHorizontalSpacing(between)
            self._layout.setVerticalSpacing(between)
        else:
            self._layout.setSpacing(between)
