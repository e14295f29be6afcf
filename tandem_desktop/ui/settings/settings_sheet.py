"""The settings of Tandem on one page, in step with their file."""

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.settings.groups import AT_ONCE, GROUPS
from tandem_desktop.settings.load import load_settings
from tandem_desktop.settings.save import save_setting
from tandem_desktop.settings.settings import Settings
from tandem_desktop.ui.home_path import from_home
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.settings.pairs_edit import PairsEdit
from tandem_desktop.ui.settings.setting_control import control_for
from tandem_desktop.ui.settings.setting_words import explanation, title
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.button import Button, QuietButton
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.widgets.search_field import SearchField
from tandem_desktop.ui.words import tr, tr_marked

_WIDE, _CONTROL, _MARGIN = 860, 230, 24


class SettingsSheet(Sheet):
    """Every change is in the file at once. What the file alone can say is opened in the editor."""

    changed = Signal(object)
    """The `Settings` as they are now."""
    file_requested = Signal(str)
    """The settings file is to be opened in an editor."""
    reopen_requested = Signal()
    """The workspace is to be opened anew, with what was chosen."""

    def __init__(self, host: QWidget, theme: Theme, config: Path) -> None:
        super().__init__(host, theme, "settings-sheet", tr("Settings"), wide=_WIDE)
        self._config = config
        self._rows: list[tuple[QWidget, str]] = []
        self.search = SearchField(theme, tr("Search settings"))
        self.search.setObjectName("settings-search")
        self.search.textChanged.connect(self._search)
        self.search.left.connect(self._left_search)
        self._scroll = QScrollArea()
        self._scroll.setObjectName("settings-page")
        self._scroll.setAccessibleName(tr("Settings"))
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setProperty("role", "clear")
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._said = plain_label("", "muted", wrap=True)
        self._said.setObjectName("settings-said")
        self._again = Button(theme, tr("Open the workspace anew"))
        self._again.setObjectName("settings-reopen")
        self._again.clicked.connect(self._reopen)
        file = LinkButton(theme, tr("Open the file…"))
        file.setObjectName("settings-file")
        file.clicked.connect(lambda: self.file_requested.emit(str(config)))
        close = QuietButton(theme, tr("Close"), "Esc")
        close.setObjectName("settings-close")
        close.clicked.connect(self.leave)
        self.body.addWidget(self.search)
        self.body.addWidget(self._scroll, 1)
        self.add_buttons(file, self._again, close, note=self._said)

    def show_settings(self) -> None:
        """As the file says now."""
        self.search.clear()
        self._again.hide()
        self._say(tr("Kept in {config}", config=from_home(self._config)))
        try:
            self._fill(load_settings(self._config).settings)
        except TandemError as error:
            self._fill(Settings())
            self._tell(error)
        self.open(self.search)

    def follow(self, settings: Settings) -> None:
        """The file was written elsewhere while the page is open."""
        self._fill(settings)
        self._search(self.search.text())

    def fit(self) -> None:
        """As high as the window allows: there is much to choose."""
        margin = self._theme.px(_MARGIN)
        width = min(self._theme.px(self._wide), self.width() - 2 * margin)
        self.card.setGeometry((self.width() - width) // 2, margin, width, self.height() - 2 * margin)

    def _fill(self, settings: Settings) -> None:
        page = QWidget()
        page.setProperty("role", "clear")
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, self._theme.px(12), 0)
        column.setSpacing(self._theme.px(8))
        self._rows = []
        for group, names in GROUPS:
            self._add_group(column, tr_marked(group))
            for name in names:
                self._add_setting(column, name, getattr(settings, name))
        column.addStretch(1)
        self._scroll.setWidget(page)

    def _add_group(self, column: QVBoxLayout, words: str) -> None:
        heading = plain_label(words, "section")
        heading.setContentsMargins(0, self._theme.px(12), 0, 0)
        column.addWidget(heading)
        self._rows.append((heading, ""))

    def _add_setting(self, column: QVBoxLayout, name: str, value: Any) -> None:
        control = control_for(name, value, partial(self._choose, name), self._refuse)
        if control is None:
            control = LinkButton(self._theme, tr("Edit in the file…"))
            control.clicked.connect(lambda: self.file_requested.emit(str(self._config)))
        self._add_row(column, title(name), explanation(name), control, name)

    def _add_row(self, column: QVBoxLayout, title: str, words: str, control: QWidget, name: str) -> None:
        row = QWidget()
        grid = QGridLayout(row)
        grid.setContentsMargins(0, self._theme.px(4), 0, self._theme.px(4))
        grid.setHorizontalSpacing(self._theme.px(24))
        grid.setVerticalSpacing(self._theme.px(2))
        grid.addWidget(plain_label(title), 0, 0)
        grid.addWidget(plain_label(words, "muted", wrap=True), 1, 0, Qt.AlignmentFlag.AlignTop)
        grid.setRowStretch(1, 1)
        control.setObjectName(f"setting-{name}")
        control.setAccessibleName(title)
        control.setAccessibleDescription(words)
        beside = QHBoxLayout()
        beside.addWidget(control)
        control.setFixedWidth(self._theme.px(_CONTROL))
        grid.addLayout(beside, 0, 1, 2, 1, Qt.AlignmentFlag.AlignTop)
        grid.setColumnStretch(0, 1)
        column.addWidget(row)
        if isinstance(control, PairsEdit):
            control.fit()
        self._rows.append((row, f"{title} {words} {name} {name.replace('_', ' ')}".lower()))

    def _choose(self, name: str, value: Any) -> None:
        try:
            settings = save_setting(self._config, name, value)
        except TandemError as error:
            self._tell(error)
            return
        self.changed.emit(settings)
        if name in AT_ONCE:
            self._say(tr("Kept."))
        else:
            self._say(tr("Kept. It holds when the workspace is opened the next time."))
            self._again.show()

    def _reopen(self) -> None:
        self.shut()
        self.reopen_requested.emit()

    def _search(self, text: str) -> None:
        wanted = text.lower().split()
        found = 0
        for row, words in self._rows:
            is_found = all(word in words for word in wanted) if words else not wanted
            row.setVisible(is_found)
            found += is_found and bool(words)
        self.search.set_count(tr("{found} found", found=found) if wanted else "")

    def _left_search(self) -> None:
        """Down goes on to what was found; Escape in an empty field closes the page."""
        self._scroll.setFocus() if self.search.text() else self.leave()

    def _say(self, words: str) -> None:
        self._said.setProperty("role", "muted")
        self._said.setText(words)

    def _tell(self, error: TandemError) -> None:
        self._refuse(f"{error.message} {error.next}")

    def _refuse(self, words: str) -> None:
        self._said.setText(words)
        announce(self, words, urgent=True)
