import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from unidiff import PatchSet

from tandem_desktop.diff.patch import FilePatch, apply_patch, parse_patch
from tandem_desktop.domain.errors import StepRefusedError

LINES = st.sampled_from([b"a\n", b"b\n", b"c\r\n", b"c\n", b"\n", b"d\re\n", b"-- x\n", b"++ y\n", b"\xe4\n", b" z\n"])
TEXTS = st.tuples(st.lists(LINES, max_size=40), st.sampled_from([b"", b"", b"end", b"\r"])).map(
    lambda parts: b"".join(parts[0]) + parts[1]
)
ONE_HUNK = b"@@ -1 +1 @@\n-a\n+b\n"


def run(folder, *command, patch=None):
    return subprocess.run(command, cwd=folder, input=patch, capture_output=True, check=False)


def a_repository(folder, files):
    run(folder, "git", "init", "-q")
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    run(folder, "git", "add", "-A")
    run(folder, "git", "commit", "-qm", "before")
    return folder


def git_diff(folder, *options):
    run(folder, "git", "add", "-A")
    return run(folder, "git", "diff", "--cached", "-M", *options).stdout


def git_apply(before, patch):
    """What git makes of it, or None where it refuses."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "file").write_bytes(before)
        done = run(folder, "git", "apply", "--whitespace=nowarn", "-", patch=patch)
        if done.returncode:
            return None
        return (folder / "file").read_bytes() if (folder / "file").exists() else b""


def made_by(tool, before, after):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for side, content in (("a", before), ("b", after)):
            (folder / side).mkdir()
            (folder / side / "file").write_bytes(content)
        options = ["--no-index", "--no-prefix", "--text"] if tool[0] == "git" else ["-u", "--text"]
        return run(folder, *tool, *options, "a/file", "b/file").stdout


def ours(before, patch):
    try:
        (file_patch,) = parse_patch(patch)
        return apply_patch(before, file_patch)
    except StepRefusedError:
        return None


@given(TEXTS, TEXTS, st.sampled_from([("git", "diff"), ("diff",)]))
def test_a_patch_made_by_another_tool_gives_the_bytes_it_was_made_from(before, after, tool):
    assume(before != after)
    patch = made_by(tool, before, after)
    (file_patch,) = parse_patch(patch)
    assert file_patch.path == "file"
    assert apply_patch(before, file_patch) == after == git_apply(before, patch)


@given(TEXTS, TEXTS, TEXTS, st.sampled_from([b"", b"x\n", b"a\nb\n", b"\n\n\n"]))
def test_a_patch_on_a_file_that_has_moved_on_gives_what_git_gives_or_is_refused(before, after, tail, head):
    """Never other bytes than git: at most we refuse where git would put a hunk before an earlier one."""
    assume(before != after)
    patch = made_by(("git", "diff"), before, after)
    today = head + before + (tail if before.endswith(b"\n") else b"")
    result = ours(today, patch)
    assert result is None or result == git_apply(today, patch)


@given(st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"]), min_size=8, max_size=30), st.data())
def test_the_nearest_place_is_the_one_git_takes(lines, data):
    place = data.draw(st.integers(3, len(lines) - 4))
    before = b"".join(lines)
    after = b"".join([*lines[:place], b"new\n", *lines[place:]])
    extra = data.draw(st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\n"]), max_size=9))
    cut = data.draw(st.integers(0, 3))
    today = b"".join([*extra, *lines[cut:], *extra])
    patch = made_by(("git", "diff"), before, after)
    assert ours(today, patch) == git_apply(today, patch)


def periodic():
    """Blocks of seven lines that all look alike, so that only the place in the header tells them apart."""
    return b"".join(b"%d\n" % (n % 7) for n in range(70))


def in_the_middle_of_a_block(n, start, shift=0):
    lines = b"".join(b" %d\n" % k for k in (1, 2, 3)) + b"+new %d\n" % n + b"".join(b" %d\n" % k for k in (4, 5, 6))
    return b"@@ -%d,6 +%d,7 @@\n" % (start, start + shift) + lines


def test_of_two_places_equally_near_the_later_one_is_taken_as_git_does():
    today = periodic().replace(b"0\n", b"0\nx\n")  # a block every eight lines: four before is as near as four after
    for start in range(20, 40):
        patch = b"--- a/file\n+++ b/file\n" + in_the_middle_of_a_block(1, start)
        assert ours(today, patch) == git_apply(today, patch) is not None


@pytest.mark.parametrize("shift", [0, 7, 14])
def test_a_later_hunk_is_looked_for_where_its_new_place_is(shift):
    first, second = in_the_middle_of_a_block(1, 9), in_the_middle_of_a_block(2, 30, shift)
    patch = b"--- a/file\n+++ b/file\n" + first + second
    assert ours(periodic(), patch) == git_apply(periodic(), patch) is not None


@given(TEXTS, TEXTS)
def test_another_reader_counts_the_same_lines(before, after):
    assume(before != after)
    patch = made_by(("git", "diff"), before, after)
    (file_patch,) = parse_patch(patch)
    text = patch.decode("latin-1")
    (theirs,) = PatchSet([line + "\n" for line in text.split("\n")[:-1]])
    assert sum(hunk.added for hunk in file_patch.hunks) == theirs.added
    assert sum(hunk.removed for hunk in file_patch.hunks) == theirs.removed


@given(st.binary(max_size=200) | st.text(st.sampled_from("@-+ 1,ab\n\\")).map(lambda text: text.encode()))
def test_no_bytes_at_all_do_anything_but_parse_or_be_refused(patch):
    refusal = None
    try:
        parse_patch(patch)
    except StepRefusedError as error:
        refusal = error
    assert refusal is None or (refusal.next and refusal.message.endswith("."))


def test_a_rename_without_hunks_is_a_move(tmp_path):
    folder = a_repository(tmp_path, {"old.txt": b"same\n" * 9})
    (folder / "old.txt").rename(folder / "new name.txt")
    assert parse_patch(git_diff(folder)) == (FilePatch("old.txt", "new name.txt"),)


@pytest.mark.parametrize("option", ["--src-prefix=a/", "--no-prefix", "--src-prefix=i/"])
def test_a_rename_with_hunks_keeps_both_names_and_the_change(tmp_path, option):
    folder = a_repository(tmp_path, {"dir/old.txt": b"same\n" * 9})
    (folder / "dir/old.txt").unlink()
    (folder / "ä.txt").write_bytes(b"same\n" * 9 + b"more\n")
    dst = ["--dst-prefix=w/"] if "i/" in option else []
    (found,) = parse_patch(git_diff(folder, option, *dst))
    assert (found.path, found.to) == ("dir/old.txt", "ä.txt")
    assert apply_patch(b"same\n" * 9, found) == b"same\n" * 9 + b"more\n"


def test_modes_of_new_changed_and_deleted_files_are_read(tmp_path):
    folder = a_repository(tmp_path, {"gone": b"x\n", "empty": b"", "run": b"#!/bin/sh\n", "kept": b"1\n"})
    (folder / "gone").unlink()
    (folder / "empty").unlink()
    (folder / "run").chmod(0o755)
    (folder / "kept").write_bytes(b"2\n")
    (folder / "new.sh").write_bytes(b"echo\n")
    (folder / "new.sh").chmod(0o755)
    (folder / "void").write_bytes(b"")
    (folder / "link").symlink_to("kept")
    found = {one.path: one for one in parse_patch(git_diff(folder, "--no-renames"))}
    assert found["run"] == FilePatch("run", old_mode=0o100644, new_mode=0o100755)
    assert (found["new.sh"].is_new, found["new.sh"].new_mode) == (True, 0o100755)
    assert (found["gone"].is_deleted, apply_patch(b"x\n", found["gone"])) == (True, b"")
    assert found["empty"].is_deleted
    assert (found["void"].is_new, found["void"].hunks) == (True, ())
    assert (found["link"].new_mode, apply_patch(b"", found["link"])) == (0o120000, b"kept")
    assert (found["kept"].old_mode, found["kept"].new_mode) == (0o100644, None)


@pytest.mark.parametrize(
    "name", ["ä.txt", "with space", 'quo"te', "tab\there", "a b/a b", "b/x", "new\nline", "back\\slash"]
)
@pytest.mark.parametrize("option", ["--src-prefix=a/", "--no-prefix"])
def test_names_are_read_as_git_means_them(tmp_path, name, option):
    folder = a_repository(tmp_path, {name: b"a\n"})
    (folder / name).write_bytes(b"b\n")
    assert [one.path for one in parse_patch(git_diff(folder, option))] == [name]
    (folder / name).chmod(0o755)
    run(folder, "git", "commit", "-qam", "content")
    run(folder, "git", "rm", "-q", "--cached", name)
    assert [one.path for one in parse_patch(run(folder, "git", "diff", "--cached", option).stdout)] == [name]


def test_two_directories_compared_by_diff_give_paths_below_them(tmp_path):
    for side, names in (
        ("before", {"x/kept": b"1\n", "x/gone": b"g\n"}),
        ("after", {"x/kept": b"2\n", "x/new": b"n\n"}),
    ):
        for name, content in names.items():
            path = tmp_path / side / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    found = {one.path: one for one in parse_patch(run(tmp_path, "diff", "-ruN", "before", "after").stdout)}
    assert set(found) == {"x/kept", "x/gone", "x/new"}
    assert (found["x/new"].is_new, found["x/gone"].is_deleted) == (True, True)
    assert (found["x/kept"].is_new, found["x/kept"].is_deleted) == (False, False)


def test_a_backup_and_its_file_are_one_path(tmp_path):
    (tmp_path / "x.py.orig").write_bytes(b"a\n")
    (tmp_path / "x.py").write_bytes(b"b\n")
    assert [one.path for one in parse_patch(run(tmp_path, "diff", "-u", "x.py.orig", "x.py").stdout)] == ["x.py"]


def test_a_mailed_patch_is_read_without_its_words(tmp_path):
    folder = a_repository(tmp_path, {"x": b"a\n"})
    (folder / "x").write_bytes(b"b\n")
    run(folder, "git", "commit", "-qam", "Subject\n\n--- not a file\n+++ nor this\nOnly in spring: rain")
    patch = run(folder, "git", "format-patch", "-1", "--stdout").stdout
    (found,) = parse_patch(patch)
    assert apply_patch(b"a\n", found) == b"b\n"


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"hello\nworld\n", "not a unified diff"),
        (ONE_HUNK, "before any file name"),
        (b"--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n-a\n+b\n", "Hunk 1 is cut off"),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b", "Hunk 1 is cut off"),
        (b"--- a/x\n+++ b/x\n" + ONE_HUNK + b"+c\n", "more lines than its header"),
        (b"--- a/x\n+++ b/x\n" + ONE_HUNK + b" c\n", "more lines than its header"),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n-b\n", "other lines than its header"),
        (b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n", "changes nothing"),
        (b"--- a/x\n+++ b/y\n" + ONE_HUNK, "two different files"),
        (b"diff --git a/x b/x\n--- a/y\n+++ b/y\n" + ONE_HUNK, "two different files"),
        (b"diff --git a/x b/y\n--- a/x\n+++ b/y\n" + ONE_HUNK, "two different files"),
        (b"diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n", "copies x"),
        (b"diff --git a/x b/x\nindex 1..2 100644\n", "changes nothing"),
        (b"diff --git a/x b/x\nnew file mode 160000\n", "submodule"),
        (b"diff --git a/x b/x\nold mode 100644\nnew mode 777\n", "mode 777"),
        (b"diff --git a/x b/x\nindex 1..2 100644\nBinary files a/x and b/x differ\n", "binary file.*: x"),
        (b"diff --git a/x b/x\nindex 1..2 100644\nGIT binary patch\nliteral 3\nabc\n", "binary file.*: x"),
        (b"Binary files one/x and two/x differ\n", "binary file"),
        (b"diff --cc x\nindex 1,2..3\n--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,3 @@@\n  a\n", "combined"),
        (b"Only in after: new.txt\n", "leaves out a whole file"),
        (b"--- a/x\r\n+++ b/x\r\n@@ -1 +1 @@\r\n-a\r\n+b\r\n", "CRLF"),
        (b"--- /dev/null\n+++ b/x\n" + ONE_HUNK, "needs its old content"),
        (b"--- a/x\n+++ /dev/null\n" + ONE_HUNK, "leaves content"),
        (b"diff --git a/x b/x\nrename from x\n", "only one side"),
        (
            b"--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n-a\n\\ No newline at end of file\n-b\n+c\n",
            "without newline before its end",
        ),
    ],
)
def test_what_cannot_be_applied_is_refused_with_a_reason(patch, reason):
    with pytest.raises(StepRefusedError, match=reason) as refusal:
        parse_patch(patch)
    assert refusal.value.next


def test_a_hunk_that_does_not_fit_names_path_hunk_and_line():
    (found,) = parse_patch(b"--- a/x.py\n+++ b/x.py\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n")
    with pytest.raises(
        StepRefusedError, match=r"Hunk 1 \(@@ -1,2 \+1,2 @@\) does not apply to x.py; line 2"
    ) as refusal:
        apply_patch(b"one\nzwei\n", found)
    assert (refusal.value.path, bool(refusal.value.next)) == ("x.py", True)


@pytest.mark.parametrize("today", [b"one\ntwo", b"one\r\ntwo\r\n", b"one \ntwo\n", b"", b"two\n", b"one\ntwo\nthree\n"])
def test_nothing_is_guessed_where_context_differs(today):
    patch = b"--- a/file\n+++ b/file\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    assert ours(today, patch) is None
    assert git_apply(today, patch) is None


def test_creating_over_content_and_deleting_what_has_more_is_refused():
    (new,) = parse_patch(b"--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n")
    with pytest.raises(StepRefusedError, match="already has content"):
        apply_patch(b"there\n", new)
    (gone,) = parse_patch(b"diff --git a/x b/x\ndeleted file mode 100644\n")
    with pytest.raises(StepRefusedError, match="does not remove"):
        apply_patch(b"there\n", gone)


@pytest.mark.parametrize("names", [("a.txt", "../elsewhere/a2"), ("/somewhere/a.old", "a.txt")])
def test_of_two_names_the_one_inside_the_workspace_is_meant(names: tuple[str, str]) -> None:
    raw = f"--- {names[0]}\t2026-01-01\n+++ {names[1]}\t2026-01-02\n@@ -1 +1 @@\n-one\n+two\n".encode()
    (found,) = parse_patch(raw)
    assert (found.path, apply_patch(b"one\n", found)) == ("a.txt", b"two\n")
