"""Going back offers the files, the conversation, or both, and takes nothing away for good."""

import itertools
import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import BadInputError, UndoConflictError
from tandem_desktop.domain.events import RunFinished, TandemEvent
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.services.chat_log import ChatLog, RestorePoints, Restoring
from tandem_desktop.services.engine import Engine
from tests.support.builders import A_MOMENT, SESSION_ID


class Talk:
    """A conversation that has led to two runs: entry 1, run, entry 2, run, entry 3."""

    def __init__(self, folder: Path) -> None:
        seconds = itertools.count()

        def clock() -> datetime:
            return A_MOMENT + timedelta(seconds=next(seconds))

        self.file = folder / "project" / "f.txt"
        self.file.parent.mkdir()
        self.file.write_text("0\n")
        self.engine: Engine = build_engine(self.file.parent, state=folder / "state", clock=clock)
        self.sessions = self.engine.locations.sessions
        self.chat = ChatLog(self.sessions, self.engine.events, clock, lambda plan_id: None)
        self.points = RestorePoints(self.engine.runs, self.chat)
        for number in (1, 2, 3):
            self.chat.note(SESSION_ID, f"entry {number}")
            if number < 3:
                self.apply(f"{number}\n")

    def apply(self, content: str) -> None:
        step = {"description": "Write", "tool": "write", "args": {"path": "f.txt", "content": content}}
        version = self.engine.proposals.propose(json.dumps({"title": "A change", "steps": [step]}).encode())
        self.engine.decisions.approve(version.plan_id, version.approval_hash)
        assert self.engine.runs.apply(version.plan_id).succeeded

    def aside(self) -> list[bool]:
        again = ChatLog(self.sessions, self.engine.events, self.engine.clock, lambda plan_id: None)
        return [entry.set_aside for entry in again.entries(SESSION_ID)]


@pytest.fixture
def talk(memory_path: Path) -> Iterator[Talk]:
    made = Talk(memory_path)
    yield made
    made.engine.close()


def test_preview_says_what_would_go_back_and_does_nothing(talk: Talk) -> None:
    found = talk.points.preview(SESSION_ID, 1)
    assert found.files is not None
    paths = [change.path for change in found.files.undoing.changes]
    assert (paths, len(found.files.runs), found.entries) == (["f.txt"], 2, 2)
    assert (talk.file.read_text(), talk.aside()) == ("2\n", [False, False, False])


@pytest.mark.parametrize(
    ("what", "content", "aside"),
    [
        (Restoring.FILES, "0\n", [False, False, False]),
        (Restoring.CHAT, "2\n", [False, True, True]),
        (Restoring.BOTH, "0\n", [False, True, True]),
    ],
)
def test_each_way_takes_back_its_part_alone(talk: Talk, what: Restoring, content: str, aside: list[bool]) -> None:
    talk.points.restore(SESSION_ID, 1, what)
    assert (talk.file.read_text(), talk.aside()) == (content, aside)


def test_point_in_the_middle_keeps_what_came_before_it(talk: Talk) -> None:
    done = talk.points.restore(SESSION_ID, 2, Restoring.BOTH)
    assert (talk.file.read_text(), talk.aside(), done.entries) == ("1\n", [False, False, True], 1)


def test_edit_in_the_way_of_the_files_leaves_the_conversation_too(talk: Talk) -> None:
    talk.file.write_text("by hand\n")
    with pytest.raises(UndoConflictError):
        talk.points.restore(SESSION_ID, 1, Restoring.BOTH)
    assert (talk.file.read_text(), talk.aside()) == ("by hand\n", [False, False, False])


def test_point_after_the_last_run_has_no_files_to_bring_back(talk: Talk) -> None:
    assert talk.points.preview(SESSION_ID, 3).files is None
    assert talk.points.restore(SESSION_ID, 3, Restoring.BOTH).run is None


def test_point_that_is_not_in_the_conversation_is_refused(talk: Talk) -> None:
    with pytest.raises(BadInputError, match="no entry 9"):
        talk.points.preview(SESSION_ID, 9)
    with pytest.raises(BadInputError):
        talk.points.restore(SessionId("SES-00000000"), 1, Restoring.CHAT)


def test_a_run_can_be_undone_from_the_moment_its_end_is_told(talk: Talk) -> None:
    previews: list[int] = []

    def look(event: TandemEvent) -> None:
        if isinstance(event, RunFinished):
            files = talk.points.preview(SESSION_ID, 3).files
            previews.append(0 if files is None else len(files.runs))

    talk.engine.events.subscribe(look)
    talk.apply("3\n")
    assert previews == [1]
