import random
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.diff.lines import MAXIMUM_EDITS, LineChange, changes, common_subsequence
from tandem_desktop.diff.text import split_lines

FEW = st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"}\n", b"c\r\n", b"c\n", b"\0\n", b"d"]), max_size=60)
MANY = st.lists(st.integers(0, 40).map(lambda n: b"line %d\n" % n), max_size=120)


def changed_line_count(found: Sequence[LineChange]) -> int:
    return sum(c.old_end - c.old_start + c.new_end - c.new_start for c in found)


def check(before, after, found):
    """What lies between the changes is equal, and every change changes something."""
    old = new = 0
    for change in found:
        assert change.old_start > old or change.new_start > new or (old, new) == (0, 0)
        assert before[old : change.old_start] == after[new : change.new_start]
        assert change.old_end > change.old_start or change.new_end > change.new_start
        old, new = change.old_end, change.new_end
    assert before[old:] == after[new:]


def longest_common_subsequence(one, other):
    row = [0] * (len(other) + 1)
    for x in one:
        diagonal = 0
        for j, y in enumerate(other, start=1):
            diagonal, row[j] = row[j], diagonal + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def edited(lines, generator, rate):
    """Lines with realistic edits: replaced, removed, inserted, duplicated, and one block moved."""
    result = []
    for line in lines:
        chance = generator.random()
        if chance < rate:
            continue
        if chance < 2 * rate:
            result.append(b"inserted %d\n" % generator.randrange(1000))
        result.append(line[:-1] + b" # edited\n" if chance > 1 - rate else line)
    start = generator.randrange(len(result))
    block = result[start : start + 30]
    del result[start : start + 30]
    place = generator.randrange(len(result))
    return [*result[:place], *block, *result[place:]]


def git_patience_count(tmp_path, before, after):
    (tmp_path / "before").write_bytes(b"".join(before))
    (tmp_path / "after").write_bytes(b"".join(after))
    command = ["git", "diff", "--no-index", "--patience", "--text", "--numstat", "before", "after"]
    counts = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False).stdout.split()
    return int(counts[0]) + int(counts[1])


@given(FEW, FEW)
def test_lines_between_changes_are_equal_for_repetitive_lines(before, after):
    check(before, after, changes(before, after))


@given(MANY, MANY)
def test_lines_between_changes_are_equal_for_mixed_lines(before, after):
    check(before, after, changes(before, after))


@given(st.integers(0, 10**6), st.integers(600, 1500), st.integers(3, 2000))
def test_lines_between_changes_are_equal_for_large_contents(seed, size, variety):
    generator = random.Random(seed)
    before = [b"%s = value(%d)\n" % (b"x" * generator.randrange(12), generator.randrange(variety)) for _ in range(size)]
    after = edited(before, generator, 0.05)
    check(before, after, changes(before, after))


@given(FEW)
def test_equal_contents_have_no_changes(lines):
    assert changes(lines, list(lines)) == ()


@given(FEW, FEW)
def test_short_lists_without_anchors_are_matched_as_long_as_possible(one, other):
    matches = common_subsequence(one, other)
    longest = longest_common_subsequence(one, other)
    if len(one) + len(other) - 2 * longest <= MAXIMUM_EDITS:
        assert len(matches) == longest
    assert_equal_in_order(one, other, matches)


@pytest.mark.parametrize("seed", range(12))
def test_a_long_list_without_anchors_and_its_edit_differ_by_little_more_than_the_shortest_edit(seed):
    generator = random.Random(seed)
    one = [b"%d\n" % generator.randrange(2 + 5 * seed) for _ in range(400)]
    other = edited(one, generator, 0.3)
    matches = common_subsequence(one, other)
    shortest = len(one) + len(other) - 2 * longest_common_subsequence(one, other)
    assert shortest > MAXIMUM_EDITS
    assert_equal_in_order(one, other, matches)
    assert len(one) + len(other) - 2 * len(matches) <= 1.25 * shortest


def assert_equal_in_order(one, other, matches):
    assert all(one[i] == other[j] for i, j in matches)
    assert all(a[0] < b[0] and a[1] < b[1] for a, b in pairwise(matches))


def test_lists_too_far_apart_for_the_short_search_still_match():
    one = [b"a\n", b"b\n"] * 200
    other = [b"b\n", b"b\n", b"a\n"] * 200
    assert len(one) + len(other) - 2 * len(common_subsequence(one, other)) > MAXIMUM_EDITS
    check(one, other, changes(one, other))
    assert changed_line_count(changes(one, other)) < len(one) + len(other)


def test_an_inserted_function_is_shown_whole():
    first = [b"def one():\n", b"    return 1\n", b"\n", b"\n"]
    second = [b"def two():\n", b"    return 2\n", b"\n", b"\n"]
    last = [b"def three():\n", b"    return 1\n"]
    assert changes([*first, *last], [*first, *second, *last]) == (LineChange(4, 4, 4, 8),)


def test_a_moved_block_costs_the_smaller_block():
    small = [b"small %d\n" % n for n in range(10)]
    large = [b"large %d\n" % n for n in range(40)]
    assert changed_line_count(changes([*small, *large], [*large, *small])) == 20


@pytest.mark.parametrize("seed", range(6))
def test_no_more_lines_change_than_with_git_patience(tmp_path, seed):
    generator = random.Random(seed)
    source = Path(random.__file__).with_name(["argparse.py", "typing.py", "inspect.py"][seed % 3])
    before = split_lines(source.read_bytes())
    after = edited(before, generator, 0.01)
    ours = changed_line_count(changes(before, after))
    assert ours <= git_patience_count(tmp_path, before, after)


def test_hunks_are_the_same_in_every_process():
    """Hunk numbers are named on the command line, so they must not hang on the seed of a process."""
    program = (
        "import random\nfrom tandem_desktop.diff.lines import changes\n"
        "g = random.Random(5)\n"
        "a = [b'%d %s\\n' % (g.randrange(300), b'y' * g.randrange(30)) for _ in range(3000)]\n"
        "b = [x for x in a if g.random() > 0.1]; b[500:600], b[900:1000] = b[900:1000], b[500:600]\n"
        "print(changes(a, b))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(outputs) == 1


def test_a_small_diff_does_not_load_the_differ_of_words():
    program = (
        "import sys\nfrom tandem_desktop.diff.hunks import hunks\n"
        "hunks(b'a\\nb\\nc\\n', b'a\\nB\\nc\\n')\n"
        "sys.exit('diff_match_patch' in sys.modules)\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_periodic_lines_without_any_anchor_are_still_matched():
    before = [b"%d\n" % (n % 700) for n in range(4000)]
    after = [b"%d\n" % (n % 701) for n in range(4000)]
    check(before, after, changes(before, after))
