"""The change of a Jupyter notebook, cell by cell: sources and outputs as lines, everything else counted."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from tandem_desktop.diff.lines import changes
from tandem_desktop.domain.strict_json import unique_keys

LARGEST = 16 << 20
MOST_LINES = 3_000
"""Changed lines that the cells show; a change of more is shown as the lines of the file."""
LONGEST_LINE = 2_000


class CellLine(NamedTuple):
    """A removed or added line of a cell, with its number from one."""

    is_old: bool
    number: int
    text: str


@dataclass(frozen=True)
class CellChange:
    """A cell that is added, removed or changed; numbers count cells from one."""

    old_number: int | None
    new_number: int | None
    kind: str
    """`code`, `markdown` or `raw`, as the notebook says."""
    source: tuple[CellLine, ...]
    outputs: tuple[CellLine, ...]


@dataclass(frozen=True)
class NotebookDiff:
    """Cells whose source, outputs or kind differ, and how often anything else does."""

    cells: tuple[CellChange, ...]
    folded: Counter[str]
    """What differs besides: `execution_count`, `metadata` and other fields of cells and outputs, and `notebook`."""
    is_formatting_only: bool


def has_cells(path: str) -> bool:
    """Whether a file of this name is a notebook."""
    return path.lower().endswith(".ipynb")


def notebook_diff(before: bytes, after: bytes) -> NotebookDiff | None:
    """Compare two notebooks; None if one of them is none, or too much changes. A missing side has no cells."""
    try:
        old, new = _read(before), _read(after)
        folded: Counter[str] = Counter()
        cells = tuple(_compared(old["cells"], new["cells"], folded))
        if before and after:
            others = [key for key in {*old, *new} - {"cells"} if old.get(key) != new.get(key)]
            folded["notebook"] += len(others)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    if sum(len(cell.source) + len(cell.outputs) + 1 for cell in cells) > MOST_LINES:
        return None
    return NotebookDiff(cells, +folded, old == new)


def _read(content: bytes) -> dict[str, Any]:
    if not content:
        return {"cells": []}
    if len(content) > LARGEST:
        raise ValueError("too large")
    found = json.loads(content.decode("utf-8"), object_pairs_hook=unique_keys)
    if not isinstance(found, dict) or not all(isinstance(cell, dict) for cell in found["cells"]):
        raise ValueError("no notebook")
    return found


def _compared(old: list[dict[str, Any]], new: list[dict[str, Any]], folded: Counter[str]) -> Iterator[CellChange]:
    at_old = at_new = 0
    for change in (*changes(_keys(old), _keys(new)), None):
        same = (change.old_start if change is not None else len(old)) - at_old
        for step in range(same):
            yield from _pair(old, new, at_old + step, at_new + step, folded)
        if change is None:
            return
        for one, other in _partners(old, new, change.old_start, change.old_end, change.new_start, change.new_end):
            yield from _pair(old, new, one, other, folded)
        at_old, at_new = change.old_end, change.new_end


def _partners(
    old: list[dict[str, Any]], new: list[dict[str, Any]], old_start: int, old_end: int, new_start: int, new_end: int
) -> Iterator[tuple[int | None, int | None]]:
    """Changed cells beside each other: with the same id, else the next one of the same kind."""
    done = new_start
    for one in range(old_start, old_end):
        name, kind = old[one].get("id"), old[one].get("cell_type")
        rest = range(done, new_end)
        partner = next((at for at in rest if name is not None and new[at].get("id") == name), None)
        if partner is None and name is None:
            partner = next((at for at in rest if new[at].get("cell_type") == kind), None)
        if partner is None:
            yield one, None
            continue
        yield from ((None, at) for at in range(done, partner))
        yield one, partner
        done = partner + 1
    yield from ((None, at) for at in range(done, new_end))


def _pair(
    old: list[dict[str, Any]], new: list[dict[str, Any]], one: int | None, other: int | None, folded: Counter[str]
) -> Iterator[CellChange]:
    was = old[one] if one is not None else {}
    now = new[other] if other is not None else {}
    source = tuple(_lines(_source(was), _source(now)))
    outputs = tuple(_lines([*_outputs(was)], [*_outputs(now)]))
    if one is not None and other is not None:
        folded.update(_folded(was, now))
        if not source and not outputs and was.get("cell_type") == now.get("cell_type"):
            return
    kind = " → ".join(dict.fromkeys(str(cell["cell_type"]) for cell in (was, now) if cell))
    yield CellChange(None if one is None else one + 1, None if other is None else other + 1, kind, source, outputs)


def _keys(cells: list[dict[str, Any]]) -> list[bytes]:
    return ["\n".join((str(cell["cell_type"]), *_source(cell))).encode("utf-8", "surrogatepass") for cell in cells]


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(str(part) for part in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _source(cell: dict[str, Any]) -> list[str]:
    text = _text(cell.get("source", ""))
    return text.split("\n") if text else []


def _outputs(cell: dict[str, Any]) -> Iterator[str]:
    """All outputs as lines: text as it is, pictures and other data by size and digest."""
    for output in cell.get("outputs") or ():
        kind = output.get("output_type")
        if kind == "stream":
            yield f"[{output.get('name', 'stream')}]"
            yield from _text(output.get("text", "")).split("\n")
        elif kind == "error":
            yield f"[error] {_text(output.get('ename', ''))}: {_text(output.get('evalue', ''))}"
            yield from "\n".join(map(_text, output.get("traceback") or ())).split("\n")
        else:
            yield f"[{kind}]" if not output.get("data") else f"[{kind}: {', '.join(map(str, output['data']))}]"
            for name, value in (output.get("data") or {}).items():
                text = _text(value)
                if name.startswith("text/") or name in ("application/json", "application/javascript", "image/svg+xml"):
                    yield from text.split("\n")
                else:
                    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
                    yield f"{name}, {len(text) * 3 // 4:,} bytes, sha256 {digest}…"


def _lines(old: Sequence[str], new: Sequence[str]) -> Iterator[CellLine]:
    raw = [[line.encode("utf-8", "surrogatepass") for line in side] for side in (old, new)]
    for change in changes(*raw):
        yield from (CellLine(True, at + 1, old[at]) for at in range(change.old_start, change.old_end))
        yield from (CellLine(False, at + 1, new[at]) for at in range(change.new_start, change.new_end))


def _folded(was: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Each field of a cell or of its outputs that differs and is not shown."""
    yield from (key for key in {*was, *now} - {"cell_type", "source", "outputs"} if was.get(key) != now.get(key))
    shown = {"output_type", "name", "text", "data", "ename", "evalue", "traceback"}
    rest = [
        [{key: output[key] for key in output.keys() - shown} for output in cell.get("outputs") or ()]
        for cell in (was, now)
    ]
    if rest[0] != rest[1]:
        keys = {key for side in rest for output in side for key in output}
        yield from (key for key in keys if [o.get(key) for o in rest[0]] != [o.get(key) for o in rest[1]])
    elif was.get("outputs") != now.get("outputs") and [*_outputs(was)] == [*_outputs(now)]:
        yield "outputs"
    if was.get("source") != now.get("source") and _source(was) == _source(now):
        yield "source"
