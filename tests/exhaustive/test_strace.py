"""The real command, killed or failed by the kernel at every call that changes the disk, then settled both ways.

`TANDEM_STRACE_STRIDE=7` takes every seventh point only.
"""

import os
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from tests.support import tracing
from tests.support.subjects import Point, Subject, subjects

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(tracing.why_not() is not None, reason=str(tracing.why_not())),
]

STRIDE = int(os.environ.get("TANDEM_STRACE_STRIDE", "1"))
NAMES = ("apply", "undo", "redo", "resume", "roll back")
ENDS = {0: ("ended",), 3: ("never begun",), 4: ("ended", "never begun", "taken back"), 5: ("interrupted", "ended")}
"""How a call may be found to stand, by the exit code it gave."""


@pytest.fixture(scope="module")
def every(memory_base: Path) -> dict[str, Subject]:
    return subjects(Path(tempfile.mkdtemp(prefix="strace", dir=memory_base)) / "place")


def check_kill(subject: Subject, point: Point) -> str:
    name, number = point
    code, said = subject.inject(name, f"signal=SIGKILL:when={number}")
    assert code == tracing.KILLED, (subject.name, point, said)
    assert subject.torn() == [], (subject.name, point)
    crashed = subject.workplace.save(subject.workplace.folder / "crashed")
    try:
        return subject.check_settled(crashed)
    except AssertionError as error:
        error.add_note(f"{subject.name} killed at {name} number {number}")
        raise


@pytest.mark.parametrize("name", NAMES)
def test_command_killed_at_every_call_is_settled_both_ways(every: dict[str, Subject], name: str) -> None:
    subject = every[name]
    points = subject.points[::STRIDE]
    found = Counter(check_kill(subject, point) for point in points)
    print(f"{name}: {len(points)} of {len(subject.points)} kill points, {dict(found)}: 0 wrong")
