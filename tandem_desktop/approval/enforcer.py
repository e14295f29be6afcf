"""Grants approvals, checks them before a run and spends them."""

import logging
import os
from collections.abc import Callable
from datetime import datetime, timedelta

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.approval.store import ApprovalStore
from tandem_desktop.domain.approval import Approval, ApprovalHash, WorkspaceIdentity
from tandem_desktop.domain.errors import ApprovalDriftError, ApprovalMissingError
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.review import NO_LOCK_FILES, Coverage, LockFileReview
from tandem_desktop.domain.runs import ExecutionRecord, OperationResult

LIFETIME = timedelta(hours=24)
MIN_DIGEST_DIGITS = 12
_log = logging.getLogger(__name__)


class ApprovalEnforcer:
    """Checks approvals before execution. No stored digest is trusted: each is computed again."""

    def __init__(
        self, store: ApprovalStore, audit: AuditLog, clock: Callable[[], datetime], lifetime: timedelta = LIFETIME
    ) -> None:
        self._store = store
        self._audit = audit
        self._clock = clock
        self._lifetime = lifetime

    def generate_approval_hash(self, version: PlanVersion) -> ApprovalHash:
        """The digests of a revision, computed from its content."""
        return ApprovalHash.of(version)

    def approve(
        self,
        version: PlanVersion,
        workspace: WorkspaceIdentity,
        digest_given: str,
        acknowledged: tuple[str, ...] = (),
        *,
        coverage: Coverage | None = None,
        lock_files: LockFileReview = NO_LOCK_FILES,
        notes: str = "",
        evidence: str = "",
    ) -> Approval:
        """Approve this revision in this workspace, if `digest_given` matches it.

        Raises:
            ApprovalDriftError: it is another digest, or too short to tell.
        """
        actual = self.generate_approval_hash(version)
        digest = actual.combined_hash
        given = digest_given.strip().lower()
        if version.approval_hash != digest:
            raise _altered(version, digest)
        if len(given) < MIN_DIGEST_DIGITS or not digest.startswith(given):
            short = f"at least {MIN_DIGEST_DIGITS} digits are needed; " if len(given) < MIN_DIGEST_DIGITS else ""
            raise ApprovalDriftError(
                f"The digest given ({given[:64] or 'none'}) is not the digest of {_name(version)}: "
                f"{short}it is {digest[:MIN_DIGEST_DIGITS]}….",
                next=f"Look again at what would be done, then give its digest: tandem show {version.plan_id}",
            )
        now = self._clock()
        approval = Approval(
            approval_hash=actual,
            digest=digest,
            workspace=workspace,
            nonce=os.urandom(16).hex(),
            approved_at=now,
            expires_at=now + self._lifetime,
            acknowledged_flags=acknowledged,
            coverage=coverage,
            lock_files=lock_files,
            notes=notes,
            evidence=evidence,
        )
        self._audit.append("approved", now, approval)
        self._store.record(approval)
        _log.info("approval given: %s, digest %s", _name(version), digest[:12])
        return approval

    def standing(self, plan_id: PlanId, workspace: WorkspaceIdentity) -> Approval | None:
        """The approval of a plan here that was not used yet, whatever revision it is for."""
        try:
            return self._store.find(plan_id, workspace)
        except (ApprovalMissingError, ApprovalDriftError):
            return None

    def knows(self, nonce: str, plan_id: PlanId, workspace: WorkspaceIdentity) -> bool:
        """Whether an approval of this number stands for the plan here, or was used or withdrawn."""
        standing = self.standing(plan_id, workspace)
        return self._store.is_used(nonce) or (standing is not None and standing.nonce == nonce)

    def accept(self, version: PlanVersion, approval: Approval) -> Approval:
        """Keep an approval that somebody else signed; the caller has verified who, and for which repository.

        Raises:
            ApprovalDriftError: it is not for this revision.
        """
        actual = self.generate_approval_hash(version)
        if version.approval_hash != actual.combined_hash:
            raise _altered(version, actual.combined_hash)
        if (approval.approval_hash, approval.digest) != (actual, actual.combined_hash):
            raise ApprovalDriftError(
                f"The approval of {approval.approved_by} is not for {_name(version)}.",
                next=f"Look at it yourself: tandem show {version.plan_id}",
            )
        self._audit.append("approved", self._clock(), approval)
        self._store.record(approval)
        _log.info("approval taken in: %s, digest %s", _name(version), approval.digest[:12])
        return approval

    def carry_over(self, approval: Approval, version: PlanVersion) -> Approval:
        """Approve a rebased revision by the approval of an earlier one, for the rest of its time.

        The caller has enforced that approval, and has proved that both are the same patch.
        """
        approved = self.generate_approval_hash(version)
        update = {
            "approval_hash": approved,
            "digest": approved.combined_hash,
            "nonce": os.urandom(16).hex(),
            "carried_from": approval.digest,
        }
        carried = approval.model_copy(update=update)
        self._audit.append("approved", self._clock(), carried)
        self._store.record(carried)
        _log.info("approval carried over: %s, digest %s", _name(version), carried.digest[:12])
        return carried

    def verify_approval(self, plan_id: PlanId, revision: int, workspace: WorkspaceIdentity) -> Approval:
        """The valid approval of this revision in this workspace.

        Raises:
            ApprovalMissingError: there is none, it has been used, or its time is over.
            ApprovalDriftError: its record is not one of ours.
        """
        approval = self._store.find(plan_id, workspace)
        if approval is None or approval.approval_hash.revision != revision:
            found = f" (r{approval.approval_hash.revision} was approved)" if approval else ""
            raise ApprovalMissingError(
                f"No approval found for this plan revision: {plan_id} r{revision}{found}.",
                next=f"Look at it with: tandem show {plan_id}, then: tandem approve {plan_id} --digest DIGEST",
            )
        # A clock set back by more than the lifetime must not revive an approval.
        end = approval.expires_at
        if abs(self._clock() - approval.approved_at) >= end - approval.approved_at:
            raise ApprovalMissingError(
                f"The approval of {plan_id} r{revision} expired at {end.isoformat(timespec='seconds')}.",
                next=f"Look at it again with: tandem show {plan_id}, then approve it again.",
            )
        return approval

    def enforce_execution(self, version: PlanVersion, latest_revision: int, workspace: WorkspaceIdentity) -> Approval:
        """Return the approval of exactly this revision, or refuse. Called first in every execution.

        Raises:
            ApprovalMissingError: see `verify_approval`.
            ApprovalDriftError: the plan is not what was approved, or no longer the latest revision.
        """
        approval = self.verify_approval(version.plan_id, version.revision, workspace)
        if version.revision != latest_revision:
            raise ApprovalDriftError(
                f"{_name(version)} was approved, but r{latest_revision} has replaced it.",
                next=f"Look at the new revision with: tandem show {version.plan_id}",
            )
        actual, approved = self.generate_approval_hash(version), approval.approval_hash
        look_again = f"See what it says now: tandem show {version.plan_id}"
        if actual.content_hash != approved.content_hash:
            raise ApprovalDriftError("Plan content has changed since approval. Please re-review.", next=look_again)
        if actual.operations_hash != approved.operations_hash:
            raise ApprovalDriftError("Operations have changed since approval. Please re-review.", next=look_again)
        if not actual.combined_hash == approved.combined_hash == approval.digest:
            raise ApprovalDriftError("The plan has changed since approval. Please re-review.", next=look_again)
        if version.approval_hash != actual.combined_hash:
            raise _altered(version, actual.combined_hash)
        return approval

    def consume(self, approval: Approval, run_id: RunId) -> None:
        """Use the approval up for `run_id`, durably, before its first operation.

        Raises:
            ApprovalMissingError: it has been used before.
        """
        self._store.consume(approval.nonce, run_id)
        _log.info("approval used: %s, digest %s", run_id, approval.digest[:12])

    def revoke(self, plan_id: PlanId, workspace: WorkspaceIdentity) -> None:
        """Withdraw the approval of this plan here."""
        self._store.revoke(plan_id, workspace)

    def record_execution(
        self, approval: Approval | str | None, run_id: RunId, results: tuple[OperationResult, ...]
    ) -> ExecutionRecord:
        """Log the outcome of an approval, or of the digest it was for. Output stays with the run."""
        record = ExecutionRecord(
            timestamp=self._clock(),
            approval=approval.digest if isinstance(approval, Approval) else approval,
            run_id=run_id,
            results=tuple(r.model_copy(update={"output": None}) if r.output else r for r in results),
        )
        self._audit.append("executed", record.timestamp, record)
        return record


def _name(version: PlanVersion) -> str:
    return f"{version.plan_id} r{version.revision}"


def _altered(version: PlanVersion, digest: str) -> ApprovalDriftError:
    return ApprovalDriftError(
        f"The record of {_name(version)} was altered: it carries the digest {version.approval_hash[:12] or 'none'}…, "
        f"but its digest is {digest[:12]}….",
        next="Make a new revision from it, and look at that.",
    )
