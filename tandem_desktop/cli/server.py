"""The serve, acp, mcp, agent and gui commands."""

import os
import shlex
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from tandem_desktop.cli.console import Span, Tone, UsageError
from tandem_desktop.cli.main import CommandContext, CommandResult, read_input
from tandem_desktop.domain.errors import BadInputError, TandemError
from tandem_desktop.storage.paths import TANDEM_DIRECTORY

if TYPE_CHECKING:
    from tandem_desktop.domain.agent_protocol import AgentProfile


def serve(call: CommandContext) -> CommandResult:
    def ready(url: str, token: str) -> None:
        """Print the address; the first line on stdout means that requests are answered."""
        call.known["url"] = url
        if call.console.as_json:
            call.console.answer_object({"url": url, "token": token})
        else:
            call.console.answer(
                [
                    ("Listening on  ", Span(url, Tone.STRONG), ", on this machine alone."),
                    ("Token         ", Span(token, Tone.STRONG)),
                    f'Try it: curl -H "Authorization: Bearer {token}" {url}/plans',
                    "Stop with Ctrl-C.",
                ]
            )
        call.console.flush()

    call.serve(call.workspace, call.arguments.port, ready)
    return CommandResult({"url": call.known["url"], "stopped": True}, ["Stopped."])


def mcp(call: CommandContext) -> CommandResult:
    """With a session the relay to the engine that leads it; without, the tools over the workspace's plans."""
    if call.arguments.session:
        from tandem_desktop.planning_tools import relay as planning_tool_relay

        code = planning_tool_relay.main(call.arguments.session)
        call.console.give_up_stdout()  # stdout was the agent's; no answer follows
        return CommandResult({}, exit_code=code)
    _serve_workspace(call)
    return CommandResult({})


def _serve_workspace(call: CommandContext) -> None:
    import asyncio

    from tandem_desktop.domain.ids import new_session_id
    from tandem_desktop.planning_tools.definitions import ToolPrompts
    from tandem_desktop.planning_tools.handlers import NOT_IN_A_WORKSPACE, WorkspaceToolHandler
    from tandem_desktop.planning_tools.server import DEFAULT_MESSAGE_BYTES, check_mcp_installed
    from tandem_desktop.planning_tools.tools import PlanningTools, RetryBudget

    check_mcp_installed()
    from tandem_desktop.planning_tools.mcp import serve_stdio

    tools = PlanningTools(
        new_session_id(),
        WorkspaceToolHandler(call.engine),
        plan_mode=lambda: False,
        prompts=ToolPrompts(),
        tries=RetryBudget(sees_turns=False),
        without=NOT_IN_A_WORKSPACE,
    )
    wire = os.dup(1)
    call.console.give_up_stdout()  # it is the agent's wire now: nothing else may be written there
    asyncio.run(serve_stdio(tools, DEFAULT_MESSAGE_BYTES, target=wire))


def acp(call: CommandContext) -> CommandResult:
    """An agent for an editor until it disconnects."""
    from tandem_desktop.cli.agents import chosen_environment

    profile, environment = _named_agent(call), chosen_environment(call)
    _check_editor(call)
    # What becomes of a plan is told with the next message: a turn of the agent's own would keep that waiting.
    profile = profile.model_copy(update={"set_env": {**profile.set_env, **environment}, "told_at_once": False})
    root = getattr(call.arguments, "workspace", None)
    wire = os.dup(1)
    call.console.give_up_stdout()  # it is the editor's wire now: nothing else may be written there
    call.serve_editor(profile, Path(root).resolve() if root else None, call.arguments.allow_host, wire)
    return CommandResult({})


def _check_editor(call: CommandContext) -> None:
    """Raises BadInputError where there is no editor at the other end."""
    mode = os.fstat(0).st_mode
    if os.isatty(0):
        call.console.remark("An editor calls this; docs/editors.md has the line for its settings. Stop with Ctrl-C.")
    elif not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        raise BadInputError("Standard input is no pipe of an editor.", next="Put the call into the editor's settings.")


def _named_agent(call: CommandContext) -> "AgentProfile":
    """The agent that is named, by a name, by a command, or by the words after `--`."""
    from tandem_desktop.acp_client.profiles import BUILT_IN, custom_profile, load_profiles, profile_named

    given = call.arguments
    if sum(map(bool, (given.agent, given.agent_command is not None, given.words))) > 1:
        raise UsageError(
            "--agent, --agent-command and a command after -- exclude each other.", next="Give one of them."
        )
    if given.words:
        words = tuple(given.words)
        known = (each for each in load_profiles() if each.command == words)
        return next(known, None) or custom_profile(shlex.join(words))
    if given.agent_command is not None:
        return custom_profile(given.agent_command)
    from tandem_desktop.settings_io import SETTINGS_FILE, config_directory, load_settings

    chosen = given.agent or load_settings(config_directory() / SETTINGS_FILE).settings.agent
    return profile_named(chosen or BUILT_IN)


def agent(call: CommandContext) -> CommandResult:
    """Serve as the built-in agent until the client disconnects."""
    if call.arguments.regex_worker:
        import sys

        from tandem_desktop.recipes.regex_worker import serve

        serve(sys.stdin, sys.stdout)
        code = 0
    elif call.arguments.proof_worker:
        from tandem_desktop.diff import proof_worker

        proof_worker.main()
        code = 0
    else:
        from tandem_desktop.builtin_agent.server import main

        code = main()
    call.console.give_up_stdout()  # it belonged to the client
    return CommandResult({}, exit_code=code)


_MARKS = (TANDEM_DIRECTORY, ".git")


def gui(call: CommandContext) -> CommandResult:
    chosen = call.arguments.folder or getattr(call.arguments, "workspace", None)
    if chosen and Path(chosen).is_file():
        return _shown(_open_patch(call, Path(chosen).absolute()))
    root = Path(chosen).absolute() if chosen else None
    if call.arguments.plan is None:
        return _shown(call.open_window(root, None, ""))
    engine = call.build_engine(root or Path().absolute())
    try:
        plan = engine.plans.resolve(call.arguments.plan)
    finally:
        engine.close()
    return _shown(call.open_window(root or Path().absolute(), plan, ""))


def _open_patch(call: CommandContext, patch: Path) -> int:
    """A file opened from the desktop has no terminal: show the refusal of a patch in the window."""
    project = getattr(call.arguments, "workspace", None) or project_of(patch)
    root = Path(project or patch.parent).absolute()
    try:
        raw = read_input(str(patch), "a unified diff", call.console)
        engine = call.build_engine(root)
        try:
            plan = engine.proposals.review_patch(raw, title=patch.name).plan_id
        finally:
            engine.close()
    except TandemError as refusal:
        call.console.complain(refusal.message, refusal.next)
        if project is None:  # a folder of downloads is no workspace
            return call.open_window(None, None, _of_no_project(patch, refusal))
        return call.open_window(root, None, f"{patch.name}: {refusal.message}")
    return call.open_window(root, plan, "")


def project_of(patch: Path) -> Path | None:
    """The project a patch lies in, if it lies in one."""
    return next((each for each in patch.parents if any((each / mark).exists() for mark in _MARKS)), None)


def _of_no_project(patch: Path, refusal: TandemError) -> str:
    return (
        f"{patch.name} lies in no project, and does not fit its own folder: {refusal.message} "
        f"Move it into the project it is for and open it there, or type: tandem -C PROJECT review {patch.name}"
    )


def _shown(code: int) -> CommandResult:
    return CommandResult({"exit_code": code}, exit_code=code)
