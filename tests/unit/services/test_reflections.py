"""Reflections are kept with their run, judged one by one, and become a revision that needs its own approval."""

import json
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.domain.errors import (
    ApprovalMissingError,
    BadInputError,
    InvalidTransitionError,
    StaleRevisionError,
    StepRefusedError,
)
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.reflection import AdjustmentVerdict, Reflection, ReflectionResult
from tandem_desktop.domain.runs import FailurePolicy
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.reflector import Reflected
from tests.support.orchestrations import adjustment, bash, reflection, write

STEPS = (
    write("s1", "one.txt"),
    bash("s2", "exit 3", blocked_by=["s1"]),
    write("s3", "three.txt", blocked_by=["s2"]),
)
MEND = adjustment("MODIFY", "s2", tool_input={"command": "true"})


def failed_run(engine: Engine, policy: FailurePolicy = FailurePolicy.ROLLBACK) -> RunId:
    version = engine.proposals.propose(json.dumps({"title": "A plan", "steps": STEPS}).encode())
    engine.decisions.approve(version.plan_id, version.approval_hash)
    return engine.runs.apply(version.plan_id, policy).record.run_id


def reflected(engine: Engine, run_id: RunId, *adjustments: dict[str, Any]) -> Reflection:
    result = ReflectionResult.model_validate(reflection(*adjustments))
    return engine.reflections.keep(engine.reflections.snapshot(run_id), Reflected(result, "scripted"))


def plan_of(engine: Engine, run_id: RunId) -> PlanId:
    return engine.runs.record(run_id).plan_id


@pytest.mark.req("S4-14", "S4-20")
def test_a_snapshot_holds_the_plan_as_it_came_out_of_the_run(engine: Engine) -> None:
    snapshot = engine.reflections.snapshot(failed_run(engine, FailurePolicy.STOP))
    assert [(step.id, step.status.value) for step in snapshot.plan.steps] == [
        ("s1", "completed"),
        ("s2", "failed"),
        ("s3", "skipped"),
    ]
    assert (snapshot.plan.status, snapshot.cycle) == (PlanStatus.FAILED, 0)


def test_a_reflection_is_there_again_for_whoever_comes_later(engine: Engine) -> None:
    run_id = failed_run(engine)
    assert engine.reflections.of_run(run_id) is None
    kept = reflected(engine, run_id, MEND)
    assert engine.reflections.of_run(run_id) == kept == engine.reflections.of_plan(plan_of(engine, run_id))


@pytest.mark.req("S4-23")
def test_only_what_was_accepted_becomes_the_revision_and_it_has_no_approval(engine: Engine) -> None:
    run_id = failed_run(engine)
    reflected(engine, run_id, MEND, adjustment("SKIP", "s3"), adjustment("RETRY", "s1"))
    engine.reflections.judge(run_id, 1, AdjustmentVerdict.ACCEPTED)
    engine.reflections.judge(run_id, 2, AdjustmentVerdict.REJECTED)
    version = engine.reflections.make_revision(run_id)
    assert (version.revision, version.parent_revision, version.origin) == (2, 1, Origin.ADJUSTMENT)
    assert [(o.id, o.call.command if o.call else o.path) for o in version.operations] == [
        ("s1", "one.txt"),
        ("s2", "true"),
        ("s3", "three.txt"),
    ]
    assert "## Adjusted after" in version.content
    assert engine.plans.meta(version.plan_id).status is PlanStatus.PROPOSED
    with pytest.raises(ApprovalMissingError):
        engine.runs.apply(version.plan_id)


@pytest.mark.req("S4-10")
def test_after_a_run_that_kept_what_was_done_only_the_rest_is_in_the_revision(engine: Engine, root: Path) -> None:
    run_id = failed_run(engine, FailurePolicy.STOP)
    reflected(engine, run_id, MEND)
    engine.reflections.judge(run_id, 1, AdjustmentVerdict.ACCEPTED)
    version = engine.reflections.make_revision(run_id)
    assert [(operation.id, operation.blocked_by) for operation in version.operations] == [("s2", ()), ("s3", ("s2",))]
    engine.decisions.approve(version.plan_id, version.approval_hash)
    assert engine.runs.apply(version.plan_id).succeeded
    assert {path.name for path in root.glob("*.txt")} == {"one.txt", "three.txt"}


