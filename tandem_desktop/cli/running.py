"""apply, runs, undo, redo: do what was approved, and take it back."""

import contextlib
from typing import Any

from tandem_desktop.cli import shapes
from tandem_desktop.cli.answers import Answer, count, readable
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.lines import Line, Span, Tone, table
from tandem_desktop.cli.progress import watched
from tandem_desktop.cli.run_names import resolve_run
from tandem_desktop.cli.wording import result_table
from tandem_desktop.domain.errors import OperationError, TandemError, UndoConflictError, UserAbortError
from tandem_desktop.domain.execution import FailurePolicy, ResultStatus, RunRecord, RunStatus
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.operations import Absent, PathChange, StagedOperation
from tandem_desktop.domain.paths import check_path, shown
from tandem_desktop.domain.plan import PlanStatus
from tandem_desktop.execution.plan_executor import RunResult
from tandem_desktop.execution.undo import UndoneRun
from tandem_desktop.execution.undoing import Part, Undoing


def apply(call: Call) -> Answer:
    plan_id = call.plan_id()
    version = call.engine.plans.revision(plan_id)
    policy = FailurePolicy(call.arguments.on_failure or call.engine.settings.on_failure)
    try:
        with watched(call, len(version.operations)) as control:
            ended = call.engine.runs.apply(plan_id, policy, control)
    except TandemError:
        _remember_run(call, plan_id)
        raise
    lines: list[Line] = [_ended(ended.record), *result_table(ended.results, version.operations)]
    lines += [
        f"{shown(each.path)} was changed by something else meanwhile ({each.change})."
        for each in ended.record.meanwhile
    ]
    data = {**shapes.run_result(ended), "plan_id": plan_id}
    if ended.succeeded:
        return Answer(data, lines, next=f"Take it back with: {call.command('undo', ended.record.run_id)}")
    failure = run_failure(call, ended, version.operations)
    return Answer(data, lines, exit_code=failure.exit_code, failure=failure)


def runs(call: Call) -> Answer:
    found = call.engine.runs.runs()
    data = {"runs": [shapes.listed_run(each) for each in found]}
    lines = table(
        (
            Span(each.record.run_id, Tone.STRONG),
            each.record.kind.value if each.record.of is None else f"{each.record.kind.value} of {each.record.of}",
            each.status.value,
            f"{each.record.plan_id} r{each.record.revision}",
            readable(each.record.started_at),
            "can be undone" if each.undoable else "",
        )
        for each in found
    )
    undoable = next((each.record.run_id for each in found if each.undoable), None)
    if any(each.status is RunStatus.INTERRUPTED for each in found):
        following = f"Settle the interrupted run with: {call.command('recover')}"
    else:
        following = call.command("undo", undoable, "--preview") if undoable else call.command("list")
    return Answer(data, lines or ["Nothing has been run here yet."], next=following)


def undo(call: Call) -> Answer:
    run_id = _named_run(call)
    given, runs = call.arguments, call.engine.runs
    if given.with_later:
        return _rewind(call, run_id)
    part = Part(
        operation=OperationId(given.op) if given.op else None, path=check_path(given.path) if given.path else None
    )
    if given.preview:
        return _preview(call, run_id, runs.preview_undo(run_id, part))
    try:
        with watched(call, 0) as control:
            undone = runs.undo(run_id, part, control)
    except UndoConflictError as error:
        call.known["conflicts"] = _conflicts(error.conflicts)
        raise
    return _undone(call, undone, "undone" if part.is_whole else "undone in part", call.command("redo", run_id))


def _rewind(call: Call, run_id: str) -> Answer:
    """With every run since."""
    runs = call.engine.runs
    if call.arguments.preview:
        found = runs.preview_rewind(run_id)
        answer = _preview(call, run_id, found.undoing)
        together: Line = f"With it, newest first: {', '.join(found.runs)}"
        return Answer({**answer.data, "runs": list(found.runs)}, [*answer.lines, together], next=answer.next)
    try:
        with watched(call, 0) as control:
            undone = runs.rewind(run_id, control)
    except UndoConflictError as error:
        call.known["conflicts"] = _conflicts(error.conflicts)
        raise
    answer = _undone(call, undone, "undone with every run since", call.command("redo", undone.record.run_id))
    together_ids = [*undone.record.also, undone.record.of]
    return Answer(
        {**answer.data, "runs": together_ids}, answer.lines, answer.next, answer.exit_code, failure=answer.failure
    )


def redo(call: Call) -> Answer:
    run_id = _named_run(call)
    try:
        with watched(call, 0) as control:
            redone = call.engine.runs.redo(run_id, control)
    except UndoConflictError as error:
        call.known["conflicts"] = _conflicts(error.conflicts)
        raise
    return _undone(call, redone, "done again", call.command("undo", redone.record.run_id))


