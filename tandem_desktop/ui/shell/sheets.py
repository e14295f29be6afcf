"""The about, keys, log, name and news sheets."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QFontMetrics, QGuiApplication, QIcon, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QScrollArea,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.diff.text import visible
from tandem_desktop.storage.logs import LogFile, LogLine
from tandem_desktop.storage.paths import resource
from tandem_desktop.ui.about import AboutFacts
from tandem_desktop.ui.chat.message_view import MessageView
from tandem_desktop.ui.chat.prose_view import ProseView
from tandem_desktop.ui.editor import from_home
from tandem_desktop.ui.i18n import later, tr, tr_marked
from tandem_desktop.ui.keys import native, with_keys
from tandem_desktop.ui.models.keys import KeyRow, KeysModel
from tandem_desktop.ui.plan.sheets import Sheet
from tandem_desktop.ui.theme.style import paint_ground
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.inputs import SearchField
from tandem_desktop.ui.widgets.labels import ElidedLabel, plain_label

_PROMISE = later("See exactly what an agent will do, approve exactly that, get exactly that, take it back.")
_MARK = "icons/application/tandem-desktop.svg"
_TALL, _LEAST = 190, 80


class AboutSheet(Sheet):
    """Version, components and folders."""

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
        """Shrink the text to fit the window."""
        room = self.height() - self._theme.px(500)
        self.parts.setFixedHeight(max(self._theme.px(_LEAST), min(self._theme.px(_TALL), room)))
        super().fit()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._facts.report())
        self.said.emit(tr("Copied. Nothing in it is secret; it names your folders."), "ok")


_WIDE, _KEYS_HEIGHT, _ROW, _HEADING, _CAP = 640, 460, 30, 38, 20


class KeysSheet(Sheet):
    """The shortcuts, from the same table that binds them."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "keys-sheet", tr("Keys"), wide=_WIDE)
        self._model = KeysModel()
        self.search = SearchField(theme, tr("Search keys"))
        self.search.setObjectName("keys-search")
        self.list = QListView()
        self.list.setObjectName("keys-list")
        self.list.setAccessibleName(tr("Keys"))
        self.list.setProperty("role", "rail-list")
        self.list.setModel(self._model)
        self.list.setItemDelegate(_KeyDelegate(theme, self.list))
        self.list.setSelectionMode(QListView.SelectionMode.NoSelection)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self._letters = plain_label("", "small", wrap=True)
        self.body.addWidget(self.search)
        self.body.addWidget(self.list, 1)
        self.body.addWidget(self._letters)
        close = QuietButton(theme, tr("Close"), "Esc")
        close.setObjectName("keys-close")
        close.clicked.connect(self.leave)
        self.add_buttons(close)
        self.search.textChanged.connect(self._search)
        self.search.left.connect(self._left_search)

    def show_keys(self, *, letters: bool, changes: Mapping[str, str]) -> None:
        """`letters`: whether single-letter shortcuts are enabled; `changes`: the user's own keys."""
        self._model.set_lines(with_keys(changes))
        self.search.clear()
        self._letters.setText(
            tr("Single letters work only while the operations or a diff have the keyboard; the settings change that.")
            if letters
            else tr("Single letters are turned off; the settings change that.")
        )
        self.open(self.search)

    def fit(self) -> None:
        """Shrink the list to fit the window."""
        room = self.height() - self._theme.px(280)
        self.list.setFixedHeight(max(self._theme.px(120), min(self._theme.px(_KEYS_HEIGHT), room)))
        super().fit()

    def _search(self, text: str) -> None:
        self._model.search(text)
        self.search.set_count(tr("{found} found", found=self._model.found) if text else "")

    def _left_search(self) -> None:
        """Down moves to the list; Escape in an empty field closes the page."""
        self.leave() if not self.search.text() else self.list.setFocus()


