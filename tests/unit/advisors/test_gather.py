"""Chapo first, then Koda and Devo together; every field is kept, and whoever fails is missed by name."""

from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from tandem_desktop.advisors.perspectives import Gathering, TaskToPlan
from tandem_desktop.domain.advice import RiskLevel
from tandem_desktop.domain.errors import NoAnswerError
from tandem_desktop.domain.events import PerspectiveCompleted, PlanningEvent
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.perspectives import (
    AgentPerspective,
    ChapoPerspective,
    DevoPerspective,
    Effort,
    KodaPerspective,
    Perspectives,
)
from tandem_desktop.policy.qualification import qualify
from tests.support.scripted_perspectives import GOOD, ScriptedPerspectives

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
TASK = "Refactor the auth system and deploy to staging"
ABOUT = TaskToPlan(SessionId("SES-00000001"), TASK, qualify(TASK))


async def gathered(advisor: ScriptedPerspectives) -> tuple[Perspectives, list[PlanningEvent]]:
    told: list[PlanningEvent] = []
    return await Gathering(advisor, told.append, lambda: NOON).gather(ABOUT), told


@pytest.mark.req("S2-03", "S2-14")
async def test_chapo_is_asked_alone_and_the_others_together_knowing_what_it_said() -> None:
    advisor = ScriptedPerspectives()
    _, told = await gathered(advisor)
    assert advisor.asked == ["chapo", "koda", "devo"]
    assert advisor.most_open == 2
    assert "Typed sessions first" in advisor.words["koda"]
    assert "login() in src/auth.py" not in advisor.words["devo"]
    assert [(event.type, event.agent.value) for event in told if hasattr(event, "agent")] == [  # type: ignore[union-attr]
        ("perspective_start", "chapo"),
        ("perspective_complete", "chapo"),
        ("perspective_start", "koda"),
        ("perspective_start", "devo"),
        ("perspective_complete", "koda"),
        ("perspective_complete", "devo"),
    ]
    last = told[-1]
    assert isinstance(last, PerspectiveCompleted)
    assert PerspectiveCompleted.model_validate_json(last.model_dump_json()) == last


async def test_every_voice_hears_the_task_its_role_and_the_first_look() -> None:
    advisor = ScriptedPerspectives()
    await gathered(advisor)
    for role in ("chapo", "koda", "devo"):
        assert advisor.words[role].startswith(f"You are {role.upper()}")
        assert TASK in advisor.words[role]
        assert "mixed task, complex, medium risk" in advisor.words[role]


@pytest.mark.req("S2-01", "S2-02", "S2-34")
async def test_chapo_qualifies_the_task_for_the_others_and_for_the_plan() -> None:
    said = {**GOOD["chapo"], "task_type": "operations", "complexity": "simple", "risk_assessment": "low"}
    advisor = ScriptedPerspectives({**GOOD, "chapo": said})
    found, _ = await gathered(advisor)
    known = "Nothing known of it calls for a plan: operations task, simple, low risk."
    qualified = f"{known} Qualified by CHAPO (scripted)."
    assert found.qualification == qualified
    assert "What its words show: Plan it first: mixed task" in advisor.words["chapo"]
    assert "Guessed from its words." in advisor.words["chapo"]
    for role in ("koda", "devo"):
        assert f"The task is qualified: {qualified}" in advisor.words[role]


@pytest.mark.req("S2-05", "S2-06", "S2-07", "S2-08")
async def test_every_field_a_voice_can_say_is_kept() -> None:
    found, _ = await gathered(ScriptedPerspectives())
    base = {"agent", "analysis", "concerns", "recommendations", "estimated_effort", "dependencies", "timestamp"}
    assert base <= set(AgentPerspective.model_fields)
    own = {
        ChapoPerspective: {"strategic_analysis", "risk_assessment", "impact_areas", "coordination_needs"},
        KodaPerspective: {"affected_files", "code_patterns", "potential_breaking_changes", "testing_requirements"},
        DevoPerspective: {"deployment_impact", "rollback_strategy", "services_affected", "infrastructure_changes"},
    }
    for voice in found.voices:
        assert base | own[type(voice)] <= set(type(voice).model_fields)
        said = GOOD[voice.agent.value]
        assert {name: value for name, value in voice.model_dump(mode="json").items() if name in said} == said
        assert (voice.timestamp, voice.files_read, voice.spoken_by) == (NOON, ("src/auth.py",), "scripted")
    assert [effort.value for effort in Effort] == ["trivial", "small", "medium", "large"]
    assert [risk.value for risk in RiskLevel] == ["low", "medium", "high"]


async def test_a_perspective_cannot_be_changed_afterwards() -> None:
    found, _ = await gathered(ScriptedPerspectives())
    assert found.koda is not None
    with pytest.raises(ValidationError):
        found.koda.analysis = "something else"


@pytest.mark.req("S2-09")
@pytest.mark.parametrize("lost", ["chapo", "koda", "devo"])
async def test_whoever_fails_is_missed_by_name_and_the_others_are_kept(lost: str) -> None:
    answers = {**GOOD, lost: NoAnswerError("It had no idea.", next="Ask again.")}
    found, told = await gathered(ScriptedPerspectives(answers))
    assert [each.agent.value for each in found.voices] == [role for role in ("chapo", "koda", "devo") if role != lost]
    assert [(each.part, each.reason, each.next) for each in found.missing] == [(lost, "It had no idea.", "Ask again.")]
    assert [event.type for event in told].count("perspective_failed") == 1
