"""The self-test says 100 of an engine that keeps its promises, and names the path when one does not."""

import ast
import collections
import copy
import dataclasses
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.operations import PLAN_TOOLS
from tandem_desktop.domain.runs import RunResult
from tandem_desktop.execution.undo import UndoneRun
from tandem_desktop.selftest import expectation
from tandem_desktop.selftest.corpus import CONTENTS, FIVE_MEGABYTES, KINDS, NAMES, a_case, runs_a_command
from tandem_desktop.selftest.expectation import Expectation, changed_times, differences, lay_out, snapshot
from tandem_desktop.selftest.run import SEED_VARIABLE, BuildEngine, run_selftest, try_seeds
from tandem_desktop.services.engine import Engine

ENOUGH = 50
A_QUIET_SEED = 5
"""Its plan has no command, and its tree has files that the plan does not name."""

Tamper = Callable[[Path, RunResult], RunResult | None]
Forget = Callable[[Path], Callable[[], None]]


def an_engine(root: Path, state: Path) -> Engine:
    return build_engine(root, state=state)


def no_report(line: str) -> None:
    """Nobody listens."""


class TamperedRuns:
    """The runs of a real engine, and a hand that meddles after them."""

    def __init__(self, engine: Engine, root: Path, after_apply: Tamper | None, around_undo: Forget | None) -> None:
        self._engine = engine
        self._root = root
        self._after_apply = after_apply
        self._around_undo = around_undo

    def apply(self, plan_id: str) -> RunResult:
        result = self._engine.runs.apply(plan_id)  # type: ignore[arg-type]
        return (self._after_apply(self._root, result) if self._after_apply else None) or result

    def undo(self, run_id: str) -> UndoneRun:
        meddle = self._around_undo(self._root) if self._around_undo else lambda: None
        undone = self._engine.runs.undo(run_id)
        meddle()
        return undone


def a_broken_engine(*, after_apply: Tamper | None = None, around_undo: Forget | None = None) -> BuildEngine:
    def build(root: Path, state: Path) -> Engine:
        engine = an_engine(root, state)
        runs = TamperedRuns(engine, root, after_apply, around_undo)
        broken = copy.copy(engine)
        broken.runs = runs  # type: ignore[assignment]
        return broken

    return build


def an_unnamed_file(root: Path) -> Path:
    """A file of the workspace that the plan leaves alone."""
    case = a_case(A_QUIET_SEED)
    model = Expectation(case.tree)
    for step in case.plan["steps"]:
        model.take(step)
    kept = [path for path, node in model.nodes.items() if node[0] == "file" and path not in model.touched]
    return root / min(kept)


def a_changed_file(root: Path) -> Path:
    case = a_case(A_QUIET_SEED)
    model = Expectation(case.tree)
    for step in case.plan["steps"]:
        model.take(step)
    return root / min(path for path in model.touched if model.nodes.get(path, ("",))[0] == "file")


