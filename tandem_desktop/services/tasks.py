"""Task status of stored plans and running plans."""

from collections.abc import Callable, Iterable
from datetime import datetime

from tandem_desktop.domain.errors import PlanError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import PlanProposed, RunFinished, TandemEvent, TaskCreated, TasksListed, task_news
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.tasks import TrackedTask
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.services.runs import PlanRuns, RunTasks, standing
from tandem_desktop.tasks.board import TaskBoard


class TaskBoards:
    """The board of a revision: of one that runs in this process the live one, else laid out from what is stored."""

    def __init__(
        self, plans: PlanStore, runs: PlanRuns, events: EventStream, clock: Callable[[], datetime], tasks: RunTasks
    ) -> None:
        self._plans = plans
        self._runs = runs
        self._events = events
        self._clock = clock
        self._tasks = tasks
        events.subscribe(self._on_event)

    def board(self, version: PlanVersion) -> TaskBoard:
        """The tasks of a revision. What nobody watched has the times of its run."""
        return self._tasks.of(version) or self._stored(version)

    def _stored(self, version: PlanVersion) -> TaskBoard:
        results = self._runs.results(version) if version.tasks else ()
        run_id = self._plans.meta(version.plan_id).execution_session if results else None
        record = self._runs.record(run_id) if run_id is not None else None
        return TaskBoard(version.plan_id, self._clock, standing(version, results, record))

    def _on_event(self, event: TandemEvent) -> None:
        if isinstance(event, PlanProposed):
            if event.tasks:
                self._proposed(event)
        elif isinstance(event, RunFinished):
            self._ended(event)

    def _ended(self, event: RunFinished) -> None:
        """What was rolled back or never begun is known only now."""
        live = self._tasks.end(event.run_id)
        if live is None:
            return
        try:
            stored = self._stored(live.version)
        except PlanError:  # deleted by hand while its run went on
            return
        told = {task.id: task.status for task in live.board.get_tasks()}
        self._tell(task for task in stored.get_tasks() if task.status is not told[task.id])
        self._list(stored)

    def _proposed(self, event: PlanProposed) -> None:
        """Tasks that the revision before did not have are new."""
        try:
            version = self._plans.revision(event.plan_id, event.revision)
            parent = version.parent_revision
            known = self._plans.revision(event.plan_id, parent).tasks if parent is not None else ()
            board = self._stored(version)
        except PlanError:  # deleted by hand meanwhile
            return
        before = {task.id for task in known}
        for task in board.get_tasks():
            if task.id not in before:
                self._events.publish(TaskCreated(plan_id=event.plan_id, task=task))
        if version.tasks != known:
            self._list(board)

    def _tell(self, moved: Iterable[TrackedTask]) -> None:
        for task in moved:
            self._events.publish(task_news(task))

    def _list(self, board: TaskBoard) -> None:
        self._events.publish(TasksListed(plan_id=board.plan_id, tasks=board.get_tasks_in_order()))
