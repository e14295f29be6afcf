"""Loads diffs off the GUI thread."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

from tandem_desktop.diff.hunks import Hunk
from tandem_desktop.diff.lines import IntralineChange
from tandem_desktop.ui.diff.model import FileDiff, build_file_diff, preview_file_diff
from tandem_desktop.ui.diff.special import SpecialText
from tandem_desktop.ui.diff.styles import Spans, Yielding, lex, marks_of
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.threads import Commands

Pair = tuple[int, int]


class DiffLoader(QObject):
    """Serves one view. Results for a file that is no longer shown are dropped."""

    ready = Signal(object)
    """The `FileDiff` that is now shown."""
    coloured = Signal()
    """Highlighting has finished."""

    def __init__(
        self, view: DiffView, commands: Commands, executor: ThreadPoolExecutor, parent: QObject | None = None
    ) -> None:
        super().__init__(parent or view)
        self._view = view
        self._commands = commands
        self._executor = executor
        self._wanted = 0
        view.pairs_in_sight.connect(self._mark)

    def show(
        self,
        path: str,
        before: bytes,
        after: bytes,
        *,
        known_hunks: Sequence[Hunk] | None = None,
        notes: Sequence[SpecialText] = (),
    ) -> None:
        """Show the text at once and the comparison when it is ready."""
        self._wanted += 1
        wanted = self._wanted
        self._view.show_diff(preview_file_diff(path, before, after))

        def begin() -> None:
            if self._is_wanted(wanted):
                made = self._executor.submit(build_file_diff, path, before, after, known_hunks=known_hunks, notes=notes)
                self._commands.run(made, lambda diff: self._show(diff, wanted))

        QTimer.singleShot(0, self, begin)  # after the text is on the screen: both share one interpreter

    def show_diff(self, diff: FileDiff) -> None:
        """Show an existing comparison."""
        self._wanted += 1
        self._show(diff, self._wanted)

    def stop(self) -> None:
        """Submit nothing more; called before the executor is shut down."""
        self._wanted = -1

    def _is_wanted(self, wanted: int) -> bool:
        """False when another file is shown by now, or the view has gone."""
        return isValid(self) and isValid(self._view) and wanted == self._wanted

    def _show(self, diff: FileDiff, wanted: int) -> None:
        if not self._is_wanted(wanted):
            return
        self._view.show_diff(diff)
        yielding = self._view.yielding
        work = _lexed(diff, yielding)
        self._colour(work, wanted)
        self.ready.emit(diff)

    def _colour(self, work: "Iterator[tuple[bool, Spans]]", wanted: int) -> None:
        """In chunks, so that requests for intraline marks do not wait for the whole file."""

        def done(part: tuple[bool, Spans] | None) -> None:
            if not self._is_wanted(wanted):
                return
            if part is None:
                self.coloured.emit()
                return
            self._view.add_spans(*part)
            self._colour(work, wanted)

        self._commands.run(self._executor.submit(next, work, None), done)

    def _mark(self, pairs: tuple[Pair, ...]) -> None:
        diff, wanted = self._view.diff, self._wanted
        if wanted < 0 or diff.is_preview:
            return

        def done(marks: dict[Pair, IntralineChange]) -> None:
            if self._is_wanted(wanted):
                self._view.add_marks(marks)

        self._commands.run(self._executor.submit(_marked, diff, pairs, self._view.yielding), done)


def _lexed(diff: FileDiff, yielding: Yielding) -> "Iterator[tuple[bool, Spans]]":
    for is_old, side in ((False, diff.new), (True, diff.old)):
        yield from ((is_old, spans) for spans in lex(diff.path, side, yielding))


def _marked(diff: FileDiff, pairs: Sequence[Pair], yielding: Yielding) -> dict[Pair, IntralineChange]:
    marks: dict[Pair, IntralineChange] = {}
    for old, new in pairs:
        yielding.wait()
        marks[old, new] = marks_of(diff.old.line(old), diff.new.line(new))
    return marks
