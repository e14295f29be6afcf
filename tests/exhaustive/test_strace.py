"""The real command, killed or failed by the kernel at every call that changes the disk, then settled both ways.

`TANDEM_STRACE_STRIDE=7` takes every seventh point only.
"""

import itertools
import json
import os
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests.support import tracing
from tests.support.subjects import ROLL_BACK, Point, Subject, subjects

pytestmark = pytest.mark.exhaustive

STRIDE = int(os.environ.get("TANDEM_STRACE_STRIDE", "1"))
NAMES = ("apply", "apply few", "undo", "redo", "resume", "roll back")
FAULTS = tuple(itertools.product(("EIO", "ENOSPC"), ("", "+")))
"""An error once, or from there on."""
SETTLED = {
    0: {"completed"},
    3: {"never begun"},
    4: {"never begun", "taken back"},
    5: {"never begun", "interrupted", "completed", "taken back"},
}
"""How a call may be found to stand, by the exit code it gave."""


@pytest.fixture(scope="module")
def every(memory_base: Path) -> dict[str, Subject]:
    if reason := tracing.why_not():
        pytest.skip(reason)
    return subjects(Path(tempfile.mkdtemp(prefix="strace", dir=memory_base)) / "place")


def check_kill(subject: Subject, point: Point) -> str:
    name, number = point
    code, said = subject.inject(name, f"signal=SIGKILL:when={number}")
    # Threads share the work as they come: a number that one of them reached in the recording may not come up again.
    assert code in (tracing.KILLED, 0), (subject.name, point, said)
    assert subject.torn() == [], (subject.name, point)
    crashed = subject.workplace.save(subject.workplace.folder / "crashed")
    try:
        found = subject.check_settled(crashed)
    except AssertionError as error:
        error.add_note(f"{subject.name} killed at {name} number {number}")
        raise
    return found if code else "never reached"


@pytest.mark.parametrize("name", NAMES)
def test_command_killed_at_every_call_is_settled_both_ways(every: dict[str, Subject], name: str) -> None:
    subject = every[name]
    points = subject.points[::STRIDE]
    found = Counter(check_kill(subject, point) for point in points)
    print(f"{name}: {len(points)} of {len(subject.points)} kill points, {dict(found)}: 0 wrong")
    assert found["never reached"] <= len(points) // 10


def check_fault(subject: Subject, point: Point, error: str, lasting: str) -> tuple[int, str]:
    name, number = point
    code, said = subject.inject(name, f"error={error}:when={number}{lasting}")
    where = f"{subject.name}: {error} at {name} number {number}{lasting}, exit code {code}: {said[-600:]}"
    assert subject.torn() == [], where
    failed = subject.workplace.save(subject.workplace.folder / "failed")
    try:
        found = subject.check_settled(failed)
    except AssertionError as wrong:
        wrong.add_note(where)
        raise
    assert found in _allowed(subject, code), (found, where)
    if code and not (name == "write" and lasting):  # otherwise it cannot say anything any more
        error_said = json.loads(said.splitlines()[0])["error"]
        assert error_said["path"] or error_said["step"], where
        assert error_said["next"], where
    return code, found


def _allowed(subject: Subject, code: int) -> set[str]:
    allowed = SETTLED[code]
    if subject.words[0] == "recover" and code:
        # It may not have come to its work, or have done it and failed to look once more whether anything else waits.
        allowed = allowed | {"interrupted", "completed"}
    return allowed | {"taken back"} if subject.words[-1] == ROLL_BACK else allowed


@pytest.mark.parametrize("name", NAMES)
def test_command_with_a_failing_call_at_every_point_is_settled_both_ways(every: dict[str, Subject], name: str) -> None:
    subject = every[name]
    points = subject.points[::STRIDE]
    found = Counter(
        check_fault(subject, point, *fault) for point, fault in zip(points, itertools.cycle(FAULTS), strict=False)
    )
    print(f"{name}: {len(points)} of {len(subject.points)} failing calls, {dict(found)}: 0 wrong")
