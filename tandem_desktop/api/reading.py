"""What the API shows: the stored plans, tasks and runs, put into the shapes of the wire."""

from tandem_desktop.api import wire
from tandem_desktop.domain.advised_plan import AdvisedPlan
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import PlanNotFoundError, RunNotFoundError
from tandem_desktop.domain.ids import OperationId, PlanId, SessionId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.tasks import TrackedTask
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.tasks.task_board import TaskBoard


class Reading:
    """Answers from the store, never from memory. Every call reads files: not for the event loop."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def plan_of(self, session_id: str) -> PlanId:
        """The plan a session works on, or worked on last.

        Raises:
            PlanNotFoundError: there is no such session, or it has no plan.
        """
        plan_id = self._engine.plans.plan_of(SessionId(session_id))
        if plan_id is None:
            raise _no_plan(session_id)
        return plan_id

    def plan(self, session_id: str) -> wire.PlanAnswer:
        plan_id = self.plan_of(session_id)
        version, board = self._version(plan_id)
        return wire.PlanAnswer(plan=self._plan(version, board), progress=progress(board))

    def revisions(self, session_id: str) -> wire.RevisionsAnswer:
        """Every revision of the plan of a session, oldest first.

        Raises:
            PlanNotFoundError: there is no such session, or it has no plan.
        """
        found = self._engine.plans.get_revisions(SessionId(session_id))
        if not found:
            raise _no_plan(session_id)
        return wire.RevisionsAnswer(revisions=tuple(map(self._revision, found)))

    def revision(self, session_id: str, number: str) -> wire.RevisionAnswer:
        """One revision of the plan of a session.

        Raises:
            PlanNotFoundError: there is no such session, or no such revision of its plan.
        """
        is_number = number.isascii() and number.isdigit() and len(number) < 10
        found = self._engine.plans.get_revision(SessionId(session_id), int(number)) if is_number else None
        if found is None:
            raise PlanNotFoundError(
                f"There is no revision {number[:80]!r} of a plan of the session {session_id[:80]!r} here.",
                next=f"See them with: GET /chat/agents/{session_id[:80]}/plan/revisions",
            )
        return wire.RevisionAnswer(revision=self._revision(found))

    def tasks(self, session_id: str) -> wire.TasksAnswer:
        """In the order they can be done."""
        _, board = self._version(self.plan_of(session_id))
        return wire.TasksAnswer(tasks=tasks(board), progress=progress(board))

    def tracked(self, plan_id: PlanId) -> tuple[TrackedTask, ...]:
        """The tasks of a plan as they stand, in the order they can be done."""
        return self._version(plan_id)[1].get_tasks_in_order()

    def plans(self) -> wire.PlansAnswer:
        listing = self._engine.listing()
        return wire.PlansAnswer(
            plans=tuple(wire.ListedPlanObject.model_validate(each) for each in listing.plans),
            damaged=tuple(wire.DamagedPlanObject.model_validate(each) for each in listing.damaged),
        )

    def history(self, session_id: str) -> wire.PlansAnswer:
        """Every plan of a session, newest first; raises as `plan_of` does."""
        self.plan_of(session_id)
        ours = set(self._engine.plans.plans_of(SessionId(session_id)))
        plans = (each for each in self._engine.listing().plans if each.plan_id in ours)
        return wire.PlansAnswer(plans=tuple(map(wire.ListedPlanObject.model_validate, plans)), damaged=())

    def runs(self) -> wire.RunsAnswer:
        return wire.RunsAnswer(runs=tuple(_run(each) for each in self._engine.runs.runs()))

    def run(self, run_id: str) -> wire.RunAnswer:
        """One run with its results.

        Raises:
            RunNotFoundError: there is none of this id.
        """
        found = next((each for each in self._engine.runs.runs() if each.record.run_id == run_id), None)
        if found is None:
            raise RunNotFoundError(f"There is no run {run_id[:80]!r} here.", next="See them with: GET /runs")
        results = self._engine.runs.results_of(found.record.run_id)
        return wire.RunAnswer(
            run=_run(found), results=tuple(wire.ResultObject.model_validate(each) for each in results)
        )

    def _version(self, plan_id: PlanId) -> tuple[PlanVersion, TaskBoard]:
        version = self._engine.plans.revision(plan_id)
        return version, self._engine.boards.board(version)

    def _operations(self, version: PlanVersion) -> tuple[wire.OperationObject, ...]:
        beside = self._engine.beside(version)
        return tuple(_operation(view, beside.get(view.operation.id, ())) for view in self._engine.view(version))

    def _revision(self, version: PlanVersion) -> wire.RevisionObject:
        return wire.RevisionObject(
            id=version.id,
            plan_id=version.plan_id,
            revision=version.revision,
            parent_revision=version.parent_revision,
            origin=version.origin,
            title=version.title,
            summary=version.content,
            operations=self._operations(version),
            created_at=version.created_at,
            digest=ApprovalHash.of(version).combined_hash,
        )

    def _plan(self, version: PlanVersion, board: TaskBoard) -> wire.PlanObject:
        meta = self._engine.meta(version.plan_id)
        advised = AdvisedPlan.of(version, meta)
        chapo, koda, devo = advised.chapo_perspective, advised.koda_perspective, advised.devo_perspective
        return wire.PlanObject(
            plan_id=version.plan_id,
            session_id=version.session_id,
            status=meta.status,
            phase=advised.phase,
            chapo_perspective=chapo and wire.ChapoObject.model_validate(chapo),
            koda_perspective=koda and wire.KodaObject.model_validate(koda),
            devo_perspective=devo and wire.DevoObject.model_validate(devo),
            estimated_duration=advised.estimated_duration,
            overall_risk=advised.overall_risk,
            title=version.title,
            summary=version.content,
            revision=version.revision,
            digest=ApprovalHash.of(version).combined_hash,
            operations=self._operations(version),
            tasks=tasks(board),
            warnings=version.warnings,
            incomplete=version.incomplete,
            drifted=version.drifted,
            planner_model=meta.planner_model,
            executor_model=meta.executor_model,
            run_id=meta.execution_session,
            approved_at=advised.approved_at,
            rejected_at=advised.rejected_at,
            rejection_reason=advised.rejection_reason,
            created_at=version.created_at,
            updated_at=meta.updated_at,
        )


def _no_plan(session_id: str) -> PlanNotFoundError:
    return PlanNotFoundError(
        f"There is no plan of the session {session_id[:80]!r} here.", next="See the plans with: GET /plans"
    )


def tasks(board: TaskBoard) -> tuple[wire.TaskObject, ...]:
    return tuple(wire.TaskObject.model_validate(task) for task in board.get_tasks_in_order())


def progress(board: TaskBoard) -> wire.ProgressObject:
    return wire.ProgressObject.model_validate(board.get_task_progress())


def _operation(view: OperationView, beside: tuple[OperationId, ...]) -> wire.OperationObject:
    staged = view.operation
    return wire.OperationObject(
        id=staged.id,
        kind=staged.kind,
        path=staged.path,
        to=staged.to,
        command=staged.command,
        added=view.added,
        removed=view.removed,
        flags=tuple(flag.value for flag in view.flags),
        description=staged.description,
        task=staged.task,
        blocked_by=staged.blocked_by,
        beside=beside,
    )


def _run(found: ListedRun) -> wire.RunObject:
    record = found.record
    return wire.RunObject(
        run_id=record.run_id,
        plan_id=record.plan_id,
        revision=record.revision,
        kind=record.kind,
        of=record.of,
        status=found.status,
        rolled_back=record.rolled_back,
        started_at=record.started_at,
        ended_at=record.ended_at,
        undoable=found.undoable,
        summary=record.summary,
    )
