"""Plans that wait too long end, plans that ended long ago are put away, and nothing goes that an undo needs."""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import InvalidTransitionError, PlanNotFoundError, RunNotFoundError
from tandem_desktop.domain.events import PlanExpired
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.services.engine import Engine
from tandem_desktop.settings import Settings
from tests.support.clocks import Clock

SETTINGS = Settings(stale_after_days=30, retention_days=365)


@pytest.fixture
def clock() -> Clock:
    return Clock(datetime.now(UTC))


@pytest.fixture
def root(root: Path) -> Path:
    (root / "notes.txt").write_text("one\n")
    return root


@pytest.fixture
def engine(root: Path, memory_path: Path, clock: Clock) -> Iterator[Engine]:
    made = build_engine(root, state=memory_path / "state", clock=clock, settings=SETTINGS)
    yield made
    made.close()


def propose(engine: Engine, path: str = "notes.txt", content: str = "two\n", **fields: Any) -> PlanId:
    step = {"description": "Write", "tool": "write", "args": {"path": path, "content": content}}
    return engine.proposals.propose(json.dumps({"title": "A plan", "steps": [step], **fields}).encode()).plan_id


def apply(engine: Engine, plan_id: PlanId) -> RunId:
    engine.decisions.approve(plan_id, engine.plans.revision(plan_id).approval_hash)
    return engine.runs.apply(plan_id).record.run_id


def stored(engine: Engine) -> set[str]:
    return {path.parent.name + path.name for path in engine.locations.objects.glob("*/*")}


def age_objects(engine: Engine, to: datetime) -> None:
    for path in engine.locations.objects.glob("*/*"):
        os.utime(path, (to.timestamp(), to.timestamp()))


@pytest.mark.setting("stale_after_days")
@pytest.mark.req("S3-32", "S3-41")
def test_a_plan_nobody_decides_about_expires_and_everybody_hears_of_it(engine: Engine, clock: Clock) -> None:
    heard: list[object] = []
    engine.events.subscribe(heard.append)
    plan_id = propose(engine)
    clock.forward(days=29.9)
    assert engine.expiry.expire() == ()
    clock.forward(days=0.2)
    heard.clear()
    assert engine.expiry.expire() == (plan_id,)
    assert engine.plans.meta(plan_id).status is PlanStatus.EXPIRED
    assert PlanExpired(plan_id=plan_id) in heard
    assert engine.expiry.expire() == ()


@pytest.mark.setting("gateway_stale_after_days")
@pytest.mark.req("S3-57")
def test_a_plan_made_through_a_gateway_expires_after_seven_days_whoever_looks(
    root: Path, memory_path: Path, engine: Engine, clock: Clock
) -> None:
    served = build_engine(root, state=memory_path / "state", clock=clock, settings=SETTINGS, gateway=True)
    own, through = propose(engine), propose(served, path="other.txt")
    served.close()
    clock.forward(days=6.9)
    assert engine.expiry.expire() == ()
    clock.forward(days=0.2)
    assert engine.expiry.expire() == (through,)
    assert engine.meta(through).status is PlanStatus.EXPIRED
    assert engine.meta(own).status is PlanStatus.PROPOSED


@pytest.mark.setting("gateway_stale_after_days")
def test_a_plan_of_a_gateway_waits_no_longer_than_any_other(root: Path, memory_path: Path, clock: Clock) -> None:
    settings = Settings(stale_after_days=3, gateway_stale_after_days=20)
    engine = build_engine(root, state=memory_path / "state", clock=clock, settings=settings, gateway=True)
    plan_id = propose(engine)
    clock.forward(days=3)
    assert engine.expiry.expire() == (plan_id,)
    engine.close()


def test_a_stale_plan_cannot_be_approved_even_before_anybody_looked(engine: Engine, clock: Clock) -> None:
    plan_id = propose(engine)
    clock.forward(days=31)
    with pytest.raises(InvalidTransitionError, match="is expired; it cannot be approved"):
        engine.decisions.approve(plan_id, engine.plans.revision(plan_id).approval_hash)


def test_a_new_revision_brings_an_expired_plan_back(engine: Engine, clock: Clock) -> None:
    plan_id = propose(engine)
    clock.forward(days=31)
    engine.expiry.expire()
    engine.proposals.restore(plan_id, 1)
    assert engine.plans.meta(plan_id).status is PlanStatus.PROPOSED
    assert engine.expiry.expire() == ()


def test_a_clock_that_went_back_ends_nothing(engine: Engine, clock: Clock) -> None:
    propose(engine)
    clock.forward(days=-1000)
    assert engine.expiry.expire() == ()


def test_plans_that_ended_do_not_expire(engine: Engine, clock: Clock) -> None:
    apply(engine, propose(engine))
    clock.forward(days=100)
    assert engine.expiry.expire() == ()


@pytest.mark.req("S3-03")
def test_plans_runs_large_context_and_archive_lie_in_the_folder_of_the_project(
    engine: Engine, clock: Clock, root: Path
) -> None:
    plan_id = propose(engine, context={"notes": "long " * 20_000})
    run_id = apply(engine, plan_id)
    own = root / ".tandem"
    assert (own / ".gitignore").read_text() == "*\n"
    assert (own / "plans" / plan_id / "r001.md").is_file()
    assert [path.name for path in (own / "artifacts" / plan_id).iterdir()] == ["r001-context.json"]
    assert (own / "runs" / run_id / "steps.jsonl").is_file()
    clock.forward(days=366)
    engine.retention.put_away()
    assert (own / "archive" / plan_id / "r001.md").is_file()


