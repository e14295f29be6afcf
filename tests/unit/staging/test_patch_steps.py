import subprocess

import pytest

from tandem_desktop.domain.errors import OutsideWorkspaceError, StepRefusedError, TandemError
from tandem_desktop.domain.operations import Absent, DirectoryState, SymlinkState
from tandem_desktop.staging.patch_steps import plan_from_patch
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.simulate import Simulation, simulate_steps
from tests.support.builders import A_MOMENT, a_file
from tests.support.trees import DiskTree, MemoryTree

NO_NEWLINE = b"\\ No newline at end of file\n"
CHANGE = b"""\
diff --git a/a.txt b/a.txt
index 1..2 100644
--- a/a.txt
+++ b/a.txt
@@ -1,2 +1,2 @@
 one
-two
+2
"""
RENAME = b"""\
diff --git a/a.txt b/d/b.txt
similarity index 50%
rename from a.txt
rename to d/b.txt
--- a/a.txt
+++ b/d/b.txt
@@ -1,2 +1,2 @@
 one
-two
+2
"""


def reviewed(entries: dict, patch: bytes) -> Simulation:
    return simulate_steps(plan_from_patch(patch), MemoryTree(entries), A_MOMENT)


def shape(simulation: Simulation) -> list[tuple]:
    return [(op.id, op.kind.value, op.path, op.to) for op in simulation.operations]


def refusal(entries: dict, patch: bytes) -> TandemError:
    with pytest.raises(TandemError) as caught:
        reviewed(entries, patch)
    assert caught.value.next
    return caught.value


def test_each_file_of_a_patch_is_a_step_without_words_and_a_single_one_is_the_title():
    patch = CHANGE + b"".join(
        (
            b"diff --git a/new b/new\nnew file mode 100755\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n",
            b"diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
            b"diff --git a/run b/run\nold mode 100644\nnew mode 100755\n",
            b"diff --git a/p b/q\nsimilarity index 100%\nrename from p\nrename to q\n",
        )
    )
    plan = plan_from_patch(patch)
    assert plan.title == "Apply a patch to 5 files"
    assert {step.description for step in plan.steps} == {""}, "nobody has said anything about them"
    parts = [b"diff --git" + part for part in patch.split(b"diff --git")[1:]]
    assert {plan_from_patch(part).title for part in parts if b"a.txt" not in part} == {
        "Delete old",
        "Rename p to q",
        "Create new",
        "Give run the mode 0755",
    }
    assert plan_from_patch(CHANGE).title == "Change a.txt in 1 place"
    result = reviewed({"a.txt": b"one\ntwo\n", "old": b"x\n", "run": b"", "p": b""}, patch)
    assert shape(result) == [
        ("s1", "delete", "old", None),
        ("s2", "move", "p", "q"),
        ("s3", "modify", "a.txt", None),
        ("s4", "create", "new", None),
        ("s5", "chmod", "run", None),
    ]
    assert result.operations[3].after == a_file(b"x\n", mode=0o755)
    assert result.operations[4].after.mode == 0o755


def test_title_can_be_given_and_a_single_file_gives_its_own():
    assert plan_from_patch(CHANGE).title == "Change a.txt in 1 place"
    assert plan_from_patch(CHANGE, title="Count in digits").title == "Count in digits"


def test_rename_with_a_change_is_a_move_and_then_a_modify():
    result = reviewed({"a.txt": (b"one\ntwo\n", 0o755)}, RENAME)
    assert shape(result) == [("s1.1", "move", "a.txt", "d/b.txt"), ("s1.2", "modify", "d/b.txt", None)]
    assert result.operations[1].after == a_file(b"one\n2\n", mode=0o755)
    assert set(result.contents.values()) == {b"one\ntwo\n", b"one\n2\n"}


def test_patch_step_of_a_plan_makes_one_operation_for_each_file():
    document = {
        "title": "x",
        "steps": [
            {
                "description": "Both",
                "tool": "patch",
                "args": {"diff": (CHANGE + CHANGE.replace(b"a.txt", b"b.txt")).decode()},
            }
        ],
    }
    content = b"one\ntwo\n"
    result = simulate_steps(plan_from(document), MemoryTree({"a.txt": content, "b.txt": content}), A_MOMENT)
    assert shape(result) == [("s1.1", "modify", "a.txt", None), ("s1.2", "modify", "b.txt", None)]


def test_content_that_is_no_text_survives_a_patch():
    patch = b"--- a/f\n+++ b/f\n@@ -1 +1 @@\n-\xff\r\n+\xfe\r\n"
    result = reviewed({"f": b"\xff\r\n"}, patch)
    assert result.contents[result.operations[0].after.sha256] == b"\xfe\r\n"