def keeping_its_time(path: Path, change: Callable[[Path], object]) -> None:
    times = path.stat()
    change(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def flip_a_byte(path: Path) -> None:
    data = path.read_bytes() or b"\x00"
    path.write_bytes(bytes([data[0] ^ 1]) + data[1:])


def flip_a_byte_of_a_changed_file(root: Path, result: RunResult) -> None:
    flip_a_byte(a_changed_file(root))


def flip_a_mode(root: Path, result: RunResult) -> None:
    path = a_changed_file(root)
    path.chmod(path.stat().st_mode ^ 0o010)


def leave_a_file(root: Path, result: RunResult) -> None:
    (root / "left behind").touch()


def touch_an_unnamed_file(root: Path, result: RunResult) -> None:
    an_unnamed_file(root).touch()


def change_an_unnamed_file(root: Path, result: RunResult) -> None:
    keeping_its_time(an_unnamed_file(root), flip_a_byte)


def hide_a_result(root: Path, result: RunResult) -> RunResult:
    return dataclasses.replace(result, results=result.results[1:])


def take_nothing_back_at_one_path(root: Path) -> Callable[[], None]:
    path = a_changed_file(root)
    data = path.read_bytes()

    def put_back() -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    return put_back


def lose_a_mode(root: Path) -> Callable[[], None]:
    return lambda: keeping_its_time(an_unnamed_file(root), lambda path: path.chmod(0o611))


def test_an_engine_that_keeps_its_promises_gets_three_times_100() -> None:
    heard: list[str] = []
    found = try_seeds(an_engine, range(ENOUGH), heard.append)
    assert found.failures == ()
    assert (found.plans, found.passed) == (ENOUGH, True)
    assert [line.split(": ")[1] for line in found.lines()] == ["100.000 %"] * 3
    assert heard[-1] == f"{ENOUGH} of {ENOUGH} plans"


@pytest.mark.parametrize(
    ("after_apply", "broken", "path"),
    [
        (flip_a_byte_of_a_changed_file, "applied verified undone", a_changed_file),
        (flip_a_mode, "applied verified undone", a_changed_file),
        (leave_a_file, "applied verified undone", lambda root: root / "left behind"),
        (touch_an_unnamed_file, "verified undone", an_unnamed_file),
        (change_an_unnamed_file, "applied verified undone", an_unnamed_file),
        (hide_a_result, "verified", lambda root: root / "results"),
    ],
    ids=["a byte", "a mode", "a file left", "a touched file", "a changed unnamed file", "a missing result"],
)
def test_a_run_that_is_not_what_was_approved_is_noticed(
    after_apply: Tamper, broken: str, path: Callable[[Path], Path]
) -> None:
    found = try_seeds(a_broken_engine(after_apply=after_apply), [A_QUIET_SEED], no_report)
    figures = {
        "applied": found.approved_applied,
        "verified": found.applied_verified,
        "undone": found.undone_before,
    }
    assert " ".join(name for name, figure in figures.items() if figure < 100) == broken
    assert any(str(path(Path())) in failure for failure in found.failures)
    assert f"{SEED_VARIABLE}={A_QUIET_SEED} tandem selftest" in found.failures[0]


@pytest.mark.parametrize(
    ("around_undo", "path"),
    [(take_nothing_back_at_one_path, a_changed_file), (lose_a_mode, an_unnamed_file)],
    ids=["a forgotten path", "a lost mode"],
)
def test_an_undo_that_does_not_restore_the_tree_is_noticed(around_undo: Forget, path: Callable[[Path], Path]) -> None:
    found = try_seeds(a_broken_engine(around_undo=around_undo), [A_QUIET_SEED], no_report)
    assert (found.approved_applied, found.applied_verified, found.undone_before) == (100, 100, 0)
    assert any(str(path(Path())) in failure for failure in found.failures)


def test_one_bad_plan_of_many_lowers_the_figure_and_is_the_one_named() -> None:
    def build(root: Path, state: Path) -> Engine:
        tampered = a_broken_engine(after_apply=leave_a_file) if root.parent.name.startswith("6-") else an_engine
        return tampered(root, state)

    found = try_seeds(build, [5, 6, 8, 9], no_report)
    assert found.approved_applied == 75
    assert {failure.partition(",")[0] for failure in found.failures} == {"plan 6"}


def test_an_engine_that_raises_has_kept_none_of_the_promises() -> None:
    def refuse(root: Path, state: Path) -> Engine:
        raise OSError("no engine today")

    found = try_seeds(refuse, [A_QUIET_SEED], no_report)
    assert (found.approved_applied, found.applied_verified, found.undone_before) == (0, 0, 0)
    assert "no engine today" in found.failures[0]


def test_a_single_seed_can_be_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SEED_VARIABLE, "5, 9")
    assert run_selftest(an_engine, full=True, report=no_report).plans == 2


def test_nothing_is_left_behind_even_when_it_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def stop(line: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        try_seeds(an_engine, range(30), stop)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.exhaustive
def test_the_full_corpus_gets_three_times_100() -> None:
    found = run_selftest(an_engine, full=True, report=no_report)
    assert (found.plans, found.failures) == (2_000, ())


def a_small_tree(root: Path) -> None:
    (root / "folder" / "empty").mkdir(parents=True)
    (root / "folder" / "file").write_bytes(b"content\n")
    (root / "folder" / "file").chmod(0o640)
    (root / "folder").chmod(0o755)
    (root / "link").symlink_to("folder/file")
    for path in (root / "folder" / "file", root / "folder" / "empty", root / "folder", root / "link"):
        os.utime(path, ns=(1, 1), follow_symlinks=False)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda root: flip_a_byte(root / "folder/file"), "folder/file: should have 8 bytes, has 8"),
        (lambda root: (root / "folder/file").write_bytes(b""), "folder/file: should have 8 bytes, has 0"),
        (lambda root: (root / "folder/file").chmod(0o600), "folder/file: should have the mode 0640, and has 0600"),
        (lambda root: (root / "folder").chmod(0o700), "folder: should have the mode 0755, and has 0700"),
        (lambda root: (root / "folder/file").unlink(), "folder/file: should be a file, and is missing"),
        (lambda root: (root / "folder/empty").rmdir(), "folder/empty: should be a dir, and is missing"),
        (lambda root: (root / "more").mkdir(), "more: should not be there, and is a dir"),
        (lambda root: os.mkfifo(root / "pipe"), "pipe: should not be there, and is a special file"),
        (
            lambda root: ((root / "link").unlink(), (root / "link").symlink_to("folder//file")),
            "link: should lead to 'folder/file', and leads to 'folder//file'",
        ),
        (
            lambda root: ((root / "link").unlink(), (root / "link").write_bytes(b"folder/file")),
            "link: should be a link, and is a file",
        ),
        (
            lambda root: ((root / "folder/empty").rmdir(), (root / "folder/empty").symlink_to("..")),
            "folder/empty: should be a dir, and is a link",
        ),
    ],
)
def test_the_walker_sees_every_kind_of_difference(
    tmp_path: Path, change: Callable[[Path], object], sentence: str
) -> None:
    a_small_tree(tmp_path)
    before = snapshot(tmp_path)
    assert differences(before.nodes, snapshot(tmp_path).nodes) == []
    change(tmp_path)
    found = differences(before.nodes, snapshot(tmp_path).nodes)
    assert len(found) == 1
    assert found[0].startswith(sentence)
    assert differences(before.nodes, snapshot(tmp_path).nodes, leaving_out={sentence.partition(":")[0]}) == []


