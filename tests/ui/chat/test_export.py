"""A conversation can be read elsewhere, with who said what."""

from datetime import UTC, datetime

from tandem_desktop.domain.agent_protocol import ChatEntry, EntryKind
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.ui.chat.export import conversation_markdown

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def entry(number: int, kind: EntryKind, text: str = "", **facts: object) -> ChatEntry:
    return ChatEntry.model_validate({"number": number, "kind": kind, "at": NOON, "text": text, **facts})


def test_what_was_said_stands_under_who_said_it_and_the_rest_in_one_line_each() -> None:
    text = conversation_markdown(
        (
            entry(1, EntryKind.PERSON, "Make it *new*"),
            entry(2, EntryKind.THOUGHT, "hm"),
            entry(3, EntryKind.AGENT, "Done:\n\n```py\nx = 1\n```"),
            entry(4, EntryKind.AGENT, "More."),
            entry(5, EntryKind.PLAN, plan_id=PlanId("PLAN-00000001"), revision=2),
            entry(6, EntryKind.NOTE, "Applied\n5 files"),
            entry(7, EntryKind.PERSON, "Forget this", set_aside=True),
        )
    )
    when = f"{NOON.astimezone():%Y-%m-%d %H:%M}"
    assert text == (
        f"## You, {when}\n\nMake it *new*\n\n## Agent, {when}\n\nDone:\n\n```py\nx = 1\n```\n\nMore.\n\n"
        "- Plan `PLAN-00000001`, revision 2\n\n- Applied 5 files\n"
    )
