"""Plans that a model makes: what is asked, what is taken, and what is said about the rest."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import NotApprovableError, SidecarExitedError
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.services.engine import Engine
from tandem_desktop.settings import Settings
from tests.support.advisors import ScriptedAdvisor
from tests.support.orchestrations import a_generator, a_plan, bash, write


@pytest.fixture
def root(root: Path) -> Path:
    (root / "app.py").write_text("x = 1\n")
    return root


@pytest.fixture
def engine(root: Path, memory_path: Path) -> Iterator[Engine]:
    made = build_engine(root, state=memory_path / "state", settings=Settings(max_generated_steps=4))
    yield made
    made.close()


async def generated(engine: Engine, *said: dict[str, Any] | Exception, advisor: Any = None) -> PlanVersion:
    return await a_generator(engine, advisor or ScriptedAdvisor(generator=list(said))).generate(
        "Raise x", "x is in app.py"
    )


@pytest.mark.req("S4-01", "S4-02")
async def test_query_context_and_tools_go_to_the_model_and_a_plan_with_dependencies_comes_back(engine: Engine) -> None:
    advisor = ScriptedAdvisor(generator=[a_plan(write("s1", "a.txt"), bash("s2", "true", blocked_by=["s1"]))])
    version = await generated(engine, advisor=advisor)
    words = advisor.asked[0].prompt
    assert words.endswith("The task:\nRaise x")
    assert "x is in app.py" in words
    assert "Tools of this plan: read, write, edit, bash" in words
    assert [(operation.id, operation.blocked_by) for operation in version.operations] == [("s1", ()), ("s2", ("s1",))]
    meta = engine.plans.meta(version.plan_id)
    assert (meta.status, meta.tools_required) == (PlanStatus.PROPOSED, ("bash", "write"))


@pytest.mark.setting("max_generated_steps")
@pytest.mark.req("S4-02", "S4-22")
@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (a_plan(bash("s1", "true", blocked_by=["s2"]), bash("s2", "true", blocked_by=["s1"])), "in a circle"),
        (a_plan(bash("s1", "true", blocked_by=["s9"])), "s9"),
        (a_plan({"id": "s1", "description": "Edit", "tool": "edit", "args": {"path": "app.py"}}), "old_string"),
        (a_plan(*(bash(f"s{n}", "true") for n in range(5))), "at most 4"),
        (a_plan({"description": "Only think"}), "No step"),
        (a_plan(write("s1", "../out.txt")), "goes up"),
    ],
)
async def test_a_plan_that_makes_no_sense_comes_back_to_the_model_with_the_reason(
    engine: Engine, bad: dict[str, Any], said: str
) -> None:
    advisor = ScriptedAdvisor(generator=[bad, a_plan(write("s1", "a.txt"))])
    version = await generated(engine, advisor=advisor)
    assert said in advisor.refused[0]
    assert [operation.path for operation in version.operations] == ["a.txt"]


@pytest.mark.req("S4-02", "S4-26")
async def test_a_step_that_does_not_apply_is_heard_of_before_there_is_a_plan(engine: Engine) -> None:
    edit = {"path": "app.py", "old_string": "y = 1", "new_string": "y = 2"}
    wrong = a_plan({"id": "s1", "description": "Edit", "tool": "edit", "args": edit})
    advisor = ScriptedAdvisor(generator=[wrong, a_plan(write("s1", "a.txt"))])
    await generated(engine, advisor=advisor)
    assert "s1" in advisor.refused[0]
    assert len(engine.plans.list().plans) == 1


@pytest.mark.req("S4-21")
async def test_another_name_of_a_tool_is_understood_and_said(engine: Engine) -> None:
    step = {"id": "s1", "description": "Write", "tool": "create_file", "args": {"file_path": "a.txt", "content": "a"}}
    version = await generated(engine, a_plan(step))
    assert [(operation.tool, operation.path) for operation in version.operations] == [("write", "a.txt")]
    assert version.warnings == ("Step s1 uses write in place of 'create_file', which is not here.",)


@pytest.mark.req("S4-21")
async def test_a_step_whose_tool_is_not_there_is_left_out_with_those_that_wait_for_it(engine: Engine) -> None:
    version = await generated(
        engine,
        a_plan(
            write("s1", "a.txt"),
            {"id": "s2", "description": "Deploy", "tool": "teleport", "args": {"to": "moon"}},
            bash("s3", "true", blocked_by=["s2"]),
        ),
    )
    assert [operation.id for operation in version.operations] == ["s1"]
    assert version.warnings == (
        "Step s2 was left out: there is no tool 'teleport' here.",
        "Step s3 was left out: it waits for s2.",
    )
    assert engine.proposals.gaps.counts() == {"teleport": 1}


@pytest.mark.req("S4-05")
async def test_who_waits_for_a_thought_waits_for_what_the_thought_waits_for(engine: Engine) -> None:
    thought = {"id": "t", "description": "Is it right?", "blocked_by": ["s1"]}
    version = await generated(engine, a_plan(write("s1", "a.txt"), thought, bash("s2", "true", blocked_by=["t"])))
    assert version.operations[-1].blocked_by == ("s1",)
    assert [(note.step, note.tool) for note in version.notes] == [("t", "think")]


@pytest.mark.req("S4-03")
async def test_a_basic_plan_says_what_is_missing_and_cannot_be_approved(engine: Engine) -> None:
    version = await generated(engine, SidecarExitedError("The agent ended.", next="Start it again."))
    assert version.warnings == ("No plan in steps could be made: The agent ended. Start it again.",)
    assert "basic plan" in version.content
    with pytest.raises(NotApprovableError):
        engine.decisions.approve(version.plan_id, version.approval_hash)
