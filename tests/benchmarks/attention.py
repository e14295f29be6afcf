"""How much of real releases is proved to be mechanical, whether any of that is wrong, and what a reader is spared.

`python -m tests.benchmarks attention`, or in parts: `python -m tests.benchmarks.attention --count 20 [PART …]`, of:
`share` (with the oracle), `faults`, `reading`, `speed`. Releases are downloaded once (`tests/benchmarks/releases.py`).

The oracle shares no code with the proof: CPython's own parser, PyYAML, `json`, `tomllib` and, where node has it, the
parsers of TypeScript and markdown-it. What it has no parser for is compared without comments and blanks by hand.
"""

import argparse
import ast
import json
import random
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem_desktop.diff.hunk_classes import ChangeClass, ChangedLines, ProvedChange, changed_lines, class_of
from tandem_desktop.diff.hunks import hunks
from tandem_desktop.diff.text import split_lines
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.change_classes import ChangeProver, Proved
from tandem_desktop.review.operation_view import OperationView, view_operation
from tandem_desktop.storage.objects import ObjectStore
from tests.benchmarks.releases import Release, cache, releases
from tests.support.builders import a_delete, a_write

COUNT = 100
PLANS = 30
_TEXT = 1_000_000


@dataclass
class ReleasePlan:
    """A release as a plan: every file that differs is written or deleted."""

    name: str
    views: list[OperationView]
    sides: dict[str, tuple[bytes, bytes]]
    proved: Proved = field(default_factory=dict)

    def contents(self, operation: StagedOperation) -> tuple[bytes, bytes]:
        return self.sides[operation.id]

    @property
    def lines(self) -> int:
        return sum(view.added + view.removed for view in self.views)


def plan_of(release: Release, objects: ObjectStore) -> ReleasePlan:
    old, new = _files(release.old), _files(release.new)
    views: list[OperationView] = []
    sides: dict[str, tuple[bytes, bytes]] = {}
    for path in sorted({*old, *new}):
        before, after = old.get(path), new.get(path)
        if before == after or any(side is not None and b"\0" in side for side in (before, after)):
            continue
        objects.put_all(side for side in (before, after) if side is not None)
        name = f"OP{len(views) + 1}"
        if after is None:
            operation = a_delete(path, before or b"", id=name)
        else:
            operation = a_write(path, after, before=before, id=name)
        views.append(view_operation(operation, objects, commands_captured=True))
        sides[name] = (before or b"", after or b"")
    plan = ReleasePlan(release.name, views, sides)
    plan.proved = ChangeProver(plan.contents, most_seconds=120).prove(views)
    return plan


def _files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if path.stat().st_size <= _TEXT}


# Share


def share(plans: Sequence[ReleasePlan]) -> Iterator[tuple[str, str]]:
    kinds: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    mechanical: Counter[str] = Counter()
    generated = total = 0
    shares = []
    for plan in plans:
        own = 0
        for view in plan.views:
            count = view.added + view.removed
            suffix = Path(view.operation.path or "").suffix or "(none)"
            total += count
            languages[suffix] += count
            generated += count if view.generated else 0
            for each in plan.proved.get(view.operation.id, ()):
                kinds[each.kind.value] += each.lines.count
                mechanical[suffix] += each.lines.count
                own += each.lines.count
        shares.append(own / plan.lines if plan.lines else 0.0)
    proved = sum(kinds.values())
    yield "releases, files, changed lines", f"{len(plans)}, {sum(len(plan.views) for plan in plans):,}, {total:,}"
    apart = _percent(proved, total - generated)
    yield "proved mechanical", f"{_percent(proved, total)} of all lines, {apart} without generated"
    yield "  of one release", f"median {statistics.median(shares):.1%}, best {max(shares):.1%}" if shares else ""
    for kind in ChangeClass:
        yield f"  {kind.value}", f"{kinds[kind.value]:,} lines, {_percent(kinds[kind.value], total)}"
    yield "generated and lock files", f"{generated:,} lines, {_percent(generated, total)}"
    for suffix, count in languages.most_common(10):
        yield f"  {suffix}", f"{count:,} lines, {_percent(mechanical[suffix], count)} proved"


