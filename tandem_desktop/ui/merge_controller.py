"""Carries out rebases and conflict resolution."""

from PySide6.QtCore import QObject

from tandem_desktop.background import Background
from tandem_desktop.diff.text import visible
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.review.conflicts import Resolution
from tandem_desktop.review.rebase import Rebased
from tandem_desktop.ui.i18n import some_of, tr_n
from tandem_desktop.ui.merge.sheet import MergeSheet
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan_controller import RequestController
from tandem_desktop.ui.threads import Commands

_NAMED = 3


class MergeController(RequestController):
    """Runs rebases and shows conflicts in the sheet. Saves nothing while a conflict is open."""

    def __init__(self, background: Background, commands: Commands, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._panel = panel
        self._plan_id = PlanId("")
        self.sheet: MergeSheet = panel.sheets.merge
        panel.rebase_requested.connect(self._rebase)
        panel.merge_requested.connect(self._merge)
        self.sheet.path_wanted.connect(self._show_path)
        self.sheet.answered.connect(self._answered)
        self.sheet.save_requested.connect(self._save)

    def _rebase(self, plan_id: str) -> None:
        self._plan_id = PlanId(plan_id)
        self._run(self._background.run(self._background.pages.preview_rebase, self._plan_id), self._previewed)

    def _previewed(self, rebased: Rebased) -> None:
        if rebased.conflicts:
            self._open(rebased, rebased.conflicts[0].path)
        else:
            self._save(())

    def _merge(self, plan_id: str, path: str) -> None:
        self._plan_id = PlanId(plan_id)
        self._run(
            self._background.run(self._background.pages.preview_rebase, self._plan_id),
            lambda rebased: self._open(rebased, path),
        )

    def _open(self, rebased: Rebased, path: str) -> None:
        page = self._panel.page
        if page is not None and page.version.plan_id == self._plan_id:
            self.sheet.ask(page.meta.revision, self._drifted(), rebased.conflicts, path)

    def _show_path(self, path: str) -> None:
        sides = self._background.run(self._background.pages.three_way, self._plan_id, path)
        self._commands.latest("merge-sides", sides, self.sheet.show_sides, self._refused)

    def _answered(self) -> None:
        future = self._background.run(self._background.pages.preview_rebase, self._plan_id, self.sheet.resolutions())
        self._commands.latest(
            "merge-answers", future, lambda rebased: self.sheet.show_open(rebased.conflicts), self._refused
        )

    def _save(self, resolutions: tuple[Resolution, ...]) -> None:
        merged = self._drifted()
        future = self._background.run(self._background.pages.rebase, self._plan_id, resolutions)
        self._run(future, lambda version: self._saved(version, merged))

    def _saved(self, version: PlanVersion, merged: tuple[str, ...]) -> None:
        self.sheet.shut()
        words = tr_n(
            "Revision {revision} fits what is on disk: {n} file merged ({named}).",
            "Revision {revision} fits what is on disk: {n} files merged ({named}).",
            len(merged),
            revision=version.revision,
            named=some_of([visible(path) for path in merged], _NAMED),
        )
        self.said.emit(words, "ok")
        self.changed.emit()

    def _drifted(self) -> tuple[str, ...]:
        page = self._panel.page
        if page is None:
            return ()
        return tuple(dict.fromkeys((*(each.path for each in page.drifted), *page.version.drifted)))

    def _run(self, future, done) -> None:  # type: ignore[no-untyped-def]  # as Commands.run
        self._commands.run(future, done, self._refused)

    def _refused(self, error: TandemError) -> None:
        self.failed.emit(error)
        self.changed.emit()
