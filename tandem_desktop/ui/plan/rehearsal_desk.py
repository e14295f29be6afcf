"""Everything the panel does about rehearsals: the button, the line above the list, and what can follow from it."""

from collections.abc import Callable, Mapping
from datetime import datetime

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.events.events import TandemEvent
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.rehearsal.rehearsal import Rehearsal
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.models.staged_operations_model import StagedOperationsModel
from tandem_desktop.ui.plan.chooser import Chooser
from tandem_desktop.ui.plan.plan_footer import PlanFooter
from tandem_desktop.ui.plan.plan_page_facts import OPEN
from tandem_desktop.ui.plan.rehearsal_follower import RehearsalFollower
from tandem_desktop.ui.plan.rehearsal_line import RehearsalLine
from tandem_desktop.ui.widgets.announce import announce


class RehearsalDesk(QObject):
    """Takes what comes of a rehearsal; gives out what the person wants of it. One rehearsal at a time."""

    rehearse_requested = Signal(str, int, bool)
    """Plan id, revision, and whether with network; answered by `finish` or `fail`."""
    kept_wanted = Signal(object)
    """A `PlanVersion` nobody rehearsed in this window; answered by `remember` where an earlier rehearsal is kept."""
    stop_requested = Signal()
    record_requested = Signal(object, object)
    """A `Rehearsal` and the commands whose recorded effects are to take their place; answered by `recorded`."""
    save_requested = Signal(object)
    """`Choices` that have to be a revision before it can be rehearsed."""
    restore_requested = Signal(str, int)
    """Plan id and the revision in which the commands still run."""

    def __init__(
        self,
        model: StagedOperationsModel,
        footer: PlanFooter,
        line: RehearsalLine,
        chooser: Chooser,
        now: Callable[[], datetime],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._now = now
        self._chooser = chooser
        self._footer = footer
        self._line = line
        self._follower = RehearsalFollower(model, self)
        self._page: PlanPage | None = None
        self._waits_for: tuple[PlanId, int, bool] | None = None
        """What is to be rehearsed once the person's choices are saved as it."""
        self._follower.stop_wanted.connect(self.stop_requested)
        self._follower.changed.connect(self._tell)
        footer.rehearse_requested.connect(self.rehearse)
        footer.stop_rehearsal_requested.connect(self.stop_requested)
        line.requested.connect(self._asked)

    def show_page(self, page: PlanPage | None) -> None:
        self._page = page
        self._follower.show_page(page)
        if page is not None and self._follower.book is None and page.meta.status in OPEN:
            self.kept_wanted.emit(page.version)
        wanted = self._waits_for
        if page is not None and wanted is not None and wanted[:2] == (page.version.plan_id, page.version.revision):
            self.rehearse(wanted[2])

    def rehearse(self, network: bool | None = None) -> None:
        """What is rehearsed is what would be approved: choices that are not saved yet become a revision first."""
        network = self._footer.with_network if network is None else network
        page, self._waits_for = self._page, None
        if page is None or self._follower.under_way is not None or page.meta.status not in OPEN:
            return
        version, choices = page.version, self._chooser.choices
        if choices is not None and not choices.is_empty:
            self._waits_for = (version.plan_id, version.revision + 1, network)
            self.save_requested.emit(choices)
            return
        self._follower.begin(page, network=network)
        self.rehearse_requested.emit(version.plan_id, version.revision, network)

    def use_network(self, network: bool) -> None:
        """Whether a rehearsal has the network unless the person says otherwise."""
        self._footer.with_network = network
        self._tell()

    def follow(self, event: TandemEvent) -> None:
        self._follower.follow(event)

    def finish(self, rehearsal: Rehearsal, views: Mapping[OperationId, tuple[OperationView, ...]]) -> None:
        """A rehearsal has ended; with the file effects of every command."""
        self._follower.finish(rehearsal, views)
        announce(self._line, self._line.text)

    def remember(self, rehearsal: Rehearsal, views: Mapping[OperationId, tuple[OperationView, ...]]) -> None:
        """What was kept of a rehearsal of the page that was asked about."""
        self._follower.remember(rehearsal, views)

    def fail(self) -> None:
        """It was stopped, or could not be; nothing is known of it."""
        self._follower.fail()

    def record(self, chosen: tuple[OperationId, ...]) -> None:
        """Ask for recorded effects in the place of these commands."""
        book = self._follower.book
        if book is not None and book.rehearsal is not None and chosen:
            self.record_requested.emit(book.rehearsal, chosen)

    def recorded(self, version: PlanVersion, chosen: tuple[OperationId, ...]) -> None:
        """A new revision has them."""
        self._follower.recorded(version.plan_id, chosen, version.revision)

    def _asked(self, key: str) -> None:
        book = self._follower.book
        match key:
            case "stop-rehearsal":
                self.stop_requested.emit()
            case "rehearse-again":
                self.rehearse()
            case "record-all":
                self.record(self._follower.recordable)
            case "really-run" if book is not None and self._page is not None:
                self.restore_requested.emit(self._page.version.plan_id, book.recorded_from)

    def _tell(self) -> None:
        under_way, page = self._follower.under_way, self._page
        here = page is not None and under_way == page.version.plan_id
        self._footer.show_rehearsing(here, elsewhere=under_way is not None and not here)
        if page is None or page.meta.status not in OPEN:
            self._line.hide()
        else:
            self._line.show_rehearsal(self._follower, page.version, self._now())
