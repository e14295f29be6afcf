"""What an editor is asked about a plan: its changes in full, and the answers that may follow from just these."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tandem_desktop.acp_agent.updates import text_block
from tandem_desktop.diff.text import visible_in_a_line, visible_name
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.lifecycle import can
from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.domain.plan import PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import EventKind
from tandem_desktop.domain.review import Seen
from tandem_desktop.review.attention import attention
from tandem_desktop.review.operation_view import MOST_COMPARED_BYTES, OperationView, Totals
from tandem_desktop.review.viewed import mark
from tandem_desktop.services.engine import Engine

Json = dict[str, Any]

MOST_FILES = 20
"""A plan with more operations is listed, and reviewed in the window: that many cannot be read in a request."""
MOST_LINES = 800
"""Changed lines of all operations."""
MOST_CHARACTERS = 400_000
"""Characters of all files before and after, which an editor gets whole."""
_MOST_LISTED = 200
_MOST_WARNINGS = 20


class EditorAnswer(StrEnum):
    """What a person may answer; the value is the id of the option."""

    APPLY = "apply"
    CARRY_OUT = "carry_out"
    REVIEW = "review"
    CHANGE = "change"
    DISCARD = "discard"


_OPTIONS = {
    EditorAnswer.APPLY: ("Apply", "allow_once"),
    EditorAnswer.CARRY_OUT: ("Carry it out", "allow_once"),
    EditorAnswer.REVIEW: ("Review in Tandem", "allow_once"),
    EditorAnswer.CHANGE: ("Request changes", "reject_once"),
    EditorAnswer.DISCARD: ("Discard", "reject_once"),
}


@dataclass(frozen=True, slots=True)
class EditorRequest:
    """One request about one revision. Its answer counts for the digest of what was sent, and for nothing else."""

    plan_id: PlanId
    revision: int
    digest: str
    answers: tuple[EditorAnswer, ...]
    tool_call: Json
    seen: tuple[Seen, ...] = ()
    """The operations of which the editor was sent everything."""

    @property
    def tool_call_id(self) -> str:
        return str(self.tool_call["toolCallId"])

    def params(self, session_id: str) -> Json:
        options = [
            {"optionId": each.value, "name": _OPTIONS[each][0], "kind": _OPTIONS[each][1]} for each in self.answers
        ]
        return {"sessionId": session_id, "toolCall": self.tool_call, "options": options}


def plan_request(engine: Engine, plan_id: PlanId, session_id: SessionId, number: int) -> EditorRequest:
    """The request about the latest revision of a plan, in one session; `number` tells it from earlier ones.

    *Apply* is offered only where the window would ask for nothing more than a click: no operation is flagged, no lock
    file has to be opened, and all of it is in the request.
    """
    version, meta = engine.plans.revision(plan_id), engine.plans.meta(plan_id)
    views = tuple(engine.views(version, MOST_COMPARED_BYTES))
    drafts = len(engine.commenting.comments(plan_id).drafts)
    totals = Totals.of(views)
    reasons = tuple(_reasons_against(meta, version, views, totals, drafts))
    diffs = None if _is_too_much(views, totals) else _diffs(engine, views)
    if diffs is None:
        reasons = (*reasons, "it is more than a request shows in full")
    may_approve = not reasons
    answers = tuple(_answers(version, session_id, may_approve=may_approve))
    words = "\n".join(_words(engine, version, views, totals, reasons, is_whole=diffs is not None))
    return EditorRequest(
        plan_id=plan_id,
        revision=version.revision,
        digest=ApprovalHash.of(version).combined_hash,
        answers=answers,
        tool_call={
            "toolCallId": f"tandem:{plan_id}:r{version.revision}:{number}",
            "title": _title(version, totals),
            "kind": "edit",
            "status": "pending",
            "content": [{"type": "content", "content": text_block(words)}, *(diffs or ())],
            "locations": [{"path": _absolute(engine, path)} for path in _paths(version)[:_MOST_LISTED]],
            "rawInput": {
                "plan": plan_id,
                "revision": version.revision,
                "digest": ApprovalHash.of(version).combined_hash,
                "operations": [
                    {"id": each.id, "kind": each.kind.value, "path": each.to or each.path}
                    for each in version.operations[:_MOST_LISTED]
                ],
            },
        },
        seen=tuple(Seen(mark=mark(each)) for each in version.operations) if diffs is not None else (),
    )


def _answers(version: PlanVersion, session_id: SessionId, *, may_approve: bool) -> Iterator[EditorAnswer]:
    """What may be answered; only the session of a plan has its agent go on."""
    is_own = version.session_id == session_id
    if may_approve and version.operations:
        yield EditorAnswer.APPLY
    elif may_approve and is_own:
        yield EditorAnswer.CARRY_OUT
    yield EditorAnswer.REVIEW
    if is_own:
        yield EditorAnswer.CHANGE
    yield EditorAnswer.DISCARD


def _reasons_against(
    meta: PlanMeta, version: PlanVersion, views: Iterable[OperationView], totals: Totals, drafts: int
) -> Iterator[str]:
    """Why a click in the editor is not enough, each as a clause."""
    if not can(meta, EventKind.APPROVE):
        yield f"the plan is {meta.status.label.lower()}"
    if version.incomplete:
        yield "its agent did not finish"
    if version.drifted:
        yield "a file changed on disk while the agent worked on it"
    flagged = sum(1 for view in views if view.flags or view.must_be_opened)
    if flagged:
        yield f"{flagged} of {totals.operations} operations must be acknowledged"
    if drafts:
        yield "it has comments that were not sent"


def _is_too_much(views: tuple[OperationView, ...], totals: Totals) -> bool:
    sizes = (
        state.size
        for view in views
        for state in (view.operation.base, view.operation.after)
        if isinstance(state, FileState)
    )
    too_long = totals.added + totals.removed > MOST_LINES or any(view.is_too_large for view in views)
    return len(views) > MOST_FILES or too_long or sum(sizes) > MOST_CHARACTERS


def _diffs(engine: Engine, views: Iterable[OperationView]) -> list[Json] | None:
    """The files before and after, whole; None where one of them cannot be shown exactly as text."""
    found: list[Json] = []
    for view in views:
        operation = view.operation
        if not any(isinstance(state, FileState) for state in (operation.base, operation.after)):
            continue
        if operation.base == operation.after:
            continue  # a move, which the words tell in full
        try:
            before, after = (data.decode("utf-8") for data in engine.contents(operation))
            (operation.path or "").encode()
        except (UnicodeError, TandemError):
            return None
        if before == after:
            continue  # the mode, likewise
        has_base = isinstance(operation.base, FileState)
        path = _absolute(engine, operation.to or operation.path or "")
        found.append({"type": "diff", "path": path, "oldText": before if has_base else None, "newText": after})
    return found


def _title(version: PlanVersion, totals: Totals) -> str:
    counts = f"+{totals.added} −{totals.removed}" if totals.added or totals.removed else ""
    files = _count(totals.files, "file") if totals.files else _count(totals.operations, "operation")
    what = f"{files} {counts}".strip() if version.operations else "a plan in words"
    return f"Apply {version.plan_id} r{version.revision}: {what}"


def _words(
    engine: Engine,
    version: PlanVersion,
    views: tuple[OperationView, ...],
    totals: Totals,
    reasons: tuple[str, ...],
    *,
    is_whole: bool,
) -> Iterator[str]:
    """The request in words, as Markdown."""
    yield f"**{escaped(version.title)}** ({version.plan_id} r{version.revision})"
    yield ""
    yield "Nothing is written yet." + ("" if is_whole else " This is the list; the changes are in Tandem.")
    if reasons:
        yield ""
        yield f"*Apply* is not offered here: {'; '.join(reasons)}. *Review in Tandem* shows all of it."
    yield ""
    for view in views[:_MOST_LISTED]:
        yield f"- {_line(view)}"
    if len(views) > _MOST_LISTED:
        yield f"- … and {len(views) - _MOST_LISTED} more"
    for group in attention(views):
        for view in group.views:
            why = " ".join(dict.fromkeys(view.why(flag) for flag in view.flags))
            yield f"- ⚠ {', '.join(flag.value for flag in view.flags)}: {code(_name(view.operation))} {why}"
    notes = dict.fromkeys(note for view in views for note in view.notes)
    yield from (f"- ⚠ {escaped(note)}" for note in (*notes, *version.warnings[:_MOST_WARNINGS]))
    if version.incomplete:
        yield f"- ⚠ {escaped(version.incomplete)}"
    yield from _around(engine, version)
    yield ""
    yield f"Digest {code(ApprovalHash.of(version).combined_hash[:12])}"
    if not version.operations:
        yield ""
        yield version.content


def _around(engine: Engine, version: PlanVersion) -> Iterator[str]:
    """What is known of the plan besides its operations: commands that ran, checks, refused hosts."""
    if version.ran:
        bad = sum(1 for each in version.ran if each.exit_code or each.has_failed)
        failed = f", {bad} of them failed" if bad else ""
        yield f"- {_count(len(version.ran), 'command')} ran in the shadow{failed}; none runs again"
    if version.ignored is not None:
        yield f"- {escaped(version.ignored.sentence())}"
    refused = version.network.refused if version.network is not None else ()
    for each in refused[:_MOST_WARNINGS]:
        yield f"- Network refused: {code(visible_name(each.host))} port {each.port}"
    if len(refused) > _MOST_WARNINGS:
        yield f"- Network refused: {len(refused) - _MOST_WARNINGS} more"
    if told := checks_in_short(engine, version):
        yield f"- Checks: {escaped(told)}"


def checks_in_short(engine: Engine, version: PlanVersion) -> str:
    """What checks say of exactly this revision; empty where none was run."""
    try:
        evidence = engine.checks.kept(version)
    except (TandemError, OSError):
        return ""
    return evidence.summary if evidence is not None else ""


def _line(view: OperationView) -> str:
    operation = view.operation
    if operation.call is not None:
        return f"run {code(visible_in_a_line(operation.call.text))}"
    counts = f" (+{view.added} −{view.removed})" if view.has_lines else ""
    return f"{code(operation.action_with(visible_name))}{counts}"


def _name(operation: StagedOperation) -> str:
    if operation.call is not None:
        return visible_in_a_line(operation.call.text)
    return visible_name(operation.to or operation.path or "")


def _paths(version: PlanVersion) -> list[str]:
    return list(dict.fromkeys(path for each in version.operations for path in each.paths))


def _absolute(engine: Engine, path: str) -> str:
    return f"{engine.locations.workspace}/{path}"


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"


def code(text: str) -> str:
    """Text as code in Markdown; no text can end it early."""
    longest, run = 0, 0
    for character in text:
        run = run + 1 if character == "`" else 0
        longest = max(longest, run)
    fence = "`" * (longest + 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{' '.join(text.splitlines())}{pad}{fence}"


_MARKUP = str.maketrans({each: f"\\{each}" for each in "\\`*_[]<>#|!"})


def escaped(text: str) -> str:
    """Words of others, without a meaning in Markdown."""
    return " ".join(text.split()).translate(_MARKUP)
