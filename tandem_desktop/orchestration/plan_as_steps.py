"""A stored revision as a plan input again: steps that would stage the same operations in a workspace like this one."""

import base64
from collections.abc import Iterator
from typing import Any

from tandem_desktop.domain.operations import (
    NEW_DIRECTORY_MODE,
    NEW_FILE_MODE,
    NodeState,
    OperationKind,
    StagedOperation,
)
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.tasks import PlanTask
from tandem_desktop.staging.hunks import hunks
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.plan_steps import PlanInput
from tandem_desktop.staging.unified import unified
from tandem_desktop.storage.objects import ObjectStore


def plan_as_steps(version: PlanVersion, objects: ObjectStore) -> PlanInput:
    """The input again. Changes of text are patches, so that they also fit a file that differs elsewhere."""
    return plan_from(
        {
            "title": version.title,
            "tasks": [_task(task) for task in version.tasks],
            "steps": [step for operation in version.operations for step in _steps(operation, objects)],
        }
    )


def _task(task: PlanTask) -> dict[str, Any]:
    return {
        "id": task.id,
        "subject": task.subject,
        "description": task.description,
        "agent": task.agent,
        "priority": task.priority.value,
        "blocked_by": list(task.blocked_by),
    }


def _steps(operation: StagedOperation, objects: ObjectStore) -> Iterator[dict[str, Any]]:
    calls = list(_calls(operation, objects))
    for number, (tool, args) in enumerate(calls):
        last = number == len(calls) - 1
        step: dict[str, Any] = {
            "id": operation.id if last else f"{operation.id}-first",
            "description": operation.description or tool,
            "tool": tool,
            "args": args,
        }
        if operation.task is not None:
            step["task"] = operation.task
        if operation.blocked_by:
            step["blocked_by"] = list(operation.blocked_by)
        yield step


def _calls(operation: StagedOperation, objects: ObjectStore) -> Iterator[tuple[str, dict[str, Any]]]:
    path, base, after = operation.path or "", operation.base, operation.after
    match operation.kind:
        case OperationKind.COMMAND:
            yield "bash", _command(operation)
        case OperationKind.DELETE:
            yield "delete", {"path": path}
        case OperationKind.MKDIR:
            yield "mkdir", {"path": path}
            if after.type == "dir" and after.mode != NEW_DIRECTORY_MODE:
                yield "chmod", {"path": path, "mode": _mode(after)}
        case OperationKind.MOVE:
            yield "move", {"path": path, "to": operation.to}
            if after != base:
                yield _written(operation.to or "", base, after, objects)
        case _ if after.type == "symlink":
            yield "symlink", {"path": path, "target": after.target}
        case OperationKind.CHMOD:
            yield "chmod", {"path": path, "mode": _mode(after)}
        case _:
            yield _written(path, base, after, objects)


def _command(operation: StagedOperation) -> dict[str, Any]:
    call = operation.call
    assert call is not None
    args: dict[str, Any] = {"command": call.command, "cwd": call.cwd, "timeout_s": call.timeout_s}
    return {**args, "env": dict(call.env)} if call.env else args


def _written(path: str, base: NodeState, after: NodeState, objects: ObjectStore) -> tuple[str, dict[str, Any]]:
    assert after.type == "file"
    new = objects.read(after.sha256)
    same_mode = base.type == "file" and base.mode == after.mode
    if base.type == "file" and same_mode:
        old = objects.read(base.sha256)
        diff = unified(path, path, hunks(old, new))
        if b"\0" not in old + new and _is_text(diff):
            return "patch", {"diff": diff.decode()}
    content = {"content": new.decode()} if _is_text(new) else {"content_base64": base64.b64encode(new).decode()}
    permissions = {} if same_mode or (after.mode == NEW_FILE_MODE and base.type == "absent") else {"mode": _mode(after)}
    return "write", {"path": path, **content, **permissions}


def _mode(state: NodeState) -> str:
    assert state.type in ("file", "dir")
    return f"{state.mode:04o}"


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
