"""Whatever a stranger wrote, a line on the terminal shows it and does not obey it."""

from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.cli.console import EscapedText, Span, Tone, render, sentence, table
from tandem_desktop.diff.text import is_hidden


@given(st.text(st.characters(), max_size=60))
def test_no_hidden_character_of_a_piece_reaches_the_terminal(text: str) -> None:
    for line in (text, Span(text, Tone.ADDED), ("  ", Span(text), text)):
        assert not any(is_hidden(character) or character == "\n" for character in render(line))


@given(st.text(st.characters(), max_size=60))
def test_the_only_escapes_are_our_own_colours(text: str) -> None:
    assert (
        render(Span(text, Tone.ADDED), colours=True).replace("\x1b[32m", "").replace("\x1b[0m", "").count("\x1b") == 0
    )


def test_escapes_and_bidi_marks_are_spelled_out() -> None:
    assert render("\x1b[2J\u202egpj.exe") == "␛[2J⟨U+202E⟩gpj.exe"


def test_text_that_is_shown_already_is_not_spelled_out_twice() -> None:
    assert render(EscapedText("⟨U+202E⟩")) == "⟨U+202E⟩"
    assert sentence("The path '⟨U+202E⟩' and \x1b") == "The path '⟨U+202E⟩' and ␛"
    assert sentence("Nothing was changed: m\u0430in.py … was") == "Nothing was changed: m⟨U+0430⟩in.py … was"
    assert sentence("/home/иван/файл.txt cannot be read") == "/home/иван/файл.txt cannot be read"


def test_a_table_is_aligned_by_what_is_seen_and_leaves_no_space_at_the_end() -> None:
    rows = table([("a", Span("\x1b", Tone.ADDED), "x"), ("long", "b", ""), ("c",)], indent="")
    assert [render(row) for row in rows] == ["a     ␛  x", "long  b", "c"]
