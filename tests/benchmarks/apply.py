"""What a durable, journaled, verified apply costs next to `git apply`, which is none of these; and taking it back.

Every turn works on a fresh copy, synced before the clock starts so that nobody pays for another's writes, and the
tree is compared byte by byte afterwards.
"""

import contextlib
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.execution.run import Run
from tandem_desktop.services.engine import Engine
from tests.benchmarks.rounds import measure, row, seconds_of

OPERATIONS = 1_000
MANY_OPERATIONS = 10_000
GROWTH_ROUNDS = 3
"""Ten times the work takes its time; whether it grows evenly shows soon."""
SEED = 4
TANDEM = (sys.executable, "-m", "tandem_desktop")

Contents = dict[str, bytes]


@dataclass(frozen=True)
class Work:
    """One change of a tree: as two trees, as plan JSON, and as a patch."""

    before: Contents
    after: Contents
    plan: bytes
    patch: Path
    master: Path
    """The tree before, to be copied."""


def main(rounds: int = 9) -> None:
    print(f"Apply: wall time, {rounds} rounds, shuffled, fresh copies")
    for name, figures in run(rounds):
        print(f"  {name:<34} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tandem-benchmark-") as name:
        folder = Path(name)
        work, many = (a_work(folder / str(count), count) for count in (OPERATIONS, MANY_OPERATIONS))
        scratch_dir = Bench(folder)
        found = measure(
            {
                "git": lambda: scratch_dir.git_apply(work),
                "apply": lambda: scratch_dir.apply(work),
                "process": lambda: scratch_dir.apply_by_process(work),
                "restored": lambda: scratch_dir.restored(work),
                "roll back": lambda: scratch_dir.roll_back(work),
                "undo": lambda: scratch_dir.undo(work),
                "undo process": lambda: scratch_dir.undo_by_process(work),
            },
            rounds,
        )
        grown = measure(
            {
                "few": lambda: scratch_dir.apply(work),
                "many": lambda: scratch_dir.apply(many),
                "git, many": lambda: scratch_dir.git_apply(many),
            },
            min(rounds, GROWTH_ROUNDS),
        )
        per_thousand = [seconds * OPERATIONS / MANY_OPERATIONS for seconds in grown["many"]]
        return [
            row("apply 1,000, in process", found["apply"], found["git"], "git apply"),
            row("apply 1,000, `tandem apply`", found["process"], found["git"], "git apply"),
            row("roll back 1,000, tree as before", found["restored"], found["git"], "git apply"),
            row("roll back 1,000, run closed", found["roll back"], found["git"], "git apply"),
            row("undo 1,000, in process", found["undo"], found["git"], "git apply"),
            row("undo 1,000, `tandem undo`", found["undo process"], found["git"], "git apply"),
            row("apply 10,000, in process", grown["many"], grown["git, many"], "git apply"),
            row("growth: 1,000 of 10,000 / 1,000", per_thousand, grown["few"], "of 1,000"),
        ]


