"""How long ago something was does not depend on where somebody put the wall clock."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tandem_desktop.storage.clock import SteadyTime
from tests.support.clocks import Clock

READING = b'{"boot":"first","at":"2026-01-01T00:00:00Z","offset":"%s","jumps":[]}'
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


class Machine:
    """Two clocks: one that anybody can set, and one that counts since the machine started."""

    def __init__(self, folder: Path) -> None:
        self.file = folder / "steady-time.json"
        self.wall = Clock(datetime(2026, 1, 1, tzinfo=UTC))
        self.steady_s = 1000.0
        self.boot = "first"

    def goes_on(self, for_: timedelta) -> None:
        self.wall.forward(days=for_ / DAY)
        self.steady_s += for_.total_seconds()

    def process(self) -> SteadyTime:
        return SteadyTime(self.file, self.wall, lambda: self.steady_s, self.boot)


@pytest.fixture
def machine(memory_path: Path) -> Machine:
    return Machine(memory_path)


@pytest.mark.req("S3-25", "S3-32")
@pytest.mark.parametrize("is_another", [False, True])
def test_a_clock_that_was_put_forward_makes_nothing_older(machine: Machine, is_another: bool) -> None:
    process = machine.process()
    made = machine.wall()
    assert process.since(made) == timedelta()
    machine.goes_on(HOUR)
    machine.wall.forward(days=40)
    seen = machine.process() if is_another else process
    assert seen.since(made) == HOUR
    machine.goes_on(HOUR)
    assert machine.process().since(made) == 2 * HOUR


def test_a_clock_that_was_put_back_makes_nothing_older_and_counts_on_for_what_is_made_then(machine: Machine) -> None:
    process, early = machine.process(), machine.wall()
    machine.goes_on(40 * DAY)
    assert process.since(early) == 40 * DAY
    late = machine.wall()
    machine.wall.forward(days=-30)
    made = machine.wall()  # before anybody has seen that the clock was set
    machine.goes_on(HOUR)
    assert process.since(made) == HOUR
    assert process.since(late) <= HOUR
    assert process.since(early) == 40 * DAY + HOUR


def test_a_clock_that_is_put_right_again_changes_nothing_for_what_was_before(machine: Machine) -> None:
    process = machine.process()
    made = machine.wall()
    process.since(made)
    for days in (40, -40):
        machine.wall.forward(days=days)
        machine.goes_on(HOUR)
        process.since(made)
    assert machine.process().since(made) == 2 * HOUR


def test_what_was_written_while_the_clock_was_wrong_is_younger_at_most(machine: Machine) -> None:
    process = machine.process()
    process.since(machine.wall())
    machine.wall.forward(days=40)
    process.since(machine.wall())
    machine.goes_on(HOUR)
    made = machine.wall()
    machine.wall.forward(days=-40)
    machine.goes_on(HOUR)
    assert process.since(made) <= HOUR


def test_over_a_restart_the_wall_clock_is_believed_and_earlier_jumps_are_remembered(machine: Machine) -> None:
    made = machine.wall()
    machine.process().since(made)
    machine.wall.forward(days=40)
    machine.process().since(made)
    machine.boot, machine.steady_s = "second", 5.0
    machine.wall.forward(days=3)
    assert machine.process().since(made) == 3 * DAY


def test_one_jump_that_two_processes_see_counts_once(machine: Machine) -> None:
    one, other = machine.process(), machine.process()
    made = machine.wall()
    assert one.since(made) == other.since(made) == timedelta()
    machine.wall.forward(days=40)
    machine.goes_on(HOUR)
    assert one.since(made) == other.since(made) == HOUR


@pytest.mark.parametrize(
    "spoiled",
    [b"", b"{", b"\xff", b"[]", b'{"boot": 1}', READING % b"P", READING % b"PT1", READING % (b"P" + b"9" * 400 + b"D")],
)
def test_a_record_that_cannot_be_read_is_begun_anew(machine: Machine, spoiled: bytes) -> None:
    machine.file.write_bytes(spoiled)
    made = machine.wall()
    process = machine.process()
    machine.goes_on(HOUR)
    assert process.since(made) == HOUR


def test_where_nothing_can_be_kept_the_clocks_are_compared_all_the_same(machine: Machine) -> None:
    machine.file = machine.file / "below a file that is not there" / "x.json"
    process, made = machine.process(), machine.wall()
    process.since(made)
    machine.wall.forward(days=40)
    machine.goes_on(HOUR)
    assert process.since(made) == HOUR


def test_the_clocks_of_this_machine_count(tmp_path: Path) -> None:
    assert timedelta() <= SteadyTime(tmp_path / "steady-time.json").since(datetime.now(UTC)) < DAY


def test_what_earlier_versions_wrote_is_understood(machine: Machine) -> None:
    jump = b'{"before":"2026-01-01T00:00:00Z","by":"P1Y35DT1H2M3.5S"}'
    machine.file.write_bytes(READING.replace(b"[]", b"[" + jump + b"]") % b"P56Y14DT23H43M20S")
    by = timedelta(days=400, hours=1, minutes=2, seconds=3.5)
    assert machine.process().since(machine.wall() - DAY) == DAY - by
