"""Have a plan made: query, context and tools go to a mind; what comes back is checked, tried and proposed."""

import uuid
from collections.abc import Callable
from datetime import datetime

from tandem_desktop.domain.advice import Question, unheard
from tandem_desktop.domain.agent_ports import AdvisorPort
from tandem_desktop.domain.agents import AgentUpdate, agent_and_model
from tandem_desktop.domain.errors import BadInputError, StagingError, TandemError
from tandem_desktop.domain.execution_plan import THINK
from tandem_desktop.domain.ids import SessionId, new_plan_id, new_session_id
from tandem_desktop.domain.operations import PLAN_TOOLS
from tandem_desktop.domain.plan import Note, PlanVersion
from tandem_desktop.domain.ports import SourceTree
from tandem_desktop.orchestration.generated_plan import GeneratedPlan, Sorted, sort_steps
from tandem_desktop.orchestration.proposals import Proposals
from tandem_desktop.policy.prompt_files import PromptFiles
from tandem_desktop.policy.tool_inventory import tool_inventory
from tandem_desktop.staging.simulate import simulate_steps

ROLE = "generator"
TOOL = "plan_propose"
PROMPT = "generator.md"
_LONGEST_TITLE = 80


class PlanGenerator:
    """Makes plans that wait for a person. When nobody can make one, a basic plan says so and changes nothing."""

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
        heard: Callable[[AgentUpdate], None] = unheard,
    ) -> PlanVersion:
        """A proposed plan; a basic one, marked as such, when the model fails or hands in nothing that can be used."""
        session_id = session_id or new_session_id()
        question = Question(
            role=ROLE,
            words=self.prompt(query, context, tools),
            tool=TOOL,
            result=GeneratedPlan,
            about=self._files.text(PROMPT),
            check=lambda generated: self._check(generated, tools),
            heard=heard,
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
        """Instructions, what there is to work with, what is known, and the task last."""
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
        """Sorted and tried on the workspace in memory, so that the model hears what does not apply."""
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
