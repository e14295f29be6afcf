"""One line of sums: operations, files with their lines, commands, and the short digest that can be copied."""

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from tandem_desktop.review.totals import Totals
from tandem_desktop.ui.plan.wording import short_digest
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.painting import paint_focus_ring
from tandem_desktop.ui.widgets.plain_text import plain_tooltip
from tandem_desktop.ui.words import tr, tr_n

_COPIED_MS = 1600


class PlanTotals(QPushButton):
    """A line that is painted; pressing it copies the whole digest."""

    digest_clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pieces: list[tuple[str, str, bool]] = []
        self._digest = ""
        self.setObjectName("plan-totals")
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.digest_clicked)
        self._copied = QTimer(self, interval=_COPIED_MS, singleShot=True)
        self._copied.timeout.connect(self.update)
        theme.changed.connect(self.updateGeometry)

    def show_totals(self, totals: Totals, digest: str) -> None:
        self._digest = digest
        count = (tr_n("{n} operation", "{n} operations", totals.operations), "muted", True)
        pieces = [count] if totals.operations or digest else []
        if totals.files:
            files = tr_n("{n} file", "{n} files", totals.files)
            pieces.append((files, "muted", not totals.added and not totals.removed))
            if totals.added:
                pieces.append((f"+{totals.added:,}", "added_ink", not totals.removed))
            if totals.removed:
                pieces.append((f"−{totals.removed:,}", "removed_ink", True))
        if totals.commands:
            pieces.append((tr_n("{n} command", "{n} commands", totals.commands), "muted", True))
        self._pieces = pieces
        self.setEnabled(bool(digest))
        self.setCursor(Qt.CursorShape.PointingHandCursor if digest else Qt.CursorShape.ArrowCursor)
        copy = tr("Click to copy.")
        self.setToolTip(
            plain_tooltip(
                "\n".join((tr("The digest is what you approve: it covers everything that will run."), digest, copy))
            )
            if digest
            else ""
        )
        spoken = ", ".join(text for text, _, _ in pieces)
        copies = tr("{totals}. Copy the digest {digest}", totals=spoken, digest=short_digest(digest))
        self.setAccessibleName(copies if digest else spoken)
        self.update()

    def show_copied(self) -> None:
        self._copied.start()
        self.update()

    def words(self) -> str:
        """What is painted, for whoever asks."""
        return " · ".join((*(text for text, _, _ in self._pieces), *self._digest_words()))

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(320), self._theme.px(20))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(60), self._theme.px(20))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter, x = self._theme, QPainter(self), 0
        for text, token, ends in self._pieces:
            x = self._draw(painter, x, text, theme.ui_font(), token) + theme.px(14 if ends else 5)
        for text in self._digest_words():
            token = "ok" if self._copied.isActive() else "text" if self.underMouse() else "muted"
            self._draw(painter, x, text, theme.code_font(), token)
        if self.hasFocus():
            paint_focus_ring(painter, theme, self.rect().toRectF(), radius=4)
        painter.end()

    def _draw(self, painter: QPainter, x: int, text: str, font: QFont, token: str) -> int:
        painter.setFont(font)
        painter.setPen(self._theme.color(token))
        width = QFontMetrics(font).horizontalAdvance(text)
        if x + width <= self.width() or not x:
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(x, 0, width + 2, self.height(), flags, text)
        return x + width

    def _digest_words(self) -> tuple[str, ...]:
        if not self._digest:
            return ()
        return (tr("copied") if self._copied.isActive() else f"sha256 {short_digest(self._digest)}",)
