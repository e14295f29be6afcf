"""A run killed at any mutating call leaves each file old or new, and can be resumed or rolled back exactly."""

import errno
import itertools
import tempfile
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.runs import RunStatus
from tandem_desktop.execution.recovery import Recovery
from tests.support.crash_points import Scene, a_scene, check_settled, crash, possible_states, settle
from tests.support.faults import count_calls, failing_at, killed_at
from tests.support.run_managers import a_run_manager, carry_out
from tests.support.tree_walker import leftovers, walk

ERRORS = (errno.EIO, errno.ENOSPC, errno.EACCES, errno.EROFS)


@pytest.fixture(scope="module")
def scene(memory_base: Path) -> Scene:
    return a_scene(Path(tempfile.mkdtemp(prefix="scene", dir=memory_base)))


def sample(total: int, wanted: int) -> list[int]:
    """Points spread evenly over all of them, both ends included."""
    return sorted({1 + round(i * (total - 1) / (wanted - 1)) for i in range(wanted)})


def check_point(scene: Scene, memory_path: Path, point: int) -> None:
    crashed = crash(scene, memory_path / "crashed", point)
    found = walk(crashed.workspace)
    allowed = possible_states(scene)
    torn = [path for path in found.keys() | scene.before.keys() if found.get(path) not in allowed(path)]
    assert torn == [], f"call {point}: {scene.calls[point - 1]}"
    check_settled(scene, crashed, memory_path)


@pytest.mark.req("S3-24", "S3-40", "S4-04")
def test_run_killed_at_any_of_sixty_calls_is_resumed_and_rolled_back_exactly(scene: Scene, memory_path: Path) -> None:
    points = sample(len(scene.calls), 60)
    assert len(points) == 60
    for point in points:
        check_point(scene, memory_path, point)


@pytest.mark.exhaustive
def test_run_killed_at_every_call_is_resumed_and_rolled_back_exactly(scene: Scene, memory_path: Path) -> None:
    for point in range(1, len(scene.calls) + 1):
        check_point(scene, memory_path, point)
    print(f"{len(scene.calls)} kill points, each resumed and rolled back: 0 wrong")


def check_double_crash(scene: Scene, memory_path: Path, first: int, every: int) -> int:
    """Kill the recovery itself at every `every`-th call, then recover again."""
    crashed = crash(scene, memory_path / "first", first)
    points = 0
    for how, expected in (("resume", scene.after), ("roll_back", scene.before)):
        tried = crashed.copy(memory_path / "tried")
        if not settle(crashed.copy(memory_path / "asked"), how):
            continue
        calls = count_calls(lambda how=how, tried=tried: settle(tried, how))  # type: ignore[misc]
        for second in range(1, len(calls) + 1, every):
            again = crashed.copy(memory_path / "again")
            assert killed_at(second, lambda how=how, again=again: settle(again, how))  # type: ignore[misc]
            settle(again, how)
            assert walk(again.workspace) == expected, (first, how, second, calls[second - 1])
            assert leftovers(again.workspace) == []
            points += 1
    return points


def test_recovery_killed_in_turn_is_repeated_to_the_same_end(scene: Scene, memory_path: Path) -> None:
    middle = len(scene.calls) * 2 // 3
    assert check_double_crash(scene, memory_path, middle, every=4) > 20


@pytest.mark.exhaustive
def test_recovery_killed_at_every_call_from_twenty_first_crashes(scene: Scene, memory_path: Path) -> None:
    begun = next(i for i, (call, _) in enumerate(scene.calls) if call == "renameat2")
    last = max(i for i, (call, _) in enumerate(scene.calls) if call == "renameat2")
    firsts = [begun + point for point in sample(last - begun + 4, 20)]
    points = sum(check_double_crash(scene, memory_path, first, every=1) for first in firsts)
    print(f"{points} double crashes: 0 wrong")
    assert points >= 1000


