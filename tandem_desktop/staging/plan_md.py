"""`PLAN.md`, the text of the plan in the workspace: an operation of the plan, reviewed and undone like any other."""

from dataclasses import dataclass

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import (
    ABSENT,
    NEW_FILE_MODE,
    Absent,
    FileState,
    NodeState,
    OperationKind,
    StagedOperation,
)
from tandem_desktop.domain.paths import folded
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.ports import SourceTree

PLAN_MD = "PLAN.md"
_ID = OperationId("plan-md")
_TOOL = "write"


@dataclass(frozen=True, slots=True)
class WithPlanMd:
    """A draft that writes its own text down, first of all; and the bytes that have to be stored for it."""

    version: PlanVersion
    contents: tuple[bytes, ...] = ()


def with_plan_md(version: PlanVersion, tree: SourceTree) -> WithPlanMd:
    """Add the operation, unless the plan has something else in mind for the file, or it says just that already."""
    taken = any(folded(path) == folded(PLAN_MD) for operation in version.operations for path in operation.paths)
    if taken or any(operation.id == _ID for operation in version.operations):
        return WithPlanMd(version)
    base, before = _found(tree)
    if not isinstance(base, Absent | FileState):
        words = f"{PLAN_MD} is not a file here, so the text of the plan is not written down."
        return WithPlanMd(version.model_copy(update={"warnings": (*version.warnings, words)}))
    text = version.content.encode("utf-8", "surrogatepass")
    if before == text:
        return WithPlanMd(version)
    operation = StagedOperation(
        id=_ID,
        kind=OperationKind.CREATE if isinstance(base, Absent) else OperationKind.MODIFY,
        path=PLAN_MD,
        base=base,
        after=FileState.of(text, NEW_FILE_MODE if isinstance(base, Absent) else base.mode),
        tool=_TOOL,
        description="The text of this plan",
        staged_at=version.created_at,
    )
    added = version.model_copy(update={"operations": (operation, *version.operations)})
    return WithPlanMd(added, (text,) if before is None else (before, text))


def _found(tree: SourceTree) -> tuple[NodeState | None, bytes | None]:
    """What is there; no state where it cannot be read or is in the way."""
    try:
        state = tree.state(PLAN_MD)
        return (state, tree.read(PLAN_MD)) if isinstance(state, FileState) else (state or ABSENT, None)
    except TandemError:
        return None, None
