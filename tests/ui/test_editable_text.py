"""Text in an editor and back: what a person did not touch stays as it was, byte for byte."""

import pytest

from tandem_desktop.ui.editor import LARGEST, EditableText

CONTENTS = [
    b"",
    b"a",
    b"a\n",
    b"a\r\nb\r\n",
    b"a\r\nb",
    b"a\nb\r\nc\n",
    b"\xef\xbb\xbfa\r\n",
    "é\u00a0\u2028x\n".encode(),
]


@pytest.mark.parametrize("content", CONTENTS)
def test_unchanged_text_gives_the_same_bytes(content: bytes) -> None:
    known = EditableText.of(content)
    assert known is not None
    assert known.encoded(known.text) == content


def test_lines_that_are_added_end_as_the_others_and_the_others_keep_their_ends() -> None:
    mixed = EditableText.of(b"one\r\ntwo\nthree\r\n")
    assert mixed is not None
    assert mixed.encoded("one\nnew\ntwo\nthree\nlast") == b"one\r\nnew\r\ntwo\nthree\r\nlast"


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a\0b", b"a\rb\n", b"x" * (LARGEST + 1)])
def test_what_an_editor_would_harm_is_not_offered(content: bytes) -> None:
    assert EditableText.of(content) is None
