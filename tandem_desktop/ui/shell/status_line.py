"""The line below everything: whether the agent is there, and whether anything on disk has changed."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from tandem_desktop.ui.theme.stylesheet import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.widgets.status_mark import MARKS
from tandem_desktop.ui.words import tr

_HEIGHT, _DOT = 26, 8
_INKS = {"waiting": "muted", "running": "accent", "done": "ok", "failed": "removed_ink"}


class StatusLine(QWidget):
    """Words only; nothing here can be pressed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("status-line")
        set_role(self, "footer")
        self._mark = _Dot(theme, self)
        self._agent = plain_label(tr("No agent yet"), "small", parent=self)
        self._disk = plain_label(tr("Nothing on disk has changed"), "small", parent=self)
        self._drift = plain_label("", "risk", parent=self)
        self._right = plain_label("", "small", parent=self)
        self._row = QHBoxLayout(self)
        for widget in (self._mark, self._agent):
            self._row.addWidget(widget)
        self._row.addSpacing(theme.px(8))
        self._row.addWidget(self._disk)
        self._row.addStretch(1)
        self._row.addWidget(self._drift)
        self._row.addSpacing(theme.px(8))
        self._row.addWidget(self._right)
        self._agent.setObjectName("status-agent")
        self._disk.setObjectName("status-disk")
        self._drift.setObjectName("status-drift")
        self._right.setObjectName("status-encoding")
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_agent(self, state: str, words: str) -> None:
        """`state` is waiting, running, done or failed."""
        self._mark.set_state(state)
        self._agent.setText(words)

    @property
    def agent_words(self) -> str:
        """What is said of the agent."""
        return self._agent.text()

    def show_disk(self, words: str) -> None:
        self._disk.setText(words[:1].upper() + words[1:])

    def show_drift(self, words: str) -> None:
        self._drift.setText(words)
        self._drift.setVisible(bool(words))

    def show_encoding(self, words: str) -> None:
        """How the text in question is written: `UTF-8 · LF`."""
        self._right.setText(words)

    def _restyle(self) -> None:
        px = self._theme.px
        self.setFixedHeight(px(_HEIGHT))
        self._mark.setFixedSize(px(_DOT + 2), px(_HEIGHT))
        self._row.setContentsMargins(px(12), 0, px(12), 0)
        self._row.setSpacing(px(8))


class _Dot(QWidget):
    """The agent's state as a colour; the words beside it say the same."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = "waiting"
        theme.changed.connect(self.update)

    def set_state(self, state: str) -> None:
        self._state = state
        self.setAccessibleName(MARKS[state])
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        side = self._theme.px(_DOT)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color(_INKS[self._state]))
        painter.drawEllipse(QRectF((self.width() - side) / 2, (self.height() - side) / 2, side, side))
        painter.end()
