"""Prove on this machine that approved = applied = undoable, over a generated corpus and by an independent walker."""

import os
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.cli.selftest_corpus import a_case, runs_a_command
from tandem_desktop.cli.selftest_trial import BuildEngine, Verdict, try_case

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
    verdicts: list[Verdict] = []
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


def _verdicts(build_engine: BuildEngine, seeds: Sequence[int], top: Path) -> Iterator[tuple[int, Verdict]]:
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


def _try(seed: int, build_engine: BuildEngine, top: Path) -> Verdict:
    with tempfile.TemporaryDirectory(prefix=f"{seed}-", dir=top) as folder:
        return try_case(a_case(seed), build_engine, Path(folder))


def _failures(seed: int, verdict: Verdict) -> list[str]:
    again = f"see it again: {SEED_VARIABLE}={seed} tandem selftest"
    sentences = [
        f"plan {seed}, {promise}: {sentence}"
        for promise, wrong in zip(_PROMISES, (verdict.applied, verdict.verified, verdict.undone), strict=True)
        for sentence in (*wrong[:_SHOWN], *([f"and {len(wrong) - _SHOWN} more"] if len(wrong) > _SHOWN else ()))
    ]
    return [f"{sentence} ({again})" for sentence in sentences]


def _per_cent(kept: list[bool]) -> float:
    return 100 * sum(kept) / len(kept) if kept else 0.0
