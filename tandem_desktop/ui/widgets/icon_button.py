"""A button that is only an icon, and therefore always carries its name for the reader and the pointer."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolButton, QWidget

from tandem_desktop.ui.theme.icons import paint_icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.painting import paint_focus_ring, paint_ground, shows_focus
from tandem_desktop.ui.widgets.plain_text import plain_tooltip


class IconButton(QToolButton):
    """Square; `framed` draws an edge, `filled` makes it the primary one (Send)."""

    def __init__(
        self,
        theme: Theme,
        icon_name: str,
        name: str,
        *,
        key: str = "",
        framed: bool = False,
        filled: bool = False,
        size: int = 28,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("role", "painted")
        self._icon_name = icon_name
        self._framed = framed
        self._filled = filled
        self._size = size
        self._ring = True
        self.setObjectName(f"icon-button-{name.lower().replace(' ', '-')}")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_name(name, key)
        theme.changed.connect(self._restyle)

    @property
    def icon_name(self) -> str:
        return self._icon_name

    def set_icon_name(self, icon_name: str) -> None:
        self._icon_name = icon_name
        self.update()

    def set_name(self, name: str, key: str = "") -> None:
        self.setAccessibleName(name)
        self.setAccessibleDescription(key)
        self.setToolTip(plain_tooltip(f"{name}  {key}" if key else name))

    def sizeHint(self) -> QSize:
        side = self._theme.px(self._size)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self._ring = shows_focus(event, self._ring)
        super().focusInEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        ground, edge, ink = self._tokens()
        paint_ground(
            painter,
            self._theme,
            QRectF(self.rect()),
            self._theme.color(ground) if ground else None,
            self._theme.color(edge) if edge else None,
        )
        side = self._theme.px(16)
        target = QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side)
        paint_icon(painter, self._theme, self._icon_name, ink, target)
        if self.hasFocus() and self._ring:
            gap = "accent_text" if self._filled else None
            paint_focus_ring(painter, self._theme, QRectF(self.rect()), ground=gap)
        painter.end()

    def _tokens(self) -> tuple[str, str, str]:
        hot = self.isEnabled() and (self.underMouse() or self.isDown())
        if not self.isEnabled():
            return ("selection" if self._filled else "", "line" if self._framed else "", "line_strong")
        if self._filled:
            return ("accent_hover" if hot else "accent", "", "accent_text")
        ground = "hover" if hot else "raised" if self.isChecked() else ""
        edge = "line_strong" if hot and self._framed else "line" if self._framed or self.isChecked() else ""
        return (ground, edge, "text" if hot or self.isChecked() else "muted")

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()
