"""The page that says where each expectation of the window is met names what is there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "tests" / "ux-checklist.md"
FINDINGS = ROOT / "tests" / "ux-findings.md"
LINE = re.compile(r"^\| (\d+) \| (.+) \| (.+) \| (.+) \|$", re.MULTILINE)
MODULE = re.compile(r"`((?!tests/)[a-z_]+/[a-z_/]+\.py)`")


def test_every_expectation_is_answered_once_and_in_order() -> None:
    assert [int(number) for number, *_ in LINE.findall(PAGE.read_text("utf-8"))] == list(range(1, 91))


def test_every_module_the_checklist_names_exists() -> None:
    named = MODULE.findall(PAGE.read_text("utf-8"))
    assert named
    assert [name for name in named if not (ROOT / "tandem_desktop" / name).is_file()] == []


def test_no_more_than_five_expectations_stay_undone_and_each_has_a_reason() -> None:
    states = [state for *_, state in LINE.findall(PAGE.read_text("utf-8"))]
    undone = [state for state in states if state != "done"]
    assert len(undone) <= 5
    assert all(re.fullmatch(r"not done: .{20,}", state) for state in undone)


def test_every_finding_is_answered_once_and_names_tests_that_exist() -> None:
    text = FINDINGS.read_text("utf-8")
    assert [int(number) for number in re.findall(r"^\| U(\d+) \|", text, re.MULTILINE)] == list(range(1, 48))
    named = set(re.findall(r"`([a-z0-9_]{20,})`", text))
    assert named
    sources = "\n".join(path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    assert named - set(re.findall(r"def test_(\w+)\(", sources)) == set()
