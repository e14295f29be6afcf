"""Names of plans and of the files of a plan, and the stat signature by which a change of a file is seen."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from tandem_desktop.domain.errors import PlanDamagedError, PlanNotFoundError
from tandem_desktop.domain.ids import PLAN_ID, PlanId
from tandem_desktop.domain.patterns import lazy_pattern

_BEGINNING = lazy_pattern(r"(?:PLAN-)?([0-9a-f]{4,8})", re.IGNORECASE)


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
MOST_BYTES = 128 * 1024 * 1024
"""Of one file of a plan; a record of a hundred thousand operations fits."""
META = "meta.json"
LOCK = ".lock"
_REVISION_FILE = lazy_pattern(r"r([0-9]{3,9})\.json")


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


def latest_revision(folder: Path | str) -> int:
    """The highest revision saved in a plan's folder, 0 when there is none.

    Raises:
        PlanDamagedError: the folder cannot be read.
    """
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return 0
    except OSError as error:
        raise damaged(folder, f"it cannot be listed: {error.strerror}") from error
    match = _REVISION_FILE.fullmatch
    return max([int(found[1]) for name in names if name[:1] == "r" and (found := match(name))], default=0)


def signature(info: os.stat_result) -> Signature:
    return Signature(info.st_ctime_ns, info.st_ino & INODE_MASK)


def damaged(path: Path | str, reason: str) -> PlanDamagedError:
    return PlanDamagedError(
        f"{path} is damaged ({reason[:200]}).",
        path=str(path),
        next=RESTORE,
    )
