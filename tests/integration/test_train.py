"""Approved plans are applied one after the other; an approval goes along only with the same patch."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import ApprovalMissingError, BadInputError, RebaseConflictError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import FailurePolicy
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.review.conflicts import Resolution
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.train import TrainedPlan, TrainOutcome
from tests.support.command_line import CommandLine, bash, edit, write
from tests.support.rehearsals import plan_json

LINES = "".join(f"line {number}\n" for number in range(1, 41))
Approved = Callable[..., PlanId]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    (root / "app.py").write_text(LINES)
    (root / "other.txt").write_text("other\n")
    return root


@pytest.fixture
def engine(root: Path, tmp_path: Path) -> Iterator[Engine]:
    engine = build_engine(root, state=tmp_path / "state")
    yield engine
    engine.close()


@pytest.fixture
def approved(engine: Engine) -> Approved:
    def approve(*steps: dict) -> PlanId:
        plan_id = engine.proposals.propose(plan_json(*steps)).plan_id
        approve_latest(engine, plan_id)
        return plan_id

    return approve


def approve_latest(engine: Engine, plan_id: PlanId) -> None:
    engine.decisions.approve(plan_id, ApprovalHash.of(engine.plans.revision(plan_id)).combined_hash)


def train(engine: Engine, *plans: PlanId, control: RunControl | None = None) -> list[TrainedPlan]:
    return list(engine.train.run(plans, FailurePolicy.ROLLBACK, control or RunControl()))


def outcomes(told: list[TrainedPlan]) -> list[TrainOutcome]:
    return [each.outcome for each in told]


def test_an_approval_goes_along_with_the_same_patch_further_down(
    engine: Engine, approved: Approved, root: Path
) -> None:
    first = approved(edit("app.py", "line 3\n", "three\nand more\n"))
    second = approved(edit("app.py", "line 30\n", "thirty\n"))
    told = train(engine, first, second)
    assert [(each.outcome, each.is_carried) for each in told] == [
        (TrainOutcome.APPLIED, False),
        (TrainOutcome.APPLIED, True),
    ]
    assert (root / "app.py").read_text() == LINES.replace("line 3\n", "three\nand more\n").replace(
        "line 30\n", "thirty\n"
    )
    given, carried = (
        each.body
        for each in engine.audit.records()
        if each.kind == "approved" and each.body["approval_hash"]["plan_id"] == second
    )
    assert carried["carried_from"] == given["digest"] != carried["digest"]
    assert carried["expires_at"] == given["expires_at"]
    assert engine.audit_check.verify().ok


def test_what_a_train_did_is_undone_plan_by_plan(engine: Engine, approved: Approved, root: Path) -> None:
    plans = approved(edit("app.py", "line 3\n", "three\n")), approved(edit("app.py", "line 30\n", "thirty\n"))
    for told in reversed(train(engine, *plans)):
        assert told.ended is not None
        engine.runs.undo(told.ended.record.run_id)
    assert (root / "app.py").read_text() == LINES


CHANGED_BY_FIRST = {
    "a line beside it": (edit("app.py", "line 28\n", "twenty-eight\n"), edit("app.py", "line 30\n", "thirty\n")),
    "the mode": (
        {"tool": "chmod", "description": "run it", "args": {"path": "app.py", "mode": "755"}},
        edit("app.py", "line 30\n", "thirty\n"),
    ),
    "a copy of the lines": (
        write("app.py", LINES + LINES),
        edit("app.py", "line 30\n", "thirty\n"),
    ),
}


@pytest.mark.parametrize("case", CHANGED_BY_FIRST)
def test_plan_that_is_another_patch_by_then_waits_for_an_approval(
    engine: Engine, approved: Approved, root: Path, case: str
) -> None:
    one, other = CHANGED_BY_FIRST[case]
    first, second = approved(one), approved(other)
    told = train(engine, first, second)
    assert outcomes(told) == [TrainOutcome.APPLIED, TrainOutcome.CHANGED]
    assert isinstance(told[1].problem, ApprovalMissingError)
    assert "thirty" not in (root / "app.py").read_text()
    assert engine.plans.meta(second).status is PlanStatus.PROPOSED
    approve_latest(engine, second)
    assert outcomes(train(engine, second)) == [TrainOutcome.APPLIED]


def test_plan_with_a_command_is_approved_again_once_its_files_have_changed(engine: Engine, approved: Approved) -> None:
    first = approved(edit("app.py", "line 3\n", "three\n"))
    second = approved(edit("app.py", "line 30\n", "thirty\n"), bash("true"))
    told = train(engine, first, second)
    assert outcomes(told) == [TrainOutcome.APPLIED, TrainOutcome.CHANGED]
    assert "commands" in str(told[1].problem)


def test_the_first_conflict_stops_the_train(engine: Engine, approved: Approved, root: Path) -> None:
    first = approved(edit("app.py", "line 3\n", "three\n"))
    second = approved(edit("app.py", "line 3\n", "drei\n"))
    third = approved(write("new.txt", "new\n"))
    told = train(engine, first, second, third)
    assert outcomes(told) == [TrainOutcome.APPLIED, TrainOutcome.CONFLICT]
    assert isinstance(told[1].problem, RebaseConflictError)
    assert not (root / "new.txt").exists()
    assert engine.plans.latest_revision(second) == 1
    assert engine.plans.meta(third).status is PlanStatus.APPROVED
    assert outcomes(train(engine, third)) == [TrainOutcome.APPLIED]


def test_what_an_earlier_plan_has_done_already_is_not_asked_about_again(
    engine: Engine, approved: Approved, root: Path
) -> None:
    first = approved(write("same.txt", "same\n"))
    second = approved(write("same.txt", "same\n"), write("own.txt", "own\n"))
    told = train(engine, first, second)
    assert outcomes(told) == [TrainOutcome.APPLIED, TrainOutcome.APPLIED]
    assert told[1].is_carried
    assert (root / "own.txt").read_text() == "own\n"


def test_plan_that_was_not_approved_keeps_every_one_from_being_applied(
    engine: Engine, approved: Approved, root: Path
) -> None:
    first = approved(write("new.txt", "new\n"))
    second = engine.proposals.propose(plan_json(write("two.txt", "2\n"))).plan_id
    with pytest.raises(ApprovalMissingError, match=second):
        train(engine, first, second)
    assert not (root / "new.txt").exists()


def test_plan_that_is_named_twice_is_refused(engine: Engine, approved: Approved) -> None:
    first = approved(write("new.txt", "new\n"))
    with pytest.raises(BadInputError, match="named twice"):
        train(engine, first, first)


def test_train_that_is_stopped_leaves_the_next_plan_approved(engine: Engine, approved: Approved, root: Path) -> None:
    plan = approved(write("new.txt", "new\n"))
    control = RunControl()
    control.abort()
    assert outcomes(train(engine, plan, control=control)) == [TrainOutcome.REFUSED]
    assert engine.plans.meta(plan).status is PlanStatus.APPROVED
    assert not (root / "new.txt").exists()


def test_check_that_fails_on_what_landed_before_stops_the_train(engine: Engine, approved: Approved, root: Path) -> None:
    (root / ".tandem").mkdir(exist_ok=True)
    check = "! grep -q three app.py || ! grep -q thirty app.py"
    (root / ".tandem" / "checks.toml").write_text(f'[[check]]\nname = "not both"\ncommand = {json.dumps(check)}\n')
    engine.checks.accept(engine.checks.offered().list.digest)
    first = approved(edit("app.py", "line 3\n", "three\n"))
    second = approved(edit("app.py", "line 30\n", "thirty\n"))
    told = train(engine, first, second)
    assert outcomes(told) == [TrainOutcome.APPLIED, TrainOutcome.WORSE]
    assert "--no-checks" in (told[1].problem.next or "") if told[1].problem else False
    assert "thirty" not in (root / "app.py").read_text()


def test_of_eight_agents_with_shared_files_no_edit_is_lost_and_only_conflicts_are_decided_again(
    engine: Engine, approved: Approved, root: Path
) -> None:
    dice = random.Random(20)
    shared, own = [f"shared{number}.txt" for number in range(4)], [f"own{number}.txt" for number in range(48)]
    for name in (*shared, *own):
        (root / name).write_text("".join(f"{name} {number}\n" for number in range(200)))
    plans: list[PlanId] = []
    wanted: dict[tuple[str, int], set[str]] = {}
    for agent in range(8):
        steps = []
        for name in (*shared, *own[agent * 6 : agent * 6 + 6]):
            line = 7 + dice.randrange(24) * 8 if name in shared else 50
            words = f"agent {agent} on {line}\n"
            steps.append(edit(name, f"{name} {line}\n", words))
            wanted.setdefault((name, line), set()).add(words)
        plans.append(approved(*steps))
    conflicts = [(place, words) for place, words in wanted.items() if len(words) > 1]
    decisions, waiting, asked = len(plans), list(plans), 0
    while waiting:
        told = train(engine, *waiting)
        waiting = waiting[sum(each.outcome is TrainOutcome.APPLIED for each in told) :]
        if not waiting:
            break
        stopped = told[-1]
        assert stopped.outcome is TrainOutcome.CONFLICT, stopped
        found = engine.rebases.preview(stopped.plan_id).conflicts
        answers = [
            Resolution(
                each.path, None, {region.n: b"".join((*region.disk, *region.proposed)) for region in each.regions}
            )
            for each in found
        ]
        asked += sum(len(each.regions) for each in found)
        engine.rebases.rebase(stopped.plan_id, answers)
        approve_latest(engine, stopped.plan_id)
        decisions += 1
    assert asked == sum(len(words) - 1 for _, words in conflicts)
    for (name, _), words in wanted.items():
        text = (root / name).read_text()
        assert all(each in text for each in words)


def test_train_says_of_each_plan_what_became_of_it(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tandem = CommandLine(root, capsys)
    ids = []
    for old, new in (("line 3\n", "three\n"), ("line 30\n", "thirty\n"), ("line 3\n", "drei\n")):
        plan = tandem.propose(edit("app.py", old, new))
        tandem.approve(plan["plan_id"])
        ids.append(plan["plan_id"])
    said = tandem("train", *ids, "--json")
    assert said.code == RebaseConflictError.exit_code
    assert [(each["plan_id"], each["outcome"], each["carried"]) for each in said.data["train"]] == [
        (ids[0], "applied", False),
        (ids[1], "applied", True),
        (ids[2], "conflict", False),
    ]
    assert said.data["waiting"] == []
    assert "app.py" in said.data["train"][2]["reason"]
    assert said.data["train"][0]["run_id"] == tandem.answer("runs")["runs"][1]["run_id"]
