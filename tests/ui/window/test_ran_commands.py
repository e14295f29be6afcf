"""Commands that an agent ran in its shadow are listed below the operations, and a link makes one part of the plan."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QPlainTextEdit

from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.agent_runs import ask
from tests.support.agents_on_path import put_on_path
from tests.ui.window.driver import Person

COMMAND = "echo 3 failed >&2; echo made > made.txt; exit 1"


@pytest.fixture
def person(open_window: Callable[..., Person], workspace: Path, programs: Path) -> Person:
    """A person whose agent ran a command that failed, then changed a file."""
    params = {"command": COMMAND, "cwd": str(workspace)}
    create = {"do": "request", "id": "create", "method": "terminal/create", "params": params}
    wait = {"do": "request", "id": "wait", "method": "terminal/wait_for_exit", "params": {"terminalId": "terminal-1"}}
    put_on_path(programs, "opencode", {"turns": [[create, wait, {"do": "shell", "script": "echo more >> README.md"}]]})
    found = open_window("opencode")
    found.ask("Mend it.")
    found.wait(lambda: found.status is PlanStatus.PROPOSED)
    return found


def test_a_command_that_ran_is_listed_with_its_end_and_its_output_and_nothing_was_asked(person: Person) -> None:
    row = person.place.panel.operations.ran
    assert sorted(person.operations) == ["README.md", "made.txt"]
    assert row.words.text() == "1 command ran in the shadow, exit 1. It is not run again."
    assert not person.sees("permission-allow")
    person.click("ran-open")
    texts = [each.toPlainText() for each in row.commands.findChildren(QPlainTextEdit)]
    assert texts == [COMMAND, "3 failed"]
    person.click("ran-open")
    assert not person.sees("ran-commands")


def test_a_link_makes_a_command_that_ran_part_of_the_plan(person: Person, workspace: Path) -> None:
    person.click("ran-open")
    person.click("link-run-for-real-too")
    person.wait(lambda: person.revision == 2)
    assert len(person.operations) == 3
    assert person.place.panel.page is not None
    assert person.place.panel.page.version.operations[-1].command == COMMAND
    assert not (workspace / "made.txt").exists()


def test_an_agent_that_asks_for_a_command_gets_it_at_once_and_the_person_is_not_asked(
    open_window: Callable[..., Person], workspace: Path, programs: Path
) -> None:
    run = {"do": "shell", "script": "echo 1 > one.txt", "if_allowed": "ask-1"}
    put_on_path(programs, "opencode", {"turns": [[ask("execute", 1, rawInput={"command": "echo 1 > one.txt"}), run]]})
    found = open_window("opencode")
    found.ask("Make one.")
    found.wait(lambda: found.status is PlanStatus.PROPOSED)
    assert found.operations == ["one.txt"]
    assert not found.sees("permission-allow")
