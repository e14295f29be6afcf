"""Commands that show, compare and simulate plans."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tandem_desktop.cli import json_output
from tandem_desktop.cli.console import EscapedText, Line, Span, Tone, UsageError, named, sentence, table
from tandem_desktop.cli.formatting import (
    DiffLimit,
    agent_text,
    attention_lines,
    between,
    documents,
    git_lines,
    ignored_lines,
    in_full,
    perspective_lines,
    ran_lines,
)
from tandem_desktop.cli.main import CommandContext, CommandResult, count, readable, utc
from tandem_desktop.cli.plan_list import edited_page_text
from tandem_desktop.cli.shown_digests import ShownDigests
from tandem_desktop.cli.versions import version_lines, versions_json, versions_of
from tandem_desktop.diff.text import Document, visible_line, visible_name
from tandem_desktop.domain.lifecycle import can
from tandem_desktop.domain.paths import check_path, shown
from tandem_desktop.domain.plan import Origin, PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import EventKind, PlanStatus
from tandem_desktop.review.operation_view import MOST_COMPARED_BYTES, OperationView
from tandem_desktop.sessions.record import SessionRecord
from tandem_desktop.staging.hazards import Hazard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from tandem_desktop.checks.evidence import Evidence
    from tandem_desktop.domain.ids import OperationId, TaskId
    from tandem_desktop.domain.tasks import PlanTask
    from tandem_desktop.rehearsal.results import Rehearsal
    from tandem_desktop.review.change_classes import Proved
    from tandem_desktop.review.compare import ComparedOperation
    from tandem_desktop.services.engine import Engine
    from tandem_desktop.services.origins import LineOrigin
    from tandem_desktop.staging.git_effects import GitEffect

_MOST_REFUSED = 20
_MOST_DIGITS = 9
_KEPT_S = 5.0
"""Longest wait until what was proved is kept for the next time."""
_AUTHORS = {
    Origin.AGENT: "an agent",
    Origin.REWORK: "an agent, reworked",
    Origin.PERSON: "a person",
    Origin.REBASE: "a rebase",
    Origin.ADJUSTMENT: "an adjustment",
}


def _checked(evidence: Evidence | None) -> Iterator[Line]:
    if evidence is not None:
        yield f"Checks  {evidence.summary}"
        for path in sorted(evidence.failing_paths):
            yield (Span("  read first: ", Tone.WARNING), named(path))


def show(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    engine = call.engine
    meta = engine.meta(plan_id)
    version = engine.plans.revision(plan_id, call.arguments.revision)
    tasks, following = _tasks(engine, version)
    subjects = {task.id: f"{task.id}: {task.subject}" for task in tasks}
    beside = engine.beside(version)
    operations, described, flagged = _operations(call, version, beside, subjects)
    kept = SessionRecord(engine.locations.sessions / version.session_id).advice_kept()
    advice = {role: str(file) for role, file in kept.items()}
    edited = engine.plans.edited_page(plan_id, version.revision)
    data: dict[str, Any] = {
        "plan": {
            **json_output.plan(version, meta, tasks),
            "next_task": following.id if following else None,
            "edited_page": str(edited) if edited else None,
            "advice": advice,
        },
        "operations": operations,
        "attention": json_output.attention_groups(flagged),
    }
    rehearsal = engine.rehearsal(version)
    told = engine.rehearsals.git_effects(rehearsal) if rehearsal is not None else {}
    if rehearsal is not None:
        data["rehearsal"] = json_output.rehearsal(rehearsal, told)
    evidence = engine.evidence(version)
    if evidence is not None:
        data["evidence"] = {
            "summary": evidence.summary,
            "digest": evidence.digest,
            "failing_paths": sorted(evidence.failing_paths),
        }
    lines = [
        *_heading(version, meta, tasks),
        *_edited(call, edited, version),
        *_advised(version, advice),
        *_rehearsed(rehearsal, told),
        *_checked(evidence),
        *ignored_lines(version, call.command("include", plan_id, "GLOB")),
        *ran_lines(version, whole=call.arguments.diff),
        *attention_lines(flagged),
    ]
    lines += described
    digest = json_output.digest_of(version)
    lines += ["", ("Digest  ", Span(digest, Tone.STRONG))]
    if version.approval_hash != digest:
        altered = f"! The record was altered: it claims the digest {version.approval_hash[:12] or 'none'}."
        lines.append(Span(altered, Tone.FAILED))
    terminal = call.console.answers_at()
    answer = CommandResult(data, lines, next=_after_show(call, version, meta, asks=terminal is not None))
    if terminal is None:
        return answer
    record = shown_digests(call).record
    opened = tuple(each["id"] for each in operations if _is_printed(each))
    said = evidence.digest if evidence is not None else ""
    return replace(
        answer,
        delivered=lambda: record(plan_id, version.revision, digest, terminal, opened=opened, evidence=said),
    )


def _tasks(engine: Engine, version: PlanVersion) -> tuple[tuple[PlanTask, ...], PlanTask | None]:
    """The tasks of a revision, and the one that is next."""
    if not version.tasks:
        return (), None
    board = engine.boards.board(version)
    return board.get_tasks(), board.get_next_task()


def _is_printed(operation: dict[str, Any]) -> bool:
    """True if the changes of its file were printed to the end."""
    is_binary = Hazard.BINARY.value in operation["flags"]
    return bool(operation.get("hunks")) and not (operation["lines_left_out"] or operation["too_large"] or is_binary)


def _operations(
    call: CommandContext,
    version: PlanVersion,
    beside: Mapping[OperationId, tuple[OperationId, ...]],
    subjects: Mapping[TaskId, str],
) -> tuple[list[dict[str, Any]], list[Line], list[OperationView]]:
    """Every operation as data and as text, and the flagged ones. Without a limit one at a time: a view of a large file
    is larger than the file.
    """
    in_json, in_text = DiffLimit(whole=call.arguments.whole), DiffLimit(whole=call.arguments.whole)
    whole = call.command("show", version.plan_id, "--diff", "--whole")
    data: list[dict[str, Any]] = []
    lines: list[Line] = []
    flagged: list[OperationView] = []

    def views() -> Iterator[OperationView]:
        return call.engine.views(version, in_text.most_bytes)

    made: Iterable[OperationView] = views()
    proved: Proved = {}
    if call.arguments.diff:
        prover = call.engine.change_prover()
        made = views() if call.arguments.whole else tuple(prover.beside(version.operations, views()))
        proved = prover.prove(views() if call.arguments.whole else made)
        prover.settle(_KEPT_S)
    for view in made:
        operation = view.operation
        own = proved.get(operation.id, ())
        sides = documents(view, call.engine.objects) if call.arguments.diff else None
        also = beside.get(operation.id, ())
        listed = versions_of(view, call.engine)
        told = {"versions": versions_json(listed, *call.engine.contents(operation))} if listed is not None else {}
        data.append({**json_output.operation_in_full(view, sides, in_json, own), "beside": list(also), **told})
        task = subjects.get(operation.task, "") if operation.task else ""
        more = call.command("show", version.plan_id, "--diff")
        packages = () if listed is None else version_lines(listed, whole=call.arguments.diff, more=more)
        shown = in_full(view, sides, also, task, limit=in_text, whole=whole, proved=own, versions=packages)
        lines += ["", *shown]
        if view.flags:
            flagged.append(replace(view, hunks=()))
    return data, lines, flagged


def shown_digests(call: CommandContext) -> ShownDigests:
    """What was shown of the plans of this workspace."""
    return ShownDigests(call.engine.locations, call.engine.workspace.identity.key, call.engine.clock)


def compare(call: CommandContext) -> CommandResult:
    from tandem_desktop.review.compare import compare as compare_versions
    from tandem_desktop.review.compare import interdiff

    plans, plan_id = call.engine.plans, call.plan_id()
    other = plan_id if call.arguments.other is None else plans.resolve(call.arguments.other)
    old, new = plans.revision(plan_id, call.arguments.old), plans.revision(other, call.arguments.new)
    found = compare_versions(old, new)
    parts = {"added": found.added, "removed": found.removed, "changed": found.changed, "reordered": found.reordered}
    data = {name: [json_output.compared(each) for each in part] for name, part in parts.items()}
    shown = interdiff(old, new, found, call.engine.objects) if call.arguments.diff else ()
    for place, each in enumerate(shown):
        data["changed"][place]["hunks"] = json_output.hunks(each.hunks, each.earlier, each.later)
    rows = [(name, Span(each.id, Tone.STRONG), _named(each)) for name, part in parts.items() for each in part]
    later = f"r{new.revision}" if other == plan_id else f"{other} r{new.revision}"
    lines: list[Line] = [f"{plan_id}: r{old.revision} → {later}", *table(rows)]
    if found.text_changed:
        lines.append("  the plan's text changed")
    if found.is_empty:
        lines.append("  no difference in effect")
    for each in shown:
        lines += ["", Span(f"{each.operation.id}  {_named(each.operation)}", Tone.STRONG), *between(each)]
    return CommandResult(
        {**data, "text_changed": found.text_changed}, lines, next=call.command("show", other, "--diff")
    )


def drift(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    found = call.engine.drift(plan_id)
    data = {"drifted": [{"path": each.path, "change": each.change.value, "at": utc(each.at)} for each in found]}
    if not found:
        return CommandResult(
            data, ["Nothing has drifted: the files are what the plan was made for."], call.command("show", plan_id)
        )
    lines: list[Line] = [f"{count(len(found), 'path')} changed on disk since {plan_id} was made; apply would refuse:"]
    lines += table((Span(each.change.value, Tone.WARNING), named(each.path), readable(each.at)) for each in found)
    return CommandResult(data, lines, next=call.command("rebase", plan_id))


def overlaps(call: CommandContext) -> CommandResult:
    of = frozenset(map(call.engine.plans.resolve, call.arguments.plans))
    found = call.engine.overlaps(of)
    data = {
        "pairs": [
            {"a": each.a, "b": each.b, "paths": each.paths, "hunks": each.hunks, "conflict": each.conflict}
            for each in found
        ]
    }
    if not found:
        return CommandResult(data, ["No two plans that wait for a decision change the same paths."])
    lines: list[Line] = []
    for each in found:
        words, tone = ("conflict", Tone.WARNING) if each.conflict else ("fit together", Tone.PLACE)
        places = "" if not each.hunks else f", {count(each.hunks, 'place')} changed by both"
        lines.append(
            (
                Span(f"{each.a} and {each.b}", Tone.STRONG),
                f"  {count(len(each.paths), 'path')}{places}: ",
                Span(words, tone),
            )
        )
        lines += [("  ", named(path)) for path in each.paths]
    first = next((each for each in found if each.conflict), found[0])
    later = f"Approve both, then apply them in your order: {call.command('train', first.a, first.b)}"
    if first.conflict:
        later = f"Apply {first.a} first, then: {call.command('rebase', first.b)}"
    return CommandResult(data, lines, next=later)


def why(call: CommandContext) -> CommandResult:
    path, _, number = call.arguments.place.rpartition(":")
    if not path or not number.isdecimal() or len(number) > _MOST_DIGITS:
        raise UsageError(f"{shown(call.arguments.place)} names no line.", next="tandem why src/app.py:12")
    found = call.engine.origins.why(check_path(path), int(number))
    text = Document.of(found.text).display(found.text.rstrip(b"\r\n"))
    head: Line = (Span(f"{visible_name(found.path)}:{found.line}", Tone.STRONG), "  ", EscapedText(text))
    return CommandResult(json_output.origin(found), [head, *_origin_lines(found)], next=_about_origin(call, found))


def _origin_lines(found: LineOrigin) -> list[Line]:
    lines: list[Line] = []
    if found.record is not None:
        title = found.version.title if found.version is not None else "an archived plan"
        written = f"Written by {found.record.run_id}, {readable(found.record.started_at)}"
        lines.append((f"{written}: {found.record.plan_id} r{found.record.revision} ", Span(visible_line(title))))
        if found.operation is not None and found.operation.description:
            lines.append(f"  {found.operation.id}  “{visible_line(found.operation.description)}”")
        planned = f"planned by {visible_line(found.agent)}, " if found.agent else ""
        lines.append(f"  {planned}digest {found.record.digest}")
        if found.approval is not None:
            seen = f", with checks {found.approval.evidence[:12]} on screen" if found.approval.evidence else ""
            lines.append(f"  approved by {found.approval.by} {readable(found.approval.at)}{seen}")
    elif found.edited_since is not None:
        lines.append(f"Not written by a run: edited after {found.edited_since}.")
    elif found.commit is None or not found.commit.run_id:
        lines.append("Not written by a run of Tandem that is known here.")
    if found.commit is not None:
        oid, of_run = found.commit.oid[:10], ""
        if found.record is None and found.commit.run_id:
            of_run = f" (of {visible_line(found.commit.run_id)}, {visible_line(found.commit.plan_id)})"
        subject = visible_line(found.commit.subject)
        lines.append(f"  committed in {oid} {readable(found.commit.at)}{of_run}: {subject}")
    return lines


def _about_origin(call: CommandContext, found: LineOrigin) -> str:
    if found.record is not None:
        return call.command("show", found.record.plan_id, "--diff")
    return f"git show {found.commit.oid[:10]}" if found.commit is not None else ""


def simulate(call: CommandContext) -> CommandResult:
    from tandem_desktop.tasks.suggested_order import suggest_order

    plan_id = call.plan_id()
    version = call.engine.plans.revision(plan_id)
    problems = call.engine.simulate(plan_id)
    data: dict[str, Any] = {
        "ok": not problems,
        "operations": [json_output.operation(view) for view in call.engine.views(version, MOST_COMPARED_BYTES)],
        "problems": [{"step": each.step, "reason": each.reason} for each in problems],
    }
    suggested = suggest_order(version.operations, version.tasks)
    data["suggested_order"] = {"order": suggested.order, "reasons": suggested.reasons} if suggested else None
    total = count(len(version.operations), "operation")
    if not problems:
        told: list[Line] = [f"{total} would apply."]
        if suggested is not None:
            told.append(f"Suggested order: {', '.join(suggested.order)}. {' '.join(suggested.reasons)}")
        return CommandResult(data, told, next=call.command("show", plan_id, "--diff"))
    lines: list[Line] = [f"{len(problems)} of {total} would not apply:"]
    lines += table((Span(each.step, Tone.WARNING), sentence(each.reason)) for each in problems)
    return CommandResult(data, lines, next=f"Leave them out with: {call.command('drop', plan_id, problems[0].step)}")


def _agent(kept: str) -> str:
    """`OpenCode with gpt-5`, of what a plan's record keeps."""
    from tandem_desktop.acp_client.profiles import title_of  # only a plan of an agent needs its profiles

    name, _, model = kept.partition(":")
    return f"{title_of(name)} with {model}" if model else title_of(name)


