"""Commands that create, change and decide plans."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

from tandem_desktop.cli import json_output
from tandem_desktop.cli.console import Line, Span, Tone, UsageError, sentence
from tandem_desktop.cli.formatting import attention_lines, note_lines, summary_table
from tandem_desktop.cli.main import CommandContext, CommandResult, count, read_input, readable, utc
from tandem_desktop.cli.plan_list import branch_point, edited_page_text
from tandem_desktop.cli.show import go_on, shown_digests
from tandem_desktop.cli.shown_digests import LIFETIME
from tandem_desktop.diff.text import visible_name
from tandem_desktop.domain.errors import (
    ApprovalDriftError,
    ApprovalMissingError,
    BadInputError,
    NotApprovableError,
)
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan import PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus, phase_of
from tandem_desktop.domain.review import Comment, CommentId, Comments, LockFileReview, Side
from tandem_desktop.review.operation_view import MOST_COMPARED_BYTES, lock_files_to_open
from tandem_desktop.storage.paths import is_in_repository

_MANY = 100
_PROVED_AHEAD_FROM = 50
"""Operations; what proves is not even loaded for fewer."""
_PROVED_AHEAD_S = 2.0
"""Longest wait, after the answer, for what a reader would otherwise wait for."""
"""Changed files of a patch that take long enough to say what is going on."""


def propose(call: CommandContext) -> CommandResult:
    raw = read_input(call.arguments.file, "plan JSON", call.console)
    return proposed(call, call.engine.proposals.propose(raw))


def review(call: CommandContext) -> CommandResult:
    raw = read_input(call.arguments.file, "a unified diff", call.console)
    files = len(re.findall(rb"^\+\+\+ ", raw, re.MULTILINE))
    if files >= _MANY:
        call.console.remark(f"Making a plan of {files} changed files…")
    version = call.engine.proposals.review_patch(raw)
    answer = proposed(call, version)
    if not call.arguments.no_window and not call.console.as_json:
        call.console.answer(answer.lines)
        call.console.remark("Opening the window…")
        answer.delivered()
        call.close()
        try:
            call.open_window(call.workspace.absolute(), version.plan_id, "")
        except BadInputError as refusal:  # the plan is made, window or not
            call.console.remark(refusal.message)
    return answer


def add(call: CommandContext) -> CommandResult:
    found = call.arguments
    return proposed(call, call.engine.proposals.add_command(call.plan_id(), found.command_text, found.cwd))


def drop(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    from tandem_desktop.review.choices import Drop

    drops = [Drop.parse(text) for text in call.arguments.drops]
    return proposed(call, call.engine.proposals.drop(plan_id, drops))


def restore(call: CommandContext) -> CommandResult:
    return proposed(call, call.engine.proposals.restore(call.plan_id(), call.arguments.revision))


def branch(call: CommandContext) -> CommandResult:
    version = call.engine.proposals.branch(call.plan_id(), call.arguments.revision)
    answer = proposed(call, version)
    point = version.branched_from
    assert point is not None
    words = f"An alternative to {point.plan_id} r{point.revision}, which stays as it is."
    against = call.command("compare", point.plan_id, str(point.revision), version.plan_id, str(version.revision))
    data = {**answer.data, "branched_from": branch_point(point)}
    return CommandResult(data, [*answer.lines, words], next=f"Change it, then compare the two: {against}")


def proposed(call: CommandContext, version: PlanVersion) -> CommandResult:
    """A plan that waits for a decision, as every call that made one answers."""
    call.known.update(plan_id=version.plan_id, revision=version.revision)
    prover = call.engine.change_prover() if len(version.operations) >= _PROVED_AHEAD_FROM else None
    made = call.engine.views(version, MOST_COMPARED_BYTES)
    views = tuple(made if prover is None else prover.beside(version.operations, made))
    data = json_output.proposal(version, views)
    operations = count(len(views), "operation")
    lines: list[Line] = [
        (Span(version.plan_id, Tone.STRONG), f"  r{version.revision}  {version.title}"),
        f"{operations} staged; {_touched(version)}",
        *summary_table(views),
    ]
    lines += attention_lines(views)
    lines += note_lines(views)
    lines.append(("Digest  ", Span(data["digest"], Tone.STRONG)))
    return CommandResult(
        data,
        lines,
        next=call.command("show", version.plan_id, "--diff"),
        delivered=(lambda: prover.settle(_PROVED_AHEAD_S)) if prover is not None else lambda: None,
    )


def _touched(version: PlanVersion) -> str:
    """What is known of the files on disk; of what was not looked at, nothing is said."""
    if version.changed_on_disk is None:
        return "no file has been touched."
    if version.changed_on_disk:
        changed = count(len(version.changed_on_disk), "path")
        return f"{changed} changed on disk while the agent was not confined, named in the warnings."
    return "no file of the workspace changed during it. The agent was not confined; other places were not looked at."


def approve(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    drafts = _drafts(call, plan_id)
    edited = call.engine.plans.edited_page(plan_id, call.engine.plans.latest_revision(plan_id))
    digest, lock_files = call.arguments.digest, _lock_files(call, plan_id)
    if digest is None:
        digest, lock_files = _confirmed(call, plan_id)
    approval = call.engine.decisions.approve(
        plan_id,
        digest,
        lock_files=lock_files,
        notes=call.arguments.notes,
        drafts=drafts,
        evidence=_evidence_shown(call, plan_id, digest),
    )
    revision = approval.approval_hash.revision
    data: dict[str, Any] = {
        "plan_id": plan_id,
        "revision": revision,
        "digest": approval.digest,
        "expires_at": utc(approval.expires_at),
        "lock_files": approval.lock_files.model_dump(mode="json"),
    }
    lines: list[Line] = [
        (Span(plan_id, Tone.STRONG), f" r{revision} is approved, for one run, until {readable(approval.expires_at)}."),
        ("Digest  ", Span(approval.digest, Tone.STRONG)),
    ]
    if edited is not None:
        data["edited_page"] = str(edited)
        lines.append((Span("! ", Tone.WARNING), edited_page_text(edited)))
        lines.append(f"  The edit is not part of it. To take it back: {call.command('cancel', plan_id)}")
    version = call.engine.plans.revision(plan_id, revision)
    is_shared = is_in_repository(call.engine.locations.workspace)
    missing = call.engine.team_policy.missing(version, approval) if is_shared else ()
    if missing:
        data["missing_approvals"] = [
            {"path": each.path, "wanted": each.wanted, "by": list(each.by), "has": list(each.has)} for each in missing
        ]
        lines += [Span(f"! {each.sentence}.", Tone.WARNING) for each in missing]
        following = f"{call.command('share', plan_id)}; when the others have approved: {call.command('fetch')}"
        return CommandResult(data, lines, next=following)
    if not version.operations:
        lines.append("It has no operations: it is text, there is nothing to write, and no run follows.")
        return CommandResult(data, lines, next=f"Let its agent carry it out: {go_on(call, version)}")
    return CommandResult(data, lines, next=call.command("apply", plan_id))


def _lock_files(call: CommandContext, plan_id: PlanId) -> LockFileReview:
    """Which lock files were printed on this terminal, in this very revision, and which the call skips by name."""
    terminal, version = call.console.asks_at(), call.engine.plans.revision(plan_id)
    shown = shown_digests(call).find(plan_id, terminal) if terminal is not None else None
    is_same = shown is not None and shown.digest == json_output.digest_of(version)
    printed = frozenset(shown.opened) if shown is not None and is_same else frozenset[OperationId]()
    paths = {operation.id: operation.to or operation.path or "" for operation in version.operations}
    unprinted = {path for each, path in paths.items() if each not in printed}
    return LockFileReview(
        opened=tuple(path for path in paths.values() if path not in unprinted),
        skipped=tuple(call.arguments.skip_lock),
    )


def _evidence_shown(call: CommandContext, plan_id: PlanId, digest: str) -> str:
    """The digest of what checks said when exactly this was printed on this terminal."""
    terminal = call.console.asks_at()
    shown = shown_digests(call).find(plan_id, terminal) if terminal is not None else None
    return shown.evidence if shown is not None and shown.digest.startswith(digest.strip().lower()) else ""


def _confirmed(call: CommandContext, plan_id: PlanId) -> tuple[str, LockFileReview]:
    """The digest that was shown on this terminal just before, after the person has said yes to it.

    Raises:
        UsageError: there is no terminal to ask at.
        ApprovalMissingError: it was not shown here, or the answer is not yes.
        ApprovalDriftError: another revision is the latest now.
    """
    terminal = call.console.asks_at()
    if terminal is None:
        raise UsageError(
            "The following arguments are required: --digest.", next="See how it is called: tandem approve --help"
        )
    look = f"Look at it here first: {call.command('show', plan_id)}"
    shown = shown_digests(call).find(plan_id, terminal)
    if shown is None:
        minutes = LIFETIME.seconds // 60
        raise ApprovalMissingError(
            f"{plan_id} was not shown on this terminal in the last {minutes} minutes.", next=look
        )
    version = call.engine.plans.revision(plan_id)
    if json_output.digest_of(version) != shown.digest:
        raise ApprovalDriftError(
            f"{plan_id} has changed since it was shown: that was r{shown.revision} with another digest, "
            f"this is r{version.revision}.",
            next=look,
        )
    kinds = Counter(operation.kind.value for operation in version.operations)
    counts = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
    call.console.remark((Span(plan_id, Tone.STRONG), f"  r{version.revision}  {version.title}"))
    call.console.remark(f"{count(len(version.operations), 'operation')}{': ' if counts else ''}{counts}")
    for line in attention_lines(call.engine.views(version, MOST_COMPARED_BYTES)):
        call.console.remark(line)
    lock_files = _with_skipped(call, version, _lock_files(call, plan_id))
    if not call.console.confirms(f"approve {shown.digest[:6]}…?"):
        raise ApprovalMissingError(f"{plan_id} r{version.revision} is not approved; nothing changed.")
    return shown.digest, lock_files


def _with_skipped(call: CommandContext, version: PlanVersion, known: LockFileReview) -> LockFileReview:
    """Ask about each lock file that installs code and whose changes were not printed.

    Raises:
        ApprovalMissingError: one of them shall not be skipped.
    """
    skipped = list(known.skipped)
    for path, why in lock_files_to_open(version.operations, call.engine.objects).items():
        if path in known.opened or path in skipped:
            continue
        call.console.remark((Span("! ", Tone.WARNING), sentence(why)))
        if not call.console.confirms(f"skip {visible_name(path)}, whose changes were not shown?"):
            raise ApprovalMissingError(
                f"{visible_name(path)} installs code and was not opened; nothing is approved.",
                next=f"Look at it: {call.command('show', version.plan_id, '--diff')}",
            )
        skipped.append(path)
    return LockFileReview(opened=known.opened, skipped=tuple(skipped))


def reject(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    meta = call.engine.decisions.reject(plan_id, call.arguments.feedback)
    if meta.status is PlanStatus.CANCELLED:
        return _ended(call, meta)
    found = call.engine.decisions.qualified(plan_id)
    data = {
        "plan_id": plan_id,
        "revision": meta.revision,
        "status": meta.status.value,
        "rejections": len(meta.rejections),
        "phase": phase_of(meta.status),
        "qualification": {**found.model_dump(mode="json"), "plan_required": found.plan_required},
    }
    if meta.status is PlanStatus.NEEDS_REVIEW:
        words = f" was sent back {len(meta.rejections)} times; now a person has to step in."
        following = (
            f"Approve it as it is after: {call.command('show', plan_id)}, change it yourself with: "
            f"{call.command('drop', plan_id, 'OP')}, or end it with: {call.command('cancel', plan_id)}"
        )
    else:
        words = f" r{meta.revision} was sent back:"
        following = f"Wait for a new revision, or make one: {call.command('drop', plan_id, 'OP')}"
    said = meta.rejections[-1].feedback.split("\n")
    return CommandResult(data, [(Span(plan_id, Tone.STRONG), words), *(f"  {line}" for line in said)], next=following)


def cancel(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    return _ended(call, call.engine.decisions.cancel(plan_id))


def _ended(call: CommandContext, meta: PlanMeta) -> CommandResult:
    from tandem_desktop.sessions.manager import discard_shadow  # loads asyncio; no other call here needs sessions

    plan_id = meta.plan_id
    discard_shadow(call.engine, meta.session_id)
    data = {"plan_id": plan_id, "revision": meta.revision, "status": meta.status.value}
    words = (Span(plan_id, Tone.STRONG), " is cancelled; nothing of it will run.")
    return CommandResult(data, [words], next=call.command("list"))


def _drafts(call: CommandContext, plan_id: PlanId) -> tuple[Comment, ...]:
    """The unsent comments to store with an approval. Refused without `--comments-as-notes`, so none is lost."""
    drafts = call.engine.commenting.comments(plan_id).drafts
    if drafts and not call.arguments.comments_as_notes:
        raise NotApprovableError(
            f"{plan_id} has {count(len(drafts), 'comment')} that were not sent yet.",
            next=f"Send the plan back: {call.command('reject', plan_id)}; or approve it with --comments-as-notes",
        )
    return drafts


_PLACE = lazy_pattern(r"(?P<what>[^:]+)(?::(?P<sign>[+-]?)(?P<first>[1-9]\d{0,8})(?:\.\.(?P<last>[1-9]\d{0,8}))?)?")
_PLAN_TEXT = "text"


class PlaceNamed(NamedTuple):
    """A place as a person types it."""

    operation: OperationId | None
    side: Side
    lines: tuple[int, int] | None


def comment(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    place = parse_place(call.arguments.place)
    return _told(call, plan_id, call.engine.commenting.add(plan_id, call.arguments.text, *place))


def comments(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    commenting = call.engine.commenting
    if call.arguments.remove:
        return _told(call, plan_id, commenting.remove(plan_id, CommentId(call.arguments.remove)))
    return _told(call, plan_id, commenting.comments(plan_id))


def parse_place(text: str) -> PlaceNamed:
    """`OP`, `OP:+12..14` in the proposed file, `OP:-8` in the file as it was, `text` or `text:3` in the plan text."""
    match = _PLACE.fullmatch(text)
    if match is None:
        raise BadInputError(
            f"{text} is not a place: name an operation (s1), lines of it (s1:+12..14 as proposed, s1:-8 as it was), "
            "or the plan text (text, text:3).",
            next="See operations and line numbers with: tandem show PLAN --diff",
        )
    operation = None if match["what"] == _PLAN_TEXT else OperationId(match["what"])
    side = Side.BEFORE if match["sign"] == "-" else Side.AFTER
    if match["first"] is None:
        return PlaceNamed(operation, side, None)
    return PlaceNamed(operation, side, (int(match["first"]), int(match["last"] or match["first"])))


def _told(call: CommandContext, plan_id: PlanId, found: Comments) -> CommandResult:
    from tandem_desktop.review.comments import where

    data = {"plan_id": plan_id, "comments": [_shape(c) for c in found.drafts], "sent": [_shape(c) for c in found.sent]}
    lines: list[Line] = [f"{count(len(found.drafts), 'comment')} on {plan_id}, not sent yet."]
    for each in found.drafts:
        outdated = " (no longer in the plan)" if each.outdated else ""
        lines.append((Span(each.id, Tone.STRONG), f"  {where(each.place)}{outdated}"))
        lines += [f"    > {line}" for line in each.place.quoted.split("\n") if each.place.first_line]
        lines += [f"    {line}" for line in each.said.split("\n")]
    following = call.command("reject", plan_id) if found.drafts else call.command("comment", plan_id, "OP", "TEXT")
    return CommandResult(data, lines, next=following)


def _shape(found: Comment) -> dict[str, Any]:
    place = found.place
    return {
        "id": found.id,
        "operation": place.operation,
        "subject": place.subject,
        "side": place.side.value,
        "first_line": place.first_line,
        "last_line": place.last_line,
        "quoted": place.quoted,
        "text": found.text,
        "revision": found.revision,
        "outdated": found.outdated,
        "written_at": utc(found.written_at),
    }