@pytest.mark.parametrize("path", ["folder/file", "link", "folder/empty"])
def test_the_walker_sees_a_time_that_moved_and_knows_when_it_may(tmp_path: Path, path: str) -> None:
    a_small_tree(tmp_path)
    before = snapshot(tmp_path)
    os.utime(tmp_path / path, ns=(2, 2), follow_symlinks=False)
    after = snapshot(tmp_path)
    assert [sentence.partition(":")[0] for sentence in changed_times(before, after, set())] == [path]
    assert changed_times(before, after, {path}) == []


def test_a_folder_s_time_may_move_only_when_a_touched_path_lies_in_it(tmp_path: Path) -> None:
    a_small_tree(tmp_path)
    before = snapshot(tmp_path)
    os.utime(tmp_path / "folder", ns=(2, 2))
    after = snapshot(tmp_path)
    assert changed_times(before, after, {"folder/new"}) == []
    assert len(changed_times(before, after, {"folder/empty/new"})) == 1


def test_the_walker_leaves_out_only_tandem_s_own_folder_at_the_top(tmp_path: Path) -> None:
    (tmp_path / ".tandem" / "plans").mkdir(parents=True)
    (tmp_path / "folder" / ".tandem").mkdir(parents=True)
    assert set(snapshot(tmp_path).nodes) == {"folder", "folder/.tandem"}


def test_the_truth_shares_no_code_with_the_engine() -> None:
    source = Path(str(expectation.__file__)).read_text(encoding="utf-8")
    names = [
        name
        for node in ast.walk(ast.parse(source))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    ]
    assert names
    assert [name for name in names if name.startswith("tandem_desktop") or name == "importlib"] == []


def a_fingerprint(seeds: range) -> str:
    digest = hashlib.sha256()
    for case in map(a_case, seeds):
        digest.update(json.dumps(case.plan, sort_keys=True).encode())
        digest.update(repr(sorted(case.tree.items())).encode())
    return digest.hexdigest()


def test_a_seed_always_gives_the_same_case_in_every_process() -> None:
    code = "from tests.unit.selftest import test_run as here; print(here.a_fingerprint(range(40)))"
    environment = {**os.environ, "PYTHONHASHSEED": "12345", "PYTHONPATH": str(Path(__file__).parents[3])}
    ended = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == a_fingerprint(range(40))
    assert a_case(3) != a_case(4)


def test_the_corpus_contains_every_kind_of_file_name_and_step() -> None:
    cases = [a_case(seed) for seed in range(200)]
    count = collections.Counter(kind for case in cases for kind in case.kinds)
    links = ("link to a file", "link to a directory", "dangling link")
    for kind in (*CONTENTS, *NAMES, *links, "empty directory", "ignored file", "exec bit"):
        assert count[kind] >= 100, kind
    for kind in KINDS:
        assert count[kind] >= 8, kind
    assert count["5 MB"] == 4
    assert sum(len(node[2]) == FIVE_MEGABYTES for case in cases for node in case.tree.values()) == 4
    assert max(path.count("/") for case in cases for path in case.tree) >= 20
    # Only an agent makes external calls.
    assert {step["tool"] for case in cases for step in case.plan["steps"]} == {*PLAN_TOOLS} - {"external"}


def test_only_the_seeds_that_say_so_run_commands() -> None:
    for seed in range(100):
        tools = {step["tool"] for step in a_case(seed).plan["steps"]}
        assert ("bash" in tools) == runs_a_command(seed)


@pytest.mark.parametrize("seed", [seed for seed in range(120) if "patch many" in a_case(seed).kinds][:12])
def test_the_naive_reading_of_a_patch_is_git_s_reading(tmp_path: Path, seed: int) -> None:
    case = a_case(seed)
    model = Expectation(case.tree)
    for step in case.plan["steps"]:
        if step["tool"] == "patch":
            break
        model.take(step)
    root = tmp_path / "workspace"
    root.mkdir()
    lay_out(model.nodes, root)
    subprocess.run(["git", "apply", "-"], cwd=root, input=step["args"]["diff"].encode(), check=True)
    model.take(step)
    found = snapshot(root).nodes
    assert {path: node[2] for path, node in found.items() if node[0] == "file"} == {
        path: node[2] for path, node in model.nodes.items() if node[0] == "file"
    }
