"""Several minds look at a task before it is planned: the built-in agent with a model that follows a script."""

from collections.abc import Iterator

import pytest

from tests.support import npm_agents
from tests.support import perspective_scripts as minds
from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel
from tests.support.tree_walker import walk

TASK = "Refactor the auth system and deploy to staging."
OUTSIDE = Call("write", {"path": "{cwd}/src/auth.py", "content": "# mine\n"})
CIRCLE = {**minds.PLAN, "tasks": [{**minds.PLAN["tasks"][0], "blocked_by": ["t2"]}, minds.PLAN["tasks"][1]]}
SCRIPT = {
    **minds.GOOD,
    "minds-koda": (
        Step("", (minds.reads("src/auth.py"), minds.reads("src/middleware.py"))),
        Step("", (OUTSIDE,)),
        Step("", (minds.hands_in({**minds.KODA, "estimated_effort": "huge"}),)),
        Step("", (minds.hands_in(minds.KODA),)),
        minds.DONE,
    ),
    "minds-synthesis": (Step("", (minds.proposes(CIRCLE),)), Step("", (minds.proposes(minds.PLAN),)), minds.DONE),
    "minds-t2": minds.GOOD["minds-t1"][2:],
}
"""KODA tries to write and gives a wrong answer first; the first synthesis goes round in a circle."""


@pytest.fixture(scope="module")
def served() -> Iterator[ScriptedModel]:
    with ScriptedModel(SCRIPT) as model:
        yield model


@pytest.fixture
def model(served: ScriptedModel, place: AgentPlace, monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    served.forget()
    monkeypatch.setenv("TANDEM_MODEL", "openai-compatible:fake-1")
    monkeypatch.setenv("TANDEM_MODEL_URL", served.openai_url)
    monkeypatch.setenv("TANDEM_MODEL_KEY", "x")
    for path, text in minds.FILES.items():
        place.put(path, text)
    return served


@pytest.mark.req("S2-03", "S2-04", "S2-09", "S2-16", "S2-28")
def test_three_voices_become_tasks_each_planned_by_its_agent_then_approved_applied_and_undone(
    place: AgentPlace, model: ScriptedModel
) -> None:
    place.choose(perspectives=True)  # the task touches code and operations, so it should be planned
    before, tree = place.sight(), walk(place.root)
    voice = ("--voice", "koda=built-in:openai-compatible:koda-1")
    plan = place.plan(*voice, task=f"{TASK} [[scenario:minds]] [[cwd:{place.root}]]")
    assert place.sight() == before
    found = plan["perspectives"]
    assert found["missing"] == []
    assert found["chapo"]["strategic_analysis"] == minds.CHAPO["strategic_analysis"]
    assert len(found["koda"]["denied"]) == 1
    by_koda = [str(each.messages[-1]) for each in model.requests if each.body["model"] == "koda-1"]
    assert any("You are KODA," in words for words in by_koda)
    assert any("Your task now: t1" in words for words in by_koda)
    assert not any("Your task now: t2" in words for words in by_koda)
    told = [message for request in model.requests for message in request.messages if message["role"] == "tool"]
    assert any("`estimated_effort` must be one of" in str(message["content"]) for message in told)
    assert any("go round in a circle" in str(message["content"]) for message in told)
    assert found["koda"]["files_read"] == ["src/auth.py", "src/middleware.py"]
    assert found["devo"]["files_read"] == ["deploy/staging.yml"]
    assert (found["missing"], found["overall_risk"], found["estimated_duration"]) == ([], "medium", "two hours")
    assert [(task["id"], task["agent"], task["blocked_by"]) for task in plan["tasks"]] == [
        ("t1", "koda", []),
        ("t2", "devo", ["t1"]),
    ]
    assert kinds_and_paths(plan) == [("create", "src/session.py"), ("command", "echo deployed > deployed.txt")]
    assert (plan["incomplete"], plan["phase"]) == ("", "waiting_plan_approval")
    shown = place.tandem.answer("show", plan["plan_id"])
    assert shown["plan"]["perspectives"] == found
    assert [operation["task"] for operation in shown["operations"]] == ["t1", "t2"]
    run = place.approve_and_apply(plan)
    assert (place.root / "deployed.txt").read_text() == "deployed\n"
    place.tandem.answer("undo", run)
    assert walk(place.root) == tree


def test_a_voice_nobody_has_and_an_agent_nobody_knows_are_refused_before_anything_starts(place: AgentPlace) -> None:
    said = place.run("--perspectives", "--voice", "zora=opencode")
    assert (said.code, said.data["error"]["message"]) == (2, "--voice zora=opencode names none of chapo, koda, devo.")
    said = place.run("--perspectives", "--voice", "koda=nobody")
    assert (said.code, said.data["error"]["message"]) == (2, "No agent is called nobody.")


@pytest.mark.agents
@pytest.mark.req("S2-03", "S2-04")
def test_opencode_speaks_for_all_three_and_cites_files_it_really_read(
    place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm_agents.require("opencode", place, model, monkeypatch)
    place.use_git()
    tree = walk(place.root)
    plan = place.plan("--agent", "opencode", "--perspectives", task=f"{TASK} [[scenario:minds]] [[cwd:{place.root}]]")
    found = plan["perspectives"]
    assert found["missing"] == []
    assert found["koda"]["spoken_by"] == "opencode"
    assert found["koda"]["files_read"] == ["src/auth.py", "src/middleware.py"]
    assert set(found["koda"]["affected_files"]) <= set(found["koda"]["files_read"])
    assert len(found["koda"]["denied"]) == 1
    assert kinds_and_paths(plan) == [("create", "src/session.py"), ("command", "echo deployed > deployed.txt")]
    run = place.approve_and_apply(plan)
    place.tandem.answer("undo", run)
    assert walk(place.root) == tree
