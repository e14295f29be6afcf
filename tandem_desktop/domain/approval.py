"""Digests of what is approved, and the record of an approval."""

import hashlib
import json
from datetime import datetime
from typing import Any

from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.review import NO_LOCK_FILES, Coverage, LockFileReview


def canonical(value: Any) -> bytes:
    """Sorted keys, UTF-8, no white space, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest(domain: str, payload: bytes) -> str:
    """SHA-256 of `payload` under a domain, so that a digest of one thing is never one of another."""
    return hashlib.sha256(b"tandem:" + domain.encode() + b"\0" + payload).hexdigest()


class ApprovalHash(Frozen):
    """The digest of one whole revision. Descriptions, rationale, request ids and times are not in it."""

    format: int
    plan_id: PlanId
    revision: int
    content_hash: str
    operations_hash: str

    @classmethod
    def of(cls, version: PlanVersion) -> "ApprovalHash":
        return cls(
            format=version.format,
            plan_id=version.plan_id,
            revision=version.revision,
            content_hash=digest("content:1", canonical([version.title, version.content, version.context])),
            operations_hash=hash_of_effects(effects(version)),
        )

    @property
    def combined_hash(self) -> str:
        """The digest shown to the person, 64 hex digits."""
        return digest("plan:1", canonical(self.model_dump(mode="json")))


def effects(version: PlanVersion) -> list[dict[str, Any]]:
    """What is hashed of the operations of a revision, as JSON values."""
    return [_effect(operation) for operation in version.operations]


def hash_of_effects(found: list[dict[str, Any]]) -> str:
    return digest("operations:1", canonical(found))


def _effect(operation: StagedOperation) -> dict[str, Any]:
    """`operation.effect()` as JSON values, built by hand because large plans are hashed often.

    The task is included only if there is one, so that plans without tasks keep their digest.
    """
    effect = {
        "id": operation.id,
        "kind": operation.kind.value,
        "path": operation.path,
        "to": operation.to,
        "base": vars(operation.base),
        "after": vars(operation.after),
        "call": operation.call and vars(operation.call),
        "blocked_by": operation.blocked_by,
    }
    if operation.call is not None and operation.task is not None:
        effect["task"] = operation.task
    return effect


class WorkspaceIdentity(Frozen):
    """Identifies a directory on a disk; a copy or a replaced directory has another identity."""

    real_path: str
    device: int
    inode: int

    @property
    def key(self) -> str:
        return digest("workspace:1", canonical(self.model_dump(mode="json")))[:16]

    @property
    def journal_key(self) -> str:
        """A key without the device number, which may change on a restart: an interrupted run must still be found."""
        return digest("workspace-journal:1", canonical(self.model_dump(mode="json", exclude={"device"})))[:16]


class Approval(Frozen):
    """The approval of one digest in one workspace, valid once and for a limited time."""

    approval_hash: ApprovalHash
    digest: str
    workspace: WorkspaceIdentity
    nonce: str
    approved_at: datetime
    expires_at: datetime
    approved_by: str = "user"
    """`user`, or the name under which somebody else's signature counts."""
    acknowledged_flags: tuple[str, ...] = ()
    coverage: Coverage | None = None
    """What was shown on screen; None if it was not approved on a screen."""
    lock_files: LockFileReview = NO_LOCK_FILES
    """The lock files that install code; each of them was opened, or skipped by name."""
    notes: str = ""
    """The person's notes with the approval."""
    evidence: str = ""
    """The digest of what checks said about the revision, as it was on screen; empty if nothing was."""
    carried_from: str = ""
    """The digest the person approved, where a rebase carried that approval over to the same patch on newer files."""
