"""Reads and writes the files of one plan."""

import contextlib
import errno
import json
import os
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import (
    BadInputError,
    InvalidTransitionError,
    PlanDamagedError,
    StaleRevisionError,
    StepRefusedError,
)
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.lifecycle import advance, revision_events
from tandem_desktop.domain.operations import first_misfit
from tandem_desktop.domain.plan import PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus, TransitionStep
from tandem_desktop.domain.state_machine import PlanCreated, PlanStateMachine, StartPlanning
from tandem_desktop.plans import markdown, names, records
from tandem_desktop.plans.index import REVISING
from tandem_desktop.plans.names import LOCK, META, MOST_BYTES, NEVER, Signature
from tandem_desktop.plans.pages import edited_page, has_been_edited
from tandem_desktop.storage import atomic, syscalls

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class StatCache(Generic[Key, Value]):
    """A small cache; a value is valid while its file has the same stat signature. Thread-safe."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._lock = Lock()
        self._values: OrderedDict[Key, tuple[Signature, Value]] = OrderedDict()

    def get(self, key: Key, found: Signature) -> Value | None:
        """The value if it was cached under the signature `found`."""
        with self._lock:
            known = self._values.get(key)
            if known is None or known[0] != found:
                return None
            self._values.move_to_end(key)
            return known[1]

    def put(self, key: Key, seen: Signature, value: Value) -> None:
        if seen == NEVER:
            return
        with self._lock:
            self._values[key] = (seen, value)
            self._values.move_to_end(key)
            if len(self._values) > self._limit:
                self._values.popitem(last=False)


_METAS_REMEMBERED = 256
_VERSIONS_REMEMBERED = 16


class PlanFiles:
    """Disk access of a plan store. A writer holds the plan's lock; reading never writes."""

    def __init__(self, folder: Path, artifacts: Path) -> None:
        self._folder = folder
        self._artifacts = artifacts
        self._metas: StatCache[PlanId, PlanMeta] = StatCache(_METAS_REMEMBERED)
        self.written: dict[PlanId, int] = {}
        """The last version of each record that was written here."""
        self._versions: StatCache[tuple[PlanId, int], PlanVersion] = StatCache(_VERSIONS_REMEMBERED)
        self._worded: StatCache[tuple[PlanId, int], str] = StatCache(_VERSIONS_REMEMBERED)

    def existing(self, plan_id: PlanId) -> Path:
        """The folder of an existing plan.

        Raises:
            PlanNotFoundError: it is not.
        """
        return self._found(plan_id)[0]

    def _found(self, plan_id: PlanId) -> tuple[Path, int]:
        """The folder of an existing plan, and its latest revision."""
        folder = names.folder_of(self._folder, plan_id)
        place = str(folder)
        if folder.is_symlink() or not ((latest := names.latest_revision(place)) or (folder / META).exists()):
            raise names.unknown(plan_id)
        return folder, latest

    def meta(self, plan_id: PlanId) -> PlanMeta:
        """The record, from the cache while its file is unchanged."""
        folder = self.existing(plan_id)
        with contextlib.suppress(OSError):
            known = self._metas.get(plan_id, names.signature(os.lstat(folder / META)))
            if known and known.revision == names.latest_revision(folder):
                return known
        return self.fresh_meta(plan_id)[0]

    def fresh_meta(self, plan_id: PlanId) -> tuple[PlanMeta, Signature]:
        """The record from disk, with its stat signature."""
        meta, seen = self._load_meta(*self._found(plan_id))
        self._metas.put(plan_id, seen or NEVER, meta)
        return meta, seen or NEVER

    def load_meta(self, folder: Path) -> tuple[PlanMeta, Signature | None]:
        """The record from disk; without a signature if a crash left it behind its newest revision."""
        return self._load_meta(folder, names.latest_revision(folder))

    def _load_meta(self, folder: Path, latest: int) -> tuple[PlanMeta, Signature | None]:
        try:
            meta, seen = records.read_meta(folder)
        except FileNotFoundError:
            return first_meta(self.load_revision(folder, latest))[0], None
        if meta.revision == latest:
            return meta, seen
        # Behind: use the newest revision. Ahead: its revision is missing, and reading it raises.
        version = self.load_revision(folder, max(latest, meta.revision))
        return next_meta(_moved_by(version, meta), version), None

    def load_revision(self, folder: Path, revision: int) -> PlanVersion:
        key = (PlanId(folder.name), revision)
        path = folder / names.revision_file(revision)
        try:
            known = self._versions.get(key, names.signature(os.lstat(path)))
            if known:
                return known
            version, seen = records.read_revision(folder, revision)
        except FileNotFoundError:
            raise PlanDamagedError(f"{path} is missing.", path=str(path), next=names.RESTORE) from None
        self._versions.put(key, seen, version)
        return version

    def save_revision(self, folder: Path, version: PlanVersion) -> PlanVersion:
        """Write a revision once; its file name is the lock.

        Raises:
            StaleRevisionError: the number is taken.
            StepRefusedError: no plan may contain one of its operations.
        """
        if (misfit := first_misfit(version.operations)) is not None:
            raise StepRefusedError(
                f"{misfit[0]} cannot be part of a plan: {misfit[1].rstrip('.')}.",
                step=misfit[0],
                next="Take it out, or correct it.",
            )
        saved = version.model_copy(update={"context": self._shortened(version)})
        saved = saved.model_copy(update={"approval_hash": ApprovalHash.of(saved).combined_hash})
        path = folder / names.revision_file(saved.revision)
        data = records.encode(saved)
        if len(data) > MOST_BYTES:
            raise BadInputError(
                f"The record of the plan would have {len(data):,} bytes; at most {MOST_BYTES:,} can be kept.",
                next="Divide it into several plans.",
            )
        try:
            atomic.create(path, data)
        except FileExistsError:
            found = names.latest_revision(folder)
            raise StaleRevisionError(saved.plan_id, expected=saved.revision - 1, found=found) from None
        # A concurrent edit of the file is ignored: the validated value is what is shown and run.
        self._versions.put((saved.plan_id, saved.revision), names.signature(os.lstat(path)), saved)
        return saved

    def whole_context(self, version: PlanVersion) -> dict[str, Any]:
        """The context of a revision, also from an artifact; only the link if the artifact is missing."""
        names = version.context.get(markdown.ARTIFACTS)
        if isinstance(names, list) and names == [_context_name(version)]:
            with contextlib.suppress(OSError, ValueError):
                data, _ = atomic.read_regular(self._artifacts / names[0], MOST_BYTES)
                if version.context == markdown.linked_context(names[0], data):
                    return dict(json.loads(data))
        return version.context

    def save_meta(self, folder: Path, meta: PlanMeta) -> None:
        """Replace the record, then the Markdown page, which is optional."""
        self.written[meta.plan_id] = meta.version
        atomic.replace(folder / META, records.encode(meta))
        if meta.status is not PlanStatus.EXECUTING:
            self._save_page(folder, meta)  # only for reading; a run does not wait for it

    def adopt(self, folder: Path, versions: tuple[PlanVersion, ...], meta: PlanMeta) -> bool:
        """Write a whole plan to a temporary folder and rename it; returns whether the name was free."""
        beside = self._folder / f".{folder.name}.{os.urandom(6).hex()}.tmp"
        atomic.make_directory(beside)
        try:
            for version in versions:
                atomic.create(beside / names.revision_file(version.revision), records.encode(version))
            atomic.replace(beside / META, records.encode(meta))
            syscalls.rename(str(beside), str(folder))
        except OSError as error:
            atomic.remove_tree(beside)
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                return False
            raise
        atomic.sync_directory(self._folder)
        with atomic.held(folder / LOCK):
            self._save_page(folder, meta)
        return True

    def sweep(self, folder: Path) -> None:
        """Remove leftovers of crashed writers; the caller holds the lock, so no writer is active."""
        for name in os.listdir(folder):
            if name.endswith(".tmp"):
                with contextlib.suppress(OSError):
                    syscalls.unlink(str(folder / name))

    @contextlib.contextmanager
    def revising(self, plan_id: PlanId) -> Iterator[None]:
        """Keep a marker file from before the new revision until after the new record.

        A list trusts a record whose file has not changed; the marker tells it to look for a newer revision too. After a
        failure it stays, which only costs a check.
        """
        with contextlib.suppress(FileExistsError):
            os.close(syscalls.create(str(self._mark(plan_id)), mode=0o644))
        atomic.sync_directory(self._folder)
        yield
        self.caught_up(plan_id)

    def caught_up(self, plan_id: PlanId) -> None:
        """Remove the marker: the record matches the newest revision."""
        with contextlib.suppress(FileNotFoundError):
            syscalls.unlink(str(self._mark(plan_id)))

    def _save_page(self, folder: Path, meta: PlanMeta) -> None:
        with contextlib.suppress(OSError, PlanDamagedError):
            version = self.load_revision(folder, meta.revision)
            text = markdown.render(version, meta, self._artifacts, folder, self._steps(folder, version))
            page = folder / names.document_file(meta.revision)
            if has_been_edited(page, lambda: text):
                syscalls.rename(str(page), str(folder / names.edited_file(meta.revision)))
            atomic.replace(page, text.encode("utf-8", "replace"))

    def edited_page(self, plan_id: PlanId, revision: int) -> Path | None:
        """The page of a revision if a person has edited it; it is never what is approved or applied."""
        return edited_page(self.existing(plan_id), revision, lambda: self.page(plan_id, revision))

    def page(self, plan_id: PlanId, revision: int) -> str:
        """The page of a revision as it is written."""
        folder = self.existing(plan_id)
        return markdown.render(self.load_revision(folder, revision), self.meta(plan_id), self._artifacts, folder)

    def _steps(self, folder: Path, version: PlanVersion) -> str:
        """The cached description of the steps: they never change, and the page is written at every status change."""
        key = (version.plan_id, version.revision)
        seen = names.signature(os.lstat(folder / names.revision_file(version.revision)))
        steps = self._worded.get(key, seen) or markdown.steps(version.operations)
        self._worded.put(key, seen, steps)
        return steps

    def _mark(self, plan_id: PlanId) -> Path:
        return self._folder / f".{plan_id}{REVISING}"

    def _shortened(self, version: PlanVersion) -> dict[str, object]:
        """The context, or, when it is long, a link to the artifact that holds it."""
        data = markdown.context_bytes(version.context)
        if len(data) <= markdown.MAX_INLINE_CONTEXT:
            return version.context
        name = _context_name(version)
        atomic.make_directory((self._artifacts / name).parent)
        atomic.replace(self._artifacts / name, data)
        return markdown.linked_context(name, data)


