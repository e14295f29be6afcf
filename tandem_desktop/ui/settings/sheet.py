"""The settings sheet and its controls."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from PySide6.QtCore import Qt, QTimer, Signal, SignalInstance
from PySide6.QtGui import QFocusEvent, QFontDatabase
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.acp_client.profiles import BUILT_IN, CUSTOM, load_profiles
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.settings import AT_ONCE, GROUPS, Settings, title_of
from tandem_desktop.settings_io import load_settings, save_setting
from tandem_desktop.ui.editor import from_home
from tandem_desktop.ui.i18n import tr, tr_marked, tr_table
from tandem_desktop.ui.plan.sheets import Sheet
from tandem_desktop.ui.plan_text import error_words
from tandem_desktop.ui.theme.theme import CODE_FAMILY, Theme
from tandem_desktop.ui.widgets.buttons import Button, LinkButton, QuietButton
from tandem_desktop.ui.widgets.decision_guard import WheelGuard
from tandem_desktop.ui.widgets.inputs import SearchField
from tandem_desktop.ui.widgets.labels import announce, plain_label

_LINES = 3
_ROOM = 16


class PairsEdit(QPlainTextEdit):
    """Emits its pairs on focus loss, or `refused` for a line that is no pair."""

    def __init__(
        self,
        setting: str,
        pairs: Mapping[str, str],
        changed: Callable[[dict[str, str]], None],
        refused: Callable[[str], None],
    ) -> None:
        super().__init__("\n".join(f"{name} = {value}" for name, value in pairs.items()))
        self._in_file = f"{setting}."
        self._pairs, self._changed, self._refused = dict(pairs), changed, refused
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlaceholderText(tr("name = value"))

    def fit(self) -> None:
        """Fit the height to the text; needs the final font."""
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + _ROOM)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._tell()

    def _tell(self) -> None:
        pairs: dict[str, str] = {}
        for line in self.toPlainText().splitlines():
            name, sign, value = (part.strip() for part in line.partition("="))
            if line.strip() and not (name and sign and value):
                self._refused(tr("“{line}” is no pair: write name = value. Nothing was changed.", line=line.strip()))
                return
            if name:  # also the spelling in the file
                pairs[name.removeprefix(self._in_file)] = _unquoted(value)
        if pairs != self._pairs:
            self._pairs = pairs
            self._changed(pairs)


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value


UNITS = tr_table({"hours": " h", "minutes": " min", "days": " days", "bytes": " MiB"})


def title(name: str) -> str:
    return tr_marked(title_of(name))


def explanation(name: str) -> str:
    return tr_marked(_explanation(name))


def choice(value: str) -> str:
    return tr_marked(_choice(value))


def choices(name: str) -> tuple[str, ...]:
    """The possible values of a setting; empty if they are not a fixed list."""
    kind: Any = Settings.model_fields[name].annotation
    if get_origin(kind) is Literal:
        return tuple(map(str, get_args(kind)))
    return tuple(each.value for each in kind) if isinstance(kind, type) and issubclass(kind, StrEnum) else ()


def _explanation(name: str) -> str:
    return (Settings.model_fields[name].description or "").replace("`", "")


def _choice(value: str) -> str:
    return value.replace("_", " ").replace("-", " ").capitalize()


_LARGEST = 2**31 - 1
_TEXT_INSET = 8
_MIB = 1024**2


def control_for(
    name: str, value: Any, changed: Callable[[Any], None], refused: Callable[[str], None]
) -> QWidget | None:
    """A control for a setting; None for one that can only be edited in the file.

    Invalid input is reported through `refused`.
    """
    field = Settings.model_fields[name]
    kind = field.annotation
    if offered_names := _named(name):
        return _name_control(offered_names, value, changed)
    if kind is bool:
        return _switch(value, changed)
    if kind is int:
        return _number(name, value, changed)
    if kind is float:
        return _amount(name, value, changed)
    if kind is str:
        return _words(value, changed)
    if offered := choices(name):
        return _choice_control(offered, value, changed)
    if kind == tuple[str, ...]:
        return _words(
            ", ".join(value), lambda text: changed([word.strip() for word in text.split(",") if word.strip()])
        )
    return PairsEdit(name, value, changed, refused) if kind == dict[str, str] else None


def _switch(value: bool, changed: Callable[[Any], None]) -> QWidget:
    box = QCheckBox(tr("On"))
    box.setChecked(value)
    box.toggled.connect(changed)
    return box


def _choice_control(offered: Sequence[str], value: str, changed: Callable[[Any], None]) -> QWidget:
    box = QComboBox()
    for each in offered:
        box.addItem(choice(each), each)
    box.setCurrentIndex(box.findData(str(value)))
    box.activated.connect(lambda _index: changed(box.currentData()))
    WheelGuard(box)
    return box


def _named(name: str) -> tuple[tuple[str, str], ...]:
    """Values of a setting that are names of something here, each with its title; empty for other settings."""
    if name == "agent":
        known = [(each.name, each.title) for each in load_profiles() if each.name != BUILT_IN]
        return (("", tr("Built-in agent")), *known, (CUSTOM, tr("The command of your own")))
    if name == "code_font":
        fixed = (family for family in QFontDatabase.families() if QFontDatabase.isFixedPitch(family))
        return (("", tr("{family}, bundled", family=CODE_FAMILY)), *((family, family) for family in fixed))
    return ()


def _name_control(offered: Sequence[tuple[str, str]], value: str, changed: Callable[[Any], None]) -> QWidget:
    box = QComboBox()
    for each, words in offered:
        box.addItem(words, each)
    if box.findData(value) < 0:  # named in the file, and not here
        box.addItem(value, value)
    box.setCurrentIndex(box.findData(value))
    box.activated.connect(lambda _index: changed(box.currentData()))
    WheelGuard(box)
    return box


def _number(name: str, value: int, changed: Callable[[Any], None]) -> QWidget:
    low, high = _limits(name)
    unit = _MIB if name.endswith("_bytes") else 1
    box = QSpinBox()
    box.setRange(max(1, low // unit) if unit > 1 else low, min(_LARGEST, high // unit))
    box.setSuffix(_suffix(name))
    box.setGroupSeparatorShown(True)
    box.setValue(value // unit)
    box.setKeyboardTracking(False)
    box.lineEdit().setTextMargins(_TEXT_INSET, 0, 0, 0)
    box.valueChanged.connect(lambda number: changed(number * unit))
    WheelGuard(box)
    return box


def _amount(name: str, value: float, changed: Callable[[Any], None]) -> QWidget:
    box = QDoubleSpinBox()
    box.setDecimals(2)
    box.setRange(*_limits(name))
    box.setSpecialValueText(tr("No limit"))
    box.setValue(value)
    box.setKeyboardTracking(False)
    box.lineEdit().setTextMargins(_TEXT_INSET, 0, 0, 0)
    box.valueChanged.connect(changed)
    WheelGuard(box)
    return box


def _words(value: str, changed: Callable[[Any], None]) -> QWidget:
    line = QLineEdit(value)
    last = [value]

    def tell() -> None:
        if line.text().strip() != last[0]:
            last[0] = line.text().strip()
            changed(last[0])

    line.editingFinished.connect(tell)
    return line


def _limits(name: str) -> tuple[int, int]:
    low, high = 0, _LARGEST
    for rule in Settings.model_fields[name].metadata:
        low, high = getattr(rule, "ge", None) or low, getattr(rule, "le", None) or high
    return low, high


def _suffix(name: str) -> str:
    return UNITS.get(name.rpartition("_")[2], "")


_WIDE, _CONTROL, _MARGIN = 860, 230, 24


_ROWS_AT_ONCE = 12
_DONE = object()


class SettingsSheet(Sheet):
    """The settings page. Saves every change at once; settings without a control are edited in the file."""

    changed = Signal(object)
    """The `Settings` as they are now."""
    file_requested = Signal(str)
    """Open the settings file in an editor."""
    reopen_requested = Signal()
    """Reopen the workspace with the new settings."""
    model_requested = Signal()
    """Open the page of the built-in agent's model."""
    agents_requested = Signal()
    """Open the page of the person's own agents."""

    def __init__(self, host: QWidget, theme: Theme, config: Path) -> None:
        super().__init__(host, theme, "settings-sheet", tr("Settings"), wide=_WIDE)
        self._config = config
        self._rows: list[tuple[QWidget, str]] = []
        self._steps: Iterator[None] = iter(())
        self._filled: Settings | None = None
        """What the page shows."""
        self._timer = QTimer(self, interval=0, singleShot=True)
        self._timer.timeout.connect(self._go_on)
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
        model = LinkButton(theme, tr("Model…"))
        model.setObjectName("settings-model")
        model.clicked.connect(lambda: self._leave_for(self.model_requested))
        agents = LinkButton(theme, tr("Your agents…"))
        agents.setObjectName("settings-agents")
        agents.clicked.connect(lambda: self._leave_for(self.agents_requested))
        close = QuietButton(theme, tr("Close"), "Esc")
        close.setObjectName("settings-close")
        close.clicked.connect(self.leave)
        self.body.addWidget(self.search)
        self.body.addWidget(self._scroll, 1)
        self.add_buttons(model, agents, file, self._again, close, note=self._said)

    def show_settings(self) -> None:
        """Open the page with the file's values."""
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
        """Update the open page after the file changed."""
        if settings == self._filled:
            return
        self._fill(settings)
        self._finish()  # all of it at once: what is read keeps its place
        self._search(self.search.text())

    def fit(self) -> None:
        """Use the full height of the window."""
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
        self._filled = settings
        self._scroll.setWidget(page)
        self._steps = self._rows_of(column, settings)
        self._go_on()

    def _rows_of(self, column: QVBoxLayout, settings: Settings) -> Iterator[None]:
        """Make the rows; those that are not in sight at once need not hold up the window."""
        for group, names in GROUPS:
            self._add_group(column, tr_marked(group))
            for name in names:
                self._add_setting(column, name, getattr(settings, name))
                if len(self._rows) % _ROWS_AT_ONCE == 0:
                    yield
        column.addStretch(1)

    def _go_on(self) -> None:
        if next(self._steps, _DONE) is not _DONE:
            self._timer.start()

    def _finish(self) -> None:
        for _ in self._steps:
            pass

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
            settings = self._filled = save_setting(self._config, name, value)
        except TandemError as error:
            self._tell(error)
            return
        self.changed.emit(settings)
        if name in AT_ONCE:
            self._say(tr("Kept."))
        else:
            self._say(tr("Kept. It holds when the workspace is opened the next time."))
            self._again.show()

    def _leave_for(self, page: SignalInstance) -> None:
        self.shut()
        page.emit()

    def _reopen(self) -> None:
        self.shut()
        self.reopen_requested.emit()

    def _search(self, text: str) -> None:
        wanted = text.lower().split()
        if wanted:
            self._finish()
        found = 0
        for row, words in self._rows:
            is_found = all(word in words for word in wanted) if words else not wanted
            row.setVisible(is_found)
            found += is_found and bool(words)
        self.search.set_count(tr("{found} found", found=found) if wanted else "")

    def _left_search(self) -> None:
        """Down moves to the results; Escape in an empty field closes the page."""
        self._scroll.setFocus() if self.search.text() else self.leave()

    def _say(self, words: str) -> None:
        self._said.setProperty("role", "muted")
        self._said.setText(words)

    def _tell(self, error: TandemError) -> None:
        self._refuse(error_words(error))

    def _refuse(self, words: str) -> None:
        self._said.setText(words)
        announce(self, words, urgent=True)
