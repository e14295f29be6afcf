"""Which plans are alternatives to each other."""

from datetime import UTC, datetime

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import BranchPoint
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.plans.index import PlanSummary, alternatives


def a_plan(name: str, of: str = "") -> PlanSummary:
    point = BranchPoint(plan_id=PlanId(of), revision=1) if of else None
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    return PlanSummary(PlanId(name), "A plan", PlanStatus.PROPOSED, 1, "d" * 64, moment, point)


def others(name: str, *plans: PlanSummary) -> set[str]:
    return {plan.plan_id for plan in alternatives(plans, PlanId(name))}


def test_a_branch_of_a_branch_is_an_alternative_to_the_first_plan_too() -> None:
    plans = (a_plan("A"), a_plan("B", "A"), a_plan("C", "B"), a_plan("D"))
    assert others("A", *plans) == {"B", "C"}
    assert others("C", *plans) == {"A", "B"}
    assert others("D", *plans) == set()


def test_branches_of_a_plan_that_was_put_away_stay_alternatives() -> None:
    assert others("B", a_plan("B", "A"), a_plan("C", "A"), a_plan("D")) == {"C"}


def test_records_that_name_each_other_come_to_an_end() -> None:
    plans = (a_plan("A", "B"), a_plan("B", "A"))
    assert others("A", *plans) <= {"B"}
