"""The bytes of plan records."""

import json
import time
from pathlib import Path
from typing import Any, TypeVar

from pydantic_core import ValidationError

from tandem_desktop.domain.approval import canonical
from tandem_desktop.domain.errors import PlanDamagedError
from tandem_desktop.domain.ids import STEP_ID
from tandem_desktop.domain.operations import first_misfit
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.domain.plan import FORMAT, PlanMeta, PlanVersion
from tandem_desktop.domain.strict_json import ambiguity
from tandem_desktop.plans.names import META, MOST_BYTES, NEVER, Signature, damaged, revision_file, signature
from tandem_desktop.storage import atomic

_DIGEST = lazy_pattern(r"[0-9a-f]{64}")
_SETTLED_NS = 50_000_000
"""A file that changed less than this before it was read may change again without a new time stamp."""

Record = TypeVar("Record", PlanMeta, PlanVersion)


def encode(record: PlanMeta | PlanVersion) -> bytes:
    return record.model_dump_json(indent=1).encode() + b"\n"


def read_meta(folder: Path) -> tuple[PlanMeta, Signature]:
    """The stored record, with its stat signature.

    Raises:
        FileNotFoundError: there is none.
        PlanDamagedError: it cannot be understood, or belongs to another plan.
    """
    path = f"{folder}/{META}"  # a list of thousands of plans has no time to make paths of them
    data, seen = _read(path)
    meta = _decode(PlanMeta, data, path)
    if meta.plan_id != folder.name:
        raise damaged(path, f"it belongs to {meta.plan_id[:40]!r}")
    if not _DIGEST.fullmatch(meta.digest):
        raise damaged(path, "its digest is none")
    _check_session(meta, path)
    if meta.revision < 1 or meta.version < 1:
        raise damaged(path, "its revisions are counted from 1")
    return meta, seen


def read_revision(folder: Path, revision: int) -> tuple[PlanVersion, Signature]:
    """One revision, checked to be the one its name says, and to hold only what a plan may contain.

    The file may have come with the workspace, so it is checked as a bundle is.

    Raises:
        FileNotFoundError: there is none.
        PlanDamagedError: it cannot be understood, is another revision, or no plan may contain one of its operations.
    """
    path = folder / revision_file(revision)
    data, seen = _read(path)
    version = _decode(PlanVersion, data, path)
    if (version.plan_id, version.revision) != (folder.name, revision):
        raise damaged(path, f"it belongs to {version.plan_id[:40]!r} r{version.revision}")
    _check_session(version, path)
    try:
        canonical(version.context)
    except ValueError as error:  # NaN or infinity has no digest
        raise damaged(path, f"context: {error}") from None
    if (found := first_misfit(version.operations)) is not None:
        raise damaged(path, f"operation {found[0][:64]!r}: {found[1]}")
    return version, seen


def _check_session(record: PlanMeta | PlanVersion, path: Path | str) -> None:
    """The session names a folder of the state: a record that came with the workspace must not choose another place."""
    if not STEP_ID.fullmatch(record.session_id):
        raise damaged(path, f"its session {record.session_id[:40]!r} is none")


def _read(path: Path | str) -> tuple[bytes, Signature]:
    """Bytes of a regular file; a link or a pipe under the name counts as damage and is not followed."""
    try:
        data, info = atomic.read_regular(path, MOST_BYTES)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise damaged(path, f"it cannot be read: {error.strerror}") from error
    settled = info.st_ctime_ns < time.time_ns() - _SETTLED_NS
    return data, signature(info) if settled else NEVER


def _decode(model: type[Record], data: bytes, path: Path | str) -> Record:
    try:
        record = model.model_validate_json(data, strict=True)
    except ValidationError as error:
        if _format_of(data) > FORMAT:
            raise _newer(path) from None
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise damaged(path, f"{where}: {first['msg']}" if where else first["msg"]) from None
    if record.format > FORMAT:
        raise _newer(path)
    # What was written here encodes to the same bytes; only other files need the slower check.
    if encode(record) != data and (unclear := ambiguity(data)) is not None:
        raise damaged(path, unclear)
    return record


def _format_of(data: bytes) -> int:
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        return 0
    number = value.get("format") if isinstance(value, dict) else None
    return number if isinstance(number, int) else 0


def _newer(path: Path | str) -> PlanDamagedError:
    return PlanDamagedError(
        f"{path} was written by a newer version of Tandem.",
        path=str(path),
        next="Use that version, or a newer one, to open this plan.",
    )
