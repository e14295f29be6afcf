"""Signed statements about commits: which approved plan a commit is, to be checked without Tandem's state.

A statement is an in-toto statement in a DSSE envelope, signed with the person's SSH key and kept as a git note. It
holds what the digest of the approval was computed from, so that a check computes the digest anew.
"""

import base64
import hashlib
import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem_desktop.domain.approval import ApprovalHash, canonical, effects, hash_of_effects
from tandem_desktop.domain.errors import BadInputError, GitError
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.strict_json import unique_keys
from tandem_desktop.execution.git_commit import GitCommitter, GitEntry
from tandem_desktop.processes.child import find_program, scrubbed_environment
from tandem_desktop.services.audit import RecordedApproval
from tandem_desktop.storage import atomic

NOTES = "refs/notes/tandem"
NAMESPACE = "tandem-approval"
_STATEMENT, _PREDICATE = "https://in-toto.io/Statement/v1", "https://tandem-desktop.invalid/approved-run/v1"
_PAYLOAD = "application/vnd.in-toto+json"
_TIMEOUT_S = 60.0
_MOST_BYTES = 64 * 1024 * 1024
_ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Verified:
    """Whether a commit is what was approved."""

    commit: str
    ok: bool
    reason: str = ""
    """Why not; empty where it is."""
    signed_by: str = ""
    approved_at: str = ""
    digest: str = ""
    evidence: str = ""
    plan_id: str = ""
    run_id: str = ""


def signing_key(git: GitCommitter) -> str:
    """The SSH key the person signs with, as git is set; empty where they sign with none."""
    return git.setting("user.signingKey") if git.setting("gpg.format") == "ssh" else ""


def state(
    git: GitCommitter,
    commit: str,
    version: PlanVersion,
    *,
    run_id: str,
    approval: RecordedApproval,
    otherwise: Mapping[str, GitEntry | None],
    merged: Sequence[str],
) -> None:
    """Sign a statement about a commit, and keep it as a note.

    `otherwise` are paths whose bytes are not those of an approved operation: what an approved command left, and what
    git takes in by its own rules, such as line endings.

    Raises:
        GitError: it could not be signed or kept.
    """
    hashed = ApprovalHash.of(version)
    statement = {
        "_type": _STATEMENT,
        "subject": [{"name": "commit", "digest": {"gitCommit": commit}}],
        "predicateType": _PREDICATE,
        "predicate": {
            "format": hashed.format,
            "plan": hashed.plan_id,
            "revision": hashed.revision,
            "run": run_id,
            "digest": hashed.combined_hash,
            "contentHash": hashed.content_hash,
            "effects": effects(version),
            "approvedBy": approval.by,
            "approvedAt": approval.at.isoformat(),
            "evidence": approval.evidence,
            "prefix": git.repository_path(""),
            "otherwise": {path: entry and [entry.mode, entry.oid] for path, entry in otherwise.items()},
            "merged": sorted(merged),
        },
    }
    payload = canonical(statement)
    envelope = {
        "payloadType": _PAYLOAD,
        "payload": base64.b64encode(payload).decode(),
        "signatures": [{"keyid": "", "sig": base64.b64encode(_signed(git, _framed(payload))).decode()}],
    }
    git.add_note(NOTES, commit, canonical(envelope))


def verify(git: GitCommitter, commit: str, allowed_signers: Path | None) -> Verified:
    """Check a commit by its statement alone; nothing of this machine's state is asked."""
    note = git.note(NOTES, commit)
    if note is None:
        return Verified(commit, ok=False, reason="no statement about it was found (git fetch the notes of Tandem?)")
    try:
        payload, signature = _opened(note)
        statement = _read(payload)
        predicate = statement["predicate"]
        known = {
            "approved_at": str(predicate["approvedAt"]),
            "digest": str(predicate["digest"]),
            "evidence": str(predicate["evidence"]),
            "plan_id": str(predicate["plan"]),
            "run_id": str(predicate["run"]),
        }
        signer, problem = _signer(git, _framed(payload), signature, allowed_signers)
        reason = problem or _reason(git, commit, statement, predicate)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Verified(commit, ok=False, reason="its statement cannot be read")
    return Verified(commit, ok=not reason, reason=reason, signed_by=signer, **known)


def _reason(git: GitCommitter, commit: str, statement: Mapping[str, Any], predicate: Mapping[str, Any]) -> str:
    """Why the commit is not what the statement says was approved; empty where it is."""
    if (statement["_type"], statement["predicateType"]) != (_STATEMENT, _PREDICATE):
        return "its statement is of a kind this version does not know"
    if [each["digest"]["gitCommit"] for each in statement["subject"]] != [commit]:
        return "its statement is about another commit"
    approval = ApprovalHash(
        format=predicate["format"],
        plan_id=predicate["plan"],
        revision=predicate["revision"],
        content_hash=predicate["contentHash"],
        operations_hash=hash_of_effects(predicate["effects"]),
    )
    if approval.combined_hash != predicate["digest"]:
        return "what its statement lists is not what the digest was computed from"
    if predicate["merged"]:
        return f"{predicate['merged'][0]} was merged with what was committed, so its bytes are not those approved"
    parents = git.parents(commit)
    if len(parents) > 1:
        return "it is a merge"
    return _difference(git, git.differences(parents[0] if parents else None, commit), predicate)


