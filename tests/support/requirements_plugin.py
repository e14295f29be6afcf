"""Write down which requirement each test proves, and how the test ended, for `python -m tests.requirements`.

The ids travel as user properties of each report, so they arrive at the controller from pytest-xdist workers too.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

RESULTS = Path(".pytest_cache") / "requirements.json"
SEVERITY = {"passed": 0, "skipped": 1, "failed": 2}


class RequirementsRecorder:
    """Keep the worst outcome of each test with the ids it names; write them once, at the end."""

    def __init__(self, root: Path, arguments: tuple[str, ...]) -> None:
        self._root = root
        self._arguments = arguments
        self._outcomes: dict[str, str] = {}
        self._ids: dict[str, list[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        ids = [str(value) for name, value in report.user_properties if name == "req"]
        if not ids:
            return
        outcome = "skipped" if hasattr(report, "wasxfail") else report.outcome
        if report.when != "call" and outcome == "passed":
            return  # a set-up that worked proves nothing
        self._ids[report.nodeid] = ids
        known = self._outcomes.get(report.nodeid, "passed")
        self._outcomes[report.nodeid] = max(known, outcome, key=SEVERITY.__getitem__)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if session.config.option.collectonly:
            return
        record: dict[str, Any] = {
            "arguments": list(self._arguments),
            "exit_status": int(exitstatus),
            "tests": [
                {"test": test, "outcome": outcome, "ids": self._ids[test]}
                for test, outcome in sorted(self._outcomes.items())
            ],
        }
        path = self._root / RESULTS
        path.parent.mkdir(exist_ok=True)
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        temporary.write_text(json.dumps(record, indent=1), encoding="utf-8")
        temporary.replace(path)


def requirement_ids(item: pytest.Item) -> list[str]:
    return [str(name) for marker in item.iter_markers("req") for name in marker.args]


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RequirementsRecorder(config.rootpath, config.invocation_params.args))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.user_properties.extend(("req", name) for name in requirement_ids(item))
