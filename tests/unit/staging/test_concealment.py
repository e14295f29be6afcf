"""Padding and look-alikes in added lines: told where they hide something, silent where they do not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.staging.concealment import about_added_lines, about_command

TABLE = b"""\
| name                     | meaning of it            |
| ------------------------ | ------------------------ |
| a                        | first                    |
| b                        | second                   |
"""
MACRO = b"#define F(x)                     \\\n    do {                         \\\n    } while (0)\n"
DEEP = b"".join(b" " * depth + b"call(\n" for depth in range(0, 80, 4))


@pytest.mark.parametrize(
    "content",
    [TABLE, MACRO, DEEP, b"a\n\n\nb\n", b"\tx\n" * 9, b"one\n\n\n\n\n", b" " * 70 + b"\nx\n"],
    ids=["table", "aligned", "indentation", "two empty lines", "tabs", "empty lines at the end", "a line of blanks"],
)
def test_ordinary_white_space_is_not_told(content: bytes) -> None:
    assert [*about_added_lines(None, content)] == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"x" + b" " * 20 + b"y\n", "Line 1 has 20 blanks in a row, shown as their number."),
        (b"a\nx" + b" " * 4000 + b"y\n", "Line 2 has 4,000 blanks in a row, shown as their number."),
        (b" " * 90 + b"y\n", "Line 1 has 90 blanks in a row, shown as their number."),
        (b"a\n\n\n\nb\n", "3 empty lines follow each other from line 2 on, shown as their number."),
        (("x" + "\u3000" * 30 + "y\n").encode(), "Line 1 has 30 blanks in a row, shown as their number."),
    ],
)  # fmt: skip
def test_white_space_that_hides_is_told_with_its_place(content: bytes, told: str) -> None:
    assert [*about_added_lines(None, content)] == [told]
    assert [*about_added_lines(content, content + b"z\n")] == [], "it was there before"


def test_a_gap_that_is_added_to_a_file_with_many_empty_lines_is_told() -> None:
    before = b"one\n\ntwo\n\n" * 50
    assert [*about_added_lines(before, b"one" + b"\n" * 30 + b"run()\n" + before)] == [
        "29 empty lines follow each other from line 2 on, shown as their number."
    ]


def test_far_to_the_right_is_told_even_in_a_table() -> None:
    line = b"a" + b" " * 200 + b"b\n"
    assert len([*about_added_lines(None, line * 3)]) == 1


@given(st.integers(0, 60), st.integers(0, 6))
def test_a_command_is_told_from_twenty_blanks_and_three_empty_lines_on(blanks: int, empty: int) -> None:
    told = [*about_command("ls" + " " * blanks + "-l" + "\n" * (empty + 1) + "pwd")]
    assert len(told) == (blanks >= 20) + (empty >= 3)


@given(st.binary(max_size=200), st.one_of(st.none(), st.binary(max_size=200)))
def test_any_bytes_give_an_answer(after: bytes, before: bytes | None) -> None:
    for sentence in about_added_lines(before, after):
        assert sentence.endswith(".")
        assert sentence.isprintable()


_BLANK_OR_NOT = st.text("x \t\n\x0c\x1c", max_size=40)


@given(_BLANK_OR_NOT, st.integers(0, 90), st.sampled_from(" \t\x0b\x1c"), _BLANK_OR_NOT)
def test_plain_text_is_told_of_as_text_with_letters_of_other_languages(a: str, count: int, blank: str, b: str) -> None:
    content = f"{a}{blank * count}{b}\n"
    plain, other = ([*about_added_lines(None, f"{head}\n{content}".encode())] for head in ("a", "\u00e4"))
    assert plain == other


@given(st.lists(st.sampled_from([b"x", b"", b" ", b"\t"]), max_size=14))
def test_the_longest_run_of_empty_lines_with_text_below_is_told(lines: list[bytes]) -> None:
    above = b"".join(line.strip() or b"." for line in lines).rstrip(b".").split(b"x")
    longest = max(map(len, above))
    told = [*about_added_lines(None, b"\n".join(lines) + b"\n")]
    assert [each.partition(" ")[0] for each in told] == ([str(longest)] if longest >= 3 else [])
