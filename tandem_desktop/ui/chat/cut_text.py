"""How much of a very long text is drawn at first: laying out a megabyte would stop the window for seconds."""

from tandem_desktop.ui.words import tr_n

LONGEST = 60_000
LONGEST_UNBROKEN = 8_000
"""A text without spaces costs far more: every place in it is a place where a line may end."""

_LONG_WORD = 2_000


def room_for(text: str) -> int:
    """How many characters of `text` to draw before a mark says that there are more."""
    if len(text) <= LONGEST_UNBROKEN:
        return len(text)
    head = text[:LONGEST]
    unbroken = any(len(word) > _LONG_WORD for word in head.split())
    return LONGEST_UNBROKEN if unbroken else min(len(text), LONGEST)


def cut_words(left: int) -> str:
    """What the mark at the cut says."""
    return tr_n("Cut here: show {n} more character", "Cut here: show {n} more characters", left)
