"""Compare the list of requirements with the last test run: `python -m tests.requirements [--collect] [--unused]`.

Exit codes: 0 every id marked done is proven by a test, and kept by a part that the product runs on; 1 one is not, or an
id is unknown; 2 there is nothing to judge yet.
"""

import argparse
import json
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from tests.support.kept_promises import FILE, NOT_YET, Complaint, Keepers
from tests.support.requirements_plugin import COLLECTED, RESULTS

ROOT = Path(__file__).resolve().parent.parent
PROMISES = Path("tests") / "requirements.md"
LINE = re.compile(r"^- \[(?P<mark>[ x-])\] (?P<id>S\d-\d+[a-z]?) (?P<words>.+)$")
AGAINST = re.compile(r"^  Decided against: (?P<reason>.+\.)$")
KEPT = re.compile(r"^  Kept by (?P<subjects>.+)\.$")
LOOSE = re.compile(r"^\s*[-*].{0,6}\bS\d-\d+[a-z]?\b")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One numbered promise."""

    id: str
    words: str
    done: bool
    subjects: tuple[str, ...] = ()
    """What keeps it: classes, functions and methods of the product, files of the project, or other requirements."""
    declined: bool = False
    """Decided against; the list says why."""

    @property
    def is_sum(self) -> bool:
        """Whether other requirements are all there is to it."""
        return bool(self.subjects) and all(re.match(r"S\d-", each) for each in self.subjects)


@dataclass(slots=True)
class Evidence:
    """The tests that name one id, by how they ended."""

    passed: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    @property
    def proves(self) -> bool:
        return bool(self.passed) and not self.failed


@dataclass(frozen=True, slots=True)
class Report:
    """What stands, what does not, and what is named but never promised."""

    proven: tuple[str, ...]
    unproven_done: tuple[str, ...]
    planned: tuple[str, ...]
    unknown: tuple[str, ...]
    declined: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        return not self.unproven_done and not self.unknown


class RequirementsError(Exception):
    """The list itself cannot be read; the message names the line."""


def read_requirements(text: str) -> dict[str, Requirement]:
    """Every promise by id.

    Raises:
        RequirementsError: a line that looks like a promise does not parse, an id appears twice, or a decision
            against one has no reason.
    """
    found: dict[str, Requirement] = {}
    reasons: set[str] = set()
    last = ""
    for number, line in enumerate(text.splitlines(), start=1):
        match = LINE.match(line)
        if line.startswith("  Kept by") and last:
            kept = KEPT.match(line)
            if kept is None:
                raise RequirementsError(f"line {number} should read '  Kept by `Name`, `Other`.': {line}")
            subjects = tuple(re.findall(r"`([^`]+)`", kept["subjects"])) or (kept["subjects"],)
            found[last] = replace(found[last], subjects=subjects)
            continue
        if last and AGAINST.match(line):
            reasons.add(last)
            continue
        if match is None:
            if LOOSE.match(line):
                raise RequirementsError(f"line {number} should read '- [x] ID words', [ ] or [-]: {line}")
            continue
        if match["id"] in found:
            raise RequirementsError(f"line {number} uses {match['id']} a second time")
        last = match["id"]
        found[last] = Requirement(match["id"], match["words"], match["mark"] == "x", declined=match["mark"] == "-")
    for name, requirement in found.items():
        if requirement.declined != (name in reasons):
            raise RequirementsError(f"{name} needs the mark [-] and a line '  Decided against: reason.', or neither")
    return found


def gather(tests: Iterable[Mapping[str, object]]) -> dict[str, Evidence]:
    evidence: defaultdict[str, Evidence] = defaultdict(Evidence)
    for test in tests:
        ids, outcome = test["ids"], str(test["outcome"])
        assert isinstance(ids, list)
        for name in ids:
            getattr(evidence[name], outcome).append(str(test["test"]))
    return dict(evidence)


def judge(requirements: Mapping[str, Requirement], evidence: Mapping[str, Evidence]) -> Report:
    proven = {name for name, found in evidence.items() if found.proves}
    proven |= {each.id for each in requirements.values() if each.is_sum and _is_proven(each, requirements, proven)}
    done = {name for name, requirement in requirements.items() if requirement.done}
    declined = {name for name, requirement in requirements.items() if requirement.declined}
    return Report(
        proven=tuple(name for name in requirements if name in proven),
        unproven_done=tuple(name for name in requirements if name in done - proven),
        planned=tuple(name for name in requirements if name not in done | proven | declined),
        unknown=tuple(sorted(set(evidence) - set(requirements))),
        declined=tuple(name for name in requirements if name in declined),
    )


def kept_by_what_runs(
    requirements: Mapping[str, Requirement], evidence: Mapping[str, Evidence], keepers: Keepers
) -> list[Complaint]:
    """What is marked done and has no subject, one that nothing reaches, or a test that does not touch it."""
    found = []
    for each in (each for each in requirements.values() if each.done):
        if not each.subjects:
            found.append(Complaint(each.id, "nothing is named that keeps it"))
        reached = True
        for subject in each.subjects:
            if (why := keepers.complaint(subject, requirements)) is not None:
                found.append(Complaint(each.id, why))
                reached = False
        if reached and (far := _far_tests(each, evidence.get(each.id), keepers)):
            found.append(Complaint(each.id, f"{far[0]} touches nothing of {', '.join(each.subjects)}"))
    return found


def _far_tests(requirement: Requirement, evidence: Evidence | None, keepers: Keepers) -> list[str]:
    """Tests that name the requirement and use none of its subjects; files are read in many ways, and not judged."""
    in_code = [each for each in requirement.subjects if not FILE.search(each)]
    if evidence is None or requirement.is_sum or len(in_code) < len(requirement.subjects):
        return []
    return [test for test in evidence.passed if not any(keepers.is_touched(each, test) for each in in_code)]


def print_report(
    report: Report, requirements: Mapping[str, Requirement], evidence: Mapping[str, Evidence], verb: str
) -> None:
    print(f"{verb} ({len(report.proven)}): {' '.join(report.proven) or 'none'}")
    print(f"planned, not {verb} ({len(report.planned)}): {' '.join(report.planned) or 'none'}")
    print(f"decided against ({len(report.declined)}): {' '.join(report.declined) or 'none'}")
    for name in report.unproven_done:
        print(f"DONE BUT NOT {verb.upper()}: {name} {requirements[name].words}\n    {_why(evidence.get(name))}")
    for name in report.unknown:
        tests = evidence[name].passed + evidence[name].failed + evidence[name].skipped
        print(f"UNKNOWN ID: {name} is named by {tests[0]} but is not in {PROMISES}")
    done = sum(requirement.done for requirement in requirements.values())
    print(f"{done - len(report.unproven_done)} of {done} requirements marked done are {verb}.")


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.requirements", description=__doc__.splitlines()[0])
    parser.add_argument("--collect", action="store_true", help="say which ids tests name, without running them")
    parser.add_argument("--unused", action="store_true", help="list what no entry point of the product reaches")
    chosen = parser.parse_args(arguments)
    collect = chosen.collect
    keepers = Keepers(root)
    if chosen.unused:
        return _list_unused(keepers)
    try:
        requirements = read_requirements((root / PROMISES).read_text(encoding="utf-8"))
    except (OSError, RequirementsError) as error:
        print(f"{PROMISES} cannot be used: {error}", file=sys.stderr)
        return 2
    results = root / RESULTS
    if collect:
        ended = _collect(root)
        if ended.returncode:
            print(f"The tests cannot be collected:\n{ended.stdout}{ended.stderr}", file=sys.stderr)
            return 2
        results = root / COLLECTED
    try:
        record = json.loads(results.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        print(f"There are no results in {RESULTS}. Run the tests first: ./packaging/test", file=sys.stderr)
        return 2
    evidence = gather(record["tests"])
    report = judge(requirements, evidence)
    if record["arguments"] and not collect:
        print(f"results of: pytest {' '.join(record['arguments'])}")
    print_report(report, requirements, evidence, "named" if collect else "proven")
    complaints = kept_by_what_runs(requirements, evidence, keepers)
    for each in complaints:
        excuse = f" (for now: {NOT_YET[each.id]})" if each.id in NOT_YET else ""
        print(f"NOT KEPT BY WHAT RUNS: {each.id}: {each.words}{excuse}")
    return 0 if report.holds and all(each.id in NOT_YET for each in complaints) else 1


def _list_unused(keepers: Keepers) -> int:
    for unit in keepers.unused:
        print(f"{unit.kind} {unit.key} (line {unit.line})")
    print(f"{len(keepers.unused)} definitions are reached from no entry point.")
    return 1 if keepers.unused else 0


def _collect(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "not exhaustive and not agents"]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


def _is_proven(whole: Requirement, requirements: Mapping[str, Requirement], proven: set[str]) -> bool:
    """Whether all of `S1-01 to S1-26c` are, in the order of the list."""
    names = list(requirements)
    spans = (re.findall(r"S\d-\d+[a-z]?", each) for each in whole.subjects)
    return all(set(names[names.index(span[0]) : names.index(span[-1]) + 1]) <= proven for span in spans)


def _why(evidence: Evidence | None) -> str:
    if evidence is None:
        return "no test names it"
    if evidence.failed:
        return f"fails: {evidence.failed[0]}"
    return f"skipped: {evidence.skipped[0]}"


if __name__ == "__main__":
    sys.exit(main())
