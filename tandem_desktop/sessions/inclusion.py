"""Takes ignored files of a session's shadow into its plan."""

from collections.abc import Iterable

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.lifecycle import check
from tandem_desktop.domain.operations import PathChange
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.domain.state_machine import PlanUpdated
from tandem_desktop.services.engine import Engine
from tandem_desktop.shadow.by_products import IncludeGlobs
from tandem_desktop.shadow.workspace import ShadowChange, ShadowWorkspace
from tandem_desktop.staging.segments import Segment, first_free_number, staged_operations


def include_ignored(engine: Engine, plan_id: PlanId, globs: Iterable[str], shadow: ShadowWorkspace) -> PlanVersion:
    """The same plan with ignored files that fit the globs, as the person's own revision.

    `shadow` is that of the plan's session. What its agent does in later turns keeps them too.

    Raises:
        BadInputError: nothing fits, or a file that fits cannot be part of a plan; nothing was saved.
        InvalidTransitionError: the plan can no longer be changed.
    """
    latest = engine.plans.revision(plan_id)
    check(engine.plans.meta(plan_id), PlanUpdated(revision=latest.revision + 1, origin=Origin.PERSON))
    wanted, before = IncludeGlobs(globs), shadow.included
    shadow.include((*before, *wanted.globs))
    try:
        added = _fitting(shadow, wanted, latest)
        staged = staged_operations((Segment(added),), engine.clock(), first=first_free_number(latest.operations))
        draft = latest.model_copy(
            update={
                "ignored": shadow.ignored(),
                "warnings": tuple(dict.fromkeys((*latest.warnings, *staged.warnings))),
            }
        )
        following = "Include less, or leave out what is in the way."
        return engine.proposals.rewrite(draft, (*latest.operations, *staged.operations), following)
    except BaseException:
        shadow.include(before)
        raise


def _fitting(shadow: ShadowWorkspace, wanted: IncludeGlobs, latest: PlanVersion) -> tuple[PathChange, ...]:
    known = {path for operation in latest.operations for path in operation.paths}
    found = [each for each in shadow.changes() if wanted.match(each.path) and each.path not in known]
    for path, reason in shadow.refused:
        if wanted.match(path):
            raise BadInputError(
                f"{shown(path)} cannot be part of a plan: {reason}", path=path, next="Include less than that folder."
            )
    if not found:
        raise BadInputError(
            f"No ignored file of the plan fits {' or '.join(map(shown, wanted.globs)) or 'an empty glob'}.",
            next=f"Name one of: {_folders(latest)}" if latest.ignored else "The plan leaves no ignored file out.",
        )
    return tuple(map(_change, found))


def _change(found: ShadowChange) -> PathChange:
    return PathChange(path=found.path, before=found.before, after=found.after)


def _folders(version: PlanVersion) -> str:
    assert version.ignored is not None
    names = [shown(each.path) for each in version.ignored.folders]
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
