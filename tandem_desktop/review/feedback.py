"""A person's comments as words an agent can work with: where, what stands there, what about it."""

from collections.abc import Sequence

from tandem_desktop.domain.review import Comment, Place, Side

_QUOTED_LINES = 30


def feedback(words: str, comments: Sequence[Comment]) -> str:
    """The person's words, and then every comment in order."""
    parts = [words.strip()] if words.strip() else []
    if comments:
        numbered = (f"{n}. {_told(comment)}" for n, comment in enumerate(comments, start=1))
        parts.append("Comments on the plan:\n\n" + "\n\n".join(numbered))
    return "\n\n".join(parts)


def where(place: Place) -> str:
    """The place of a comment in words."""
    subject = place.subject or "the plan"
    if place.first_line is None:
        return subject if place.operation is None else f"{subject} ({place.operation})"
    several = place.last_line is not None and place.last_line != place.first_line
    lines = f"lines {place.first_line}-{place.last_line}" if several else f"line {place.first_line}"
    if place.operation is None:
        return f"{subject}, {lines}"
    return f"{subject} ({place.operation}), {lines} of the file as {_SIDES[place.side]}"


_SIDES = {Side.BEFORE: "it was", Side.AFTER: "proposed"}


def _told(comment: Comment) -> str:
    lines = [f"{where(comment.place)}:"]
    quoted = comment.place.quoted.split("\n") if comment.place.first_line is not None else []
    lines += [f"   > {line}" for line in quoted[:_QUOTED_LINES]]
    if len(quoted) > _QUOTED_LINES:
        more = len(quoted) - _QUOTED_LINES
        lines.append(f"   > … and {more} more line{'' if more == 1 else 's'}")
    lines += [f"   {line}" for line in comment.text.strip().split("\n")]
    return "\n".join(lines)
