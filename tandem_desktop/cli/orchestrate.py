"""The orchestrate, reflect and adjust commands."""

import asyncio
import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from tandem_desktop.advisors.orchestrator import GivenApproval, PlanOrchestrator
from tandem_desktop.approval.enforcer import MIN_DIGEST_DIGITS
from tandem_desktop.cli.agents import chosen_environment, chosen_profile
from tandem_desktop.cli.console import Line, Span, Tone, UsageError, sentence
from tandem_desktop.cli.main import CommandContext, CommandResult, count
from tandem_desktop.cli.plans import proposed
from tandem_desktop.cli.runs import resolve_run
from tandem_desktop.diff.text import visible_name
from tandem_desktop.domain.errors import (
    InvalidTransitionError,
    NoAnswerError,
    OperationError,
    TandemError,
    UserAbortError,
)
from tandem_desktop.domain.events import AgentProgramChanged, OrchestrationMoved, PlanStepCompleted, TandemEvent
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_steps import ExecutionStep
from tandem_desktop.domain.reflection import Assessment, Judged, Orchestration, OrchestrationOutcome, Reflection
from tandem_desktop.domain.review import LockFileReview
from tandem_desktop.domain.runs import FailurePolicy
from tandem_desktop.review.operation_view import lock_files_to_open
from tandem_desktop.services.engine_thread import EngineThread
from tandem_desktop.services.reflector import PlanReflector
from tandem_desktop.sessions.advisors import Advisors
from tandem_desktop.sessions.manager import AgentSessions


def reflect(call: CommandContext) -> CommandResult:
    run_id = _run(call)
    known = call.engine.reflections.of_run(run_id)
    if known is None or call.arguments.again or known.assessment is Assessment.UNKNOWN:
        known = _asked(call, run_id)
    data, lines = reflection_shape(known), reflection_lines(known)
    if known.assessment is Assessment.UNKNOWN:
        failure = NoAnswerError(known.reasoning, next="Ask another agent with --agent, or change the plan yourself.")
        return CommandResult(data, lines, exit_code=failure.exit_code, failure=failure)
    following = call.command("adjust", run_id, "--accept", "1") if known.adjustments else ""
    return CommandResult(data, lines, next=following)


def adjust(call: CommandContext) -> CommandResult:
    run_id = _run(call)
    call.engine.reflections.decide(run_id, numbers(call.arguments.accept))
    return proposed(call, call.engine.reflections.make_revision(run_id))


def numbers(text: str) -> tuple[int, ...]:
    """`1,3`, each once.

    Raises:
        UsageError: it is something else.
    """
    words = [word.strip() for word in text.split(",")]
    if not all(word.isascii() and word.isdigit() and len(word) < 6 for word in words):
        raise UsageError(f"{text!r} is no list of numbers.", next="Give them as in: --accept 1,3")
    return tuple(dict.fromkeys(map(int, words)))


def reflection_shape(found: Reflection) -> dict[str, Any]:
    """A reflection as scripts read it."""
    return {
        "plan_id": found.plan_id,
        "run_id": found.run_id,
        "revision": found.snapshot.plan.revision,
        "assessment": found.assessment.value,
        "reasoning": found.reasoning,
        "adjustments": [_shape(n, each) for n, each in enumerate(found.adjustments, start=1)],
        "agent": found.agent,
        "made_revision": found.made_revision,
    }


def reflection_lines(found: Reflection) -> list[Line]:
    """A reflection as a person reads it."""
    lines: list[Line] = [
        (Span(found.assessment.value.replace("_", " "), Tone.STRONG), f"  {found.run_id} of {found.plan_id}"),
        *(f"  {line}" for line in found.reasoning.splitlines()),
    ]
    for number, each in enumerate(found.adjustments, start=1):
        adjustment = each.adjustment
        action = adjustment.action.value.replace("_", " ").lower()
        lines.append((Span(f"{number}. {action} {adjustment.step_id}", Tone.STRONG), f": {adjustment.reason}"))
        if adjustment.tool_input is not None:
            given = ", ".join(f"{name}: {str(value)[:200]!r}" for name, value in adjustment.tool_input.items())
            lines.append(f"   {adjustment.tool} {given}".replace("    ", "   "))
        if each.problem:
            lines.append((Span("   ! cannot be accepted: ", Tone.WARNING), each.problem))
    return lines


def _shape(number: int, each: Judged) -> dict[str, Any]:
    said = {"problem": each.problem, "verdict": each.verdict.value}
    return {"number": number, **each.adjustment.model_dump(mode="json"), **said}


