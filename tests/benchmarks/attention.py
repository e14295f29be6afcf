"""How much of real releases is proved to be mechanical, whether any of that is wrong, and what a reader is spared.

`python -m tests.benchmarks attention`, or in parts: `python -m tests.benchmarks.attention --count 20 [PART …]`, of:
`share` (with the oracle), `faults`, `reading`, `recorded` (commits, `tests/benchmarks/commits.py`),
`formatted` (what ruff makes of packages), `speed`. Releases are downloaded once (`tests/benchmarks/releases.py`).

The oracle shares no code with the proof: CPython's own parser, PyYAML, `json`, `tomllib` and, where node has it, the
parsers of TypeScript and markdown-it. What it has no parser for is compared without comments and blanks by hand.
"""

import argparse
import ast
import base64
import json
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tandem_desktop.diff.hunk_classes import ChangeClass, ChangedLines, Span, changed_lines
from tandem_desktop.diff.hunks import hunks
from tandem_desktop.diff.text import split_lines
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.change_classes import ChangeProver, ProofStore, Proved
from tandem_desktop.review.operation_view import OperationView, view_operation
from tandem_desktop.storage.objects import ObjectStore
from tests.benchmarks.commits import commits
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
    elsewhere: Sequence[bytes] | None = None
    """The contents of the files it leaves alone, where they are known."""

    def prove(self) -> None:
        self.proved = ChangeProver(self.contents, most_seconds=120, mentions=self._mentions).prove(self.views)

    def _mentions(self, words: frozenset[bytes], _: frozenset[str]) -> frozenset[bytes]:
        if self.elsewhere is None:
            return words
        pattern = re.compile(rb"(?<!\w)(?:" + b"|".join(map(re.escape, words)) + rb")(?!\w)")
        return frozenset(found for content in self.elsewhere for found in pattern.findall(content))

    def contents(self, operation: StagedOperation) -> tuple[bytes, bytes]:
        return self.sides[operation.id]

    @property
    def lines(self) -> int:
        return sum(view.added + view.removed for view in self.views)


def plan_of(release: Release, objects: ObjectStore) -> ReleasePlan:
    old, new = _files(release.old), _files(release.new)
    elsewhere = [after for path, after in new.items() if after == old.get(path)]
    return _planned(release.name, ((path, old.get(path), new.get(path)) for path in {*old, *new}), objects, elsewhere)


def _planned(
    name_of_plan: str,
    files: Iterable[tuple[str, bytes | None, bytes | None]],
    objects: ObjectStore,
    elsewhere: Sequence[bytes] | None = None,
) -> ReleasePlan:
    """A plan of these files; `elsewhere` are the contents of the others, where they are known."""
    views: list[OperationView] = []
    sides: dict[str, tuple[bytes, bytes]] = {}
    for path, before, after in sorted(files, key=lambda each: each[0]):
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
    plan = ReleasePlan(name_of_plan, views, sides, elsewhere=elsewhere)
    plan.prove()
    return plan


def _files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found if path.stat().st_size <= _TEXT}


# Share


def share(plans: Sequence[ReleasePlan]) -> Iterator[tuple[str, str]]:
    kinds: Counter[str] = Counter()
    languages: Counter[str] = Counter()
    mechanical: Counter[str] = Counter()
    generated = total = empty = 0
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
            empty += _empty(plan, view)
        shares.append(own / plan.lines if plan.lines else 0.0)
    proved = sum(kinds.values())
    yield "releases, files, changed lines", f"{len(plans)}, {sum(len(plan.views) for plan in plans):,}, {total:,}"
    apart, folded = _percent(proved, total - generated), _percent(proved + generated, total)
    yield "proved mechanical", f"{_percent(proved, total)} of all lines, {apart} without generated"
    yield "  with generated", f"{folded} of all lines are folded"
    yield "  of one release", f"median {statistics.median(shares):.1%}, best {max(shares):.1%}" if shares else ""
    for kind in ChangeClass:
        yield f"  {kind.value}", f"{kinds[kind.value]:,} lines, {_percent(kinds[kind.value], total)}"
    yield "  of these empty lines", f"{empty:,} lines, {_percent(empty, total)}"
    yield "generated and lock files", f"{generated:,} lines, {_percent(generated, total)}"
    for suffix, count in languages.most_common(10):
        yield f"  {suffix}", f"{count:,} lines, {_percent(mechanical[suffix], count)} proved"


