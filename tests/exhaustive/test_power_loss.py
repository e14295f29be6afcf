"""Acknowledged means durable: the power is cut at any call, and nothing that was said to be done is gone.

`TANDEM_POWER_POINTS=all` cuts at every call; a number cuts at that many, spread evenly.
"""

import os
import tempfile
from pathlib import Path

import pytest

from tests.support import power
from tests.support.power_cuts import (
    Findings,
    Script,
    Skips,
    a_script,
    cut_at,
    cut_recovery_at,
    interrupted_image,
    recovery_calls,
)

pytestmark = pytest.mark.exhaustive

POINTS = os.environ.get("TANDEM_POWER_POINTS", "60")
FLAGS = pytest.mark.parametrize(
    "flag", [power.LOG_DROPPED, power.LOG_FLUSHED], ids=["nothing unsynced survives", "names survive ahead of data"]
)


@pytest.fixture(scope="module")
def base(memory_base: Path) -> Path:
    if reason := power.why_not():
        pytest.skip(reason)
    return Path(tempfile.mkdtemp(prefix="power", dir=memory_base))


@pytest.fixture(scope="module")
def four_runs(base: Path) -> Script:
    return a_script(base / "four", 5)


@pytest.fixture(scope="module")
def one_run(base: Path) -> Script:
    return a_script(base / "one", 20)


def spread(total: int, wanted: int) -> list[int]:
    wanted = min(total, wanted)
    return sorted({1 + round(i * (total - 1) / max(1, wanted - 1)) for i in range(wanted)})


def cut_everywhere(script: Script, points: list[int], flag: int, skips: Skips | None = None) -> dict[int, Findings]:
    return {point: cut_at(script, point, flag, skips) for point in points}


def told(findings: dict[int, Findings]) -> str:
    """The figures of a series of cuts."""
    torn, lost, unsettled = (
        sum(bool(getattr(f, what)) for f in findings.values()) for what in ("torn", "lost", "unsettled")
    )
    acknowledged = sum(f.acknowledged for f in findings.values())
    return (
        f"{len(findings)} cuts, {acknowledged} acknowledgements: "
        f"{torn} with torn files, {lost} with lost acknowledgements, {unsettled} not settled"
    )


@FLAGS
@pytest.mark.parametrize("which", ["four_runs", "one_run"])
def test_power_cut_at_any_call_takes_back_nothing_that_was_acknowledged(
    request: pytest.FixtureRequest, which: str, flag: int
) -> None:
    script: Script = request.getfixturevalue(which)
    # One more than there are calls: the power is cut after everything has returned.
    points = spread(script.calls + 1, script.calls + 1 if POINTS == "all" else int(POINTS))
    findings = cut_everywhere(script, points, flag)
    print(f"{which}, flag {flag}, {script.calls} calls: {told(findings)}")
    assert {point: found.all for point, found in findings.items() if found.all} == {}
    assert any(found.acknowledged for found in findings.values())


@FLAGS
@pytest.mark.parametrize("how", ["resume", "roll_back"])
def test_power_cut_at_any_call_of_a_recovery_is_recovered_from(one_run: Script, how: str, flag: int) -> None:
    interrupted = interrupted_image(one_run, one_run.calls * 2 // 3)
    calls = recovery_calls(one_run, interrupted, how)
    points = spread(calls, calls if POINTS == "all" else int(POINTS))
    findings = {point: cut_recovery_at(one_run, interrupted, how, point, flag) for point in points}
    print(f"{how}, flag {flag}, {calls} calls: {told(findings)}")
    assert {point: found.all for point, found in findings.items() if found.all} == {}


def no_file_data(path: str, is_folder: bool) -> bool:
    return not is_folder and "/journal/" not in path


def no_journal(path: str, is_folder: bool) -> bool:
    return "/journal/" in path


def nothing_at_all(path: str, is_folder: bool) -> bool:
    return True


@FLAGS
@pytest.mark.parametrize("skips", [no_file_data, no_journal, nothing_at_all])
def test_engine_that_leaves_syncs_out_is_found_out(four_runs: Script, skips: Skips, flag: int) -> None:
    findings = cut_everywhere(four_runs, spread(four_runs.calls + 1, 20), flag, skips)
    print(f"{getattr(skips, '__name__', skips)}, flag {flag}: {told(findings)}")
    assert any(found.all for found in findings.values())
