"""The command of a tool call, in the form in which a plan carries it."""

from pydantic import ValidationError

from tandem_desktop.domain.agents import ToolCall
from tandem_desktop.domain.errors import OutsideWorkspaceError, StepRefusedError
from tandem_desktop.domain.operations import CommandCall
from tandem_desktop.domain.paths import check_path
from tandem_desktop.domain.ports import ROOT
from tandem_desktop.staging.plan_steps import BashArgs


def command_call(call: ToolCall) -> CommandCall:
    """What would run, and where.

    Raises:
        StepRefusedError: it is no command a plan could carry, or one that would run outside the workspace.
    """
    try:
        cwd = ROOT if call.cwd in (None, "", ROOT) else check_path(call.cwd or ROOT)
        return CommandCall(command=BashArgs(command=call.command or "", cwd=cwd).command, cwd=cwd)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        reason = problem.get("ctx", {}).get("error", problem["msg"])
        raise StepRefusedError(f"The command {reason}.", next="Name a command the shell can run.") from None
    except OutsideWorkspaceError as error:
        raise StepRefusedError(
            f"The command would run outside the workspace. {error.message}", path=error.path, next=error.next
        ) from None
