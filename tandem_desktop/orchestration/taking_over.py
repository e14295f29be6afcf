"""Let an agent begin where a plan is: what the plan would do is done in the agent's shadow before its first turn."""

from tandem_desktop.domain.operations import FileState, NodeState, PathChange, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.orchestration.session_staging import SessionStaging
from tandem_desktop.policy import messages
from tandem_desktop.shadow.shadow_workspace import ShadowWorkspace
from tandem_desktop.staging.difference import difference
from tandem_desktop.staging.intercepted import QueuedCommand
from tandem_desktop.storage.objects import ObjectStore


def take_over(version: PlanVersion, shadow: ShadowWorkspace, staging: SessionStaging, objects: ObjectStore) -> str:
    """Carry a revision out in the shadow, its commands queued; the words say what is there and what could not be.

    What changed on disk since is left out: the shadow begins with the disk, and the person's edit must not be undone
    without anybody seeing it. Interrupted, it may be done again.
    """
    carried: list[StagedOperation] = []
    left: list[StagedOperation] = []
    for number, operation in enumerate(version.operations, start=1):
        if operation.call is not None:
            command = QueuedCommand(
                number=number, call=operation.call, tool=operation.tool, description=operation.description
            )
            staging.queue(command)
        elif all(_fits(change, shadow) for change in operation.changes()):
            for change in operation.changes():
                shadow.put(change.path, change.after, _bytes(change.after, objects))
        else:
            left.append(operation)
            continue
        carried.append(operation)
    return messages.taken_over(version.title, version.content, carried, left)


def _fits(change: PathChange, shadow: ShadowWorkspace) -> bool:
    found = shadow.state(change.path)
    return found == change.after or difference(change.before, found) is None


def _bytes(state: NodeState, objects: ObjectStore) -> bytes | None:
    return objects.read(state.sha256) if isinstance(state, FileState) else None