@pytest.mark.setting("retention_days")
@pytest.mark.req("S3-49")
def test_a_plan_is_put_away_with_all_that_belongs_to_it(engine: Engine, clock: Clock) -> None:
    plan_id = propose(engine, context={"notes": "long " * 20_000})
    run_id = apply(engine, plan_id)
    clock.forward(days=364)
    assert engine.retention.put_away().archived == ()
    clock.forward(days=2)
    assert engine.retention.put_away().archived == (plan_id,)
    place = engine.locations.archive / plan_id
    assert {"meta.json", "r001.json", "r001.md", "runs", "artifacts"} <= {path.name for path in place.iterdir()}
    assert (place / "runs" / run_id / "results.json").exists()
    assert engine.plans.list().plans == ()
    assert engine.runs.runs() == ()
    with pytest.raises(PlanNotFoundError):
        engine.plans.meta(plan_id)
    with pytest.raises(RunNotFoundError):
        engine.runs.undo(run_id)


@pytest.mark.req("S3-49")
def test_the_archive_is_emptied_after_as_long_again(engine: Engine, clock: Clock) -> None:
    plan_id = propose(engine)
    engine.decisions.cancel(plan_id)
    clock.forward(days=366)
    assert engine.retention.put_away().removed == ()
    clock.forward(days=365)
    assert engine.retention.put_away().removed == (plan_id,)
    assert not (engine.locations.archive / plan_id).exists()


def test_a_plan_whose_run_was_undone_lately_is_kept(engine: Engine, clock: Clock, root: Path) -> None:
    plan_id = propose(engine)
    run_id = apply(engine, plan_id)
    clock.forward(days=300)
    undo = engine.runs.undo(run_id).record.run_id
    clock.forward(days=100)
    assert engine.retention.put_away().archived == ()
    engine.runs.redo(undo)
    assert (root / "notes.txt").read_text() == "two\n"


def test_waiting_plans_are_never_put_away(engine: Engine, clock: Clock) -> None:
    propose(engine)
    clock.forward(days=5000)
    assert engine.retention.put_away().archived == ()


def test_what_a_crash_left_behind_follows_its_plan(engine: Engine, clock: Clock) -> None:
    plan_id = propose(engine)
    run_id = apply(engine, plan_id)
    clock.forward(days=366)
    engine.locations.archive.mkdir()
    (engine.locations.plans / plan_id).rename(engine.locations.archive / plan_id)
    engine.retention.put_away()
    assert (engine.locations.archive / plan_id / "runs" / run_id / "meta.json").exists()
    assert engine.runs.runs() == ()


def test_only_bytes_that_nobody_needs_are_removed(engine: Engine, clock: Clock, root: Path) -> None:
    gone = propose(engine, "gone.txt", "gone\n")
    engine.decisions.cancel(gone)
    run_id = apply(engine, propose(engine))
    waiting = propose(engine, "waits.txt", "waits\n")
    every = stored(engine)
    clock.forward(days=366)
    engine.proposals.restore(waiting, 1)
    engine.runs.undo(run_id)
    age_objects(engine, clock.now.replace(year=clock.now.year - 2))
    assert engine.retention.put_away().archived == (gone,)
    collected = engine.retention.collect()
    assert (collected.objects, collected.size) == (1, len("gone\n"))
    assert len(stored(engine)) == len(every) - 1
    engine.runs.redo(run_id)
    assert (root / "notes.txt").read_text() == "two\n"
    apply(engine, waiting)
    assert (root / "waits.txt").read_text() == "waits\n"


def test_an_undo_in_another_workspace_keeps_its_bytes(
    engine: Engine, clock: Clock, root: Path, memory_path: Path
) -> None:
    run_id = apply(engine, propose(engine))
    (memory_path / "other").mkdir()
    other = build_engine(memory_path / "other", state=memory_path / "state", clock=clock, settings=SETTINGS)
    clock.forward(days=1000)
    age_objects(engine, clock.now.replace(year=clock.now.year - 2))
    assert other.retention.collect().objects == 0
    other.close()
    engine.runs.undo(run_id)
    assert (root / "notes.txt").read_text() == "one\n"


def test_bytes_used_again_are_young_again(engine: Engine, clock: Clock) -> None:
    engine.decisions.cancel(propose(engine, "a.txt", "same\n"))
    age_objects(engine, clock.now.replace(year=clock.now.year - 2))
    engine.objects.put(b"same\n")  # about to be part of a plan that is not written yet
    clock.forward(days=30)
    engine.retention.put_away()
    assert engine.retention.collect().objects == 0
    assert engine.objects.read(engine.objects.put(b"same\n")) == b"same\n"


def test_young_bytes_stay_whoever_speaks_of_them(engine: Engine) -> None:
    engine.objects.put(b"somebody's\n")
    assert engine.retention.collect().objects == 0