def _empty(plan: ReleasePlan, view: OperationView) -> int:
    """How many of the proved lines of a file hold nothing."""
    before, after = (split_lines(side) for side in plan.sides[view.operation.id])
    found = [each.lines for each in plan.proved.get(view.operation.id, ())]
    lines = (line for each in found for line in (*before[slice(*each.old)], *after[slice(*each.new)]))
    return sum(not line.strip() for line in lines)


def _percent(part: float, whole: float) -> str:
    return f"{part / whole:.1%}" if whole else "-"


# Oracle


def oracle(plans: Sequence[ReleasePlan]) -> Iterator[tuple[str, str]]:
    """The file without the proved changes against the file with them; moved lines against each other."""
    checked: Counter[str] = Counter()
    wrong: list[str] = []
    for plan in plans:
        moved: dict[_Move, list[str]] = {}
        texts = {view.operation.path or "": [*map(split_lines, plan.sides[view.operation.id])] for view in plan.views}
        for view in plan.views:
            found = plan.proved.get(view.operation.id, ())
            before, after = plan.sides[view.operation.id]
            path = view.operation.path or ""
            alone = [each.lines for each in found if each.kind in (ChangeClass.FORMAT, ChangeClass.COMMENT)]
            removals = [each for each in alone if each.new[0] == each.new[1]]
            others = [each for each in alone if each.new[0] < each.new[1]]
            for side, left, changes in (
                (before, without_lines(before, removals), removals),
                (after, without(before, after, others), others),
            ):
                if changes:
                    how, is_same = equal(path, side, left)
                    checked[how] += len(changes)
                    if not is_same:
                        wrong.append(f"{plan.name} {path}")
            old, new = split_lines(before), split_lines(after)
            for each in found:
                if each.kind is ChangeClass.MOVE:
                    lines = b"".join(old[slice(*each.lines.old)] or new[slice(*each.lines.new)]).strip(b"\n")
                    is_gone = each.lines.old[0] < each.lines.old[1]
                    source, target = (path, each.lines.old[0]), (each.path, each.line - 1)
                    if not is_gone:
                        source, target = target, (path, each.lines.new[0])
                    move = lines, _with_text(texts, 0, *source), _with_text(texts, 1, *target)
                    moved.setdefault(move, []).append("-" if is_gone else "+")
        for how, is_right, where in _renames(plan):
            checked[how] += 1
            if not is_right:
                wrong.append(f"{plan.name} {where}")
        places = Counter(end for _, *both in moved for end in enumerate(both))
        for (_, *both), sides in moved.items():
            checked["moves, by their bytes"] += 1
            if sorted(sides) != ["+", "-"] or any(places[end] > 1 for end in enumerate(both)):
                wrong.append(f"{plan.name}: a move of {both} is there {sides}")
    for how, count in checked.most_common():
        yield f"  checked by {how}", f"{count:,}"
    yield "falsely mechanical", f"{len(wrong)}  {'; '.join(wrong[:5])}"


_Move = tuple[bytes, tuple[str, int], tuple[str, int]]
"""What moved, from where, and to where: path and first line that is not empty."""


def _with_text(texts: Mapping[str, list[list[bytes]]], side: int, path: str, line: int) -> tuple[str, int]:
    """The first line from there on that is not empty."""
    lines = texts[path][side] if path in texts else []
    return path, next((at for at in range(line, len(lines)) if lines[at].strip()), line)


def _renames(plan: ReleasePlan) -> Iterator[tuple[str, bool, str]]:
    """Renames by their tokens in the whole file."""
    for view in plan.views:
        sides = plan.sides[view.operation.id]
        for each in plan.proved.get(view.operation.id, ()):
            if each.kind is ChangeClass.RENAME:
                names = dict(pair.split(" → ")[::-1] for pair in each.path.split(", "))
                before = _tokens_of(sides[0], each.lines.old)
                after = _tokens_of(sides[1], each.lines.new)
                is_left = {*names.values()} & {*_plain(sides[1])} or {*names} & {*_plain(sides[0])}
                told = f"{view.operation.path}: {each.path}"
                yield "renames, by their tokens", not is_left and before == [names.get(one, one) for one in after], told


