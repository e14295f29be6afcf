"""What the self-test's workspaces are made of: names and contents that have broken tools before."""

import random
import unicodedata
from collections.abc import Callable

FIVE_MEGABYTES = 5 * 1024 * 1024
ONLY_ONCE = b"the only first line\n"
"""How a large text begins, for an edit to find."""

_WORDS = ("river", "stone", "cloud", "amber", "north", "paper", "quick", "lemon", "orbit", "violet")


class Material:
    """Draws names and contents from one seed; remembers of which kinds they were."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kinds: set[str] = set()
        self._count = 0

    def name(self, kind: str | None = None) -> str:
        """A name no other drawn name can be confused with on any disk; for a deep path, with its folders."""
        kind = kind or self.random.choice((*NAMES, "plain", "plain"))
        self.kinds.add(kind)
        self._count += 1
        return NAMES[kind](self.random.choice(_WORDS), self._count)

    def content(self, kind: str | None = None) -> bytes:
        kind = kind or self.random.choice(tuple(CONTENTS))
        self.kinds.add(kind)
        return CONTENTS[kind](self.random)

    def text(self) -> str:
        """Content that can stand in a plan as it is."""
        return self.content(self.random.choice(("text", "crlf", "no final newline", "empty"))).decode()

    def five_megabytes(self) -> bytes:
        """A large file, every other one text."""
        self.kinds.add("5 MB")
        if self.random.random() < 0.5:
            return self.random.randbytes(64 * 1024) * (FIVE_MEGABYTES // (64 * 1024))
        block = "".join(f"{n:06} {self.random.choice(_WORDS)} lies here\n" for n in range(2_000))
        text = block * (FIVE_MEGABYTES // len(block) + 1)
        return (ONLY_ONCE + text.encode())[:FIVE_MEGABYTES]


def _deep(word: str, number: int) -> str:
    return "/".join((f"deep{number}", *(f"d{depth}" for depth in range(2, 23)), f"{word}{number}.txt"))


NAMES: dict[str, Callable[[str, int], str]] = {
    "plain": lambda word, number: f"{word}{number}.txt",
    "NFC name": lambda word, number: unicodedata.normalize("NFC", f"é-ü-{word}{number}"),
    "NFD name": lambda word, number: unicodedata.normalize("NFD", f"å-ñ-{word}{number}"),
    "emoji name": lambda word, number: f"🦊 {word}{number} 🎉.md",
    "spaces in name": lambda word, number: f"a {word}  with spaces {number}.txt",
    "leading dash": lambda word, number: f"-{word}{number}",
    "deep path": _deep,
}
"""How to spell a name, by what is special about it."""


def _lines(draw: random.Random, end: str, most: int = 40) -> str:
    return "".join(
        f"{number}: the {draw.choice(_WORDS)} is {draw.getrandbits(32):08x}, said the quick one{end}"
        for number in range(draw.randint(3, most))
    )


def _binary(draw: random.Random) -> bytes:
    return b"\x00\xff" + draw.randbytes(draw.randint(1, 5_000))


CONTENTS: dict[str, Callable[[random.Random], bytes]] = {
    "text": lambda draw: _lines(draw, "\n").encode(),
    "crlf": lambda draw: _lines(draw, "\r\n").encode(),
    "no final newline": lambda draw: _lines(draw, "\n").encode() + "ends here, naïvely".encode(),
    "utf-16": lambda draw: _lines(draw, "\n").encode("utf-16"),
    "latin-1": lambda draw: _lines(draw, " at the café\n").encode("latin-1"),
    "binary": _binary,
    "empty": lambda draw: b"",
    "one long line": lambda draw: ("".join(draw.choices(_WORDS, k=4_000))).encode(),
}
"""How to fill a file, by what is special about it."""
