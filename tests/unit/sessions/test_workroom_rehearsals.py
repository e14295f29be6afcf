"""A window rehearses, watches, stops, and keeps what it saw, without waiting for any of it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.background import Background
from tandem_desktop.domain.errors import UserAbortError
from tandem_desktop.domain.events import CommandSaid, TandemEvent
from tandem_desktop.domain.ids import RunId
from tandem_desktop.execution.undo import UndoPart
from tandem_desktop.services.engine_thread import EngineThread
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.settings import Settings
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.command_line import bash
from tests.support.patience import PATIENCE_S
from tests.support.rehearsals import plan_json
from tests.support.tree_walker import walk

pytestmark = pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "a.txt").write_text("a\n")
    return folder


@pytest.fixture
def background(root: Path, tmp_path: Path) -> Iterator[Background]:
    engine = build_engine(root)
    sessions = AgentSessions(engine, Settings(), engine.clock, person_home=tmp_path / "home")
    opened = Background(engine, sessions, EngineThread())
    yield opened
    opened.close()


def test_what_was_rehearsed_is_reviewed_recorded_applied_and_taken_back_by_file(
    background: Background, root: Path
) -> None:
    version = background.engine.proposals.propose(plan_json(bash("sed -i s/a/b/ a.txt; echo n > n.txt")))
    before = walk(root)
    rehearsal = background.rehearse(version.plan_id).result(PATIENCE_S)
    effects = background.run(background.engine.rehearsals.effects, rehearsal).result(PATIENCE_S)
    assert [view.operation.path for view in effects[version.operations[0].id].views] == ["a.txt", "n.txt"]
    assert walk(root) == before
    recorded = background.run(background.engine.rehearsals.record, rehearsal).result(PATIENCE_S)
    background.run(background.engine.decisions.approve_shown, recorded.plan_id, recorded.approval_hash).result(
        PATIENCE_S
    )
    run_id = RunId(background.apply(recorded.plan_id).result(PATIENCE_S).record.run_id)
    assert (root / "a.txt").read_text() == "b\n"
    background.run(background.engine.runs.undo, run_id, UndoPart(path="n.txt")).result(PATIENCE_S)
    assert background.run(background.engine.runs.preview_rewind, run_id).result(PATIENCE_S).undoing.conflicts == ()
    background.run(background.engine.runs.rewind, run_id).result(PATIENCE_S)
    assert walk(root) == before


def test_a_rehearsal_is_stopped_from_the_window(background: Background) -> None:
    version = background.engine.proposals.propose(plan_json(bash("echo begun; sleep 600")))
    heard: list[TandemEvent] = []

    def hear(event: TandemEvent) -> None:
        heard.append(event)
        if isinstance(event, CommandSaid):
            background.stop_rehearsal()

    background.events.subscribe(hear)
    with pytest.raises(UserAbortError, match="The rehearsal was stopped"):
        background.rehearse(version.plan_id).result(PATIENCE_S)
