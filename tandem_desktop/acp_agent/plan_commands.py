"""The slash commands of ours that an editor offers: /undo, /plans and /checks."""

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

from tandem_desktop.acp_agent.plan_request import code
from tandem_desktop.checks.evidence import Evidence
from tandem_desktop.diff.text import visible_in_a_line, visible_name
from tandem_desktop.domain.agent_protocol import OfferedCommand
from tandem_desktop.domain.errors import TandemError, UndoConflictError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan_states import PlanStatus, is_open
from tandem_desktop.domain.runs import RunKind, RunStatus

if TYPE_CHECKING:
    from tandem_desktop.acp_agent.conversation import EditorConversation

PLAN_COMMANDS = (
    OfferedCommand(name="undo", description="Take back the last plan that was applied", hint="RUN"),
    OfferedCommand(name="plans", description="The plans that wait, or one of them to decide about", hint="PLAN"),
    OfferedCommand(name="checks", description="Run the checks of the workspace without and with the plan"),
)
WAITING = frozenset({PlanStatus.PROPOSED, PlanStatus.APPROVED, PlanStatus.REJECTED, PlanStatus.NEEDS_REVIEW})
_MOST_LISTED = 30


class PlanCommands:
    """Answers them; none of them reaches the agent."""

    def __init__(self, conversation: "EditorConversation") -> None:
        self._conversation = conversation
        self._engine = conversation.engine

    def find(self, text: str) -> "Coroutine[Any, Any, None] | None":
        """What a message asks for, if it is one of these commands."""
        words = text.split()
        name = words[0] if words and len(words) <= 2 else ""
        named = words[1] if len(words) == 2 else ""
        match name:
            case "/undo":
                return self._answered(self._undo(named))
            case "/plans":
                return self._answered(self._plans(named))
            case "/checks":
                return self._answered(self._checks())
        return None

    async def _answered(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except TandemError as error:
            self._conversation.say(f"{error.message} {error.next}".strip())

    async def _plans(self, named: str) -> None:
        background, say = self._conversation.background, self._conversation.say
        if named:
            plan_id = await self._conversation.wait(background.run(self._engine.plans.resolve, named))
            meta = await self._conversation.wait(background.run(self._engine.meta, plan_id))
            if is_open(meta.status):
                await self._conversation.ask_about(plan_id)
            else:
                say(f"{plan_id} is {meta.status.label.lower()}.")
            return
        listing = await self._conversation.wait(background.run(self._engine.listing))
        waiting = [plan for plan in listing.plans if plan.status in WAITING]
        if not waiting:
            say("No plan waits for a decision.")
            return
        lines = [
            f"- {plan.plan_id} r{plan.revision}, {plan.status.label.lower()}: {code(visible_in_a_line(plan.title))}"
            for plan in waiting[:_MOST_LISTED]
        ]
        more = [f"- … and {len(waiting) - _MOST_LISTED} more"] if len(waiting) > _MOST_LISTED else []
        say("\n".join([*lines, *more, "", "Decide about one: `/plans PLAN`"]))

    async def _undo(self, named: str) -> None:
        run_id = named or await self._conversation.wait(self._conversation.background.run(self._last_run))
        if not run_id:
            self._conversation.say("This conversation has no run to take back. `/undo RUN` names one.")
            return
        try:
            undone = await self._conversation.wait(self._conversation.background.run(self._engine.runs.undo, run_id))
        except UndoConflictError as error:
            paths = ", ".join(code(visible_name(path)) for path, _ in error.conflicts)
            self._conversation.say(f"{error.message} {paths} {error.next}".strip())
            return
        paths = ", ".join(code(visible_name(path)) for path in undone.changed[:_MOST_LISTED])
        kept = f" Kept as you edited them: {', '.join(undone.kept)}." if undone.kept else ""
        done = undone.record.status is RunStatus.COMPLETED
        self._conversation.say(
            f"{run_id} is undone: {paths or 'nothing had to change'}.{kept}"
            if done
            else f"{run_id} could not be undone. {undone.record.summary}"
        )

    def _last_run(self) -> str:
        """The last run of a plan of this conversation that can be undone."""
        ours = set(self._engine.plans.plans_of(self._conversation.id))
        found = (
            each.record.run_id
            for each in self._engine.runs.runs()
            if each.undoable and each.record.kind is RunKind.APPLY and each.record.plan_id in ours
        )
        return next(found, "")

    async def _checks(self) -> None:
        background, say = self._conversation.background, self._conversation.say
        plan_id = await self._conversation.wait(background.run(self._engine.plans.plan_of, self._conversation.id))
        if plan_id is None:
            say("This conversation has no plan yet.")
            return
        offered = await self._conversation.wait(background.run(self._engine.checks.offered))
        if offered.list.checks and not offered.is_accepted:
            listed = "\n".join(f"- {code(visible_in_a_line(each.command))}" for each in offered.list.checks)
            root = visible_name(str(self._engine.locations.workspace))
            accept = code(f"tandem -C {root} check {plan_id} --accept")
            say(f"These checks were not accepted yet, so nothing was run:\n\n{listed}\n\nAccept them: {accept}")
            return
        meta = await self._conversation.wait(background.run(self._engine.plans.meta, plan_id))
        _, evidence = await self._conversation.wait(background.check(plan_id, meta.revision))
        say(_told(plan_id, meta.revision, evidence))


def _told(plan_id: PlanId, revision: int, evidence: Evidence) -> str:
    lines = [f"{plan_id} r{revision}: {evidence.summary}"]
    for check in evidence.checks:
        lines.append(f"- {code(check.name)}: {len(check.new_failures)} new failures, {len(check.fixed)} fixed")
        lines += [f"  - {code(name)}" for name in check.new_failures[:_MOST_LISTED]]
    return "\n".join(lines)