def _tokens_of(content: bytes, lines: Span) -> Any:
    """The tokens of some lines, without a comma before a bracket that closes on the line below."""
    every = split_lines(content)
    found = _plain(b"".join(every[slice(*lines)]))
    below = b"".join(every[lines[1] : lines[1] + 1]).lstrip()
    return found[:-1] if found[-1:] == [","] and below[:1] in (b")", b"]", b"}") else found


def without_lines(before: bytes, removals: Sequence[ChangedLines]) -> bytes:
    """The content before without the lines that these remove."""
    gone = {line for each in removals for line in range(*each.old)}
    return b"".join(line for number, line in enumerate(split_lines(before)) if number not in gone)


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
    read_sides = []
    for side in (one, other):
        try:
            read_sides.append(read(side))
        except (ValueError, SyntaxError, RecursionError):
            read_sides.append(None)
    if read_sides == [None, None]:
        return "text without comments and blanks", _plain(one) == _plain(other)
    return how, read_sides[0] == read_sides[1]


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
    """The AST of a script by acorn, as a digest; one process of node reads them all. Both come from outside."""

    _CODE = """
const acorn = require(process.argv[1]), {createHash} = require("crypto");
const skip = new Set(["start", "end", "raw"]);
const plain = (key, value) => skip.has(key) ? undefined : typeof value === "bigint" ? `${value}n` : value;
require("readline").createInterface({input: process.stdin}).on("line", line => {
  const text = Buffer.from(line, "base64").toString("utf8");
  let answer = "";
  for (const sourceType of ["module", "script"]) {
    try {
      const tree = acorn.parse(text, {ecmaVersion: "latest", sourceType, allowHashBang: true});
      answer = createHash("sha256").update(JSON.stringify(tree, plain)).digest("hex");
      break;
    } catch (error) {}
  }
  process.stdout.write(answer + "\\n");
});
"""

    def __init__(self) -> None:
        found = sorted((cache() / "npm" / "acorn").glob("*/dist/acorn.js"))
        self._library = found[-1] if found and shutil.which("node") else None
        self._node: subprocess.Popen[bytes] | None = None

    def __call__(self, content: bytes) -> Any:
        if self._library is None:
            raise ValueError("there is no acorn")
        if self._node is None:
            command = ["node", "--stack-size=8000", "-e", self._CODE, str(self._library)]
            self._node = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self._node.stdin is not None
        assert self._node.stdout is not None
        self._node.stdin.write(base64.b64encode(content) + b"\n")
        self._node.stdin.flush()
        if not (answer := self._node.stdout.readline().strip()):
            raise ValueError("acorn does not read it")
        return answer


def _plain(content: bytes) -> Any:
    """Words and signs without comments and blanks; strings in one kind of quotes, lists without a last comma."""
    text = content.decode("utf-8", "replace")
    tokens = [token for token in _TOKEN.findall(text) if not token.startswith(("//", "/*"))]
    same = [f'"{token[1:-1]}"' if token[:1] == "'" and '"' not in token else token for token in tokens]
    return [token for token, after in zip(same, [*same[1:], ""], strict=True) if token != "," or after not in (*")]}",)]


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

_ROUNDS = 3
_TRIES = 8
"""Lines that are looked at for one that a fault can be put into."""


