"""What is new, in the words of the changelog."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from tandem_desktop.ui.chat.message_view import MessageView
from tandem_desktop.ui.chat.prose_view import ProseView
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr

_WIDE, _TALL, _LEAST = 760, 520, 120


class NewsSheet(Sheet):
    """Made for the words it is given."""

    def __init__(self, host: QWidget, theme: Theme, version: str, text: str) -> None:
        title = tr("What is new in {version}", version=version)
        super().__init__(host, theme, "news-sheet", title, wide=_WIDE)
        self.text = MessageView(theme)
        self.text.set_text(text or tr("This version comes without notes."))
        for prose in self.text.findChildren(ProseView):
            prose.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # nothing to stop at: its files are elsewhere
        page = QWidget()
        page.setProperty("role", "panel")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, theme.px(12), 0)
        column.addWidget(self.text)
        column.addStretch(1)
        self.area = QScrollArea()
        self.area.setObjectName("news-text")
        self.area.setAccessibleName(title)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.area.setWidget(page)
        self.body.addWidget(self.area, 1)
        close = QuietButton(theme, tr("Close"), "Esc")
        close.setObjectName("news-close")
        close.clicked.connect(self.leave)
        self.add_buttons(close, note=plain_label(tr("Here again at any time: About Tandem"), "small"))

    def show_news(self) -> None:
        self.open(self.area)

    def fit(self) -> None:
        """The text gives way where the window is low, also while it is open."""
        room = self.height() - self._theme.px(220)
        self.area.setFixedHeight(max(self._theme.px(_LEAST), min(self._theme.px(_TALL), room)))
        super().fit()