def _asked(call: CommandContext, run_id: str) -> Reflection:
    snapshot = call.engine.reflections.snapshot(run_id)
    environment = chosen_environment(call)
    sessions = AgentSessions(call.engine, call.engine.settings, call.engine.clock)
    advisors = Advisors(call.engine.settings.advisors, chosen_profile(call, sessions), environment=environment)
    call.console.remark(f"Asking about {run_id} …")

    async def ask() -> Reflection:
        try:
            reflected = await PlanReflector(sessions.advisor(advisors)).reflect(snapshot)
        finally:
            await sessions.close()
        return call.engine.reflections.keep(snapshot, reflected)

    unsubscribe = call.engine.events.subscribe(lambda event: _tell(call, event))
    try:
        with EngineThread() as thread:
            return thread.wait_for(ask())
    finally:
        unsubscribe()


def _run(call: CommandContext) -> str:
    """The run that was named, or the last one of the plan that was."""
    what: str = call.arguments.what
    if what.upper().startswith("RUN-"):
        run_id = resolve_run(what, (each.record.run_id for each in call.engine.runs.runs()))
        call.known["run_id"] = run_id
        return run_id
    plan_id = call.engine.plans.resolve(what)
    call.known["plan_id"] = plan_id
    found = call.engine.plans.meta(plan_id).execution_session
    if found is None:
        raise InvalidTransitionError(
            f"{plan_id} has not run yet, so there is nothing to look back at.",
            next=f"Look at it with: {call.command('show', plan_id, '--diff')}",
        )
    call.known["run_id"] = found
    return found


_ENDING = (signal.SIGINT, signal.SIGTERM)
_PAUSING = getattr(signal, "SIGUSR1", None)
_FINE = (OrchestrationOutcome.COMPLETED, OrchestrationOutcome.WAITING)


def orchestrate(call: CommandContext) -> CommandResult:
    if not call.arguments.task.strip():
        raise UsageError("The task is empty.", next='Say what to do: --task "…"')
    unsubscribe = call.engine.events.subscribe(lambda event: _tell(call, event))
    conducting = _Conducting(call)
    try:
        with EngineThread() as thread, conducting.steered_by_signals():
            ended = thread.wait_for(conducting.run())
    finally:
        unsubscribe()
    return _answer(call, ended)


