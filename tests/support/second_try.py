"""One more try for what depends on real windows, agents and processes, named in the summary when it was needed.

A machine that is short of time may keep something real waiting longer than anybody's patience; that is no fault of the
code, and a fault of the code fails twice.
"""

from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
_UNITS = ("execution", "orchestration", "planning_tools", "plans", "processes", "rehearsal", "shadow", "sidecar", "cli")
REAL = tuple(TESTS / name for name in ("ui", "screens", "integration", *(f"unit/{unit}" for unit in _UNITS)))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.pluginmanager.hasplugin("rerunfailures"):
        return
    for item in items:
        if any(folder in item.path.parents for folder in REAL):
            item.add_marker(pytest.mark.flaky(reruns=1))