def check_fault(scene: Scene, memory_path: Path, point: int, number: int, *, lasting: bool) -> None:
    """One failing call: the tree is before or after, and the engine says which, or asks for recovery."""
    stage = scene.stage.copy(memory_path / "faulty")
    manager = a_run_manager(stage.workspace, stage.state)
    outcome: list[RunStatus] = []

    def work() -> None:
        outcome.append(carry_out(manager, scene.operations)[0].status)

    where = f"{errno.errorcode[number]} at {point} {scene.calls[point - 1]} lasting={lasting}"
    refusals: list[TandemError] = []
    try:
        failing_at(point, number, work, lasting=lasting)
    except TandemError as error:
        refusals.append(error)
    assert all(refusal.next and refusal.path for refusal in refusals), where
    manager.workspace.close()
    check_settled(scene, stage, memory_path)
    if outcome:
        expected = scene.after if outcome[0] is RunStatus.COMPLETED else scene.before
        assert walk(stage.workspace) == expected, where


def test_failing_calls_leave_the_tree_before_or_after_and_recoverable(scene: Scene, memory_path: Path) -> None:
    turns = itertools.cycle(itertools.product(ERRORS, (False, True)))
    for point in sample(len(scene.calls), 60):
        number, lasting = next(turns)
        check_fault(scene, memory_path, point, number, lasting=lasting)


@pytest.mark.exhaustive
def test_every_error_at_every_call_once_and_lasting_is_recoverable(scene: Scene, memory_path: Path) -> None:
    for point, number, lasting in itertools.product(range(1, len(scene.calls) + 1), ERRORS, (False, True)):
        check_fault(scene, memory_path, point, number, lasting=lasting)
    print(f"{len(scene.calls) * len(ERRORS) * 2} faults: 0 wrong states")


def test_journal_cut_at_every_byte_before_the_first_publish_still_recovers(scene: Scene, memory_path: Path) -> None:
    first_publish = 1 + next(i for i, (call, what) in enumerate(scene.calls) if (call, what) == ("renameat2", "new"))
    crashed = crash(scene, memory_path / "crashed", first_publish)
    size = (crashed.state / "journal" / crashed.key).glob("*.open").__next__().stat().st_size
    for length in sample(size, 40):
        cut = crashed.copy(memory_path / "cut")
        journal = next((cut.state / "journal" / cut.key).glob("*.open"))
        journal.write_bytes(journal.read_bytes()[:length])
        check_settled(scene, cut, memory_path)


def test_torn_outcome_record_is_cut_off_and_the_run_settled(scene: Scene, memory_path: Path) -> None:
    last_publish = max(i for i, (call, _) in enumerate(scene.calls) if call == "renameat2")
    outcome = next(i for i, (call, _) in enumerate(scene.calls) if i > last_publish and call == "write")
    crashed = crash(scene, memory_path / "crashed", outcome + 2)
    journal = next((crashed.state / "journal" / crashed.key).glob("*.open"))
    whole = journal.read_bytes()
    for missing in range(0, 80, 3):
        torn = crashed.copy(memory_path / "torn")
        name = torn.state / "journal" / torn.key / journal.name
        name.write_bytes(whole[: len(whole) - missing])
        check_settled(scene, torn, memory_path)


def test_finished_run_has_nothing_to_recover(scene: Scene, memory_path: Path) -> None:
    stage = scene.stage.copy(memory_path / "whole")
    scene.run(stage)
    manager = a_run_manager(stage.workspace, stage.state)
    assert Recovery(manager).interrupted() == ()
    assert walk(stage.workspace) == scene.after
    assert leftovers(stage.workspace) == []


def test_marking_failed_leaves_the_tree_and_closes_the_run(scene: Scene, memory_path: Path) -> None:
    last_publish = max(i for i, (call, _) in enumerate(scene.calls) if call == "renameat2")
    crashed = crash(scene, memory_path / "crashed", last_publish)
    found = walk(crashed.workspace)
    settle(crashed, "mark_failed")
    assert walk(crashed.workspace) == found
