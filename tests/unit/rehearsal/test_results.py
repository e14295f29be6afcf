"""Recorded effects in the place of a command: what was rehearsed is what is approved and what is applied."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import StaleRevisionError, StepRefusedError, UnknownOperationError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import OperationKind
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.rehearsal.results import Rehearsal
from tandem_desktop.services.engine import Engine
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.command_line import bash, write
from tests.support.rehearsals import named, plan_json
from tests.support.tree_walker import walk

pytestmark = pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "d" / "e").mkdir(parents=True)
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / "d" / "e" / "x").write_text("x\n")
    (folder / "link").symlink_to("a.txt")
    return folder


@pytest.fixture
def engine(root: Path) -> Iterator[Engine]:
    built = build_engine(root)
    yield built
    built.close()


def rehearsed(engine: Engine, *steps: dict[str, object]) -> Rehearsal:
    version = engine.proposals.propose(plan_json(*steps))
    return engine.rehearsals.rehearse(version.plan_id, once=True)


def applied(engine: Engine, version: PlanVersion) -> str:
    engine.decisions.approve(version.plan_id, version.approval_hash)
    ended = engine.runs.apply(version.plan_id)
    assert ended.succeeded, ended
    return ended.record.run_id


CHURN = (
    "echo more >> a.txt; mv d moved; mkdir -m 700 private; mkdir -p deep/er; echo n > deep/er/n; "
    "ln -sfn deep link; chmod +x a.txt; printf '\\0\\377' > bytes"
)


def test_applying_recorded_effects_gives_the_tree_the_command_would_have_given(engine: Engine, root: Path) -> None:
    before = walk(root)
    plan = rehearsed(engine, write("first.txt", "first\n"), bash(CHURN))
    run_id = applied(engine, engine.plans.revision(plan.plan_id))
    really_run = walk(root)
    engine.runs.undo(run_id)
    assert walk(root) == before
    version = engine.rehearsals.record(rehearsed(engine, write("first.txt", "first\n"), bash(CHURN)))
    assert version.origin is Origin.PERSON
    assert all(operation.kind is not OperationKind.COMMAND for operation in version.operations)
    assert {operation.recorded_from for operation in version.operations} == {"", CHURN}
    run_id = applied(engine, version)
    assert walk(root) == really_run
    engine.runs.undo(run_id)
    assert walk(root) == before


def test_the_digest_covers_the_recorded_bytes(engine: Engine) -> None:
    plan = rehearsed(engine, bash("echo $RANDOM$RANDOM > a.txt"))
    first = engine.rehearsals.record(plan)
    engine.proposals.restore(plan.plan_id, 1)
    second = engine.rehearsals.record(engine.rehearsals.rehearse(plan.plan_id, once=True))
    assert first.operations[0].after != second.operations[0].after
    assert first.approval_hash != second.approval_hash


def test_only_the_chosen_commands_give_way_and_who_waited_for_one_waits_for_its_effects(engine: Engine) -> None:
    first, second = named(bash("echo 1 > one; echo 2 > two"), "s1"), named(bash("echo 3 > three"), "s2", "s1")
    version = engine.rehearsals.record(rehearsed(engine, first, second), [OperationId("s1")])
    assert [(each.id, each.blocked_by) for each in version.operations] == [
        ("s1.1", ()),
        ("s1.2", ()),
        ("s2", ("s1.1", "s1.2")),
    ]
    assert version.operations[2].kind is OperationKind.COMMAND


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("echo x > made; false", "it would fail"),
        ("true", "it changes no file"),
        ("git init -q .", "no plan may write there itself"),
        ("echo x > made; echo x > ~/outside", "outside the workspace"),
    ],
)
def test_effects_that_cannot_stand_for_their_command_are_refused(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, reason: str
) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    plan = rehearsed(engine, bash(command))
    for chosen in ((), (OperationId("s1"),)):
        with pytest.raises(StepRefusedError, match=reason):
            engine.rehearsals.record(plan, chosen)
    assert engine.plans.latest_revision(plan.plan_id) == 1


def test_a_rehearsal_of_another_revision_is_not_recorded(engine: Engine) -> None:
    plan = rehearsed(engine, bash("echo x > made"))
    engine.proposals.restore(plan.plan_id, 1)
    with pytest.raises(StaleRevisionError):
        engine.rehearsals.record(plan)


def test_a_name_that_is_no_command_is_refused(engine: Engine) -> None:
    plan = rehearsed(engine, write("n", "n\n"), bash("echo x > made"))
    with pytest.raises(UnknownOperationError):
        engine.rehearsals.record(plan, [OperationId("s1")])


def test_an_operation_that_no_longer_applies_after_the_effects_stops_it(engine: Engine) -> None:
    plan = rehearsed(engine, bash("echo x > made"), write("made", "mine\n"))
    assert [problem.step for problem in plan.problems] == ["s2"]
    with pytest.raises(StepRefusedError, match="s2 no longer applies"):
        engine.rehearsals.record(plan)


def test_a_rehearsal_is_kept_for_exactly_the_revision_that_was_rehearsed(engine: Engine) -> None:
    steps = (named(bash("echo b > b"), "one"), named(bash("echo c > c"), "two"))
    version = engine.proposals.propose(plan_json(*steps))
    engine.rehearsals.rehearse(version.plan_id, once=True)
    assert engine.rehearsals.kept(version) is None, "what was played once is not known well enough"
    found = engine.rehearsals.rehearse(version.plan_id)
    assert engine.rehearsals.kept(version) == found
    recorded = engine.rehearsals.record(found, [OperationId("one")])
    left = engine.rehearsals.kept(recorded)
    assert left is not None
    assert (left.revision, left.at, [each.id for each in left.commands]) == (2, found.at, ["two"])
    assert engine.rehearsals.kept(version) is None
    [place] = engine.locations.sessions.glob("*/rehearsal.json")
    place.write_text("{")
    assert engine.rehearsals.kept(recorded) is None
