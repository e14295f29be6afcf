"""Talk with a model: its words are passed on as they come, its tool calls are done, what was said is remembered."""

from typing import Any

from pydantic_ai import Agent, AgentRunResultEvent
from pydantic_ai.exceptions import AgentRunError, ModelHTTPError, UsageLimitExceeded, UserError
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
)
from pydantic_ai.usage import UsageLimits

from tandem_desktop.agent.client_port import ClientPort
from tandem_desktop.agent.instructions import instructions
from tandem_desktop.agent.model_tools import offered_tool, own_tools, plan_tool
from tandem_desktop.agent.models import ModelChoice, build_model
from tandem_desktop.agent.planning_servers import PlanningServers
from tandem_desktop.agent.tools import Tools
from tandem_desktop.agent.work_tree import WorkTree
from tandem_desktop.domain.agents import AgentSaid, StopReason, UsageReported

MAX_REQUESTS = 200
"""How often the model is asked within one turn before the person has to say go on."""

_REASONS = {"length": StopReason.MAX_TOKENS, "content_filter": StopReason.REFUSAL}


class ModelConversation:
    """One model, one session. A turn that is cancelled or fails is forgotten; those before it stay."""

    def __init__(self, choice: ModelChoice, work: WorkTree, client: ClientPort, servers: PlanningServers) -> None:
        self._choice = choice
        self._work = work
        self._client = client
        self._servers = servers
        self._tools = Tools(work, client)
        self._history: list[ModelMessage] = []
        self._agent: Agent[None, str] | None = None
        self._has_spoken = False
        """Whether anything was said in this turn."""

    async def answer(self, text: str) -> StopReason:
        """Answer `text`.

        Raises:
            BadInputError: the model's library is not installed.
        """
        agent = await self._ready()
        self._has_spoken = False
        try:
            return await self._run(agent, text)
        except UsageLimitExceeded:
            return StopReason.MAX_TURN_REQUESTS
        except ModelHTTPError as error:
            return await self._failed(
                f"The model {error.model_name} refused with status {error.status_code}: {error.body}"
            )
        except (AgentRunError, UserError, OSError) as error:
            return await self._failed(f"The model could not answer: {error}")

    async def close(self) -> None:
        await self._servers.close()

    async def _ready(self) -> Agent[None, str]:
        if self._agent is None:
            offered, problems = await self._servers.tools()
            for problem in problems:
                await self._client.tell(AgentSaid(text=f"{problem}\n\n"))
            tools = [*own_tools(self._tools), *(offered_tool(self._tools, tool) for tool in offered)]
            if not any(tool.name.endswith("present_plan") for tool in offered):
                tools.append(plan_tool(self._tools))
            told = await self._work.at_work(lambda tree: instructions(tree, str(self._work.root)))
            self._agent = Agent(build_model(self._choice), instructions=told, tools=tools)
        return self._agent

    async def _run(self, agent: Agent[None, str], text: str) -> StopReason:
        limits = UsageLimits(request_limit=MAX_REQUESTS)
        reason = StopReason.END_TURN
        async with agent.run_stream_events(text, message_history=self._history, usage_limits=limits) as events:
            async for event in events:
                if isinstance(event, AgentRunResultEvent):
                    self._history = event.result.all_messages()
                    reason = await self._finished(event.result.all_messages())
                else:
                    await self._pass_on(event)
        return reason

    async def _pass_on(self, event: Any) -> None:
        match event:
            case PartStartEvent(part=TextPart(content=text)):
                # What is said after a tool call is a paragraph of its own.
                await self._say(f"\n\n{text}" if self._has_spoken else text)
                self._has_spoken = True
            case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
                await self._say(text)
            case PartStartEvent(part=ThinkingPart(content=text)):
                await self._say(text, thought=True)
            case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=str(text))):
                await self._say(text, thought=True)

    async def _finished(self, messages: list[ModelMessage]) -> StopReason:
        last = messages[-1]
        if not isinstance(last, ModelResponse):
            return StopReason.END_TURN
        await self._client.tell(UsageReported(used=last.usage.input_tokens + last.usage.output_tokens))
        return _REASONS.get(last.finish_reason or "", StopReason.END_TURN)

    async def _failed(self, sentence: str) -> StopReason:
        await self._say(self._choice.redacted(f"{sentence}\n"))
        return StopReason.END_TURN

    async def _say(self, text: str, *, thought: bool = False) -> None:
        if text:
            await self._client.tell(AgentSaid(text=text, thought=thought))
