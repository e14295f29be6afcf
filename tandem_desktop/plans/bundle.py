"""The plan bundle: content, file format and consistency checks.

The lines, in this order: a manifest, the record, every revision, the comments, artifacts, stored bytes sorted by
digest, and the seal. There is one way to write a bundle, and anything else is refused: no part can be changed, moved,
doubled, left out or added without the seal, the counts or the digests saying so. No file name is taken from a bundle.
"""

import base64
import binascii
import hashlib
import json
from collections.abc import Iterator
from typing import Any, TypeVar

from pydantic_core import ValidationError

from tandem_desktop.domain.approval import ApprovalHash, canonical, digest
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import BundleError
from tandem_desktop.domain.ids import PLAN_ID, PlanId
from tandem_desktop.domain.operations import FileState, first_misfit
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan import FORMAT as PLAN_FORMAT
from tandem_desktop.domain.plan import PlanVersion, Rejection
from tandem_desktop.domain.review import Comments


class BundledPlan(Frozen):
    """The exported part of a plan's record; the status and the approval are never exported."""

    planner_model: str = ""
    tools_required: tuple[str, ...] = ()
    rejections: tuple[Rejection, ...] = ()


class Artifact(Frozen):
    """A context stored apart from its revision: the file and the digest of its bytes."""

    name: str
    sha256: str


class PlanBundle(Frozen):
    """A whole plan outside any workspace."""

    record: BundledPlan
    revisions: tuple[PlanVersion, ...]
    """Oldest first, from 1, without the session they were made in."""
    comments: Comments
    artifacts: tuple[Artifact, ...] = ()
    contents: dict[str, bytes]
    """Every byte of every base, after and artifact, by SHA-256."""

    @property
    def latest(self) -> PlanVersion:
        return self.revisions[-1]

    @property
    def plan_id(self) -> PlanId:
        return self.latest.plan_id


FORMAT = 1
MAX_BYTES = 512 * 1024 * 1024
SUFFIX = ".tandem-plan"
_SEAL = lazy_pattern(rb'\{"seal":"([0-9a-f]{64})"\}')

Part = TypeVar("Part", bound=Frozen)


class _Manifest(Frozen):
    """The first line: what follows, and how much of it."""

    format: int
    plan_id: PlanId
    digest: str
    revisions: int
    artifacts: int
    objects: int


class _Stored(Frozen):
    """Bytes under their digest."""

    sha256: str
    base64: str


def encode(bundle: PlanBundle) -> bytes:
    """The bundle as bytes, the same every time."""
    manifest = _Manifest(
        format=FORMAT,
        plan_id=bundle.plan_id,
        digest=bundle.latest.approval_hash,
        revisions=len(bundle.revisions),
        artifacts=len(bundle.artifacts),
        objects=len(bundle.contents),
    )
    parts: list[tuple[str, Frozen]] = [("bundle", manifest), ("plan", bundle.record)]
    parts += [("revision", version) for version in bundle.revisions]
    parts.append(("comments", bundle.comments))
    parts += [("artifact", each) for each in bundle.artifacts]
    for name in sorted(bundle.contents):
        text = base64.b64encode(bundle.contents[name]).decode()
        parts.append(("object", _Stored(sha256=name, base64=text)))
    body = b"".join(canonical({name: part.model_dump(mode="json")}) + b"\n" for name, part in parts)
    return body + canonical({"seal": seal(body)}) + b"\n"


def seal(body: bytes) -> str:
    """The digest of everything in a bundle but its last line."""
    return digest(f"bundle:{FORMAT}", body)


def decode(data: bytes) -> PlanBundle:
    """Parse the parts of a bundle; their consistency is checked by `check`.

    Raises:
        BundleError: it is no bundle, was changed on the way, or comes from a newer version.
    """
    if len(data) > MAX_BYTES:
        raise BundleError(f"it has more than {MAX_BYTES:,} bytes")
    reader = _Reader(_sealed_lines(data))
    manifest = reader.part("bundle", _Manifest)
    if manifest.format != FORMAT:
        raise BundleError(
            f"it has format {manifest.format}, and this version of Tandem reads {FORMAT}",
            next="Use the version of Tandem that wrote it, or a newer one.",
        )
    if manifest.revisions < 1:
        raise BundleError("it holds no revision")
    record = reader.part("plan", BundledPlan)
    revisions = tuple(reader.part("revision", PlanVersion) for _ in reader.counted(manifest.revisions))
    comments = reader.part("comments", Comments)
    artifacts = tuple(reader.part("artifact", Artifact) for _ in reader.counted(manifest.artifacts))
    contents = dict(_content(reader.part("object", _Stored)) for _ in reader.counted(manifest.objects))
    reader.end()
    if list(contents) != sorted(contents) or len(contents) != manifest.objects:
        raise BundleError("its bytes are not in order")
    bundle = PlanBundle(record=record, revisions=revisions, comments=comments, artifacts=artifacts, contents=contents)
    if (manifest.plan_id, manifest.digest) != (bundle.plan_id, bundle.latest.approval_hash):
        raise BundleError("its first line names another plan")
    return bundle


