"""After `tandem review` and `apply` the tree is the one `git apply` leaves, folders included; undo brings all back."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.runs import RunStatus
from tests.support.tree_walker import walk

FOLDERS = ("", "d/", "d/e/", "d/e/f/", "g/", "g/h/")
NAMES = ("x", "y", "e", "d", "g")
CONTENTS = (b"one\n", b"two\nlines\n", b"".join(b"line %d\n" % n for n in range(12)), b"")
DIST_INFO = ("INSTALLER", "LICENSE.rst", "METADATA", "RECORD", "REQUESTED", "WHEEL", "entry_points.txt")

Files = dict[str, bytes]


def _fitting(paths: dict[str, bytes]) -> Files:
    """Without those that lie below another one, which is a file."""
    return {path: data for path, data in paths.items() if not any(path.startswith(f"{above}/") for above in paths)}


PATHS = st.builds(str.__add__, st.sampled_from(FOLDERS), st.sampled_from(NAMES))
TREES = st.dictionaries(PATHS, st.sampled_from(CONTENTS), max_size=7).map(_fitting)
OTHERS = st.dictionaries(PATHS, st.sampled_from([b"mine\n", None]), max_size=2)


def git(folder: Path, *words: str, patch: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(["git", *words], cwd=folder, input=patch, capture_output=True, check=False)


def lay_out(folder: Path, files: dict[str, bytes | None]) -> None:
    """Files, and folders where there are no bytes; what does not fit is left out."""
    for path, data in files.items():
        try:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            if data is None:
                (folder / path).mkdir(exist_ok=True)
            elif not (folder / path).exists():
                (folder / path).write_bytes(data)
        except (FileExistsError, NotADirectoryError):
            continue


def difference(base: Path, before: Files, after: Files) -> bytes:
    with tempfile.TemporaryDirectory(dir=base) as name:
        folder = Path(name)
        git(folder, "init", "-q")
        lay_out(folder, dict(before))
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", "before", "--allow-empty")
        for path in before:
            (folder / path).unlink()
        for found in sorted(folder.rglob("*"), reverse=True):
            if found.is_dir() and ".git" not in found.parts:
                found.rmdir()
        lay_out(folder, dict(after))
        git(folder, "add", "-A")
        return git(folder, "diff", "--cached", "-M", "HEAD").stdout


def becomes_each_others_folder(before: Files, after: Files) -> bool:
    """Two files renamed into folders of each other's names, or out of them: no order of moves does that."""

    def turned(files: Files, into: Files) -> int:
        return sum(any(other.startswith(f"{path}/") for other in into) for path in files)

    return turned(before, after) + turned(after, before) > 1


def without_folder_modes(tree: dict[str, tuple[str, int, bytes]]) -> dict[str, tuple[str, int, bytes]]:
    return {path: (kind, 0 if kind == "folder" else mode, data) for path, (kind, mode, data) in tree.items()}


def check_against_git(base: Path, before: Files, after: Files, others: dict[str, bytes | None]) -> bool:
    """Whether git takes the patch at all; where it does, ours leaves the same tree and undoes it."""
    patch = difference(base, before, after)
    if not patch:
        return False
    with tempfile.TemporaryDirectory(dir=base) as name:
        ours, theirs = Path(name) / "ours", Path(name) / "theirs"
        ours.mkdir()
        lay_out(ours, dict(before))
        lay_out(ours, others)
        for number, found in enumerate(sorted(path for path in ours.rglob("*") if path.is_dir())):
            found.chmod((0o755, 0o700, 0o750)[number % 3])
        shutil.copytree(ours, theirs)
        was = walk(ours)
        done = git(theirs, "apply", "--whitespace=nowarn", "-", patch=patch)
        if done.returncode:
            return False
        engine = build_engine(ours, state=Path(name) / "state")
        try:
            plan = engine.proposals.review_patch(patch)
        except TandemError:
            assert becomes_each_others_folder(before, after), "git takes it"
            return False
        engine.decisions.approve(plan.plan_id, plan.approval_hash)
        outcome = engine.runs.apply(plan.plan_id)
        assert outcome.succeeded
        assert without_folder_modes(walk(ours)) == without_folder_modes(walk(theirs))
        assert engine.runs.undo(outcome.record.run_id).record.status is RunStatus.COMPLETED
        assert walk(ours) == was
    return True


@settings(max_examples=40)
@given(TREES, TREES, OTHERS)
def test_tree_after_a_patch_is_the_one_git_apply_leaves(memory_base, before, after, others):
    check_against_git(memory_base, before, after, others)


@pytest.mark.exhaustive
@settings(max_examples=1500)
@given(TREES, TREES, OTHERS)
def test_tree_after_any_of_many_patches_is_the_one_git_apply_leaves(memory_base, before, after, others):
    check_against_git(memory_base, before, after, others)


def test_release_that_renames_its_dist_info_leaves_no_old_folder_behind(memory_path):
    text = b"".join(b"line %d\n" % number for number in range(60))
    old = {f"flask-2.3.3.dist-info/{name}": b"" if name == "REQUESTED" else name.encode() + text for name in DIST_INFO}
    new = {
        path.replace("2.3.3", "3.1.0").replace("info/LICENSE", "info/licenses/LICENSE"): data
        for path, data in old.items()
    }
    new["flask-3.1.0.dist-info/RECORD"] = b"another list altogether\n"
    old["flask/json/tag.py"] = new["flask/tag.py"] = text
    assert check_against_git(memory_path, old, new, {})
    assert check_against_git(
        memory_path, old, new, {"flask-2.3.3.dist-info/direct_url.json": b"{}", "flask/json/mine": None}
    )
