"""A suggestion is worked out only where every part of the change finds its place."""

from tandem_desktop.diff.three_way import Region, suggestion


def a_region(base: str, disk: str, proposed: str) -> Region:
    sides = [tuple(side.encode().splitlines(keepends=True)) for side in (base, disk, proposed)]
    return Region(1, sides[0], sides[1], sides[2], 1, 1, 1)


def test_two_changes_within_one_line_are_brought_together_as_a_suggestion() -> None:
    region = a_region("total = price + tax\n", "total = net_price + tax\n", "total = price + tax - discount\n")
    assert suggestion(region) == b"total = net_price + tax - discount\n"


def test_nothing_is_suggested_where_the_change_finds_no_place() -> None:
    assert suggestion(a_region("alpha beta gamma\n", "1234567890\n", "alpha delta gamma\n")) is None


def test_nothing_is_suggested_for_a_side_without_text() -> None:
    assert suggestion(a_region("", "mine\n", "theirs\n")) is None
    assert suggestion(Region(1, (b"\xff\n",), (b"\xfe\n",), (b"a\n",), 1, 1, 1)) is None