def faults(plans: Sequence[ReleasePlan], objects: ObjectStore) -> Iterator[tuple[str, str]]:
    """Put a fault into each file of a plan that has proved changes, prove the plan anew, and look where the faults lie.

    Half of them lie in lines that are folded without the fault, of each class; the others near a change.
    """
    draw = random.Random(20260101)
    seeded: Counter[str] = Counter()
    hidden: list[str] = []
    for plan in plans:
        for is_inside in (True, False) * _ROUNDS:
            views, sides, lines = [*plan.views], dict(plan.sides), {}
            for number, view in enumerate(views):
                path = view.operation.path or ""
                proved = plan.proved.get(view.operation.id, ())
                folded = [each for each in proved if each.lines.new[0] < each.lines.new[1]]
                if Path(path).suffix not in _MUTATED or not proved or (is_inside and not folded):
                    continue
                before, after = sides[view.operation.id]
                made = None
                for _ in range(_TRIES):
                    chosen = draw.choice(folded) if is_inside else None
                    made = made or mutated(draw, path, before, after, chosen.lines.new if chosen else None)
                    if made is not None:
                        break
                if made is None:
                    continue
                objects.put_all((before, made[0]))
                operation = a_write(path, made[0], before=before or None, id=view.operation.id)
                views[number] = view_operation(operation, objects, commands_captured=True)
                sides[operation.id], lines[operation.id] = (before, made[0]), made[1]
                seeded[f"into what was folded as {chosen.kind.value}" if chosen else "near a change"] += 1
            with_faults = ReleasePlan(plan.name, views, sides, elsewhere=plan.elsewhere)
            with_faults.prove()
            for operation_id, line in lines.items():
                found = with_faults.proved.get(operation_id, ())
                if any(each.lines.new[0] <= line < each.lines.new[1] for each in found):
                    hidden.append(f"{plan.name} {operation_id}:{line + 1}")
    yield "seeded faults", f"{seeded.total():,}"
    for where, count in sorted(seeded.items()):
        yield f"  {where}", f"{count:,}"
    yield "  in what is folded", f"{len(hidden)}  {'; '.join(hidden[:5])}"


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


def mutated(
    draw: random.Random, path: str, before: bytes, after: bytes, within: Span | None = None
) -> tuple[bytes, int] | None:
    """The content with one token of another meaning, within some lines or near a change, and its line."""
    new = split_lines(after)
    if not new:
        return None
    ranges = [each.new for each in changed_lines(hunks(before, after))]
    if not ranges:
        return None
    first, last = within or draw.choice(ranges)
    line = draw.randrange(first, last) if within else min(len(new) - 1, max(0, draw.randint(first - 2, last + 1)))
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
    if not changed.strip():
        return None  # a line that is gone lies nowhere
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


def recorded(objects: ObjectStore) -> Iterator[tuple[str, str]]:
    """What people recorded for tasks that agents get as well, each kind apart and all together."""
    plans: list[ReleasePlan] = []
    for kind, own in _recorded(objects).items():
        yield f"recorded changes: {kind}", ""
        yield from reading(own)
        plans += own
    if plans:
        yield "recorded changes: all", ""
        yield from reading(plans)
        yield from oracle(plans)


def _recorded(objects: ObjectStore) -> dict[str, list[ReleasePlan]]:
    found: dict[str, list[ReleasePlan]] = {}
    for each in commits(PLANS):
        found.setdefault(each.kind, []).append(_planned(each.name, each.files, objects))
    return found


def formatted(count: int, objects: ObjectStore) -> Iterator[tuple[str, str]]:
    """What a formatter makes of packages that have another style."""
    if plans := [*_formatted(count, objects)]:
        yield "a formatter's run", ""
        yield from reading(plans)
        yield from oracle(plans)


def _formatted(count: int, objects: ObjectStore) -> Iterator[ReleasePlan]:
    for release in releases(count):
        before = {path: data for path, data in _files(release.new).items() if path.endswith(".py")}
        if len(before) < 2 or not all(b"\0" not in data for data in before.values()):
            continue
        with tempfile.TemporaryDirectory(prefix="tandem-formatted-") as name:
            shutil.copytree(release.new, name, dirs_exist_ok=True)
            settings = ("--isolated", "--line-length", "100", "--config", "format.quote-style='single'")
            subprocess.run([sys.executable, "-m", "ruff", "format", "-q", *settings, name], check=False)
            after = _files(Path(name))
        yield _planned(release.name, ((path, before[path], after.get(path)) for path in before), objects)