@pytest.mark.req("S4-11", "S4-26")
@pytest.mark.parametrize(
    "useless",
    [
        adjustment("ADD_AFTER", "s2", tool="delete", tool_input={"path": "nowhere.txt"}),
        adjustment("ADD_AFTER", "s2", tool="write", tool_input={"path": "../out.txt", "content": "x"}),
        adjustment("REPLACE", "s2", tool="bash", tool_input={"cmd": "x"}),
        adjustment("REPLACE", "s2", tool="teleport", tool_input={}),
    ],
)
def test_an_adjustment_that_does_not_apply_is_marked_and_cannot_be_accepted_and_the_others_can(
    engine: Engine, useless: dict[str, Any]
) -> None:
    run_id = failed_run(engine)
    kept = reflected(engine, run_id, useless, MEND)
    assert kept.adjustments[0].problem
    assert not kept.adjustments[1].problem
    with pytest.raises(BadInputError):
        engine.reflections.judge(run_id, 1, AdjustmentVerdict.ACCEPTED)
    engine.reflections.judge(run_id, 2, AdjustmentVerdict.ACCEPTED)
    assert engine.reflections.make_revision(run_id).revision == 2


def test_adjustments_that_do_not_go_together_make_nothing(engine: Engine) -> None:
    run_id = failed_run(engine)
    new = {"tool": "write", "tool_input": {"path": "one.txt", "content": "other\n"}}
    reflected(engine, run_id, adjustment("SKIP", "s2"), adjustment("SKIP", "s2"), adjustment("ADD_AFTER", "s1", **new))
    reflected(engine, run_id, adjustment("SKIP", "s1"), adjustment("SKIP", "s2"), adjustment("SKIP", "s3"))
    for number in (1, 2, 3):
        engine.reflections.judge(run_id, number, AdjustmentVerdict.ACCEPTED)
    with pytest.raises(StepRefusedError, match="Nothing would be left"):
        engine.reflections.make_revision(run_id)
    assert engine.plans.latest_revision(plan_of(engine, run_id)) == 1


def test_nothing_accepted_makes_nothing(engine: Engine) -> None:
    run_id = failed_run(engine)
    reflected(engine, run_id, MEND)
    with pytest.raises(BadInputError, match="No adjustment"):
        engine.reflections.make_revision(run_id)


def test_adjustments_are_used_once_and_only_on_the_revision_they_are_about(engine: Engine) -> None:
    run_id = failed_run(engine)
    reflected(engine, run_id, MEND)
    engine.reflections.judge(run_id, 1, AdjustmentVerdict.ACCEPTED)
    engine.reflections.make_revision(run_id)
    with pytest.raises(InvalidTransitionError, match="have become r2"):
        engine.reflections.make_revision(run_id)
    with pytest.raises(StaleRevisionError):
        engine.reflections.snapshot(run_id)
    assert engine.reflections.of_plan(plan_of(engine, run_id)) is None


def test_an_undone_run_is_not_looked_back_at(engine: Engine) -> None:
    version = engine.proposals.propose(json.dumps({"title": "A plan", "steps": [STEPS[0]]}).encode())
    engine.decisions.approve(version.plan_id, version.approval_hash)
    run_id = engine.runs.apply(version.plan_id).record.run_id
    undone = engine.runs.undo(run_id)
    for name in (run_id, undone.record.run_id):
        with pytest.raises(InvalidTransitionError):
            engine.reflections.snapshot(name)


def test_a_thought_is_kept_as_a_note_of_the_revision(engine: Engine) -> None:
    run_id = failed_run(engine)
    reflected(engine, run_id, MEND, adjustment("ADD_BEFORE", "s2", tool="think", tool_input={}, description="Hm"))
    for number in (1, 2):
        engine.reflections.judge(run_id, number, AdjustmentVerdict.ACCEPTED)
    version = engine.reflections.make_revision(run_id)
    assert [(note.tool, note.description) for note in version.notes] == [("think", "Hm")]
    assert version.operations[1].blocked_by == ("s1",)


def test_an_adjustment_that_is_not_there_cannot_be_judged(engine: Engine) -> None:
    run_id = failed_run(engine)
    with pytest.raises(BadInputError, match="There is no reflection on"):
        engine.reflections.judge(run_id, 1, AdjustmentVerdict.REJECTED)
    reflected(engine, run_id, MEND)
    with pytest.raises(BadInputError, match="no adjustment 2"):
        engine.reflections.judge(run_id, 2, AdjustmentVerdict.REJECTED)
