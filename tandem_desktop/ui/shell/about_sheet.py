"""About Tandem: versions, places, what it is made of and under which licences, ready to be copied into a bug report."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QGridLayout, QLabel, QPlainTextEdit, QWidget

from tandem_desktop.staging.text import visible
from tandem_desktop.storage.resources import resource
from tandem_desktop.ui.about_facts import AboutFacts
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import Button, QuietButton
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import later, tr, tr_marked

_PROMISE = later("See exactly what an agent will do, approve exactly that, get exactly that, take it back.")
_MARK = "icons/application/tandem-desktop.svg"
_TALL, _LEAST = 190, 80


class AboutSheet(Sheet):
    """Made for the facts it is given."""

    said = Signal(str, str)
    diagnostics_requested = Signal()
    news_requested = Signal()

    def __init__(self, host: QWidget, theme: Theme, facts: AboutFacts) -> None:
        super().__init__(host, theme, "about-sheet", tr("About Tandem Desktop"), wide=640)
        self._facts = facts
        mark = QLabel()
        mark.setPixmap(QIcon(str(resource(_MARK))).pixmap(theme.px(48)))
        self.body.insertWidget(0, mark)
        self.body.addWidget(plain_label(tr_marked(_PROMISE), "muted", wrap=True))
        grid = QGridLayout()
        grid.setHorizontalSpacing(theme.px(16))
        grid.setVerticalSpacing(theme.px(6))
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate((*facts.versions, *facts.places)):
            grid.addWidget(plain_label(tr_marked(name), "muted"), row, 0)
            grid.addWidget(ElidedLabel(theme, visible(str(value)), code=True), row, 1)
        self.body.addLayout(grid)
        self.body.addWidget(plain_label(tr("What it is made of, and under which licence"), "muted"))
        self.parts = QPlainTextEdit()
        self.parts.setObjectName("about-parts")
        self.parts.setAccessibleName(tr("What it is made of, and under which licence"))
        self.parts.setProperty("role", "code-block")
        self.parts.setReadOnly(True)
        self.parts.setTabChangesFocus(True)
        lines = (f"{f'{part.name} {part.version}'.strip()}  {part.licence}" for part in facts.parts)
        self.parts.setPlainText("\n".join(lines))
        self.body.addWidget(self.parts, 1)
        copy = Button(theme, tr("Copy for a bug report"), icon_name="copy")
        copy.setObjectName("about-copy")
        copy.clicked.connect(self._copy)
        save = Button(theme, tr("Save diagnostics"))
        save.setObjectName("about-diagnostics")
        save.clicked.connect(self.diagnostics_requested)
        news = Button(theme, tr("What is new"))
        news.setObjectName("about-news")
        news.clicked.connect(self.news_requested)
        self.close_button = QuietButton(theme, tr("Close"), "Esc")
        self.close_button.setObjectName("about-close")
        self.close_button.clicked.connect(self.leave)
        self.add_buttons(news, save, copy, self.close_button)

    def show_about(self) -> None:
        self.open(self.close_button)

    def fit(self) -> None:
        """The text gives way where the window is low, also while it is open."""
        room = self.height() - self._theme.px(500)
        self.parts.setFixedHeight(max(self._theme.px(_LEAST), min(self._theme.px(_TALL), room)))
        super().fit()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._facts.report())
        self.said.emit(tr("Copied. Nothing in it is secret; it names your folders."), "ok")
