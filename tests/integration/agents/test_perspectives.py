"""Several advisors look at a task before it is planned: the built-in agent with a model that follows a script."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import npm_agents
from tests.support import perspective_scripts as scripts
from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel
from tests.support.tree_walker import walk

TASK = "Refactor the auth system and deploy to staging."
OUTSIDE = Call("write", {"path": "{cwd}/src/auth.py", "content": "# mine\n"})
TASKS = [
    {"id": "t1", "subject": "Update auth types", "agent": "koda"},
    {"id": "t2", "subject": "Refactor auth service", "agent": "koda", "blocked_by": ["t1"]},
    {"id": "t3", "subject": "Update auth middleware", "agent": "koda", "blocked_by": ["t2"]},
    {"id": "t4", "subject": "Add migration script", "agent": "koda", "blocked_by": ["t2"]},
    {"id": "t5", "subject": "Deploy to staging", "agent": "devo", "blocked_by": ["t3", "t4"]},
]
FILES = ("src/session.py", "src/auth_service.py", "src/auth_middleware.py", "migrations/sessions.py")
DEPLOY = "echo deployed > deployed.txt"
OPERATIONS = [*(("create", path) for path in sorted(FILES)), ("command", DEPLOY)]
PLAN = {**scripts.PLAN, "tasks": TASKS}
CIRCLE = {**PLAN, "tasks": [{**TASKS[0], "blocked_by": ["t2"]}, *TASKS[1:]]}
BY_KODA = tuple(step for path in FILES for step in (Step("", (scripts.writes(path, "x = 1\n"),)), Step("Written.")))
BY_DEVO = (Step("", (Call("bash", {"command": DEPLOY, "why": "deploy"}),)), Step("Queued."))
SCRIPT = {
    **scripts.GOOD,
    "advisors-koda": (
        Step("", (scripts.reads("src/auth.py"), scripts.reads("src/middleware.py"))),
        Step("", (OUTSIDE,)),
        Step("", (scripts.hands_in({**scripts.KODA, "estimated_effort": "huge"}),)),
        Step("", (scripts.hands_in(scripts.KODA),)),
        scripts.DONE,
    ),
    "advisors-synthesis": (Step("", (scripts.proposes(CIRCLE),)), Step("", (scripts.proposes(PLAN),)), scripts.DONE),
    "advisors-t1": (*BY_KODA, *BY_DEVO),
    "advisors-t5": BY_DEVO,
}
"""KODA tries to write and gives a wrong answer first; the first synthesis goes round in a circle. Whoever begins with
the first task has words for all of them, and DEVO, when it is somebody else, for its own."""


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
    for path, text in scripts.FILES.items():
        place.put(path, text)
    return served


@pytest.mark.exhaustive
@pytest.mark.setting("perspectives")
@pytest.mark.req("S2-01", "S2-02", "S2-03", "S2-04", "S2-09", "S2-16", "S2-28", "S2-30")
def test_three_voices_become_tasks_each_planned_by_its_agent_then_approved_applied_and_undone(
    place: AgentPlace, model: ScriptedModel
) -> None:
    # The task touches code and operations, so it should be planned.
    place.choose(perspectives=True, commands_while_planning="stage")
    before, tree = place.sight(), walk(place.root)
    voice = ("--voice", "koda=built-in:openai-compatible:koda-1")
    said = place.run(*voice, task=f"{TASK} [[scenario:advisors]] [[cwd:{place.root}]]")
    assert said.code == 0, said.out + said.err
    plan = said.data
    assert place.sight() == before
    assert "First look: Plan it first: mixed task, complex, medium risk (it touches code and operations;" in said.err
    assert "--no-perspectives leaves them out." in said.err
    look = plan["qualification"]
    assert (look["task_type"], look["complexity"], look["risk_level"]) == ("mixed", "complex", "medium")
    assert (look["plan_required"], look["qualified_by"]) == (True, "CHAPO (built-in)")
    assert "Guessed from its words." in said.err
    found = plan["perspectives"]
    assert found["missing"] == []
    assert found["chapo"]["strategic_analysis"] == scripts.CHAPO["strategic_analysis"]
    assert len(found["koda"]["denied"]) == 1
    by_koda = [str(each.messages[-1]) for each in model.requests if each.body["model"] == "koda-1"]
    assert any("You are KODA," in words for words in by_koda)
    planned = [number for number in range(1, 6) if any(f"Your task now: t{number}" in words for words in by_koda)]
    assert planned == [1, 2, 3, 4]
    told = [message for request in model.requests for message in request.messages if message["role"] == "tool"]
    assert any("`estimated_effort` must be one of" in str(message["content"]) for message in told)
    assert any("go round in a circle" in str(message["content"]) for message in told)
    assert found["koda"]["files_read"] == ["src/auth.py", "src/middleware.py"]
    assert found["devo"]["files_read"] == ["deploy/staging.yml"]
    assert (found["missing"], found["overall_risk"], found["estimated_duration"]) == ([], "medium", "two hours")
    assert [(task["id"], task["agent"], task["blocked_by"]) for task in plan["tasks"]] == [
        (task["id"], task["agent"], task.get("blocked_by", [])) for task in TASKS
    ]
    assert kinds_and_paths(plan) == OPERATIONS
    assert (plan["incomplete"], plan["phase"]) == ("", "waiting_plan_approval")
    shown = place.tandem.answer("show", plan["plan_id"])
    assert shown["plan"]["perspectives"] == found
    assert sorted(shown["plan"]["advice"]) == ["chapo", "devo", "koda"]
    assert "You are KODA" in Path(shown["plan"]["advice"]["koda"]).read_text()
    told = place.tandem("show", plan["plan_id"]).out
    assert f"KODA   small effort, 1 concerns; read 2 files. {scripts.KODA['analysis']}" in told
    assert f"What KODA was asked and did: {shown['plan']['advice']['koda']}" in told
    by_task = {operation["task"]: operation["path"] or operation["command"] for operation in shown["operations"]}
    assert by_task == dict(zip((task["id"] for task in TASKS), (*FILES, DEPLOY), strict=True))
    run = place.approve_and_apply(plan)
    assert (place.root / "deployed.txt").read_text() == "deployed\n"
    done = next(each for each in place.tandem.answer("runs")["runs"] if each["run_id"] == run)
    assert done["summary"] == "5 of 5 operations done (5/5 tasks succeeded)"
    assert {task["status"] for task in place.tandem.answer("show", plan["plan_id"])["plan"]["tasks"]} == {"completed"}
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
    plan = place.plan(
        "--agent", "opencode", "--perspectives", task=f"{TASK} [[scenario:advisors]] [[cwd:{place.root}]]"
    )
    found = plan["perspectives"]
    assert found["missing"] == []
    assert found["koda"]["spoken_by"] == "opencode"
    assert found["koda"]["files_read"] == ["src/auth.py", "src/middleware.py"]
    assert set(found["koda"]["affected_files"]) <= set(found["koda"]["files_read"])
    assert len(found["koda"]["denied"]) == 1
    assert kinds_and_paths(plan) == OPERATIONS
    run = place.approve_and_apply(plan)
    place.tandem.answer("undo", run)
    assert walk(place.root) == tree
