"""Stores signed approvals and the signing key."""

import contextlib
import hashlib
import hmac
import json
import logging
import os
import stat
from pathlib import Path
from typing import Any

from tandem_desktop.domain.approval import Approval, WorkspaceIdentity, canonical
from tandem_desktop.domain.errors import ApprovalDriftError, ApprovalMissingError, StorageError
from tandem_desktop.domain.ids import PLAN_ID, PlanId, RunId
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.errors import reading, writing

KEY_BYTES = 32
_log = logging.getLogger(__name__)


class StateKey:
    """Sign and check bytes with a private key file, created on first use."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def folder(self) -> Path:
        """Where the key lies, with what is kept apart from the rest of the state."""
        return self._path.parent

    def sign(self, domain: str, payload: bytes) -> str:
        """A MAC with the key; never valid in another domain."""
        return hmac.new(self._key(), f"tandem:{domain}\0".encode() + payload, hashlib.sha256).hexdigest()

    def is_signed(self, domain: str, payload: bytes, code: str) -> bool:
        return hmac.compare_digest(self.sign(domain, payload).encode(), code.encode("utf-8", "replace"))

    def _key(self) -> bytes:
        if not self._path.exists():
            with writing(self._path), contextlib.suppress(FileExistsError):  # another process created the key
                atomic.make_directory(self._path.parent, mode=0o700)
                atomic.create(self._path, os.urandom(KEY_BYTES), mode=0o600)
        with reading(self._path):
            return self._read()

    def _read(self) -> bytes:
        fd = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            info = os.fstat(fd)
            key = os.read(fd, KEY_BYTES + 1) if stat.S_ISREG(info.st_mode) else b""
        finally:
            os.close(fd)
        if len(key) != KEY_BYTES:
            raise StorageError(
                f"{self._path} is not a key made by Tandem.",
                path=str(self._path),
                next="Remove the file; plans that were approved must then be approved again.",
            )
        if info.st_mode & 0o077:
            raise StorageError(
                f"{self._path} can be read by others, so it proves nothing.",
                path=str(self._path),
                next=f"Remove the file, or, if no other user has read it: chmod 600 {self._path}",
            )
        return key


_DOMAIN = "approval:1"
_REVOKED = RunId("nobody: withdrawn")
_NONCE = lazy_pattern(r"[0-9a-f]{32}")


class ApprovalStore:
    """Stores at most one approval per plan and workspace. A record that is not signed with our key is invalid."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.key = StateKey(folder / "key")

    def record(self, approval: Approval) -> None:
        """Save an approval durably, in place of an earlier one of the same plan."""
        path = self._path(approval.approval_hash.plan_id, approval.workspace)
        fields = approval.model_dump(mode="json")
        with writing(path):
            atomic.make_directory(self._folder, mode=0o700)
            record = {"approval": fields, "mac": self.key.sign(_DOMAIN, canonical(fields))}
            atomic.replace(path, json.dumps(record, indent=1).encode() + b"\n", mode=0o600)

    def find(self, plan_id: PlanId, workspace: WorkspaceIdentity) -> Approval | None:
        """The approval of a plan here, if there is one that has not been used.

        Raises:
            ApprovalDriftError: the record was not made by Tandem, or for something else.
            ApprovalMissingError: it has been used or withdrawn.
        """
        path = self._path(plan_id, workspace)
        with reading(path):
            try:
                data = path.read_bytes()
            except FileNotFoundError:
                return None
        approval = self._verified(data, path)
        if approval.approval_hash.plan_id != plan_id or approval.workspace != workspace:
            raise ApprovalDriftError(
                f"The approval in {path} was given for {approval.approval_hash.plan_id} in "
                f"{approval.workspace.real_path}, not for {plan_id} in {workspace.real_path}.",
                path=str(path),
                next=f"Look at the plan again, then approve it here: tandem show {plan_id}",
            )
        if self._used(approval.nonce).exists():
            raise self._used_up(approval.nonce)
        return approval

    def consume(self, nonce: str, run_id: RunId) -> None:
        """Consume an approval durably. Of several callers exactly one succeeds.

        Raises:
            ApprovalMissingError: it was used before.
        """
        path = self._used(nonce)
        with writing(path):
            try:
                with atomic.together():
                    atomic.make_directory(path.parent, mode=0o700)
                    atomic.create(path, f"{run_id}\n".encode(), mode=0o600)
            except FileExistsError:
                raise self._used_up(nonce) from None

    def is_used(self, nonce: str) -> bool:
        """Whether an approval of this number was used or withdrawn here; so counts what is no number of ours."""
        return not _NONCE.fullmatch(nonce) or self._used(nonce).exists()

    def used(self) -> dict[str, str]:
        """The number of every approval that was used or withdrawn, with the run that used it."""
        folder = self._folder / "consumed"
        if not folder.is_dir():
            return {}
        with reading(folder):
            return {each.name: each.read_text(errors="replace").strip() for each in sorted(folder.iterdir())}

    def standing(self) -> dict[str, PlanId]:
        """The number of every approval that is stored, with its plan; a record that is not ours is left out."""
        found: dict[str, PlanId] = {}
        for path in sorted(self._folder.glob("PLAN-*.json")):
            with contextlib.suppress(ApprovalDriftError, OSError):
                approval = self._verified(path.read_bytes(), path)
                found[approval.nonce] = approval.approval_hash.plan_id
        return found

    def revoke(self, plan_id: PlanId, workspace: WorkspaceIdentity) -> None:
        """Withdraw an approval durably; a copy of its record is invalid afterwards."""
        path = self._path(plan_id, workspace)
        with contextlib.suppress(ApprovalDriftError, ApprovalMissingError):
            if approval := self.find(plan_id, workspace):
                self.consume(approval.nonce, _REVOKED)
                _log.info("approval withdrawn: %s, digest %s", plan_id, approval.digest[:12])
        with writing(path), contextlib.suppress(FileNotFoundError):
            syscalls.unlink(str(path))
            atomic.sync_directory(self._folder)

    def _path(self, plan_id: PlanId, workspace: WorkspaceIdentity) -> Path:
        if not PLAN_ID.fullmatch(plan_id):
            raise ApprovalMissingError(
                f"No approval found for this plan revision: {plan_id[:40]!r} is no plan.",
                next="See which there are: tandem list",
            )
        return self._folder / f"{plan_id}-{workspace.key}.json"

    def _used(self, nonce: str) -> Path:
        if not _NONCE.fullmatch(nonce):
            raise ApprovalMissingError(
                f"{nonce[:40]!r} is not the number of an approval.", next="Look at the plan again and approve it again."
            )
        return self._folder / "consumed" / nonce

    def _verified(self, data: bytes, path: Path) -> Approval:
        try:
            record: Any = json.loads(data)
            fields, mac = record["approval"], record["mac"]
            if self.key.is_signed(_DOMAIN, canonical(fields), mac):
                return Approval.model_validate_json(json.dumps(fields))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            pass  # reported below, like any other invalid record
        raise ApprovalDriftError(
            f"The approval in {path} was not made by Tandem, or was altered.",
            path=str(path),
            next="Look at the plan again, then approve it anew.",
        )

    def _used_up(self, nonce: str) -> ApprovalMissingError:
        path = self._used(nonce)
        with reading(path):
            by = path.read_text(encoding="utf-8", errors="replace").strip()
        how = "has been withdrawn" if by == _REVOKED else f"has been used by {by}"
        return ApprovalMissingError(
            f"The approval {how}; an approval is good for one run.",
            next="Look at the plan again and approve it again.",
        )
