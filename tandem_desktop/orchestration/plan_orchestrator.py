"""A task from its plan to its end: generate, execute, reflect, adjust, and again; a person decides at every gate."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from tandem_desktop.domain.errors import TandemError, UserAbortError
from tandem_desktop.domain.execution import FailurePolicy, RunStatus
from tandem_desktop.domain.execution_plan import ExecutionPlan
from tandem_desktop.domain.orchestration import Orchestration, Outcome, Stage
from tandem_desktop.domain.plan import PlanStatus, PlanVersion
from tandem_desktop.domain.reflection import Assessment, Reflection
from tandem_desktop.events.events import OrchestrationEnded, OrchestrationMoved, OrchestrationStarted
from tandem_desktop.execution.control import RunControl
from tandem_desktop.execution.plan_executor import RunResult
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.execution_story import ExecutionStory
from tandem_desktop.orchestration.plan_generator import PlanGenerator
from tandem_desktop.reflection.plan_reflector import PlanReflector

_log = logging.getLogger(__name__)
_Answer = TypeVar("_Answer")


class Person(Protocol):
    """Whoever decides. No answer is an answer: then the plan waits as it is."""

    async def approve(self, version: PlanVersion) -> str | None:
        """The digest of what was looked at and approved, or nothing."""

    async def choose(self, reflection: Reflection) -> tuple[int, ...] | None:
        """The numbers of the accepted adjustments, or nothing."""


class PlanOrchestrator:
    """Takes one task its whole way. It approves nothing itself, and what it ends with is what is stored."""

    def __init__(
        self,
        engine: Engine,
        generator: PlanGenerator,
        reflector: PlanReflector,
        person: Person,
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
        self._stage = Stage.GENERATING
        self._version: PlanVersion | None = None
        self._story: ExecutionStory | None = None
        self._reflection: Reflection | None = None
        self._cycles = 0

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

    async def run(self, task: str, context: str = "") -> Orchestration:
        """Never raises for what a model, a run or a person does; the answer says how it ended."""
        self._engine.events.publish(OrchestrationStarted(task=task))
        critical, problem = False, ""
        try:
            outcome, problem = await self._go(task, context)
        except UserAbortError as stop:
            outcome, problem = Outcome.ABORTED, stop.message
        except TandemError as failure:
            outcome, problem = Outcome.FAILED, f"{failure.message} {failure.next}".strip()
        except Exception as bug:
            _log.exception("An orchestration broke.")
            outcome, problem, critical = Outcome.FAILED, f"Something went wrong inside Tandem: {bug!r}.", True
        return self._ended(task, outcome, problem, critical=critical)

    async def _go(self, task: str, context: str) -> tuple[Outcome, str]:
        version = await self._at(Stage.GENERATING, lambda: self._generator.generate(task, context))
        self._version = version
        self._story = ExecutionStory(self._engine.events, version.plan_id)
        if version.incomplete:
            return Outcome.WAITING, version.incomplete
        if not version.operations:
            return Outcome.WAITING, "The plan has no operations: there is nothing to run."
        while True:
            ended = await self._execute(version)
            if ended is None:
                return Outcome.WAITING, "The plan waits for an approval."
            status = ended.record.status
            if status is RunStatus.COMPLETED:
                return Outcome.COMPLETED, await self._reflect_on_success(ended)
            if status is not RunStatus.FAILED:
                return Outcome.ABORTED, ended.record.summary
            if why := self._why_not_reflect():
                return why
            adjusted = await self._reflect(ended)
            if isinstance(adjusted, tuple):
                return adjusted
            version = self._version = adjusted
            self._cycles += 1

    async def _execute(self, version: PlanVersion) -> RunResult | None:
        digest = await self._at(Stage.AWAITING_APPROVAL, lambda: self._person.approve(version))
        if digest is None:
            return None
        self._engine.decisions.approve(version.plan_id, digest)
        assert self._story is not None
        self._story.begin(version)
        ended = await self._at(Stage.EXECUTING, lambda: self._apply(version))
        await asyncio.to_thread(self._story.wait)
        return ended

    async def _apply(self, version: PlanVersion) -> RunResult:
        return await asyncio.to_thread(self._engine.runs.apply, version.plan_id, self._policy, self._control)

    def _why_not_reflect(self) -> tuple[Outcome, str] | None:
        assert self._version is not None
        settings, plan_id = self._engine.settings, self._version.plan_id
        simple = settings.reflection == "unless_simple" and self._engine.reflections.is_simple(plan_id)
        if settings.reflection == "off" or simple:
            return Outcome.FAILED, "The run failed, and reflection is off" + (" for simple tasks." if simple else ".")
        most = self._engine.reflections.max_cycles
        if self._cycles >= most:
            return (
                Outcome.MAX_CYCLES,
                f"The run failed, and the plan was adjusted {self._cycles} times; that is the most.",
            )
        return None

    async def _reflect_on_success(self, ended: RunResult) -> str:
        """What the reflector has to object to a run that completed; whatever it says, the run is completed."""
        settings, reflections = self._engine.settings, self._engine.reflections
        simple = settings.reflection == "unless_simple" and reflections.is_simple(ended.record.plan_id)
        if settings.reflection == "off" or settings.reflection_after_success == "off" or simple:
            return ""
        snapshot = reflections.snapshot(ended.record.run_id)
        try:
            reflected = await self._at(Stage.REFLECTING, lambda: self._reflector.reflect(snapshot))
        except UserAbortError:
            return "The run completed; looking back at it was stopped."
        found = self._reflection = reflections.keep(snapshot, reflected)
        if found.assessment in (Assessment.COMPLETE, Assessment.ON_TRACK):
            return ""
        assessment = found.assessment.value.replace("_", " ")
        return f"The run completed. Looking back at it ({assessment}): {found.reasoning}"

    async def _reflect(self, ended: RunResult) -> PlanVersion | tuple[Outcome, str]:
        """The next revision, or how it ends."""
        reflections = self._engine.reflections
        snapshot = reflections.snapshot(ended.record.run_id)
        reflected = await self._at(Stage.REFLECTING, lambda: self._reflector.reflect(snapshot))
        self._reflection = reflections.keep(snapshot, reflected)
        if self._reflection.assessment is Assessment.UNKNOWN:
            return Outcome.UNKNOWN, self._reflection.reasoning
        if self._reflection.assessment.is_terminal or not self._reflection.adjustments:
            return Outcome.FAILED, self._reflection.reasoning
        found = self._reflection
        numbers = await self._at(Stage.AWAITING_ADJUSTMENTS, lambda: self._person.choose(found))
        if not numbers:
            return Outcome.WAITING, "No adjustment was accepted."
        self._reflection = reflections.decide(ended.record.run_id, numbers)
        return reflections.make_revision(ended.record.run_id)

    async def _at(self, stage: Stage, work: Callable[[], Awaitable[_Answer]]) -> _Answer:
        """Do the work of a stage, unless it is stopped; a run that is stopped comes to its own end."""
        self._stage = stage
        plan_id = self._version.plan_id if self._version else None
        self._engine.events.publish(OrchestrationMoved(stage=stage, plan_id=plan_id, cycle=self._cycles))
        stopped = asyncio.ensure_future(self._aborted.wait())
        working = asyncio.ensure_future(self._when_going(work))
        try:
            await asyncio.wait({working, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if stopped.done() and not working.done() and stage is not Stage.EXECUTING:
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

    def _ended(self, task: str, outcome: Outcome, problem: str, *, critical: bool) -> Orchestration:
        plan = self._stored_plan()
        if plan is not None and critical:
            plan = plan.mark_failed()
        plan_id = plan.plan_id if plan else None
        if self._story is not None:
            self._story.end(plan.status if plan else PlanStatus.FAILED, self._cycles)
        self._engine.events.publish(
            OrchestrationEnded(plan_id=plan_id, outcome=outcome, cycles=self._cycles, problem=problem)
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
