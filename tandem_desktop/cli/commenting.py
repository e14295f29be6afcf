"""comment, comments: what a person says about a plan before sending it back."""

import re
from typing import Any, NamedTuple

from tandem_desktop.cli.answers import Answer, count, utc
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.lines import Line, Span, Tone
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.review import Comment, CommentId, Comments, Side
from tandem_desktop.review.feedback import where

_PLACE = re.compile(r"(?P<what>[^:]+)(?::(?P<sign>[+-]?)(?P<first>[1-9]\d{0,8})(?:\.\.(?P<last>[1-9]\d{0,8}))?)?")
_PLAN_TEXT = "text"


class PlaceNamed(NamedTuple):
    """A place as a person types it."""

    operation: OperationId | None
    side: Side
    lines: tuple[int, int] | None


def comment(call: Call) -> Answer:
    plan_id = call.plan_id()
    place = parse_place(call.arguments.place)
    return _told(call, plan_id, call.engine.commenting.add(plan_id, call.arguments.text, *place))


def comments(call: Call) -> Answer:
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


def _told(call: Call, plan_id: PlanId, found: Comments) -> Answer:
    data = {"plan_id": plan_id, "comments": [_shape(c) for c in found.drafts], "sent": [_shape(c) for c in found.sent]}
    lines: list[Line] = [f"{count(len(found.drafts), 'comment')} on {plan_id}, not sent yet."]
    for each in found.drafts:
        outdated = " (no longer in the plan)" if each.outdated else ""
        lines.append((Span(each.id, Tone.STRONG), f"  {where(each.place)}{outdated}"))
        lines += [f"    > {line}" for line in each.place.quoted.split("\n") if each.place.first_line]
        lines += [f"    {line}" for line in each.text.split("\n")]
    following = call.command("reject", plan_id) if found.drafts else call.command("comment", plan_id, "OP", "TEXT")
    return Answer(data, lines, next=following)


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
