"""A plan is shared from the window, and what the others shared is taken in there."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.command_line import edit
from tests.support.teams import Team
from tests.ui.window.driver import Person

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


def test_plan_goes_to_a_colleague_and_comes_back_approved(tmp_path: Path, programs: Path, qtbot: QtBot) -> None:
    team = Team(tmp_path)
    person = Person(qtbot, team.ann.root, tmp_path / "window.ini")
    engine = person.place.background.engine
    plan = engine.proposals.propose(team.plan(edit("app.py", "line 3\n", "three\n"))).plan_id
    person.wait(lambda: bool(person.place.plans.plans))
    person.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    person.wait(lambda: person.status is PlanStatus.PROPOSED)
    person.command("share this plan")
    person.wait(lambda: "Shared on origin" in person.window.toast.text)
    team.ben.fetch()
    team.ben.approve(plan)
    team.ben.engine.sharing.share(plan)
    person.command("fetch shared plans")
    person.wait(lambda: "Approved by ben@example.org" in person.window.toast.text)
    person.wait(lambda: person.status is PlanStatus.APPROVED)
    person.command("fetch shared plans")
    person.wait(lambda: "Nothing is new" in person.window.toast.text)
    person.leave()
    team.close()
