"""Executes the planning tool calls of an agent."""

import logging
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tandem_desktop.domain.base import AnyModel
from tandem_desktop.domain.errors import BadInputError, PolicyError, TandemError, TaskError, ToolDeniedError
from tandem_desktop.domain.ids import SessionId, TaskId
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.tasks import TaskStatus
from tandem_desktop.planning_tools.arguments import (
    GetPlan,
    PresentPlan,
    Proposal,
    ProposePlan,
    UpdateTask,
    checked,
    proposal_from,
)
from tandem_desktop.planning_tools.definitions import DEFINITIONS, ToolDefinition, ToolName, ToolPrompts, Wanted
from tandem_desktop.planning_tools.handlers import PlanningToolHandler
from tandem_desktop.staging.steps import PlanInput

DEFAULT_TRIES = 3


class RetryBudget:
    """How often each tool may be called wrongly in a row, within one turn of the conversation.

    Without `sees_turns` the start of a turn is not known, and the count begins anew after the last refusal.
    """

    def __init__(self, limit: int = DEFAULT_TRIES, *, sees_turns: bool = True) -> None:
        self._limit = limit
        self._sees_turns = sees_turns
        self._failures: dict[str, int] = {}

    def refuse_when_used_up(self, tool: str) -> None:
        """Call before anything else.

        Raises:
            BadInputError: the last try was used up earlier.
        """
        if self._failures.get(tool, 0) >= self._limit:
            raise BadInputError(f"{tool} takes no more calls in this turn.", next=_LAST_WORDS)

    def failed(self, tool: str, error: TandemError) -> BadInputError:
        """The same refusal, with the number of tries left or the end of them."""
        self._failures[tool] = self._failures.get(tool, 0) + 1
        left = self._limit - self._failures[tool]
        if left > 0:
            tries = "1 try is" if left == 1 else f"{left} tries are"
            return BadInputError(f"{error.message} {tries} left.", step=error.step, next=error.next)
        if not self._sees_turns:
            self.succeeded(tool)
        message = f"{error.message} That was the last of {self._limit} tries."
        return BadInputError(message, step=error.step, next=_LAST_WORDS)

    def succeeded(self, tool: str) -> None:
        self._failures.pop(tool, None)

    def start_again(self) -> None:
        """The person has spoken: a new turn, new tries."""
        self._failures.clear()


_LAST_WORDS = "Stop calling it, and tell the person in plain words what you wanted to propose."


MOST_CALLS_AT_ONCE = 64

