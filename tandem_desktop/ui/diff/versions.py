"""A lock file as a table of packages, in words."""

from collections.abc import Iterator

from tandem_desktop.diff.text import Document
from tandem_desktop.diff.versions import NoteKind, OtherLine, PackageChange, PackageNote, VersionList
from tandem_desktop.ui.diff.change_table import ChangeRow, TableCell
from tandem_desktop.ui.i18n import tr, tr_n


def version_titles() -> tuple[str, ...]:
    return tr("Package"), tr("Before"), tr("After"), tr("What else differs")


def version_rows(found: VersionList, before: Document, after: Document) -> Iterator[ChangeRow]:
    """One row for each package, then each line that no package explains."""
    for change in found.packages:
        yield _package(change)
    if found.others:
        heading = tr_n(
            "{n} other line, as it stands in the file",
            "{n} other lines, as they stand in the file",
            len(found.others),
        )
        yield ChangeRow((TableCell(heading, "heading"),), is_heading=True, spoken=heading)
    for line in found.others:
        yield _line(line, before if line.is_old else after)


def summary(found: VersionList) -> str:
    """`3 packages changed, 1 added, 2 removed`, and what is only counted."""
    if found.is_formatting_only:
        return tr("The files differ in formatting only: no package differs.")
    parts = [
        tr_n("{n} package changed", "{n} packages changed", found.count("changed")),
        tr("{n} added", n=found.count("added")),
        tr("{n} removed", n=found.count("removed")),
    ]
    if found.moved:
        parts.append(tr_n("{n} line only moved", "{n} lines only moved", found.moved))
    if found.reformatted:
        parts.append(
            tr_n("{n} line differs in formatting only", "{n} lines differ in formatting only", found.reformatted)
        )
    return ", ".join(parts)


def note_text(note: PackageNote) -> str:
    """One note as a sentence without its full stop."""
    match note.kind:
        case NoteKind.CHECKSUM:
            return tr_n("new checksum", "{n} new checksums", int(note.name))
        case NoteKind.CHECKSUM_ALONE:
            return tr("another checksum for the same version: {before} → {after}", before=note.before, after=note.after)
        case NoteKind.CHECKSUM_GONE:
            return tr("no checksum any more: what is downloaded is not compared with anything")
        case NoteKind.NO_CHECKSUM:
            return tr("has no checksum, as others have")
        case NoteKind.FROM:
            return tr("from {host}", host=note.after)
        case NoteKind.SOURCE if note.before:
            return tr("another source: {before} → {after}", before=note.before, after=note.after)
        case NoteKind.SOURCE:
            return tr("from {host}", host=note.after)
        case NoteKind.SCRIPT:
            return tr("runs a script when it is installed")
        case _ if note.before and note.after:
            return f"{note.name}: {note.before} → {note.after}"
        case _ if note.before:
            return tr("{field}: no longer {value}", field=note.name, value=note.before)
        case _:
            return f"{note.name}: {note.after}"


def _package(change: PackageChange) -> ChangeRow:
    # What a person has to see comes first.
    notes = sorted(change.notes, key=lambda note: not note.is_risk)
    told = " · ".join(map(note_text, notes))
    name = f"{change.name} ({change.place})" if change.place else change.name
    is_other = change.before != change.after
    cells = (
        TableCell(name),
        TableCell("–" if change.before is None else change.before, "gone" if is_other and change.before else "muted"),
        TableCell("–" if change.after is None else change.after, "came" if is_other and change.after else "muted"),
        TableCell(told or (tr("removed") if change.after is None else ""), "risk" if change.is_risk else "muted"),
    )
    spoken = tr(
        "{name}, from {before} to {after}. {notes}",
        name=name,
        before=change.before or tr("not there"),
        after=change.after or tr("not there"),
        notes=told,
    )
    return ChangeRow(cells, spoken=spoken.strip(), tone="risk" if change.is_risk else "")


def _line(line: OtherLine, document: Document) -> ChangeRow:
    text = document.display(line.raw).replace("\t", "␉")
    tone = "removed" if line.is_old else "added"
    number = tr("line {n}", n=f"{line.number:,}")
    sides = ("−", "") if line.is_old else ("", "+")
    cells = (
        TableCell(number, "number"),
        *(TableCell(side, tone if side else "") for side in sides),
        TableCell(text, tone),
    )
    return ChangeRow(cells, spoken=f"{sides[0] or sides[1]} {number} {text}")
