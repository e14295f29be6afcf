"""The title of a plan is the agent's text: wherever the window shows it, what cannot be seen of it is spelled out."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QListView

from tandem_desktop.domain.plan_states import PlanStatus
from tests.support.agents_on_path import put_on_path
from tests.support.command_line import CommandLine, write
from tests.ui.window.driver import Person

TITLE = "Fix\u202eexe.txt" + " " * 300 + "p\u0430ypal\u200b"
SHOWN = "Fix⟨U+202E⟩exe.txt⟨·×300⟩p⟨U+0430⟩ypal⟨U+200B⟩"


@pytest.fixture
def person(workspace: Path, capsys: pytest.CaptureFixture[str], open_window: Callable[..., Person]) -> Person:
    """In front of a window on a plan of that title, which was applied."""
    CommandLine(workspace, capsys).apply(write("new.txt", "new\n"), title=TITLE)
    opened = open_window()
    opened.wait(lambda: bool(opened.place.plans.plans))
    opened.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
    opened.wait(lambda: opened.status is PlanStatus.COMPLETED)
    return opened


def listed(view: QListView) -> list[str]:
    model = view.model()
    return [str(model.index(row, 0).data()) for row in range(model.rowCount())]


def test_header_rail_palette_and_runs_spell_out_what_a_title_hides(person: Person) -> None:
    assert person.place.panel.header.title.text() == SHOWN
    rows = person.place.plans
    titles = [rows.index(row).data(rows.RowRole).title for row in range(rows.rowCount())]
    assert SHOWN in titles
    runs = person.place.panel.runs.model
    person.wait(lambda: runs.rowCount() > 0)
    assert runs.index(0).data() == f"Apply {SHOWN} r1"
    person.press(Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    person.wait(lambda: person.sees("palette-search"))
    palette = person.find("palette-list")
    assert isinstance(palette, QListView)
    assert SHOWN in listed(palette)


def test_error_of_an_agent_spells_out_what_its_words_hide(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    put_on_path(programs, "opencode", {"errors": {"session/prompt": {"code": -32603, "message": f"{TITLE}\n\x1b[2J"}}})
    window = open_window("opencode")
    window.type_into_composer("go")
    window.wait(lambda: window.sees("problem-card"))
    words = [each.text() for each in window.find("problem-card").findChildren(QLabel)]
    assert any(f"{SHOWN}\n␛[2J" in each for each in words), words
