"""A tree has the digest of its contents, on disk or still planned."""

import os
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.checks.trees import TreeDigests
from tests.support.command_line import bash, edit, write
from tests.support.rehearsals import plan_json


def digests(root: Path, state: Path) -> TreeDigests:
    return TreeDigests(root, state / "digests.json")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "a.txt").write_text("one\n")
    (folder / "link").symlink_to("a.txt")
    return folder


def test_the_tree_with_a_plan_has_the_digest_of_the_tree_after_the_run(root: Path, tmp_path: Path) -> None:
    engine = build_engine(root)
    trees = digests(root, tmp_path)
    version = engine.proposals.propose(
        plan_json(edit("a.txt", "one", "two"), write("deep/er/b.txt", "x"), {**write("c", "y"), "id": "s9"})
    )
    planned = trees.now().with_plan(version.operations)
    engine.decisions.approve(version.plan_id, version.approval_hash)
    engine.runs.apply(version.plan_id)
    engine.close()
    assert trees.now().value == planned


@pytest.mark.parametrize("change", ["content", "mode", "name", "link"])
def test_any_change_of_a_file_changes_the_digest(root: Path, tmp_path: Path, change: str) -> None:
    trees = digests(root, tmp_path)
    before = trees.now().value
    match change:
        case "content":
            (root / "a.txt").write_text("two\n")
        case "mode":
            (root / "a.txt").chmod(0o755)
        case "name":
            (root / "a.txt").rename(root / "b.txt")
        case "link":
            (root / "link").unlink()
            (root / "link").symlink_to("b.txt")
    assert trees.now().value != before


def test_a_remembered_digest_is_not_trusted_for_other_bytes_of_the_same_size_and_time(
    root: Path, tmp_path: Path
) -> None:
    os.utime(root / "a.txt", ns=(10**18, 10**18))
    trees = digests(root, tmp_path)
    before = trees.now().value
    (root / "a.txt").write_text("two\n")
    os.utime(root / "a.txt", ns=(10**18, 10**18))
    assert trees.now().value != before


def test_what_checks_leave_behind_does_not_count(root: Path, tmp_path: Path) -> None:
    trees = digests(root, tmp_path)
    before = trees.now().value
    (root / "__pycache__").mkdir()
    (root / "__pycache__" / "a.pyc").write_text("x")
    assert trees.now().value == before


def test_a_command_counts_by_its_words(root: Path, tmp_path: Path) -> None:
    engine = build_engine(root)
    trees = digests(root, tmp_path).now()
    one, same, other = (
        engine.proposals.propose(plan_json(bash(command))).operations for command in ("true", "true", "false")
    )
    engine.close()
    assert trees.with_plan(one) == trees.with_plan(same) != trees.with_plan(other)


def test_a_damaged_record_of_digests_is_ignored(root: Path, tmp_path: Path) -> None:
    trees = digests(root, tmp_path)
    before = trees.now().value
    (tmp_path / "digests.json").write_text('{"a.txt": 3}')
    assert trees.now().value == before