def _heading(version: PlanVersion, meta: PlanMeta, tasks: tuple[PlanTask, ...]) -> list[Line]:
    latest = "" if version.revision == meta.revision else f" (the latest is r{meta.revision})"
    lines: list[Line] = [
        (
            Span(version.plan_id, Tone.STRONG),
            f"  r{version.revision}{latest}  ",
            Span(meta.status.label.lower(), Tone.PLACE),
        ),
        Span(version.title, Tone.STRONG),
        f"{count(len(version.operations), 'operation')}, made {readable(version.created_at)} by "
        f"{_AUTHORS[version.origin]}",
    ]
    if meta.planner_model:
        lines.append(f"Planned by {_agent(meta.planner_model)}")
    if meta.executor_model:
        lines.append(f"Followed up by {_agent(meta.executor_model)}")
    if point := meta.branched_from:
        lines.append(f"An alternative to {point.plan_id} r{point.revision}")
    if version.content.strip() not in ("", f"# {version.title}"):
        lines += ["The plan in the agent's words:", *agent_text(version.content)]
    for task in tasks:
        after = f", after {', '.join(task.blocked_by)}" if task.blocked_by else ""
        lines.append(f"Task {task.id}: {task.subject} ({task.status.value}{after})")
    lines += [("Reads ", named(note.path or note.step), f": {note.description}") for note in version.notes]
    for said in meta.rejections:
        lines += [f"Sent back at r{said.revision}:", *agent_text(said.feedback)]
    if version.confinement:
        lines.append(f"The agent was {version.confinement}.")
    lines += _refused(version)
    unfinished = [f"Its agent did not finish: {version.incomplete}"] if version.incomplete else []
    lines += [(Span("! ", Tone.WARNING), words) for words in (*unfinished, *version.warnings)]
    return lines


