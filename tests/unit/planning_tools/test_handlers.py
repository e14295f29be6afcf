"""The desk of a workspace: real plans in a real engine, and nothing that belongs to a conversation."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import PlanNotFoundError, StepRefusedError, ToolDeniedError
from tandem_desktop.domain.ids import TaskId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.tasks import TaskStatus
from tandem_desktop.planning_tools import handlers
from tandem_desktop.planning_tools.handlers import WorkspaceToolHandler
from tandem_desktop.services.engine import Engine
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.steps import PlanInput
from tests.support.command_line import bash, edit, write
from tests.support.planning import SESSION


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "notes.txt").write_text("one\ntwo\n")
    found = build_engine(tmp_path / "project", state=tmp_path / "state")
    yield found
    found.close()


def plan(*steps: object, title: str = "A change") -> PlanInput:
    return plan_from({"title": title, "steps": list(steps), "tasks": [{"id": "t1", "subject": "Notes"}]})


async def test_a_proposal_is_stored_and_told_as_it_will_be_reviewed(engine: Engine) -> None:
    proposed = await WorkspaceToolHandler(engine).propose(SESSION, plan(edit("notes.txt", "two", "TWO"), bash("make")))
    meta = engine.plans.meta(proposed.plan_id)
    assert (meta.status, meta.digest, meta.revision) == (PlanStatus.PROPOSED, proposed.digest, proposed.revision)
    first, second = proposed.operations
    assert (first.kind, first.path, first.added, first.removed) == ("modify", "notes.txt", 1, 1)
    assert (second.kind, second.command) == ("command", "make")
    assert (engine.workspace.path / "notes.txt").read_text() == "one\ntwo\n"


async def test_a_step_that_does_not_apply_makes_no_plan(engine: Engine) -> None:
    with pytest.raises(StepRefusedError):
        await WorkspaceToolHandler(engine).propose(SESSION, plan(edit("notes.txt", "three", "3")))
    assert await WorkspaceToolHandler(engine).list_plans(SESSION) == ()


@pytest.mark.req("S3-16")
async def test_a_plan_is_read_with_all_that_was_said_when_it_was_sent_back(engine: Engine) -> None:
    desk = WorkspaceToolHandler(engine)
    proposed = await desk.propose(SESSION, plan(write("a", "x")))
    engine.decisions.reject(proposed.plan_id, "Use another name.")
    found = await desk.get_plan(SESSION, proposed.plan_id[:9])
    assert (found.status, found.digest) == (PlanStatus.REJECTED, proposed.digest)
    assert [(said.revision, said.feedback) for said in found.rejections] == [(1, "Use another name.")]
    assert [task.subject for task in found.tasks] == ["Notes"]
    with pytest.raises(PlanNotFoundError):
        await desk.get_plan(SESSION, "../../etc")


async def test_the_newest_plans_are_listed_first_and_not_without_end(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "MOST_LISTED", 2)
    desk = WorkspaceToolHandler(engine)
    for title in ("one", "two", "three"):
        await desk.propose(SESSION, plan(write(title, "x"), title=title))
    assert [each.title for each in await desk.list_plans(SESSION)] == ["three", "two"]


async def test_calls_at_once_all_come_through(engine: Engine) -> None:
    desk = WorkspaceToolHandler(engine)
    made = await asyncio.gather(*(desk.propose(SESSION, plan(write(f"f{n}", "x"))) for n in range(8)))
    assert {each.plan_id for each in made} == {each.plan_id for each in await desk.list_plans(SESSION)}
    assert len(made) == 8


async def test_what_needs_a_conversation_is_refused(engine: Engine) -> None:
    desk = WorkspaceToolHandler(engine)
    with pytest.raises(ToolDeniedError):
        await desk.present_plan(SESSION, "# A", "")
    with pytest.raises(ToolDeniedError):
        await desk.update_task(SESSION, TaskId("t1"), TaskStatus.COMPLETED, "")
