"""A notebook as a table of its changed cells, in words."""

from collections.abc import Iterator, Sequence

from tandem_desktop.diff.notebooks import LONGEST_LINE, CellChange, CellLine, NotebookDiff
from tandem_desktop.diff.text import visible_line, visible_name
from tandem_desktop.ui.diff.change_table import ChangeRow, TableCell
from tandem_desktop.ui.i18n import tr, tr_n


def notebook_titles() -> tuple[str, ...]:
    return tr("Line"), tr("Cell")


def notebook_rows(found: NotebookDiff) -> Iterator[ChangeRow]:
    """Each changed cell: its heading, the changed lines of its source, then those of its outputs."""
    for cell in found.cells:
        heading = _heading(cell)
        yield ChangeRow((TableCell(heading, "heading"),), is_heading=True, spoken=heading)
        yield from _lines(cell.source)
        if cell.outputs:
            words = tr("Output")
            yield ChangeRow((TableCell("", "number"), TableCell(words, "number")), is_change=False, spoken=words)
            yield from _lines(cell.outputs)


def summary(found: NotebookDiff) -> str:
    """How many cells differ, and what is not shown of them."""
    if found.is_formatting_only:
        return tr("The files differ in formatting only: every cell is the same.")
    parts = [tr_n("{n} cell differs", "{n} cells differ", len(found.cells))]
    for name, count in sorted(found.folded.items()):
        match name:
            case "execution_count":
                parts.append(tr_n("{n} execution count", "{n} execution counts", count))
            case "metadata":
                parts.append(tr_n("metadata of {n} cell", "metadata of {n} cells", count))
            case "notebook":
                parts.append(tr_n("{n} field of the notebook itself", "{n} fields of the notebook itself", count))
            case _:
                field = visible_name(name)
                parts.append(tr_n("{field} of {n} cell", "{field} of {n} cells", count, field=field))
    told = ", ".join(parts)
    return tr("{told}; only cells and outputs are shown here, the lines show all", told=told)


def _heading(cell: CellChange) -> str:
    kind = visible_name(cell.kind)
    if cell.old_number is None:
        return tr("Cell {n}, {kind}, added", n=cell.new_number, kind=kind)
    if cell.new_number is None:
        return tr("Cell {n}, {kind}, removed", n=cell.old_number, kind=kind)
    return tr("Cell {n}, {kind}", n=cell.new_number, kind=kind)


def _lines(lines: Sequence[CellLine]) -> Iterator[ChangeRow]:
    for line in lines:
        tone, sign = ("removed", "−") if line.is_old else ("added", "+")
        text = visible_line(line.text[:LONGEST_LINE]).replace("\t", "    ")
        if len(line.text) > LONGEST_LINE:
            text = tr("{text} ⋯ {n} more characters", text=text, n=f"{len(line.text) - LONGEST_LINE:,}")
        words = tr("removed {number} {line}", number=line.number, line=text)
        if not line.is_old:
            words = tr("added {number} {line}", number=line.number, line=text)
        yield ChangeRow((TableCell(f"{sign} {line.number:,}", tone), TableCell(text, tone)), spoken=words, tone=tone)
