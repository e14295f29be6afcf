"""Generates plans with an advisor and checks them."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from tandem_desktop.domain.advice import Question, ignore_update
from tandem_desktop.domain.agent_protocol import AgentUpdate, agent_and_model
from tandem_desktop.domain.errors import BadInputError, StagingError, TandemError
from tandem_desktop.domain.ids import SessionId, new_plan_id, new_session_id
from tandem_desktop.domain.operations import PLAN_TOOLS
from tandem_desktop.domain.plan import Note, PlanVersion
from tandem_desktop.domain.plan_steps import THINK
from tandem_desktop.domain.ports import AdvisorPort, SourceTree
from tandem_desktop.planning_tools.arguments import LoosePlan, LooseStep, Text, step_names
from tandem_desktop.policy.tools import name_of, tool_inventory
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.simulate import simulate_steps
from tandem_desktop.staging.steps import STEP_TYPES, PlanInput
from tandem_desktop.storage.paths import PromptFiles

_ALTERNATIVES = {
    "write_file": "write",
    "update_file": "edit",
    "read_file": "read",
    "create_file": "write",
    "shell": "bash",
    "run": "bash",
    "apply_patch": "patch",
    "remove": "delete",
    "rm": "delete",
    "rename": "move",
    "mv": "move",
}
"""Aliases of known tools."""
_PATH = ("file_path", "filePath", "filename", "file")


class GeneratedStep(LooseStep):
    """One step, with any tool."""

    tool: Annotated[Text, Field(description="One of the tools you were told of, or think.")] = THINK
    args: Annotated[
        dict[str, Any] | None,
        WithJsonSchema({"type": "object"}),
        Field(description="The exact arguments of the tool; none for a step that is only thought about."),
    ] = None


class GeneratedPlan(LoosePlan):
    """A plan of such steps."""

    steps: Annotated[tuple[GeneratedStep, ...], Field(min_length=1, description="What is to be done, in order.")]


@dataclass(frozen=True, slots=True)
class Sorted:
    """A checked plan."""

    plan: PlanInput
    thoughts: tuple[Note, ...]
    warnings: tuple[str, ...]
    missing: tuple[str, ...]
    """Requested tools that do not exist."""


def sort_steps(generated: GeneratedPlan, tools: tuple[str, ...], max_steps: int) -> Sorted:
    """Map tools and dependencies.

    Raises:
        BadInputError: it is malformed, too long, or nothing of it can be carried out.
        TaskCycleError: steps or tasks wait for each other in a circle.
    """
    if len(generated.steps) > max_steps:
        raise BadInputError(
            f"The plan has {len(generated.steps)} steps; at most {max_steps} are taken.", next="Shorten it."
        )
    sorting = _Sorting(generated, tools)
    if not sorting.staged:
        missing = f" There is no {', '.join(sorting.missing)} here." if sorting.missing else ""
        raise BadInputError(f"No step of the plan can be carried out.{missing}", next=f"Use {', '.join(tools)}.")
    document: dict[str, Any] = {"title": generated.title, "summary": generated.summary, "steps": sorting.staged}
    document["tasks"] = [task.model_dump(exclude_defaults=True) for task in generated.tasks]
    return Sorted(plan_from(document), tuple(sorting.thoughts), tuple(sorting.warnings), tuple(sorting.missing))


class _Sorting:
    """One pass over the steps, in order; a step may only wait for earlier ones, so one pass is enough."""

    def __init__(self, generated: GeneratedPlan, tools: tuple[str, ...]) -> None:
        self._tools = tools
        self.staged: list[dict[str, Any]] = []
        self.thoughts: list[Note] = []
        self.warnings: list[str] = []
        self.missing: list[str] = []
        self._stands_for: dict[str, tuple[str, ...]] = {}
        """What to wait for instead of a step that is only thought."""
        self._left_out: set[str] = set()
        names = step_names([step.id for step in generated.steps])
        for step, name in zip(generated.steps, names, strict=True):
            self._take(step, name)

    def _take(self, step: GeneratedStep, name: str) -> None:
        waits_for = tuple(dict.fromkeys(each for b in step.blocked_by for each in self._stands_for.get(b, (b,))))
        tool = self._tool(step.tool)
        if gone := self._left_out.intersection(step.blocked_by):
            self._leave_out(name, f"it waits for {', '.join(sorted(gone))}")
        elif step.args is None or tool == THINK:
            self.thoughts.append(Note(step=name, tool=THINK, description=step.description))
            self._stands_for[name] = waits_for
        elif tool is None:
            self.missing.append(step.tool)
            self._leave_out(name, f"there is no tool {step.tool[:60]!r} here")
        else:
            found = step.model_dump(exclude_defaults=True, exclude={"id", "tool", "args", "blocked_by"})
            args = _with_path(step.args)
            self.staged.append({**found, "id": name, "tool": tool, "args": args, "blocked_by": list(waits_for)})
            if tool != step.tool:
                self.warnings.append(f"Step {name} uses {tool} in place of {step.tool[:60]!r}, which is not here.")

    def _tool(self, wanted: str) -> str | None:
        if wanted in (*self._tools, THINK):
            return wanted
        other = _ALTERNATIVES.get(wanted) or _ALTERNATIVES.get(name_of(wanted)) or name_of(wanted)
        return other if other in self._tools and other in STEP_TYPES else None

    def _leave_out(self, name: str, why: str) -> None:
        self._left_out.add(name)
        self.warnings.append(f"Step {name} was left out: {why}.")


def _with_path(args: dict[str, Any]) -> dict[str, Any]:
    """Models write the path of a file under several names."""
    if "path" in args:
        return args
    found = next((name for name in _PATH if name in args), None)
    return args if found is None else {"path" if key == found else key: value for key, value in args.items()}


ROLE = "generator"
TOOL = "plan_propose"
PROMPT = "generator.md"
_LONGEST_TITLE = 80


class PlanGenerator:
    """Makes plans that wait for a person. Without an answer it makes a basic plan that says so and changes nothing."""

    def __init__(
        self,
        advisor: AdvisorPort,
        proposals: Proposals,
        tree: SourceTree,
        clock: Callable[[], datetime],
        *,
        max_steps: int,
        files: PromptFiles | None = None,
    ) -> None:
        self._advisor = advisor
        self._proposals = proposals
        self._tree = tree
        self._clock = clock
        self._max_steps = max_steps
        self._files = files or PromptFiles()

    async def generate(
        self,
        query: str,
        context: str = "",
        tools: tuple[str, ...] = PLAN_TOOLS,
        session_id: SessionId | None = None,
        on_update: Callable[[AgentUpdate], None] = ignore_update,
    ) -> PlanVersion:
        """A proposed plan; a basic one, marked as such, when the model fails or hands in nothing that can be used."""
        session_id = session_id or new_session_id()
        question = Question(
            role=ROLE,
            prompt=self.prompt(query, context, tools),
            tool=TOOL,
            result=GeneratedPlan,
            about=self._files.text(PROMPT),
            check=lambda generated: self._check(generated, tools),
            on_update=on_update,
            session_id=session_id,
        )
        try:
            advice = await self._advisor.ask(question)
            found = sort_steps(advice.result, tools, self._max_steps)
        except TandemError as failure:
            return self._basic(query, failure, session_id)
        for tool in found.missing:
            self._proposals.gaps.note(tool)
        planner = agent_and_model(advice.agent, advice.model)
        return self._proposals.make(
            found.plan, session_id, planner=planner, warnings=found.warnings, thoughts=found.thoughts
        )

    def prompt(self, query: str, context: str, tools: tuple[str, ...]) -> str:
        """The prompt: instructions, tools, context, and the task last."""
        known = f"What is known:\n{context.strip()}" if context.strip() else ""
        parts = (
            self._files.text(PROMPT),
            tool_inventory(),
            f"Tools of this plan: {', '.join(tools)}.",
            known,
            f"The task:\n{query}",
        )
        return "\n\n".join(part for part in parts if part)

    def _check(self, generated: GeneratedPlan, tools: tuple[str, ...]) -> None:
        """Sort the steps and simulate them in memory, so that the model is told what does not apply."""
        found: Sorted = sort_steps(generated, tools, self._max_steps)
        try:
            simulate_steps(found.plan, self._tree, self._clock())
        except StagingError as refusal:
            raise BadInputError(refusal.message, step=refusal.step, next=refusal.next) from refusal

    def _basic(self, query: str, failure: TandemError, session_id: SessionId) -> PlanVersion:
        title = " ".join(query.split())[:_LONGEST_TITLE] or "A task"
        why = f"No plan in steps could be made: {failure.message}"
        return self._proposals.stage(
            PlanVersion(
                id=str(uuid.uuid4()),
                plan_id=new_plan_id(),
                session_id=session_id,
                title=title,
                content=f"# {title}\n\n{query.strip()}\n\nThis is a basic plan: it holds the task and no operations.\n",
                notes=(Note(step="s1", tool=THINK, description=query.strip()),),
                warnings=(f"{why} {failure.next}".strip(),),
                incomplete=why,
                created_at=self._clock(),
            )
        )
