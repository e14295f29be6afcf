"""Whether the parts of a bundle belong together: one plan, every digest as computed, every byte there and no other."""

import re
from collections.abc import Iterator
from typing import Any

from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.bundle import Artifact, PlanBundle
from tandem_desktop.domain.canonical import canonical
from tandem_desktop.domain.errors import BundleError
from tandem_desktop.domain.ids import PLAN_ID
from tandem_desktop.domain.operation_shape import misfit
from tandem_desktop.domain.operations import FileState
from tandem_desktop.domain.plan import FORMAT, PlanVersion

_CONTEXT_FILE = re.compile(r"(PLAN-[0-9a-f]{8})/r[0-9]{3,9}-context\.json")
_COMMENT_ID = re.compile(r"C[1-9][0-9]{0,8}")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def check(bundle: PlanBundle) -> None:
    """Refuse a bundle that could not have been exported.

    Raises:
        BundleError: and the sentence says what does not fit.
    """
    if not PLAN_ID.fullmatch(bundle.plan_id):
        raise BundleError("its plan has no proper id")
    for number, version in enumerate(bundle.revisions, start=1):
        _check_revision(bundle, number, version)
    _check_words(bundle)
    linked = {artifact for version in bundle.revisions for artifact in artifacts_of(version)}
    if list(bundle.artifacts) != sorted(linked, key=lambda each: (each.name, each.sha256)):
        raise BundleError("its artifacts are not those its revisions name")
    if len({each.name for each in linked}) != len(linked):
        raise BundleError("two artifacts have one name")
    needed = {state.sha256 for version in bundle.revisions for state in file_states(version)}
    if set(bundle.contents) != needed | {each.sha256 for each in linked}:
        raise BundleError("its bytes are not those its revisions need")


def file_states(version: PlanVersion) -> Iterator[FileState]:
    """Every file state an operation of the revision begins or ends with."""
    for operation in version.operations:
        for state in (operation.base, operation.after):
            if isinstance(state, FileState):
                yield state


def artifacts_of(version: PlanVersion) -> tuple[Artifact, ...]:
    """The file that holds the revision's context, where that was too large for the revision itself."""
    context: dict[str, Any] = version.context
    names, sha256 = context.get("artifacts"), context.get("sha256")
    if set(context) != {"artifacts", "sha256", "size"} or not isinstance(names, list) or len(names) != 1:
        return ()
    found = _CONTEXT_FILE.fullmatch(names[0]) if isinstance(names[0], str) else None
    if found is None or found[1] != version.plan_id or not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        return ()
    return (Artifact(name=names[0], sha256=sha256),)


def _check_revision(bundle: PlanBundle, number: int, version: PlanVersion) -> None:
    where = f"revision {number}"
    if version.format != FORMAT:
        raise BundleError(f"{where} has format {version.format}, which this version of Tandem does not read")
    if (version.plan_id, version.revision, version.parent_revision) != (bundle.plan_id, number, number - 1 or None):
        raise BundleError(f"{where} is another one")
    if version.session_id:
        raise BundleError(f"{where} names a session")
    try:
        canonical(version.context)
    except ValueError:
        raise BundleError(f"{where} has a number in its context that is none") from None
    if ApprovalHash.of(version).combined_hash != version.approval_hash:
        raise BundleError(f"the digest of {where} is not what its operations come to")
    names = [operation.id for operation in version.operations]
    if len(set(names)) != len(names):
        raise BundleError(f"{where} has two operations of one name")
    for operation in version.operations:
        if wrong := misfit(operation):
            raise BundleError(f"operation {operation.id} of {where}: {wrong}")
    for state in file_states(version):
        if len(bundle.contents.get(state.sha256, b"")) != state.size:
            raise BundleError(f"bytes that {where} needs are missing or of another size")


def _check_words(bundle: PlanBundle) -> None:
    comments, latest = bundle.comments, bundle.latest.revision
    every = (*comments.drafts, *comments.sent)
    if comments.format != 1 or comments.plan_id != bundle.plan_id:
        raise BundleError("its comments are about another plan")
    if len({comment.id for comment in every}) != len(every) or not all(map(_COMMENT_ID.fullmatch, _ids(bundle))):
        raise BundleError("its comments are not numbered")
    said_at = [comment.revision for comment in every] + [said.revision for said in bundle.record.rejections]
    if not all(1 <= revision <= latest for revision in said_at):
        raise BundleError("somebody speaks of a revision that is not in it")


def _ids(bundle: PlanBundle) -> list[str]:
    return [comment.id for comment in (*bundle.comments.drafts, *bundle.comments.sent)]