class Bench:
    """Runs one turn at a time, each in a folder of its own that goes away afterwards."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = itertools.count()
        self._turns = folder
        self._engines: list[Engine] = []

    def git_apply(self, work: Work) -> float:
        root = self._fresh(work)
        seconds = seconds_of(lambda: subprocess.run(["git", "apply", str(work.patch)], cwd=root, check=True))
        return self._checked(seconds, work.after)

    def apply(self, work: Work) -> float:
        engine, plan_id = self._approved(work)
        return self._checked(seconds_of(lambda: engine.runs.apply(plan_id)), work.after)

    def apply_by_process(self, work: Work) -> float:
        engine, plan_id = self._approved(work)
        return self._checked(self._process(engine, "apply", plan_id), work.after)

    def undo_by_process(self, work: Work) -> float:
        engine, plan_id = self._approved(work)
        run_id = engine.runs.apply(plan_id).record.run_id
        os.sync()
        return self._checked(self._process(engine, "undo", run_id), work.before)

    def _process(self, engine: Engine, *words: str) -> float:
        environment = {**os.environ, "TANDEM_STATE_DIR": str(engine.locations.state)}
        command = [*TANDEM, "-C", str(engine.locations.workspace), "--json", *words]
        return seconds_of(lambda: subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True))

    def restored(self, work: Work) -> float:
        """A run stopped before its last publish: from the stop to the tree as before, verified and durable."""
        return self._rolled_back(work)[0]

    def roll_back(self, work: Work) -> float:
        """The same, to the run with its results, audit and plan closed."""
        return self._rolled_back(work)[1]

    def _rolled_back(self, work: Work) -> tuple[float, float]:
        engine, plan_id = self._approved(work)
        control = StopAt(len(engine.plans.revision(plan_id).operations))
        ends: list[float] = []
        with noting_the_end_of(Run, "roll_back", ends):
            result = engine.runs.apply(plan_id, control=control)
        ends.append(time.perf_counter())
        assert result.record.rolled_back
        restored, closed = (self._checked(end - control.stopped_at, work.before) for end in ends)
        return restored, closed

    def undo(self, work: Work) -> float:
        engine, plan_id = self._approved(work)
        run_id = engine.runs.apply(plan_id).record.run_id
        os.sync()
        return self._checked(seconds_of(lambda: engine.runs.undo(run_id)), work.before)

    def _fresh(self, work: Work) -> Path:
        # A new folder for every turn, cleared away at the end: ext4 is slow to reuse what was deleted a moment ago.
        self._turns = self._folder / f"turn-{next(self._numbers)}"
        shutil.copytree(work.master, self._turns / "workspace")
        os.sync()
        return self._turns / "workspace"

    def _approved(self, work: Work) -> tuple[Engine, PlanId]:
        engine = build_engine(self._fresh(work), state=self._turns / "state", lives_on=True)
        self._engines.append(engine)
        version = engine.proposals.propose(work.plan)
        engine.decisions.approve(version.plan_id, version.approval_hash)
        os.sync()
        return engine, version.plan_id

    def _checked(self, seconds: float, expected: Contents) -> float:
        while self._engines:
            self._engines.pop().close()
        root = self._turns / "workspace"
        found = {
            path.relative_to(root).as_posix(): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and ".tandem" not in path.parts
        }
        assert found == expected, "the tree is not what it should be"
        return seconds


@contextlib.contextmanager
def noting_the_end_of(owner: type, name: str, ends: list[float]) -> Iterator[None]:
    """Append the moment at which a method of this name returns."""
    method = getattr(owner, name)

    def noted(*arguments: Any, **named: Any) -> Any:
        try:
            return method(*arguments, **named)
        finally:
            ends.append(time.perf_counter())

    setattr(owner, name, noted)
    try:
        yield
    finally:
        setattr(owner, name, method)


class StopAt(RunControl):
    """Stops a run at its nth question whether it may go on, and remembers when."""

    def __init__(self, question: int) -> None:
        super().__init__()
        self._left = question
        self.stopped_at = 0.0

    def may_go_on(self) -> bool:
        self._left -= 1
        if self._left == 0:
            self.stopped_at = time.perf_counter()
            self.abort()
        return super().may_go_on()


def a_work(folder: Path, operations: int) -> Work:
    """30 % created, 50 % modified, 10 % deleted, 10 % renamed; 2 to 20 KB each, 50 in a folder."""
    draw = random.Random(SEED)
    before = {f"src/part{n // 50}/file{n}.txt": _text(draw) for n in range(operations * 7 // 10)}
    after = dict(before)
    steps: list[dict[str, Any]] = []

    def add(tool: str, **args: Any) -> None:
        steps.append({"description": tool, "tool": tool, "args": args})

    paths = list(before)
    draw.shuffle(paths)
    tenth = operations // 10
    for path in paths[: 5 * tenth]:
        line = draw.choice(before[path].decode().splitlines())
        new = f"changed {draw.getrandbits(64):x}\nand longer"
        after[path] = before[path].replace(line.encode(), new.encode())
        add("edit", path=path, old_string=line, new_string=new)
    for path in paths[5 * tenth : 6 * tenth]:
        del after[path]
        add("delete", path=path)
    for path in paths[6 * tenth :]:
        to = path.replace("/file", "/moved")
        after[to] = after.pop(path)
        add("move", path=path, to=to)
    for n in range(operations - 7 * tenth):
        path = f"src/part{n // 50}/new{n}.txt"
        after[path] = _text(draw)
        add("write", path=path, content=after[path].decode())
    draw.shuffle(steps)
    assert len(steps) == operations
    master = folder / "master"
    _lay_out(before, master)
    plan = json.dumps({"title": "Benchmark", "steps": steps}).encode()
    return Work(before, after, plan, _patch(folder, before, after), master)


def _text(draw: random.Random) -> bytes:
    size = draw.randint(2_000, 20_000)
    return "".join(f"{draw.getrandbits(128):032x} {n}\n" for n in range(size // 37)).encode()


def _lay_out(contents: Contents, root: Path) -> None:
    for path, data in contents.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def _patch(folder: Path, before: Contents, after: Contents) -> Path:
    """The same change as git itself would write it down, renames included."""
    repository = folder / "repository"
    repository.mkdir()
    _git(repository, "init", "-q")
    _lay_out(before, repository)
    _git(repository, "add", "-A")
    _git(repository, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "before")
    shutil.rmtree(repository / "src")
    _lay_out(after, repository)
    _git(repository, "add", "-A")
    patch = folder / "change.patch"
    patch.write_bytes(_git(repository, "diff", "--cached", "-M100%", "-l0", "HEAD"))
    # The repository stays until the end: ext4 slows every new file near thousands that were deleted minutes ago.
    return patch


def _git(repository: Path, *words: str) -> bytes:
    neutral = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    return subprocess.run(["git", *words], cwd=repository, env=neutral, stdout=subprocess.PIPE, check=True).stdout


if __name__ == "__main__":
    main()
