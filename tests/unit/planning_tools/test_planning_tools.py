"""Tool calls of a session: carried out, or refused with a sentence; never an approval."""

import asyncio
import json
from typing import Any

import pytest

from tandem_desktop.domain.tasks import TaskStatus
from tandem_desktop.planning_tools.definitions import ToolName, offered_while_planning
from tandem_desktop.planning_tools.tools import MOST_CALLS_AT_ONCE, PlanningTools
from tests.support.planning import PLAN, SESSION, RecordingToolHandler, a_step, tools_on

WORDS = {"description": "Check it", "tool": "bash"}


def offered(tools: PlanningTools) -> list[str]:
    return [definition.name.value for definition in tools.offered()]


@pytest.mark.req("S1-22")
async def test_present_plan_is_there_only_in_plan_mode() -> None:
    handler = RecordingToolHandler()
    assert "present_plan" in offered(tools_on(handler, plan_mode=True))
    tools = tools_on(handler, plan_mode=False)
    assert "present_plan" not in offered(tools)
    answer = await tools.call("present_plan", {"plan_content": "# A"})
    assert answer.failed
    assert "only there in Plan mode" in answer.texts[0]
    assert handler.calls == []


@pytest.mark.req("S1-04")
async def test_a_presented_plan_reaches_the_person_and_the_answer_the_agent() -> None:
    handler = RecordingToolHandler()
    answer = await tools_on(handler).call("present_plan", {"plan_content": "# A\n\nAll of it.", "title": "A"})
    assert handler.calls == [("present", SESSION, "# A\n\nAll of it.", "A")]
    assert answer.texts == ("The person reads it now, in SES-1.",)
    assert not answer.failed


@pytest.mark.req("S3-14")
async def test_a_proposal_answers_id_revision_digest_and_operations() -> None:
    answer = await tools_on(RecordingToolHandler()).call("plan_propose", {"title": "A", "steps": [a_step(), WORDS]})
    assert answer.texts[0] == "PLAN-1a2b3c4d r1 waits for a person, with 1 operation. Nothing has been written yet."
    found = json.loads(answer.texts[1])
    assert (found["plan_id"], found["revision"], len(found["digest"])) == (PLAN, 1, 64)
    assert found["operations"][0]["path"] == "notes.txt"


@pytest.mark.parametrize("plan_mode", [True, False])
async def test_a_proposal_of_words_alone_is_presented_in_plan_mode_and_refused_otherwise(plan_mode: bool) -> None:
    handler = RecordingToolHandler()
    answer = await tools_on(handler, plan_mode=plan_mode).call("plan_propose", {"title": "A", "steps": [WORDS]})
    assert answer.failed is not plan_mode
    assert [call[0] for call in handler.calls] == (["present"] if plan_mode else [])
    if not plan_mode:
        assert "No step has `args`" in answer.texts[0]


@pytest.mark.req("S3-15")
async def test_plans_are_listed_and_read() -> None:
    tools = tools_on(RecordingToolHandler())
    assert json.loads((await tools.call("plan_list", {})).texts[0])[0]["status"] == "proposed"
    assert json.loads((await tools.call("plan_get", {"plan_id": PLAN})).texts[0])["content"] == "# A\n"
    missing = await tools.call("plan_get", {"plan_id": "PLAN-00000000"})
    assert (missing.failed, missing.texts) == (True, ("There is no plan 'PLAN-00000000'. See which there are.",))


async def test_a_task_is_taken_down_with_its_note() -> None:
    handler = RecordingToolHandler()
    answer = await tools_on(handler).call("task_update", {"task_id": "t1", "status": "completed", "note": "Went well"})
    assert handler.calls == [("task", SESSION, "t1", TaskStatus.COMPLETED, "Went well")]
    assert answer.texts[0] == "Task t1 is completed."