def _difference(
    git: GitCommitter, changed: Mapping[str, tuple[GitEntry | None, GitEntry | None]], predicate: Mapping[str, Any]
) -> str:
    """The first path that the commit leaves in another state than was approved."""
    approved = _last_states(predicate["effects"], predicate["prefix"])
    otherwise = predicate["otherwise"]
    has_commands = any(each["call"] is not None for each in predicate["effects"])
    blobs = git.blobs([after.oid for _, after in changed.values() if after is not None])
    for path, (_, after) in sorted(changed.items()):
        if path in otherwise and (has_commands or path in approved):
            if otherwise[path] != (after and [after.mode, after.oid]):
                return f"{path} is not what the run left"
        elif path not in approved:
            return f"{path} was not part of what was approved"
        elif not _is(approved[path], after, blobs):
            return f"{path} is not what was approved"
    return "" if changed else "it changes nothing"


def _last_states(found: Sequence[Mapping[str, Any]], prefix: str) -> dict[str, Mapping[str, Any]]:
    """What each path was to be at the end."""
    states: dict[str, Mapping[str, Any]] = {}
    for each in found:
        if each["path"] is None:
            continue
        if each["to"] is None:
            states[prefix + each["path"]] = each["after"]
        else:
            states[prefix + each["path"]] = {"type": _ABSENT}
            states[prefix + each["to"]] = each["after"]
    return states


def _is(wanted: Mapping[str, Any], after: GitEntry | None, blobs: Mapping[str, bytes]) -> bool:
    if after is None:
        return bool(wanted["type"] == _ABSENT)
    data = blobs[after.oid]
    if wanted["type"] == "symlink":
        return after.is_link and data == str(wanted["target"]).encode("utf-8", "surrogateescape")
    if wanted["type"] != "file" or not after.is_file:
        return False
    is_program = bool(int(wanted["mode"]) & 0o100)
    return after.is_program == is_program and hashlib.sha256(data).hexdigest() == wanted["sha256"]


def _framed(payload: bytes) -> bytes:
    """What is signed, as DSSE has it."""
    return b"DSSEv1 %d %s %d %s" % (len(_PAYLOAD), _PAYLOAD.encode(), len(payload), payload)


def _opened(note: bytes) -> tuple[bytes, bytes]:
    """Payload and signature of an envelope.

    Raises:
        ValueError: it is none.
    """
    if len(note) > _MOST_BYTES:
        raise ValueError
    envelope = _read(note)
    if envelope["payloadType"] != _PAYLOAD or len(envelope["signatures"]) != 1:
        raise ValueError
    payload = base64.b64decode(envelope["payload"], validate=True)
    return payload, base64.b64decode(envelope["signatures"][0]["sig"], validate=True)


def _read(data: bytes) -> Any:
    return json.loads(data, object_pairs_hook=unique_keys)


def _signed(git: GitCommitter, data: bytes) -> bytes:
    key = signing_key(git)
    with tempfile.TemporaryDirectory(prefix="tandem-sign-") as folder:
        name = key
        if key.startswith(("key::", "ssh-")):
            name = f"{folder}/key.pub"
            atomic.replace(Path(name), key.removeprefix("key::").encode() + b"\n", durable=False)
        message = Path(folder, "statement")
        atomic.replace(message, data, durable=False)
        made = _keygen(git, "-Y", "sign", "-n", NAMESPACE, "-f", str(Path(name).expanduser()), str(message))
        if made.returncode or not message.with_suffix(".sig").exists():
            said = " ".join(made.stderr.decode("utf-8", "replace").split())
            raise GitError(f"The statement about the commit could not be signed: {said}", next="ssh-add -l")
        return message.with_suffix(".sig").read_bytes()


def _signer(git: GitCommitter, data: bytes, signature: bytes, allowed: Path | None) -> tuple[str, str]:
    """Who signed, and why that does not count."""
    named = str(allowed) if allowed is not None else git.setting("gpg.ssh.allowedSignersFile")
    signers = Path(named).expanduser() if named else None
    if signers is None or not signers.is_file():
        return "", "nobody is known whose signature would count (--allowed-signers FILE)"
    with tempfile.TemporaryDirectory(prefix="tandem-sign-") as folder:
        kept = Path(folder, "sig")
        atomic.replace(kept, signature, durable=False)
        found = _keygen(git, "-Y", "find-principals", "-s", str(kept), "-f", str(signers))
        names = found.stdout.decode("utf-8", "replace").split("\n")
        who = names[0].strip() if found.returncode == 0 else ""
        if not who:
            return "", "it is signed by nobody whose signature counts"
        words = ("-Y", "verify", "-n", NAMESPACE, "-f", str(signers), "-I", who, "-s", str(kept))
        if _keygen(git, *words, data=data).returncode:
            return who, "its signature does not fit what it says"
    return who, ""


def _keygen(git: GitCommitter, *words: str, data: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
    program = find_program("ssh-keygen", outside=git.top)
    if program is None:
        raise BadInputError("ssh-keygen was not found.", next="Install OpenSSH, then try again.")
    try:
        return subprocess.run(
            [program, *words],
            env=scrubbed_environment(git.agent_environment()),
            input=data,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired as error:
        raise GitError("ssh-keygen did not come to an end.", next="Try it in a terminal.") from error
