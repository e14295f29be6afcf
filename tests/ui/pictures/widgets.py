"""The kit in one window, in the current theme: to be looked at."""

from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.storage.paths import resource
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner, Card, EmptyState
from tandem_desktop.ui.widgets.buttons import Button, DangerButton, IconButton, LinkButton, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.chips import Chip, Segmented
from tandem_desktop.ui.widgets.inputs import SearchField
from tandem_desktop.ui.widgets.labels import TONES, Badge, ElidedLabel, IconLabel, KeyHint, plain_label
from tandem_desktop.ui.widgets.progress import MARKS, ProgressLine, StatusMark
from tandem_desktop.ui.widgets.toast import Toast


def pictures(app: QApplication, theme: Theme) -> Iterator[tuple[str, QWidget]]:
    yield "kit", kit(theme)
    yield "kit-empty", empty(theme)


def kit(theme: Theme) -> QWidget:
    page = _page(theme, 760, 860)
    column = QVBoxLayout(page)
    column.setContentsMargins(*(theme.px(20),) * 4)
    column.setSpacing(theme.px(12))
    disabled = PrimaryButton(theme, "Implement")
    disabled.setEnabled(False)
    off = Button(theme, "Rework")
    off.setEnabled(False)
    column.addLayout(
        _row(
            theme,
            PrimaryButton(theme, "Implement", "Ctrl+⏎"),
            Button(theme, "Rework", "1 comment"),
            QuietButton(theme, "Cancel"),
            DangerButton(theme, "Roll back", icon_name="undo"),
            disabled,
            off,
        )
    )
    focused = PrimaryButton(theme, "Implement", "Ctrl+⏎")
    compact = QuietButton(theme, "Drop change")
    compact.set_compact()
    kept = Button(theme, "Keep", icon_name="check")
    kept.set_compact()
    column.addLayout(
        _row(
            theme,
            Button(theme, "New plan", "Ctrl+N", "plus"),
            focused,
            compact,
            kept,
            IconButton(theme, "moon", "Dark", framed=True, size=32),
            IconButton(theme, "send", "Send", filled=True),
            IconButton(theme, "more", "More"),
            LinkButton(theme, "Open a folder"),
        )
    )
    column.addLayout(
        _row(
            theme,
            Segmented(theme, (("immediate", "Immediate"), ("plan", "Plan mode")), "Mode"),
            SearchField(theme, "Search plans", key="Ctrl+F"),
            _found(theme),
            KeyHint(theme, "Ctrl+Shift+P"),
            KeyHint(theme, "n"),
        )
    )
    column.addLayout(_row(theme, *(Badge(theme, tone.capitalize(), tone) for tone in TONES), _progress(theme)))
    column.addLayout(
        _row(
            theme,
            Chip(theme, "app/routes/auth.py", "file", removable=True, code=True),
            Chip(theme, "picture.png", "image", removable=True),
            Chip(theme, "/plan"),
            *(StatusMark(theme, state) for state in MARKS),
        )
    )
    for tone, words, actions in (
        ("risk", "The file changed on disk after it was staged (2 lines).", (("merge", "See merge"),)),
        ("error", "OpenCode stopped: it ended with code 1.", (("restart", "Restart"), ("log", "Show log"))),
        ("info", "A newer revision is here.", (("show", "Show revision 4"),)),
        ("ok", "5 files +142 −38 applied.", (("undo", "Undo"),)),
    ):
        column.addWidget(Banner(theme, tone, words, actions, dismissable=tone == "info"))
    column.addWidget(_card(theme))
    column.addWidget(_fields(theme))
    column.addLayout(_icons(theme))
    column.addStretch()
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    Toast(theme, page).say("Revision 3 was applied: 5 files.", tone="ok", action="Undo", stays=0)
    return page


def empty(theme: Theme) -> QWidget:
    page = _page(theme, 520, 360)
    column = QVBoxLayout(page)
    column.setContentsMargins(0, 0, 0, 0)
    column.addWidget(
        EmptyState(
            theme,
            "plan",
            "No plan yet",
            "Ask for a change at the left. What the agent wants to do is held here until you approve it.",
            "New plan",
            hint="Ctrl+N",
        )
    )
    return page


def _page(theme: Theme, width: int, height: int) -> QWidget:
    page = QWidget()
    page.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    page.setProperty("role", "panel")
    page.resize(theme.px(width), theme.px(height))
    return page


def _row(theme: Theme, *widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(theme.px(8))
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch()
    return row


def _found(theme: Theme) -> SearchField:
    field = SearchField(theme, "Search in all changes")
    field.setText("limit")
    field.set_count("3 of 12")
    return field


def _progress(theme: Theme) -> ProgressLine:
    line = ProgressLine(theme)
    line.set_progress(4, 7, "4 of 7 viewed")
    return line


def _card(theme: Theme) -> Card:
    card = Card(theme)
    card.body.addWidget(plain_label("Rate-limit the login route", "title"))
    card.body.addWidget(plain_label("7 operations   2 commands", "muted"))
    card.body.addWidget(ElidedLabel(theme, f"app/routes/{'a/deep/folder/' * 8}auth.py"))
    card.body.addWidget(ElidedLabel(theme, "Apply the limiter to the login route, and say why. " * 4, token="muted"))
    card.body.addWidget(plain_label("sha256 9f2c41…b07e  -> != ===", "code-muted"))
    return card


def _fields(theme: Theme) -> QWidget:
    box = QCheckBox("Viewed")
    box.setChecked(True)
    part = QCheckBox("Some")
    part.setTristate(True)
    part.setCheckState(Qt.CheckState.PartiallyChecked)
    radio = QRadioButton("Once")
    radio.setChecked(True)
    combo = QComboBox()
    combo.addItems(["OpenCode", "Goose"])
    field = QLineEdit()
    field.setPlaceholderText("Ask for a change")
    tabs = QTabBar()
    for words in ("Operations", "Tasks 3", "Graph"):
        tabs.addTab(words)
    holder = QWidget()
    row = _row(theme, box, part, QCheckBox("Not yet"), radio, combo, field, tabs)
    row.setContentsMargins(0, 0, 0, 0)
    holder.setLayout(row)
    return holder


def _icons(theme: Theme) -> QGridLayout:
    grid = QGridLayout()
    grid.setSpacing(theme.px(8))
    names = sorted(path.stem for path in resource("icons").glob("*.svg"))
    for number, name in enumerate(names):
        grid.addWidget(IconLabel(theme, name, "text", 20), number // 25, number % 25)
    return grid
