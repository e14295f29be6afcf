"""Compares the audit log with what approvals, journals and runs know."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from tandem_desktop.approval.audit_log import AuditLog, AuditRecord, AuditReport
from tandem_desktop.approval.store import ApprovalStore
from tandem_desktop.domain.ids import RUN_ID
from tandem_desktop.execution.journal import closed_runs, known_runs
from tandem_desktop.execution.run_store import RunStore
from tandem_desktop.storage.paths import Locations


@dataclass(frozen=True, slots=True)
class RecordedApproval:
    """Who approved a digest, and when, as the audit log has it."""

    by: str
    at: datetime
    evidence: str
    """The digest of what checks said, as it was on screen; empty if nothing was."""


def approval_of(digest: str, log: AuditLog) -> RecordedApproval | None:
    """The last approval of a digest."""
    bodies = [each.body for each in log.records() if each.kind == "approved"]
    body = next((each for each in reversed(bodies) if each.get("digest") == digest), None)
    if body is None:
        return None
    at = datetime.fromisoformat(str(body["approved_at"]))
    return RecordedApproval(str(body.get("approved_by", "")), at, str(body.get("evidence", "")))


@dataclass(frozen=True, slots=True)
class AuditCheck:
    """Finds records that were taken out of the log with its head, or an older log that was put back.

    An approval is logged before it is stored, and a run before its journal is closed. So an approval that was given or
    used, and a run that has ended, must be in the log. A run that used an approval and left nothing else was cut off
    before it began, or was taken out of every place: that is said, and is no break.
    """

    log: AuditLog
    approvals: ApprovalStore
    runs: RunStore
    locations: Locations

    def verify(self) -> AuditReport:
        """The state of the log; facts without a record make it broken."""
        # Before the log: what is recorded while it is read is not missed.
        used, standing = self.approvals.used(), self.approvals.standing()
        ended, known = closed_runs(self.locations.journals), known_runs(self.locations.journals)
        listed = [record.run_id for record in self.runs.list() if record.ended_at is not None]
        users = {by for by in used.values() if RUN_ID.fullmatch(by)}
        nonces: set[str] = set()
        recorded: set[str] = set()

        def note(record: AuditRecord) -> None:
            if record.kind == "approved":
                nonces.add(str(record.body.get("nonce")))
            elif record.kind == "executed":
                recorded.add(str(record.body.get("run_id")))

        report = self.log.verify(note)

        def missing() -> Iterator[str]:
            for nonce, by in used.items():
                if nonce not in nonces:
                    what = f"{by} used" if RUN_ID.fullmatch(by) else "was withdrawn"
                    yield f"The approval that {what} has no record."
            for nonce, plan_id in standing.items():
                if nonce not in nonces and nonce not in used:
                    yield f"The approval of {plan_id} has no record."
            for run_id in sorted({*ended, *(run_id for run_id in listed if run_id in users)}):
                if run_id not in recorded:
                    yield f"{run_id} has ended and has no record."

        if report.first_bad is not None:
            return report  # what comes after the break was not read
        found = tuple(missing())
        elsewhere = tuple(run_id for run_id in listed if run_id not in {*recorded, *ended, *users})
        unbegun = tuple(sorted(users.difference(recorded, known, listed)))
        return replace(report, ok=report.ok and not found, missing=found, elsewhere=elsewhere, unbegun=unbegun)
