"""Runs the self-test."""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, NodeState, SymlinkState
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.runs import ResultStatus, RunResult
from tandem_desktop.selftest.corpus import Case, a_case, runs_a_command
from tandem_desktop.selftest.expectation import (
    Expectation,
    Node,
    Snapshot,
    changed_times,
    differences,
    lay_out,
    snapshot,
)
from tandem_desktop.services.engine import Engine

BuildEngine = Callable[[Path, Path], Engine]
"""An engine for the workspace at the first path, its state at the second."""

_LONG_AGO = 1_000_000_000_123_456_789
"""In nanoseconds; a file written again cannot have this time by chance."""


@dataclass(frozen=True, slots=True)
class TrialVerdict:
    """What is wrong with each of the three promises; nothing, if it was kept."""

    applied: tuple[str, ...]
    verified: tuple[str, ...]
    undone: tuple[str, ...]


def try_case(case: Case, build_engine: BuildEngine, folder: Path) -> TrialVerdict:
    """Judge one case below `folder`, which is empty. An engine that raises has broken every promise from there on."""
    root = folder / "workspace"
    root.mkdir()
    lay_out(case.tree, root)
    _make_old(root)
    before = snapshot(root)
    expected = _expected(case, before, folder)
    wrong: list[tuple[str, ...]] = []
    try:
        engine = build_engine(root, folder / "state")
        try:
            wrong.extend(_promises(case, engine, root, before, expected))
        finally:
            engine.close()
    except Exception as error:  # whatever it is, it is what the self-test is looking for
        wrong.append((f"{getattr(error, 'path', None) or 'engine'}: {type(error).__name__}: {error}",))
    return TrialVerdict(*wrong, *((f"{root.name}: never got there",) for _ in range(3 - len(wrong))))


def _expected(case: Case, before: Snapshot, folder: Path) -> Expectation:
    expected = Expectation(before.nodes)
    for number, step in enumerate(case.plan["steps"]):
        if step["tool"] == "bash":
            scratch = folder / f"scratch{number}"
            scratch.mkdir()
            expected.run(step, scratch, lambda path: snapshot(path).nodes)
        else:
            expected.take(step)
    return expected


def _promises(
    case: Case, engine: Engine, root: Path, before: Snapshot, expected: Expectation
) -> Iterator[tuple[str, ...]]:
    version = engine.proposals.propose(json.dumps(case.plan).encode())
    engine.decisions.approve(version.plan_id, version.approval_hash)
    run = engine.runs.apply(version.plan_id)
    after = snapshot(root)
    yield (*_unfinished(run), *differences(expected.nodes, after.nodes))
    yield (*_reported(version, run, after, expected), *_unnamed(before, after, expected))
    engine.runs.undo(run.record.run_id)
    back = snapshot(root)
    # Whether commands are captured is found out by trying, so it is asked only where it matters.
    uncovered = _with_folders(expected.by_commands) if expected.by_commands and not engine.commands_captured else set()
    yield (*differences(before.nodes, back.nodes, uncovered), *changed_times(before, back, expected.touched))


def _unfinished(run: RunResult) -> list[str]:
    wrong = [
        f"operation {result.id}: {result.status.value}, {result.error}"
        for result in run.results
        if result.status not in (ResultStatus.COMPLETED, ResultStatus.PENDING)
    ]
    return wrong if run.succeeded else [f"run: {run.record.status.value}, {run.record.summary}", *wrong]


def _unnamed(before: Snapshot, after: Snapshot, expected: Expectation) -> list[str]:
    """What happened to paths that the plan does not name."""
    return [
        *differences(before.nodes, after.nodes, leaving_out=expected.touched),
        *changed_times(before, after, expected.touched),
    ]


def _reported(version: PlanVersion, run: RunResult, after: Snapshot, expected: Expectation) -> Iterator[str]:
    """Where the run's results, or the states its operations promise, are not what is on disk."""
    if [result.id for result in run.results] != [operation.id for operation in version.operations]:
        yield "results: not one for each operation, in order"
    commands = {operation.id for operation in version.operations if operation.is_run}
    outputs = [(result.exit_code, result.output) for result in run.results if result.id in commands]
    if outputs != [(0, output) for output in expected.outputs]:
        yield f"commands: should have printed {expected.outputs}, and reported {outputs}"
    for path, state in _promised(version).items():
        if path not in expected.by_commands and not _is(state, after.nodes.get(path)):
            yield f"{path}: reported as {state.type}, which is not what is on disk"


def _promised(version: PlanVersion) -> dict[str, NodeState]:
    """The last state of each path that an operation names."""
    promised: dict[str, NodeState] = {}
    for operation in version.operations:
        for change in operation.changes():
            promised[change.path] = change.after
            if not isinstance(change.after, Absent):
                # A removed folder may be created again implicitly for a file in it.
                for folder in _with_folders({change.path}) - {change.path}:
                    if isinstance(promised.get(folder), Absent):
                        del promised[folder]
    return promised