def _percent(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "-"


# Oracle


def oracle(plans: Sequence[ReleasePlan]) -> Iterator[tuple[str, str]]:
    """The file without the proved changes against the file with them; moved lines against each other."""
    checked: Counter[str] = Counter()
    wrong: list[str] = []
    for plan in plans:
        moved: dict[bytes, list[str]] = {}
        for view in plan.views:
            found = plan.proved.get(view.operation.id, ())
            before, after = plan.sides[view.operation.id]
            path = view.operation.path or ""
            alone = [each.lines for each in found if each.kind in (ChangeClass.FORMAT, ChangeClass.COMMENT)]
            if alone:
                how, is_same = equal(path, after, without(before, after, alone))
                checked[how] += len(alone)
                if not is_same:
                    wrong.append(f"{plan.name} {path}")
            old, new = split_lines(before), split_lines(after)
            for each in found:
                if each.kind is ChangeClass.MOVE:
                    lines = old[slice(*each.lines.old)] or new[slice(*each.lines.new)]
                    side = "-" if each.lines.old[0] < each.lines.old[1] else "+"
                    moved.setdefault(b"".join(lines).strip(b"\n"), []).append(side)
        for sides in moved.values():
            checked["moves, by their bytes"] += 1
            if sorted(sides) != ["+", "-"]:
                wrong.append(f"{plan.name}: a move is there {sides}")
    for how, count in checked.most_common():
        yield f"  checked by {how}", f"{count:,}"
    yield "falsely mechanical", f"{len(wrong)}  {'; '.join(wrong[:5])}"


def without(before: bytes, after: bytes, changes: Sequence[ChangedLines]) -> bytes:
    """The content after all but these changes."""
    old, new = split_lines(before), split_lines(after)
    pieces: list[bytes] = []
    at = 0
    for change in sorted(changes, key=lambda each: each.new):
        pieces += new[at : change.new[0]]
        pieces += old[slice(*change.old)]
        at = change.new[1]
    return b"".join((*pieces, *new[at:]))


def equal(path: str, one: bytes, other: bytes) -> tuple[str, bool]:
    """By which parser two contents were compared, and whether they mean the same to it."""
    how, read = _ORACLES.get(Path(path).suffix.lower(), ("text without comments and blanks", _plain))
    try:
        return how, read(one) == read(other)
    except (ValueError, SyntaxError, RecursionError):
        return "text without comments and blanks", _plain(one) == _plain(other)


def _python(content: bytes) -> Any:
    return ast.dump(ast.parse(content))


def _yaml(content: bytes) -> Any:
    import yaml

    try:
        return [
            (type(each).__name__, getattr(each, "value", 0), getattr(each, "tag", 0)) for each in yaml.parse(content)
        ]
    except yaml.YAMLError as failure:
        raise ValueError(str(failure)) from failure


def _markdown(content: bytes) -> Any:
    from markdown_it import MarkdownIt

    html = MarkdownIt("commonmark").enable("table").render(content.decode())
    return [re.sub(r"\s+", " ", part) for part in re.split(r"(<pre>.*?</pre>)", html, flags=re.DOTALL)]


class Acorn:
    """The AST of a script by acorn, run by node; both come from outside."""

    def __init__(self) -> None:
        found = sorted((cache() / "npm" / "acorn").glob("*/dist/acorn.js"))
        self._library = found[-1] if found and shutil.which("node") else None

    def __call__(self, content: bytes) -> Any:
        if self._library is None:
            raise ValueError("there is no acorn")
        code = """
const acorn = require(process.argv[1]), text = require("fs").readFileSync(0, "utf8");
const skip = new Set(["start", "end", "raw"]);
let tree;
for (const sourceType of ["module", "script"]) {
  try { tree = acorn.parse(text, {ecmaVersion: "latest", sourceType, allowHashBang: true}); break; } catch (error) {}
}
if (!tree) process.exit(3);
const plain = (key, value) => skip.has(key) ? undefined : typeof value === "bigint" ? `${value}n` : value;
process.stdout.write(JSON.stringify(tree, plain));
"""
        ended = subprocess.run(
            ["node", "-e", code, str(self._library)], input=content, capture_output=True, check=False
        )
        if ended.returncode:
            raise ValueError("acorn does not read it")
        return ended.stdout


def _plain(content: bytes) -> Any:
    """Strings as they are; words and signs without comments and blanks."""
    text = content.decode("utf-8", "replace")
    return [token for token in _TOKEN.findall(text) if not token.startswith(("//", "/*"))]


_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|`(?:\\.|[^`\\])*`|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[\w$]+|[^\w\s]", re.DOTALL
)


_ORACLES: dict[str, tuple[str, Callable[[bytes], Any]]] = {
    **dict.fromkeys((".py", ".pyi"), ("CPython's ast", _python)),
    **dict.fromkeys((".js", ".mjs", ".cjs"), ("acorn", Acorn())),
    ".json": ("json", lambda content: json.loads(content)),
    ".toml": ("tomllib", lambda content: tomllib.loads(content.decode())),
    **dict.fromkeys((".yaml", ".yml"), ("PyYAML", _yaml)),
    **dict.fromkeys((".md", ".markdown"), ("markdown-it", _markdown)),
}


# Faults


def faults(plans: Sequence[ReleasePlan], objects: ObjectStore, wanted: int = 2_000) -> Iterator[tuple[str, str]]:
    """Put one fault into the new side of files that have proved changes, and look whether it lies in what is folded."""
    draw = random.Random(20260101)
    files = [
        (view.operation.path or "", *plan.sides[view.operation.id])
        for plan in plans
        for view in plan.views
        if view.operation.path and Path(view.operation.path).suffix in _MUTATED and plan.proved.get(view.operation.id)
    ]
    seeded: list[tuple[str, bytes, bytes, int]] = []
    for _ in range(wanted if files else 0):
        path, before, after = draw.choice(files)
        made = mutated(draw, path, before, after)
        if made is not None:
            seeded.append((path, before, *made))
    views = []
    sides: dict[str, tuple[bytes, bytes]] = {}
    for number, (path, before, after, _) in enumerate(seeded, start=1):
        objects.put_all((before, after))
        operation = a_write(path, after, before=before, id=f"OP{number}")
        views.append(view_operation(operation, objects, commands_captured=True))
        sides[operation.id] = (before, after)
    hidden = 0
    proved: dict[Any, tuple[ProvedChange, ...]] = {}
    for start in range(0, len(views), 100):
        proved |= _apart(views[start : start + 100], sides)
    for view, (_, _, _, line) in zip(views, seeded, strict=True):
        hidden += any(each.lines.new[0] <= line < each.lines.new[1] for each in proved.get(view.operation.id, ()))
    yield "seeded faults", f"{len(seeded):,}"
    yield "  in what is folded", str(hidden)


def _apart(views: Sequence[OperationView], sides: dict[str, tuple[bytes, bytes]]) -> Proved:
    return ChangeProver(lambda operation: sides[operation.id], most_seconds=120).prove(views)


_MUTATED = frozenset({".py", ".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".go", ".rs", ".java", ".c", ".h"})
_SWAPS = {
    "==": "!=",
    "!=": "==",
    "<": ">=",
    ">": "<=",
    "+": "-",
    "-": "+",
    "*": "/",
    "and": "or",
    "or": "and",
    "True": "False",
    "False": "True",
    "true": "false",
    "false": "true",
    "&&": "||",
    "||": "&&",
    "not": "",
    "!": "",
    "0": "1",
    "1": "0",
    "None": "0",
    "null": "0",
    "return": "",
    "await": "",
    "is": "is not",
    "in": "not in",
}
_SWAPPED = re.compile(
    r"==|!=|&&|\|\||[<>+*!-]|\b(?:and|or|True|False|true|false|not|0|1|None|null|return|await|is|in)\b"
)


def mutated(draw: random.Random, path: str, before: bytes, after: bytes) -> tuple[bytes, int] | None:
    """The content with one token of another meaning near a change, and its line."""
    new = split_lines(after)
    if not new:
        return None
    ranges = [each.new for each in changed_lines(hunks(before, after))]
    if not ranges:
        return None
    first, last = draw.choice(ranges)
    line = min(len(new) - 1, max(0, draw.randint(first - 2, last + 1)))
    text = new[line].decode("utf-8", "replace")
    mark = "#" if path.endswith(".py") else "//"
    code = text.partition(mark)[0]
    if code.lstrip().startswith(("*", "/*", '"""', "'''")):
        return None
    places = [*_SWAPPED.finditer(code)]
    if not places:
        return None
    found = draw.choice(places)
    changed = text[: found.start()] + _SWAPS[found[0]] + text[found.end() :]
    made = b"".join((*new[:line], changed.encode(), *new[line + 1 :]))
    if path.endswith(".py"):
        try:
            if ast.dump(ast.parse(made)) == ast.dump(ast.parse(after)):
                return None  # in a comment or nowhere: no fault
        except (SyntaxError, ValueError):
            return None
    elif _plain(made) == _plain(after):
        return None
    return made, line


# Reading


def reading(plans: Sequence[ReleasePlan]) -> Iterator[tuple[str, str]]:
    """Changed lines to be read and keys to be pressed, with every change visited and with only those that matter."""
    lines, keys = [], []
    all_lines = [0, 0]
    all_keys = [0, 0]
    for plan in plans[:PLANS]:
        before_lines, after_lines, before_keys, after_keys = _effort(plan)
        lines.append(after_lines / before_lines if before_lines else 0.0)
        keys.append(after_keys / before_keys if before_keys else 0.0)
        all_lines = [all_lines[0] + before_lines, all_lines[1] + after_lines]
        all_keys = [all_keys[0] + before_keys, all_keys[1] + after_keys]
    yield "plans", str(len(lines))
    for what, each, total in (("lines to read", lines, all_lines), ("keys to press", keys, all_keys)):
        ratio, median = total[1] / max(1, total[0]), statistics.median(each)
        yield f"  {what}", f"{total[0]:,} → {total[1]:,} ({ratio:.2f}); of one plan median {median:.2f}"


def _effort(plan: ReleasePlan) -> tuple[int, int, int, int]:
    before_lines = after_lines = before_keys = after_keys = 0
    for view in plan.views:
        found = plan.proved.get(view.operation.id, ())
        count = view.added + view.removed
        before_lines += count
        before_keys += len(view.hunks)
        if view.generated:
            after_keys += bool(view.flags or view.must_be_opened)
            continue
        # A move is read once, where it came to.
        shown_once = sum(e.lines.count for e in found if e.kind is ChangeClass.MOVE and e.lines.new[0] < e.lines.new[1])
        after_lines += count - sum(each.lines.count for each in found) + shown_once
        after_keys += sum(not class_of(hunk, found) for hunk in view.hunks)
    return before_lines, after_lines, before_keys, after_keys


# Speed


def speed(plans: Sequence[ReleasePlan], objects: ObjectStore, files: int = 1_000) -> Iterator[tuple[str, str]]:
    """A plan of 1,000 real files, each with its real change, or, where a release has too few, with another layout."""
    draw = random.Random(1)
    sources = [
        (view.operation.path or "", *plan.sides[view.operation.id])
        for plan in plans
        for view in plan.views
        if not view.flags and view.hunks and Path(view.operation.path or "").suffix in (*_MUTATED, ".md", ".json")
    ]
    draw.shuffle(sources)
    views = []
    sides: dict[str, tuple[bytes, bytes]] = {}
    for number in range(files):
        path, before, after = sources[number % len(sources)]
        objects.put_all((before, after))
        operation = a_write(f"{number}/{path}", after, before=before, id=f"OP{number + 1}")
        views.append(view_operation(operation, objects, commands_captured=True))
        sides[operation.id] = (before, after)
    times, cpu = [], []
    for _ in range(3):
        begun, used = time.perf_counter(), _used()
        found = ChangeProver(lambda operation: sides[operation.id], most_seconds=60).prove(views)
        times.append(time.perf_counter() - begun)
        cpu.append(_used() - used)
    size = sum(len(side) for pair in sides.values() for side in pair)
    told = f"{min(times):.2f} s (best of 3), {min(cpu):.2f} s of all processors, {len(found):,} files with marks"
    yield f"{files:,} files, {size / 1e6:.1f} MB, both sides", told


def _used() -> float:
    """Processor seconds of this process and of the parsers that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def loaded(count: int, objects: ObjectStore) -> list[ReleasePlan]:
    return [plan_of(release, objects) for release in releases(count)]


PARTS = ("share", "faults", "reading", "speed")


def tables(count: int, parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tandem-attention-") as name:
        objects = ObjectStore(Path(name))
        plans = loaded(count, objects)
        if "share" in parts:
            yield from share(plans)
            yield from oracle(plans)
        if "faults" in parts:
            yield from faults(plans, objects)
        if "reading" in parts:
            yield from reading(plans)
        if "speed" in parts:
            yield from speed(plans, objects)


def run(rounds: int) -> Iterator[tuple[str, str]]:
    del rounds  # every figure but the last is a count
    return tables(COUNT, PARTS)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.attention", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=COUNT, help=f"how many releases ({COUNT})")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of: {', '.join(PARTS)}")
    given = parser.parse_args()
    for what, figures in tables(given.count, given.parts or PARTS):
        print(f"  {what:<38} {figures}", flush=True)


if __name__ == "__main__":
    main()
