"""A person wants something taken back: looked at first, and done only if it is still what they saw."""

from collections.abc import Callable

from PySide6.QtCore import QObject

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import RunId
from tandem_desktop.execution.run_changes import DoneOperation
from tandem_desktop.execution.undo import UndoneRun
from tandem_desktop.execution.undoing import Undoing
from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.plan.execution_plan_panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.taking_back import TakingBack, is_the_same
from tandem_desktop.ui.wishes import Wishes
from tandem_desktop.ui.words import tr, tr_n

Seen = Callable[[Undoing, tuple[RunId, ...]], None]


class UndoWishes(Wishes):
    """Listens to the panel."""

    def __init__(self, workroom: Workroom, commands: Commands, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._workroom = workroom
        self._commands = commands
        self._panel = panel
        panel.taking_back_requested.connect(self.preview)
        panel.undo_requested.connect(self._take_back)
        panel.run_chosen.connect(self._show_changes)

    def preview(self, taking: TakingBack) -> None:
        """Show what it would do; nothing happens before the person has seen that."""
        self._look(taking, lambda undoing, runs: self._show(taking, undoing, runs))

    def _look(self, taking: TakingBack, seen: Seen) -> None:
        run_id = taking.run_id
        if taking.to_before:
            rewinding = self._workroom.preview_rewind(run_id)
            self._commands.run(rewinding, lambda found: seen(found.undoing, found.runs), self.failed.emit)
        else:
            undoing = self._workroom.preview_undo(run_id, taking.part)
            self._commands.run(undoing, lambda found: seen(found, (run_id,)), self.failed.emit)

    def _show(
        self, taking: TakingBack, undoing: Undoing, runs: tuple[RunId, ...], *, has_changed: bool = False
    ) -> None:
        names = tuple(map(self._panel.runs.model.title_of, runs)) if taking.to_before else ()
        self._panel.show_undo(taking, undoing, names, has_changed=has_changed)

    def _take_back(self, taking: TakingBack, shown: Undoing) -> None:
        def decide(undoing: Undoing, runs: tuple[RunId, ...]) -> None:
            if not is_the_same(undoing, shown):
                self._show(taking, undoing, runs, has_changed=True)
                return
            workroom, run_id = self._workroom, taking.run_id
            future = workroom.rewind(run_id) if taking.to_before else workroom.undo(run_id, taking.part)
            self._commands.run(future, self._done, self._refused)

        self._look(taking, decide)

    def _done(self, undone: UndoneRun) -> None:
        words = tr_n("Taken back: {n} path as before.", "Taken back: {n} paths as before.", len(undone.changed))
        if undone.merged:
            merged = ", ".join(map(visible, undone.merged[:3]))
            words = f"{words} {tr('Your later edits in {paths} were kept.', paths=merged)}"
        self.said.emit(words, "ok")
        self.changed.emit()

    def _refused(self, error: TandemError) -> None:
        self.failed.emit(error)
        self.changed.emit()

    def _show_changes(self, run_id: str) -> None:
        def arrived(found: tuple[DoneOperation, ...]) -> None:
            self._panel.runs.show_changes(RunId(run_id), found)

        self._commands.run(self._workroom.run_changes(RunId(run_id)), arrived, self.failed.emit)
