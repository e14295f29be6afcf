"""The undo and restore sheets."""

from dataclasses import dataclass, replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from tandem_desktop.diff.text import visible, visible_name
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.operations import Absent, PathChange
from tandem_desktop.execution.undo import WHOLE, UndoPart, UndoPlan
from tandem_desktop.services.chat_log import PointPreview, Restoring
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n
from tandem_desktop.ui.plan.sheets import Sheet
from tandem_desktop.ui.theme.style import icon
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.chips import Segmented
from tandem_desktop.ui.widgets.decision_guard import BoundedScroll, ListEndWatch
from tandem_desktop.ui.widgets.labels import plain_label, plain_tooltip


@dataclass(frozen=True, slots=True)
class UndoRequest:
    """An undo to preview and then to request."""

    run_id: RunId
    part: UndoPart = WHOLE
    to_before: bool = False
    """Undo every run since too."""

    @property
    def title(self) -> str:
        if self.to_before:
            return tr("Back to before this run")
        if self.part.path is not None:
            return tr("Undo {path} of this run", path=visible_name(self.part.path))
        if self.part.operation is None and self.part.keep_git:
            return tr("Undo the working files of this run")
        if self.part.is_whole:
            return tr("Undo this run")
        return tr("Undo {operation} of this run", operation=self.part.operation)

    def sentence(self, undoing: UndoPlan, runs: tuple[str, ...]) -> str:
        """What would happen, or why nothing can be undone."""
        if undoing.has_only_git_conflicts:
            told = tr("The repository has moved on, so nothing is undone.")
            instead = tr("You can take back only the working files; the repository stays as it is.")
            return f"{told} {instead}"
        if undoing.conflicts:
            told = tr_n(
                "Later edits overlap in {n} file, so nothing is undone. Put them aside first, then try again.",
                "Later edits overlap in {n} files, so nothing is undone. Put them aside first, then try again.",
                len(undoing.conflicts),
            )
            instead = tr("Or undo the other files one by one, from the list of what the run changed.")
            return f"{told} {instead}" if self.part.is_whole and not self.to_before else told
        if not undoing.changes:
            return tr("Nothing is left to undo: every file is as it was before.")
        paths = tr_n("{n} path", "{n} paths", len(undoing.files))
        if undoing.git and not self.to_before:
            return tr("{paths} and the repository will be as before the run. Nothing else is touched.", paths=paths)
        if self.to_before:
            return tr_n(
                "{n} run will be undone as one; {paths} will be as before. Nothing else is touched.",
                "{n} runs will be undone as one; {paths} will be as before. Nothing else is touched.",
                len(runs),
                paths=paths,
            )
        return tr("{paths} will be as before the run. Nothing else is touched.", paths=paths)


def is_the_same(one: UndoPlan, other: UndoPlan) -> bool:
    """Whether both would do the same to the disk."""
    return (one.changes, one.merged, one.kept, one.conflicts, one.notes) == (
        other.changes,
        other.merged,
        other.kept,
        other.conflicts,
        other.notes,
    )


