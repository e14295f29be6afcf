"""A CSV or TSV file as a table with its changed cells marked, in words."""

from collections.abc import Iterator

from tandem_desktop.diff.tables import Cells, ComparedRow, TableDiff
from tandem_desktop.diff.text import visible_line, visible_name
from tandem_desktop.ui.diff.change_table import ChangeRow, TableCell
from tandem_desktop.ui.i18n import tr, tr_n


def table_titles(found: TableDiff) -> tuple[str, ...]:
    names = (*found.header, *[""] * (found.columns - len(found.header)))
    return tr("Row"), *map(visible_name, names)


def table_rows(found: TableDiff) -> Iterator[ChangeRow]:
    """Rows near a change; a changed row is there twice, as it was and as it becomes."""
    for row in found.rows:
        if row is None:
            words = tr("⋯ unchanged rows")
            yield ChangeRow((TableCell(words, "heading"),), is_heading=True, is_change=False, spoken=words)
        elif not row.is_change:
            cells = (_number(row.new_number), *(TableCell(_shown(cell), "muted") for cell in row.new or ()))
            yield ChangeRow(cells, is_change=False)
        else:
            yield from _changed(row)


def summary(found: TableDiff) -> str:
    """`2 rows changed, 1 added, 0 removed`, and what the cells do not tell."""
    if found.is_formatting_only:
        return tr("The files differ in formatting only: every cell is the same.")
    parts = [
        tr_n("{n} row changed", "{n} rows changed", found.count("changed")),
        tr("{n} added", n=found.count("added")),
        tr("{n} removed", n=found.count("removed")),
    ]
    if found.reformatted:
        parts.append(
            tr_n(
                "{n} row also differs in formatting (quotes or line ends)",
                "{n} rows also differ in formatting (quotes or line ends)",
                found.reformatted,
            )
        )
    return ", ".join(parts)


def _changed(row: ComparedRow) -> Iterator[ChangeRow]:
    for own, other, number, tone, sign in (
        (row.old, row.new, row.old_number, "removed", "−"),
        (row.new, row.old, row.new_number, "added", "+"),
    ):
        if own is None:
            continue
        cells = [TableCell(f"{sign} {number:,}", tone)]
        for at, cell in enumerate(own):
            is_other = other is not None and _cell(other, at) != cell
            cells.append(TableCell(_shown(cell), f"{tone}-strong" if is_other else tone))
        texts = [cell.text for cell in cells[1:]]
        words = tr("row {n} removed", n=number) if tone == "removed" else tr("row {n} added", n=number)
        yield ChangeRow(tuple(cells), spoken=f"{words}: {', '.join(texts)}", tone=tone)


def _cell(cells: Cells, at: int) -> str | None:
    return cells[at] if at < len(cells) else None


def _number(number: int | None) -> TableCell:
    return TableCell(f"{number:,}" if number is not None else "", "number")


def _shown(cell: str) -> str:
    return visible_line(cell).replace("\t", "␉").replace("\n", "␊")
