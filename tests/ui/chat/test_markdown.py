import random

from tandem_desktop.ui.chat.markdown import CodeText, MarkdownStream, TextBlock
from tests.ui.chat.talk import MARKDOWN


def sources(text: str) -> list[str]:
    return [block.source for block in MarkdownStream().update(text)]


def test_a_stream_that_grows_by_pieces_ends_with_the_blocks_of_the_whole() -> None:
    chance = random.Random(7)
    for _ in range(20):
        stream, at = MarkdownStream(), 0
        while at < len(MARKDOWN):
            at += chance.randint(1, 40)
            stream.update(MARKDOWN[:at])
        assert [block.source.rstrip("\n") for block in stream.blocks] == [
            source.rstrip("\n") for source in sources(MARKDOWN)
        ]


def test_blocks_before_the_one_that_grows_stay_the_same_objects() -> None:
    stream = MarkdownStream()
    before = stream.update("# Title\n\nFirst.\n\nSecond gr")
    after = stream.update("# Title\n\nFirst.\n\nSecond grows.\n\n- and\n")
    assert [old is new for old, new in zip(before, after, strict=False)] == [True, True, False]
    assert len(after) == 4


def test_text_that_is_replaced_is_parsed_anew() -> None:
    stream = MarkdownStream()
    stream.update("one\n\ntwo")
    assert [block.source.strip() for block in stream.update("three")] == ["three"]


def test_code_is_kept_letter_for_letter_with_its_language() -> None:
    (block,) = MarkdownStream().update("```python title=x\nif a:\n\tb()\n```\n")
    assert isinstance(block, CodeText)
    assert (block.language, block.code) == ("python", "if a:\n\tb()")


def test_a_fence_that_is_still_open_is_code_already() -> None:
    blocks = MarkdownStream().update("Look:\n\n```sh\nls -l")
    assert isinstance(blocks[1], CodeText)
    assert blocks[1].code == "ls -l"


def test_characters_python_takes_for_line_ends_do_not_shift_the_blocks() -> None:
    stream = MarkdownStream()
    stream.update("a\x0cb\u2028c\n\nnext")
    blocks = stream.update("a\x0cb\u2028c\n\nnext one\n\n    code\n")
    assert [type(block) for block in blocks] == [TextBlock, TextBlock, CodeText]
    assert blocks[1].source.strip() == "next one"
