"""The real OpenCode is asked for a better order of a plan; the person takes it, and it is a revision of their own."""

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan import Origin
from tandem_desktop.domain.plan_states import PlanStatus
from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace
from tests.support.command_line import bash, write
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person

REASON = "The schema is what the others build on."
TASKS = [{"id": "a", "subject": "Service"}, {"id": "b", "subject": "Schema"}]


def hands_in(*order: str) -> Call:
    return Call("*plan_propose", {"order": order, "reason": REASON})


SCRIPT = {
    "order": (
        Step("Reading.", (Call("read", {"path": "{cwd}/app.py"}),)),
        Step("Handing in.", (hands_in("s3", "s1", "s2"),)),
        Step("Once more.", (hands_in("s2", "s1", "s3"),)),
        Step("Done."),
    )
}
"""The first order puts a command before what it may see, which is refused with the reason."""


@pytest.mark.agents
@pytest.mark.req("S0-88")
def test_the_order_a_real_agent_advises_is_shown_with_its_reason_and_becomes_the_persons_own(
    qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = AgentPlace(tmp_path / "there", capsys, monkeypatch)
    place.choose(agent="opencode")
    steps = [{**write("service.py", "1\n"), "task": "a"}, {**write("schema.py", "2\n"), "task": "b"}]
    steps.append({**bash("cat service.py"), "task": "a"})
    title = f"Service [[scenario:order]] [[cwd:{place.root}]]"
    with ScriptedModel(SCRIPT) as model:
        npm_agents.require("opencode", place, model, monkeypatch)
        person = Person(qtbot, place.root, tmp_path / "window.ini")
        try:
            plan = {"title": title, "tasks": TASKS, "steps": steps}
            version = person.place.background.engine.proposals.propose(json.dumps(plan).encode())
            before = walk(place.root)
            person.place.open_plan(version.plan_id)
            person.wait(lambda: person.status is PlanStatus.PROPOSED)
            person.click("plan-action-view_tasks")
            person.click("ask-for-an-order")
            offer = person.place.panel.tasks.offer.banner
            qtbot.waitUntil(lambda: REASON in offer.text)
            assert offer.text == f"OpenCode suggests the order s2, s1, s3: {REASON}"
            assert "s3 cannot come before s1" in str([request.messages for request in model.requests])
            person.click("banner-use")
            person.wait(lambda: person.operations == ["schema.py", "service.py", "s3"])
            person.click("plan-action-approve")
            person.wait(lambda: person.sees("approval-back"))
            shown = person.place.panel.page
            assert shown is not None
            assert (shown.version.revision, shown.version.origin) == (2, Origin.PERSON)
            assert [each.id for each in shown.version.operations] == ["s2", "s1", "s3"]
            assert walk(place.root) == before
        finally:
            person.leave()
