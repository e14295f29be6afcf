"""Several conversations with the real OpenCode: they work at once, and those that are done hold no memory."""

import contextlib
import os
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel
from tests.support.tree_walker import walk
from tests.ui.window.driver import Person

CONTROL = Qt.KeyboardModifier.ControlModifier
SCRIPT = {
    f"write-{number}": (
        Step("Writing.", (Call("write", {"path": f"{{cwd}}/file{number}.txt", "content": "x\n"}),)),
        Step("Done."),
    )
    for number in range(5)
} | {"more": (Step("More.", (Call("write", {"path": "{cwd}/more.txt", "content": "y\n"}),)), Step("Done again."))}


def held() -> list[float]:
    """The memory of each OpenCode that serves a conversation, in megabytes."""
    sizes = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if b"acp" in words and words[0].endswith(b"opencode") and _is_ours(folder):
                pages = int((folder / "statm").read_text().split()[1])
                sizes.append(pages * os.sysconf("SC_PAGE_SIZE") / 1e6)
    return sizes


def _is_ours(folder: Path) -> bool:
    """Whether a process descends from this one."""
    while folder.name not in ("0", "1"):
        if folder.name == str(os.getpid()):
            return True
        folder = folder.parent / (folder / "stat").read_text().rpartition(")")[2].split()[1]
    return False


@pytest.mark.agents
def test_five_finished_conversations_hold_one_agent_and_the_first_goes_on_where_it_was(
    qtbot: QtBot, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = AgentPlace(tmp_path / "there", capsys, monkeypatch)
    place.choose(agent="opencode")
    with ScriptedModel(SCRIPT) as model:
        npm_agents.require("opencode", place, model, monkeypatch)
        person = Person(qtbot, place.root, tmp_path / "window.ini")
        try:
            before = walk(place.root)
            person.press(Qt.Key.Key_N, CONTROL)
            person.place.set_plan_mode(True)
            for number in range(5):
                person.press(Qt.Key.Key_N, CONTROL)
                person.type_into_composer(f"Write [[scenario:write-{number}]] [[cwd:{place.root}]]")
                if number % 2:  # the one before works on meanwhile
                    person.wait(lambda: not person.place.turns.is_any)
            person.wait(lambda: len(person.place.plans.plans) == 5)
            person.wait(lambda: len(held()) <= 1)
            print(f"{len(held())} agent of {max(held(), default=0):.0f} MB")
            first = next(plan for plan in person.place.plans.plans if "write-0" in plan.title)
            person.place.open_plan(first.plan_id)
            person.wait(lambda: person.operations == ["file0.txt"])
            person.type_into_composer(f"Write [[scenario:more]] [[cwd:{place.root}]]")
            person.wait(lambda: person.revision == 2)
            assert person.operations == ["file0.txt", "more.txt"]
            assert walk(place.root) == before
        finally:
            person.leave()
