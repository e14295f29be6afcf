"""A task is taken to its end from the composer: each stage is told in the chat, each decision is the person's."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.agents_on_path import put_on_path
from tests.support.command_line import bash, write
from tests.ui.window.driver import Person
from tests.ui.window.test_reflection import MEND, approve

PLAN = {"title": "New file", "steps": [write("new.txt", "new\n"), bash("test -f old.txt")]}


def told(person: Person) -> list[str]:
    """What the chat says of the orchestration, in order."""
    entries = person.place.background.chat.entries(person.place.session_id)
    return [each.text for each in entries if each.kind is EntryKind.NOTE and each.text.startswith("Orchestration")]


@pytest.fixture
def person(open_window: Callable[..., Person], programs: Path) -> Person:
    answers = {"You make a plan for a task": PLAN, "You look back at a plan": MEND}
    by_words = {words: [{"do": "say", "text": json.dumps(answer)}] for words, answer in answers.items()}
    put_on_path(programs, "opencode", {"by_words": by_words})
    return open_window("opencode")


@pytest.mark.req("S4-28")
def test_a_task_goes_through_a_failure_to_its_end_with_its_stages_in_the_chat(person: Person, workspace: Path) -> None:
    person.command("take a task")
    assert person.place.chat.composer.text == "/orchestrate "
    person.place.chat.composer.set_text("")
    person.ask("/orchestrate Make new.txt")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    approve(person)
    person.wait(lambda: person.sees("segmented-adjustment-1"))
    person.wait(lambda: told(person)[-1] == "Orchestration: the adjustments wait for your decision.")
    person.click("segmented-adjustment-1-accepted")
    person.wait(lambda: person.sees("reflection-make"))
    person.click("reflection-make")
    person.wait(lambda: person.revision == 2 and person.status is PlanStatus.PROPOSED)
    approve(person)
    person.wait(lambda: person.status is PlanStatus.COMPLETED)
    person.wait(lambda: told(person)[-1].startswith("Orchestration ended: completed."))
    assert (workspace / "new.txt").read_text() == "new\n"
    assert told(person)[:-1] == [
        "Orchestration: a plan is being made.",
        "Orchestration: the plan waits for your approval.",
        "Orchestration: the plan is being executed.",
        "Orchestration: an agent is asked what to change.",
        "Orchestration: the adjustments wait for your decision.",
        "Orchestration: the plan waits for your approval.",
        "Orchestration: the plan is being executed.",
        "Orchestration: an agent is asked what to change.",
    ]


@pytest.mark.req("S4-28")
def test_an_orchestration_is_stopped_by_a_command_and_its_plan_goes_on_waiting(person: Person) -> None:
    person.ask("/orchestrate Make new.txt")
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    person.ask("/orchestrate stop")
    person.wait(lambda: bool(told(person)) and told(person)[-1].startswith("Orchestration ended: aborted."))
    assert person.status is PlanStatus.PROPOSED
    person.wait(lambda: not person.place.background.orchestrations.is_under_way)  # told just before it has ended
