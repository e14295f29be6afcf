"""Generates, executes, reflects and adjusts until a task is done."""

import asyncio
import contextlib
import logging
import threading
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from tandem_desktop.domain.advice import Advice, Question, Result
from tandem_desktop.domain.errors import BusyError, TandemError, UserAbortError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import (
    OperationFinished,
    OrchestrationEnded,
    OrchestrationMoved,
    OrchestrationStarted,
    PlanCancelled,
    PlanExecutionCompleted,
    PlanExecutionStarted,
    PlanExpired,
    PlanProposed,
    PlanRejected,
    PlanStepCompleted,
    PlanStepReady,
    PlanSuperseded,
    RunFinished,
    RunStarted,
    TandemEvent,
)
from tandem_desktop.domain.ids import PlanId, RunId, SessionId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.plan_steps import ExecutionPlan, ExecutionStep, StepStatus
from tandem_desktop.domain.ports import AdvisorPort
from tandem_desktop.domain.reflection import (
    Assessment,
    Orchestration,
    OrchestrationOutcome,
    OrchestrationStage,
    Reflection,
)
from tandem_desktop.domain.review import NO_LOCK_FILES, LockFileReview
from tandem_desktop.domain.runs import FailurePolicy, RunResult, RunStatus
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.generator import PlanGenerator
from tandem_desktop.services.reflector import PlanReflector

_SETTLED = frozenset({StepStatus.COMPLETED, StepStatus.FAILED, StepStatus.SKIPPED, StepStatus.CANCELLED})


class ExecutionEvents:
    """Publishes the events of the runs of one plan from its first execution until `end`."""

    def __init__(self, events: EventStream, plan_id: PlanId) -> None:
        self._events = events
        self._plan_id = plan_id
        self._plan: ExecutionPlan | None = None
        self._run_id: RunId | None = None
        self._begun = False
        self._told: set[str] = set()
        self._over = threading.Event()
        self._is_ours = False
        """Whether the run under way is of the revision that was begun."""
        self._unsubscribe = events.subscribe(self._on_event)

    def begin(self, version: PlanVersion) -> None:
        """A revision is about to run."""
        self._plan = ExecutionPlan.of(version, PlanStatus.EXECUTING)
        self._told.clear()
        self._over.clear()

    def wait(self, seconds: float = 60) -> bool:
        """Until everything of the run that has ended was told, so that what follows comes after it."""
        return self._over.wait(seconds)

    def end(self, status: PlanStatus, cycles: int) -> None:
        """The plan ended; nothing is published for one that never ran."""
        self._unsubscribe()
        if self._begun and self._plan is not None:
            revision = self._plan.revision
            self._events.publish(
                PlanExecutionCompleted(plan_id=self._plan_id, revision=revision, status=status, cycles=cycles)
            )

    def _on_event(self, event: TandemEvent) -> None:
        if isinstance(event, RunStarted) and event.plan_id == self._plan_id:
            self._run_id = event.run_id
            self._is_ours = self._plan is not None and event.revision == self._plan.revision
            if self._is_ours:
                self._started()
        elif isinstance(event, OperationFinished) and event.run_id == self._run_id and self._is_ours:
            self._finished(event)
        elif isinstance(event, RunFinished) and event.run_id == self._run_id:
            self._over.set()

    def _started(self) -> None:
        plan = self._plan
        if plan is None:
            return
        if not self._begun:
            self._begun = True
            self._events.publish(
                PlanExecutionStarted(plan_id=plan.plan_id, revision=plan.revision, steps=len(plan.steps))
            )
        self._tell_ready()
        for step in plan.ready():
            if step.changes_nothing:  # a thought is done when the plan is approved
                self._settle(step.mark_completed())
        self._tell_ready()

    def _finished(self, event: OperationFinished) -> None:
        if self._plan is None:
            return
        before = self._plan.step(event.result.id).status
        self._plan = self._plan.with_result(event.result)
        step = self._plan.step(event.result.id)
        if step.status in _SETTLED and step.status is not before:  # a command's effects and its end are one step
            self._settle(step)
            self._tell_ready()

    def _settle(self, step: ExecutionStep) -> None:
        assert self._plan is not None
        self._plan = self._plan.with_step(step)
        self._events.publish(
            PlanStepCompleted(
                plan_id=self._plan_id,
                revision=self._plan.revision,
                step_id=step.id,
                status=step.status,
                error=step.error,
            )
        )

    def _tell_ready(self) -> None:
        assert self._plan is not None
        ready = tuple(step.id for step in self._plan.ready() if step.id not in self._told)
        if ready:
            self._told.update(ready)
            self._events.publish(PlanStepReady(plan_id=self._plan_id, revision=self._plan.revision, step_ids=ready))


