"""Whether a plan can be done at all, asked before it is approved: honest operations, known tools, bytes at hand."""

from collections.abc import Iterable
from typing import Protocol

from tandem_desktop.domain.errors import PreflightError
from tandem_desktop.domain.operation_shape import misfit
from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.execution.preflight import check_tools
from tandem_desktop.policy.tool_catalog import EXECUTE_TOOLS, name_of


class KnowsBytes(Protocol):
    """Where stored bytes are asked for."""

    def has(self, sha256: str) -> bool: ...


def refuse_impossible(operations: tuple[StagedOperation, ...], stored: KnowsBytes) -> None:
    """Look at every operation by itself; whether files have changed meanwhile is asked when it runs.

    Raises:
        PreflightError: one could never be done; it is named with the reason.
    """
    known = {operation.id for operation in operations}
    for operation in operations:
        wrong = misfit(operation)
        unknown = next((each for each in operation.blocked_by if each not in known), None)
        if wrong is None and unknown is not None:
            wrong = f"it waits for {unknown}, which is not in the plan"
        if wrong is None and isinstance(operation.after, FileState) and not stored.has(operation.after.sha256):
            wrong = "the bytes it would write are not stored here any more"
        if wrong is not None:
            raise PreflightError(
                f"{operation.id} cannot be done: {wrong.rstrip('.')}.",
                step=operation.id,
                path=operation.path,
                next="Take it out of the plan, or send the plan back.",
            )
    check_tools(operations)


def refuse_out_of_scope(operations: Iterable[StagedOperation], scope: tuple[str, ...]) -> None:
    """Run only what the plan's record names as its tools; a command only where the shell is among them.

    Raises:
        PreflightError: an operation uses another tool.
    """
    names = {name_of(tool) for tool in scope}
    in_scope = {""}
    for operation in operations:
        tool = operation.tool or (EXECUTE_TOOLS[0] if operation.is_run else "")
        if tool in in_scope:
            continue
        if name_of(tool) in names:
            in_scope.add(tool)
        else:
            raise PreflightError(
                f"Tool not available in plan scope. Only [{', '.join(scope)}] are available.",
                step=operation.id,
                next="Make a new revision: it names the tools it uses.",
            )