_logger = logging.getLogger(__name__)
_DECIDING = lazy_pattern(r"approv|reject|appl|execut|implement|accept|confirm|cancel|undo|redo|run", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What the agent reads: sentences, and the facts as JSON where there are any."""

    texts: tuple[str, ...]
    failed: bool = False


Elsewhere = Callable[[str, dict[str, Any]], Awaitable[ToolAnswer]]


class PlanningTools:
    """The tools of one session. Calls do not wait for each other; no more than a fixed number are open at once."""

    def __init__(
        self,
        session_id: SessionId,
        handler: PlanningToolHandler,
        *,
        plan_mode: Callable[[], bool],
        prompts: ToolPrompts,
        tries: RetryBudget,
        without: frozenset[ToolName] = frozenset(),
        wanted: Wanted[Any] | None = None,
    ) -> None:
        """`wanted` is there when the agent was asked something: then it can look at plans and hand that in, no more."""
        self.session_id = session_id
        self.prompts = prompts
        self.tries = tries
        self._handler = handler
        self._plan_mode = plan_mode
        self._without = without
        self._wanted = wanted
        self._open_calls = 0

    def offered(self) -> tuple[ToolDefinition, ...]:
        """The tools there are at this moment: `present_plan` only in Plan mode."""
        if self._wanted is not None:
            return (self._wanted.definition, DEFINITIONS[ToolName.PLAN_LIST], DEFINITIONS[ToolName.PLAN_GET])
        return tuple(
            definition
            for definition in DEFINITIONS.values()
            if definition.name not in self._without
            and not definition.only_when_asked
            and (self._plan_mode() or not definition.only_in_plan_mode)
        )

    async def call(self, name: str, arguments: dict[str, Any], elsewhere: Elsewhere | None = None) -> ToolAnswer:
        """Never raises for anything the agent did. `elsewhere` answers a tool that is none of ours."""
        if self._open_calls >= MOST_CALLS_AT_ONCE:
            return _refused(PolicyError(f"{MOST_CALLS_AT_ONCE} calls are open already.", next="Wait for an answer."))
        self._open_calls += 1
        begun, outcome = time.monotonic(), "failed"
        try:
            if elsewhere is not None:
                answer = await elsewhere(name, arguments)
            else:
                answer = await self._answer(self._definition(name), arguments)
            outcome = "answered"
            return answer
        except TandemError as error:
            outcome = f"refused ({error.kind})"
            return _refused(error)
        except Exception:
            _logger.exception("the planning tool %s failed", shown(name[:60]))
            return _refused(PolicyError(f"{shown(name[:60])} failed inside Tandem; nothing was changed by this call."))
        finally:
            self._open_calls -= 1
            took = 1000 * (time.monotonic() - begun)
            _logger.debug("planning tool %s: session %s, %.0f ms, %s", outcome, self.session_id, took, name[:60])

    def _definition(self, name: str) -> ToolDefinition:
        offered = {definition.name.value: definition for definition in self.offered()}
        if name in offered:
            return offered[name]
        known = ", ".join(offered)
        if name == ToolName.PRESENT_PLAN and name not in self._without:
            raise ToolDeniedError("present_plan is only there in Plan mode.", next=f"The tools now: {known}.")
        told = f"Unknown tool {shown(name[:60])!r}"
        if _DECIDING.search(name):
            raise ToolDeniedError(
                f"{told}: only a person approves, rejects or applies a plan, in Tandem itself; no tool does.",
                next="Propose the plan and wait for the person.",
            )
        raise BadInputError(f"{told}.", next=f"The tools are {known}.")

    async def _answer(self, definition: ToolDefinition, given: dict[str, Any]) -> ToolAnswer:
        if not definition.counts_tries:
            return await self._carry_out(checked(definition.arguments, given))
        self.tries.refuse_when_used_up(definition.name)
        try:
            arguments = checked(definition.arguments, given)
            ready = self._ready(arguments)
        except (BadInputError, TaskError) as error:
            raise self.tries.failed(definition.name, error) from None
        self.tries.succeeded(definition.name)
        return await self._carry_out(ready)

    def _ready(self, arguments: AnyModel) -> "AnyModel | Proposal | Callable[[], str]":
        if self._wanted is not None:
            return self._wanted.ready(arguments)
        return self._proposal(arguments) if isinstance(arguments, ProposePlan) else arguments

    def _proposal(self, plan: ProposePlan) -> Proposal:
        proposal = proposal_from(plan)
        if proposal.plan is None and ToolName.PRESENT_PLAN not in {each.name for each in self.offered()}:
            raise BadInputError(
                "No step has `args`, so there is nothing to stage.", next="Give at least one step its exact `args`."
            )
        return proposal

    async def _carry_out(self, arguments: "AnyModel | Proposal | Callable[[], str]") -> ToolAnswer:
        if callable(arguments):
            return ToolAnswer((arguments(),))
        match arguments:
            case PresentPlan(plan_content=markdown, title=title):
                return ToolAnswer((await self._handler.present_plan(self.session_id, markdown, title),))
            case Proposal(plan=None):
                return ToolAnswer(
                    (await self._handler.present_plan(self.session_id, arguments.markdown, arguments.title),)
                )
            case Proposal(plan=PlanInput() as plan):
                return await self._propose(plan)
            case GetPlan(plan_id=plan_id):
                found = await self._handler.get_plan(self.session_id, plan_id)
                return ToolAnswer((found.model_dump_json(),))
            case UpdateTask(task_id=task_id, status=status, note=note):
                task = await self._handler.update_task(self.session_id, TaskId(task_id), TaskStatus(status), note)
                return ToolAnswer((f"Task {task.id} is {task.status.value}.", task.model_dump_json()))
            case _:
                plans = await self._handler.list_plans(self.session_id)
                return ToolAnswer((f"[{','.join(plan.model_dump_json() for plan in plans)}]",))

    async def _propose(self, plan: PlanInput) -> ToolAnswer:
        proposed = await self._handler.propose(self.session_id, plan)
        number = len(proposed.operations)
        sentence = (
            f"{proposed.plan_id} r{proposed.revision} waits for a person, with {number} "
            f"operation{'' if number == 1 else 's'}. Nothing has been written yet."
        )
        return ToolAnswer((sentence, proposed.model_dump_json()))


def _refused(error: TandemError) -> ToolAnswer:
    return ToolAnswer((f"{error.message} {error.next}".strip(),), failed=True)