def _context_name(version: PlanVersion) -> str:
    return f"{version.plan_id}/r{version.revision:03d}-context.json"


def first_meta(
    version: PlanVersion, planner_model: str = "", tools_required: tuple[str, ...] | None = None
) -> tuple[PlanMeta, TransitionStep]:
    """The record of a new plan with one revision, and the lifecycle step that created it."""
    machine = PlanStateMachine()
    machine.send(StartPlanning(task=version.title))
    step = machine.send(PlanCreated(plan_id=version.plan_id, revision=version.revision))
    meta = PlanMeta(
        plan_id=version.plan_id,
        session_id=version.session_id,
        title=version.title,
        status=machine.status,
        revision=version.revision,
        digest=ApprovalHash.of(version).combined_hash,
        branched_from=version.branched_from,
        created_at=version.created_at,
        updated_at=version.created_at,
        planner_model=planner_model,
        tools_required=_tools(version) if tools_required is None else tools_required,
    )
    return meta, step


def _moved_by(version: PlanVersion, meta: PlanMeta) -> PlanMeta:
    """The record after the events by which the revision followed on it; as it is where the table refuses them."""
    with contextlib.suppress(InvalidTransitionError):
        for event in revision_events(meta, version):
            meta, _ = advance(meta, event)
    return meta


def next_meta(
    meta: PlanMeta, version: PlanVersion, planner_model: str = "", tools_required: tuple[str, ...] | None = None
) -> PlanMeta:
    """The record with `version` as the newest revision; the planner stays the same unless another is named."""
    return meta.model_copy(
        update={
            "title": version.title,
            "version": meta.version + 1,
            "revision": version.revision,
            "digest": ApprovalHash.of(version).combined_hash,
            "updated_at": version.created_at,
            "planner_model": planner_model or meta.planner_model,
            "tools_required": _tools(version) if tools_required is None else tools_required,
        }
    )


def _tools(version: PlanVersion) -> tuple[str, ...]:
    return tuple(sorted({operation.tool for operation in version.operations if operation.tool}))
