"""The plan a generator hands in, sorted: what can be staged, what is only thought, and what nothing here can do."""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, WithJsonSchema

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.execution_plan import THINK
from tandem_desktop.domain.plan import Note
from tandem_desktop.planning_tools.proposal import step_names
from tandem_desktop.planning_tools.tool_arguments import LoosePlan, LooseStep, Text
from tandem_desktop.policy.tool_catalog import name_of
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.plan_steps import STEP_TYPES, PlanInput

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
"""Other names for what there is; anything beyond has no alternative here."""
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
    """What becomes of a generated plan."""

    plan: PlanInput
    thoughts: tuple[Note, ...]
    warnings: tuple[str, ...]
    missing: tuple[str, ...]
    """Tools that were wanted and are not there."""


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
