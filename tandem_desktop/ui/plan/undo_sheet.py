"""What an undo would do, file by file, before it does anything."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from tandem_desktop.domain.operations import Absent, PathChange
from tandem_desktop.execution.undoing import Undoing
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.plan.taking_back import TakingBack
from tandem_desktop.ui.theme.icons import icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label, plain_tooltip
from tandem_desktop.ui.words import tr


class UndoSheet(Sheet):
    """Lists every file; with a conflict nothing can be undone, and each one is named."""

    confirmed = Signal(object, object)
    """A `TakingBack` and the `Undoing` that was on screen."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "undo-sheet", tr("Undo"))
        self._asked: tuple[TakingBack, Undoing] | None = None
        self.said = plain_label("", "muted", wrap=True)
        self.files = QListWidget()
        self.files.setObjectName("undo-files")
        self.files.setAccessibleName(tr("Files that would change"))
        self.files.setUniformItemSizes(True)
        self.files.setFont(theme.code_font())
        self.files.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self.body.addWidget(self.said)
        self.body.addWidget(self.files, 1)
        self.back = QuietButton(theme, tr("Leave it as it is"))
        self.back.setObjectName("undo-back")
        self.back.clicked.connect(self.leave)
        self.undo = PrimaryButton(theme, tr("Undo"))
        self.undo.setObjectName("undo-confirm")
        self.undo.clicked.connect(self._confirm)
        self.add_buttons(self.back, self.undo)

    def ask(
        self, taking: TakingBack, undoing: Undoing, runs: tuple[str, ...] = (), *, has_changed: bool = False
    ) -> None:
        """Show what would be done: exactly this. `runs` are those that go, newest first."""
        self._asked = (taking, undoing)
        self.title.setText(taking.title)
        self.said.setToolTip(plain_tooltip(taking.run_id))
        self.undo.setText(tr("Go back") if taking.to_before else tr("Undo"))
        self.files.clear()
        for words in runs if not undoing.conflicts else ():
            self._add("undo", "muted", _column(tr("undo"), visible(words)))
        for path, why in undoing.conflicts:
            self._add("warning", "risk", _column(tr("conflict"), f"{visible(path)}  {visible(why)}"))
        # With a conflict nothing is done, so nothing else is listed.
        for change in undoing.changes if not undoing.conflicts else ():
            self._add(*_sign(change), _column(_verb(change), f"{visible(change.path)}{_merged(change, undoing)}"))
        for path in undoing.kept if not undoing.conflicts else ():
            why = tr("it holds something else by now")
            self._add("folder", "muted", _column(tr("stays"), f"{visible(path)}  {why}"))
        afresh = tr("The files changed while you were looking; this is what it would do now.") if has_changed else ""
        self.said.setText(f"{afresh} {taking.sentence(undoing, runs)}".lstrip())
        self.said.setProperty("role", "risk" if undoing.conflicts else "muted")
        self.said.style().polish(self.said)
        rows = min(12, max(2, self.files.count()))
        self.files.setFixedHeight(rows * max(self._theme.px(20), self.files.sizeHintForRow(0)) + self._theme.px(8))
        self.open(self.back)
        self.decides(self.undo, not undoing.conflicts and bool(undoing.changes))

    def _add(self, sign: str, token: str, words: str) -> None:
        item = QListWidgetItem(icon(self._theme, sign, token), words)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.files.addItem(item)

    def _confirm(self) -> None:
        self.shut()
        if self._asked is not None:
            self.confirmed.emit(*self._asked)


def _column(verb: str, words: str) -> str:
    """Verbs stand below each other, and so do paths."""
    return f"{verb:<8}  {words}"


def _verb(change: PathChange) -> str:
    if isinstance(change.after, Absent):
        return tr("remove")
    return tr("restore") if isinstance(change.before, Absent) else tr("put back")


def _sign(change: PathChange) -> tuple[str, str]:
    if isinstance(change.after, Absent):
        return "file-delete", "removed_ink"
    return ("file-create", "added_ink") if isinstance(change.before, Absent) else ("file-edit", "muted")


def _merged(change: PathChange, undoing: Undoing) -> str:
    return f"  {tr('keeps your later edits')}" if change.path in undoing.merged else ""
