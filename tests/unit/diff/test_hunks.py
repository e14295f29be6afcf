import itertools
import random
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.diff.hunks import hunks, keep, keep_lines, kept, rebuild, unified
from tandem_desktop.domain.errors import StepRefusedError

LINES = st.sampled_from(
    [b"a\n", b"b\n", b"c\r\n", b"c\n", b"\n", b"d\re\n", b"-- x\n", b"+++ y\n", b"\xe4\n", b"@@ -1 +1 @@\n"]
)
TEXTS = st.tuples(st.lists(LINES, max_size=40), st.sampled_from([b"", b"", b"end", b"\r"])).map(
    lambda parts: b"".join(parts[0]) + parts[1]
)
WIDE = st.tuples(
    st.sampled_from(["utf-16-le", "utf-16-be"]), st.text(st.sampled_from("ab\r\n\u0a0a"), max_size=30)
).map(lambda parts: "\ufeff".encode(parts[0]) + parts[1].encode(parts[0]))
CONTENTS = st.one_of(
    TEXTS, WIDE, st.binary(max_size=60), st.lists(st.sampled_from([b"\0", b"\n", b"\r"])).map(b"".join)
)


def a_file_with_spread_edits(seed, *, final_newline=True):
    """Forty to eighty distinct and repeated lines, edited here and there, so that several hunks arise."""
    generator = random.Random(seed)
    before = [b"line %d\n" % generator.randrange(25) for _ in range(generator.randrange(40, 80))]
    after = []
    for line in before:
        chance = generator.random()
        if chance < 0.04:
            continue
        after.append(b"changed\n" if chance < 0.08 else line)
        if chance > 0.95:
            after.append(b"added %d\n" % generator.randrange(5))
    one, other = b"".join(before), b"".join(after)
    return (one, other) if final_newline else (one.removesuffix(b"\n"), other + b"open end")


def git_apply(folder, before, patch):
    """What git makes of it: a reader that shares no code with ours."""
    (folder / "file").write_bytes(before)
    if not patch:
        return before
    subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"], cwd=folder, input=patch, check=True, capture_output=True
    )
    return (folder / "file").read_bytes()


@given(CONTENTS, CONTENTS, st.integers(0, 4))
def test_all_hunks_rebuild_the_after_content_for_every_content(before, after, context):
    assert rebuild(before, hunks(before, after, context)) == after


@given(CONTENTS, CONTENTS)
def test_no_hunk_kept_leaves_the_before_content(before, after):
    found = hunks(before, after, 1)
    assert keep(before, found, {hunk.n for hunk in found}) == before
    assert keep(before, found, ()) == after


@pytest.mark.parametrize(
    "content",
    [b"", b"a\n", b"a", b"a\r\nb\r\n", b"\xff\xfea\0\n\0", b"gr\xf6\xdfe\n", b"\0\1\2\n\3", b"x" * 1_000_000],
    ids=["empty", "lf", "no newline", "crlf", "utf-16", "latin-1", "binary", "one long line"],
)
def test_every_kind_of_content_can_become_any_other(content):
    for other in (b"", b"a\nb\n", b"\xff\xfeb\0", content + b"z"):
        assert rebuild(content, hunks(content, other)) == other
        assert rebuild(other, hunks(other, content)) == content


@given(CONTENTS, CONTENTS)
def test_headers_count_the_lines_they_stand_for(before, after):
    for hunk in hunks(before, after):
        assert hunk.old_count == sum(line.kind != "+" for line in hunk.lines)
        assert hunk.new_count == sum(line.kind != "-" for line in hunk.lines)
        assert hunk.added + hunk.removed > 0


def test_a_hunk_reads_as_in_a_unified_diff():
    (hunk,) = hunks(b"one\ntwo\nthree", b"one\n2\nthree")
    assert hunk.header == "@@ -1,3 +1,3 @@"
    assert [(line.kind, line.raw, line.no_newline) for line in hunk.lines] == [
        (" ", b"one\n", False),
        ("-", b"two\n", False),
        ("+", b"2\n", False),
        (" ", b"three", True),
    ]
    assert (hunk.n, hunk.added, hunk.removed) == (1, 1, 1)


def test_a_change_of_line_ends_alone_is_shown():
    (hunk,) = hunks(b"a\r\nb\r\n", b"a\nb\n")
    assert (hunk.removed, hunk.added) == (2, 2)


