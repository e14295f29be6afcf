"""Words for what lines cannot show, tokens for what eyes cannot see, colours, marks and searches."""

import struct

import pytest

from tandem_desktop.domain.operations import ABSENT, DirectoryState, FileState, NodeState, SymlinkState
from tandem_desktop.ui.diff.model import DiffSide, build_file_diff, preview_file_diff
from tandem_desktop.ui.diff.search import DiffSearch
from tandem_desktop.ui.diff.special import node_notes
from tandem_desktop.ui.diff.styles import LARGEST_TEXT, Yielding, lex, marks_of

DIGEST = "0" * 64


def a_file(mode: int = 0o644) -> FileState:
    return FileState(sha256=DIGEST, size=1, mode=mode)


def a_png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + bytes(4) + b"IHDR" + struct.pack(">II", width, height) + bytes(60)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (b"a\n", b"a\n", "The content does not change."),
        (b"", b"", "The content is empty."),
        (b"a\n", b"", "File is deleted."),
        (b"a\nb\n", b"a\r\nb\r\n", "Line endings change from LF to CRLF (2 lines). Nothing else changes."),
        (b"a\nb\n", b"a\r\nc\r\n", "Line endings change from LF to CRLF (2 lines)."),
        (b"a\n", b"a", "The newline at the end is removed."),
        (b"a", b"a\n", "The newline at the end is added."),
        (b"a\n", b"\xef\xbb\xbfa\n", "The byte order mark at the beginning is added."),
        ("é\n".encode(), "é\n".encode("latin-1"), "The encoding changes from UTF-8 to Latin-1."),
        (b"\0a", b"\0bc", "Not text: 2 bytes → 3 bytes."),
        (b"", a_png(640, 480), "Image (new): PNG, 640 × 480, 84 bytes."),
        (a_png(640, 480), a_png(800, 600), "Image: PNG, 640 × 480, 84 bytes → PNG, 800 × 600, 84 bytes."),
    ],
)
def test_a_content_is_told_in_words(before: bytes, after: bytes, words: str) -> None:
    assert [each.text for each in build_file_diff("a", before, after).notes] == [words]


def test_an_ordinary_edit_needs_no_words() -> None:
    assert build_file_diff("a", b"a\n", b"b\n").notes == ()


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (a_file(0o644), a_file(0o755), "The mode changes from 0644 to 0755: it can be run as a program."),
        (a_file(0o755), a_file(0o644), "The mode changes from 0755 to 0644: it can no longer be run as a program."),
        (SymlinkState(target="a"), SymlinkState(target="b"), "The symbolic link points to b instead of a."),
        (ABSENT, SymlinkState(target="b"), "New: a symbolic link to b."),
        (SymlinkState(target="a"), ABSENT, "The symbolic link to a is removed."),
        (SymlinkState(target="a"), a_file(), "The symbolic link to a becomes a file."),
        (ABSENT, DirectoryState(mode=0o755), "New: a directory."),
        (DirectoryState(mode=0o755), ABSENT, "The directory is removed."),
        (ABSENT, a_file(0o755), "The new file can be run as a program (mode 0755)."),
    ],
)
def test_a_change_of_the_thing_itself_is_told_in_words(before: NodeState, after: NodeState, words: str) -> None:
    assert [each.text for each in node_notes(before, after)] == [words]


def test_a_rename_names_both_paths() -> None:
    words = node_notes(a_file(), a_file(), "b.py", moved_from="a.py")
    assert [each.text for each in words] == ["Renamed from a.py to b.py."]


@pytest.mark.parametrize(
    "character",
    ["\u202a", "\u202b", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u202c", "\u2069", "\u200e", "\u200f"],
)
def test_every_character_that_turns_text_round_is_a_token_and_in_the_banner(character: str) -> None:
    diff = build_file_diff("a.py", b"x = 1\n", f"x = 1\ny = '{character}'\n".encode())
    assert diff.new.line(1) == f"y = '⟨U+{ord(character):04X}⟩'"
    assert f"(U+{ord(character):04X}) on line 2" in diff.banner


def test_a_letter_that_imitates_another_is_spelled_out() -> None:
    side = DiffSide("\u0455udo rm\n\u043f\u0440\u0438\u0432\u0435\u0442 мир\n".encode())
    assert side.line(0) == "⟨U+0455⟩udo rm"
    assert side.line(1) == "привет мир"
    assert side.hidden() == ("letters of another alphabet that look like Latin ones on line 1",)


def test_a_return_inside_a_line_is_seen_and_told() -> None:
    side = DiffSide(b"safe\rrm -rf\n")
    assert side.line(0) == "safe␍rm -rf"
    assert side.hidden() == ("a carriage return inside a line on line 1",)


def test_plain_source_has_no_banner() -> None:
    assert build_file_diff("a.py", b"a\r\n", "é\tb\r\n".encode()).banner == ""


def test_a_string_over_many_lines_is_coloured_as_one() -> None:
    (spans,) = lex("a.py", DiffSide(b'x = """one\ndef two\n"""\ny = 1\n'), Yielding())
    assert [span.token for span in spans[1]] == ["syntax_string"]
    assert (spans[1][0].start, spans[1][0].end) == (0, 7)


def test_spans_come_for_every_line() -> None:
    side = DiffSide(b"x = 1\n" * 2000)
    parts = list(lex("a.py", side, Yielding()))
    assert len(parts) > 1
    assert sum(map(len, parts)) >= len(side)


def test_colours_follow_tokens_of_hidden_characters() -> None:
    (spans,) = lex("a.py", DiffSide("x = '\u202e'; return_ = 1\n".encode()), Yielding())
    shown = "x = '⟨U+202E⟩'; return_ = 1"
    assert [shown[span.start : span.end] for span in spans[0]] == ["'⟨U+202E⟩'", "1"]


def test_too_large_a_text_stays_uncoloured() -> None:
    assert list(lex("a.py", DiffSide(b"x = 1\n" * (LARGEST_TEXT // 6 + 1)), Yielding())) == []


def test_lines_with_nothing_in_common_carry_no_marks() -> None:
    assert marks_of("alpha beta", "12345 67890").new == ()


def test_in_a_long_line_the_part_that_changed_is_marked() -> None:
    head, tail = "a" * 500_000, "b" * 500_000
    marks = marks_of(f"{head}X{tail}", f"{head}YZ{tail}")
    assert (marks.old, marks.new) == (((500_000, 500_001),), ((500_000, 500_002),))


def test_a_search_without_capitals_finds_both_cases_and_removed_lines_first() -> None:
    diff = build_file_diff("a", b"same Word\nold word\n", b"same Word\nnew word\n")
    found = DiffSearch(diff, "word").matches
    assert [(each.is_old, each.line, each.start) for each in found] == [(False, 0, 5), (True, 1, 4), (False, 1, 4)]
    assert len(DiffSearch(diff, "Word")) == 1


def test_a_preview_takes_the_first_lines_of_any_content() -> None:
    assert len(preview_file_diff("a", b"", b"line\n" * 1_000_000).new) == 200
    assert len(preview_file_diff("a", b"", b"x" * 5_000_000).new.content) == 20_000