def _refused(version: PlanVersion) -> Iterator[Line]:
    """What the agent was not let through to, and how to allow it."""
    refused = version.network.refused if version.network is not None else ()
    for each in refused[:_MOST_REFUSED]:
        times = "" if each.count == 1 else f", {each.count} times"
        yield (Span("! ", Tone.WARNING), "Network refused: ", named(each.host), f" port {each.port}{times}")
    if len(refused) > _MOST_REFUSED:
        yield (Span("! ", Tone.WARNING), f"Network refused: {len(refused) - _MOST_REFUSED} more; --json lists them")


def _edited(call: CommandContext, page: Path | None, version: PlanVersion) -> Iterator[Line]:
    if page is not None:
        yield (Span("! ", Tone.WARNING), edited_page_text(page))
        change = call.command("reject", version.plan_id, "--feedback", "TEXT")
        yield f"  To change the plan, say what you want: {change}; or propose a new one."


def _advised(version: PlanVersion, advice: dict[str, str]) -> Iterator[Line]:
    """What several advisors said beforehand, in a line for each, and where all of it can be read."""
    if version.perspectives is not None:
        yield from perspective_lines(version.perspectives)
    for role, file in advice.items():
        yield (Span(f"What {role.upper()} was asked and did: ", Tone.QUIET), file)


