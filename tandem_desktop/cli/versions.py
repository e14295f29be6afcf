"""Lock files as lists of packages, for the terminal and for scripts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem_desktop.cli.console import EscapedText, Line, Span, Tone
from tandem_desktop.diff.text import Document
from tandem_desktop.staging.lock_files import is_lock_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tandem_desktop.diff.versions import PackageChange, PackageNote, VersionList
    from tandem_desktop.review.operation_view import OperationView
    from tandem_desktop.services.engine import Engine

_INDENT = "      "
MOST_LISTED = 20
"""Packages that `show` names of one lock file; `--diff` names all of them."""


def versions_of(view: OperationView, engine: Engine) -> VersionList | None:
    """The packages that an operation changes in a lock file; None where there is no such list."""
    operation = view.operation
    path = operation.to or operation.path or ""
    if operation.is_run or view.is_too_large or not view.hunks or not may_list_packages(path):
        return None
    from tandem_desktop.diff.versions import version_list

    return version_list(path, *engine.contents(operation))


def may_list_packages(path: str) -> bool:
    """Whether it is worth loading what reads such lists."""
    return is_lock_file(path) or any(word in path.lower() for word in ("requirements", "constraints"))


def version_lines(found: VersionList, *, whole: bool, more: str) -> Iterator[Line]:
    """The packages in a line each, the riskiest first; `more` is the call that names all of them."""
    if found.is_formatting_only:
        yield f"{_INDENT}no package differs: the file is only written otherwise"
        return
    yield (_INDENT, Span(_counts(found), Tone.PLACE))
    listed = found.packages if whole else found.packages[:MOST_LISTED]
    for change in listed:
        told = "; ".join(map(_told, sorted(change.notes, key=lambda note: not note.is_risk)))
        mark = Span("! ", Tone.WARNING) if change.is_risk else Span("  ")
        notes = (Span(EscapedText(f"  {told}"), Tone.WARNING if change.is_risk else Tone.QUIET),) if told else ()
        yield (_INDENT, mark, EscapedText(_named(change)), EscapedText(f"  {_versions(change)}"), *notes)
    if len(listed) < len(found.packages):
        yield f"{_INDENT}  and {len(found.packages) - len(listed):,} more; all of them: {more}"


def versions_json(found: VersionList, before: bytes, after: bytes) -> dict[str, Any]:
    """All of the list; texts have their hidden characters spelled out, as in the window."""
    documents = Document.of(before), Document.of(after)
    return {
        "packages": [_package(change) for change in found.packages],
        "other_lines": [
            {
                "kind": "-" if line.is_old else "+",
                "line": line.number,
                "text": documents[not line.is_old].display(line.raw),
            }
            for line in found.others
        ],
        "lines_moved": found.moved,
        "lines_reformatted": found.reformatted,
    }


def _package(change: PackageChange) -> dict[str, Any]:
    return {
        "name": change.name,
        "place": change.place or None,
        "from": change.before,
        "to": change.after,
        "risk": change.is_risk,
        "notes": [
            {
                "kind": note.kind.value,
                "field": note.name or None,
                "before": note.before or None,
                "after": note.after or None,
                "risk": note.is_risk,
            }
            for note in change.notes
        ],
    }


def _counts(found: VersionList) -> str:
    counts = [f"{found.count(kind):,} {kind}" for kind in ("changed", "added", "removed")]
    rest = [
        f"{number:,} other {'line' if number == 1 else 'lines'} {words}"
        for number, words in (
            (len(found.others), "changed"),
            (found.moved, "moved"),
            (found.reformatted, "written otherwise"),
        )
        if number
    ]
    return f"packages: {', '.join(counts + rest)}"


def _named(change: PackageChange) -> str:
    return f"{change.name} ({change.place})" if change.place else change.name


def _versions(change: PackageChange) -> str:
    if change.before == change.after:
        return change.before or ""
    if change.before is None:
        return f"new, {change.after}"
    return f"{change.before} → {change.after}" if change.after is not None else f"{change.before}, removed"


def _told(note: PackageNote) -> str:
    from tandem_desktop.diff.versions import NoteKind

    match note.kind:
        case NoteKind.CHECKSUM:
            return "new checksum" if note.name == "1" else f"{note.name} new checksums"
        case NoteKind.CHECKSUM_ALONE:
            return f"another checksum for the same version: {note.before} → {note.after}"
        case NoteKind.CHECKSUM_GONE:
            return "no checksum any more"
        case NoteKind.NO_CHECKSUM:
            return "has no checksum, as others have"
        case NoteKind.SOURCE if note.before:
            return f"another source: {note.before} → {note.after}"
        case NoteKind.FROM | NoteKind.SOURCE:
            return f"from {note.after}"
        case NoteKind.SCRIPT:
            return "runs a script when it is installed"
        case _ if note.before and note.after:
            return f"{note.name}: {note.before} → {note.after}"
        case _ if note.before:
            return f"{note.name}: no longer {note.before}"
        case _:
            return f"{note.name}: {note.after}"
