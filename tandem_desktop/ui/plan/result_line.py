"""One line after a run: what it did to the disk, the way to look at it, the way back, and what one thinks of it."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from tandem_desktop.domain.execution import ResultStatus
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banner import Banner
from tandem_desktop.ui.widgets.rating_stars import RatingStars
from tandem_desktop.ui.words import tr, tr_n


class ResultLine(Banner):
    """`5 files +142 −38 · ★★★★☆ · View · Undo`."""

    view_requested = Signal()
    undo_requested = Signal(str)
    redo_requested = Signal(str)
    rated = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "ok", parent=parent)
        self.setObjectName("result-line")
        self._run_id: RunId | None = None
        self.rating = RatingStars(theme, self)
        self.rating.rated.connect(self.rated)
        self.add_before_actions(self.rating)
        self.requested.connect(self._ask)
        self.hide()

    def show_result(self, page: PlanPage, run: ListedRun | None) -> None:
        """Of a plan that ran; hidden for any other. `run` is known once the runs are listed."""
        status = page.meta.status
        self._run_id = page.meta.execution_session
        ended = status in (PlanStatus.COMPLETED, PlanStatus.FAILED, PlanStatus.UNDONE)
        self.setVisible(ended and self._run_id is not None)
        if not ended:
            return
        self.rating.setVisible(status is PlanStatus.COMPLETED)
        self.rating.set_value(page.meta.rating)
        view, undo_it = ("view", tr("View")), ("undo", tr("Undo"))
        if status is PlanStatus.UNDONE:
            words = tr("This run was undone; the files are as they were before it.")
            self.set_message("info", words, (("redo", tr("Bring back")),))
        elif status is PlanStatus.COMPLETED:
            undo = (undo_it,) if run is None or run.undoable else ()
            self.set_message("ok", _done(page), (view, *undo))
        else:
            rolled_back = _rolled_back(page, run)
            undo = (undo_it,) if run is not None and run.undoable and not rolled_back else ()
            self.set_message("error", _failed(page, rolled_back), (view, *undo))

    def _ask(self, key: str) -> None:
        if key == "view":
            self.view_requested.emit()
        elif self._run_id is not None:
            (self.undo_requested if key == "undo" else self.redo_requested).emit(self._run_id)


def _done(page: PlanPage) -> str:
    totals = page.sums
    parts = []
    if totals.files:
        files = tr_n("{n} file", "{n} files", totals.files)
        parts.append(f"{files} +{totals.added:,} −{totals.removed:,}")
    if totals.commands:
        parts.append(tr_n("{n} command run", "{n} commands run", totals.commands))
    return tr("Applied: {parts}", parts=", ".join(parts)) if parts else tr("Applied")


def _failed(page: PlanPage, rolled_back: bool) -> str:
    failed = next((each for each in page.results if each.status is ResultStatus.FAILED), None)
    names = {view.operation.id: wording.title(view.operation) for view in page.views}
    told = tr("The run failed.")
    if failed is not None:
        told = tr("The run failed at “{operation}”.", operation=names.get(failed.id, failed.id))
    left = (
        tr("Everything was rolled back; nothing on disk has changed.")
        if rolled_back
        else tr("What was done before it is still there.")
    )
    why = visible(page.meta.result_summary) if failed is None and page.meta.result_summary else ""
    return " ".join(filter(None, (told, why, left)))


def _rolled_back(page: PlanPage, run: ListedRun | None) -> bool:
    if run is not None:
        return run.record.rolled_back
    statuses = {each.status for each in page.results}
    return ResultStatus.ROLLED_BACK in statuses or ResultStatus.COMPLETED not in statuses
