"""Plan names and the bytes of plan records."""

import json
import os
import re
import stat
import time
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from tandem_desktop.domain.approval import canonical
from tandem_desktop.domain.errors import PlanDamagedError, PlanNotFoundError
from tandem_desktop.domain.ids import PLAN_ID, PlanId
from tandem_desktop.domain.operations import first_misfit
from tandem_desktop.domain.plan import FORMAT, PlanMeta, PlanVersion
from tandem_desktop.domain.strict_json import ambiguity

_BEGINNING = re.compile(r"(?:PLAN-)?([0-9a-f]{4,8})", re.IGNORECASE)


def folder_of(plans: Path, plan_id: PlanId) -> Path:
    """The folder of a plan, existing or not.

    Raises:
        PlanNotFoundError: the id is not one.
    """
    if not PLAN_ID.fullmatch(plan_id):
        raise unknown(plan_id)
    return plans / plan_id


def resolve(plans: Path, text: str) -> PlanId:
    """The one plan whose digits begin like this.

    Raises:
        PlanNotFoundError: none or several do.
    """
    beginning = _BEGINNING.fullmatch(text.strip())
    if not beginning:
        raise unknown(text)
    wanted = f"PLAN-{beginning[1].lower()}"
    try:
        names = sorted(name for name in os.listdir(plans) if name.startswith(wanted) and PLAN_ID.fullmatch(name))
    except FileNotFoundError:
        names = []
    if not names:
        raise unknown(text)
    if len(names) > 1:
        shown = ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
        raise PlanNotFoundError(f"{wanted} fits {len(names)} plans: {shown}.", next="Give more digits of the id.")
    return PlanId(names[0])


def unknown(text: str) -> PlanNotFoundError:
    shown = text if PLAN_ID.fullmatch(text) else repr(text[:60])
    return PlanNotFoundError(f"There is no plan {shown} in this workspace.", next="See which there are: tandem list")


INODE_MASK = (1 << 63) - 1
"""Some file systems use all 64 bits; a stored signature has 63."""

RESTORE = "Restore the file from a backup, or move the plan's folder away and propose the plan again."

META = "meta.json"
LOCK = ".lock"
_REVISION_FILE = re.compile(r"r([0-9]{3,9})\.json")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_SETTLED_NS = 50_000_000
"""A file that changed less than this before it was read may change again without a new time stamp."""

Record = TypeVar("Record", PlanMeta, PlanVersion)


class Signature(NamedTuple):
    """The stat signature of a file: every write changes its change time."""

    changed_ns: int
    inode: int


NEVER = Signature(0, 0)
"""A signature that no file has."""


def revision_file(revision: int) -> str:
    return f"r{revision:03d}.json"


def document_file(revision: int) -> str:
    return f"r{revision:03d}.md"


def edited_file(revision: int) -> str:
    """Where a person's edit of a page is kept when the page is rewritten."""
    return f"r{revision:03d}.edited.md"


def latest_revision(folder: Path) -> int:
    """The highest revision saved in a plan's folder, 0 when there is none.

    Raises:
        PlanDamagedError: the folder cannot be read.
    """
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError as error:
        raise _damaged(folder, f"it cannot be listed: {error.strerror}") from error
    numbers = [int(match[1]) for name in names if (match := _REVISION_FILE.fullmatch(name))]
    return max(numbers, default=0)


def encode(record: PlanMeta | PlanVersion) -> bytes:
    return record.model_dump_json(indent=1).encode() + b"\n"


def signature(info: os.stat_result) -> Signature:
    return Signature(info.st_ctime_ns, info.st_ino & INODE_MASK)


def read_meta(folder: Path) -> tuple[PlanMeta, Signature]:
    """The stored record, with its stat signature.

    Raises:
        FileNotFoundError: there is none.
        PlanDamagedError: it cannot be understood, or belongs to another plan.
    """
    path = folder / META
    data, seen = _read(path)
    meta = _decode(PlanMeta, data, path)
    if meta.plan_id != folder.name:
        raise _damaged(path, f"it belongs to {meta.plan_id[:40]!r}")
    if not _DIGEST.fullmatch(meta.digest):
        raise _damaged(path, "its digest is none")
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
        raise _damaged(path, f"it belongs to {version.plan_id[:40]!r} r{version.revision}")
    try:
        canonical(version.context)
    except ValueError as error:  # NaN or infinity has no digest
        raise _damaged(path, f"context: {error}") from None
    if (found := first_misfit(version.operations)) is not None:
        raise _damaged(path, f"operation {found[0][:64]!r}: {found[1]}")
    return version, seen


def _read(path: Path) -> tuple[bytes, Signature]:
    """Bytes of a regular file; a link or a pipe under the name counts as damage and is not followed."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _damaged(path, f"it cannot be opened: {error.strerror}") from error
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise _damaged(path, "it is not a regular file")
        data = _all_bytes(fd)
    except OSError as error:
        raise _damaged(path, f"it cannot be read: {error.strerror}") from error
    finally:
        os.close(fd)
    settled = info.st_ctime_ns < time.time_ns() - _SETTLED_NS
    return data, signature(info) if settled else NEVER


def _all_bytes(fd: int) -> bytes:
    parts = []
    while part := os.read(fd, 1 << 20):
        parts.append(part)
    return b"".join(parts)


def _decode(model: type[Record], data: bytes, path: Path) -> Record:
    try:
        record = model.model_validate_json(data)
    except ValidationError as error:
        if _format_of(data) > FORMAT:
            raise _newer(path) from None
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise _damaged(path, f"{where}: {first['msg']}" if where else first["msg"]) from None
    if record.format > FORMAT:
        raise _newer(path)
    # What was written here encodes to the same bytes; only other files need the slower check.
    if encode(record) != data and (unclear := ambiguity(data)) is not None:
        raise _damaged(path, unclear)
    return record


def _format_of(data: bytes) -> int:
    try:
        value: Any = json.loads(data)
    except (ValueError, RecursionError):
        return 0
    number = value.get("format") if isinstance(value, dict) else None
    return number if isinstance(number, int) else 0


def _newer(path: Path) -> PlanDamagedError:
    return PlanDamagedError(
        f"{path} was written by a newer version of Tandem.",
        path=str(path),
        next="Use that version, or a newer one, to open this plan.",
    )


def _damaged(path: Path, reason: str) -> PlanDamagedError:
    return PlanDamagedError(
        f"{path} is damaged ({reason[:200]}).",
        path=str(path),
        next=RESTORE,
    )