def _is(state: NodeState, node: Node | None) -> bool:
    match state:
        case FileState():
            if node is None or node[:2] != ("file", state.mode):
                return False
            return (state.size, state.sha256) == (len(node[2]), hashlib.sha256(node[2]).hexdigest())
        case SymlinkState():
            return node == ("link", 0, os.fsencode(state.target))
        case DirectoryState():
            return node == ("dir", state.mode, b"")
        case _:
            return node is None


def _with_folders(paths: set[str]) -> set[str]:
    return {
        "/".join(names[:length]) for names in (path.split("/") for path in paths) for length in range(1, len(names) + 1)
    }


def _make_old(root: Path) -> None:
    for folder, directories, files in os.walk(root):
        for name in (*directories, *files):
            os.utime(os.path.join(folder, name), ns=(_LONG_AGO, _LONG_AGO), follow_symlinks=False)


DEFAULT_PLANS = 200
FULL_PLANS = 2_000
SEED_VARIABLE = "TANDEM_SELFTEST_SEED"
"""Names single seeds, separated by commas, that are tried instead of the whole corpus."""

_AT_ONCE = 8
"""Most of the time goes by waiting for the disk, so several cases wait together."""
_SHOWN = 5
_PROMISES = ("approved = applied", "applied = verified", "undone = before")


@dataclass(frozen=True, slots=True)
class SelftestReport:
    """How much of the promise was kept, in per cent of the plans. Anything below 100 is a bug."""

    plans: int
    approved_applied: float
    applied_verified: float
    undone_before: float
    failures: tuple[str, ...]
    """Each with its plan, the path, what is wrong, and how to see it again."""

    @property
    def passed(self) -> bool:
        return not self.failures

    def lines(self) -> tuple[str, ...]:
        """The three figures as they are printed."""
        figures = (self.approved_applied, self.applied_verified, self.undone_before)
        return tuple(f"{promise}: {figure:.3f} %" for promise, figure in zip(_PROMISES, figures, strict=True))


def run_selftest(build_engine: BuildEngine, *, full: bool, report: Callable[[str], None]) -> SelftestReport:
    """Take 200 generated plans (`full`: 2,000) through propose, approve, apply and undo in a temporary folder.

    `build_engine(root, state)` gives an engine for a workspace and a state folder; it is called from several threads.
    `report` gets progress and failures, line by line, in this thread; the figures are for the caller to print
    (`SelftestReport.lines`). With TANDEM_SELFTEST_SEED in the environment only the plans of those seeds are tried.
    """
    chosen = os.environ.get(SEED_VARIABLE, "").replace(",", " ").split()
    plans = FULL_PLANS if full else DEFAULT_PLANS
    return try_seeds(build_engine, [int(seed) for seed in chosen] or range(plans), report)


def try_seeds(build_engine: BuildEngine, seeds: Sequence[int], report: Callable[[str], None]) -> SelftestReport:
    """Judge the plans of these seeds; nothing is left behind, whatever happens."""
    verdicts: list[TrialVerdict] = []
    failures: list[str] = []
    with tempfile.TemporaryDirectory(prefix="tandem-selftest-") as top:
        for seed, verdict in _verdicts(build_engine, seeds, Path(top)):
            verdicts.append(verdict)
            for failure in _failures(seed, verdict):
                failures.append(failure)
                report(failure)
            if len(verdicts) % max(1, len(seeds) // 10) == 0:
                report(f"{len(verdicts)} of {len(seeds)} plans")
    return SelftestReport(
        plans=len(verdicts),
        approved_applied=_per_cent([not verdict.applied for verdict in verdicts]),
        applied_verified=_per_cent([not verdict.verified for verdict in verdicts]),
        undone_before=_per_cent([not verdict.undone for verdict in verdicts]),
        failures=tuple(failures),
    )


def _verdicts(build_engine: BuildEngine, seeds: Sequence[int], top: Path) -> Iterator[tuple[int, TrialVerdict]]:
    # A child that is being started holds every open file for a moment, locks included; commands run on their own.
    alone = [seed for seed in seeds if runs_a_command(seed)]
    together = [seed for seed in seeds if not runs_a_command(seed)]
    for seed in alone:
        yield seed, _try(seed, build_engine, top)
    several = ThreadPoolExecutor(_AT_ONCE)
    try:
        yield from zip(together, several.map(lambda seed: _try(seed, build_engine, top), together), strict=True)
    finally:
        several.shutdown(cancel_futures=True)


def _try(seed: int, build_engine: BuildEngine, top: Path) -> TrialVerdict:
    with tempfile.TemporaryDirectory(prefix=f"{seed}-", dir=top) as folder:
        return try_case(a_case(seed), build_engine, Path(folder))


def _failures(seed: int, verdict: TrialVerdict) -> list[str]:
    again = f"see it again: {SEED_VARIABLE}={seed} tandem selftest"
    sentences = [
        f"plan {seed}, {promise}: {sentence}"
        for promise, wrong in zip(_PROMISES, (verdict.applied, verdict.verified, verdict.undone), strict=True)
        for sentence in (*wrong[:_SHOWN], *([f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else ()))
    ]
    return [f"{sentence} ({again})" for sentence in sentences]


def _per_cent(kept: list[bool]) -> float:
    return 100 * sum(kept) / len(kept) if kept else 0.0
