"""What checks found before and with a plan, and how the two differ."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Literal

from tandem_desktop.diff.lines import LineChange, changes
from tandem_desktop.diff.text import split_lines
from tandem_desktop.domain.approval import canonical, digest
from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.operations import Absent, FileState, NodeState, StagedOperation

Severity = Literal["error", "warning", "note"]
Subject = Literal["tests", "types", "lint"]
"""What a check is about: tests, types, or everything else a tool may say about lines."""

Counted = Literal[
    "fixed",
    "new failure",
    "new type error",
    "new lint error",
    "new warning",
    "new note",
    "check without a whole result",
]
"""What a summary counts."""
_BESIDE: tuple[tuple[Severity, Counted], ...] = (("warning", "new warning"), ("note", "new note"))
_PLURALS: dict[Counted, str] = {"fixed": "fixed", "check without a whole result": "checks without a whole result"}
_LINE_NUMBERS = re.compile(r"\b(line|lines|column) \d+")


class Diagnostic(Frozen):
    """One message of a tool about one line."""

    path: str
    line: int
    """Counted from one; 0 for the whole file."""
    severity: Severity
    code: str
    message: str


class SideResult(Frozen):
    """One check on one tree."""

    exit: int | None
    """None if it did not run, or was ended."""
    passed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    counts_tests: bool = False
    """Whether the report names tests; otherwise only the exit code and the diagnostics count."""
    diagnostics: tuple[Diagnostic, ...] = ()
    problem: str = ""
    """Why there is no whole result, as a clause; empty where there is one."""
    has_run: bool = True
    """False where the check was not started: the plan does not apply, or nothing could hold the check back."""
    places: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """For each failed test the files that its report names."""
    notes: tuple[str, ...] = ()
    """What else a reader should know: it wanted the network, it wrote outside."""
    output: str = ""
    """The end of what it printed."""
    seconds: float = 0.0

    @property
    def is_good(self) -> bool:
        return self.exit == 0 and not self.problem and not self.failed


class CheckEvidence(Frozen):
    """One check before and with the plan."""

    name: str
    command: str
    subject: Subject
    before: SideResult
    after: SideResult
    fixed: tuple[str, ...] = ()
    new_failures: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    """Tests that passed before and are no longer run."""

    @property
    def problem(self) -> str:
        """Why the check says less than it should; empty if it says all."""
        if self.after.problem and self.after.problem == self.before.problem:
            return self.after.problem
        sides = (("without the plan", self.before.problem), ("with the plan", self.after.problem))
        return "; ".join(f"{side}: {problem}" for side, problem in sides if problem)


class PlacedDiagnostic(Diagnostic):
    """A message of a check about a line of the tree with the plan."""

    check: str
    subject: Subject
    new: bool


class Evidence(Frozen):
    """Everything the checks of a list say about one revision."""

    tree_before: str
    tree_after: str
    checks: tuple[CheckEvidence, ...]
    diagnostics: tuple[PlacedDiagnostic, ...]
    failing_paths: frozenset[str] = frozenset()
    """Files of the plan that a new failure or a new message is about."""

    @property
    def fixed(self) -> int:
        return sum(len(check.fixed) for check in self.checks)

    @property
    def new_failures(self) -> int:
        return sum(len(check.new_failures) for check in self.checks)

    def new_messages(self, severity: Severity, *subjects: Subject) -> int:
        """How many messages are new; of every subject where none is named."""
        return sum(
            each.new and each.severity == severity and (not subjects or each.subject in subjects)
            for each in self.diagnostics
        )

    @property
    def unfinished(self) -> int:
        """How many checks have no whole result."""
        return sum(bool(check.problem) for check in self.checks)

    @property
    def summary(self) -> str:
        """`3 fixed · 1 new failure · 0 new type errors`."""
        return " · ".join(_counted(number, one) for number, one in self.counts())

    def counts(self) -> "Iterator[tuple[int, Counted]]":
        """What the summary counts, in its order."""
        if self.has("tests") or self.fixed or self.new_failures:
            yield self.fixed, "fixed"
            yield self.new_failures, "new failure"
        if self.has("types"):
            yield self.new_messages("error", "types"), "new type error"
        if self.has("lint"):
            yield self.new_messages("error", "lint"), "new lint error"
        for severity, counted in _BESIDE:
            if number := self.new_messages(severity):
                yield number, counted
        if self.unfinished:
            yield self.unfinished, "check without a whole result"

    def has(self, subject: Subject) -> bool:
        return any(check.subject == subject for check in self.checks)

    @property
    def is_worse(self) -> bool:
        """Whether the plan makes something fail that did not fail before."""
        return self.new_failures > 0 or any(each.new and each.severity == "error" for each in self.diagnostics)

    @property
    def digest(self) -> str:
        """Over everything a reader is shown; times and output are not in it."""
        return digest("evidence:1", canonical(evidence_json(self)))


def _counted(number: int, what: Counted) -> str:
    return f"{number} {what if number == 1 else _PLURALS.get(what, what + 's')}"


def evidence_json(found: Evidence) -> dict[str, Any]:
    """The contract for scripts."""
    return {
        "checks": [
            {
                "name": check.name,
                "command": check.command,
                "before": _side_json(check.before),
                "after": _side_json(check.after),
                "fixed": list(check.fixed),
                "new_failures": list(check.new_failures),
                "gone": list(check.gone),
                "problem": check.problem,
                "notes": list(dict.fromkeys((*check.before.notes, *check.after.notes))),
            }
            for check in found.checks
        ],
        "diagnostics": [
            {
                "path": each.path,
                "line": each.line,
                "severity": each.severity,
                "code": each.code,
                "message": each.message,
                "new": each.new,
                "check": each.check,
            }
            for each in found.diagnostics
        ],
        "tree_before": found.tree_before,
        "tree_after": found.tree_after,
    }


def _side_json(side: SideResult) -> dict[str, int | None]:
    known = side.counts_tests
    return {
        "exit": side.exit,
        "passed": len(side.passed) if known else None,
        "failed": len(side.failed) if known else None,
    }


def compare(name: str, command: str, subject: Subject, before: SideResult, after: SideResult) -> CheckEvidence:
    """What the plan changes about one check. A failure that no report names is a new failure of the whole check."""
    failed_before, failed_after = set(before.failed), set(after.failed)
    fixed = tuple(each for each in before.failed if each in set(after.passed))
    new = tuple(each for each in after.failed if each not in failed_before)
    known = {*after.passed, *after.failed}
    gone = tuple(each for each in before.passed if each not in known) if after.counts_tests else ()
    was_good, is_good = before.exit == 0 and not before.problem, after.exit == 0 and not after.problem
    broke = after.has_run and bool(after.problem) and not before.problem
    if broke or (after.has_run and was_good and not is_good and not failed_after and not _says_more(before, after)):
        why = after.problem or f"exit code {after.exit}"
        new = (*new, f"{name}: {why}")
    if is_good and not was_good and not before.failed and not _says_more(after, before):
        fixed = (name,)
    return CheckEvidence(
        name=name,
        command=command,
        subject=subject,
        before=before,
        after=after,
        fixed=fixed,
        new_failures=new,
        gone=gone,
    )


def _says_more(one: SideResult, other: SideResult) -> bool:
    """Whether the diagnostics of `other` explain by themselves why it fails."""
    return not other.problem and len(other.diagnostics) > len(one.diagnostics)


def placed(check: CheckEvidence, origin: Callable[[str], tuple[str, "LineMap"]]) -> Iterator[PlacedDiagnostic]:
    """The diagnostics with the plan, each old or new. `origin` says which file a path was before, and its lines."""
    left: Counter[tuple[str, int | None, str, str]] = Counter()
    left.update((each.path, each.line, each.code, _plain(each.message)) for each in check.before.diagnostics)
    found = sorted(check.after.diagnostics, key=lambda each: (each.path, each.line))
    old = [False] * len(found)
    for by_place in (_same_line, _replaced_lines):
        for number, each in enumerate(found):
            path, lines = origin(each.path)
            keys = ((path, line, each.code, _plain(each.message)) for line in by_place(lines, each.line))
            if not old[number] and (same := next((key for key in keys if left[key]), None)) is not None:
                left[same] -= 1
                old[number] = True
    for each, is_old in zip(found, old, strict=True):
        yield PlacedDiagnostic(**each.model_dump(), check=check.name, subject=check.subject, new=not is_old)


def _same_line(lines: "LineMap", line: int) -> tuple[int, ...]:
    before = lines.old_line(line)
    return () if before is None else (before,)


def _replaced_lines(lines: "LineMap", line: int) -> range:
    return lines.replaced(line)


def _plain(message: str) -> str:
    """A message without the line numbers in it, which move with the lines."""
    return _LINE_NUMBERS.sub(r"\1", message)


class LineMap:
    """Which line a line of the new file was in the old one."""

    def __init__(self, before: bytes = b"", after: bytes = b"") -> None:
        self._changes: Sequence[LineChange] = (
            changes(split_lines(before), split_lines(after)) if before != after else ()
        )

    def old_line(self, line: int) -> int | None:
        """The number of the same line before; None for a changed or added one."""
        shift = 0
        for change in self._changes:
            if line <= change.new_start:
                break
            if line <= change.new_end:
                return None
            shift = change.old_end - change.new_end
        return line + shift if line else 0

    def replaced(self, line: int) -> range:
        """The lines before in whose place a changed line stands; empty for a line that was not changed."""
        for change in self._changes:
            if change.new_start < line <= change.new_end:
                return range(change.old_start + 1, change.old_end + 1)
        return range(0)


class Origins:
    """Where the files of the tree with the plan come from."""

    def __init__(self, operations: Iterable[StagedOperation], read: Callable[[NodeState], bytes | None]) -> None:
        self._read = read
        self._first: dict[str, tuple[str, NodeState]] = {}
        self._last: dict[str, NodeState] = {}
        self._maps: dict[str, tuple[str, LineMap]] = {}
        for operation in operations:
            if operation.path is None:
                continue
            first = self._first.pop(operation.path, None) or (operation.path, operation.base)
            place = operation.to or operation.path
            if not isinstance(operation.after, Absent):
                self._first[place] = first
                self._last[place] = operation.after

    def __call__(self, path: str) -> tuple[str, LineMap]:
        if path not in self._first:
            return path, _SAME
        if path not in self._maps:
            was, base = self._first[path]
            before, after = (self._bytes(state) for state in (base, self._last[path]))
            self._maps[path] = was, LineMap(before, after)
        return self._maps[path]

    def _bytes(self, state: NodeState) -> bytes:
        return (self._read(state) or b"") if isinstance(state, FileState) else b""


_SAME = LineMap()
