"""A plan that travels: its revisions, what was said about it, and every byte they speak of."""

from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanVersion, Rejection
from tandem_desktop.domain.review import Comments


class BundledPlan(Frozen):
    """What stands in a plan's record and is worth taking along; no status, and no approval, ever travels."""

    planner_model: str = ""
    tools_required: tuple[str, ...] = ()
    rejections: tuple[Rejection, ...] = ()


class Artifact(Frozen):
    """A context too large for its revision: the file it lies in, and the digest of its bytes."""

    name: str
    sha256: str


class PlanBundle(Frozen):
    """A whole plan outside any workspace."""

    record: BundledPlan
    revisions: tuple[PlanVersion, ...]
    """Oldest first, from 1, without the session they were made in: it stays where it was."""
    comments: Comments
    artifacts: tuple[Artifact, ...] = ()
    contents: dict[str, bytes]
    """Every byte of every base, after and artifact, by SHA-256."""

    @property
    def latest(self) -> PlanVersion:
        return self.revisions[-1]

    @property
    def plan_id(self) -> PlanId:
        return self.latest.plan_id