def _rehearsed(found: Rehearsal | None, told: Mapping[OperationId, tuple[GitEffect, ...]]) -> Iterator[Line]:
    """What is kept of a rehearsal, in a line for each command."""
    if found is None:
        return
    from tandem_desktop.staging.git_effects import without_git

    network = "with" if found.network else "without"
    yield f"Rehearsed {readable(found.at)}, {network} a network:"
    for command in found.commands:
        ended = "was not run" if command.exit_code is None else f"exit code {command.exit_code}"
        doubtful = "" if command.is_previewable else "; cannot be previewed"
        in_git = told.get(command.id, ())
        files = without_git(command.effects, in_git)
        yield f"  {command.id}  {ended}, changes {count(len(files), 'path')}{doubtful}"
        yield from (f"    {line}" for line in git_lines(in_git, "in the repository"))
    for problem in found.problems:
        yield f"  {problem.step}  did not apply: {sentence(problem.reason)}"


def _after_show(call: CommandContext, version: PlanVersion, meta: PlanMeta, *, asks: bool) -> str:
    """The next call; `asks` if `approve` will ask for the digest that is shown here."""
    plan_id = version.plan_id
    if version.revision != meta.revision:
        return f"Bring it back with: {call.command('restore', plan_id, str(version.revision))}"
    if meta.status is PlanStatus.APPROVED:
        return call.command("apply", plan_id) if version.operations else go_on(call, version)
    if can(meta, EventKind.APPROVE):
        if version.incomplete:
            return f"Let the agent go on: {go_on(call, version)}"
        digest = () if asks else ("--digest", json_output.digest_of(version))
        return call.command("approve", plan_id, *digest)
    if meta.status is PlanStatus.COMPLETED and meta.execution_session:
        return f"Take it back with: {call.command('undo', meta.execution_session)}"
    if meta.status in (PlanStatus.REJECTED, PlanStatus.EXPIRED):
        return f"Make a new revision with: {call.command('drop', plan_id, 'OP')}, or bring one back with restore."
    return call.command("runs") if meta.execution_session else call.command("list")


def go_on(call: CommandContext, version: PlanVersion) -> str:
    """How the agent of a plan is asked to go on with it."""
    return call.command("run", "--session", version.session_id, "--task", "TEXT")


def _named(each: ComparedOperation) -> str:
    target = each.command or (f"{each.path} → {each.to}" if each.to else each.path)
    return f"{each.kind.value} {target}"
