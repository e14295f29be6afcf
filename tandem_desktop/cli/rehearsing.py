"""rehearse: run a plan in a throw-away shadow, see what it does, and keep that if you like."""

from collections.abc import Iterator

from tandem_desktop.cli import shapes
from tandem_desktop.cli.answers import Answer, count
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.failures import UsageError
from tandem_desktop.cli.lines import Line, Span, Tone, sentence
from tandem_desktop.cli.progress import watched
from tandem_desktop.cli.proposing import proposed
from tandem_desktop.cli.wording import command_text, documents, in_full, summary_table
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.rehearsal.recording import why_not_recordable
from tandem_desktop.rehearsal.rehearsal import Rehearsal, RehearsedCommand
from tandem_desktop.review.operation_view import OperationView

_GIT = ".git"


def rehearse(call: Call) -> Answer:
    plan_id = call.plan_id()
    given = call.arguments
    if given.record is not None and given.revision is not None:
        raise UsageError("--record works on the latest revision.", next=call.command("rehearse", plan_id, "--record"))
    rehearsals = call.engine.rehearsals
    network = given.network or call.engine.settings.rehearse_with_network
    with watched(call, 0, stopping="Stopping the rehearsal; nothing of it is kept.") as control:
        found = rehearsals.rehearse(plan_id, given.revision, network=network, once=given.once, control=control)
    views = rehearsals.views(found)
    data = shapes.rehearsal(found)
    if given.record is not None:
        call.known.update(data)
        answer = proposed(call, rehearsals.record(found, tuple(map(OperationId, given.record))))
        return Answer({**data, **answer.data}, answer.lines, next=answer.next)
    lines = _heading(found)
    for command in found.commands:
        lines += ["", *_command(call, command, views[command.id])]
    return Answer(data, lines, next=_following(call, found))


def _heading(found: Rehearsal) -> list[Line]:
    network = "with" if found.network else "without"
    lines: list[Line] = [
        (Span(found.plan_id, Tone.STRONG), f"  r{found.revision}  rehearsed {network} a network; no file was touched."),
    ]
    if not found.commands:
        lines.append("It has no commands: what it does is what tandem show tells.")
    for problem in found.problems:
        lines.append((Span(f"! {problem.step} does not apply: ", Tone.WARNING), sentence(problem.reason)))
    return lines


def _command(call: Call, command: RehearsedCommand, views: tuple[OperationView, ...]) -> Iterator[Line]:
    shown = tuple(view for view in views if not _is_git(view))
    yield (Span(command.id, Tone.STRONG), "  ", *_outcome(command))
    yield from command_text(command.call.command)
    for doubt in command.doubts:
        yield (Span("      ! cannot be previewed: ", Tone.WARNING), sentence(doubt))
    if call.arguments.diff:
        for view in shown:
            yield from in_full(view, documents(view, call.engine.objects))
    else:
        yield from summary_table(shown)
    if len(shown) < len(views):
        yield f"  and {count(len(views) - len(shown), 'path')} under {_GIT}"
    if not views and command.exit_code is not None:
        yield "  changes no file in the workspace"


def _outcome(command: RehearsedCommand) -> tuple[Span | str, ...]:
    if command.exit_code is None:
        return (Span("was not run", Tone.WARNING),)
    tone = Tone.FAILED if command.error else Tone.ADDED
    return (Span(f"exit code {command.exit_code}", tone), f"  {command.seconds:.1f} s")


def _following(call: Call, found: Rehearsal) -> str:
    recordable = [command.id for command in found.commands if not why_not_recordable(command)]
    if recordable and call.arguments.revision is None:
        again = call.command("rehearse", found.plan_id, "--record")
        return f"Apply what was recorded instead of running it again: {again}"
    return call.command("show", found.plan_id, "--diff")


def _is_git(view: OperationView) -> bool:
    return any(_GIT in path.split("/") for path in view.operation.paths)
