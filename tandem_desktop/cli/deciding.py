"""approve, reject, cancel: what a person decides about a plan."""

from tandem_desktop.cli.answers import Answer, count, readable, utc
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.lines import Line, Span, Tone
from tandem_desktop.cli.looking import go_on
from tandem_desktop.cli.wording import edited_page_text
from tandem_desktop.domain.advised_plan import phase_of
from tandem_desktop.domain.errors import NotApprovableError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanMeta, PlanStatus
from tandem_desktop.domain.review import Comment
from tandem_desktop.orchestration.shadow_folders import discard_shadow


def approve(call: Call) -> Answer:
    plan_id = call.plan_id()
    drafts = _drafts(call, plan_id)
    edited = call.engine.plans.edited_page(plan_id, call.engine.plans.latest_revision(plan_id))
    approval = call.engine.decisions.approve(plan_id, call.arguments.digest, notes=call.arguments.notes, drafts=drafts)
    revision = approval.approval_hash.revision
    data = {
        "plan_id": plan_id,
        "revision": revision,
        "digest": approval.digest,
        "expires_at": utc(approval.expires_at),
        "edited_page": str(edited) if edited else None,
    }
    lines: list[Line] = [
        (Span(plan_id, Tone.STRONG), f" r{revision} is approved, for one run, until {readable(approval.expires_at)}."),
        ("Digest  ", Span(approval.digest, Tone.STRONG)),
    ]
    if edited is not None:
        lines.append((Span("! ", Tone.WARNING), edited_page_text(edited)))
        lines.append(f"  The edit is not part of it. To take it back: {call.command('cancel', plan_id)}")
    version = call.engine.plans.revision(plan_id, revision)
    if not version.operations:
        lines.append("It has no operations: it is text, there is nothing to write, and no run follows.")
        return Answer(data, lines, next=f"Let its agent carry it out: {go_on(call, version)}")
    return Answer(data, lines, next=call.command("apply", plan_id))


def reject(call: Call) -> Answer:
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
    return Answer(data, [(Span(plan_id, Tone.STRONG), words), *(f"  {line}" for line in said)], next=following)


def cancel(call: Call) -> Answer:
    plan_id = call.plan_id()
    return _ended(call, call.engine.decisions.cancel(plan_id))


def _ended(call: Call, meta: PlanMeta) -> Answer:
    plan_id = meta.plan_id
    discard_shadow(call.engine, meta.session_id)
    data = {"plan_id": plan_id, "revision": meta.revision, "status": meta.status.value}
    words = (Span(plan_id, Tone.STRONG), " is cancelled; nothing of it will run.")
    return Answer(data, [words], next=call.command("list"))


def _drafts(call: Call, plan_id: PlanId) -> tuple[Comment, ...]:
    """The comments that go with an approval. Those that were not sent are never dropped on the way."""
    drafts = call.engine.commenting.comments(plan_id).drafts
    if drafts and not call.arguments.comments_as_notes:
        raise NotApprovableError(
            f"{plan_id} has {count(len(drafts), 'comment')} that nobody has read yet.",
            next=f"Send the plan back: {call.command('reject', plan_id)}; or approve it with --comments-as-notes",
        )
    return drafts