_log = logging.getLogger(__name__)
_Answer = TypeVar("_Answer")


class UserGate(Protocol):
    """The person who decides. Without an answer the plan stays as it is."""

    async def approve(self, version: PlanVersion) -> "GivenApproval | RunUnderWay | None":
        """What was approved here, the run that an approval elsewhere started, or None."""

    async def choose(self, reflection: Reflection) -> tuple[int, ...] | PlanVersion | None:
        """The numbers of the accepted adjustments, the revision that was made of them elsewhere, or None."""


@dataclass(frozen=True, slots=True)
class GivenApproval:
    """The digest the person gave, and which lock files they opened or skipped."""

    digest: str
    lock_files: LockFileReview = NO_LOCK_FILES


@dataclass(frozen=True, slots=True)
class RunUnderWay:
    """A run that was not started by the orchestrator."""

    run_id: RunId


class FollowingUserGate:
    """Takes decisions from the events of the window or the API, where they are made as for any other plan."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._loop = asyncio.get_running_loop()
        self._decisions: asyncio.Queue[_Decided] = asyncio.Queue()
        self._unsubscribe = engine.events.subscribe(self._on_event)

    async def approve(self, version: PlanVersion) -> RunUnderWay | None:
        event = await self._next(version.plan_id, RunStarted, *_ENDINGS)
        return RunUnderWay(event.run_id) if isinstance(event, RunStarted) else None

    async def choose(self, reflection: Reflection) -> PlanVersion | None:
        event = await self._next(reflection.plan_id, PlanProposed, RunStarted, *_ENDINGS)
        if not isinstance(event, PlanProposed):
            return None
        return await asyncio.to_thread(self._engine.plans.revision, event.plan_id, event.revision)

    def close(self) -> None:
        self._unsubscribe()

    async def _next(self, plan_id: PlanId, *kinds: type) -> "_Decided":
        while True:
            event = await self._decisions.get()
            if event.plan_id == plan_id and isinstance(event, kinds):
                return event

    def _on_event(self, event: TandemEvent) -> None:
        if isinstance(event, _Decided):
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._decisions.put_nowait, event)


_ENDINGS = (PlanRejected, PlanCancelled, PlanSuperseded, PlanExpired)
_Decided = RunStarted | PlanProposed | PlanRejected | PlanCancelled | PlanSuperseded | PlanExpired


class PlanOrchestrator:
    """Takes one task through all stages. It approves nothing itself; its result is what is stored."""

    def __init__(
        self,
        engine: Engine,
        generator: PlanGenerator,
        reflector: PlanReflector,
        person: UserGate,
        *,
        policy: FailurePolicy = FailurePolicy.ROLLBACK,
    ) -> None:
        self._engine = engine
        self._generator = generator
        self._reflector = reflector
        self._person = person
        self._policy = policy
        self._control = RunControl()
        self._aborted = asyncio.Event()
        self._going = asyncio.Event()
        self._going.set()
        self._loop = asyncio.get_running_loop()
        self._stage = OrchestrationStage.GENERATING
        self._session_id: SessionId | None = None
        self._version: PlanVersion | None = None
        self._story: ExecutionEvents | None = None
        self._reflection: Reflection | None = None
        self._cycles = 0

    @classmethod
    def advised_by(
        cls, engine: Engine, advisor: AdvisorPort, person: UserGate, policy: FailurePolicy
    ) -> "PlanOrchestrator":
        """One whose generator and reflector ask the same advisor."""
        remembered = RememberedAdvice(advisor)
        return cls(engine, engine.generator(remembered), PlanReflector(remembered), person, policy=policy)

    def is_about(self, plan_id: PlanId) -> bool:
        """Whether it leads this plan."""
        return self._version is not None and self._version.plan_id == plan_id

    def abort(self) -> None:
        """Stop gracefully, from any thread: a run ends before its next operation, anything else at once."""
        self._control.abort()
        self._loop.call_soon_threadsafe(self._aborted.set)

    def pause(self) -> None:
        """Wait, from any thread: a run before its next operation, the rest before its next stage."""
        self._control.pause()
        self._loop.call_soon_threadsafe(self._going.clear)

    def resume(self) -> None:
        self._control.resume()
        self._loop.call_soon_threadsafe(self._going.set)

    async def run(self, task: str, context: str = "", session_id: SessionId | None = None) -> Orchestration:
        """Never raises for what a model, a run or a person does; the answer says how it ended."""
        self._session_id = session_id
        self._engine.events.publish(OrchestrationStarted(task=task, session_id=session_id))
        critical, problem = False, ""
        try:
            outcome, problem = await self._go(task, context)
        except UserAbortError as stop:
            outcome, problem = OrchestrationOutcome.ABORTED, stop.message
        except TandemError as failure:
            outcome, problem = OrchestrationOutcome.FAILED, f"{failure.message} {failure.next}".strip()
        except Exception as bug:
            _log.exception("An orchestration broke.")
            outcome, problem, critical = (
                OrchestrationOutcome.FAILED,
                f"Something went wrong inside Tandem: {bug!r}.",
                True,
            )
        return self._ended(task, outcome, problem, critical=critical)

    async def _go(self, task: str, context: str) -> tuple[OrchestrationOutcome, str]:
        version = await self._at(
            OrchestrationStage.GENERATING,
            lambda: self._generator.generate(task, context, session_id=self._session_id),
        )
        self._version = version
        self._story = ExecutionEvents(self._engine.events, version.plan_id)
        if version.incomplete:
            return OrchestrationOutcome.WAITING, version.incomplete
        if not version.operations:
            return OrchestrationOutcome.WAITING, "The plan has no operations: there is nothing to run."
        while True:
            ended = await self._execute(version)
            if ended is None:
                return OrchestrationOutcome.WAITING, "The plan waits for an approval."
            status = ended.record.status
            if status is RunStatus.COMPLETED:
                return OrchestrationOutcome.COMPLETED, await self._reflect_on_success(ended)
            if status is not RunStatus.FAILED:
                return OrchestrationOutcome.ABORTED, ended.record.summary
            if why := self._why_not_reflect():
                return why
            adjusted = await self._reflect(ended)
            if isinstance(adjusted, tuple):
                return adjusted
            version = self._version = adjusted
            self._cycles += 1

    async def _execute(self, version: PlanVersion) -> RunResult | None:
        assert self._story is not None
        self._story.begin(version)
        decided = await self._at(OrchestrationStage.AWAITING_APPROVAL, lambda: self._person.approve(version))
        if decided is None:
            return None
        if isinstance(decided, RunUnderWay):
            run_id = decided.run_id
            return await self._at(OrchestrationStage.EXECUTING, lambda: self._followed(run_id))
        self._engine.decisions.approve(version.plan_id, decided.digest, lock_files=decided.lock_files)
        ended = await self._at(OrchestrationStage.EXECUTING, lambda: self._apply(version))
        await asyncio.to_thread(self._story.wait)
        return ended

    async def _apply(self, version: PlanVersion) -> RunResult:
        return await asyncio.to_thread(self._engine.runs.apply, version.plan_id, self._policy, self._control)

    async def _followed(self, run_id: RunId) -> RunResult:
        """The result of a run that was not started by the orchestrator."""
        assert self._story is not None
        while not await asyncio.to_thread(self._story.wait, 1.0):
            if self._aborted.is_set():
                raise UserAbortError(f"Stopped while {run_id} was under way.")
        runs = self._engine.runs
        return RunResult(*await asyncio.to_thread(lambda: (runs.record(run_id), runs.results_of(run_id))))

    def _why_not_reflect(self) -> tuple[OrchestrationOutcome, str] | None:
        assert self._version is not None
        settings, plan_id = self._engine.settings, self._version.plan_id
        simple = settings.reflection == "unless_simple" and self._engine.reflections.is_simple(plan_id)
        if settings.reflection == "off" or simple:
            return OrchestrationOutcome.FAILED, "The run failed, and reflection is off" + (
                " for simple tasks." if simple else "."
            )
        most = self._engine.reflections.max_cycles
        if self._cycles >= most:
            return (
                OrchestrationOutcome.MAX_CYCLES,
                f"The run failed, and the plan was adjusted {self._cycles} times; that is the most.",
            )
        return None

    async def _reflect_on_success(self, ended: RunResult) -> str:
        """The reflector's objections to a completed run; the run stays completed."""
        settings, reflections = self._engine.settings, self._engine.reflections
        simple = settings.reflection == "unless_simple" and reflections.is_simple(ended.record.plan_id)
        if settings.reflection == "off" or settings.reflection_after_success == "off" or simple:
            return ""
        snapshot = reflections.snapshot(ended.record.run_id)
        try:
            reflected = await self._at(OrchestrationStage.REFLECTING, lambda: self._reflector.reflect(snapshot))
        except UserAbortError:
            return "The run completed; looking back at it was stopped."
        found = self._reflection = reflections.keep(snapshot, reflected)
        if found.assessment in (Assessment.COMPLETE, Assessment.ON_TRACK):
            return ""
        assessment = found.assessment.value.replace("_", " ")
        return f"The run completed. Looking back at it ({assessment}): {found.reasoning}"

    async def _reflect(self, ended: RunResult) -> PlanVersion | tuple[OrchestrationOutcome, str]:
        """The next revision, or how it ends."""
        reflections = self._engine.reflections
        snapshot = reflections.snapshot(ended.record.run_id)
        reflected = await self._at(OrchestrationStage.REFLECTING, lambda: self._reflector.reflect(snapshot))
        self._reflection = reflections.keep(snapshot, reflected)
        if self._reflection.assessment is Assessment.UNKNOWN:
            return OrchestrationOutcome.UNKNOWN, self._reflection.reasoning
        if self._reflection.assessment.is_terminal or not self._reflection.adjustments:
            return OrchestrationOutcome.FAILED, self._reflection.reasoning
        found = self._reflection
        numbers = await self._at(OrchestrationStage.AWAITING_ADJUSTMENTS, lambda: self._person.choose(found))
        if not numbers:
            return OrchestrationOutcome.WAITING, "No adjustment was accepted."
        if isinstance(numbers, PlanVersion):
            return numbers
        self._reflection = reflections.decide(ended.record.run_id, numbers)
        return reflections.make_revision(ended.record.run_id)

    async def _at(self, stage: OrchestrationStage, work: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """Do the work of a stage, unless it is stopped; a run that is stopped comes to its own end."""
        self._stage = stage
        plan_id = self._version.plan_id if self._version else None
        self._engine.events.publish(
            OrchestrationMoved(stage=stage, plan_id=plan_id, cycle=self._cycles, session_id=self._session_id)
        )
        stopped = asyncio.ensure_future(self._aborted.wait())
        working = asyncio.ensure_future(self._when_going(work))
        try:
            await asyncio.wait({working, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if stopped.done() and not working.done() and stage is not OrchestrationStage.EXECUTING:
                raise UserAbortError(f"Stopped while {stage.value.replace('_', ' ')}.")
            return await working
        finally:
            stopped.cancel()
            if not working.done():
                working.cancel()
                await asyncio.wait({working})

    async def _when_going(self, work: Callable[[], Awaitable[_Answer]]) -> _Answer:
        await self._going.wait()
        return await work()

    def _ended(self, task: str, outcome: OrchestrationOutcome, problem: str, *, critical: bool) -> Orchestration:
        plan = self._stored_plan()
        if plan is not None and critical:
            plan = plan.mark_failed()
        plan_id = plan.plan_id if plan else None
        if self._story is not None:
            self._story.end(plan.status if plan else PlanStatus.FAILED, self._cycles)
        self._engine.events.publish(
            OrchestrationEnded(
                plan_id=plan_id, outcome=outcome, cycles=self._cycles, problem=problem, session_id=self._session_id
            )
        )
        return Orchestration(
            task=task,
            outcome=outcome,
            stage=self._stage,
            plan=plan,
            cycles=self._cycles,
            reflection=self._reflection,
            problem=problem,
        )

    def _stored_plan(self) -> ExecutionPlan | None:
        if self._version is None:
            return None
        version = self._engine.plans.revision(self._version.plan_id)
        status = self._engine.plans.meta(version.plan_id).status
        return ExecutionPlan.of(version, status, self._engine.runs.results(version))


class OrchestrationService:
    """Runs one orchestration at a time whose decisions are made elsewhere. On the event loop, except `is_about`."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._orchestrator: PlanOrchestrator | None = None

    @property
    def is_under_way(self) -> bool:
        return self._orchestrator is not None

    def is_about(self, plan_id: PlanId) -> bool:
        """Whether an orchestration leads this plan."""
        orchestrator = self._orchestrator
        return orchestrator is not None and orchestrator.is_about(plan_id)

    def stop(self) -> None:
        """From any thread; a plan that waits goes on waiting."""
        if (orchestrator := self._orchestrator) is not None:
            orchestrator.abort()

    async def run(
        self, advisor: AdvisorPort, task: str, context: str = "", session_id: SessionId | None = None
    ) -> Orchestration:
        """Raises BusyError: one is under way."""
        if self._orchestrator is not None:
            raise BusyError("A task is orchestrated already.", next="Wait for its end, or stop it.")
        gate = FollowingUserGate(self._engine)
        policy = FailurePolicy(self._engine.settings.on_failure)
        self._orchestrator = PlanOrchestrator.advised_by(self._engine, advisor, gate, policy)
        try:
            return await self._orchestrator.run(task, context, session_id)
        finally:
            self._orchestrator = None
            gate.close()


class RememberedAdvice:
    """Caches successful answers. Failures are not cached."""

    def __init__(self, advisor: AdvisorPort) -> None:
        self._advisor = advisor
        self._known: dict[tuple[str, str, str, type], Advice[Any]] = {}
        self._one_at_a_time = asyncio.Lock()

    def together(self) -> AbstractAsyncContextManager[None]:
        return self._advisor.together()

    async def ask(self, question: Question[Result]) -> Advice[Result]:
        key = (question.role, question.prompt, question.tool, question.result)
        async with self._one_at_a_time:
            known: Advice[Result] | None = self._known.get(key)
            if known is not None and _makes_sense(question, known):
                return known
            self._known[key] = advice = await self._advisor.ask(question)
            return advice


def _makes_sense(question: Question[Result], known: Advice[Result]) -> bool:
    """What was a good answer then need not be one now."""
    try:
        question.check(known.result)
    except TandemError:
        return False
    return True