def reading(plans: Sequence[ReleasePlan]) -> Iterator[tuple[str, str]]:
    """Changed lines to be read and keys to be pressed, with every change visited and with only those that matter."""
    from tests.benchmarks.reading_keys import Walker

    walker = Walker()
    all_lines, all_keys, unseen = [0, 0], [0, 0], 0
    lines, keys = [], []
    for plan in plans[:PLANS]:
        before, after = _to_read(plan)
        walked = walker.keys(plan.views, plan.sides, plan.proved)
        lines.append(after / before if before else 0.0)
        keys.append(walked.what_matters / walked.each_change if walked.each_change else 0.0)
        all_lines = [all_lines[0] + before, all_lines[1] + after]
        all_keys = [all_keys[0] + walked.each_change, all_keys[1] + walked.what_matters]
        unseen += walked.unseen
    yield "plans", str(len(lines))
    for what, each, total in (("lines to read", lines, all_lines), ("keys to press", keys, all_keys)):
        ratio, median = total[1] / max(1, total[0]), statistics.median(each)
        yield f"  {what}", f"{total[0]:,} → {total[1]:,} ({ratio:.2f}); of one plan median {median:.2f}"
    yield "  lines to read, never on screen", f"{unseen:,}"


def _to_read(plan: ReleasePlan) -> tuple[int, int]:
    """Changed lines, and those that are neither proved nor generated; what is flagged is read in full."""
    before = after = 0
    for view in plan.views:
        count = view.added + view.removed
        before += count
        if view.flags or not view.generated:
            after += count - sum(each.lines.count for each in plan.proved.get(view.operation.id, ()))
    return before, after


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
    sources = [*{(before, after): (path, before, after) for path, before, after in sources}.values()]
    draw.shuffle(sources)
    views = []
    sides: dict[str, tuple[bytes, bytes]] = {}
    for number, (path, before, after) in enumerate(sources[:files]):
        objects.put_all((before, after))
        operation = a_write(f"{number}/{path}", after, before=before, id=f"OP{number + 1}")
        views.append(view_operation(operation, objects, commands_captured=True))
        sides[operation.id] = (before, after)
    size = sum(len(side) for pair in sides.values() for side in pair)
    yield f"{len(views):,} files, {size / 1e6:.1f} MB, both sides", ""
    operations = [view.operation for view in views]
    store = ProofStore(Path(tempfile.mkdtemp(prefix="tandem-proofs-")))
    for what in (_AT_ONCE, "plan of which all was staged before", _KEPT, _WITH_ROWS):
        times, cpu = [], []
        for _ in range(3):
            kept = store if what == _KEPT else None
            prover = ChangeProver(lambda operation: sides[operation.id], most_seconds=60, store=kept)
            if what == _KEPT:
                [*prover.beside(operations, views)]
                prover.settle(60)
            elif what not in (_AT_ONCE, _WITH_ROWS):
                prover.prepare(views)
            begun, used = time.perf_counter(), _used()
            if what == _WITH_ROWS:
                made = (view_operation(each, objects, commands_captured=True) for each in operations)
                found = prover.prove([*prover.beside(operations, made)])
                prover.settle(60)
            else:
                found = prover.prove(views)
            times.append(time.perf_counter() - begun)
            cpu.append(_used() - used)
        told = f"{min(times):.2f} s (best of 3), {min(cpu):.2f} s of all processors, {len(found):,} files with marks"
        yield f"  {what}", told
    shutil.rmtree(store.folder)


_AT_ONCE, _KEPT = "plan that arrives at once", "plan that another process proved"
_WITH_ROWS = "rows of a plan and its classes, at once"


def _used() -> float:
    """Processor seconds of this process and of the parsers that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def loaded(count: int, objects: ObjectStore) -> list[ReleasePlan]:
    return [plan_of(release, objects) for release in releases(count)]


PARTS = ("share", "faults", "reading", "recorded", "formatted", "speed")


def tables(count: int, parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tandem-attention-") as name:
        objects = ObjectStore(Path(name))
        plans = loaded(count, objects) if {"share", "faults", "reading", "speed"} & {*parts} else []
        if "share" in parts:
            yield from share(plans)
            yield from oracle(plans)
        if "faults" in parts:
            others = [each for own in _recorded(objects).values() for each in own]
            yield from faults([*plans, *others, *_formatted(min(count, PLANS), objects)], objects)
        if "reading" in parts:
            yield from reading(plans)
        if "recorded" in parts:
            yield from recorded(objects)
        if "formatted" in parts:
            yield from formatted(min(count, PLANS), objects)
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
