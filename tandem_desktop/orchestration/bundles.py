"""Plans that travel between workspaces: exported with every byte, imported exactly, and proposed again."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass

from tandem_desktop.domain.bundle import Artifact, BundledPlan, PlanBundle
from tandem_desktop.domain.errors import BundleError, PlanNotFoundError, StorageError
from tandem_desktop.domain.ids import PlanId, SessionId, new_session_id
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.events.events import PlanProposed
from tandem_desktop.events.stream import EventStream
from tandem_desktop.plans import bundle_check, bundle_format
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.review.comment_store import CommentStore
from tandem_desktop.storage import atomic
from tandem_desktop.storage.locations import Locations
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.refusals import reading, writing

_NOWHERE = SessionId("")
"""A session belongs to a machine and stays on it."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to."""

    version: PlanVersion
    is_new: bool
    """False where the same plan was here already; then nothing was written."""


class Bundles:
    """Export reads; import checks everything before it writes anything, and never brings an approval."""

    def __init__(
        self,
        *,
        locations: Locations,
        objects: ObjectStore,
        plans: PlanStore,
        comments: CommentStore,
        events: EventStream,
        before_writing: Callable[[], None],
    ) -> None:
        self._locations = locations
        self._objects = objects
        self._plans = plans
        self._comments = comments
        self._events = events
        self._before_writing = before_writing

    def export(self, plan_id: PlanId) -> bytes:
        """The whole plan as one file, the same bytes every time.

        Raises:
            PlanNotFoundError: there is no such plan.
            PlanDamagedError: one of its revisions cannot be read.
            StorageError: bytes it speaks of are no longer here.
        """
        meta = self._plans.meta(plan_id)
        revisions = self._travelling(plan_id)
        artifacts = sorted(
            {each for version in revisions for each in bundle_check.artifacts_of(version)},
            key=lambda each: (each.name, each.sha256),
        )
        contents = {
            state.sha256: self._objects.read(state.sha256)
            for version in revisions
            for state in bundle_check.file_states(version)
        }
        contents |= {each.sha256: self._artifact(each) for each in artifacts}
        bundle = PlanBundle(
            record=BundledPlan(
                planner_model=meta.planner_model, tools_required=meta.tools_required, rejections=meta.rejections
            ),
            revisions=revisions,
            comments=self._comments.load(meta.session_id, plan_id),
            artifacts=tuple(artifacts),
            contents=contents,
        )
        bundle_check.check(bundle)
        return bundle_format.encode(bundle)

    def take_in(self, data: bytes) -> Imported:
        """The plan of a bundle, waiting here for a decision under its own id and digest.

        Raises:
            BundleError: it was changed or cannot be read, or another plan here has its id; nothing was kept.
        """
        self._before_writing()
        bundle = bundle_format.decode(data)
        bundle_check.check(bundle)
        known = self._known(bundle)
        if known is not None:
            return Imported(known, is_new=False)
        self._locations.prepare_workspace()
        self._objects.put_all(bundle.contents.values())
        for each in bundle.artifacts:
            self._keep_artifact(each, bundle.contents[each.sha256])
        session_id = new_session_id()
        if bundle.comments.drafts or bundle.comments.sent:
            self._comments.update(session_id, bundle.plan_id, lambda found: bundle.comments)
        version = self._plans.adopt(bundle, session_id)
        self._events.publish(
            PlanProposed(
                plan_id=version.plan_id,
                revision=version.revision,
                digest=version.approval_hash,
                tasks=len(version.tasks),
            )
        )
        return Imported(version, is_new=True)

    def _travelling(self, plan_id: PlanId) -> tuple[PlanVersion, ...]:
        return tuple(version.model_copy(update={"session_id": _NOWHERE}) for version in self._plans.revisions(plan_id))

    def _known(self, bundle: PlanBundle) -> PlanVersion | None:
        """The plan of this id that is here already, if it is the same one as far as the bundle goes."""
        try:
            here = self._travelling(bundle.plan_id)
        except PlanNotFoundError:
            return None
        if here[: len(bundle.revisions)] != bundle.revisions:
            raise BundleError(
                f"{bundle.plan_id} is here already and is another plan, or an earlier state of it",
                next=f"Look at it with: tandem show {bundle.plan_id}; or import into another workspace.",
            )
        return self._plans.revision(bundle.plan_id)

    def _artifact(self, artifact: Artifact) -> bytes:
        path = self._locations.artifacts / artifact.name
        with reading(path):
            data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != artifact.sha256:
            raise StorageError(
                f"{path} is no longer what the plan was made with.", path=str(path), next="Make the plan again."
            )
        return data

    def _keep_artifact(self, artifact: Artifact, data: bytes) -> None:
        path = self._locations.artifacts / artifact.name
        with writing(path):
            atomic.make_directory(path.parent)
            atomic.replace(path, data)
