"""Stores plans and revisions, and which plan belongs to which session."""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from tandem_desktop.domain.approval import digest
from tandem_desktop.domain.errors import (
    InvalidTransitionError,
    PlanDamagedError,
    PlanModifiedError,
    PlanNotFoundError,
    StaleRevisionError,
)
from tandem_desktop.domain.ids import PLAN_ID, STEP_ID, PlanId, SessionId, new_plan_id, new_session_id
from tandem_desktop.domain.lifecycle import advance, revision_events
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import BranchPoint, Origin, PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import EventKind, TransitionStep, has_ended
from tandem_desktop.domain.state_machine import PlanEvent
from tandem_desktop.plans import names, records
from tandem_desktop.plans.files import PlanFiles, first_meta, next_meta
from tandem_desktop.plans.index import PlanIndex, PlanListing
from tandem_desktop.plans.names import LOCK, MOST_BYTES, Signature
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.errors import writing

if TYPE_CHECKING:
    from tandem_desktop.plans.bundle import PlanBundle


class SessionPlans:
    """Stores the plans of a session, in order. The file is also the lock under which a plan is added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def held(self, session_id: SessionId) -> Iterator[None]:
        """Lock the session."""
        if not self._folder.is_dir():
            atomic.make_directory(self._folder)
        with atomic.held(self._path(session_id)):
            yield

    def plans(self, session_id: SessionId) -> tuple[PlanId, ...]:
        """Oldest first; a line truncated by a crash is ignored."""
        path = self._path(session_id)
        try:
            data, _ = atomic.read_regular(path, MOST_BYTES)
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise names.damaged(path, f"it cannot be read: {error.strerror}") from error
        lines = data.decode("ascii", "replace").splitlines()
        return tuple(PlanId(line) for line in lines if PLAN_ID.fullmatch(line))

    def add(self, session_id: SessionId, plan_id: PlanId) -> None:
        """Make `plan_id` the current plan, durably. The caller holds the lock."""
        fd = syscalls.open_appending(str(self._path(session_id)), mode=0o644)
        try:
            # The line break in front keeps a torn line from swallowing this one.
            syscalls.write(fd, f"\n{plan_id}\n".encode())
            syscalls.sync(fd)
        finally:
            os.close(fd)
        atomic.sync_directory(self._folder)

    def _path(self, session_id: SessionId) -> Path:
        if STEP_ID.fullmatch(session_id):
            return self._folder / session_id
        return self._folder / digest("session:1", session_id.encode("utf-8", "surrogatepass"))[:32]


Steps = tuple[tuple[EventKind, TransitionStep], ...]
_log = logging.getLogger(__name__)


class ActionPerformer:
    """Performs the lifecycle actions outside the store; by default none."""

    def before(self, meta: PlanMeta, step: TransitionStep) -> None:
        """Called under the plan's lock, before the step is stored."""

    def after(self, meta: PlanMeta, kind: EventKind, step: TransitionStep) -> None:
        """Called once the step is stored and the lock is free."""


