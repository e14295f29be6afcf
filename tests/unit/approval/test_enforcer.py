"""What runs is what was approved, or nothing runs."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.approval.enforcer import ApprovalEnforcer
from tandem_desktop.approval.store import ApprovalStore
from tandem_desktop.domain.approval import Approval, ApprovalHash, WorkspaceIdentity
from tandem_desktop.domain.errors import ApprovalDriftError, ApprovalMissingError
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.review import Coverage, LockFileReview
from tandem_desktop.domain.runs import OperationResult, ResultStatus
from tests.support.builders import A_MOMENT, PLAN_ID, a_command, a_version, a_write
from tests.support.clocks import Clock

RUN = RunId("RUN-00000001")
VERSION = a_version(a_write(), a_command())
Approve = Callable[..., Approval]


@pytest.fixture
def approve(enforcer: ApprovalEnforcer, workspace: WorkspaceIdentity) -> Approve:
    def approve(version: PlanVersion = VERSION, **more: Any) -> Approval:
        return enforcer.approve(version, workspace, version.approval_hash, **more)

    return approve


@pytest.mark.req("S0-59", "S0-60")
def test_the_hash_names_the_plan_its_revision_and_both_parts(enforcer: ApprovalEnforcer, approve: Approve) -> None:
    found = enforcer.generate_approval_hash(VERSION)
    assert (found.plan_id, found.revision) == (PLAN_ID, 1)
    assert {len(found.content_hash), len(found.operations_hash), len(found.combined_hash)} == {64}
    other_text = enforcer.generate_approval_hash(VERSION.model_copy(update={"content": "other"}))
    assert other_text.operations_hash == found.operations_hash
    assert other_text.combined_hash != found.combined_hash
    approval = approve()
    assert (approval.approval_hash, approval.digest) == (found, found.combined_hash)
    assert (approval.approved_at, approval.approved_by) == (A_MOMENT, "user")


@pytest.mark.req("S0-65")
def test_the_plan_that_was_approved_may_run(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity
) -> None:
    approval = approve(acknowledged=("runs-code",))
    assert enforcer.enforce_execution(VERSION, 1, workspace) == approval
    assert enforcer.verify_approval(PLAN_ID, 1, workspace) == approval
    assert approval.acknowledged_flags == ("runs-code",)


def test_an_approval_keeps_which_lock_files_were_opened_and_what_was_known_about_the_plan(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity
) -> None:
    opened = LockFileReview(opened=("uv.lock",), skipped=("go.sum",))
    approval = approve(lock_files=opened, evidence="tests: 12 passed", notes="seen")
    assert (approval.lock_files, approval.evidence, approval.notes) == (opened, "tests: 12 passed", "seen")
    assert enforcer.verify_approval(PLAN_ID, 1, workspace) == approval
    assert (approve().lock_files, approve().evidence, approve().notes) == (LockFileReview(), "", "")


@pytest.mark.parametrize("length", [12, 13, 40, 64])
def test_twelve_digits_of_the_digest_are_enough_to_approve(
    enforcer: ApprovalEnforcer, workspace: WorkspaceIdentity, length: int
) -> None:
    given = f" {VERSION.approval_hash[:length].upper()}\n"
    assert enforcer.approve(VERSION, workspace, given).digest == VERSION.approval_hash


@pytest.mark.parametrize(
    "given",
    ["", "0" * 12, "0" * 64, VERSION.approval_hash[:11], VERSION.approval_hash + "0", "…"],
    ids=["nothing", "twelve", "another", "too short", "too long", "dots"],
)
def test_another_digest_approves_nothing_and_both_are_named(
    enforcer: ApprovalEnforcer, workspace: WorkspaceIdentity, given: str, audit: AuditLog
) -> None:
    with pytest.raises(ApprovalDriftError) as refusal:
        enforcer.approve(VERSION, workspace, given)
    assert VERSION.approval_hash[:12] in refusal.value.message
    assert (given[:64] or "none") in refusal.value.message
    assert "Look again" in refusal.value.next
    with pytest.raises(ApprovalMissingError):
        enforcer.verify_approval(PLAN_ID, 1, workspace)
    assert list(audit.records()) == []


@pytest.mark.parametrize("stored", ["", "0" * 64])
def test_a_revision_whose_own_digest_was_altered_is_neither_approved_nor_run(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity, stored: str
) -> None:
    altered = VERSION.model_copy(update={"approval_hash": stored})
    with pytest.raises(ApprovalDriftError, match="was altered"):
        enforcer.approve(altered, workspace, VERSION.approval_hash)
    approve()
    with pytest.raises(ApprovalDriftError, match="was altered"):
        enforcer.enforce_execution(altered, 1, workspace)


def test_each_refusal_says_what_is_wrong_and_what_to_do_next(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity, clock: Clock
) -> None:
    digest, look = VERSION.approval_hash, f"tandem show {PLAN_ID}"

    def refused(ask: Callable[..., object], *words: Any) -> tuple[str, str | None]:
        with pytest.raises((ApprovalDriftError, ApprovalMissingError)) as refusal:
            ask(*words)
        return refusal.value.message, refusal.value.next

    def run(version: PlanVersion = VERSION, latest: int = 1) -> tuple[str, str | None]:
        return refused(enforcer.enforce_execution, version, latest, workspace)

    wrong = f"is not the digest of {PLAN_ID} r1: "
    given = f"Look again at what would be done, then give its digest: {look}"
    short = f"at least 12 digits are needed; it is {digest[:12]}…."
    assert refused(enforcer.approve, VERSION, workspace, " ") == (f"The digest given (none) {wrong}{short}", given)
    assert refused(enforcer.approve, VERSION, workspace, "0" * 12) == (
        f"The digest given ({'0' * 12}) {wrong}it is {digest[:12]}….",
        given,
    )
    assert refused(enforcer.approve, VERSION, workspace, "0" * 99)[0].startswith(f"The digest given ({'0' * 64}) is")
    nowhere = f"Look at it with: {look}, then: tandem approve {PLAN_ID} --digest DIGEST"
    assert run() == (f"No approval found for this plan revision: {PLAN_ID} r1.", nowhere)
    approval = approve()
    again = f"See what it says now: {look}"
    assert run(latest=2) == (
        f"{PLAN_ID} r1 was approved, but r2 has replaced it.",
        f"Look at the new revision with: {look}",
    )
    for change, words in (
        ({"content": "other"}, "Plan content has changed since approval. Please re-review."),
        ({"operations": ()}, "Operations have changed since approval. Please re-review."),
        ({"format": 0}, "The plan has changed since approval. Please re-review."),
    ):
        assert run(sealed(VERSION.model_copy(update=change))) == (words, again)
    for stored, named in (("", "none"), ("0" * 64, "0" * 12)):
        carries = f"it carries the digest {named}…, but its digest is {digest[:12]}…."
        assert run(VERSION.model_copy(update={"approval_hash": stored})) == (
            f"The record of {PLAN_ID} r1 was altered: {carries}",
            "Make a new revision from it, and look at that.",
        )
    clock.now += timedelta(days=400)
    assert run() == (
        f"The approval of {PLAN_ID} r1 expired at {approval.expires_at.isoformat(timespec='seconds')}.",
        f"Look at it again with: {look}, then approve it again.",
    )


def test_what_was_on_screen_and_the_persons_notes_are_kept_with_the_approval(approve: Approve) -> None:
    seen = Coverage(operations=3, shown=2, folded=1)
    approval = approve(coverage=seen, notes="fine")
    assert (approval.coverage, approval.notes) == (seen, "fine")
    assert (approve().coverage, approve().notes) == (None, "")


@pytest.mark.req("S0-61")
def test_without_an_approval_nothing_runs(enforcer: ApprovalEnforcer, workspace: WorkspaceIdentity) -> None:
    for ask in (
        lambda: enforcer.verify_approval(PLAN_ID, 1, workspace),
        lambda: enforcer.enforce_execution(VERSION, 1, workspace),
    ):
        with pytest.raises(ApprovalMissingError) as refusal:
            ask()
        assert refusal.value.message.startswith("No approval found for this plan revision")
        assert "tandem approve" in refusal.value.next


@pytest.mark.req("S0-61")
def test_the_approval_of_one_revision_is_none_for_another(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity
) -> None:
    approve()
    with pytest.raises(ApprovalMissingError, match=r"^No approval found for this plan revision.*r1 was approved"):
        enforcer.enforce_execution(a_version(a_write(), parent=1), 2, workspace)


@pytest.mark.req("S0-62")
@pytest.mark.parametrize("change", [{"content": "other"}, {"content": VERSION.content + " "}, {"title": "other"}])
def test_changed_content_is_refused_in_these_words(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity, change: dict[str, str]
) -> None:
    approve()
    changed = VERSION.model_copy(update=change)
    for version in (changed, sealed(changed)):
        with pytest.raises(ApprovalDriftError) as refusal:
            enforcer.enforce_execution(version, 1, workspace)
        assert refusal.value.message == "Plan content has changed since approval. Please re-review."


@pytest.mark.req("S0-63")
@pytest.mark.parametrize(
    "operations",
    [
        (),
        VERSION.operations[:1],
        VERSION.operations[::-1],
        (*VERSION.operations, VERSION.operations[0]),
        (VERSION.operations[0].model_copy(update={"path": "src/app.py "}), VERSION.operations[1]),
    ],
    ids=["none", "one less", "other order", "one more", "other path"],
)
def test_changed_operations_are_refused_in_these_words(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity, operations: tuple[Any, ...]
) -> None:
    approve()
    changed = VERSION.model_copy(update={"operations": operations})
    for version in (changed, sealed(changed)):
        with pytest.raises(ApprovalDriftError) as refusal:
            enforcer.enforce_execution(version, 1, workspace)
        assert refusal.value.message == "Operations have changed since approval. Please re-review."


@pytest.mark.req("S0-65")
def test_another_format_of_the_same_plan_is_refused(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity
) -> None:
    approve()
    with pytest.raises(ApprovalDriftError, match="has changed since approval"):
        enforcer.enforce_execution(sealed(VERSION.model_copy(update={"format": 0})), 1, workspace)


@pytest.mark.req("S0-65")
def test_an_approval_dies_with_a_newer_revision(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity
) -> None:
    approve()
    with pytest.raises(ApprovalDriftError, match="r2 has replaced it"):
        enforcer.enforce_execution(VERSION, 2, workspace)


@pytest.mark.req("S0-65")
@pytest.mark.parametrize("field", ["real_path", "device", "inode"])
def test_an_approval_is_good_in_its_own_directory_only(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity, field: str
) -> None:
    approve()
    other = workspace.model_copy(update={field: "/copy" if field == "real_path" else 9})
    with pytest.raises(ApprovalMissingError, match="No approval found"):
        enforcer.enforce_execution(VERSION, 1, other)


def test_an_approval_ends_after_its_lifetime(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity, clock: Clock
) -> None:
    approval = approve()
    assert approval.expires_at == A_MOMENT + timedelta(hours=24)
    clock.forward(hours=24, microseconds=-1)
    assert enforcer.enforce_execution(VERSION, 1, workspace)
    clock.forward(microseconds=1)
    with pytest.raises(ApprovalMissingError, match="expired at 2026-01-03T03:04:05"):
        enforcer.enforce_execution(VERSION, 1, workspace)


def test_a_clock_that_went_back_a_little_ends_nothing_and_by_days_brings_nothing_to_life(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity, clock: Clock
) -> None:
    approve()
    clock.forward(minutes=-5)
    assert enforcer.enforce_execution(VERSION, 1, workspace)
    clock.forward(days=-2)
    with pytest.raises(ApprovalMissingError, match="expired"):
        enforcer.enforce_execution(VERSION, 1, workspace)


def test_the_lifetime_is_a_setting(
    approvals: ApprovalStore, audit: AuditLog, clock: Clock, workspace: WorkspaceIdentity
) -> None:
    brief = ApprovalEnforcer(approvals, audit, clock, lifetime=timedelta(minutes=1))
    approval = brief.approve(VERSION, workspace, VERSION.approval_hash)
    assert approval.expires_at - approval.approved_at == timedelta(minutes=1)


@pytest.mark.req("S0-65")
def test_an_approval_is_used_up_by_one_run(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity
) -> None:
    approval = approve()
    enforcer.consume(approval, RUN)
    with pytest.raises(ApprovalMissingError, match="has been used by RUN-00000001"):
        enforcer.enforce_execution(VERSION, 1, workspace)
    with pytest.raises(ApprovalMissingError, match="has been used"):
        enforcer.consume(approval, RunId("RUN-00000002"))
    again = approve()
    assert enforcer.enforce_execution(VERSION, 1, workspace) == again


def test_a_withdrawn_approval_is_none(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity
) -> None:
    approve()
    enforcer.revoke(PLAN_ID, workspace)
    with pytest.raises(ApprovalMissingError, match="No approval found"):
        enforcer.enforce_execution(VERSION, 1, workspace)


@pytest.mark.req("S0-64")
def test_approvals_and_what_came_of_them_stand_in_the_audit(
    enforcer: ApprovalEnforcer, approve: Approve, audit: AuditLog, clock: Clock
) -> None:
    approval = approve()
    clock.forward(minutes=1)
    results = (
        OperationResult(id=OperationId("s1"), status=ResultStatus.COMPLETED),
        OperationResult(id=OperationId("s2"), status=ResultStatus.FAILED, error="exit 1", exit_code=1, output="x" * 99),
    )
    record = enforcer.record_execution(approval, RUN, results)
    assert (record.timestamp, record.approval, record.run_id) == (clock.now, VERSION.approval_hash, RUN)
    assert [(r.id, r.status, r.error) for r in record.results] == [
        ("s1", "completed", None),
        ("s2", "failed", "exit 1"),
    ]
    enforcer.record_execution(VERSION.approval_hash, RunId("RUN-00000002"), ())
    enforcer.record_execution(None, RunId("RUN-00000003"), ())
    approved, executed, recovered, undone = audit.records()
    assert (approved.kind, approved.body["digest"], approved.body["nonce"]) == (
        "approved",
        approval.digest,
        approval.nonce,
    )
    assert (executed.kind, executed.body) == ("executed", record.model_dump(mode="json", exclude_none=True))
    assert "xxx" not in executed.model_dump_json()
    assert recovered.body["approval"] == VERSION.approval_hash
    assert undone.body.get("approval") is None
    assert audit.verify().ok


@pytest.mark.req("S0-65")
def test_words_that_change_nothing_may_change_after_approval(
    enforcer: ApprovalEnforcer, approve: Approve, workspace: WorkspaceIdentity
) -> None:
    approval = approve()
    first = VERSION.operations[0].model_copy(update={"description": "clearer", "rationale": "why", "risk": "none"})
    changed = VERSION.model_copy(update={"operations": (first, VERSION.operations[1]), "id": "another"})
    assert enforcer.enforce_execution(changed, 1, workspace) == approval


def sealed(version: PlanVersion) -> PlanVersion:
    """The same with a stored digest that fits, as a careful forger would leave it."""
    return version.model_copy(update={"approval_hash": ApprovalHash.of(version).combined_hash})
