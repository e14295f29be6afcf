"""Rows below the operations: commands that ran in the shadow, and ignored files that are not part of the plan."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from tandem_desktop.diff.text import visible_name
from tandem_desktop.domain.plan import IgnoredFiles, IgnoredFolder, RanCommand
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.plan.operation_content import CodeBox
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import LinkButton
from tandem_desktop.ui.widgets.labels import plain_label

_LIST_HEIGHT = 260
_UNITS = ("B", "kB", "MB", "GB", "TB")


class RanRow(QFrame):
    """Says how many commands ran in the shadow and how the last one ended; opened, it lists them with their output."""

    add_requested = Signal(str, str)
    """A command and its folder: it is to run for real, as part of the plan."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: tuple[tuple[RanCommand, ...], bool] = ((), False)
        self.setObjectName("ran-row")
        self.words = plain_label("", "muted", wrap=True, parent=self)
        self.words.setObjectName("ran-words")
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.open = LinkButton(theme, tr("Show"), "muted", self)
        self.open.setObjectName("ran-open")
        self.commands = QScrollArea()
        self.commands.setObjectName("ran-list")
        self.commands.setAccessibleName(tr("Commands that ran in the shadow"))
        self.commands.setWidgetResizable(True)
        self.commands.setFrameShape(QFrame.Shape.NoFrame)
        self.commands.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.commands.hide()
        self.open.clicked.connect(lambda: self._set_open(self.commands.isHidden()))
        row = QHBoxLayout()
        Spacing(theme, row, (18, 4, 18, 4), 8)
        row.addWidget(self.words, 1)
        row.addWidget(self.open)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=0)
        layout.addLayout(row)
        layout.addWidget(self.commands)
        self.hide()

    def show_commands(self, commands: tuple[RanCommand, ...], *, may_add: bool) -> None:
        """The commands of the revision on screen; `may_add` while the plan can still be changed."""
        if (commands, may_add) == self._shown:
            return
        same = commands == self._shown[0]
        self._shown = (commands, may_add)
        self.setVisible(bool(commands))
        words = ran_sentence(commands) if commands else ""
        self.words.setText(words)
        self.setAccessibleName(words)
        self._set_open(same and not self.commands.isHidden())

    def _set_open(self, is_open: bool) -> None:
        """Build the list when it is looked at: there may be hundreds of commands."""
        commands, may_add = self._shown
        if is_open:
            inside = QWidget()
            inside.setObjectName("ran-commands")
            inside.setProperty("role", "panel")
            inside.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
            layout = QVBoxLayout(inside)
            Spacing(self._theme, layout, (18, 0, 18, 8), 4)
            for command in commands:
                self._add_command(layout, command, may_add=may_add)
            layout.addStretch()
            self.commands.setWidget(inside)
            self.commands.setFixedHeight(self._theme.px(_LIST_HEIGHT))
        self.commands.setVisible(is_open)
        self.open.setText(tr("Hide") if is_open else tr("Show"))
        self.open.setAccessibleName(self.open.text())
        self.open.updateGeometry()

    def _add_command(self, layout: QVBoxLayout, command: RanCommand, *, may_add: bool) -> None:
        theme = self._theme
        head = QHBoxLayout()
        head.setSpacing(theme.px(8))
        text = CodeBox(theme, tr("Command"))
        text.show_command(command.command)
        has_failed = bool(command.exit_code) or command.has_failed
        outcome = plain_label(outcome_text(command), "risk" if has_failed else "muted")
        head.addWidget(text, 1)
        head.addWidget(outcome)
        if may_add:
            add = LinkButton(theme, tr("Run for real too"), "muted")
            add.setToolTip(tr("Adds it to the end of the plan: it runs in the workspace when you implement the plan."))
            add.clicked.connect(lambda: self.add_requested.emit(command.command, command.cwd))
            head.addWidget(add)
        layout.addLayout(head)
        if command.output.strip():
            output = CodeBox(theme, tr("Output"))
            output.show_text(command.output)
            layout.addWidget(output)


def ran_sentence(commands: tuple[RanCommand, ...]) -> str:
    """How many commands ran, and how the last one ended."""
    return tr_n(
        "{n} command ran in the shadow, {outcome}. It is not run again.",
        "{n} commands ran in the shadow, the last one {outcome}. They are not run again.",
        len(commands),
        outcome=outcome_text(commands[-1]),
    )


def outcome_text(command: RanCommand) -> str:
    if command.exit_code is not None:
        return tr("exit {code}", code=command.exit_code)
    return tr("failed") if command.has_failed else tr("exit code not told")


class IgnoredRow(QFrame):
    """Says how many there are and where; each folder can be ticked into the plan from its menu."""

    include_requested = Signal(str)
    """A glob of what is to be part of the plan."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ignored: IgnoredFiles | None = None
        self.setObjectName("ignored-row")
        self.words = plain_label("", "muted", wrap=True, parent=self)
        self.words.setObjectName("ignored-words")
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.choose = LinkButton(theme, tr("Include…"), "muted", self)
        self.choose.setObjectName("ignored-include")
        self.choose.clicked.connect(self._show_menu)
        row = QHBoxLayout(self)
        Spacing(theme, row, (18, 4, 18, 4), 8)
        row.addWidget(self.words, 1)
        row.addWidget(self.choose)
        self.hide()

    def show_ignored(self, ignored: IgnoredFiles | None, *, may_include: bool) -> None:
        """What the revision on screen leaves out; `may_include` while the plan can still be changed."""
        self._ignored = ignored
        self.setVisible(ignored is not None)
        self.choose.setVisible(may_include)
        if ignored is not None:
            words = sentence(ignored)
            self.words.setText(words)
            self.setAccessibleName(words)

    def menu(self) -> QMenu:
        """One entry to tick for each folder."""
        menu = QMenu(self)
        menu.setObjectName("ignored-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for folder in self._ignored.folders if self._ignored is not None else ():
            action = menu.addAction(_folder_words(folder).replace("&", "&&"))
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, glob=folder.glob: self.include_requested.emit(glob))
        return menu

    def _show_menu(self) -> None:
        self.menu().popup(self.choose.mapToGlobal(self.choose.rect().bottomLeft()))


def sentence(ignored: IgnoredFiles) -> str:
    """How many files are left out, and where the most of them are."""
    largest = max(ignored.folders, key=lambda each: each.count, default=None)
    others = len(ignored.folders) - 1
    if largest is None or largest.path == ".":
        return tr_n(
            "{n} ignored file is not part of the plan.", "{n} ignored files are not part of the plan.", ignored.count
        )
    folder = f"{visible_name(largest.path)}/"
    if others == 0:
        return tr_n(
            "{n} ignored file in {folder} is not part of the plan.",
            "{n} ignored files in {folder} are not part of the plan.",
            ignored.count,
            folder=folder,
        )
    where = tr_n("{folder} and {n} other folder", "{folder} and {n} other folders", others, folder=folder)
    return tr_n(
        "{n} ignored file in {folder} is not part of the plan.",
        "{n} ignored files in {folder} are not part of the plan.",
        ignored.count,
        folder=where,
    )


def _folder_words(folder: IgnoredFolder) -> str:
    name = tr("the workspace itself") if folder.path == "." else f"{visible_name(folder.path)}/"
    return f"{name}  {tr_n('{n} file', '{n} files', folder.count)}, {_size(folder.bytes)}"


def _size(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {_UNITS[unit]}" if unit == 0 or size >= 10 else f"{size:.1f} {_UNITS[unit]}"
