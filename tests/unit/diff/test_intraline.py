from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.diff.lines import MAXIMUM_CHARACTERS, intraline

WORDS = st.text(st.sampled_from("abc (){}\u202e😀ä"), max_size=60)


@given(WORDS, WORDS)
def test_both_sides_are_the_same_outside_the_marks(old, new):
    change = intraline(old, new)
    assert unmarked(old, change.old) == unmarked(new, change.new)
    for text, ranges in ((old, change.old), (new, change.new)):
        assert all(0 <= start < end <= len(text) for start, end in ranges)
        assert all(one[1] <= other[0] for one, other in pairwise(ranges))


@given(WORDS)
def test_equal_lines_carry_no_marks(text):
    assert intraline(text, text) == intraline("", "")


def unmarked(text: str, ranges: tuple[tuple[int, int], ...]) -> str:
    """The text outside the ranges."""
    return "".join(letter for at, letter in enumerate(text) if not any(start <= at < end for start, end in ranges))


def test_a_renamed_argument_is_the_only_thing_marked():
    old, new = "call(first, count)", "call(first, size)"
    change = intraline(old, new)
    assert [old[start:end] for start, end in change.old] == ["count"]
    assert [new[start:end] for start, end in change.new] == ["size"]


def test_a_line_over_the_bound_is_marked_whole():
    long = "x" * MAXIMUM_CHARACTERS
    change = intraline(long, long + "y")
    assert (change.old, change.new) == (((0, len(long)),), ((0, len(long) + 1),))
    assert intraline("", long + "y").old == ()
