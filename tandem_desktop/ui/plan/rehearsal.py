"""The rehearsal button, line and progress of the panel."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from tandem_desktop.domain.events import CommandRehearsed, CommandSaid, RehearsalStarted, RunStarted, TandemEvent
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.rehearsal.results import Rehearsal, RehearsedCommand, why_not_recordable
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.services.rehearsals import RehearsedEffects
from tandem_desktop.staging.git_effects import without_git
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n, when
from tandem_desktop.ui.models.operations import StagedOperationsModel
from tandem_desktop.ui.plan import rehearsal_text
from tandem_desktop.ui.plan.choices import Chooser
from tandem_desktop.ui.plan.footer import PlanFooter
from tandem_desktop.ui.plan.page_text import OPEN
from tandem_desktop.ui.plan.rehearsal_text import Rehearsed
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner
from tandem_desktop.ui.widgets.labels import announce

_TELL_MS = 80
_TAIL = 20_000
"""Characters of output shown while a command runs; all of it is shown afterwards."""


@dataclass(slots=True)
class Book:
    """One plan's last rehearsal."""

    revision: int
    network: bool
    calls: dict[OperationId, CommandCall]
    rows: dict[OperationId, Rehearsed] = field(default_factory=dict)
    rehearsal: Rehearsal | None = None
    """Set if it completed."""
    recorded_from: int = 0
    """The revision whose commands were replaced by recorded effects; zero if none."""


class RehearsalFollower(QObject):
    """Results belong to the revision that was rehearsed; on any other page they are stale."""

    changed = Signal()
    """The state of the whole rehearsal changed."""
    stop_wanted = Signal()

    def __init__(self, model: StagedOperationsModel, parent: QObject) -> None:
        super().__init__(parent)
        self._model = model
        self._books: dict[PlanId, Book] = {}
        self._page: PlanPage | None = None
        self.under_way: PlanId | None = None
        self._has_started = False
        self._telling = QTimer(self, interval=_TELL_MS, singleShot=True)
        self._telling.timeout.connect(self._tell)

    @property
    def book(self) -> Book | None:
        """The last rehearsal of the plan on screen."""
        return self._books.get(self._page.version.plan_id) if self._page is not None else None

    @property
    def is_stale(self) -> bool:
        return self.book is not None and self._page is not None and self.book.revision != self._page.version.revision

    @property
    def recordable(self) -> tuple[OperationId, ...]:
        """Commands on screen that can be replaced by their effects."""
        book = self.book
        if book is None or self.is_stale:
            return ()
        return tuple(name for name, row in book.rows.items() if row.is_settled and not row.refusal and not row.problem)

    def show_page(self, page: PlanPage | None) -> None:
        self._page = page
        self._tell()

    def begin(self, page: PlanPage, *, network: bool) -> None:
        """A rehearsal of this page was requested."""
        version = page.version
        self._books[version.plan_id] = Book(version.revision, network, _calls(page))
        self.under_way, self._has_started = version.plan_id, False
        self._wait_in_line(self._books[version.plan_id])
        self._tell()

    def follow(self, event: TandemEvent) -> None:
        """Events of another or finished rehearsal are ignored."""
        book = self._books.get(self.under_way) if self.under_way is not None else None
        if book is None or getattr(event, "plan_id", None) != self.under_way:
            return
        match event:
            case RehearsalStarted():
                self._has_started = True
                self._wait_in_line(book)
            case CommandSaid() if self._has_started and event.operation_id in book.rows:
                row = book.rows[event.operation_id]
                book.rows[event.operation_id] = replace(row, output=(row.output + event.text)[-_TAIL:])
            case CommandRehearsed() if self._has_started and event.operation_id in book.rows:
                book.rows[event.operation_id] = Rehearsed(
                    revision=book.revision,
                    output=book.rows[event.operation_id].output,
                    exit_code=event.exit_code,
                    seconds=event.seconds,
                    count=event.effects,
                    error=event.error or "",
                )
                self._next(book)
            case RunStarted():
                self.stop_wanted.emit()
            case _:
                return
        if not self._telling.isActive():
            self._telling.start()

    def finish(self, rehearsal: Rehearsal, effects: Mapping[OperationId, RehearsedEffects]) -> None:
        """Set the results."""
        self._settle(rehearsal, effects)
        self._end()

    def _settle(self, rehearsal: Rehearsal, effects: Mapping[OperationId, RehearsedEffects]) -> None:
        book = self._books[rehearsal.plan_id]
        book.rehearsal = rehearsal
        book.rows = {each.id: _settled(each, rehearsal.revision, effects[each.id]) for each in rehearsal.commands}
        for problem in rehearsal.problems:
            name = OperationId(problem.step)
            book.rows[name] = Rehearsed(revision=rehearsal.revision, problem=problem.reason, is_settled=True)

    def remember(self, rehearsal: Rehearsal, effects: Mapping[OperationId, RehearsedEffects]) -> None:
        """Set a stored result; ignored if there is a newer one."""
        page = self._page
        here = page is not None and (page.version.plan_id, page.version.revision) == (
            rehearsal.plan_id,
            rehearsal.revision,
        )
        if page is None or not here or self.book is not None:
            return
        self._books[rehearsal.plan_id] = Book(rehearsal.revision, rehearsal.network, _calls(page))
        self._settle(rehearsal, effects)
        self._tell()

    def fail(self) -> None:
        """It was stopped or failed; there is no result."""
        if self.under_way is not None:
            self._books.pop(self.under_way, None)
        self._end()

    def recorded(self, plan_id: PlanId, chosen: tuple[OperationId, ...], revision: int) -> None:
        """Effects replaced commands; the results of the other commands stay valid."""
        book = self._books.get(plan_id)
        if book is None or book.rehearsal is None:
            return
        left = tuple(each for each in book.rehearsal.commands if each.id not in chosen)
        book.recorded_from, book.revision = book.revision, revision
        book.rehearsal = replace(book.rehearsal, revision=revision, commands=left)
        book.rows = {name: replace(row, revision=revision) for name, row in book.rows.items() if name not in chosen}
        self._tell()

    def _end(self) -> None:
        self.under_way = None
        self._tell()

    def _wait_in_line(self, book: Book) -> None:
        book.rows = {name: Rehearsed(revision=book.revision, is_waiting=True) for name in book.calls}
        self._next(book)

    def _next(self, book: Book) -> None:
        """Commands run in order: mark the first waiting one as running."""
        for name, row in book.rows.items():
            if row.is_waiting:
                book.rows[name] = replace(row, is_waiting=False, is_running=True)
                return

    def _tell(self) -> None:
        self._telling.stop()
        book, page = self.book, self._page
        rows: dict[OperationId, Rehearsed] = {}
        if book is not None and page is not None:
            shown = {view.operation.id: view.operation for view in page.views}
            for name, row in book.rows.items():
                if name in shown and (row.problem or shown[name].call == book.calls.get(name)):
                    rows[name] = replace(row, is_stale=self.is_stale)
        self._model.set_rehearsed(rows)
        self.changed.emit()


