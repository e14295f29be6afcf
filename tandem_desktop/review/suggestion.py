"""A suggestion for a conflict: where the plan's change would go by likeness. Shown as one, never taken unasked."""

from importlib import import_module
from typing import Any

from tandem_desktop.review.three_way import Lines, Region

MAXIMUM_CHARACTERS = 20_000
"""Beyond this nobody reads a suggestion, and finding one would take long."""
TIME_LIMIT_S = 0.2


def suggestion(region: Region) -> bytes | None:
    """The disk's lines with the plan's change worked in, if every part of it finds a place."""
    texts = [_text(side) for side in (region.base, region.disk, region.proposed)]
    if not all(texts) or sum(len(text or "") for text in texts) > MAXIMUM_CHARACTERS:
        return None
    base, disk, proposed = texts
    matcher: Any = import_module("diff_match_patch").diff_match_patch()  # untyped, and slow to import
    matcher.Diff_Timeout = TIME_LIMIT_S
    found, placed = matcher.patch_apply(matcher.patch_make(base, proposed), disk)
    if not placed or not all(placed) or found in (disk, proposed):
        return None
    return str(found).encode()


def _text(lines: Lines) -> str | None:
    try:
        return b"".join(lines).decode()
    except UnicodeDecodeError:
        return None
