"""Every request of an agent gets exactly one answer, and in Plan mode none that runs or writes anything directly."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from tandem_desktop.domain.agent_protocol import (
    PermissionAnswer,
    PermissionRequest,
    PermissionVerdict,
    ToolCall,
    ToolKind,
)
from tandem_desktop.domain.authorization import PermissionRule, SessionPermissions
from tandem_desktop.domain.errors import ShadowError
from tandem_desktop.domain.ids import RequestId, SessionId, ToolCallId
from tandem_desktop.domain.operations import CommandCall, ExternalCall
from tandem_desktop.policy.rules import AuthorizationPolicy
from tandem_desktop.sessions.interceptor import Confirmation, Decision, PermissionInterceptor
from tandem_desktop.settings import Settings
from tandem_desktop.staging.requests import Handling, InterceptedRequest, QueuedCommand
from tests.support.patience import PATIENCE_S

SESSION = SessionId("SES-1")
PLANNING = SessionPermissions(plan_mode=True)


class Desk:
    """An interceptor and everything it did to the outside."""

    def __init__(
        self,
        *,
        plan_mode: bool = False,
        somebody: bool = True,
        queue: Callable[[QueuedCommand], None] | None = None,
        shadowed: bool = True,
        **settings: object,
    ) -> None:
        self.queued: list[QueuedCommand] = []
        self.asked: asyncio.Queue[Confirmation] = asyncio.Queue()
        self.decided: list[InterceptedRequest] = []
        self._hook = queue
        self.interceptor = PermissionInterceptor(
            SESSION,
            policy=AuthorizationPolicy(),
            settings=Settings(**{"commands_while_planning": "stage", **settings}),  # type: ignore[arg-type]
            queue=self._queue,
            ask=self.asked.put_nowait if somebody else None,
            decided=self.decided.append,
            permissions=SessionPermissions(plan_mode=plan_mode),
            shadowed=shadowed,
        )

    async def _queue(self, command: QueuedCommand) -> None:
        if self._hook is not None:
            self._hook(command)
        await asyncio.sleep(0)
        self.queued.append(command)

    async def decide(self, request: PermissionRequest) -> PermissionAnswer:
        return await asyncio.wait_for(self.interceptor.decide(request), PATIENCE_S)


def an_edit(name: str = "r1", path: str = "a.txt") -> PermissionRequest:
    return a_request(name, "edit", kind=ToolKind.EDIT, paths=(path,), arguments={"filePath": path})


def a_shell(name: str = "r1", command: str = "make", **fields: object) -> PermissionRequest:
    return a_request(name, "bash", kind=ToolKind.EXECUTE, command=command, title=f"Run {command}", **fields)


def a_request(name: str, tool: str, **fields: object) -> PermissionRequest:
    call = ToolCall(id=ToolCallId(f"call-{name}"), tool=tool, **fields)  # type: ignore[arg-type]
    return PermissionRequest(id=RequestId(name), session_id=SESSION, call=call, options=())


async def asked(handler: Desk) -> Confirmation:
    return await asyncio.wait_for(handler.asked.get(), PATIENCE_S)


@pytest.mark.req("S0-32", "S3-44")
async def test_in_plan_mode_a_request_is_kept_with_everything_known_of_it() -> None:
    handler = Desk(plan_mode=True)
    handler.interceptor.message_id = "msg-7"
    assert (await handler.decide(an_edit("r1"))).verdict is PermissionVerdict.ALLOW
    assert (await handler.decide(a_shell("r2"))).verdict is PermissionVerdict.REJECT
    first, second = handler.interceptor.requests
    assert (first.request_id, first.session_id, first.tool, first.args, first.message_id) == (
        "r1",
        SESSION,
        "edit",
        {"filePath": "a.txt"},
        "msg-7",
    )
    assert (second.handling, second.queued_as, second.tool_call_id) == (Handling.QUEUED, 1, "call-r2")
    assert handler.decided == [first, second]


@pytest.mark.req("S0-32")
async def test_a_request_without_a_tool_or_arguments_is_filed_as_unknown() -> None:
    handler = Desk(plan_mode=True)
    await handler.decide(a_request("r1", "", kind=ToolKind.EDIT))
    (request,) = handler.interceptor.requests
    assert (request.tool, request.args) == ("unknown", {})


@pytest.mark.req("S1-03", "S1-12")
async def test_in_plan_mode_a_command_is_refused_and_queued_in_order() -> None:
    handler = Desk(plan_mode=True)
    answers = await asyncio.gather(*(handler.decide(a_shell(f"r{n}", f"make {n}", cwd="src")) for n in range(1, 6)))
    assert {answer.verdict for answer in answers} == {PermissionVerdict.REJECT}
    assert all("queued" in answer.reason for answer in answers)
    assert [command.number for command in handler.queued] == [1, 2, 3, 4, 5]
    first = handler.queued[0]
    assert first.call == CommandCall(command="make 1", cwd="src")
    assert (first.request_id, first.tool_call_id, first.description) == ("r1", "call-r1", "Run make 1")
    assert handler.asked.empty()


@pytest.mark.req("S1-12")
@pytest.mark.parametrize("permission", [{"yolo": True}, {"tool_ignore": ("bash",)}])
async def test_no_permission_makes_a_command_run_in_plan_mode(permission: dict[str, object]) -> None:
    handler = Desk(plan_mode=True, rules=(PermissionRule(answer="allow"),))
    handler.interceptor.set_permissions(SessionPermissions(plan_mode=True, **permission))  # type: ignore[arg-type]
    assert (await handler.decide(a_shell())).verdict is PermissionVerdict.REJECT
    assert (
        await handler.interceptor.decide_command(SESSION, CommandCall(command="make"))
    ).verdict is PermissionVerdict.REJECT


async def test_a_command_that_may_run_is_allowed_into_the_shadow_and_marked() -> None:
    handler = Desk(plan_mode=True, commands_while_planning="run")
    assert (await handler.decide(a_shell())).verdict is PermissionVerdict.ALLOW
    assert handler.interceptor.requests[0].handling is Handling.RAN
    assert handler.queued == []


async def test_without_a_shadow_nothing_runs_or_is_written_in_plan_mode() -> None:
    handler = Desk(plan_mode=True, commands_while_planning="run", shadowed=False)
    assert (await handler.decide(a_shell("r1"))).verdict is PermissionVerdict.REJECT
    assert (await handler.decide(an_edit("r2"))).verdict is PermissionVerdict.REJECT


async def test_a_guarded_command_is_queued_where_others_run() -> None:
    handler = Desk(plan_mode=True, commands_while_planning="run", guarded_tools=("bash",))
    assert (await handler.decide(a_shell())).verdict is PermissionVerdict.REJECT
    assert len(handler.queued) == 1


async def test_denying_refuses_a_command_and_queues_nothing() -> None:
    handler = Desk(plan_mode=True, commands_while_planning="deny")
    answer = await handler.decide(a_shell())
    assert answer.verdict is PermissionVerdict.REJECT
    assert "queued" not in answer.reason
    assert handler.queued == []


async def test_a_command_the_person_denied_for_good_does_not_get_into_the_plan_either() -> None:
    handler = Desk(plan_mode=True, rules=(PermissionRule(answer="deny", tool="bash", command="git push*"),))
    assert (await handler.decide(a_shell(command="git push"))).verdict is PermissionVerdict.REJECT
    assert handler.queued == []


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (a_shell(command="make", cwd="../elsewhere"), "outside the workspace"),
        (a_shell(command="make", cwd="/etc"), "outside the workspace"),
        (a_shell(command="   "), "is empty"),
        (a_request("r1", "execute", kind=ToolKind.EXECUTE), "is empty"),
        (a_shell(command="a\0b"), "NUL"),
    ],
)
async def test_a_command_no_plan_could_carry_is_refused_in_words(request_: PermissionRequest, reason: str) -> None:
    handler = Desk(plan_mode=True)
    answer = await handler.decide(request_)
    assert answer.verdict is PermissionVerdict.REJECT
    assert reason in answer.reason
    assert handler.queued == []
    assert handler.interceptor.requests[0].handling is Handling.REFUSED


async def test_a_command_that_cannot_be_queued_is_still_answered_and_the_next_one_gets_its_number() -> None:
    def broken(command: QueuedCommand) -> None:
        if command.call.command == "bad":
            raise ShadowError("The shadow is gone.")

    handler = Desk(plan_mode=True, queue=broken)
    answer = await handler.decide(a_shell("r1", "bad"))
    assert answer.verdict is PermissionVerdict.REJECT
    assert "The shadow is gone." in answer.reason
    await handler.decide(a_shell("r2", "good"))
    assert [(command.number, command.call.command) for command in handler.queued] == [(1, "good")]


async def test_a_queued_command_is_told_the_number_of_its_operation_where_there_is_one() -> None:
    async def queue(command: QueuedCommand) -> int:
        return 7

    interceptor = PermissionInterceptor(
        SESSION,
        policy=AuthorizationPolicy(),
        settings=Settings(commands_while_planning="stage"),
        queue=queue,
        permissions=PLANNING,
    )
    assert "queued as operation 7" in (await interceptor.decide(a_shell())).reason
    assert interceptor.requests[0].queued_as == 7


@pytest.mark.parametrize("tool", ["read", "webfetch", "todowrite", "tandem_present_plan", "task"])
async def test_in_plan_mode_reading_and_planning_pass(tool: str) -> None:
    handler = Desk(plan_mode=True)
    assert (await handler.decide(a_request("r1", tool))).verdict is PermissionVerdict.ALLOW
    assert handler.interceptor.requests[0].handling is Handling.PASSED


@pytest.mark.setting("guarded_tools")
@pytest.mark.req("S3-39")
async def test_a_guarded_tool_is_refused_with_a_word_on_plan_propose() -> None:
    handler = Desk(guarded_tools=("gmail_send",))
    answer = await handler.decide(a_request("r1", "mcp__google__gmail_send"))
    assert answer.verdict is PermissionVerdict.REJECT
    assert "plan_propose" in answer.reason
    assert handler.interceptor.requests[0].guard_blocked
    assert handler.asked.empty()


@pytest.mark.req("S1-31", "S3-39")
@pytest.mark.parametrize(("guarded", "only_logged"), [((), False), (("gmail_send",), False), (("gmail_send",), True)])
async def test_in_plan_mode_a_tool_with_effects_outside_is_queued_with_its_arguments(
    guarded: tuple[str, ...], only_logged: bool
) -> None:
    handler = Desk(plan_mode=True, guarded_tools=guarded, guarded_tools_only_logged=only_logged)
    answer = await handler.decide(a_request("r1", "mcp__google__gmail_send", arguments={"to": "me", "cc": None}))
    assert answer.verdict is PermissionVerdict.REJECT
    assert "queued for approval" in answer.reason
    (queued,) = handler.queued
    assert queued.call == ExternalCall(tool="mcp__google__gmail_send", arguments='{"to": "me"}')
    (request,) = handler.interceptor.requests
    assert (request.guard_blocked, request.warning) == (False, "")
    assert handler.asked.empty()


async def test_an_approved_call_is_allowed_once_and_only_with_exactly_its_arguments() -> None:
    handler = Desk(plan_mode=True)
    approved = ExternalCall(tool="crm_add", arguments='{"name": "A"}')

    async def verdict(name: str, who: str) -> PermissionVerdict:
        return (await handler.decide(a_request(name, "crm_add", arguments={"name": who}))).verdict

    with handler.interceptor.allowing(approved) as grant:
        assert (await verdict("r1", "B"), grant.is_taken) == (PermissionVerdict.REJECT, False)
        assert await verdict("r2", "A") is PermissionVerdict.ALLOW
        assert await verdict("r3", "A") is not PermissionVerdict.ALLOW
    assert await verdict("r4", "A") is not PermissionVerdict.ALLOW


@pytest.mark.setting("guarded_tools_only_logged")
@pytest.mark.req("S3-35")
async def test_a_guard_that_only_logs_says_what_it_would_have_blocked() -> None:
    handler = Desk(guarded_tools=("odoo_create",), guarded_tools_only_logged=True, yolo=True)
    handler.interceptor.set_permissions(SessionPermissions(yolo=True))
    assert (await handler.decide(a_request("r1", "odoo_create"))).verdict is PermissionVerdict.ALLOW
    assert handler.interceptor.requests[0].warning == "The guard would have blocked odoo_create."
    assert not handler.interceptor.requests[0].guard_blocked


@pytest.mark.req("S0-34", "S1-19", "S1-20", "S1-26b")
@pytest.mark.parametrize(
    ("key", "decision", "verdict", "handling"),
    [
        ("1", Decision.YES, PermissionVerdict.ALLOW, Handling.CONFIRMED),
        ("2", Decision.SKIP, PermissionVerdict.REJECT, Handling.SKIPPED),
        ("3", Decision.NO, PermissionVerdict.REJECT, Handling.REFUSED),
    ],
)
async def test_in_immediate_mode_a_person_is_asked_and_a_key_answers(
    key: str, decision: Decision, verdict: PermissionVerdict, handling: Handling
) -> None:
    handler = Desk()
    task = asyncio.create_task(handler.decide(an_edit()))
    confirmation = await asked(handler)
    assert confirmation.request == an_edit()
    assert confirmation.CHOICES[key] is decision
    assert not task.done()
    assert not confirmation.press("x")
    assert confirmation.press(key, "do it by hand")
    answer = await task
    assert (answer.verdict, handler.interceptor.requests[0].handling) == (verdict, handling)
    assert handler.interceptor.waiting == ()


@pytest.mark.req("S1-18", "S1-21", "S1-26b")
async def test_the_persons_guidance_is_in_the_refusal() -> None:
    handler = Desk()
    task = asyncio.create_task(handler.decide(a_shell()))
    (await asked(handler)).resolve(Decision.NO, "use ninja")
    reason = (await task).reason
    assert "Tool 'bash' execution cancelled before running." in reason
    assert "use ninja" in reason


async def test_where_nobody_can_be_asked_the_answer_is_no() -> None:
    handler = Desk(somebody=False)
    answer = await handler.decide(an_edit())
    assert (answer.verdict, "no person" in answer.reason) == (PermissionVerdict.REJECT, True)


async def test_one_waiting_question_holds_up_neither_another_request_nor_another_session() -> None:
    handler, other = Desk(), Desk()
    first = asyncio.create_task(handler.decide(an_edit("r1")))
    await asked(handler)
    assert (await handler.decide(a_request("r2", "read"))).verdict is PermissionVerdict.ALLOW
    third = asyncio.create_task(handler.decide(an_edit("r3")))
    elsewhere = asyncio.create_task(other.decide(an_edit("r1")))
    (await asked(handler)).resolve(Decision.YES)
    (await asked(other)).resolve(Decision.YES)
    assert {(await third).verdict, (await elsewhere).verdict} == {PermissionVerdict.ALLOW}
    assert not first.done()
    assert handler.interceptor.answer_all("") == 1
    assert (await first).verdict is PermissionVerdict.CANCELLED


@pytest.mark.req("S1-19")
async def test_a_question_can_be_answered_from_another_thread_by_exactly_one() -> None:
    handler = Desk()
    task = asyncio.create_task(handler.decide(an_edit()))
    await asked(handler)
    start, accepted = threading.Barrier(8), []

    def answer(decision: Decision) -> None:
        start.wait()
        if handler.interceptor.resolve(RequestId("r1"), decision):
            accepted.append(decision)

    decisions = [Decision.YES, Decision.NO] * 4
    threads = [threading.Thread(target=answer, args=(decision,)) for decision in decisions]
    for thread in threads:
        thread.start()
    result = await asyncio.wait_for(task, PATIENCE_S)
    for thread in threads:
        await asyncio.to_thread(thread.join)
    (winner,) = accepted
    assert (result.verdict is PermissionVerdict.ALLOW) == (winner is Decision.YES)
    assert not handler.interceptor.resolve(RequestId("r1"), Decision.YES)


async def test_every_open_request_is_answered_when_all_is_over_and_whatever_comes_later_too() -> None:
    handler = Desk()
    tasks = [asyncio.create_task(handler.decide(an_edit(f"r{n}"))) for n in range(5)]
    for _ in tasks:
        await asked(handler)
    assert handler.interceptor.end_turn("the agent ended") == 5
    answers = await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)
    assert {answer.verdict for answer in answers} == {PermissionVerdict.CANCELLED}
    assert all("the agent ended" in answer.reason for answer in answers)
    assert (await handler.decide(an_edit("late"))).verdict is PermissionVerdict.CANCELLED
    handler.interceptor.begin_turn()
    assert (await handler.decide(a_request("next", "read"))).verdict is PermissionVerdict.ALLOW
    assert len(handler.interceptor.requests) == 7


async def test_a_request_that_is_cancelled_from_outside_leaves_no_question_and_one_record() -> None:
    handler = Desk()
    task = asyncio.create_task(handler.decide(an_edit()))
    confirmation = await asked(handler)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not confirmation.is_open
    assert not confirmation.resolve(Decision.YES)
    assert handler.interceptor.waiting == ()
    (request,) = handler.interceptor.requests
    assert request.verdict is PermissionVerdict.CANCELLED


async def test_a_request_that_comes_twice_is_answered_once() -> None:
    handler = Desk()
    first = asyncio.create_task(handler.decide(an_edit()))
    confirmation = await asked(handler)
    assert (await handler.decide(an_edit())).verdict is PermissionVerdict.CANCELLED
    confirmation.resolve(Decision.YES)
    assert (await first).verdict is PermissionVerdict.ALLOW
    assert (await handler.decide(an_edit())).verdict is PermissionVerdict.CANCELLED
    assert handler.asked.empty()
    assert [request.verdict for request in handler.interceptor.requests] == [PermissionVerdict.ALLOW]


async def test_an_id_that_begins_again_after_a_restart_of_the_agent_is_a_new_request() -> None:
    handler = Desk(plan_mode=True)
    await handler.decide(an_edit("0"))
    call = ToolCall(id=ToolCallId("another"), tool="edit")
    again = PermissionRequest(id=RequestId("0"), session_id=SESSION, call=call, options=())
    assert (await handler.decide(again)).verdict is PermissionVerdict.ALLOW


async def test_another_mode_holds_from_the_next_request_on() -> None:
    handler = Desk()
    task = asyncio.create_task(handler.decide(a_shell("r1")))
    confirmation = await asked(handler)
    handler.interceptor.set_permissions(PLANNING)
    assert (await handler.decide(a_shell("r2"))).verdict is PermissionVerdict.REJECT
    assert [command.request_id for command in handler.queued] == ["r2"]
    confirmation.resolve(Decision.YES)
    assert (await task).verdict is PermissionVerdict.ALLOW
    assert [request.plan_mode for request in handler.interceptor.requests] == [True, False]
    # What was allowed before Plan mode is no licence for a terminal in it.
    assert (
        await handler.interceptor.decide_command(SESSION, CommandCall(command="make"))
    ).verdict is PermissionVerdict.REJECT


async def test_a_terminal_is_decided_by_the_same_rules() -> None:
    handler = Desk(plan_mode=True)
    call = CommandCall(command="make", cwd="src", env=(("CI", "1"),), timeout_s=5)
    answer = await handler.interceptor.decide_command(SESSION, call)
    assert answer.verdict is PermissionVerdict.REJECT
    assert [command.call for command in handler.queued] == [call]


async def test_a_command_that_was_just_allowed_is_not_asked_about_again_when_its_terminal_opens() -> None:
    handler = Desk()
    task = asyncio.create_task(handler.decide(a_shell()))
    (await asked(handler)).resolve(Decision.YES)
    await task
    call = CommandCall(command="make")
    assert (await handler.interceptor.decide_command(SESSION, call)).verdict is PermissionVerdict.ALLOW
    assert handler.asked.empty()
    second = asyncio.create_task(handler.interceptor.decide_command(SESSION, call))
    (await asked(handler)).resolve(Decision.NO)
    assert (await second).verdict is PermissionVerdict.REJECT
    assert len(handler.interceptor.requests) == 2


async def test_a_request_that_came_when_nobody_was_to_be_asked_is_on_record_once_with_the_reason() -> None:
    handler = Desk()
    handler.interceptor.turned_away(an_edit("r1"), "the agent asked outside a turn")
    handler.interceptor.turned_away(an_edit("r1"), "the agent asked outside a turn")
    (noted,) = handler.interceptor.requests
    assert (noted.request_id, noted.verdict, noted.reason) == (
        "r1",
        PermissionVerdict.CANCELLED,
        "Cancelled: the agent asked outside a turn",
    )
    assert handler.decided == [noted]
