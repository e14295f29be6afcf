"""One message about a tool call, as far as it can be understood. Every part may be missing, or be nonsense.

Read by hand and not by the library's models: an agent may send thousands of these at once, each is read twice as fast,
and what cannot be read is left out in the same way.
"""

from typing import Any, NamedTuple

from tandem_desktop.domain.agents import ToolCallStatus, ToolKind

_KINDS = {kind.value: kind for kind in ToolKind}
_STATUSES = {status.value: status for status in ToolCallStatus}


class SaidDiff(NamedTuple):
    """A change in the agent's words, its path as the agent writes it."""

    path: str
    old_text: str | None
    new_text: str


class ToolCallUpdate(NamedTuple):
    """What one message says; None and empty where it says nothing."""

    tool_call_id: str
    title: str | None
    kind: ToolKind | None
    status: ToolCallStatus | None
    diffs: tuple[SaidDiff, ...]
    texts: tuple[str, ...]
    paths: tuple[str, ...]
    raw_input: Any
    raw_output: Any
    meta: Any


def read_tool_call(value: Any) -> ToolCallUpdate | None:
    """What is said of a tool call, or None when not even its id is."""
    if not isinstance(value, dict):
        return None
    say = value.get
    number, title, kind, status = say("toolCallId"), say("title"), say("kind"), say("status")
    if not isinstance(number, str):
        return None
    diffs, texts = _content(say("content"))
    return ToolCallUpdate(
        number,
        title if isinstance(title, str) else None,
        _KINDS.get(kind) if isinstance(kind, str) else None,
        _STATUSES.get(status) if isinstance(status, str) else None,
        diffs,
        texts,
        _paths(say("locations")),
        say("rawInput"),
        say("rawOutput"),
        say("_meta"),
    )


def _content(parts: Any) -> tuple[tuple[SaidDiff, ...], tuple[str, ...]]:
    """The diffs and the texts among the parts of a content."""
    if not isinstance(parts, list) or not parts:
        return (), ()
    diffs: list[SaidDiff] = []
    texts: list[str] = []
    for part in parts:
        match part:
            case {"type": "diff", "path": str(path), "newText": str(new_text)}:
                old_text = part.get("oldText")
                if old_text is None or isinstance(old_text, str):
                    diffs.append(SaidDiff(path, old_text, new_text))
            case {"type": "content", "content": {"type": "text", "text": str(text)}}:
                texts.append(text)
    return tuple(diffs), tuple(texts)


def _paths(locations: Any) -> tuple[str, ...]:
    if not isinstance(locations, list):
        return ()
    return tuple(
        [place["path"] for place in locations if isinstance(place, dict) and isinstance(place.get("path"), str)]
    )
