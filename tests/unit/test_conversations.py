"""The conversations of a window start an agent only where it has something to do."""

from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.background import Background
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.services.engine_thread import EngineThread
from tandem_desktop.sessions.manager import AgentSessions
from tandem_desktop.settings import Settings
from tests.support.command_line import bash
from tests.support.rehearsals import plan_json


@pytest.mark.req("S3-31")
def test_third_rejection_is_kept_and_starts_no_agent(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    engine = build_engine(tmp_path / "ws", state=tmp_path / "state")
    sessions = AgentSessions(engine, Settings(), engine.clock, person_home=tmp_path / "home")
    background = Background(engine, sessions, EngineThread())
    try:
        plan_id = engine.proposals.propose(plan_json(bash("true"))).plan_id
        for words in ("Smaller.", "Smaller still."):
            engine.decisions.reject(plan_id, words)
            engine.proposals.restore(plan_id, 1)
        nobody = AgentProfile(name="nobody", title="Nobody", command=("/nowhere/agent",))
        turn = background.conversations.rework(plan_id, "No.", nobody).result(60)
        meta = engine.plans.meta(plan_id)
        assert (turn.version, meta.status) == (None, PlanStatus.NEEDS_REVIEW)
        assert meta.rejections[-1].feedback == "No."
        assert not background.conversations.is_open(meta.session_id)
    finally:
        background.close()
