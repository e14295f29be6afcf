"""Three contents line by line: what both sides agree on, and what only a person can settle."""

from tandem_desktop.diff.three_way import Meeting, aligned, joined, three_way


def test_both_sides_making_the_same_change_is_no_question() -> None:
    assert three_way(b"1\n2\n3\n", b"1\nb\n3\n", b"1\nb\n3\n").merged == b"1\nb\n3\n"
    assert three_way(b"1\n2\n3\n4\n5\n", b"a\n2\n3\n4\nE\n", b"a\n2\n3\n4\n5\n").merged == b"a\n2\n3\n4\nE\n"


def test_insertions_at_the_same_place_are_a_region_without_base() -> None:
    found = three_way(b"1\n2\n", b"1\nmine\n2\n", b"1\ntheirs\n2\n")
    assert [(r.base, r.disk, r.proposed, r.base_at) for r in found.regions] == [((), (b"mine\n",), (b"theirs\n",), 2)]


def test_region_tells_where_it_stands_on_each_side() -> None:
    found = three_way(b"1\n2\n3\n4\n5\n", b"0\n1\n2\n3\n4\nV\n", b"2\n3\n4\nfive\n")
    assert [(r.base_at, r.disk_at, r.proposed_at) for r in found.regions] == [(1, 1, 1), (5, 6, 4)]


def test_bytes_that_are_no_text_are_one_region() -> None:
    middle = b"".join(b"%d\n" % n for n in range(20))
    base = b"\0first\n" + middle + b"last\n"
    found = three_way(base, b"\0FIRST\n" + middle + b"last\n", b"\0first\n" + middle + b"LAST\n")
    assert found.merged is None
    assert b"".join(found.regions[0].base) == base


def test_wide_text_is_merged_by_its_own_lines() -> None:
    def wide(text: str) -> bytes:
        return b"\xff\xfe" + text.encode("utf-16-le")

    found = three_way(wide("1\n2\n3\n4\n"), wide("1\n2\n3\nfour\n"), wide("1\nII\n3\n4\n"))
    assert found.merged == wide("1\nII\n3\nfour\n")


def test_line_that_lost_its_place_at_the_end_gets_a_newline() -> None:
    assert joined([b"a\r\n", b"b", b"c"]) == b"a\r\nb\r\nc"
    assert joined([b"a", b"b"]) == b"a\nb"


def test_aligned_stretches_hold_every_line_of_each_content_once_and_say_who_changed_it() -> None:
    base, disk, proposed = ([b"%d\n" % n for n in range(8)] for _ in range(3))
    disk[1:2] = [b"mine\n", b"more\n"]
    proposed[3:4] = [b"theirs\n"]
    disk[6:7] = [b"six\n"]
    proposed[5:6] = [b"VI\n"]
    found = tuple(aligned(base, disk, proposed))
    assert [each.meeting for each in found if each.meeting is not Meeting.SAME] == [
        Meeting.DISK,
        Meeting.PROPOSED,
        Meeting.CONFLICT,
    ]
    for side, lines in (("base", base), ("disk", disk), ("proposed", proposed)):
        assert [at for each in found for at in getattr(each, side)] == list(range(len(lines)))
    conflict = found[-2]
    assert (conflict.region, [disk[at] for at in conflict.disk]) == (1, [b"six\n"])
