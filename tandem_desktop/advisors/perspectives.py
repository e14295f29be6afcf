"""Collects perspectives on a task and synthesizes a plan."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Literal

from tandem_desktop.domain.advice import Advice, Qualification, Question, RiskLevel
from tandem_desktop.domain.agent_protocol import AgentUpdate, ToolCallChanged, ToolCallStatus
from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import BadInputError, TandemError
from tandem_desktop.domain.events import (
    PerspectiveCompleted,
    PerspectiveFailed,
    PerspectiveMoved,
    PerspectiveStarted,
    PlanningEvent,
)
from tandem_desktop.domain.ids import STEP_ID, OperationId, SessionId, TaskId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.perspectives import (
    ChapoOpinion,
    ChapoPerspective,
    DevoOpinion,
    DevoPerspective,
    KodaOpinion,
    KodaPerspective,
    Listed,
    Opinion,
    Perspective,
    Perspectives,
    Role,
    Words,
    all_as_text,
    as_text,
)
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.ports import AdvisorPort
from tandem_desktop.domain.tasks import PlanTask, TaskPriority
from tandem_desktop.storage.paths import PromptFiles
from tandem_desktop.tasks.graph import TaskGraph
from tandem_desktop.tasks.suggested_order import SuggestedOrder, refuse_impossible

TOOL = "submit_perspective"

_SHAPES: Mapping[Role, tuple[type[Opinion], type[Perspective]]] = {
    Role.CHAPO: (ChapoOpinion, ChapoPerspective),
    Role.KODA: (KodaOpinion, KodaPerspective),
    Role.DEVO: (DevoOpinion, DevoPerspective),
}


@dataclass(frozen=True, slots=True)
class TaskToPlan:
    """What the advisors are asked about."""

    session_id: SessionId
    task: str
    qualification: Qualification


class Gathering:
    """Collects perspectives. Advisors may only read."""

    def __init__(
        self,
        advisor: AdvisorPort,
        tell: Callable[[PlanningEvent], None],
        clock: Callable[[], datetime],
        prompts: PromptFiles | None = None,
    ) -> None:
        self._advisor = advisor
        self._tell = tell
        self._clock = clock
        self._prompts = prompts or PromptFiles()

    async def gather(self, about: TaskToPlan) -> Perspectives:
        """CHAPO first, who qualifies the task for the others; then KODA and DEVO side by side."""
        asked = Perspectives(task=about.task, qualification=about.qualification.summary)
        found = await self._ask_role(asked, about, Role.CHAPO)
        if found.chapo is not None:
            qualification = found.chapo.qualified(about.qualification)
            about = replace(about, qualification=qualification)
            found = found.model_copy(update={"qualification": qualification.summary})
        both = await asyncio.gather(*(self._ask(found, about, voice) for voice in (Role.KODA, Role.DEVO)))
        for voice, answer in zip((Role.KODA, Role.DEVO), both, strict=True):
            found = _taken(found, voice, answer)
        return found

    async def _ask_role(self, found: Perspectives, about: TaskToPlan, voice: Role) -> Perspectives:
        return _taken(found, voice, await self._ask(found, about, voice))

    async def _ask(self, found: Perspectives, about: TaskToPlan, voice: Role) -> "Perspective | TandemError":
        self._tell(PerspectiveStarted(session_id=about.session_id, agent=voice))
        said, _ = _SHAPES[voice]
        question = Question(
            role=voice.value,
            prompt=self._prompt(found, about, voice),
            tool=TOOL,
            result=said,
            on_update=lambda update: self._follow(about.session_id, voice, update),
            session_id=about.session_id,
        )
        try:
            perspective = self._perspective(voice, await self._advisor.ask(question))
        except TandemError as error:
            self._tell(PerspectiveFailed(session_id=about.session_id, agent=voice, reason=error.message))
            return error
        self._tell(PerspectiveCompleted(session_id=about.session_id, agent=voice, perspective=perspective))
        return perspective

    def _perspective(self, voice: Role, advice: Advice[Opinion]) -> Perspective:
        _, kept = _SHAPES[voice]
        return kept.model_validate(
            {
                **advice.result.model_dump(),
                "timestamp": self._clock(),
                "spoken_by": advice.agent,
                "model": advice.model,
                "files_read": advice.read,
                "denied": advice.denied,
                "thrown_away": advice.thrown_away,
            }
        )

    def _prompt(self, found: Perspectives, about: TaskToPlan, voice: Role) -> str:
        known = "What its words show" if voice is Role.CHAPO else "The task is qualified"
        parts = [
            self._prompts.text(f"perspectives/{voice.value}.md"),
            f"The task, in the person's words:\n\n{about.task}",
            f"{known}: {about.qualification.summary}",
        ]
        if about.qualification.context:
            parts.append(f"It names: {', '.join(about.qualification.context)}.")
        parts += [f"What {each.agent.value.upper()} has said:\n\n{as_text(each)}" for each in found.voices]
        return "\n\n".join(part for part in parts if part)

    def _follow(self, session_id: SessionId, voice: Role, update: AgentUpdate) -> None:
        if isinstance(update, ToolCallChanged) and update.call.status is not ToolCallStatus.PENDING:
            doing = update.call.title or update.call.tool or update.call.kind.value
            self._tell(PerspectiveMoved(session_id=session_id, agent=voice, doing=doing))


def _taken(found: Perspectives, voice: Role, answer: "Perspective | TandemError") -> Perspectives:
    if isinstance(answer, TandemError):
        return found.without(voice.value, answer.message, answer.next)
    return found.with_voice(answer)


SYNTHESIS_TOOL = "plan_propose"
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
    """Synthesize the perspectives into tasks; the returned perspectives have the duration and the risk.

    Raises:
        TandemError: CHAPO could not; `NoAnswerError` where what was handed in had a cycle to the last.
    """
    instructions = (prompts or PromptFiles()).text("perspectives/synthesis.md")
    prompt = f"{instructions}\n\nThe task, in the person's words:\n\n{found.task}\n\n{all_as_text(found)}"
    question = Question(
        Role.CHAPO.value,
        prompt,
        SYNTHESIS_TOOL,
        SynthesizedPlan,
        about=_ABOUT,
        check=refuse_senseless,
        session_id=session_id,
    )
    plan = (await advisor.ask(question)).result
    told = found.model_copy(update={"estimated_duration": plan.estimated_duration, "overall_risk": plan.overall_risk})
    return Synthesis(plan.title, _text(plan, found), _ordered(plan)), told


def refuse_senseless(plan: SynthesizedPlan) -> None:
    """Raises BadInputError or TaskError: no tasks, too many, invalid names, cycles."""
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


ORDER_TOOL = "plan_propose"
_ABOUT_ORDER = "Hand in the order of the operations and why. Nothing is changed; a person decides about it."
PROMPT = "order.md"


class AdvisedOrder(Frozen):
    """What an advisor hands in."""

    order: tuple[OperationId, ...] = Field(description="Every operation id exactly once, in the better order.")
    reason: str = Field(min_length=1, max_length=600, description="Why, in one or two plain sentences.")


async def advise_order(advisor: AdvisorPort, version: PlanVersion, files: PromptFiles | None = None) -> SuggestedOrder:
    """An order that is possible, and the advisor's reason.

    Raises:
        TandemError: there was no answer.
    """
    instructions = (files or PromptFiles()).text(PROMPT)
    question = Question(
        role=Role.CHAPO.value,
        prompt="\n\n".join((instructions, f"The plan: {version.title}", "\n".join(map(_line, version.operations)))),
        tool=ORDER_TOOL,
        result=AdvisedOrder,
        about=_ABOUT_ORDER,
        check=lambda advised: refuse_impossible(advised.order, version.operations),
        session_id=version.session_id,
    )
    advice = await advisor.ask(question)
    return SuggestedOrder(advice.result.order, (advice.result.reason,), by=advice.title or advice.agent)


def _line(operation: StagedOperation) -> str:
    waits = f", waits for {', '.join(operation.blocked_by)}" if operation.blocked_by else ""
    task = f", task {operation.task}" if operation.task is not None else ""
    return f"- {operation.id}: {operation.kind.value} {operation.subject}{task}{waits}. {operation.description}"
