"""A task given over real HTTP: three advisors look at it, an agent plans it, a decision by digest runs it."""

import contextlib
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import perspective_scripts as scripts
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel
from tests.support.served import PLANNING, Served, serving
from tests.support.tree_walker import walk

TASK = "Refactor the auth system and deploy to staging."
DEPLOY = "echo deployed > deployed.txt"
WRITES = (Step("", (scripts.writes("src/session.py", "x = 1\n"),)), Step("Written."))
DEPLOYS = (Step("", (Call("bash", {"command": DEPLOY, "why": "deploy"}),)), Step("Queued."))
SCRIPT = {**scripts.GOOD, "advisors-t1": (*WRITES, *DEPLOYS), "advisors-t2": DEPLOYS}


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel(SCRIPT) as found:
        yield found


@pytest.fixture
def served(tmp_path: Path, model: ScriptedModel) -> Iterator[Served]:
    model.forget()
    chosen = {"TANDEM_MODEL": "openai-compatible:fake-1", "TANDEM_MODEL_URL": model.openai_url, "TANDEM_MODEL_KEY": "x"}
    for path, text in scripts.FILES.items():
        place = tmp_path / "project" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    with serving(tmp_path, 'perspectives = true\ncommands_while_planning = "stage"\n', **chosen) as found:
        yield found


def asked(served: Served, scenario: str, **fields: Any) -> dict[str, Any]:
    return {"task": f"{TASK} [[scenario:{scenario}]] [[cwd:{served.workspace}]]", **fields}


@pytest.mark.exhaustive
@pytest.mark.req("S2-01", "S2-02", "S2-03", "S2-09", "S2-14", "S2-17", "S2-18", "S2-19", "S2-23", "S3-47")
def test_a_task_goes_from_its_first_look_to_its_last_task_over_http_alone(served: Served) -> None:
    before = walk(served.workspace)
    lines = served.ask("POST", PLANNING, body=asked(served, "advisors")).lines
    first, result = lines[0], lines[-1]
    assert (first["type"], first["taskType"], first["planRequired"], first["perspectives"]) == (
        "qualification",
        "mixed",
        True,
        True,
    )
    types = list(dict.fromkeys(line["type"] for line in lines))
    for earlier, later in (
        ("plan_start", "perspective_start"),
        ("perspective_complete", "synthesis_started"),
        ("synthesis_ended", "task_delegated"),
        ("task_delegated", "plan_ready"),
        ("plan_ready", "plan_approval_request"),
        ("plan_approval_request", "plan_result"),
    ):
        assert types.index(earlier) < types.index(later), types
    plan = result["plan"]
    assert (plan["sessionId"], plan["phase"], plan["incomplete"]) == (first["sessionId"], "waiting_plan_approval", "")
    assert plan["kodaPerspective"]["filesRead"] == ["src/auth.py", "src/middleware.py"]
    assert plan["plannerModel"] == "built-in:openai-compatible:fake-1"
    assert [each["path"] or each["command"] for each in plan["operations"]] == ["src/session.py", DEPLOY]
    assert walk(served.workspace) == {**before, **{k: v for k, v in walk(served.workspace).items() if ".tandem" in k}}

    decision = {key: plan[key] for key in ("sessionId", "planId", "digest")}
    run = served.ask("POST", f"{PLANNING}/approval", body={**decision, "approved": True}).lines[-1]["run"]
    assert (run["status"], run["summary"]) == ("completed", "2 of 2 operations done (2/2 tasks succeeded)")
    assert (served.workspace / "deployed.txt").read_text() == "deployed\n"
    tasks = served.ask("GET", f"/chat/agents/{plan['sessionId']}/tasks").data
    assert tasks["progress"]["percentComplete"] == 100


@pytest.mark.req("S2-02", "S3-57")
def test_whoever_asks_may_overrule_the_first_look(served: Served) -> None:
    lines = served.ask("POST", PLANNING, body=asked(served, "write", perspectives=False)).lines
    assert (lines[0]["planRequired"], lines[0]["perspectives"]) == (True, False)
    assert "perspective_start" not in {line["type"] for line in lines}
    assert [each["path"] for each in lines[-1]["plan"]["operations"]] == ["hello.py"]
    with contextlib.closing(served.engine()) as engine:
        assert engine.plans.meta(lines[-1]["plan"]["planId"]).gateway


def test_an_agent_nobody_knows_and_an_empty_task_are_refused_before_anything_starts(served: Served) -> None:
    for body in ({"task": "x", "agent": "nobody"}, {"task": "  "}, {"task": "x", "sessionId": "../up"}):
        assert served.ask("POST", PLANNING, body=body).status == 422
    lines = served.ask("POST", PLANNING, body={"task": "x", "sessionId": "SES-ffffffff"}).lines
    assert [line["type"] for line in lines] == ["qualification", "error"]


def test_a_server_that_ends_ends_its_agents_and_says_so(served: Served, model: ScriptedModel) -> None:
    body = asked(served, "hold", perspectives=False)
    with served.asking("POST", PLANNING, body=body) as answer:
        assert json.loads(answer.readline())["type"] == "qualification"
        assert model.holding.wait(60)
        served.process.send_signal(signal.SIGINT)
        rest = [json.loads(line) for line in answer.read().splitlines()]
    assert rest[-1]["type"] == "error"
    served.process.wait(60)
    assert served.process.returncode == 0
