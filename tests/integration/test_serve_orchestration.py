"""A task on its whole way over real HTTP: planned, approved by digest, reflected on, adjusted, and done."""

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.domain.ids import PlanId
from tests.integration.test_orchestrate import SCENARIOS
from tests.support.scripted_model import ScriptedModel
from tests.support.served import APPROVAL, Served, serving

ORCHESTRATIONS = "/orchestrations"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with ScriptedModel(SCENARIOS) as model:
        chosen = {"TANDEM_MODEL": "openai-compatible:scripted-1", "TANDEM_MODEL_URL": model.openai_url}
        with serving(tmp_path, "", **chosen, TANDEM_MODEL_KEY="x") as found:
            yield found


class Listener:
    """What `GET /events` tells, until the orchestration has ended."""

    def __init__(self, served: Served) -> None:
        self.heard: list[dict[str, Any]] = []
        self._served = served
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()
        assert self._ready.wait(30)

    def _listen(self) -> None:
        with self._served.asking("GET", "/events", Accept="text/event-stream") as answer:
            for line in answer:
                self._ready.set()
                if line.startswith(b"data: "):
                    self.heard.append(json.loads(line[6:]))
                    if self.heard[-1]["type"] == "orchestration_ended":
                        return

    def types(self) -> list[str]:
        self._thread.join(30)
        return [each["type"] for each in self.heard]


def approve(served: Served, plan_id: str) -> None:
    with contextlib.closing(served.engine()) as engine:
        meta = engine.plans.meta(PlanId(plan_id))
    decision = {"sessionId": meta.session_id, "planId": plan_id, "digest": meta.digest, "approved": True}
    assert served.ask("POST", APPROVAL, body=decision).status == 200


@pytest.mark.req("S4-27", "S4-12b", "S4-17")
def test_a_task_goes_through_a_failure_to_its_end_and_every_stage_is_on_the_event_stream(served: Served) -> None:
    listener = Listener(served)
    lines: list[dict[str, Any]] = []
    asked = {"task": "Greet [[scenario:make]]", "agent": "built-in"}
    with served.asking("POST", ORCHESTRATIONS, body=asked) as answer:
        assert answer.status == 200
        busy = served.ask("POST", ORCHESTRATIONS, body=asked)
        assert (busy.status, busy.data["error"]["message"]) == (429, "A task is orchestrated already.")
        run_id = ""
        for raw in answer:
            line = json.loads(raw)
            lines.append(line)
            if line["type"] == "reflection":
                run_id = line["runId"]
            if line["type"] != "orchestration_moved":
                continue
            if line["stage"] == "awaiting_approval":
                approve(served, line["planId"])
            elif line["stage"] == "awaiting_adjustments":
                adjusted = served.ask("POST", f"{ORCHESTRATIONS}/adjustments", body={"runId": run_id, "accept": [1]})
                assert (adjusted.status, adjusted.data["plan"]["revision"]) == (200, 2), adjusted.body
    result = lines[-1]
    assert (result["type"], result["outcome"], result["status"]) == ("orchestration_result", "completed", "completed")
    assert (result["revision"], result["cycles"]) == (2, 1)
    assert (served.workspace / "hello.txt").read_text() == "hello\n"
    reflected = next(line for line in lines if line["type"] == "reflection")
    assert [each["action"] for each in reflected["adjustments"]] == ["MODIFY", "SKIP"]
    assert reflected["adjustments"][0]["toolInput"] == {"command": "test -f hello.txt"}
    types = listener.types()
    stages = [each["stage"] for each in listener.heard if each["type"] == "orchestration_moved"]
    assert stages == [
        *("generating", "awaiting_approval", "executing", "reflecting", "awaiting_adjustments"),
        *("awaiting_approval", "executing", "reflecting"),
    ]
    assert types.count("plan_execution_start") == types.count("plan_execution_complete") == 1
    assert [each for each in types if each.startswith("orchestration_")][-1] == "orchestration_ended"
    assert (
        types.index("orchestration_started") < types.index("plan_execution_start") < types.index("adjustment_applied")
    )


def test_a_plan_that_is_cancelled_ends_the_orchestration_and_a_bad_request_begins_none(served: Served) -> None:
    assert served.ask("POST", ORCHESTRATIONS, body={"task": "  "}).status == 422
    assert served.ask("POST", ORCHESTRATIONS, body={"task": "x", "agent": "nobody"}).status == 422
    nothing = {"runId": "RUN-00000000", "accept": [1]}
    assert served.ask("POST", f"{ORCHESTRATIONS}/adjustments", body=nothing).status == 404
    with served.asking("POST", ORCHESTRATIONS, body={"task": "Greet [[scenario:make]]"}) as answer:
        lines = []
        for raw in answer:
            lines.append(json.loads(raw))
            if lines[-1].get("stage") == "awaiting_approval" and lines[-1]["type"] == "orchestration_moved":
                with contextlib.closing(served.engine()) as engine:
                    meta = engine.plans.meta(PlanId(lines[-1]["planId"]))
                decision = {"sessionId": meta.session_id, "planId": meta.plan_id, "approved": False}
                assert served.ask("POST", APPROVAL, body=decision).status == 200
    assert (lines[-1]["outcome"], lines[-1]["status"]) == ("waiting", "cancelled")
    assert not (served.workspace / "hello.txt").exists()