class _Reader:
    """Reads one line after the other and accepts only the expected kind."""

    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._next = 0

    def counted(self, number: int) -> range:
        if not 0 <= number <= len(self._lines):
            raise BundleError("its first line counts more than there is")
        return range(number)

    def part(self, name: str, model: type[Part]) -> Part:
        if self._next >= len(self._lines):
            raise BundleError("it ends too early")
        line = self._lines[self._next]
        self._next += 1
        value = _json(line, self._next)
        if not isinstance(value, dict) or list(value) != [name]:
            raise BundleError(f"line {self._next} should be its {name}")
        try:
            part = model.model_validate_json(canonical(value[name]), strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = ".".join(str(step) for step in first["loc"])
            raise BundleError(f"line {self._next}: {where}: {first['msg']}"[:300]) from None
        # A value that does not encode to the same line is not what was sealed.
        if canonical({name: part.model_dump(mode="json", exclude_unset=True)}) != line:
            raise BundleError(f"line {self._next} is not written as Tandem writes it")
        return part

    def end(self) -> None:
        if self._next != len(self._lines):
            raise BundleError("it holds more than its first line says")


def _sealed_lines(data: bytes) -> list[bytes]:
    if not data.endswith(b"\n"):
        raise BundleError("it is cut short")
    cut = data.rfind(b"\n", 0, len(data) - 1) + 1
    found = _SEAL.fullmatch(data[cut:-1])
    if found is None:
        raise BundleError("it does not end with its seal: it is cut short, or no bundle at all")
    if seal(data[:cut]) != found[1].decode():
        raise BundleError("it was changed after it was written: its seal does not fit")
    return data[:cut].split(b"\n")[:-1]


def _json(line: bytes, number: int) -> Any:
    try:
        value = json.loads(line)
        written = canonical(value)
    except (ValueError, RecursionError):
        raise BundleError(f"line {number} is not JSON") from None
    if written != line:
        raise BundleError(f"line {number} is not written as Tandem writes it")
    return value


def _content(stored: _Stored) -> tuple[str, bytes]:
    try:
        data = base64.b64decode(stored.base64, validate=True)
    except (binascii.Error, ValueError):
        raise BundleError(f"the bytes {stored.sha256[:12]} cannot be read") from None
    if base64.b64encode(data).decode() != stored.base64 or hashlib.sha256(data).hexdigest() != stored.sha256:
        raise BundleError(f"the bytes {stored.sha256[:12]} are not what they are called")
    return stored.sha256, data


_CONTEXT_FILE = lazy_pattern(r"(PLAN-[0-9a-f]{8})/r[0-9]{3,9}-context\.json")
_COMMENT_ID = lazy_pattern(r"C[1-9][0-9]{0,8}")
_SHA256 = lazy_pattern(r"[0-9a-f]{64}")


def check(bundle: PlanBundle) -> None:
    """Refuse a bundle that could not have been exported.

    Raises:
        BundleError: the message says what is inconsistent.
    """
    if not PLAN_ID.fullmatch(bundle.plan_id):
        raise BundleError("its plan has no proper id")
    for number, version in enumerate(bundle.revisions, start=1):
        _check_revision(bundle, number, version)
    _check_comments(bundle)
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
    """The file that holds the revision's context, if it was too large for the revision itself."""
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
    if version.format != PLAN_FORMAT:
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
    if (found := first_misfit(version.operations)) is not None:
        raise BundleError(f"operation {found[0]} of {where}: {found[1]}")
    for state in file_states(version):
        if len(bundle.contents.get(state.sha256, b"")) != state.size:
            raise BundleError(f"bytes that {where} needs are missing or of another size")


def _check_comments(bundle: PlanBundle) -> None:
    comments, latest = bundle.comments, bundle.latest.revision
    every = (*comments.drafts, *comments.sent)
    if comments.format != 1 or comments.plan_id != bundle.plan_id:
        raise BundleError("its comments are about another plan")
    if len({comment.id for comment in every}) != len(every) or not all(map(_COMMENT_ID.fullmatch, _ids(bundle))):
        raise BundleError("its comments are not numbered")
    said_at = [comment.revision for comment in every] + [said.revision for said in bundle.record.rejections]
    if not all(1 <= revision <= latest for revision in said_at):
        raise BundleError("a comment or rejection names a revision that is not in it")


def _ids(bundle: PlanBundle) -> list[str]:
    return [comment.id for comment in (*bundle.comments.drafts, *bundle.comments.sent)]
