"""The count of tests that did not run because a real agent is not installed, at the end of a run."""

from collections import Counter
from collections.abc import Iterable

import pytest

from tests.support.npm_agents import NOT_INSTALLED

_SKIPPED = "Skipped: "


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for line in missing_agents(terminalreporter.getreports("skipped")):
        terminalreporter.write_line(line, yellow=True)


def missing_agents(reports: Iterable[pytest.TestReport]) -> list[str]:
    """One line for each agent that is missing."""
    reasons = (report.longrepr[2].removeprefix(_SKIPPED) for report in reports if isinstance(report.longrepr, tuple))
    missing = Counter(reason for reason in reasons if NOT_INSTALLED in reason)
    return [f"{_tests(count)} of real agents did not run: {reason}" for reason, count in sorted(missing.items())]


def _tests(count: int) -> str:
    return "1 test" if count == 1 else f"{count} tests"
