import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.diff.text import (
    Document,
    ends_without_newline,
    is_hidden,
    visible,
    visible_command,
    visible_line,
)

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
AWKWARD = st.text(st.sampled_from("ab\n\r\0\u2028\u0a0a\u202e\U0001f600äⒶ"), max_size=40)
CONTENTS = st.one_of(
    st.binary(max_size=80),
    AWKWARD.map(lambda text: text.encode()),
    AWKWARD.map(lambda text: b"\xff\xfe" + text.encode("utf-16-le")),
    AWKWARD.map(lambda text: b"\xfe\xff" + text.encode("utf-16-be")),
    st.lists(st.sampled_from([b"\n", b"\r\n", b"\r", b"x", b"\xe4"]), max_size=30).map(b"".join),
)


@given(CONTENTS)
def test_lines_join_to_the_content_whatever_it_is(content):
    document = Document.of(content)
    assert b"".join(document.lines) == content
    assert all(document.lines)
    for line in document.lines:
        document.display(line)


@given(AWKWARD.filter(lambda text: "\0" not in text), st.sampled_from(["utf-16-le", "utf-16-be"]))
def test_utf16_is_cut_at_newline_code_units_only(text, codec):
    document = Document.of("\ufeff".encode(codec) + text.encode(codec))
    assert document.encoding == codec
    assert "".join(line.decode(codec) for line in document.lines) == "\ufeff" + text
    assert all(line.decode(codec).count("\n") <= 1 for line in document.lines)
    assert all(line.decode(codec).endswith("\n") for line in document.lines[:-1])


@pytest.mark.parametrize(
    ("content", "encoding", "count", "endings"),
    [
        (b"", "utf-8", 0, "none"),
        (b"one\ntwo\n", "utf-8", 2, "lf"),
        (b"one\r\ntwo\r\n", "utf-8", 2, "crlf"),
        (b"one\r\ntwo\nthree", "utf-8", 3, "mixed"),
        (b"one\rtwo\r", "utf-8", 1, "none"),
        ("größe\n".encode(), "utf-8", 1, "lf"),
        ("größe\n".encode("latin-1"), "latin-1", 1, "lf"),
        (b"\xff\xfea\0\r\0\n\0b\0", "utf-16-le", 2, "crlf"),
        (b"\xfe\xff\0a\0\n\0b", "utf-16-be", 2, "lf"),
        (b"\xfe\xff\x0a\x00\0\n", "utf-16-be", 1, "lf"),
        (b"\xff\xfea\0\n", "binary", 1, "lf"),
        (b"\xff\xfe\0\0a\0\0\0", "binary", 1, "none"),
        (b"a\0b\nc", "binary", 2, "lf"),
        (b"\x80\x9f\xff\n", "binary", 1, "lf"),
        (b"x" * 1_000_000, "utf-8", 1, "none"),
    ],
)
def test_content_is_named_and_cut_for_what_it_is(content, encoding, count, endings):
    document = Document.of(content)
    assert (document.encoding, len(document.lines), document.endings) == (encoding, count, endings)


@pytest.mark.parametrize(
    ("content", "is_open"),
    [(b"", False), (b"a\n", False), (b"a", True), (b"\xff\xfea\0\n\0", False), (b"\xff\xfe\x41\x0a", True)],
)
def test_a_missing_final_newline_is_noticed_in_code_units(content, is_open):
    assert ends_without_newline(content) is is_open


@pytest.mark.parametrize(
    "character", [*BIDI, *"\u200b\u00ad\ufeff\u2060\ufe0f\U000e0041\U000e0101\u3164\u00a0\u2028\ue000"]
)
def test_every_hidden_character_becomes_its_name(character):
    assert is_hidden(character)
    assert visible(f"a{character}b") == f"a⟨U+{ord(character):04X}⟩b"


def test_control_characters_show_as_pictures_and_tabs_stay():
    assert visible("\x1b[31m\tred\r\x7f") == "␛[31m\tred␍␡"


def test_binary_lines_show_every_byte():
    document = Document.of(b"\x7fELF\0\xff ok\n")
    assert document.display(document.lines[0]) == "␡ELF␀⟨FF⟩ ok"


def test_plain_words_are_left_alone():
    for text in ("größe 東京 ελ", "x = {'a': [1, 2]}", "🙂"):
        assert visible(text) == text


@given(
    AWKWARD | st.text(st.sampled_from("⟨U+202E⟩\u202e␛\x1b")), AWKWARD | st.text(st.sampled_from("⟨U+202E⟩\u202e␛\x1b"))
)
def test_two_different_texts_never_look_the_same(one, other):
    assert (visible(one) == visible(other)) == (one == other)


def test_text_cannot_imitate_a_token():
    assert visible("⟨U+202E⟩") != visible("\u202e")
    assert visible("␛") != visible("\x1b")


@given(st.binary(max_size=20), st.binary(max_size=20))
def test_two_different_binary_lines_never_look_the_same(one, other):
    view = Document("binary", ())
    one, other = one.replace(b"\n", b""), other.replace(b"\n", b"")
    assert (view.display(one) == view.display(other)) == (one == other)


BLANKY = st.text(st.sampled_from("ab \t\u00a0\u200b\u3000⟨·→×"), max_size=30).map(
    lambda text: text.replace("a", " " * 19)
)


@given(BLANKY, BLANKY)
def test_different_lines_look_different_although_blanks_are_counted(one: str, other: str) -> None:
    assert (visible_line(one) == visible_line(other)) == (one == other)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a" + " " * 19 + "b", "a" + " " * 19 + "b"),
        ("a" + " " * 20 + "b", "a⟨·×20⟩b"),
        ("a" + " " * 3000, "a⟨·×3,000⟩"),
        ("a" + "\t" * 25 + "b", "a⟨→×25⟩b"),
        ("a" + "\u00a0" * 30, "a⟨U+00A0×30⟩"),
        ("a" + " " * 10 + "\t" * 10 + "b", "a⟨·×10+→×10⟩b"),
        (" " * 80 + "b", " " * 80 + "b"),
        (" " * 81 + "b", "⟨·×81⟩b"),
        ("\t" * 21 + "b", "⟨→×21⟩b"),
        ("\u3000" * 20 + "b", "⟨U+3000×20⟩b"),
    ],
)
def test_long_runs_of_blanks_are_drawn_as_their_number_and_indentation_is_not(line: str, shown: str) -> None:
    assert visible_line(line) == shown


def test_empty_lines_of_a_command_are_drawn_as_their_number() -> None:
    assert visible_command("a\n\n\nb") == ["a", "", "", "b"]
    assert visible_command("a\n\n \n\t\nb") == ["a", "⟨¶×3⟩", "b"]
    assert visible_command(" " * 30 + "a") == ["⟨·×30⟩a"]


def test_a_word_that_looks_like_another_word_of_the_content_is_spelled_out() -> None:
    document = Document.of("admin = 1\nadmın = 2\nkapı = 3\n".encode())
    assert [document.display(line) for line in document.lines] == ["admin = 1", "adm⟨U+0131⟩n = 2", "kapı = 3"]
