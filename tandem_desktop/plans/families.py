"""Plans that are alternatives to each other: branched from one another, or from the same one."""

from collections.abc import Iterable

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.plans.plan_index import PlanSummary


def alternatives(plans: Iterable[PlanSummary], plan_id: PlanId) -> tuple[PlanSummary, ...]:
    """The other plans of the family, in the order they are given."""
    every = tuple(plans)
    roots = family_roots(every)
    own = roots.get(plan_id)
    return tuple(plan for plan in every if plan.plan_id != plan_id and roots[plan.plan_id] == own)


def family_roots(plans: Iterable[PlanSummary]) -> dict[PlanId, PlanId]:
    """The plan each one goes back to; itself for one that was branched from none.

    A root need not be among the plans: its alternatives stay a family when it has been put away.
    """
    origins = {plan.plan_id: plan.branched_from.plan_id if plan.branched_from else None for plan in plans}
    return {plan_id: _root(plan_id, origins) for plan_id in origins}


def _root(plan_id: PlanId, origins: dict[PlanId, PlanId | None]) -> PlanId:
    passed: set[PlanId] = set()
    while (above := origins.get(plan_id)) is not None and plan_id not in passed:
        passed.add(plan_id)
        plan_id = above
    return plan_id