def test_a_change_of_the_final_newline_alone_is_shown():
    (hunk,) = hunks(b"a", b"a\n")
    assert [(line.kind, line.no_newline) for line in hunk.lines] == [("-", True), ("+", False)]


def test_hunks_made_from_other_bytes_are_refused():
    with pytest.raises(StepRefusedError, match="Hunk 1"):
        rebuild(b"something else\n", hunks(b"a\n", b"b\n"))


def test_dropping_a_hunk_that_is_not_there_is_refused():
    with pytest.raises(StepRefusedError, match="no hunk 7"):
        keep(b"a\n", hunks(b"a\n", b"b\n"), {7})


@pytest.mark.parametrize("final_newline", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_kept_hunks_give_what_git_apply_gives(tmp_path, seed, final_newline):
    before, after = a_file_with_spread_edits(seed, final_newline=final_newline)
    found = hunks(before, after)
    assert len(found) > 1
    generator = random.Random(seed)
    for _ in range(3):
        dropped = {hunk.n for hunk in found if generator.random() < 0.5}
        patch = unified("file", "file", kept(found, dropped)) if len(dropped) < len(found) else b""
        assert keep(before, found, dropped) == git_apply(tmp_path, before, patch)


def test_the_place_of_a_kept_hunk_counts_only_what_is_kept_before_it(tmp_path):
    block = b"".join(b"%d\n" % n for n in range(8))
    before = block * 9
    after = b"head\n" * 8 + block * 4 + block.replace(b"4\n", b"four\n") + block * 4
    found = hunks(before, after)
    assert len(found) == 2
    patch = unified("file", "file", kept(found, {1}))
    assert keep(before, found, {1}) == git_apply(tmp_path, before, patch)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(60))
def test_every_subset_of_hunks_gives_what_git_apply_gives(tmp_path, seed):
    before, after = a_file_with_spread_edits(seed, final_newline=bool(seed % 2))
    found = hunks(before, after)[:5]
    for size in range(len(found)):
        for chosen in itertools.combinations(found, size):
            dropped = {hunk.n for hunk in chosen}
            patch = unified("file", "file", kept(found, dropped))
            assert keep(before, found, dropped) == git_apply(tmp_path, before, patch)


@given(TEXTS, TEXTS)
def test_git_apply_accepts_the_unified_diff(before, after):
    found = hunks(before, after)
    with tempfile.TemporaryDirectory() as folder:
        patch = unified("file", "file", found) if found else b""
        assert git_apply(Path(folder), before, patch) == after


@pytest.mark.parametrize("name", ["with space.txt", "ä.txt", 'quo"te', "tab\there", "back\\slash", "deep/er/x"])
def test_git_apply_finds_the_file_whatever_its_name(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"a\n")
    patch = unified(name, name, hunks(b"a\n", b"b\n"))
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=patch, check=True)
    assert path.read_bytes() == b"b\n"


def test_git_apply_creates_and_deletes_from_the_unified_diff(tmp_path):
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=unified(None, "new", hunks(b"", b"a\n")), check=True)
    assert (tmp_path / "new").read_bytes() == b"a\n"
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=unified("new", None, hunks(b"a\n", b"")), check=True)
    assert not (tmp_path / "new").exists()


def numbered_lines(*changed: int) -> bytes:
    return b"".join(b"changed\n" if n in changed else f"line {n}\n".encode() for n in range(1, 41))


def test_three_lines_around_a_change_are_shown() -> None:
    (hunk,) = hunks(numbered_lines(), numbered_lines(20))
    assert hunk.header == "@@ -17,7 +17,7 @@"


def test_hunks_that_are_kept_are_counted_in_the_file_that_they_alone_make() -> None:
    before, after = numbered_lines(), b"new 1\nnew 2\n" + numbered_lines(20) + b"end\n"
    found = hunks(before, after)
    assert [hunk.new_start for hunk in found] == [1, 19, 40]
    assert [(hunk.n, hunk.new_start) for hunk in kept(found, ())] == [(1, 1), (2, 19), (3, 40)]
    assert [(hunk.n, hunk.new_start) for hunk in kept(found, (1,))] == [(2, 17), (3, 38)]


def test_empty_file_stays_empty_when_no_line_of_it_comes() -> None:
    assert keep_lines(b"", hunks(b"", b"new\n"), added=(1,)) == b""
