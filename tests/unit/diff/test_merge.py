"""Changes that do not touch are combined as git does; everything else is refused."""

import subprocess
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tandem_desktop.diff.three_way import merge

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n", b"e\r\n", b"\n"]), max_size=12).map(b"".join)


def test_distant_changes_are_combined() -> None:
    base = b"1\n2\n3\n4\n5\n"
    assert merge(base, b"one\n2\n3\n4\n5\n", b"1\n2\n3\n4\nfive\n") == b"one\n2\n3\n4\nfive\n"


def test_changes_that_overlap_or_touch_are_not_guessed() -> None:
    base = b"1\n2\n3\n"
    assert merge(base, b"1\nmine\n3\n", b"1\ntheirs\n3\n") is None
    assert merge(base, b"mine\n2\n3\n", b"1\ntheirs\n3\n") is None


def test_one_side_unchanged_gives_the_other() -> None:
    assert merge(b"1\n2\n", b"1\n2\n", b"1\nb\n") == b"1\nb\n"
    assert merge(b"1\n2\n", b"a\n2\n", b"1\n2\n") == b"a\n2\n"


@settings(max_examples=150)
@given(base=LINES, ours=LINES, theirs=LINES)
def test_clean_merge_is_what_git_merge_file_gives(base: bytes, ours: bytes, theirs: bytes) -> None:
    merged = merge(base, ours, theirs)
    if merged is None:
        return
    assert merged == git_merge(base, ours, theirs) or ambiguous(base, ours, theirs)


def git_merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            (Path(folder) / name).write_bytes(data)
            names.append(str(Path(folder) / name))
        done = subprocess.run(["git", "merge-file", "-p", *names], capture_output=True, check=False)
    return done.stdout if done.returncode == 0 else None


def ambiguous(base: bytes, ours: bytes, theirs: bytes) -> bool:
    """Where lines repeat there is more than one way to see what changed; git may then see another one."""
    lines = base.splitlines(keepends=True)
    return len(lines) != len(set(lines))
