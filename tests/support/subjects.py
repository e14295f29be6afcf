"""Calls of the command that change files, each with the moment it starts from and every end it may come to."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.support import tracing
from tests.support.crash_points import Tree
from tests.support.tracing import inject, record
from tests.support.tree_walker import leftovers, walk
from tests.support.twenty import lay_out, states_between
from tests.support.twenty_plan import few_plan, twenty_plan, write_plan
from tests.support.workplace import ROOT, Workplace

Point = tuple[str, int]
"""A call of the kernel by name, and which of that name."""
RESUME, ROLL_BACK = "--resume", "--rollback"


@dataclass(frozen=True)
class Subject:
    """One call of the command, to be cut off or made to fail at any of its points."""

    name: str
    workplace: Workplace
    start: Path
    words: tuple[str, ...]
    begins: Tree
    ends: Tree
    forward: Tree
    """What resuming it gives."""
    backward: Tree
    """What rolling it back gives."""
    status: Callable[[Workplace], str]
    status_forward: str
    status_backward: str
    runs_before: int
    points: tuple[Point, ...]

    def restart(self) -> None:
        self.workplace.refill(self.start)

    def inject(self, name: str, fault: str) -> tuple[int, str]:
        """The real command, from the start, with a fault; its exit code and what it said."""
        self.restart()
        return inject(self.workplace.command(*self.words), self.workplace.environment, ROOT, name, fault)

    def torn(self) -> list[str]:
        """Paths in a state that no path ever passes through on the way."""
        found, between = walk(self.workplace.workspace), states_between()
        known = (self.begins, self.ends, self.forward, self.backward)
        return [
            path
            for path in found.keys() | {path for tree in known for path in tree}
            if found.get(path) not in [*(tree.get(path) for tree in known), *between.get(path, [])]
        ]

    def check_settled(self, crashed: Path) -> str:
        """From a kept moment: resumed it goes forward, rolled back it goes back, and it says so. How it was found."""
        self.workplace.refill(crashed)
        if not self.workplace.done("recover")["interrupted"]:
            return self._check_nothing_waits()
        for way, tree, status in (
            (RESUME, self.forward, self.status_forward),
            (ROLL_BACK, self.backward, self.status_backward),
        ):
            self.workplace.refill(crashed)
            self.workplace.done("recover", way)
            self._check(tree, way)
            assert self.status(self.workplace) == status, way
        return "interrupted"

    def _check_nothing_waits(self) -> str:
        runs = self.workplace.done("runs")["runs"]
        if len(runs) <= self.runs_before:
            self._check(self.begins, "never begun")
            self._begin_again()
            return "never begun"
        completed = runs[0]["status"] == "completed"
        self._check(self.forward if completed else self.backward, runs[0]["status"])
        return "completed" if completed else "taken back"

    def _begin_again(self) -> None:
        """What never began may be done after all, though its approval may be used up."""
        if self.words[0] == "apply":
            shown = self.workplace.done("show", self.words[1])
            self.workplace.done("approve", self.words[1], "--digest", shown["plan"]["digest"])
        self.workplace.done(*self.words)
        self._check(self.ends, "begun again")

    def _check(self, tree: Tree, how: str) -> None:
        assert walk(self.workplace.workspace) == tree, how
        assert leftovers(self.workplace.workspace) == [], how
        assert self.workplace.done("recover")["interrupted"] == [], how
        assert self.workplace.done("audit", "verify")["ok"], how


def subjects(folder: Path, cut_at: int = 14) -> dict[str, Subject]:
    """Apply, undo and redo of twenty operations; resume and roll back of an apply killed at a rename; a small apply."""
    return {**_with_twenty(folder / "twenty", cut_at), "apply few": _with_few(folder / "few")}


def _with_few(folder: Path) -> Subject:
    """Few enough to be prepared by one thread, so that every call of the preparation has its own number."""
    workplace = Workplace(folder)
    lay_out(workplace.workspace)
    before = walk(workplace.workspace)
    plan = workplace.propose_and_approve(write_plan(few_plan(), folder / "plan.json"))
    approved = workplace.save(folder / "approved")
    points = _points(workplace, "apply", plan)
    after = walk(workplace.workspace)
    return Subject(
        "apply few", workplace, approved, ("apply", plan), before, after, after, before, _plan_status(plan),
        "completed", "failed", 0, points,
    )  # fmt: skip


def _plan_status(plan: str) -> Callable[[Workplace], str]:
    return lambda at: str(at.done("show", plan)["plan"]["status"])


def _with_twenty(folder: Path, cut_at: int) -> dict[str, Subject]:
    workplace = Workplace(folder)
    lay_out(workplace.workspace)
    before = walk(workplace.workspace)
    plan = workplace.propose_and_approve(write_plan(twenty_plan(), folder / "plan.json"))
    approved = workplace.save(folder / "approved")
    points = {"apply": _points(workplace, "apply", plan)}
    after = walk(workplace.workspace)
    run = workplace.done("runs")["runs"][0]["run_id"]
    applied = workplace.save(folder / "applied")
    points["undo"] = _points(workplace, "undo", run)
    assert walk(workplace.workspace) == before
    undone = workplace.save(folder / "undone")
    points["redo"] = _points(workplace, "redo", run)
    assert walk(workplace.workspace) == after
    workplace.refill(approved)
    killing = inject(
        workplace.command("apply", plan), workplace.environment, ROOT, "renameat2", f"signal=SIGKILL:when={cut_at}"
    )
    assert killing[0] == tracing.KILLED
    cut, middle = workplace.save(folder / "cut"), walk(workplace.workspace)
    for way in (RESUME, ROLL_BACK):
        workplace.refill(cut)
        points[way] = _points(workplace, "recover", way)

    plan_status = _plan_status(plan)

    def run_status(at: Workplace) -> str:
        return next(str(each["status"]) for each in at.done("runs")["runs"] if each["run_id"] == run)

    def recovering(way: str, ends: Tree) -> Subject:
        words, found = ("recover", way), points[way]
        return Subject(
            f"recover {way}", workplace, cut, words, middle, ends, after, before, plan_status, "completed", "failed",
            -1, found,
        )  # fmt: skip

    return {
        "apply": Subject(
            "apply", workplace, approved, ("apply", plan), before, after, after, before, plan_status, "completed",
            "failed", 0, points["apply"],
        ),
        "undo": Subject(
            "undo", workplace, applied, ("undo", run), after, before, before, after, run_status, "undone",
            "completed", 1, points["undo"],
        ),
        "redo": Subject(
            "redo", workplace, undone, ("redo", run), before, after, after, before, run_status, "completed",
            "undone", 2, points["redo"],
        ),
        "resume": recovering(RESUME, after),
        "roll back": recovering(ROLL_BACK, before),
    }  # fmt: skip


def _points(workplace: Workplace, *words: str) -> tuple[Point, ...]:
    """Every call that can change the workspace or the state, from a recording of the whole command."""
    code, calls = record(workplace.command(*words), workplace.environment, ROOT, workplace.folder / "trace")
    assert code == 0, words
    made: Counter[str] = Counter()
    points = []
    for call in calls:
        first_thread = call.thread == calls[0].thread
        made[call.name] += first_thread
        # The number of a call in another thread stands for an earlier call of the first one, if that came so far.
        is_itself = first_thread or call.number > made[call.name]
        if is_itself and call.changes and call.inside(workplace.workspace, workplace.state):
            points.append((call.name, call.number))
    return tuple(dict.fromkeys(points))
