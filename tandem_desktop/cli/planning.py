"""mcp: the planning tools on stdio, for agents of every kind."""

import os

from tandem_desktop.cli.answers import Answer
from tandem_desktop.cli.call import Call


def mcp(call: Call) -> Answer:
    """With a session the relay to the engine that leads it; without, the tools over the workspace's plans."""
    if call.arguments.session:
        from tandem_desktop.planning_tools import relay

        code = relay.main(call.arguments.session)
        call.console.give_up_stdout()  # stdout was the agent's; no answer follows
        return Answer({}, exit_code=code)
    _serve_workspace(call)
    return Answer({})


def _serve_workspace(call: Call) -> None:
    import asyncio

    from tandem_desktop.domain.ids import new_session_id
    from tandem_desktop.planning_tools.planning_tools import PlanningTools
    from tandem_desktop.planning_tools.server import DEFAULT_MESSAGE_BYTES
    from tandem_desktop.planning_tools.stdio import serve_stdio
    from tandem_desktop.planning_tools.tool_prompts import ToolPrompts
    from tandem_desktop.planning_tools.tries import Tries
    from tandem_desktop.planning_tools.workspace_desk import NOT_IN_A_WORKSPACE, WorkspaceDesk

    tools = PlanningTools(
        new_session_id(),
        WorkspaceDesk(call.engine),
        plan_mode=lambda: False,
        prompts=ToolPrompts(),
        tries=Tries(sees_turns=False),
        without=NOT_IN_A_WORKSPACE,
    )
    wire = os.dup(1)
    call.console.give_up_stdout()  # it is the agent's wire now: nothing else may be written there
    asyncio.run(serve_stdio(tools, DEFAULT_MESSAGE_BYTES, target=wire))
