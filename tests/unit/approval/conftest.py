"""An enforcer over a private state folder, with a clock in the test's hand."""

from pathlib import Path

import pytest

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.approval.enforcer import ApprovalEnforcer
from tandem_desktop.approval.store import ApprovalStore
from tandem_desktop.domain.approval import WorkspaceIdentity
from tests.support.clocks import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def workspace() -> WorkspaceIdentity:
    return WorkspaceIdentity(real_path="/home/person/project", device=7, inode=42)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def approvals(state: Path) -> ApprovalStore:
    return ApprovalStore(state / "approvals")


@pytest.fixture
def audit(state: Path, approvals: ApprovalStore) -> AuditLog:
    return AuditLog(state / "audit.jsonl", approvals.key)


@pytest.fixture
def enforcer(approvals: ApprovalStore, audit: AuditLog, clock: Clock) -> ApprovalEnforcer:
    return ApprovalEnforcer(approvals, audit, clock)
