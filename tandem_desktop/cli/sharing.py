"""The share and fetch commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tandem_desktop.cli.console import EscapedText, Line, Span, Tone
from tandem_desktop.cli.main import CommandContext, CommandResult, count
from tandem_desktop.diff.text import visible_line
from tandem_desktop.services.sharing import Fetched

if TYPE_CHECKING:
    from tandem_desktop.services.sharing import FetchedPlan, TeamDecision

_WORDS = {
    Fetched.NEW: "new here",
    Fetched.REVISED: "revised",
    Fetched.ALTERNATIVE: "theirs, as a plan of its own: it was revised here as well",
    Fetched.SAID: "is the same",
}


def share(call: CommandContext) -> CommandResult:
    made = call.engine.sharing.share(call.plan_id(), call.arguments.remote)
    data = {
        "plan_id": made.plan_id,
        "revision": made.revision,
        "digest": made.digest,
        "remote": made.remote,
        "commit": made.commit,
        "shared": made.is_new,
        "comments": made.comments,
        "approved": made.is_approved,
    }
    name = (Span(made.plan_id, Tone.STRONG), f" r{made.revision}")
    approved = ", with your signed approval" if made.is_approved else ""
    with_comments = f", with {count(made.comments, 'comment')}" if made.comments else ""
    lines: list[Line] = [
        (*name, f" is on {made.remote}{with_comments}{approved}.")
        if made.is_new
        else (*name, f": {made.remote} has all of it already.")
    ]
    lines.append(("Digest  ", Span(made.digest, Tone.STRONG)))
    if made.problem:
        lines.append(Span(f"! {made.problem}", Tone.WARNING))
    return CommandResult(data, lines, next="In another clone: tandem fetch")


def fetch(call: CommandContext) -> CommandResult:
    found = call.engine.sharing.fetch(call.arguments.remote)
    data = {
        "plans": [
            {
                "plan_id": each.plan_id,
                "outcome": each.outcome.value,
                "revision": each.revision or None,
                "digest": each.digest or None,
                "comments": each.comments,
                "decisions": [
                    {
                        "by": said.by or None,
                        "digest": said.digest or None,
                        "at": said.at or None,
                        "counts": said.counts,
                        "reason": said.reason or None,
                    }
                    for said in each.decisions
                ],
                "reason": each.reason or None,
            }
            for each in found
        ]
    }
    if not found:
        return CommandResult(data, ["Nothing is new."], next=call.command("list"))
    lines = [line for each in found for line in _told(each)]
    taken = next((each for each in found if each.outcome is not Fetched.REFUSED), None)
    is_approved = taken is not None and any(said.counts for said in taken.decisions)
    following = call.command("list")
    if taken is not None:
        following = call.command("apply" if is_approved else "show", taken.plan_id)
    return CommandResult(data, lines, next=following)


def _told(found: FetchedPlan) -> list[Line]:
    if found.outcome is Fetched.REFUSED:
        reason = EscapedText(visible_line(found.reason))
        return [(Span(found.plan_id, Tone.STRONG), Span("  not taken in: ", Tone.FAILED), reason)]
    comments = f", {count(found.comments, 'new comment')}" if found.comments else ""
    lines: list[Line] = [(Span(found.plan_id, Tone.STRONG), f" r{found.revision}  {_WORDS[found.outcome]}{comments}")]
    return [*lines, *map(_decision, found.decisions)]


def _decision(said: TeamDecision) -> Line:
    who = EscapedText(visible_line(said.by or "somebody"))
    if said.counts:
        return ("  ", Span("approved", Tone.ADDED), " by ", who)
    return ("  ", Span("an approval does not count", Tone.WARNING), " (", who, f"): {visible_line(said.reason)}")