def run_failure(call: Call, ended: RunResult, operations: tuple[StagedOperation, ...] = ()) -> TandemError:
    """Why a run did not complete, at which path where its operations are known, and what can be done."""
    record = ended.record
    put_back = record.on_failure is FailurePolicy.ROLLBACK
    following = f"Take back what was done with: {call.command('undo', record.run_id)}"
    if put_back:
        following = (
            f"Mend the cause, then approve and apply again: {call.command('show', record.plan_id)}; "
            f"or ask an agent what to change: {call.command('reflect', record.run_id)}"
        )
    if record.rolled_back:
        state = "The tree is as before."
    elif put_back:
        state = "Every path was put back, but what commands did cannot be taken back."
    else:
        state = "What was done before is still there."
    if record.status is RunStatus.CANCELLED:
        return UserAbortError(f"{record.run_id} was stopped. {state}", next=following)
    failed = next((each for each in ended.results if each.status is ResultStatus.FAILED), None)
    if failed is None:
        return OperationError(f"{record.run_id} failed. {state}", next=following)
    message = f"{record.run_id} failed at {failed.id}: {(failed.error or '').rstrip('.')}. {state}"
    path = next((each.path for each in operations if each.id == failed.id), None)
    return OperationError(message, path=path, step=failed.id, next=following)


def _named_run(call: Call) -> str:
    run_id = resolve_run(call.arguments.run, (each.record.run_id for each in call.engine.runs.runs()))
    call.known["of"] = run_id
    return run_id


def _remember_run(call: Call, plan_id: PlanId) -> None:
    """A run that could not even be closed has its name in the plan."""
    try:
        meta = call.engine.plans.meta(plan_id)
    except TandemError:
        return
    if meta.status is PlanStatus.EXECUTING and meta.execution_session:
        call.known.setdefault("run_id", meta.execution_session)


def _preview(call: Call, run_id: str, undoing: Undoing) -> Answer:
    changed = [change.path for change in undoing.changes]
    data = {
        "run_id": None,
        "of": run_id,
        "changed": changed,
        "merged": list(undoing.merged),
        "kept": list(undoing.kept),
        "conflicts": _conflicts(undoing.conflicts),
    }
    rows = [(_undo_words(change), change.path) for change in undoing.changes if change.path not in undoing.merged]
    rows += [("would merge with your edit", path) for path in undoing.merged]
    rows += [("would leave, it is not empty", path) for path in undoing.kept]
    rows += [(f"conflict: {reason}", path) for path, reason in undoing.conflicts]
    lines: list[Line] = [
        f"Undoing {run_id} would touch {count(len(changed), 'path')}; nothing was written.",
        *table(rows),
    ]
    if undoing.conflicts:
        following = _past_conflicts(call, run_id)
    else:
        given = call.arguments
        parts = (("--op", given.op), ("--path", given.path), ("--with-later", given.with_later))
        options = [word for option, value in parts if value for word in (option, value) if word is not True]
        following = call.command("undo", run_id, *options)
    return Answer(data, lines, next=following)


def _past_conflicts(call: Call, run_id: str) -> str:
    """What can be done where undo would change nothing: where later runs stand in the way, take them back too."""
    given = call.arguments
    if not (given.with_later or given.op or given.path):
        with contextlib.suppress(TandemError):
            found = call.engine.runs.preview_rewind(run_id)
            if len(found.runs) > 1 and not found.undoing.conflicts:
                together = call.command("undo", run_id, "--with-later", "--preview")
                return f"Later runs changed the same files; take them back with it: {together}"
    return "Save your edits elsewhere or revert them; as it is, undo would change nothing."


def _undone(call: Call, undone: UndoneRun, words: str, following: str) -> Answer:
    record = undone.record
    data: dict[str, Any] = {
        "run_id": record.run_id,
        "of": record.of,
        "status": record.status.value,
        "changed": list(undone.changed),
        "merged": list(undone.merged),
        "kept": list(undone.kept),
    }
    if record.status is not RunStatus.COMPLETED:
        failure = run_failure(call, RunResult(record, ()))
        nothing = {**data, "changed": [], "merged": [], "rolled_back": record.rolled_back}
        return Answer(nothing, [_ended(record)], exit_code=failure.exit_code, failure=failure)
    lines: list[Line] = [f"{record.of} is {words} by {record.run_id}: {count(len(undone.changed), 'path')} put back."]
    lines += table((path,) for path in undone.changed)
    lines += [f"Your later edit of {path} was kept." for path in undone.merged]
    lines += [f"The folder {path} was left: it holds something else." for path in undone.kept]
    return Answer(data, lines, next=following)


def _undo_words(change: PathChange) -> str:
    if isinstance(change.after, Absent):
        return "would remove"
    return "would bring back" if isinstance(change.before, Absent) else "would restore"


def _ended(record: RunRecord) -> Line:
    tone = Tone.ADDED if record.status is RunStatus.COMPLETED else Tone.FAILED
    return (Span(record.run_id, Tone.STRONG), "  ", Span(record.status.value, tone), f"  {record.summary}")


def _conflicts(found: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"path": path, "reason": reason} for path, reason in found]
