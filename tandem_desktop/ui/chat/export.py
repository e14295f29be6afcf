"""Exports a chat as Markdown."""

from collections.abc import Iterable, Iterator

from tandem_desktop.diff.text import visible_in_a_line
from tandem_desktop.domain.agent_protocol import ChatEntry, EntryKind
from tandem_desktop.ui.chat.tool_text import chip_words

_SPEAKERS = {EntryKind.PERSON: "You", EntryKind.AGENT: "Agent"}


def conversation_markdown(entries: Iterable[ChatEntry]) -> str:
    """The messages in order, without thoughts and folded entries."""
    return "\n".join(_lines(entries)).strip() + "\n"


def _lines(entries: Iterable[ChatEntry]) -> Iterator[str]:
    speaker: str | None = None
    for entry in entries:
        if entry.set_aside or entry.kind is EntryKind.THOUGHT:
            continue
        if (speaks := _SPEAKERS.get(entry.kind)) is not None:
            if speaks != speaker:
                yield f"## {speaks}, {entry.at.astimezone():%Y-%m-%d %H:%M}\n"
            speaker = speaks
            yield f"{entry.text.strip()}\n"
        elif words := _beside(entry):
            yield f"- {words}\n"


def _beside(entry: ChatEntry) -> str:
    """A tool call, card or note as one line."""
    match entry.kind:
        case EntryKind.TOOL if entry.call is not None:
            words = chip_words((entry.call,))
            return " ".join(filter(None, (words.verb, f"`{words.subject}`" if words.subject else "", words.more)))
        case EntryKind.PLAN:
            return f"Plan `{entry.plan_id}`, revision {entry.revision}"
        case EntryKind.QUESTION if entry.request is not None:
            return f"Asked: {visible_in_a_line(_one_line(entry.request.call.title))} ({entry.answer or 'not answered'})"
        case EntryKind.ELICITATION if entry.question is not None:
            ended = "; ".join(map(_one_line, entry.details)) or entry.answer or "not answered"
            return f"Asked: {_one_line(entry.question.summary)} ({ended})"
        case _:
            return _one_line(entry.text)


def _one_line(text: str) -> str:
    return " ".join(text.split())