class PlanStore:
    """Append-only revisions with optimistic locking.

    Several processes may use one folder; caches are always checked.
    """

    def __init__(
        self,
        folder: Path,
        clock: Callable[[], datetime],
        artifacts: Path,
        performer: ActionPerformer | None = None,
        *,
        gateway: bool = False,
    ) -> None:
        self._folder = folder
        self._gateway = gateway
        self._clock = clock
        self._performer = performer or ActionPerformer()
        self._sessions = SessionPlans(folder / "sessions")
        self._files = PlanFiles(folder, artifacts)
        self._index = PlanIndex(folder, self._files.fresh_meta)

    def create_plan(
        self, draft: PlanVersion, *, planner_model: str = "", tools_required: tuple[str, ...] | None = None
    ) -> PlanVersion:
        """Save `draft` as the first revision of a new plan, which becomes the plan of its session.

        Raises:
            StaleRevisionError: there is a plan of this name already.
            InvalidTransitionError: the session has a plan that has not ended.
        """
        folder = names.folder_of(self._folder, draft.plan_id)
        with writing(folder), self._sessions.held(draft.session_id):
            found = names.latest_revision(folder)
            if found:
                raise StaleRevisionError(draft.plan_id, expected=0, found=found)
            self._refuse_second_plan(draft.session_id)
            self._sessions.add(draft.session_id, draft.plan_id)
            atomic.make_directory(folder)
            with atomic.held(folder / LOCK):
                self._files.sweep(folder)
                saved = self._files.save_revision(folder, self._numbered(draft, 1))
                meta, step = first_meta(saved, planner_model, tools_required)
                meta = meta.model_copy(update={"gateway": self._gateway})
                self._files.save_meta(folder, meta)
        _log_stored(saved)
        self._performer.after(meta, EventKind.PLAN_CREATED, step)
        return saved

    def create_revision(
        self, draft: PlanVersion, *, planner_model: str = "", tools_required: tuple[str, ...] | None = None
    ) -> PlanVersion:
        """Save `draft` as the child of the revision it was written against; the plan is proposed again.

        Raises:
            StaleRevisionError: a newer revision exists, here or in another window.
            InvalidTransitionError: the plan is running, or has ended for good.
        """
        if draft.parent_revision is None:
            return self.create_plan(draft, planner_model=planner_model, tools_required=tools_required)
        folder = self._files.existing(draft.plan_id)
        with writing(folder), atomic.held(folder / LOCK):
            self._files.sweep(folder)
            current, _ = self._files.load_meta(folder)
            if current.revision != draft.parent_revision:
                raise StaleRevisionError(draft.plan_id, expected=draft.parent_revision, found=current.revision)
            events = revision_events(current, draft, self._first_new(folder, draft))
            proposed, steps = self._advanced(current, events)
            with self._files.revising(draft.plan_id):
                saved = self._files.save_revision(folder, self._numbered(draft, current.revision + 1))
                meta = next_meta(proposed, saved, planner_model, tools_required)
                self._files.save_meta(folder, meta)
        _log_stored(saved)
        self._perform_after(meta, steps)
        return saved

    def has(self, plan_id: PlanId) -> bool:
        """Whether there is a plan of this name, readable or not."""
        return names.latest_revision(names.folder_of(self._folder, plan_id)) > 0

    def adopt(self, bundle: "PlanBundle", session_id: SessionId) -> PlanVersion:
        """Import a checked plan atomically; its status here is proposed, whatever it was there.

        Raises:
            StaleRevisionError: there is a plan of this name already.
        """
        folder = names.folder_of(self._folder, bundle.plan_id)
        here = tuple(version.model_copy(update={"session_id": session_id}) for version in bundle.revisions)
        record = bundle.record.model_dump(include={"planner_model", "tools_required"})
        meta, step = first_meta(here[-1], **record)
        meta = meta.model_copy(
            update={
                "branched_from": None,  # its origin is a plan of another workspace
                "created_at": here[0].created_at,
                "updated_at": self._clock(),
                "rejections": bundle.record.rejections,
            }
        )
        with writing(folder), self._sessions.held(session_id):
            self._sessions.add(session_id, bundle.plan_id)
            if not self._files.adopt(folder, here, meta):
                raise StaleRevisionError(bundle.plan_id, expected=0, found=names.latest_revision(folder))
        for version in here:
            _log_stored(version)
        self._performer.after(meta, EventKind.PLAN_CREATED, step)
        return here[-1]

    def restore(self, plan_id: PlanId, revision: int) -> PlanVersion:
        """Restore an earlier revision as a new one made by the person."""
        earlier = self.revision(plan_id, revision)
        latest = self.latest_revision(plan_id)
        return self.create_revision(earlier.model_copy(update={"parent_revision": latest, "origin": Origin.PERSON}))

    def branch(self, plan_id: PlanId, revision: int | None = None) -> PlanVersion:
        """Branch a revision, by default the latest, into a new plan with its own session.

        Raises:
            PlanNotFoundError: there is no such plan or revision.
        """
        found = self.revision(plan_id, revision)
        return self.create_plan(
            found.model_copy(
                update={
                    "plan_id": new_plan_id(),
                    "session_id": new_session_id(),
                    "parent_revision": None,
                    "origin": Origin.PERSON,
                    "context": self._files.whole_context(found),
                    "branched_from": BranchPoint(plan_id=plan_id, revision=found.revision),
                }
            )
        )

    def update(
        self, plan_id: PlanId, change: Callable[[PlanMeta], PlanMeta], expected_version: int | None = None
    ) -> PlanMeta:
        """Change the record of a plan; identity, status, revision and digest cannot be changed.

        Raises:
            PlanModifiedError: it is no longer the version the caller saw.
        """
        return self._update(plan_id, lambda meta: _with_status_of(meta, change(meta)), expected_version)

    def _update(
        self, plan_id: PlanId, change: Callable[[PlanMeta], PlanMeta], expected_version: int | None = None
    ) -> PlanMeta:
        folder = self._files.existing(plan_id)
        with writing(folder), atomic.held(folder / LOCK):
            self._files.sweep(folder)
            current, seen = self._files.load_meta(folder)
            if expected_version is not None and current.version != expected_version:
                raise PlanModifiedError(plan_id, expected=expected_version, found=current.version)
            moved = change(current)
            if moved is current and seen is not None:
                return current
            kept = {name: getattr(current, name) for name in ("format", "plan_id", "session_id", "revision", "digest")}
            changed = {"version": current.version + 1, "updated_at": self._clock()}
            saved = moved.model_copy(update={**kept, **changed})
            self._files.save_meta(folder, saved)
            if seen is None:
                self._files.caught_up(plan_id)
        return saved

    def send(self, plan_id: PlanId, event: PlanEvent) -> PlanMeta:
        """Move a plan by the table of its lifecycle.

        Raises:
            InvalidTransitionError: the table does not allow it; nothing has changed.
        """
        return self.send_if(plan_id, lambda _: event)

    def send_if(self, plan_id: PlanId, choose: Callable[[PlanMeta], PlanEvent | None]) -> PlanMeta:
        """Move a plan by the event that `choose` returns for its record under the lock, if any."""
        steps: Steps = ()

        def moved(meta: PlanMeta) -> PlanMeta:
            nonlocal steps
            event = choose(meta)
            if event is None:
                return meta
            meta, steps = self._advanced(meta, (event,))
            return meta

        saved = self._update(plan_id, moved)
        self._perform_after(saved, steps)
        return saved

    def archive(self, plan_id: PlanId, target: Path, is_due: Callable[[PlanMeta], bool]) -> bool:
        """Move a plan to the archive if it is due; returns whether it was."""
        folder = self._files.existing(plan_id)
        with writing(folder), atomic.held(folder / LOCK):
            if target.exists() or not is_due(self._files.load_meta(folder)[0]):
                return False
            syscalls.rename(str(folder), str(target))
            atomic.sync_directory(target.parent)
            atomic.sync_directory(self._folder)
        return True

    def archived_at(self, folder: Path) -> datetime:
        """The time of the last write to an archived plan."""
        return records.read_meta(folder)[0].updated_at

    def meta(self, plan_id: PlanId) -> PlanMeta:
        """The plan's record, updated to its newest revision if a crash left it behind.

        Raises:
            PlanNotFoundError: there is no such plan.
            PlanDamagedError: its record cannot be read.
        """
        return self._files.meta(plan_id)

    def fresh_meta(self, plan_id: PlanId) -> tuple[PlanMeta, Signature]:
        """The plan's record as it is on disk now, with the stat signature of its file."""
        return self._files.fresh_meta(plan_id)

    def has_written(self, meta: PlanMeta) -> bool:
        """True if this store wrote that version of the record last, and so has announced it; not another process."""
        return self._files.written.get(meta.plan_id) == meta.version

    def revision(self, plan_id: PlanId, revision: int | None = None) -> PlanVersion:
        """One revision, the latest when none is named.

        Raises:
            PlanNotFoundError: there is no such plan or revision.
            PlanDamagedError: it cannot be read.
        """
        folder = self._files.existing(plan_id)
        latest = names.latest_revision(folder)
        if not latest:  # a plan without its first revision is damaged; reading it raises
            return self._files.load_revision(folder, 1)
        number = latest if revision is None else revision
        if not 1 <= number <= latest:
            raise PlanNotFoundError(
                f"{plan_id} has no revision {number}; the latest is r{latest}.",
                next=f"Look at it with: tandem show {plan_id}",
            )
        return self._files.load_revision(folder, number)

    def edited_page(self, plan_id: PlanId, revision: int) -> Path | None:
        """The Markdown page of a revision if a person has edited it. Only the record is approved and applied."""
        return self._files.edited_page(plan_id, revision)

    def page(self, plan_id: PlanId, revision: int) -> str:
        """The Markdown page of a revision as it is written, without what a person edited."""
        return self._files.page(plan_id, revision)

    def revisions(self, plan_id: PlanId) -> tuple[PlanVersion, ...]:
        """Every revision, oldest first."""
        return tuple(self.revision(plan_id, number) for number in range(1, self.latest_revision(plan_id) + 1))

    def latest_revision(self, plan_id: PlanId) -> int:
        return names.latest_revision(self._files.existing(plan_id))

    def list(self) -> PlanListing:
        """Every plan, newest first, and those that cannot be read."""
        return self._index.listing()

    def resolve(self, text: str) -> PlanId:
        """The plan a person means: its id, or at least four digits that fit no other.

        Raises:
            PlanNotFoundError: none or several fit.
        """
        return names.resolve(self._folder, text)

    def plan_of(self, session_id: SessionId) -> PlanId | None:
        """The current or last plan of a session."""
        plans = self._sessions.plans(session_id)
        return next((plan_id for plan_id in reversed(plans) if self._is_saved(plan_id)), None)

    def plans_of(self, session_id: SessionId) -> tuple[PlanId, ...]:
        """Every plan of a session, oldest first."""
        return tuple(plan_id for plan_id in self._sessions.plans(session_id) if self._is_saved(plan_id))

    def get_revisions(self, session_id: SessionId) -> tuple[PlanVersion, ...]:
        """Every revision of the session's plan, none when it has no plan."""
        plan_id = self.plan_of(session_id)
        return () if plan_id is None else self.revisions(plan_id)

    def get_revision(self, session_id: SessionId, revision: int) -> PlanVersion | None:
        """One revision of the session's plan, or nothing."""
        plan_id = self.plan_of(session_id)
        if plan_id is None or not 1 <= revision <= self.latest_revision(plan_id):
            return None
        return self.revision(plan_id, revision)

    def _is_saved(self, plan_id: PlanId) -> bool:
        return names.latest_revision(self._folder / plan_id) > 0

    def _refuse_second_plan(self, session_id: SessionId) -> None:
        first = self.plan_of(session_id)
        if first is None:
            return
        try:
            status = self.meta(first).status
        except PlanDamagedError:
            return  # ignore unreadable plans
        if not has_ended(status):
            raise InvalidTransitionError(
                f"This session already has a plan: {first} is {status}.",
                next=f"Add a revision to it, or end it with: tandem cancel {first}",
            )

    def _advanced(self, meta: PlanMeta, events: tuple[PlanEvent, ...]) -> tuple[PlanMeta, Steps]:
        steps: list[tuple[EventKind, TransitionStep]] = []
        for event in events:
            moved, step = advance(meta, event)
            self._performer.before(meta, step)
            meta = moved
            steps.append((event.kind, step))
        return meta, tuple(steps)

    def _perform_after(self, meta: PlanMeta, steps: Steps) -> None:
        for kind, step in steps:
            self._performer.after(meta, kind, step)

    def _first_new(self, folder: Path, draft: PlanVersion) -> StagedOperation | None:
        """The first operation that differs from the previous revision."""
        assert draft.parent_revision is not None
        known = {each.id: each for each in self._files.load_revision(folder, draft.parent_revision).operations}
        return next((each for each in draft.operations if known.get(each.id) != each), None)

    def _numbered(self, draft: PlanVersion, revision: int) -> PlanVersion:
        """The only place that counts revisions."""
        import uuid

        return draft.model_copy(
            update={
                "id": str(uuid.uuid4()),
                "revision": revision,
                "parent_revision": revision - 1 or None,
                "created_at": self._clock(),
            }
        )


def _with_status_of(before: PlanMeta, changed: PlanMeta) -> PlanMeta:
    return changed if changed.status is before.status else changed.model_copy(update={"status": before.status})


def _log_stored(version: PlanVersion) -> None:
    facts = (version.plan_id, version.revision, version.origin, version.approval_hash[:12], len(version.operations))
    _log.info("revision stored: %s r%d, origin %s, digest %s, operations %d", *facts)
