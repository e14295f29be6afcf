"""Commands that run, undo and recover."""

from __future__ import annotations

import contextlib
import re
import signal
import threading
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem_desktop.cli import json_output
from tandem_desktop.cli.console import EscapedText, Line, Span, Tone, UsageError, named, render, table
from tandem_desktop.cli.formatting import git_lines, result_table
from tandem_desktop.cli.main import CommandContext, CommandResult, count, readable, utc
from tandem_desktop.diff.text import Document, visible_in_a_line, visible_line
from tandem_desktop.domain.errors import (
    GitError,
    OperationError,
    RunNotFoundError,
    TandemError,
    UndoConflictError,
    UserAbortError,
)
from tandem_desktop.domain.ids import OperationId, PlanId, RunId
from tandem_desktop.domain.operations import Absent, PathChange, StagedOperation
from tandem_desktop.domain.paths import check_path, shown
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import FailurePolicy, ResultStatus, RunRecord, RunResult, RunStatus

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from types import FrameType

    from tandem_desktop.domain.events import TandemEvent
    from tandem_desktop.execution.commands import RunControl
    from tandem_desktop.execution.recovery import InterruptedRun
    from tandem_desktop.execution.undo import UndoneRun, UndoPlan
    from tandem_desktop.services.train import TrainedPlan

_BEGINNING = lazy_pattern(r"(?:RUN-)?([0-9a-f]{4,8})", re.IGNORECASE)


def resolve_run(text: str, runs: Iterable[str]) -> str:
    """The one run whose digits begin like this.

    Raises:
        RunNotFoundError: none or several do.
    """
    beginning = _BEGINNING.fullmatch(text.strip())
    found = [run for run in runs if beginning and run.startswith(f"RUN-{beginning[1].lower()}")]
    if len(found) == 1:
        return found[0]
    if found:
        raise RunNotFoundError(f"{shown(text)} fits {len(found)} runs.", next="Give more digits of the id.")
    raise RunNotFoundError(f"There is no run {shown(text)!r} in this workspace.", next="See them with: tandem runs")