def _calls(page: PlanPage) -> dict[OperationId, CommandCall]:
    commands = ((each.id, each.command_call) for each in page.version.operations)
    return {name: call for name, call in commands if call is not None}


def _settled(command: RehearsedCommand, revision: int, effects: RehearsedEffects) -> Rehearsed:
    return Rehearsed(
        revision=revision,
        output=command.output,
        exit_code=command.exit_code,
        seconds=command.seconds,
        count=len(without_git(command.effects, effects.git)),
        git=tuple(line for effect in effects.git for line in effect.lines),
        effects=tuple(map(_in_the_copy, effects.views)),
        error=command.error or "",
        doubts=command.doubts,
        refusal=why_not_recordable(command),
        is_settled=True,
    )


def _in_the_copy(view: OperationView) -> OperationView:
    """An effect without origin and description: it is not recorded yet."""
    return replace(view, operation=view.operation.model_copy(update={"recorded_from": "", "description": ""}))


_UNTOUCHED = later("Nothing on disk has changed.")


class RehearsalLine(Banner):
    """Shows the rehearsal's state and next actions, and that nothing on disk changed."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "info", parent=parent)
        self.setObjectName("rehearsal-line")
        self._said: tuple[object, ...] = ()
        self.hide()

    def show_rehearsal(self, follower: RehearsalFollower, version: PlanVersion, now: datetime) -> None:
        """Of the revision on screen."""
        book = follower.book
        said = self._message(follower, book, version, now)
        self.setVisible(said is not None)
        if said is not None and said != self._said:
            self._said = said
            self.set_message(*said)

    def _message(
        self, follower: RehearsalFollower, book: Book | None, version: PlanVersion, now: datetime
    ) -> tuple[str, str, tuple[tuple[str, str], ...]] | None:
        if book is not None and follower.under_way == version.plan_id:
            return "info", f"{_going_on(book)} {tr_marked(_UNTOUCHED)}", (("stop-rehearsal", tr("Stop")),)
        if instead := rehearsal_text.instead(version):
            way_back = book is not None and book.recorded_from and book.revision == version.revision
            really = (("really-run", tr("Let it really run")),) if way_back else ()
            return "info", tr("Applies {instead}.", instead=instead), really
        if book is None or book.rehearsal is None:
            return None
        if follower.is_stale:
            text = tr("The rehearsal was of revision {revision} and is stale here.", revision=book.revision)
            return "risk", text, (("rehearse-again", tr("Rehearse again")),)
        count = len(follower.recordable)
        every = (("record-all", tr("Apply all recorded effects")),) if count > 1 else ()
        tone = "error" if any(row.error or row.problem for row in book.rows.values()) else "ok"
        return tone, f"{_came_of_it(book, now)} {tr_marked(_UNTOUCHED)}", every


def _going_on(book: Book) -> str:
    how = rehearsal_text.conditions(book.network)
    if any(row.is_under_way for row in book.rows.values()) or not book.rows:
        return tr("Rehearsing revision {revision} in a copy, {how}.", revision=book.revision, how=how)
    return tr("Played once in a copy, {how}; playing it again to see whether it comes out the same.", how=how)


def _came_of_it(book: Book, now: datetime) -> str:
    rows = book.rows.values()
    failed = sum(bool(row.error) for row in rows)
    refused = sum(bool(row.problem) for row in rows)
    commands = len(book.calls)
    parts = [tr_n("{n} command ran", "{n} commands ran", commands)]
    if not commands:
        parts = [tr("there are no commands; every step applies")]
    if failed:
        said = f"{failed:,}"
        parts = [
            tr_n("{failed} of {n} command would fail", "{failed} of {n} commands would fail", commands, failed=said)
        ]
    if refused:
        parts.append(tr_n("{n} operation did not apply", "{n} operations did not apply", refused))
    doubtful = sum(bool(row.doubts) for row in rows)
    if doubtful:
        parts.append(tr("{n} cannot be previewed", n=f"{doubtful:,}"))
    how, told = rehearsal_text.conditions(book.network), ", ".join(parts)
    if book.rehearsal is None:
        return tr("Rehearsed in a copy, {how}: {parts}.", how=how, parts=told)
    at = when(book.rehearsal.at, now)
    return tr("Rehearsed {when} in a copy, {how}: {parts}.", when=at, how=how, parts=told)


class RehearsalController(QObject):
    """Controls the rehearsal widgets of the panel. One rehearsal at a time."""

    rehearse_requested = Signal(str, int, bool)
    """Plan id, revision, and whether with network; answered by `finish` or `fail`."""
    kept_wanted = Signal(object)
    """A `PlanVersion` without a rehearsal in this window; answered by `remember` if one is stored."""
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
        """What to rehearse once the user's choices are saved."""
        self._follower.stop_wanted.connect(self.stop_requested)
        self._follower.changed.connect(self._tell)
        footer.rehearse_requested.connect(self.rehearse)
        footer.stop_rehearsal_requested.connect(self.stop_requested)
        line.requested.connect(self._asked)

    @property
    def failure(self) -> str:
        """What the rehearsal of the revision on screen found against it; empty if nothing."""
        book = self._follower.book
        if book is None or book.rehearsal is None or self._follower.is_stale:
            return ""
        failed = any(row.error or row.problem for row in book.rows.values())
        return _came_of_it(book, self._now()) if failed else ""

    def show_page(self, page: PlanPage | None) -> None:
        self._page = page
        self._follower.show_page(page)
        if page is not None and self._follower.book is None and page.meta.status in OPEN:
            self.kept_wanted.emit(page.version)
        wanted = self._waits_for
        if page is not None and wanted is not None and wanted[:2] == (page.version.plan_id, page.version.revision):
            self.rehearse(wanted[2])

    def rehearse(self, network: bool | None = None) -> None:
        """Rehearse what would be approved: unsaved choices are saved as a revision first."""
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
        """Set whether rehearsals use the network by default."""
        self._footer.with_network = network
        self._tell()

    def follow(self, event: TandemEvent) -> None:
        self._follower.follow(event)

    def finish(self, rehearsal: Rehearsal, effects: Mapping[OperationId, RehearsedEffects]) -> None:
        """A rehearsal has ended; with the file effects of every command."""
        self._follower.finish(rehearsal, effects)
        announce(self._line, self._line.text)

    def remember(self, rehearsal: Rehearsal, effects: Mapping[OperationId, RehearsedEffects]) -> None:
        """The stored rehearsal of the requested page."""
        self._follower.remember(rehearsal, effects)

    def fail(self) -> None:
        """It was stopped or failed."""
        self._follower.fail()

    def record(self, chosen: tuple[OperationId, ...]) -> None:
        """Request recorded effects instead of these commands."""
        book = self._follower.book
        if book is not None and book.rehearsal is not None and chosen:
            self.record_requested.emit(book.rehearsal, chosen)

    def recorded(self, version: PlanVersion, chosen: tuple[OperationId, ...]) -> None:
        """A new revision with the recorded effects was saved."""
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
