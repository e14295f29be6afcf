"""reflect, adjust: what an agent would change about a plan that failed, and a revision of what you accept."""

from typing import Any

from tandem_desktop.cli.answers import Answer
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.failures import UsageError
from tandem_desktop.cli.lines import Line, Span, Tone
from tandem_desktop.cli.planning_with_agents import chosen_environment, chosen_profile
from tandem_desktop.cli.proposing import proposed
from tandem_desktop.cli.run_names import resolve_run
from tandem_desktop.domain.errors import InvalidTransitionError, NoAnswerError
from tandem_desktop.domain.reflection import Assessment, Judged, Reflection
from tandem_desktop.orchestration.agent_sessions import AgentSessions
from tandem_desktop.orchestration.engine_thread import EngineThread
from tandem_desktop.orchestration.minds import Minds
from tandem_desktop.reflection.plan_reflector import PlanReflector


def reflect(call: Call) -> Answer:
    run_id = _run(call)
    known = call.engine.reflections.of_run(run_id)
    if known is None or call.arguments.again or known.assessment is Assessment.UNKNOWN:
        known = _asked(call, run_id)
    data, lines = reflection_shape(known), reflection_lines(known)
    if known.assessment is Assessment.UNKNOWN:
        failure = NoAnswerError(known.reasoning, next="Ask another agent with --agent, or change the plan yourself.")
        return Answer(data, lines, exit_code=failure.exit_code, failure=failure)
    following = call.command("adjust", run_id, "--accept", "1") if known.adjustments else ""
    return Answer(data, lines, next=following)


def adjust(call: Call) -> Answer:
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


def _asked(call: Call, run_id: str) -> Reflection:
    snapshot = call.engine.reflections.snapshot(run_id)
    environment = chosen_environment(call)
    sessions = AgentSessions(call.engine, call.engine.settings, call.engine.clock)
    minds = Minds(call.engine.settings.minds, chosen_profile(call, sessions), environment=environment)
    call.console.remark(f"Asking about {run_id} …")

    async def ask() -> Reflection:
        try:
            reflected = await PlanReflector(sessions.advisor(minds)).reflect(snapshot)
        finally:
            await sessions.close()
        return call.engine.reflections.keep(snapshot, reflected)

    with EngineThread() as thread:
        return thread.wait_for(ask())


def _run(call: Call) -> str:
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
