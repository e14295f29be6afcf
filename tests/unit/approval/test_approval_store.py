"""An approval is what Tandem wrote, for one plan in one directory, until it is used or withdrawn."""

import contextlib
import json
import os
import secrets
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.approval.store import ApprovalStore
from tandem_desktop.domain.approval import Approval, ApprovalHash, WorkspaceIdentity
from tandem_desktop.domain.errors import ApprovalDriftError, ApprovalMissingError, StorageError
from tandem_desktop.domain.ids import PlanId, RunId
from tandem_desktop.storage import syscalls
from tests.support.builders import A_MOMENT, PLAN_ID, a_version, a_write

RUN = RunId("RUN-00000001")
OTHER_RUN = RunId("RUN-00000002")


class Killed(BaseException):
    """The process is gone."""


def an_approval(workspace: WorkspaceIdentity, **version: Any) -> Approval:
    approval_hash = ApprovalHash.of(a_version(a_write(), **version))
    return Approval(
        approval_hash=approval_hash,
        digest=approval_hash.combined_hash,
        workspace=workspace,
        nonce=secrets.token_hex(16),
        approved_at=A_MOMENT,
        expires_at=A_MOMENT + timedelta(hours=24),
        acknowledged_flags=("runs-code",),
    )


def record_file(state: Path, workspace: WorkspaceIdentity) -> Path:
    return state / "approvals" / f"{PLAN_ID}-{workspace.key}.json"


def test_an_approval_is_found_again_by_a_later_process_and_readable_by_nobody_else(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path
) -> None:
    approval = an_approval(workspace)
    approvals.record(approval)
    assert ApprovalStore(state / "approvals").find(PLAN_ID, workspace) == approval
    assert record_file(state, workspace).stat().st_mode & 0o777 == 0o600
    assert (state / "approvals").stat().st_mode & 0o777 == 0o700


def test_nothing_approved_is_nothing_found(approvals: ApprovalStore, workspace: WorkspaceIdentity) -> None:
    assert approvals.find(PLAN_ID, workspace) is None


@pytest.mark.parametrize("plan_id", ["", "../key", "PLAN-1", "PLAN-0badcafe/x"])
def test_what_is_no_plan_has_no_approval(approvals: ApprovalStore, workspace: WorkspaceIdentity, plan_id: str) -> None:
    with pytest.raises(ApprovalMissingError, match="No approval found for this plan revision"):
        approvals.find(PlanId(plan_id), workspace)


def test_the_newer_approval_of_a_plan_takes_the_place_of_the_older(
    approvals: ApprovalStore, workspace: WorkspaceIdentity
) -> None:
    approvals.record(an_approval(workspace))
    newer = an_approval(workspace, revision=2)
    approvals.record(newer)
    assert approvals.find(PLAN_ID, workspace) == newer


@pytest.mark.parametrize("field", ["real_path", "device", "inode"])
def test_another_directory_has_no_approval(approvals: ApprovalStore, workspace: WorkspaceIdentity, field: str) -> None:
    approvals.record(an_approval(workspace))
    other = workspace.model_copy(update={field: "/copy" if field == "real_path" else 9})
    assert approvals.find(PLAN_ID, other) is None


def test_an_approval_copied_to_the_name_of_another_directory_is_refused(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path
) -> None:
    approvals.record(an_approval(workspace))
    other = workspace.model_copy(update={"inode": 9})
    record_file(state, other).write_bytes(record_file(state, workspace).read_bytes())
    with pytest.raises(ApprovalDriftError, match="was given for PLAN-0badcafe in /home/person/project"):
        approvals.find(PLAN_ID, other)


def test_an_approval_copied_to_the_name_of_another_plan_is_refused(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path
) -> None:
    approvals.record(an_approval(workspace))
    other = PlanId("PLAN-00000000")
    copy = state / "approvals" / f"{other}-{workspace.key}.json"
    copy.write_bytes(record_file(state, workspace).read_bytes())
    with pytest.raises(ApprovalDriftError, match="not for PLAN-00000000"):
        approvals.find(other, workspace)


@pytest.mark.req("S0-65")
def test_no_change_of_one_byte_in_the_record_leaves_an_approval_that_says_something_else(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path
) -> None:
    approval = an_approval(workspace)
    approvals.record(approval)
    path = record_file(state, workspace)
    data = path.read_bytes()
    refused = 0
    for position in range(len(data)):
        path.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
        try:
            assert approvals.find(PLAN_ID, workspace) == approval  # white space only
        except ApprovalDriftError:
            refused += 1
    print(f"{len(data)} bytes flipped, {refused} refused, 0 accepted as something else")
    assert refused > len(data) * 0.8


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"[]",
        b"{}",
        b"null",
        b"\xff",
        b'{"approval": {}, "mac": 5}',
        b'{"approval": {}, "mac": null}',
        b'{"approval": NaN, "mac": ""}',
        b"[" * 200_000,
    ],
)
def test_a_record_that_is_none_was_not_made_by_tandem(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path, damage: bytes
) -> None:
    approvals.record(an_approval(workspace))
    record_file(state, workspace).write_bytes(damage)
    with pytest.raises(ApprovalDriftError, match="was not made by Tandem") as refusal:
        approvals.find(PLAN_ID, workspace)
    assert refusal.value.path == str(record_file(state, workspace))


