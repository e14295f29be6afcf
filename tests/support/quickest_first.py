"""Tests in the order of how long they took, the quickest first: a pytest plugin for the runs of mutmut.

A mutant is done with as soon as one test fails. The durations are those of mutmut's first run, in the current folder.
"""

import json
from pathlib import Path

import pytest

_DURATIONS = Path("mutmut-stats.json")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if odd := [item.nodeid for item in items if "\\" in item.nodeid]:
        raise pytest.UsageError(f"pytest escapes this once more at the next run, and would not find it: {odd[0]}")
    if _DURATIONS.is_file():
        took = json.loads(_DURATIONS.read_text(encoding="utf-8"))["duration_by_test"]
        items.sort(key=lambda item: took.get(item.nodeid, 0.0))
