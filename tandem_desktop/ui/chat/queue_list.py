"""Messages that wait until the agent has finished: seen, changed, taken out, or sent at once."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.widgets.icon_button import IconButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr


class QueueList(QWidget):
    """Shows the queue; owns nothing of it."""

    edit_requested = Signal(int)
    remove_requested = Signal(int)
    send_now_requested = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("chat-queue")
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(theme.px(2))
        self.hide()

    def show_messages(self, messages: Sequence[str]) -> None:
        while (item := self._layout.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        if messages:
            self._layout.addWidget(plain_label(tr("Queued ({count})", count=len(messages)), "section"))
        for at, message in enumerate(messages):
            self._layout.addWidget(self._line(at, message))
        self.setVisible(bool(messages))

    def _line(self, at: int, message: str) -> QWidget:
        theme, line = self._theme, QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(theme.px(2), 0, 0, 0)
        row.setSpacing(theme.px(2))
        row.addWidget(ElidedLabel(theme, " ".join(message.split()), mode=Qt.TextElideMode.ElideRight), 1)
        n = at + 1
        for icon, name, tip, spoken, signal in (
            ("send", "send-now", tr("Send now"), tr("Send now queued message {n}", n=n), self.send_now_requested),
            ("file-edit", "edit", tr("Edit"), tr("Edit queued message {n}", n=n), self.edit_requested),
            ("cross", "remove", tr("Remove"), tr("Remove queued message {n}", n=n), self.remove_requested),
        ):
            button = IconButton(theme, icon, spoken, size=26)
            button.setObjectName(f"queue-{name}-{at}")
            button.setToolTip(tip)
            button.clicked.connect(lambda checked=False, told=signal: told.emit(at))
            row.addWidget(button)
        return line