def test_a_record_signed_with_another_key_was_not_made_by_tandem(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path
) -> None:
    forger = ApprovalStore(state / "forged")
    forger.record(an_approval(workspace))
    approvals.record(an_approval(workspace))
    forged = (state / "forged" / record_file(state, workspace).name).read_bytes()
    record_file(state, workspace).write_bytes(forged)
    with pytest.raises(ApprovalDriftError, match="not made by Tandem"):
        approvals.find(PLAN_ID, workspace)


def test_signed_words_that_are_no_approval_are_refused(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path
) -> None:
    approvals.record(an_approval(workspace))
    mac = approvals.key.sign("approval:1", b"{}")
    record_file(state, workspace).write_text(json.dumps({"approval": {}, "mac": mac}))
    with pytest.raises(ApprovalDriftError):
        approvals.find(PLAN_ID, workspace)


def test_an_unreadable_record_is_told_as_such(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path
) -> None:
    record_file(state, workspace).mkdir(parents=True)
    with pytest.raises(StorageError, match="cannot be read"):
        approvals.find(PLAN_ID, workspace)


@pytest.mark.req("S0-65")
def test_an_approval_is_used_once_also_across_restarts(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path
) -> None:
    approval = an_approval(workspace)
    approvals.record(approval)
    approvals.consume(approval.nonce, RUN)
    for store in (approvals, ApprovalStore(state / "approvals")):
        with pytest.raises(ApprovalMissingError, match="has been used by RUN-00000001"):
            store.consume(approval.nonce, OTHER_RUN)
        with pytest.raises(ApprovalMissingError, match="has been used by RUN-00000001"):
            store.find(PLAN_ID, workspace)


def test_putting_the_record_back_does_not_make_it_unused(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path
) -> None:
    approval = an_approval(workspace)
    approvals.record(approval)
    saved = record_file(state, workspace).read_bytes()
    approvals.revoke(PLAN_ID, workspace)
    assert approvals.find(PLAN_ID, workspace) is None
    record_file(state, workspace).write_bytes(saved)
    with pytest.raises(ApprovalMissingError, match="has been withdrawn"):
        approvals.find(PLAN_ID, workspace)


@pytest.mark.parametrize("nonce", ["", "../key", "0" * 31, "g" * 32])
def test_a_number_that_no_approval_can_have_names_no_file(approvals: ApprovalStore, nonce: str) -> None:
    with pytest.raises(ApprovalMissingError, match="not the number of an approval"):
        approvals.consume(nonce, RUN)


def test_revoking_works_whatever_lies_there(
    approvals: ApprovalStore, workspace: WorkspaceIdentity, state: Path
) -> None:
    approvals.revoke(PLAN_ID, workspace)
    approval = an_approval(workspace)
    approvals.record(approval)
    record_file(state, workspace).write_bytes(b"garbage")
    approvals.revoke(PLAN_ID, workspace)
    assert approvals.find(PLAN_ID, workspace) is None
    approvals.record(approval)
    approvals.consume(approval.nonce, RUN)
    approvals.revoke(PLAN_ID, workspace)
    assert not record_file(state, workspace).exists()


def usable(store: ApprovalStore, workspace: WorkspaceIdentity) -> Approval | None:
    with contextlib.suppress(ApprovalMissingError):
        return store.find(PLAN_ID, workspace)
    return None


def perform(action: str, store: ApprovalStore, approval: Approval) -> None:
    if action == "record":
        store.record(approval)
    elif action == "consume":
        store.consume(approval.nonce, RUN)
    else:
        store.revoke(PLAN_ID, approval.workspace)


@pytest.mark.parametrize("action", ["record", "consume", "revoke"])
def test_killed_at_any_call_an_approval_is_there_whole_or_not_at_all(
    action: str, tmp_path: Path, workspace: WorkspaceIdentity
) -> None:
    approval = an_approval(workspace)
    points = made = 0
    while made >= points:
        store = ApprovalStore(tmp_path / str(points))
        if action != "record":
            store.record(approval)
        made = 0

        def kill(call: str, what: str, limit: int = points) -> None:
            nonlocal made
            made += 1
            if made > limit:
                raise Killed

        with syscalls.gated(kill), contextlib.suppress(Killed):
            perform(action, store, approval)
        again = ApprovalStore(tmp_path / str(points))
        assert usable(again, workspace) in (None, approval)
        with contextlib.suppress(ApprovalMissingError):
            perform(action, again, approval)
        assert usable(again, workspace) == (approval if action == "record" else None)
        points += 1
    assert points >= 5


RACE = """
import sys
from pathlib import Path
from tandem_desktop.approval.store import ApprovalStore
from tandem_desktop.domain.errors import ApprovalMissingError
store = ApprovalStore(Path(sys.argv[1]))
sys.stdin.readline()
won = 0
for nonce in sys.argv[3:]:
    try:
        store.consume(nonce, sys.argv[2])
        won += 1
    except ApprovalMissingError:
        pass
print(won)
"""


@pytest.mark.req("S0-65")
def test_of_several_processes_one_uses_each_approval(tmp_path: Path) -> None:
    nonces = [secrets.token_hex(16) for _ in range(40)]
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACE, str(tmp_path), f"RUN-0000000{number}", *nonces],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for number in range(3)
    ]
    for racer in racers:
        assert racer.stdin
        racer.stdin.write("go\n")
        racer.stdin.flush()
    won = [int(racer.communicate()[0]) for racer in racers]
    assert sum(won) == len(nonces)
