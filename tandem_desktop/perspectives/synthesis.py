"""Perspectives become a plan: tasks with dependencies, in one text a person can read."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from tandem_desktop.domain.advice import Question
from tandem_desktop.domain.agent_ports import AdvisorPort
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import STEP_ID, SessionId, TaskId
from tandem_desktop.domain.perspectives import Listed, Perspectives, Voice, Words
from tandem_desktop.domain.qualification import RiskLevel
from tandem_desktop.domain.tasks import PlanTask, TaskPriority
from tandem_desktop.perspectives.wording import all_as_text
from tandem_desktop.policy.prompt_files import PromptFiles
from tandem_desktop.tasks.task_graph import TaskGraph

TOOL = "plan_propose"
MOST_TASKS = 20
_ABOUT = "Hand in the plan: a summary and tasks with dependencies. Nothing is written; a person decides about it."


class SynthesizedTask(Frozen):
    """One part of the work."""

    id: Annotated[Words, Field(description="A short name, such as t1.")]
    subject: Annotated[Words, Field(description="What it does, in one line.")]
    description: Annotated[str, Field(description="What exactly is to be done, and how one sees that it worked.")] = ""
    active_form: Annotated[str, Field(description='What is said while it is under way: "Updating the endpoint…".')] = ""
    agent: Annotated[
        Literal["chapo", "koda", "devo"],
        Field(description="Who does it: koda for code, devo for operations, chapo for anything else."),
    ] = "koda"
    priority: Annotated[TaskPriority, Field(description="How much it matters.")] = TaskPriority.NORMAL
    blocked_by: Annotated[Listed, Field(description="The ids of tasks that must be finished first.")] = ()


class SynthesizedPlan(Frozen):
    """What a synthesis hands in."""

    title: Annotated[Words, Field(description="One line that names the plan.")]
    summary: Annotated[Words, Field(description="What will be done and why, for the person who decides.")]
    tasks: Annotated[
        tuple[SynthesizedTask, ...], Field(description="Parts of the work, each small enough to be reviewed by itself.")
    ]
    estimated_duration: Annotated[str, Field(description='How long it takes, in words, such as "two hours".')] = ""
    overall_risk: Annotated[RiskLevel, Field(description="Of the whole plan, all concerns considered.")]


@dataclass(frozen=True, slots=True)
class Synthesis:
    """The plan that came of the perspectives."""

    title: str
    text: str
    """Markdown for a person."""
    tasks: tuple[PlanTask, ...]
    """In an order in which they can be done."""


async def synthesize(
    advisor: AdvisorPort, found: Perspectives, session_id: SessionId, prompts: PromptFiles | None = None
) -> tuple[Synthesis, Perspectives]:
    """Put the perspectives together; what they are now says how long it takes and what is at stake.

    Raises:
        TandemError: CHAPO could not; `NoAnswerError` where what was handed in had a cycle to the last.
    """
    instructions = (prompts or PromptFiles()).text("perspectives/synthesis.md")
    words = f"{instructions}\n\nThe task, in the person's words:\n\n{found.task}\n\n{all_as_text(found)}"
    question = Question(
        Voice.CHAPO.value,
        words,
        TOOL,
        SynthesizedPlan,
        about=_ABOUT,
        check=refuse_senseless,
        session_id=session_id,
    )
    plan = (await advisor.ask(question)).result
    told = found.model_copy(update={"estimated_duration": plan.estimated_duration, "overall_risk": plan.overall_risk})
    return Synthesis(plan.title, _text(plan, found), _ordered(plan)), told


def refuse_senseless(plan: SynthesizedPlan) -> None:
    """Raises BadInputError or TaskError: no tasks, too many, names nobody can use, circles."""
    if not plan.tasks:
        raise BadInputError("`tasks` is an empty list.", next="Give at least one task.")
    if len(plan.tasks) > MOST_TASKS:
        raise BadInputError(f"These are {len(plan.tasks)} tasks; more than {MOST_TASKS} cannot be reviewed.", next="")
    for task in plan.tasks:
        if not STEP_ID.fullmatch(task.id):
            raise BadInputError(f"{task.id[:60]!r} is no id.", next="Use letters, digits, '-' and '_', such as t1.")
    TaskGraph(plan.tasks)


def _ordered(plan: SynthesizedPlan) -> tuple[PlanTask, ...]:
    tasks = {
        task.id: PlanTask(
            id=TaskId(task.id),
            subject=task.subject,
            description=task.description,
            active_form=task.active_form,
            agent=task.agent,
            priority=task.priority,
            blocked_by=tuple(map(TaskId, task.blocked_by)),
        )
        for task in plan.tasks
    }
    return tuple(tasks[name] for name in TaskGraph(plan.tasks).order)


def _text(plan: SynthesizedPlan, found: Perspectives) -> str:
    lines = [plan.summary.strip(), "", "## Tasks", ""]
    for task in plan.tasks:
        after = f", after {', '.join(task.blocked_by)}" if task.blocked_by else ""
        lines.append(f"- **{task.id}** {task.subject} ({task.agent.upper()}{after})")
        if task.description.strip():
            lines.append(f"  {task.description.strip()}")
    facts = [f"Risk: {plan.overall_risk.value}"]
    if plan.estimated_duration.strip():
        facts.append(f"Estimated duration: {plan.estimated_duration.strip()}")
    lines += ["", *(f"{fact}." for fact in facts)]
    lines += [f"Without {lost.part.upper()}: {lost.reason}" for lost in found.missing]
    return "\n".join(lines)