def apply(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    given = call.arguments
    if not given.commit and any((given.message, given.branch, given.push, given.pull_request, given.per_task)):
        raise UsageError("-m, --branch, --per-task, --push and --pull-request go with --commit.", next="Add --commit.")
    version = call.engine.plans.revision(plan_id)
    policy = FailurePolicy(call.arguments.on_failure or call.engine.settings.on_failure)
    _attach_agents(call, version.operations)
    try:
        with watched(call, len(version.operations)) as control:
            ended = call.engine.runs.apply(plan_id, policy, control)
    except TandemError:
        _remember_run(call, plan_id)
        raise
    table_of_all = () if call.console.as_json else result_table(ended.results, version.operations)
    lines: list[Line] = [_ended(ended.record), *table_of_all]
    lines += [
        f"{shown(each.path)} was changed by something else during the run ({each.change})."
        for each in ended.record.meanwhile
    ]
    has_commands = any(operation.is_run for operation in version.operations)
    effects = call.engine.runs.git_effects(ended.record.run_id) if has_commands else ()
    lines += git_lines(effects, "in the repository")
    data = {**json_output.run_result(ended), "plan_id": plan_id, "git": json_output.git(effects)}
    if ended.succeeded and call.arguments.commit:
        call.known.update(data)
        return _committed(call, ended.record.run_id, data, lines)
    if ended.succeeded:
        return CommandResult(data, lines, next=f"Take it back with: {call.command('undo', ended.record.run_id)}")
    failure = run_failure(call, ended, version.operations)
    return CommandResult(data, lines, exit_code=failure.exit_code, failure=failure)


def _attach_agents(call: CommandContext, operations: Iterable[StagedOperation]) -> None:
    """Let external calls of a plan be made by the agent that asked for them."""
    if any(operation.kind.spec.is_external for operation in operations):
        from tandem_desktop.sessions.external_calls import AgentCalls  # agents are slow to import

        call.engine.calls.attach(AgentCalls(call.engine).make)


def train(call: CommandContext) -> CommandResult:
    given, engine = call.arguments, call.engine
    plan_ids = [engine.plans.resolve(each) for each in given.plans]
    policy = FailurePolicy(given.on_failure or engine.settings.on_failure)
    operations = [each for plan_id in plan_ids for each in engine.plans.revision(plan_id).operations]
    _attach_agents(call, operations)
    tried: list[TrainedPlan] = []
    with watched(call, len(operations)) as control:
        for told in engine.train.run(plan_ids, policy, control, with_checks=not given.no_checks):
            tried.append(told)
            data = [json_output.trained_plan(each) for each in tried]
            call.known.update(train=data, waiting=plan_ids[len(tried) :])
    lines: list[Line] = [_trained(each) for each in tried]
    last, waiting = tried[-1], plan_ids[len(tried) :]
    failure = last.problem
    if failure is None and last.ended is not None and not last.ended.succeeded:
        failure = run_failure(call, last.ended, engine.plans.revision(last.plan_id).operations)
    if failure is not None:
        lines += [(Span(each, Tone.STRONG), "  was not tried") for each in waiting]
        return CommandResult(call.known, lines, exit_code=failure.exit_code, failure=failure)
    return CommandResult(call.known, lines, next=f"Take the last one back with: {_undo_of(call, last)}")


def _undo_of(call: CommandContext, told: TrainedPlan) -> str:
    return call.command("undo", told.ended.record.run_id) if told.ended is not None else call.command("runs")


def _trained(told: TrainedPlan) -> Line:
    name = (Span(told.plan_id, Tone.STRONG), f" r{told.revision}  ")
    if told.ended is None:
        return (*name, Span("not applied", Tone.FAILED))
    tone = Tone.ADDED if told.ended.succeeded else Tone.FAILED
    carried = "; rebased, the approved patch is the same" if told.is_carried else ""
    return (*name, Span(told.outcome.value, tone), f"  {told.ended.record.run_id}{carried}")


def runs(call: CommandContext) -> CommandResult:
    found = call.engine.runs.runs()
    data = {"runs": [json_output.listed_run(each) for each in found]}
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
    return CommandResult(data, lines or ["Nothing has been run here yet."], next=following)


def undo(call: CommandContext) -> CommandResult:
    from tandem_desktop.execution.undo import UndoPart

    run_id = _named_run(call)
    given, runs = call.arguments, call.engine.runs
    if given.with_later:
        return _rewind(call, run_id)
    part = UndoPart(
        operation=OperationId(given.op) if given.op else None,
        path=check_path(given.path) if given.path else None,
        keep_git=given.keep_git,
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


def _rewind(call: CommandContext, run_id: str) -> CommandResult:
    """With every run since."""
    runs = call.engine.runs
    if call.arguments.preview:
        found = runs.preview_rewind(run_id, keep_git=call.arguments.keep_git)
        answer = _preview(call, run_id, found.undoing)
        together: Line = f"With it, newest first: {', '.join(found.runs)}"
        return CommandResult({**answer.data, "runs": list(found.runs)}, [*answer.lines, together], next=answer.next)
    try:
        with watched(call, 0) as control:
            undone = runs.rewind(run_id, control, keep_git=call.arguments.keep_git)
    except UndoConflictError as error:
        call.known["conflicts"] = _conflicts(error.conflicts)
        raise
    answer = _undone(call, undone, "undone with every run since", call.command("redo", undone.record.run_id))
    together_ids = [*undone.record.also, undone.record.of]
    return CommandResult(
        {**answer.data, "runs": together_ids}, answer.lines, answer.next, answer.exit_code, failure=answer.failure
    )


def commit(call: CommandContext) -> CommandResult:
    return _committed(call, RunId(_named_run(call)), {}, [])


def _committed(call: CommandContext, run_id: RunId, known: dict[str, Any], said: list[Line]) -> CommandResult:
    from tandem_desktop.services.commits import CommitWish

    given = call.arguments
    wish = CommitWish(
        message=given.message.strip(),
        branch=given.branch,
        per_task=given.per_task,
        whole=given.whole,
        hooks=not given.no_verify,
        sign=not given.no_sign,
    )
    with watched(call, 0) as control:

        def show(words: bytes) -> None:
            call.on_output(OperationId("git"), words)

        made = call.engine.commits.commit(run_id, wish, on_output=show, should_abort=lambda: control.is_aborted)
        pushed, failure = None, None
        if given.push or given.pull_request:
            try:
                pushed = call.engine.commits.push(
                    show, lambda: control.is_aborted, hooks=wish.hooks, pull_request=given.pull_request
                )
            except GitError as error:
                failure = error
    data = {**known, **json_output.commit_result(made, pushed)}
    place = f"on {made.branch}" if made.branch else "on a detached HEAD"
    lines: list[Line] = [
        *said,
        *(
            (Span(each.oid[:10], Tone.STRONG), f"  {count(len(each.paths), 'path')} {place}: ", each.subject)
            for each in made.commits
        ),
        *(
            ("Only what the run changed of ", named(path), "; your own changes stay uncommitted.")
            for path in made.merged
        ),
        *(("Not committed: ", named(path), f", {reason}.") for path, reason in made.left_out),
    ]
    if made.is_stated:
        lines.append("Signed as approved; anybody can check it with: tandem verify")
    if made.problem:
        lines.append(Span(f"! {made.problem}", Tone.WARNING))
    if made.hooks:
        lines.append(f"Hooks that ran: {', '.join(each.name for each in made.hooks)}.")
    if failure is not None:
        return CommandResult(data, lines, exit_code=OperationError.exit_code, failure=failure)
    if pushed is not None:
        lines.append(f"Pushed to {pushed.remote}. {pushed.pull_request}".rstrip())
    return CommandResult(data, lines, next=f"Take it back with: {call.command('undo', run_id)}")


def verify(call: CommandContext) -> CommandResult:
    given = call.arguments.allowed_signers
    found = call.engine.commits.verify(call.arguments.commits, Path(given) if given else None)
    lines: list[Line] = []
    for each in found:
        verdict = Span("approved", Tone.ADDED) if each.ok else Span("not approved", Tone.FAILED)
        told = (
            f"{each.plan_id} {each.run_id}, signed by {each.signed_by}, {each.approved_at}" if each.ok else each.reason
        )
        lines.append((Span(each.commit[:10], Tone.STRONG), "  ", verdict, "  ", EscapedText(visible_line(told))))
    data = {"commits": [json_output.verified(each) for each in found]}
    return CommandResult(data, lines, exit_code=0 if all(each.ok for each in found) else 1)


def redo(call: CommandContext) -> CommandResult:
    run_id = _named_run(call)
    try:
        with watched(call, 0) as control:
            redone = call.engine.runs.redo(run_id, control)
    except UndoConflictError as error:
        call.known["conflicts"] = _conflicts(error.conflicts)
        raise
    return _undone(call, redone, "reapplied", call.command("undo", redone.record.run_id))


def run_failure(call: CommandContext, ended: RunResult, operations: tuple[StagedOperation, ...] = ()) -> TandemError:
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


def _named_run(call: CommandContext) -> str:
    run_id = resolve_run(call.arguments.run, (each.record.run_id for each in call.engine.runs.runs()))
    call.known["of"] = run_id
    return run_id


def _remember_run(call: CommandContext, plan_id: PlanId) -> None:
    """A run that could not even be closed has its name in the plan."""
    try:
        meta = call.engine.plans.meta(plan_id)
    except TandemError:
        return
    if meta.status is PlanStatus.EXECUTING and meta.execution_session:
        call.known.setdefault("run_id", meta.execution_session)


def _preview(call: CommandContext, run_id: str, undoing: UndoPlan) -> CommandResult:
    changed = [change.path for change in undoing.files]
    data = {
        "run_id": None,
        "of": run_id,
        "changed": changed,
        "merged": list(undoing.merged),
        "kept": list(undoing.kept),
        "git": json_output.git(undoing.git),
        "notes": list(undoing.notes),
        "conflicts": _conflicts(undoing.conflicts),
    }
    rows = [(_undo_words(change), named(change.path)) for change in undoing.files if change.path not in undoing.merged]
    rows += [("would merge with your edit", named(path)) for path in undoing.merged]
    rows += [("would leave, it is not empty", named(path)) for path in undoing.kept]
    rows += [(f"conflict: {reason}", named(path)) for path, reason in undoing.conflicts]
    lines: list[Line] = [
        f"Undoing {run_id} would touch {count(len(changed), 'path')}; nothing was written.",
        *table(rows),
        *git_lines(undoing.git, "in the repository"),
        *undoing.notes,
    ]
    if undoing.conflicts:
        following = _past_conflicts(call, run_id, undoing)
    else:
        following = call.command("undo", run_id, *_parts(call), *(["--keep-git"] if call.arguments.keep_git else []))
    return CommandResult(data, lines, next=following)


def _parts(call: CommandContext) -> list[str]:
    """The options that say what is to be taken back, as they were given."""
    given = call.arguments
    parts = (("--op", given.op), ("--path", given.path), ("--with-later", given.with_later))
    return [word for option, value in parts if value for word in (option, value) if word is not True]


def _past_conflicts(call: CommandContext, run_id: str, undoing: UndoPlan) -> str:
    """What can be done where undo would change nothing: where later runs stand in the way, take them back too."""
    given = call.arguments
    if not (given.with_later or given.op or given.path):
        with contextlib.suppress(TandemError):
            found = call.engine.runs.preview_rewind(run_id)
            if len(found.runs) > 1 and not found.undoing.conflicts:
                together = call.command("undo", run_id, "--with-later", "--preview")
                return f"Later runs changed the same files; take them back with it: {together}"
    if undoing.has_only_git_conflicts:
        keeping = call.command("undo", run_id, *_parts(call), "--keep-git", "--preview")
        return f"Take back only the working files; the repository stays as it is: {keeping}"
    return "Save your edits elsewhere or revert them; as it is, undo would change nothing."


def _undone(call: CommandContext, undone: UndoneRun, words: str, following: str) -> CommandResult:
    record = undone.record
    data: dict[str, Any] = {
        "run_id": record.run_id,
        "of": record.of,
        "status": record.status.value,
        "changed": list(undone.changed),
        "merged": list(undone.merged),
        "kept": list(undone.kept),
        "git": json_output.git(undone.git),
        "notes": list(undone.notes),
    }
    if record.status is not RunStatus.COMPLETED:
        failure = run_failure(call, RunResult(record, ()))
        nothing = {**data, "changed": [], "merged": [], "git": [], "notes": [], "rolled_back": record.rolled_back}
        return CommandResult(nothing, [_ended(record)], exit_code=failure.exit_code, failure=failure)
    lines: list[Line] = [f"{record.of} is {words} by {record.run_id}: {count(len(undone.changed), 'path')} put back."]
    lines += table((named(path),) for path in undone.changed)
    lines += [("Your later edit of ", named(path), " was kept.") for path in undone.merged]
    lines += [("The folder ", named(path), " was left: it holds something else.") for path in undone.kept]
    lines += [*git_lines(undone.git, "in the repository"), *undone.notes]
    return CommandResult(data, lines, next=following)


def _undo_words(change: PathChange) -> str:
    if isinstance(change.after, Absent):
        return "would remove"
    return "would bring back" if isinstance(change.before, Absent) else "would restore"


def _ended(record: RunRecord) -> Line:
    tone = Tone.ADDED if record.status is RunStatus.COMPLETED else Tone.FAILED
    return (Span(record.run_id, Tone.STRONG), "  ", Span(record.status.value, tone), f"  {record.summary}")


def _conflicts(found: tuple[tuple[str, str], ...]) -> list[dict[str, str]]:
    return [{"path": path, "reason": reason} for path, reason in found]


RESUME, ROLL_BACK, CANCEL = "resume", "rollback", "cancel"


def recover(call: CommandContext) -> CommandResult:
    way = call.arguments.way
    if call.arguments.again and way != RESUME:
        raise UsageError("--again belongs to --resume.", next="tandem recover --resume --again")
    waiting = call.engine.runs.interrupted()
    call.known["interrupted"] = [_interrupted(run) for run in waiting]
    if way is None:
        return _listing(call, waiting)
    return _settle(call, way, waiting)


def _listing(call: CommandContext, waiting: tuple[InterruptedRun, ...]) -> CommandResult:
    from tandem_desktop.execution.recovery import describe_progress

    data = {"interrupted": [_interrupted(run) for run in waiting]}
    if not waiting:
        return CommandResult(data, ["No run was interrupted; there is nothing to settle."], next=call.command("runs"))
    now = call.engine.clock()
    lines: list[Line] = []
    for run in waiting:
        if run.damage:
            lines.append((Span(run.run_id, Tone.STRONG), f"  {run.damage.message}"))
            continue
        how_far = describe_progress(run.done, run.total, run.started_at, now)
        lines.append((Span(run.run_id, Tone.STRONG), f"  {how_far} ({readable(run.started_at)}), plan {run.plan_id}"))
        if run.command:
            command = visible_in_a_line(run.command_text)
            again = f"  It was cut off while {command!r} ran; going on (--resume --again) runs it again."
            lines.append(Span(again, Tone.WARNING))
    lines += table(
        (
            (call.command("recover", "--resume"), "go on where it was cut off"),
            (call.command("recover", "--rollback"), "put every path back to what it was before the run"),
            (call.command("recover", "--cancel"), "cancel the plan; its policy on failure decides about the files"),
            (call.command("recover", "--mark-failed"), "leave the tree as it is"),
        )
    )
    return CommandResult(data, lines, next="Choose one; until then every writing call is refused.")


def _settle(call: CommandContext, way: str, waiting: tuple[InterruptedRun, ...]) -> CommandResult:
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
                settle = {ROLL_BACK: runs.roll_back, CANCEL: runs.cancel}.get(way, runs.mark_failed)
                settled = settle(named)
    except KeyboardInterrupt:
        raise UserAbortError(
            "Stopped; the run is still interrupted.", next=f"Settle it with: {call.command('recover')}"
        ) from None
    return _settled(call, way, settled)


def _settled(call: CommandContext, way: str, settled: RunResult) -> CommandResult:
    record = settled.record
    data = {
        "interrupted": [_interrupted(run) for run in call.engine.runs.interrupted()],
        **json_output.run_result(settled),
    }
    lines: list[Line] = [
        (Span(record.run_id, Tone.STRONG), f"  is settled as {record.status.value}: {record.summary}"),
        *result_table(settled.results),
    ]
    if way == ROLL_BACK and not record.rolled_back:
        lines.append(Span("! Every path was put back, but what commands did cannot be taken back.", Tone.WARNING))
    if way == RESUME and not settled.succeeded:
        failure = run_failure(call, settled)
        return CommandResult(data, lines, exit_code=failure.exit_code, failure=failure)
    return CommandResult(data, lines, next=call.command("runs"))


def _every_run(call: CommandContext, waiting: tuple[InterruptedRun, ...]) -> dict[str, None]:
    """A run that was cut off early may have no record beside the plans yet."""
    names = [run.run_id for run in waiting] + [each.record.run_id for each in call.engine.runs.runs()]
    return dict.fromkeys(str(name) for name in names)


def _interrupted(run: InterruptedRun) -> dict[str, Any]:
    return {"run_id": run.run_id, "done": run.done, "total": run.total, "started_at": utc(run.started_at)}


_BAR = 24
_CLEAR = "\r\x1b[K"


class RunProgress:
    """Listen to one run, show it, and remember what is known of it should the call fail."""

    def __init__(self, call: CommandContext, total: int) -> None:
        self._call = call
        self._total = total
        self._results: list[dict[str, Any]] = []
        """Of each operation the last one; a run of many has no time to make the list anew for each."""
        self._places: dict[OperationId, int] = {}
        self._halves: dict[OperationId, bytes] = {}

    def on_event(self, event: TandemEvent) -> None:
        from tandem_desktop.domain.events import OperationFinished

        if not isinstance(event, OperationFinished):
            return
        if not self._results:
            self._call.known["results"] = self._results
        place = self._places.setdefault(event.result.id, len(self._results))
        self._results[place : place + 1] = [json_output.result(event.result)]
        self._call.known["run_id"] = event.run_id
        self._draw(event.result.id)

    def on_output(self, operation: OperationId, chunk: bytes) -> None:
        """What a command prints, line by line; a person at work sees it, a script does not."""
        if self._call.console.as_json:
            return
        *lines, self._halves[operation] = (self._halves.get(operation, b"") + chunk).split(b"\n")
        for line in lines:
            self._say(operation, line)

    def finish(self) -> None:
        for operation, half in self._halves.items():
            if half:
                self._say(operation, half)
        self._clear()

    def _say(self, operation: OperationId, line: bytes) -> None:
        self._clear()
        text = EscapedText(Document.of(line).display(line))
        self._call.console.remark((Span(f"{operation} | ", Tone.QUIET), text))

    def _draw(self, operation: OperationId) -> None:
        if not self._call.console.shows_progress or not self._total:
            return
        done = len(self._results)
        filled = _BAR * done // self._total
        bar = f"[{'#' * filled}{'.' * (_BAR - filled)}] {done}/{self._total} {render(operation)}"
        self._call.console.remark_raw(f"{_CLEAR}{bar}")

    def _clear(self) -> None:
        if self._call.console.shows_progress:
            self._call.console.remark_raw(_CLEAR)


_STOPPING = "Stopping before the next operation; what happens then follows --on-failure."


@contextmanager
def watched(
    call: CommandContext, total: int, *, stoppable: bool = True, stopping: str = _STOPPING
) -> Iterator[RunControl]:
    """Run something under a bar, with signals that stop it between two operations where it can be stopped."""
    from tandem_desktop.execution.commands import RunControl

    control = RunControl()
    progress = RunProgress(call, total)
    call.on_output = progress.on_output
    unsubscribe = call.engine.events.subscribe(progress.on_event)
    try:
        with _stopped_by_signals(call, control, stopping) if stoppable else nullcontext():
            yield control
    finally:
        unsubscribe()
        progress.finish()


@contextmanager
def _stopped_by_signals(call: CommandContext, control: RunControl, stopping: str) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        if not control.is_aborted:
            control.abort()
            call.console.remark(stopping)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