class _KeyDelegate(QStyledItemDelegate):
    """Description at the left, keys at the right."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row: KeyRow = index.data(KeysModel.RowRole)
        return QSize(0, self._theme.px(_HEADING if row.line is None else _ROW))

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row: KeyRow = index.data(KeysModel.RowRole)
        theme, px = self._theme, self._theme.px
        area: QRect = option.rect
        painter.save()
        left = Qt.AlignmentFlag.AlignLeft
        if row.line is None:
            painter.setFont(theme.ui_font(-2, bold=True))
            painter.setPen(theme.color("muted"))
            painter.drawText(area.adjusted(0, 0, 0, -px(4)), left | Qt.AlignmentFlag.AlignBottom, tr_marked(row.group))
        else:
            painter.setFont(theme.ui_font())
            painter.setPen(theme.color("text"))
            painter.drawText(area, left | Qt.AlignmentFlag.AlignVCenter, tr_marked(row.line.title))
            self._caps(painter, area.adjusted(0, 0, -px(8), 0), row.line.keys)
        painter.restore()

    def _caps(self, painter: QPainter, area: QRect, keys: tuple[str, ...]) -> None:
        theme, px = self._theme, self._theme.px
        font = theme.ui_font(-2)
        right = area.right()
        for key in reversed(keys):
            words = native(key)
            width = max(px(_CAP), QFontMetrics(font).horizontalAdvance(words) + px(12))
            cap = QRectF(right - width, area.center().y() - px(_CAP) / 2 + 1, width, px(_CAP))
            if key != "…":
                paint_ground(painter, theme, cap, theme.color("raised"), theme.color("line"), radius=5)
            painter.setFont(font)
            painter.setPen(theme.color("text" if key != "…" else "muted"))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, words)
            right -= width + px(4)


_LOG_WIDTH, _LOG_HEIGHT, _LOG_LEAST = 900, 460, 120
_LOOK_MS = 500
_SOURCES = (("all", later("Everything")), ("tandem", "Tandem"), ("agent", later("Agents")))


class LogSheet(Sheet):
    """The log; invisible characters are drawn as tokens."""

    said = Signal(str, str)

    def __init__(
        self,
        host: QWidget,
        theme: Theme,
        log_file: LogFile,
        open_address: Callable[[QUrl], object] = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(host, theme, "log-sheet", tr("Log"), wide=_LOG_WIDTH)
        self._log_file = log_file
        self._open_address = open_address
        self._shown = (-1, "", "")
        self.sources = Segmented(theme, tuple((key, tr_marked(words)) for key, words in _SOURCES), tr("Whose lines"))
        self.search = SearchField(theme, tr("Search the log"))
        self.search.setObjectName("log-search")
        self.text = QPlainTextEdit()
        self.text.setObjectName("log-text")
        self.text.setAccessibleName(tr("Log"))
        self.text.setProperty("role", "code-block")
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.place = ElidedLabel(theme, visible(from_home(log_file.folder)), token="muted", code=True)
        head = QHBoxLayout()
        head.setSpacing(theme.px(12))
        head.addWidget(self.sources)
        head.addWidget(self.search, 1)
        self.body.addLayout(head)
        self.body.addWidget(self.text, 1)
        folder = Button(theme, tr("Open folder"), icon_name="folder")
        copy = Button(theme, tr("Copy"), icon_name="copy")
        close = QuietButton(theme, tr("Close"), "Esc")
        ways = (("folder", folder, self._open), ("copy", copy, self._copy), ("close", close, self.leave))
        for name, button, slot in ways:
            button.setObjectName(f"log-{name}")
            button.clicked.connect(lambda _checked=False, slot=slot: slot())
        self.add_buttons(folder, copy, close, note=self.place)
        self._looking = QTimer(self, interval=_LOOK_MS)
        self._looking.timeout.connect(self._look)
        self.sources.chosen.connect(lambda _: self._look())
        self.search.textChanged.connect(lambda _: self._look())
        self.search.left.connect(lambda: self.text.setFocus() if self.search.text() else self.leave())
        theme.changed.connect(self._restyle)
        self._restyle()

    def show_log(self) -> None:
        """Show the log from its end and follow it."""
        self.search.clear()
        self._look()
        self._looking.start()
        self.open(self.search)

    def shut(self) -> None:
        self._looking.stop()
        super().shut()

    def fit(self) -> None:
        """Shrink the text to fit the window."""
        room = self.height() - self._theme.px(240)
        self.text.setFixedHeight(max(self._theme.px(_LOG_LEAST), min(self._theme.px(_LOG_HEIGHT), room)))
        super().fit()

    def _look(self) -> None:
        wanted = (self._log_file.count, self.sources.current, self.search.text())
        if wanted == self._shown:
            return
        self._shown = wanted
        every = [line for line in self._log_file.lines if self._is_chosen(line)]
        found = [line for line in every if wanted[2].casefold() in str(line).casefold()]
        bar = self.text.verticalScrollBar()
        is_at_end, place = bar.value() >= bar.maximum(), bar.value()
        self.text.setPlainText("\n".join(map(_shown, found)) or self._nothing(bool(every)))
        bar.setValue(bar.maximum() if is_at_end else place)
        self.search.set_count(f"{len(found):,} of {len(every):,}" if wanted[2] else "")

    def _is_chosen(self, line: LogLine) -> bool:
        return {"all": True, "tandem": not line.is_agents, "agent": line.is_agents}[self.sources.current]

    def _nothing(self, is_searched: bool) -> str:
        if is_searched:
            return tr("No line holds these words.")
        is_about_agents = self.sources.current == "agent"
        return tr("No agent has written to its error output.") if is_about_agents else tr("Nothing was logged yet.")

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.said.emit(tr("Copied the log as it is shown."), "ok")

    def _open(self) -> None:
        if not self._open_address(QUrl.fromLocalFile(str(self._log_file.folder))):
            self.said.emit(tr("The log is kept in {folder}", folder=self._log_file.folder), "info")

    def _restyle(self) -> None:
        self.text.setFont(self._theme.code_font())
        self.text.document().setDocumentMargin(self._theme.px(8))


def _shown(line: LogLine) -> str:
    return "\n".join(map(visible, str(line).split("\n")))


_WORDS = later(
    "Only the list calls it so, on this machine. The plan keeps its own title; an empty name brings that back."
)
_LONGEST = 120


class NameSheet(Sheet):
    """Asks for a name; Enter accepts."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "name-sheet", tr("Rename"), wide=460)
        self._named: Callable[[str], None] = lambda name: None
        self.body.addWidget(plain_label(tr_marked(_WORDS), "muted", wrap=True))
        self.field = QLineEdit()
        self.field.setObjectName("name-field")
        self.field.setAccessibleName(tr("Name in the list of plans"))
        self.field.setMaxLength(_LONGEST)
        self.field.returnPressed.connect(self._take)
        self.body.addWidget(self.field)
        back = QuietButton(theme, tr("Back"), "Esc")
        back.setObjectName("name-back")
        back.clicked.connect(self.leave)
        take = PrimaryButton(theme, tr("Rename"))
        take.setObjectName("name-take")
        take.clicked.connect(self._take)
        self.guard.decides(take)
        self.add_buttons(back, take)

    def ask(self, name: str, named: Callable[[str], None]) -> None:
        self._named = named
        self.field.setText(name)
        self.field.selectAll()
        self.open(self.field)

    def _take(self) -> None:
        if not self.guard.is_ready:
            return
        self.shut()
        self._named(" ".join(self.field.text().split()))


_NEWS_WIDTH, _NEWS_HEIGHT, _NEWS_LEAST = 760, 520, 120


class NewsSheet(Sheet):
    """The release notes."""

    def __init__(self, host: QWidget, theme: Theme, version: str, text: str) -> None:
        title = tr("What is new in {version}", version=version)
        super().__init__(host, theme, "news-sheet", title, wide=_NEWS_WIDTH)
        self.text = MessageView(theme)
        self.text.set_text(text or tr("This version comes without notes."))
        for prose in self.text.findChildren(ProseView):
            prose.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # not in the tab order: it has no usable links
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
        """Shrink the text to fit the window."""
        room = self.height() - self._theme.px(220)
        self.area.setFixedHeight(max(self._theme.px(_NEWS_LEAST), min(self._theme.px(_NEWS_HEIGHT), room)))
        super().fit()
