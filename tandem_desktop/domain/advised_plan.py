"""A plan as its several minds left it, with everything decided about it since: one value for whoever asks."""

from datetime import datetime

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.perspectives import ChapoPerspective, DevoPerspective, KodaPerspective, Perspectives
from tandem_desktop.domain.plan import PlanMeta, PlanStatus, PlanVersion
from tandem_desktop.domain.qualification import RiskLevel
from tandem_desktop.domain.tasks import PlanTask

WAITING = "waiting_plan_approval"
"""A person has to decide; nothing goes on until then."""

_PHASES = {
    PlanStatus.DRAFT: "planning",
    PlanStatus.PROPOSED: WAITING,
    PlanStatus.NEEDS_REVIEW: WAITING,
    PlanStatus.REJECTED: "qualification",
    PlanStatus.APPROVED: "approved",
    PlanStatus.EXECUTING: "executing",
    PlanStatus.PAUSED: "executing",
    PlanStatus.STALLED: "executing",
}


def phase_of(status: PlanStatus) -> str:
    """Where the work on a plan stands; a plan that was sent back is looked at anew, one that has ended is done."""
    return _PHASES.get(status, "done")


class AdvisedPlan(Frozen):
    """Perspectives, tasks and decisions of one plan."""

    plan_id: PlanId
    session_id: SessionId
    status: PlanStatus
    phase: str
    chapo_perspective: ChapoPerspective | None = None
    koda_perspective: KodaPerspective | None = None
    devo_perspective: DevoPerspective | None = None
    summary: str
    tasks: tuple[PlanTask, ...] = ()
    estimated_duration: str = ""
    overall_risk: RiskLevel | None = None
    created_at: datetime
    approved_at: datetime | None = None
    rejected_at: datetime | None = None
    rejection_reason: str | None = None

    @classmethod
    def of(cls, version: PlanVersion, meta: PlanMeta, tasks: tuple[PlanTask, ...] | None = None) -> "AdvisedPlan":
        """The revision and what was decided; `tasks` are those of the revision as they stand now."""
        found = version.perspectives or Perspectives(task="")
        rejection = meta.rejections[-1] if meta.rejections else None
        return cls(
            plan_id=version.plan_id,
            session_id=version.session_id,
            status=meta.status,
            phase=phase_of(meta.status),
            chapo_perspective=found.chapo,
            koda_perspective=found.koda,
            devo_perspective=found.devo,
            summary=version.content,
            tasks=version.tasks if tasks is None else tasks,
            estimated_duration=found.estimated_duration,
            overall_risk=found.overall_risk,
            created_at=meta.created_at,
            approved_at=meta.approved_at,
            rejected_at=rejection.at if rejection else None,
            rejection_reason=rejection.feedback if rejection else None,
        )
