"""A person wants a plan rehearsed, and its recorded effects applied: carried out by the workroom."""

from collections.abc import Mapping

from PySide6.QtCore import QObject

from tandem_desktop.domain.errors import TandemError, UserAbortError
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.rehearsal.rehearsal import Rehearsal
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.plan.rehearsal_desk import RehearsalDesk
from tandem_desktop.ui.wishes import Wishes
from tandem_desktop.ui.words import tr


class RehearsalWishes(Wishes):
    """Listens to the desk of the panel. A rehearsal changes nothing, so nothing is asked again."""

    def __init__(self, workroom: Workroom, commands: Commands, desk: RehearsalDesk, parent: QObject) -> None:
        super().__init__(parent)
        self._workroom = workroom
        self._commands = commands
        self._desk = desk
        desk.use_network(workroom.engine.settings.rehearse_with_network)
        desk.rehearse_requested.connect(self._rehearse)
        desk.kept_wanted.connect(self._look_for)
        desk.stop_requested.connect(workroom.stop_rehearsal)
        desk.record_requested.connect(self._record)

    def _rehearse(self, plan_id: str, revision: int, network: bool) -> None:
        future = self._workroom.rehearse(PlanId(plan_id), revision, network=network)
        self._commands.run(future, self._look_at, self._ended)

    def _look_for(self, version: PlanVersion) -> None:
        def found(kept: tuple[Rehearsal, Mapping[OperationId, tuple[OperationView, ...]]] | None) -> None:
            if kept is not None:
                self._desk.remember(*kept)

        # What cannot be looked at any more is as good as not kept.
        self._commands.latest("kept", self._workroom.kept_rehearsal(version), found, lambda error: None)

    def _look_at(self, rehearsal: Rehearsal) -> None:
        views = self._workroom.rehearsed_views(rehearsal)
        self._commands.run(views, lambda found: self._desk.finish(rehearsal, found), self._ended)

    def _ended(self, error: TandemError) -> None:
        self._desk.fail()
        if isinstance(error, UserAbortError):
            self.said.emit(tr("The rehearsal was stopped. Nothing on disk has changed."), "info")
        else:
            self.failed.emit(error)

    def _record(self, rehearsal: Rehearsal, chosen: tuple[OperationId, ...]) -> None:
        def recorded(version: PlanVersion) -> None:
            self._desk.recorded(version, chosen)
            self.changed.emit()

        self._commands.run(self._workroom.record(rehearsal, chosen), recorded, self.failed.emit)
