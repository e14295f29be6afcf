from tandem_desktop.review.drift import drift
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.simulate import simulate_steps
from tandem_desktop.storage.workspace import Workspace
from tests.support.builders import A_MOMENT
from tests.support.trees import DiskTree, MemoryTree


def a_step(tool: str, path: str, **args: str) -> dict:
    return {"description": "Do it", "tool": tool, "args": {"path": path, **args}}


def staged(tree, *steps: dict):
    return simulate_steps(plan_from({"title": "A change", "steps": list(steps)}), tree, A_MOMENT).operations


def found(operations, tree) -> list[tuple[str, str]]:
    return [(drifted.path, drifted.change.value) for drifted in drift(operations, tree)]


def test_each_kind_of_drift_is_named_and_nothing_else():
    tree = MemoryTree({"a": b"1", "b": b"1", "c": b"1", "d": b"1", "same": b"1", "l": "t", "dir": 0o755, "gone": "t"})
    operations = staged(
        tree,
        *(a_step("write", path, content="2") for path in ("a", "b", "c", "d", "same", "new", "other")),
        *(a_step("delete", path) for path in ("l", "dir", "gone")),
    )
    assert drift(operations, tree) == ()
    tree.put("a", b"edited")
    tree.remove("b")
    tree.put("c", (b"1", 0o755))
    tree.put("d", "link")
    tree.put("new", b"")
    tree.put("l", "elsewhere")
    tree.put("dir", 0o700)
    tree.put("gone", 0o755)
    tree.put("unrelated", b"")
    assert found(operations, tree) == [
        ("a", "modified"),
        ("b", "deleted"),
        ("c", "mode"),
        ("d", "type"),
        ("new", "created"),
        ("l", "modified"),
        ("dir", "mode"),
        ("gone", "type"),
    ]


def test_only_the_first_view_of_a_path_counts():
    tree = MemoryTree({"a": b"1"})
    operations = staged(
        tree,
        a_step("write", "a", content="2"),
        a_step("edit", "a", old_string="2", new_string="3"),
        a_step("move", "a", to="b"),
        a_step("delete", "b"),
        a_step("write", "a", content="4"),
    )
    assert drift(operations, tree) == ()
    tree.put("b", b"")
    assert found(operations, tree) == [("b", "created")]


def test_directories_made_along_the_way_are_not_missed_on_disk():
    tree = MemoryTree({})
    operations = staged(
        tree, a_step("write", "d/e/f", content="1"), a_step("chmod", "d/e", mode="0700"), a_step("delete", "d")
    )
    assert drift(operations, tree) == ()
    tree.put("d/e", 0o700)
    assert found(operations, tree) == [("d/e", "mode")]


def test_a_file_replaced_by_a_directory_in_the_plan_is_no_drift_below_it():
    tree = MemoryTree({"a": b"1", "l": "a"})
    operations = staged(
        tree, a_step("delete", "a"), a_step("write", "a/b", content="2"), a_step("delete", "l"), a_step("mkdir", "l/m")
    )
    assert drift(operations, tree) == ()


def test_a_parent_that_became_something_else_is_drift_of_the_parent(tmp_path):
    (tmp_path / "d/e").mkdir(parents=True)
    (tmp_path / "f").mkdir()
    (tmp_path / "f/x").write_text("1")
    with Workspace(tmp_path) as workspace:
        operations = staged(workspace, a_step("write", "d/e/new", content="1"), a_step("delete", "f/x"))
    (tmp_path / "d/e").rmdir()
    (tmp_path / "d/e").symlink_to("/tmp")
    (tmp_path / "f/x").unlink()
    (tmp_path / "f").rmdir()
    (tmp_path / "f").write_text("")
    with Workspace(tmp_path) as workspace:
        assert found(operations, workspace) == [("d/e", "type"), ("f", "type"), ("f/x", "deleted")]


def test_a_newcomer_in_a_directory_the_plan_removes_is_drift():
    tree = MemoryTree({"d/a": b"1", "d/e/b": b"2"})
    for steps in ([a_step("delete", "d")], [a_step("move", "d", to="n")]):
        operations = staged(tree, *steps)
        assert drift(operations, tree) == ()
        tree.put("d/e/foreign", b"")
        assert found(operations, tree) == [("d/e/foreign", "created")]
        tree.remove("d/e/foreign")


def test_what_cannot_be_looked_at_any_more_has_drifted(tmp_path):
    (tmp_path / "a").write_text("1")
    with Workspace(tmp_path) as workspace:
        operations = staged(workspace, a_step("write", "a", content="2"), a_step("write", "b", content="2"))
    for name in "ab":
        with (tmp_path / name).open("wb") as file:
            file.truncate(1 << 40)
    with Workspace(tmp_path) as workspace:
        assert found(operations, workspace) == [("a", "modified"), ("b", "created")]


def test_commands_have_no_path_to_drift(tmp_path):
    operations = staged(DiskTree(tmp_path), {"description": "Run", "tool": "bash", "args": {"command": "ls"}})
    assert drift(operations, DiskTree(tmp_path)) == ()
