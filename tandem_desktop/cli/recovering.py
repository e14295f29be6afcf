"""recover: see a run that was cut off, and settle it."""

from typing import Any

from tandem_desktop.cli import shapes
from tandem_desktop.cli.answers import Answer, readable, utc
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.failures import UsageError
from tandem_desktop.cli.lines import Line, Span, Tone, table
from tandem_desktop.cli.progress import watched
from tandem_desktop.cli.run_names import resolve_run
from tandem_desktop.cli.running import run_failure
from tandem_desktop.cli.wording import result_table
from tandem_desktop.domain.errors import UserAbortError
from tandem_desktop.execution.plan_executor import RunResult
from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.plans.plan_recovery import describe

RESUME, ROLL_BACK = "resume", "rollback"


def recover(call: Call) -> Answer:
    way = call.arguments.way
    if call.arguments.again and way != RESUME:
        raise UsageError("--again belongs to --resume.", next="tandem recover --resume --again")
    waiting = call.engine.runs.interrupted()
    call.known["interrupted"] = [_interrupted(run) for run in waiting]
    if way is None:
        return _listing(call, waiting)
    return _settle(call, way, waiting)


def _listing(call: Call, waiting: tuple[InterruptedRun, ...]) -> Answer:
    data = {"interrupted": [_interrupted(run) for run in waiting]}
    if not waiting:
        return Answer(data, ["No run was interrupted; there is nothing to settle."], next=call.command("runs"))
    now = call.engine.clock()
    lines: list[Line] = []
    for run in waiting:
        if run.damage:
            lines.append((Span(run.run_id, Tone.STRONG), f"  {run.damage.message}"))
            continue
        how_far = describe(run.done, run.total, run.started_at, now)
        lines.append((Span(run.run_id, Tone.STRONG), f"  {how_far} ({readable(run.started_at)}), plan {run.plan_id}"))
        if run.command:
            again = f"  It was cut off inside the command of {run.command}; going on (--resume --again) runs it again."
            lines.append(Span(again, Tone.WARNING))
    lines += table(
        (
            (call.command("recover", "--resume"), "go on where it was cut off"),
            (call.command("recover", "--rollback"), "put every path back to what it was before the run"),
            (call.command("recover", "--mark-failed"), "leave the tree as it is"),
        )
    )
    return Answer(data, lines, next="Choose one; until then every writing call is refused.")


def _settle(call: Call, way: str, waiting: tuple[InterruptedRun, ...]) -> Answer:
    named = resolve_run(call.arguments.run, _every_run(call, waiting)) if call.arguments.run else None
    chosen = next((run for run in waiting if named in (None, run.run_id)), None)
    if chosen is not None:
        call.known["run_id"] = chosen.run_id
    runs = call.engine.runs
    try:
        with watched(call, chosen.total if chosen else 0, stoppable=False):
            if way == RESUME:
                settled = runs.resume(named, run_command_again=call.arguments.again)
            else:
                settled = runs.roll_back(named) if way == ROLL_BACK else runs.mark_failed(named)
    except KeyboardInterrupt:
        raise UserAbortError(
            "Stopped; the run is still interrupted.", next=f"Settle it with: {call.command('recover')}"
        ) from None
    return _settled(call, way, settled)


def _settled(call: Call, way: str, settled: RunResult) -> Answer:
    record = settled.record
    data = {"interrupted": [_interrupted(run) for run in call.engine.runs.interrupted()], **shapes.run_result(settled)}
    lines: list[Line] = [
        (Span(record.run_id, Tone.STRONG), f"  is settled as {record.status.value}: {record.summary}"),
        *result_table(settled.results),
    ]
    if way == ROLL_BACK and not record.rolled_back:
        lines.append(Span("! Every path was put back, but what commands did cannot be taken back.", Tone.WARNING))
    if way == RESUME and not settled.succeeded:
        failure = run_failure(call, settled)
        return Answer(data, lines, exit_code=failure.exit_code, failure=failure)
    return Answer(data, lines, next=call.command("runs"))


def _every_run(call: Call, waiting: tuple[InterruptedRun, ...]) -> dict[str, None]:
    """A run that was cut off early may have no record beside the plans yet."""
    names = [run.run_id for run in waiting] + [each.record.run_id for each in call.engine.runs.runs()]
    return dict.fromkeys(str(name) for name in names)


def _interrupted(run: InterruptedRun) -> dict[str, Any]:
    return {"run_id": run.run_id, "done": run.done, "total": run.total, "started_at": utc(run.started_at)}
