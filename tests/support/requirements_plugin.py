"""Write down which requirement each test proves, and how the test ended, for `python -m tests.requirements`.

The ids travel as user properties of each report, so they arrive at the controller from pytest-xdist workers too.
"""

import json
import os
from pathlib import Path

import pytest

RESULTS = Path(".pytest_cache") / "requirements.json"
COLLECTED = Path(".pytest_cache") / "requirements-named.json"
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

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        if session.config.option.collectonly:
            named = {item.nodeid: ids for item in session.items if (ids := requirement_ids(item))}
            self._write(COLLECTED, dict.fromkeys(named, "passed"), named, 0)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if not session.config.option.collectonly:
            self._write(RESULTS, self._outcomes, self._ids, int(exitstatus))

    def _write(self, name: Path, outcomes: dict[str, str], ids: dict[str, list[str]], exit_status: int) -> None:
        tests = [{"test": test, "outcome": outcomes[test], "ids": ids[test]} for test in sorted(outcomes)]
        record = {"arguments": list(self._arguments), "exit_status": exit_status, "tests": tests}
        path = self._root / name
        path.parent.mkdir(exist_ok=True)
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        temporary.write_text(json.dumps(record, indent=1), encoding="utf-8")
        temporary.replace(path)  # a reader finds the old record or the new one, never half


def requirement_ids(item: pytest.Item) -> list[str]:
    return [str(name) for marker in item.iter_markers("req") for name in marker.args]


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RequirementsRecorder(config.rootpath, config.invocation_params.args))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        item.user_properties.extend(("req", name) for name in requirement_ids(item))
