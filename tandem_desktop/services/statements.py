"""Signed statements about commits: which approved plan a commit is, to be checked without Tandem's state.

A statement is an in-toto statement, signed with the person's SSH key and kept as a git note. It
holds what the digest of the approval was computed from, so that a check computes the digest anew.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem_desktop.domain.approval import ApprovalHash, effects, hash_of_effects
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.git_repository import GitEntry, GitRepository
from tandem_desktop.services.audit import RecordedApproval
from tandem_desktop.services.signatures import SignedKind, opened, signed, signer_of

NOTES = "refs/notes/tandem"
_STATEMENT, _PREDICATE = "https://in-toto.io/Statement/v1", "https://tandem-desktop.invalid/approved-run/v1"
_KIND = SignedKind("application/vnd.in-toto+json", "tandem-approval")
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


def state(
    git: GitRepository,
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
    git.add_note(NOTES, commit, signed(git, statement, _KIND))


def verify(git: GitRepository, commit: str, allowed_signers: Path | None) -> Verified:
    """Check a commit by its statement alone; nothing of this machine's state is asked."""
    note = git.note(NOTES, commit)
    if note is None:
        return Verified(commit, ok=False, reason="no statement about it was found (git fetch the notes of Tandem?)")
    try:
        statement, payload, signature = opened(note, _KIND)
        predicate = statement["predicate"]
        known = {
            "approved_at": str(predicate["approvedAt"]),
            "digest": str(predicate["digest"]),
            "evidence": str(predicate["evidence"]),
            "plan_id": str(predicate["plan"]),
            "run_id": str(predicate["run"]),
        }
        signer, problem = signer_of(git, payload, signature, _KIND, allowed_signers)
        reason = problem or _reason(git, commit, statement, predicate)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Verified(commit, ok=False, reason="its statement cannot be read")
    return Verified(commit, ok=not reason, reason=reason, signed_by=signer, **known)


def _reason(git: GitRepository, commit: str, statement: Mapping[str, Any], predicate: Mapping[str, Any]) -> str:
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
    git: GitRepository, changed: Mapping[str, tuple[GitEntry | None, GitEntry | None]], predicate: Mapping[str, Any]
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
