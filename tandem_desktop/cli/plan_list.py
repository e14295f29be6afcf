"""The command that lists plans. It imports no more than a list needs: scripts and prompts call it often."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tandem_desktop.cli.console import Span, Tone, sentence, table
from tandem_desktop.cli.main import CommandContext, CommandResult, readable, utc
from tandem_desktop.domain.errors import PlanNotFoundError
from tandem_desktop.domain.ids import SessionId

if TYPE_CHECKING:
    from tandem_desktop.domain.plan import BranchPoint
    from tandem_desktop.plans.index import PlanSummary


def list_plans(call: CommandContext) -> CommandResult:
    listing = call.engine.listing()
    found = _of_session(call, listing.plans)
    edited = {plan_id: str(page) for plan_id, page in call.engine.edited_pages(found).items()}
    plans = [
        {
            "plan_id": plan.plan_id,
            "title": plan.title,
            "status": plan.status.value,
            "revision": plan.revision,
            "digest": plan.digest,
            "updated_at": utc(plan.updated_at),
            "branched_from": branch_point(plan.branched_from),
            "edited_page": edited.get(plan.plan_id),
        }
        for plan in found
    ]
    damaged = [each._asdict() for each in listing.damaged]
    lines = table(
        (
            Span(p.plan_id, Tone.STRONG),
            p.status.label.lower(),
            f"r{p.revision}",
            p.digest[:12],
            readable(p.updated_at),
            _titled(p),
        )
        for p in found
    )
    lines += [(Span("! ", Tone.WARNING), edited_page_text(Path(path))) for path in edited.values()]
    for each in listing.damaged:
        lines.append((Span(f"! {each.plan_id} cannot be read: ", Tone.WARNING), sentence(each.message)))
        lines.append(f"  {each.next}")
    following = call.command("show", found[0].plan_id, "--diff") if plans else call.command("propose", "FILE")
    return CommandResult(
        {"plans": plans, "damaged": damaged}, lines or ["There are no plans here yet."], next=following
    )


def _of_session(call: CommandContext, plans: "tuple[PlanSummary, ...]") -> "tuple[PlanSummary, ...]":
    """All of them, or the history of one session."""
    session = call.arguments.session
    if session is None:
        return plans
    history = call.engine.plans.plans_of(SessionId(session))
    if not history:
        raise PlanNotFoundError(f"There is no plan of the session {session} here.", next="See all of them: tandem list")
    return tuple(plan for plan in plans if plan.plan_id in history)


def _titled(plan: "PlanSummary") -> str:
    point = plan.branched_from
    return f"{plan.title}  (alternative to {point.plan_id} r{point.revision})" if point else plan.title


def branch_point(point: "BranchPoint | None") -> dict[str, Any] | None:
    """What an alternative was branched from; nothing for a plan that is none."""
    return None if point is None else {"plan_id": point.plan_id, "revision": point.revision}


def edited_page_text(page: Path) -> str:
    """What is said where a person edited the Markdown page of a revision."""
    record = f"{page.name.partition('.')[0]}.json"
    return f"{page} was edited by hand. It is a page for reading: what is approved and applied is {record}."