def test_links_in_a_patch_are_made_changed_and_deleted():
    new = b"diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+x\n" + NO_NEWLINE
    assert reviewed({}, new).operations[0].after == SymlinkState(target="x")
    change = (
        b"diff --git a/l b/l\nindex 1..2 120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-x\n\\ No newline at end of file\n+y\n"
        b"\\ No newline at end of file\n"
    )
    assert shape(reviewed({"l": "x"}, change)) == [("s1.1", "delete", "l", None), ("s1.2", "symlink", "l", None)]
    gone = b"diff --git a/l b/l\ndeleted file mode 120000\n--- a/l\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n" + NO_NEWLINE
    assert shape(reviewed({"l": "x"}, gone)) == [("s1", "delete", "l", None)]
    moved = b"diff --git a/l b/m\nsimilarity index 100%\nrename from l\nrename to m\n"
    assert shape(reviewed({"l": "x"}, moved)) == [("s1", "move", "l", "m")]
    assert "symbolic link" in refusal({"a.txt": "x"}, CHANGE).message
    assert "symbolic link" in refusal({"l": b"x"}, change).message


def test_a_file_that_becomes_a_link_is_deleted_first():
    patch = (
        b"diff --git a/f b/f\ndeleted file mode 100644\n--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        b"diff --git a/f b/f\nnew file mode 120000\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+y\n"
    ) + NO_NEWLINE
    assert shape(reviewed({"f": b"x\n"}, patch)) == [("s1", "delete", "f", None), ("s2", "symlink", "f", None)]


def test_folder_that_the_patch_has_emptied_makes_way_for_a_file_of_its_name():
    gone = b"diff --git a/d/e/x b/d/e/x\ndeleted file mode 100644\n--- a/d/e/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    new = b"diff --git a/d b/d\nnew file mode 100644\n--- /dev/null\n+++ b/d\n@@ -0,0 +1 @@\n+y\n"
    assert shape(reviewed({"d/e/x": b"x\n"}, gone + new)) == [
        ("s1.1", "delete", "d/e/x", None),
        ("s1.2", "delete", "d/e", None),
        ("s1.3", "delete", "d", None),
        ("s2", "create", "d", None),
    ]
    assert "already exists" in refusal({"d/e/x": b"x\n", "d/mine": b"kept\n"}, gone + new).message


def gone(path: str) -> bytes:
    return b"diff --git a/P b/P\ndeleted file mode 100644\n--- a/P\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n".replace(
        b"P", path.encode()
    )


def renamed(path: str, to: str) -> bytes:
    words = f"diff --git a/{path} b/{to}\nsimilarity index 100%\nrename from {path}\nrename to {to}\n"
    return words.encode()


def test_folder_goes_with_the_last_file_that_a_patch_takes_out_of_it():
    entries = {"d/a": b"x\n", "d/e/b": b"x\n", "k/c": b"x\n"}
    result = reviewed(entries, gone("d/a") + gone("d/e/b") + renamed("k/c", "n/c"))
    assert [(op.kind.value, op.path) for op in result.operations] == [
        ("delete", "d/a"),
        ("delete", "d/e/b"),
        ("delete", "d/e"),
        ("delete", "d"),
        ("move", "k/c"),
        ("delete", "k"),
    ]
    assert result.operations[3].base == DirectoryState(mode=0o755)


def test_folder_stays_that_a_later_file_of_the_patch_comes_into():
    result = reviewed({"d/a": b"x\n", "b": b"x\n"}, gone("d/a") + renamed("b", "d/b"))
    assert shape(result) == [("s1", "delete", "d/a", None), ("s2", "move", "b", "d/b")]


def test_folder_stays_in_which_something_else_lies():
    entries = {"d/a": b"x\n", "d/mine": b"", "e/a": b"x\n", "e/empty": 0o700}
    assert shape(reviewed(entries, gone("d/a") + gone("e/a"))) == [
        ("s1", "delete", "d/a", None),
        ("s2", "delete", "e/a", None),
    ]


def test_folder_is_not_removed_by_a_plan_that_deletes_a_file_without_a_patch():
    step = {"description": "x", "tool": "delete", "args": {"path": "d/a"}}
    result = simulate_steps(plan_from({"title": "x", "steps": [step]}), MemoryTree({"d/a": b"x"}), A_MOMENT)
    assert shape(result) == [("s1", "delete", "d/a", None)]


def test_file_that_becomes_a_folder_of_its_own_name_and_the_other_way_round_is_made_anew():
    result = reviewed({"f": (b"x\n", 0o755), "g/e/h": b"y\n"}, renamed("f", "f/in") + renamed("g/e/h", "g"))
    assert [(op.kind.value, op.path) for op in result.operations] == [
        ("delete", "f"),
        ("create", "f/in"),
        ("delete", "g/e/h"),
        ("delete", "g/e"),
        ("delete", "g"),
        ("create", "g"),
    ]
    assert result.operations[1].after == a_file(b"x\n", mode=0o755)


