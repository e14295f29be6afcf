"""Ask a mind in which order a plan had better be carried out; what cannot be is refused before anybody sees it."""

from pydantic import Field

from tandem_desktop.domain.advice import Question
from tandem_desktop.domain.agent_ports import AdvisorPort
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.perspectives import Voice
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.policy.prompt_files import PromptFiles
from tandem_desktop.tasks.suggested_order import SuggestedOrder, refuse_impossible

TOOL = "plan_propose"
_ABOUT = "Hand in the order of the operations and why. Nothing is changed; a person decides about it."
PROMPT = "order.md"


class AdvisedOrder(Frozen):
    """What a mind hands in."""

    order: tuple[OperationId, ...] = Field(description="Every operation id exactly once, in the better order.")
    reason: str = Field(min_length=1, max_length=600, description="Why, in one or two plain sentences.")


async def advise_order(advisor: AdvisorPort, version: PlanVersion, files: PromptFiles | None = None) -> SuggestedOrder:
    """An order that is possible, and the mind's reason.

    Raises:
        TandemError: nobody could say.
    """
    instructions = (files or PromptFiles()).text(PROMPT)
    question = Question(
        role=Voice.CHAPO.value,
        words="\n\n".join((instructions, f"The plan: {version.title}", "\n".join(map(_line, version.operations)))),
        tool=TOOL,
        result=AdvisedOrder,
        about=_ABOUT,
        check=lambda advised: refuse_impossible(advised.order, version.operations),
        session_id=version.session_id,
    )
    advice = await advisor.ask(question)
    return SuggestedOrder(advice.result.order, (advice.result.reason,), by=advice.title or advice.agent)


def _line(operation: StagedOperation) -> str:
    waits = f", waits for {', '.join(operation.blocked_by)}" if operation.blocked_by else ""
    task = f", task {operation.task}" if operation.task is not None else ""
    return f"- {operation.id}: {operation.kind.value} {operation.subject}{task}{waits}. {operation.description}"
