"""Tells whether a person edited the Markdown page of a plan."""

import contextlib
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from tandem_desktop.domain.errors import PlanDamagedError
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.plans.names import MOST_BYTES, document_file, edited_file
from tandem_desktop.storage import atomic

_SEAL = lazy_pattern(r"^page_sha256: ([0-9a-f]{64})\n", re.MULTILINE)
END_OF_FRONT = "\n---\n"


def edited_page(folder: Path, revision: int, expected: Callable[[], str]) -> Path | None:
    """The page of a revision in the folder of its plan if a person has edited it, or where such an edit is kept.

    A page of an earlier version has no seal; only then is the text that is `expected` made.
    """
    page = folder / document_file(revision)
    with contextlib.suppress(OSError, PlanDamagedError):
        if has_been_edited(page, expected):
            return page
    kept = folder / edited_file(revision)
    return kept if kept.exists() else None


def has_been_edited(page: Path, expected: Callable[[], str]) -> bool:
    try:
        return is_edited(atomic.read_regular(page, MOST_BYTES)[0].decode("utf-8", "replace"), expected)
    except FileNotFoundError:
        return False


def is_edited(found: str, expected: Callable[[], str]) -> bool:
    """True if a page was edited. A page of an earlier version has no seal: its body is compared."""
    seal = _SEAL.search(found)
    if seal is None:
        return found.partition(END_OF_FRONT)[2] != expected().partition(END_OF_FRONT)[2]
    return seal[1] != page_digest(found[: seal.start()] + found[seal.end() :])


def page_digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
