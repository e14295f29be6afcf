"""An agent's Markdown as blocks that can be drawn safely, parsed again only where a stream has grown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FENCES = ("fence", "code_block")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """One block of prose: a paragraph, a heading, a list, a quote, a table or a rule."""

    source: str
    tokens: "tuple[Token, ...]"


@dataclass(frozen=True, slots=True)
class CodeText:
    """A block of code, whole as it was written."""

    source: str
    language: str
    code: str


Block = TextBlock | CodeText


class MarkdownStream:
    """Parses a text that mostly grows at its end.

    Raw HTML stays text, links to anything but the web and mail stay text, and an image is only ever named. A block
    that did not change is the very same object as before, so what was drawn for it can stay.
    """

    def __init__(self) -> None:
        self._references: dict[str, Any] = {}
        self._text = ""
        self._blocks: tuple[Block, ...] = ()
        self._settled = 0
        """Where the last block begins; nothing before it can change by growing."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        return self._blocks

    def update(self, text: str) -> tuple[Block, ...]:
        """The blocks of `text`."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if text == self._text:
            return self._blocks
        if self._blocks and text.startswith(self._text):
            kept = self._blocks[:-1]
        else:
            kept, self._settled, self._references = (), 0, {}
        # Only \n ends a line here, as in the parser; other characters that Python takes for line ends do not.
        lines = [f"{line}\n" for line in text[self._settled :].split("\n")]
        tokens = _parser().parse(text[self._settled :], self._references)
        fresh = tuple(_blocks(tokens, lines))
        start = _last_start(tokens)
        self._settled += sum(len(line) for line in lines[:start])
        self._text = text
        if len(kept) < len(self._blocks) and fresh and fresh[0].source == self._blocks[len(kept)].source:
            fresh = (self._blocks[len(kept)], *fresh[1:])
        self._blocks = (*kept, *fresh)
        return self._blocks


@cache
def _parser() -> "MarkdownIt":
    """One for all messages: it keeps nothing between two texts, and making it takes longer than using it."""
    from markdown_it import MarkdownIt  # a plan is on screen before anything was said

    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _blocks(tokens: "Sequence[Token]", lines: Sequence[str]) -> Iterator[Block]:
    for group in _groups(tokens):
        first = group[0]
        start, end = first.map or (0, 0)
        source = "".join(lines[start:end])
        if first.type in _FENCES:
            yield CodeText(source, first.info.strip().partition(" ")[0], first.content.removesuffix("\n"))
        else:
            yield TextBlock(source, group)


def _groups(tokens: "Sequence[Token]") -> "Iterator[tuple[Token, ...]]":
    """The tokens of each block at the top."""
    group: list[Token] = []
    depth = 0
    for token in tokens:
        group.append(token)
        depth += token.nesting
        if depth == 0:
            yield tuple(group)
            group = []


def _last_start(tokens: "Sequence[Token]") -> int:
    starts = [token.map[0] for token in tokens if token.level == 0 and token.map is not None and token.nesting >= 0]
    return starts[-1] if starts else 0