def test_mode_of_a_patch_touches_only_who_may_execute():
    patch = b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"
    assert reviewed({"f": (b"", 0o640)}, patch).operations[0].after.mode == 0o750
    back = b"diff --git a/f b/f\nold mode 100755\nnew mode 100644\n"
    assert reviewed({"f": (b"", 0o750)}, back).operations[0].after.mode == 0o640


def test_renames_that_free_each_others_path_are_put_in_order():
    patch = b"".join(
        b"diff --git a/%c b/%c\nsimilarity index 100%%\nrename from %c\nrename to %c\n" % (old, new, old, new)
        for old, new in zip(b"abx", b"bcy", strict=True)
    )
    result = reviewed({name: name.encode() for name in "abx"}, patch)
    assert [(op.path, op.to) for op in result.operations] == [("b", "c"), ("a", "b"), ("x", "y")]


REFUSED = [
    ({"a.txt": b"other\n"}, CHANGE, "does not apply"),
    ({}, CHANGE, "a.txt does not exist"),
    ({"a.txt/x": b""}, CHANGE, "a.txt is a directory"),
    ({"a.txt": b"one\ntwo\n", "d/b.txt": b""}, RENAME, "d/b.txt already exists"),
    ({"a.txt": b"one\ntwo\n", "d": b""}, RENAME, "d is a file"),
    ({"f": b"x\n"}, b"--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n", "f already exists"),
    ({"f": b"x\ny\n"}, b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "does not apply"),
    ({"f": (b"", 0o755)}, b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n", "changes nothing in f"),
    ({"f/x": b""}, b"--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "f is a directory"),
]


@pytest.mark.parametrize(("entries", "patch", "words"), REFUSED, ids=[words for *_, words in REFUSED])
def test_patch_that_does_not_fit_is_refused_with_the_step(entries, patch, words):
    error = refusal(entries, patch)
    assert isinstance(error, StepRefusedError)
    assert words in error.message
    assert error.step == "s1"


@pytest.mark.parametrize("path", [b"../x", b".git/config", b"a/.tandem/x", b"/etc/passwd"])
def test_patch_that_leaves_the_workspace_is_refused(path):
    patch = b"diff --git a/%s b/%s\nnew file mode 100644\n--- /dev/null\n+++ b/%s\n@@ -0,0 +1 @@\n+x\n" % (
        path,
        path,
        path,
    )
    assert isinstance(refusal({}, patch), OutsideWorkspaceError)


def test_case_only_rename_in_a_patch_is_refused():
    patch = b"diff --git a/Readme b/README\nsimilarity index 100%\nrename from Readme\nrename to README\n"
    assert "upper and lower case" in refusal({"Readme": b"x"}, patch).message


def test_a_real_git_diff_gives_the_real_tree(tmp_path):
    def git(*arguments: str) -> bytes:
        call = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org", *arguments]
        return subprocess.run(call, check=True, capture_output=True).stdout

    git("init", "-q")
    keep = "".join(f"line {n}\n" for n in range(40))
    before = {
        "keep.txt": keep,
        "gone.txt": "bye\n",
        "crlf.txt": "a\r\nb\r\n",
        "run.sh": "#!/bin/sh\n",
        "sp ace/grün.txt": keep,
    }
    for path, text in before.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_bytes(text.encode())
        (tmp_path / path).chmod(0o644)
    (tmp_path / "link").symlink_to("keep.txt")
    git("add", ".")
    git("commit", "-qm", "before")
    memory = MemoryTree({path: text.encode() for path, text in before.items()} | {"link": "keep.txt"})

    (tmp_path / "keep.txt").write_text(keep.replace("line 3\n", "line three\n").replace("line 30\n", ""))
    (tmp_path / "gone.txt").unlink()
    (tmp_path / "crlf.txt").write_bytes(b"a\r\nc\r\nno newline")
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / "sp ace/grün.txt").rename(tmp_path / "sp ace/blau.txt")
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("run.sh")
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "empty").chmod(0o644)
    git("add", "-A")
    patch = git("diff", "--cached", "-M", "HEAD")

    states = {path: memory.state(path) for path in memory.entries}
    for operation in simulate_steps(plan_from_patch(patch), memory, A_MOMENT).operations:
        for change in operation.changes():
            states[change.path] = change.after
    found = {path: state for path, state in DiskTree(tmp_path).everything().items() if not path.startswith(".git")}
    assert {p: s for p, s in states.items() if not isinstance(s, Absent | DirectoryState)} == {
        p: s for p, s in found.items() if not isinstance(s, DirectoryState)
    }
