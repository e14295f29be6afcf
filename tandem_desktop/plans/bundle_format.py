"""A plan bundle as bytes: canonical JSON, a line for each part, and a seal over everything before it.

The lines, in this order: a manifest, the record, every revision, the comments, artifacts, stored bytes sorted by
digest, and the seal. There is one way to write a bundle, and anything else is refused: no part can be changed, moved,
doubled, left out or added without the seal, the counts or the digests saying so. No file name is taken from a bundle.
"""

import base64
import binascii
import hashlib
import json
import re
from typing import Any, TypeVar

from pydantic import ValidationError

from tandem_desktop.domain.bundle import Artifact, BundledPlan, PlanBundle
from tandem_desktop.domain.canonical import canonical, digest
from tandem_desktop.domain.errors import BundleError
from tandem_desktop.domain.frozen import Frozen
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.review import Comments

FORMAT = 1
MAX_BYTES = 512 * 1024 * 1024
SUFFIX = ".tandem-plan"
_SEAL = re.compile(rb'\{"seal":"([0-9a-f]{64})"\}')

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
    """The parts of a bundle, each read as it stands; whether they belong together is checked elsewhere.

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
    """Takes one line after the other, and only what is expected there."""

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
            part = model.model_validate_json(canonical(value[name]))
        except ValidationError as error:
            first = error.errors(include_url=False, include_context=False, include_input=False)[0]
            where = ".".join(str(step) for step in first["loc"])
            raise BundleError(f"line {self._next}: {where}: {first['msg']}"[:300]) from None
        # What was read into another value than what was written is not the thing that was sealed.
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