class _Conducting:
    """One orchestration on the engine's loop."""

    def __init__(self, call: CommandContext) -> None:
        self._call = call
        self._orchestrator: PlanOrchestrator | None = None
        self._is_paused = False

    async def run(self) -> Orchestration:
        call, engine = self._call, self._call.engine
        sessions = AgentSessions(engine, engine.settings, engine.clock)
        advisors = Advisors(
            engine.settings.advisors, chosen_profile(call, sessions), environment=chosen_environment(call)
        )
        self._orchestrator = PlanOrchestrator.advised_by(
            engine,
            sessions.advisor(advisors),
            TerminalUserGate(call),
            FailurePolicy(call.arguments.on_failure or engine.settings.on_failure),
        )
        try:
            return await self._orchestrator.run(call.arguments.task, call.arguments.context)
        finally:
            await sessions.close()

    @contextmanager
    def steered_by_signals(self) -> Iterator[None]:
        """The first signal to end stops it gracefully, a second one at once; SIGUSR1 pauses it, or lets it go on."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before: dict[int, Any] = {}

        def restore(*numbers: int) -> None:
            for number in numbers:
                signal.signal(number, before[number])

        def stop(number: int, frame: FrameType | None) -> None:
            restore(*_ENDING)
            self._call.console.remark("Stopping; once more ends it at once.")
            if self._orchestrator is not None:
                self._orchestrator.abort()
            else:
                raise KeyboardInterrupt

        before.update({number: signal.signal(number, stop) for number in _ENDING})
        if _PAUSING is not None:
            before[_PAUSING] = signal.signal(_PAUSING, lambda number, frame: self._pause_or_go_on())
        try:
            yield
        finally:
            restore(*before)

    def _pause_or_go_on(self) -> None:
        if self._orchestrator is None:
            return
        self._is_paused = not self._is_paused
        if self._is_paused:
            self._orchestrator.pause()
            self._call.console.remark("Paused before what comes next; the same signal goes on.")
        else:
            self._call.console.remark("Going on.")
            self._orchestrator.resume()


class TerminalUserGate:
    """Asks on stderr and reads a line from standard input. End of file is no answer."""

    def __init__(self, call: CommandContext) -> None:
        self._call = call

    async def approve(self, version: PlanVersion) -> GivenApproval | None:
        answer = proposed(self._call, version)
        self._say(*answer.lines)
        for warning in version.warnings:
            self._say((Span("! ", Tone.WARNING), warning))
        question = (
            f"Approve it with at least {MIN_DIGEST_DIGITS} digits of the digest; an empty line leaves it waiting:"
        )
        while said := await self._hear(question):
            if len(said) >= MIN_DIGEST_DIGITS and version.approval_hash.startswith(said.lower()):
                skipped = await self._skipped(version)
                return None if skipped is None else GivenApproval(said, LockFileReview(skipped=skipped))
            self._say("That is not the digest of this revision.")
        return None

    async def _skipped(self, version: PlanVersion) -> tuple[str, ...] | None:
        """The lock files that install code, each after its name was typed; None if one was not."""
        paths = lock_files_to_open(version.operations, self._call.engine.objects)
        for path, why in paths.items():
            name = visible_name(path)
            self._say((Span("! ", Tone.WARNING), sentence(why)))
            question = (
                f"Type {name} to approve it without a look at its changes; an empty line leaves the plan waiting:"
            )
            while said := await self._hear(question):
                if said == name:
                    break
            else:
                return None
        return tuple(paths)

    async def choose(self, reflection: Reflection) -> tuple[int, ...] | None:
        self._say(*reflection_lines(reflection))
        fitting = [n for n, each in enumerate(reflection.adjustments, start=1) if not each.problem]
        while said := await self._hear("Accept which? Numbers such as 1,3; an empty line accepts none:"):
            try:
                chosen = numbers(said)
            except UsageError as error:
                self._say(error.message)
                continue
            if set(chosen) <= set(fitting):
                return chosen
            self._say(f"Of these can be accepted: {', '.join(map(str, fitting)) or 'none'}.")
        return None

    def _say(self, *lines: Line) -> None:
        for line in lines:
            self._call.console.remark(line)

    async def _hear(self, question: str) -> str:
        self._say((Span("? ", Tone.STRONG), question))
        loop = asyncio.get_running_loop()
        said: asyncio.Future[str] = loop.create_future()
        # A daemon: a person who never answers must not keep the call from ending.
        threading.Thread(target=_read_line, args=(loop, said), daemon=True).start()
        return (await said).strip()


def _read_line(loop: asyncio.AbstractEventLoop, said: "asyncio.Future[str]") -> None:
    try:
        line = sys.stdin.readline() if sys.stdin is not None else ""
    except (OSError, ValueError):  # the input is closed
        line = ""
    with contextlib.suppress(RuntimeError):  # the waiting task has ended
        loop.call_soon_threadsafe(_hand_over, said, line)


def _hand_over(said: "asyncio.Future[str]", line: str) -> None:
    if not said.done():
        said.set_result(line)


def _tell(call: CommandContext, event: TandemEvent) -> None:
    if isinstance(event, OrchestrationMoved):
        cycle = f", after {count(event.cycle, 'adjustment')}" if event.cycle else ""
        call.console.remark((Span(event.stage.value.replace("_", " "), Tone.STRONG), cycle))
    elif isinstance(event, PlanStepCompleted):
        error = f": {event.error}" if event.error else ""
        call.console.remark(f"  {event.step_id} {event.status.value}{error}")
    elif isinstance(event, AgentProgramChanged):
        call.console.remark((Span("! ", Tone.WARNING), sentence(event.text)))


def _answer(call: CommandContext, ended: Orchestration) -> CommandResult:
    plan = ended.plan
    data: dict[str, Any] = {
        "outcome": ended.outcome.value,
        "stage": ended.stage.value,
        "plan_id": plan.plan_id if plan else None,
        "revision": plan.revision if plan else None,
        "digest": call.engine.plans.meta(plan.plan_id).digest if plan else None,
        "status": plan.status.value if plan else None,
        "cycles": ended.cycles,
        "steps": [_step(step) for step in plan.steps] if plan else [],
        "reflection": reflection_shape(ended.reflection) if ended.reflection else None,
        "problem": ended.problem,
    }
    where = f"  {plan.plan_id} r{plan.revision} is {plan.status.value}" if plan else ""
    lines: list[Line] = [(Span(ended.outcome.value.replace("_", " "), Tone.STRONG), where)]
    if ended.problem:
        lines.append(ended.problem)
    following = call.command("show", plan.plan_id, "--diff") if plan else ""
    if ended.outcome in _FINE:
        return CommandResult(data, lines, next=following)
    kind: type[TandemError] = UserAbortError if ended.outcome is OrchestrationOutcome.ABORTED else OperationError
    failure = kind(ended.problem or "It failed.", next=following)
    return CommandResult(data, lines, exit_code=failure.exit_code, failure=failure)


def _step(step: ExecutionStep) -> dict[str, Any]:
    return {"id": step.id, "tool": step.tool, "status": step.status.value, "error": step.error}
