"""Checks that the states of an operation fit its kind."""

import json
import re

from tandem_desktop.domain.errors import OutsideWorkspaceError
from tandem_desktop.domain.ids import STEP_ID
from tandem_desktop.domain.operations import ExternalCall, OperationCall, StagedOperation
from tandem_desktop.domain.paths import check_path
from tandem_desktop.domain.ports import ROOT

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def misfit(operation: StagedOperation) -> str | None:
    """What is wrong with an operation that came from elsewhere, in words; nothing where it is sound."""
    for path in operation.paths:
        try:
            if check_path(path) != path:
                return f"its path {path!r} is not spelled plainly"
        except OutsideWorkspaceError as refusal:
            return refusal.message
    if not STEP_ID.fullmatch(operation.id):
        return "its name is not a plain one"
    spec = operation.kind.spec
    fits = spec.fits(operation.base, operation.after)
    if spec.is_run:
        call = operation.external_call if spec.is_external else operation.command_call
        if call is None or operation.paths or not fits:
            return f"it is called {operation.kind} and has no such call"
        return unfit_call(call)
    if operation.call is not None or operation.path is None:
        return f"it is called {operation.kind} and names no path, or a command"
    if (operation.to is not None) != spec.has_target:
        return f"it is called {operation.kind}, and whether it moves says otherwise"
    if not fits:
        return f"it is called {operation.kind}, and its states say otherwise"
    return None


def unfit_call(call: OperationCall) -> str | None:
    """Why a command or an external call cannot be made as it stands, in words; nothing where it can."""
    if isinstance(call, ExternalCall):
        return _unfit_external(call)
    try:
        if call.cwd != ROOT and check_path(call.cwd) != call.cwd:
            return f"its folder {call.cwd!r} is not spelled plainly"
    except OutsideWorkspaceError as refusal:
        return refusal.message
    if "\0" in call.command or any("\0" in part for pair in call.env for part in pair):
        return "there is a NUL character in it"
    wrong = next((name for name, _ in call.env if not _VARIABLE.fullmatch(name)), None)
    return None if wrong is None else f"{wrong!r} is no name of a variable"


def _unfit_external(call: ExternalCall) -> str | None:
    if "\0" in call.tool or "\0" in call.target:
        return "there is a NUL character in it"
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return "its arguments are no JSON"
    return None if isinstance(arguments, dict) else "its arguments are no JSON object"
