"""Follow the rehearsal of a plan, chunk by chunk, and show what came of it, now or when the plan was last open."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from PySide6.QtCore import QObject, QTimer, Signal

from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.events.events import CommandRehearsed, CommandSaid, RehearsalStarted, RunStarted, TandemEvent
from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.rehearsal.recording import why_not_recordable
from tandem_desktop.rehearsal.rehearsal import Rehearsal, RehearsedCommand
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.models.rehearsed import Rehearsed
from tandem_desktop.ui.models.staged_operations_model import StagedOperationsModel

_TELL_MS = 80
_TAIL = 20_000
"""Characters of a command's output that are shown while it runs; all of it is there when the rehearsal has ended."""


@dataclass(slots=True)
class Book:
    """One plan's last rehearsal."""

    revision: int
    network: bool
    calls: dict[OperationId, CommandCall]
    rows: dict[OperationId, Rehearsed] = field(default_factory=dict)
    rehearsal: Rehearsal | None = None
    """There when it has ended well."""
    recorded_from: int = 0
    """The revision whose commands gave way to recorded effects; zero when none did."""


class RehearsalFollower(QObject):
    """Results belong to the revision that was rehearsed; on any other page they are stale."""

    changed = Signal()
    """Something that is said about the rehearsal as a whole."""
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
        """Commands on screen whose effects can take their place."""
        book = self.book
        if book is None or self.is_stale:
            return ()
        return tuple(name for name, row in book.rows.items() if row.is_settled and not row.refusal and not row.problem)

    def show_page(self, page: PlanPage | None) -> None:
        self._page = page
        self._tell()

    def begin(self, page: PlanPage, *, network: bool) -> None:
        """The person asked for a rehearsal of this page."""
        version = page.version
        self._books[version.plan_id] = Book(version.revision, network, _calls(page))
        self.under_way, self._has_started = version.plan_id, False
        self._wait_in_line(self._books[version.plan_id])
        self._tell()

    def follow(self, event: TandemEvent) -> None:
        """Of another rehearsal, or of one that is over, nothing is heard."""
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

    def finish(self, rehearsal: Rehearsal, views: Mapping[OperationId, tuple[OperationView, ...]]) -> None:
        """All that came of it."""
        self._settle(rehearsal, views)
        self._end()

    def _settle(self, rehearsal: Rehearsal, views: Mapping[OperationId, tuple[OperationView, ...]]) -> None:
        book = self._books[rehearsal.plan_id]
        book.rehearsal = rehearsal
        book.rows = {each.id: _settled(each, rehearsal.revision, views[each.id]) for each in rehearsal.commands}
        for problem in rehearsal.problems:
            name = OperationId(problem.step)
            book.rows[name] = Rehearsed(revision=rehearsal.revision, problem=problem.reason, is_settled=True)

    def remember(self, rehearsal: Rehearsal, views: Mapping[OperationId, tuple[OperationView, ...]]) -> None:
        """What was kept of an earlier rehearsal; whatever was seen of one since is newer."""
        page = self._page
        here = page is not None and (page.version.plan_id, page.version.revision) == (
            rehearsal.plan_id,
            rehearsal.revision,
        )
        if page is None or not here or self.book is not None:
            return
        self._books[rehearsal.plan_id] = Book(rehearsal.revision, rehearsal.network, _calls(page))
        self._settle(rehearsal, views)
        self._tell()

    def fail(self) -> None:
        """It was stopped or could not be; nothing is known."""
        if self.under_way is not None:
            self._books.pop(self.under_way, None)
        self._end()

    def recorded(self, plan_id: PlanId, chosen: tuple[OperationId, ...], revision: int) -> None:
        """Effects took the place of commands: what the others did in the copy they did after exactly these."""
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
        """They run one after the other: the first that waits is under way."""
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
    return {each.id: each.call for each in page.version.operations if each.call is not None}


def _settled(command: RehearsedCommand, revision: int, effects: tuple[OperationView, ...]) -> Rehearsed:
    return Rehearsed(
        revision=revision,
        output=command.output,
        exit_code=command.exit_code,
        seconds=command.seconds,
        count=len(command.effects),
        effects=tuple(map(_in_the_copy, effects)),
        error=command.error or "",
        doubts=command.doubts,
        refusal=why_not_recordable(command),
        is_settled=True,
    )


def _in_the_copy(view: OperationView) -> OperationView:
    """Nothing is recorded yet, and none of the words about it are the agent's."""
    return replace(view, operation=view.operation.model_copy(update={"recorded_from": "", "description": ""}))