@pytest.mark.req("S3-15")
@pytest.mark.parametrize("name", ["plan_approve", "plan_reject", "plan_apply", "execute_plan", "undo", "approve"])
async def test_a_tool_that_would_decide_is_unknown_and_the_agent_is_told_who_decides(name: str) -> None:
    handler = RecordingToolHandler()
    answer = await tools_on(handler).call(name, {"plan_id": PLAN, "digest": "d" * 64})
    assert answer.failed
    assert answer.texts[0].startswith(f"Unknown tool '{name}': only a person approves")
    assert handler.calls == []


async def test_any_other_unknown_tool_is_answered_with_those_there_are() -> None:
    answer = await tools_on(RecordingToolHandler()).call("\x1b[31mfetch" + "x" * 500, {})
    assert "The tools are present_plan, plan_propose" in answer.texts[0]
    assert "\x1b" not in answer.texts[0]
    assert len(answer.texts[0]) < 300


@pytest.mark.req("S1-22")
@pytest.mark.parametrize(
    ("tool", "wrong", "right"),
    [
        ("present_plan", {"plan": "# A"}, {"plan_content": "# A"}),
        ("plan_propose", {"title": "A", "steps": [a_step(args={})]}, {"title": "A", "steps": [a_step()]}),
    ],
)
async def test_malformed_calls_count_down_to_a_refusal_that_a_right_call_cannot_undo(
    tool: str, wrong: dict[str, Any], right: dict[str, Any]
) -> None:
    handler = RecordingToolHandler()
    tools = tools_on(handler, tries=3)
    answers = [(await tools.call(tool, wrong)).texts[0] for _ in range(3)]
    expected = ("2 tries are left", "1 try is left", "the last of 3 tries")
    assert [words in answer for words, answer in zip(expected, answers, strict=True)] == [True] * 3
    refused = await tools.call(tool, right)
    assert (refused.failed, handler.calls) == (True, [])
    assert f"{tool} takes no more calls in this turn." in refused.texts[0]
    tools.tries.start_again()
    assert not (await tools.call(tool, right)).failed


async def test_a_step_that_does_not_apply_uses_up_no_try() -> None:
    tools = tools_on(RecordingToolHandler(), tries=1)
    plan = {"title": "A", "steps": [a_step(args={"path": "missing", "content": "x"})]}
    for _ in range(3):
        answer = await tools.call("plan_propose", plan)
        assert answer.texts == ("Step s1 does not apply: there is no file missing. Name a file that exists.",)


async def test_a_bug_behind_the_desk_becomes_a_sentence_without_its_details() -> None:
    handler = RecordingToolHandler()
    handler.refusal = ZeroDivisionError("/home/person/secret")
    answer = await tools_on(handler).call("plan_propose", {"title": "A", "steps": [a_step()]})
    assert answer.failed
    assert "failed inside Tandem" in answer.texts[0]
    assert "secret" not in answer.texts[0]


async def test_calls_beyond_the_limit_are_refused_at_once_while_the_others_wait_for_a_person() -> None:
    handler = RecordingToolHandler()
    handler.gate = asyncio.Event()
    tools = tools_on(handler)
    waiting = [
        asyncio.create_task(tools.call("present_plan", {"plan_content": "# A"})) for _ in range(MOST_CALLS_AT_ONCE)
    ]
    await handler.waiting.wait()
    assert "64 calls are open already" in (await tools.call("plan_list", {})).texts[0]
    handler.gate.set()
    await asyncio.gather(*waiting)
    assert not (await tools.call("plan_list", {})).failed


def test_every_name_has_an_answer() -> None:
    asked = {ToolName.SUBMIT_PERSPECTIVE, ToolName.SUBMIT_REFLECTION}
    assert offered(tools_on(RecordingToolHandler())) == [name.value for name in ToolName if name not in asked]


@pytest.mark.req("S1-25")
def test_what_a_prompt_says_is_offered_while_planning_is_what_is_offered() -> None:
    assert list(offered_while_planning()) == offered(tools_on(RecordingToolHandler(), plan_mode=True))