class UndoSheet(Sheet):
    """Lists every file; with a conflict nothing can be undone, and each one is named."""

    confirmed = Signal(object, object)
    """A `UndoRequest` and the `UndoPlan` that was on screen."""
    keeping_git_requested = Signal(object)
    """The same `UndoRequest`, for the working files only."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "undo-sheet", tr("Undo"))
        self._asked: tuple[UndoRequest, UndoPlan] | None = None
        self.said = plain_label("", "muted", wrap=True)
        self.files = QListWidget()
        self.files.setObjectName("undo-files")
        self.files.setAccessibleName(tr("Files that would change"))
        self.files.setUniformItemSizes(True)
        self.files.setFont(theme.code_font())
        self.files.setSelectionMode(QListWidget.SelectionMode.NoSelection)
        self._end = ListEndWatch(self.files)
        self._end.changed.connect(self._may_undo)
        self._unseen = _unseen_label("undo-unseen", tr("Scroll to the end to undo it"))
        self.body.addWidget(self.said)
        self.body.addWidget(self.files, 1)
        self.body.addWidget(self._unseen)
        self.back = QuietButton(theme, tr("Leave it as it is"))
        self.back.setObjectName("undo-back")
        self.back.clicked.connect(self.leave)
        self.undo = PrimaryButton(theme, tr("Undo"))
        self.undo.setObjectName("undo-confirm")
        self.undo.clicked.connect(self._confirm)
        self.keep_git = QuietButton(theme, tr("Only the working files"))
        self.keep_git.setObjectName("undo-keep-git")
        self.keep_git.clicked.connect(self._keep_git)
        self.add_buttons(self.back, self.keep_git, self.undo)

    def ask(
        self, taking: UndoRequest, undoing: UndoPlan, runs: tuple[str, ...] = (), *, has_changed: bool = False
    ) -> None:
        """Show exactly what would be undone. `runs` are the undone runs, newest first."""
        self._asked = (taking, undoing)
        self.title.setText(taking.title)
        self.said.setToolTip(plain_tooltip(taking.run_id))
        self.undo.setText(tr("Go back") if taking.to_before else tr("Undo"))
        self.files.clear()
        for words in runs if not undoing.conflicts else ():
            self._add("undo", "muted", _column(tr("undo"), visible(words)))
        for path, why in undoing.conflicts:
            where = "" if path in undoing.in_git else f"{visible_name(path)}  "
            self._add("warning", "risk", _column(tr("conflict"), f"{where}{visible(why)}"))
        # With a conflict nothing is undone, so only conflicts are listed.
        for change in undoing.files if not undoing.conflicts else ():
            self._add(*_sign(change), _column(_verb(change), f"{visible_name(change.path)}{_merged(change, undoing)}"))
        for path in undoing.kept if not undoing.conflicts else ():
            why = tr("it holds something else by now")
            self._add("folder", "muted", _column(tr("stays"), f"{visible_name(path)}  {why}"))
        for effect in undoing.git:
            where = "" if effect.repository == "." else f"{visible_name(effect.repository)}  "
            for line in effect.lines:
                self._add("undo", "muted", _column(tr("git"), f"{where}{visible(line)}"))
        for note in undoing.notes if not undoing.conflicts else ():
            self._add("info", "muted", _column(tr("stays"), visible(note)))
        self.keep_git.setVisible(undoing.has_only_git_conflicts)
        afresh = tr("The files changed while you were looking; this is what it would do now.") if has_changed else ""
        self.said.setText(f"{afresh} {taking.sentence(undoing, runs)}".lstrip())
        self.said.setProperty("role", "risk" if undoing.conflicts else "muted")
        self.said.style().polish(self.said)
        rows = min(12, max(2, self.files.count()))
        self.files.setFixedHeight(rows * max(self._theme.px(20), self.files.sizeHintForRow(0)) + self._theme.px(8))
        self._end.look_again()
        self.open(self.back)
        self.guard.decides(self.keep_git)

    def _may_undo(self) -> None:
        """Undo needs the end of the list on screen."""
        undoing = self._asked[1] if self._asked is not None else None
        is_possible = undoing is not None and not undoing.conflicts and bool(undoing.changes)
        self.guard.decides(self.undo, is_possible and self._end.has_seen)
        self._unseen.setVisible(is_possible and not self._end.has_seen)

    def _add(self, sign: str, token: str, words: str) -> None:
        item = QListWidgetItem(icon(self._theme, sign, token), words)
        item.setFlags(Qt.ItemFlag.ItemIsEnabled)
        self.files.addItem(item)

    def _keep_git(self) -> None:
        self.shut()
        if self._asked is not None:
            taking = self._asked[0]
            self.keeping_git_requested.emit(replace(taking, part=replace(taking.part, keep_git=True)))

    def _confirm(self) -> None:
        self.shut()
        if self._asked is not None:
            self.confirmed.emit(*self._asked)


def _unseen_label(name: str, words: str) -> QLabel:
    """Says why nothing is decided yet; it keeps its place, so that no button moves when it goes."""
    label = plain_label(words, "small")
    label.setObjectName(name)
    policy = label.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    label.setSizePolicy(policy)
    return label


def _column(verb: str, words: str) -> str:
    """Verbs and paths in two aligned columns."""
    return f"{verb:<8}  {words}"


def _verb(change: PathChange) -> str:
    if isinstance(change.after, Absent):
        return tr("remove")
    return tr("restore") if isinstance(change.before, Absent) else tr("put back")


def _sign(change: PathChange) -> tuple[str, str]:
    if isinstance(change.after, Absent):
        return "file-delete", "removed_ink"
    return ("file-create", "added_ink") if isinstance(change.before, Absent) else ("file-edit", "muted")


def _merged(change: PathChange, undoing: UndoPlan) -> str:
    return f"  {tr('keeps your later edits')}" if change.path in undoing.merged else ""


_QUOTED = 80
_NO_FILES = later("No run after this point is left to undo; the files are as they were.")


class RestoreSheet(Sheet):
    """Restores files, conversation, or both. Nothing is deleted: runs are undone, entries folded."""

    confirmed = Signal(int, object)
    """The entry, and what to restore: `Restoring`."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "back-sheet", tr("Go back"))
        self._entry = 0
        self._preview = PointPreview(None, 0)
        self._is_possible = False
        self.what = Segmented(
            theme,
            (
                (Restoring.BOTH.value, tr("Files and conversation")),
                (Restoring.FILES.value, tr("Files only")),
                (Restoring.CHAT.value, tr("Conversation only")),
            ),
            tr("Go back"),
        )
        self.what.chosen.connect(lambda _key: self._tell())
        self.files, self.chat = plain_label("", wrap=True), plain_label("", wrap=True)
        self.files.setObjectName("back-files")
        self.chat.setObjectName("back-chat")
        page = QWidget()
        page.setProperty("role", "bare")
        listed = QVBoxLayout(page)
        listed.setContentsMargins(0, 0, theme.px(4), 0)
        listed.addWidget(self.files)
        self._scroll = BoundedScroll(theme, page)
        self._scroll.setObjectName("back-scroll")
        self._scroll.setAccessibleName(tr("Files that would change"))
        self._scroll.end.changed.connect(self._may_go)
        self._unseen = _unseen_label("back-unseen", tr("Scroll to the end to go back"))
        for widget in (self.what, self._scroll, self._unseen, self.chat):
            self.body.addWidget(widget)
        self.back = QuietButton(theme, tr("Stay here"))
        self.back.setObjectName("back-stay")
        self.back.clicked.connect(self.leave)
        self.go = PrimaryButton(theme, tr("Go back"))
        self.go.setObjectName("back-go")
        self.go.clicked.connect(self._go)
        self.add_buttons(self.back, self.go)

    def ask(self, entry: int, words: str, preview: PointPreview) -> None:
        self._entry, self._preview = entry, preview
        said = visible(" ".join(words.split()))
        quoted = said[:_QUOTED] + ("…" if len(said) > _QUOTED else "")
        self.title.setText(tr("Go back to “{message}”", message=quoted))
        self.what.set_current(Restoring.BOTH.value)
        self.open(self.back)
        self._tell()

    def _tell(self) -> None:
        what = Restoring(self.what.current)
        files = self._preview.files
        moves_files, moves_chat = what is not Restoring.CHAT, what is not Restoring.FILES
        self.files.setText(self._about_files() if moves_files else tr("The files stay as they are."))
        aside = tr_n(
            "{n} entry after this message will be set aside: folded, not deleted. The agent still remembers.",
            "{n} entries after this message will be set aside: folded, not deleted. The agent still remembers.",
            self._preview.entries,
        )
        self.chat.setText(aside if moves_chat else tr("The conversation stays as it is."))
        has_conflict = files is not None and bool(files.undoing.conflicts)
        does_something = (moves_files and files is not None) or (moves_chat and self._preview.entries > 0)
        self._is_possible = does_something and not (moves_files and has_conflict)
        self._scroll.end.look_again()
        self._may_go()
        self.fit()

    def _may_go(self) -> None:
        """Going back needs the end of the list on screen."""
        has_seen = self._scroll.end.has_seen
        self.guard.decides(self.go, self._is_possible and has_seen)
        self._unseen.setVisible(self._is_possible and not has_seen)

    def _about_files(self) -> str:
        files = self._preview.files
        if files is None:
            return tr_marked(_NO_FILES)
        if files.undoing.conflicts:
            named = "\n".join(f"· {visible_name(path)}  {visible(why)}" for path, why in files.undoing.conflicts)
            return f"{tr('Later edits are in the way, so the files cannot go back:')}\n{named}"
        paths = [change.path for change in files.undoing.files]
        lines = [
            tr_n(
                "{n} run will be undone, with {paths}:",
                "{n} runs will be undone, with {paths}:",
                len(files.runs),
                paths=tr_n("{n} path", "{n} paths", len(paths)),
            )
        ]
        for path in paths:
            is_merged = path in files.undoing.merged
            lines.append(
                f"· {visible_name(path)}  {tr('keeps your later edits')}" if is_merged else f"· {visible_name(path)}"
            )
        lines += [f"· {visible(line)}" for effect in files.undoing.git for line in effect.lines]
        lines += [f"· {visible(note)}" for note in files.undoing.notes]
        return "\n".join(lines)

    def _go(self) -> None:
        self.shut()
        self.confirmed.emit(self._entry, Restoring(self.what.current))
