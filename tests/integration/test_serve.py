"""Plans, tasks and decisions over real HTTP, from a real process, seen by another engine on the same workspace."""

import contextlib
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.lifecycle import follow_up
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import ResultStatus
from tandem_desktop.review.choices import Drop
from tests.attacks.hidden_text import npm
from tests.support.served import APPROVAL, Served, serving

TASKS = [
    {"id": "1", "subject": "Create types", "agent": "koda", "priority": "high"},
    {"id": "2", "subject": "Implement service", "agent": "koda", "blocked_by": ["1"]},
    {"id": "3", "subject": "Add tests", "agent": "koda", "blocked_by": ["1"]},
    {"id": "4", "subject": "Update docs", "agent": "devo", "blocked_by": ["2", "3"]},
]
PROGRESS = {"total", "pending", "inProgress", "completed", "failed", "skipped", "percentComplete"}
TASK = {
    *("taskId", "planId", "subject", "description", "activeForm", "assignedAgent", "priority", "status", "progress"),
    *("blockedBy", "blocks", "toolsToExecute", "toolsExecuted", "createdAt", "startedAt", "completedAt"),
    *("result", "error"),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as found:
        yield found


def write(name: str, task: str | None = None) -> dict[str, Any]:
    return {"tool": "write", "args": {"path": name, "content": f"{name}\n"}, "task": task}


def bash(command: str, task: str | None = None) -> dict[str, Any]:
    return {"tool": "bash", "args": {"command": command}, "task": task}


def four_tasks(served: Served, name: str, second: dict[str, Any] | None = None) -> PlanVersion:
    """1 → (2 ∥ 3) → 4."""
    two = second or write(f"{name}2", "2")
    return served.propose(write(f"{name}1", "1"), two, write(f"{name}3", "3"), write(f"{name}4", "4"), tasks=TASKS)


def of(version: PlanVersion, what: str) -> str:
    return f"/chat/agents/{version.session_id}/{what}"


def test_url_and_token_are_on_the_first_line_and_the_address_is_this_machine_alone(served: Served) -> None:
    assert served.url == f"http://127.0.0.1:{served.port}"
    assert len(served.token) >= 40


@pytest.mark.req("S2-18", "S2-20")
def test_the_plan_of_a_session_is_answered_with_its_digest_operations_tasks_and_progress(served: Served) -> None:
    version = four_tasks(served, "look")
    found = served.ask("GET", of(version, "plan"))
    assert (found.status, set(found.data)) == (200, {"plan", "progress"})
    plan = found.data["plan"]
    assert (plan["planId"], plan["sessionId"], plan["status"]) == (version.plan_id, version.session_id, "proposed")
    assert plan["digest"] == version.approval_hash
    assert [each["path"] for each in plan["operations"]] == ["look1", "look2", "look3", "look4"]
    assert [task["taskId"] for task in plan["tasks"]] == ["1", "2", "3", "4"]
    assert found.data["progress"] == {**dict.fromkeys(PROGRESS, 0), "total": 4, "pending": 4}


@pytest.mark.req("S2-18", "S2-27", "S3-04")
def test_a_plan_says_which_commands_run_side_by_side_and_who_planned_it(served: Served) -> None:
    version = served.propose(*(bash(f"echo {task}", task) for task in "1234"), tasks=TASKS)
    with contextlib.closing(served.engine()) as engine:
        at_once = engine.commands_captured
        engine.plans.update(version.plan_id, lambda meta: follow_up(meta, "built-in:small"))
    plan = served.ask("GET", of(version, "plan")).data["plan"]
    assert [each["beside"] for each in plan["operations"]] == ([[], ["s3"], ["s2"], []] if at_once else [[]] * 4)
    assert (plan["plannerModel"], plan["executorModel"]) == ("", "built-in:small")


@pytest.mark.req("S2-19", "S2-13", "S2-20")
def test_the_tasks_of_a_session_are_answered_with_every_field_and_progress(served: Served) -> None:
    version = four_tasks(served, "tasks")
    found = served.ask("GET", of(version, "tasks")).data
    assert set(found) == {"tasks", "progress"}
    assert set(found["progress"]) == PROGRESS
    assert all(set(task) == TASK for task in found["tasks"])
    first = found["tasks"][0]
    assert (first["subject"], first["assignedAgent"], first["priority"]) == ("Create types", "koda", "high")
    assert (first["blockedBy"], first["blocks"], first["activeForm"]) == ([], ["2", "3"], "Create types…")


@pytest.mark.req("S0-48", "S0-49")
def test_revisions_of_a_session_are_answered_all_together_and_one_by_one(served: Served) -> None:
    first = four_tasks(served, "revisions")
    with contextlib.closing(served.engine()) as engine:
        second = engine.proposals.drop(first.plan_id, (Drop.parse(first.operations[-1].id),))
    found = served.ask("GET", of(first, "plan/revisions")).data["revisions"]
    assert [(each["revision"], each["parentRevision"], each["origin"]) for each in found] == [
        (1, None, "agent"),
        (2, 1, "person"),
    ]
    assert [each["digest"] for each in found] == [each.approval_hash for each in (first, second)]
    assert [len(each["operations"]) for each in found] == [4, 3]
    assert served.ask("GET", of(first, "plan/revisions/1")).data == {"revision": found[0]}


@pytest.mark.req("S0-48", "S0-49")
@pytest.mark.parametrize("number", ["0", "2", "x", "%C2%B2", "9" * 30])
def test_revision_that_is_not_there_is_not_found(served: Served, number: str) -> None:
    version = four_tasks(served, "missing")
    found = served.ask("GET", of(version, f"plan/revisions/{number}"))
    assert (found.status, found.data["error"]["kind"]) == (404, "unknown_plan")


@pytest.mark.req("S2-31", "S2-36")
def test_every_plan_of_a_session_is_answered_newest_first(served: Served) -> None:
    first = four_tasks(served, "history")
    plan = json.dumps({"title": "Another", "steps": [{"description": "Write it", **write("history")}]}).encode()
    with contextlib.closing(served.engine()) as engine:
        engine.decisions.cancel(first.plan_id)
        second = engine.proposals.propose(plan, first.session_id)
    four_tasks(served, "another session")
    found = served.ask("GET", of(first, "plans")).data
    assert [(each["planId"], each["status"]) for each in found["plans"]] == [
        (second.plan_id, "proposed"),
        (first.plan_id, "cancelled"),
    ]


@pytest.mark.parametrize("what", ["plan", "plan/revisions", "plan/revisions/1", "plans", "tasks"])
def test_a_session_nobody_knows_is_not_found(served: Served, what: str) -> None:
    found = served.ask("GET", f"/chat/agents/SES-ffffffff/{what}")
    assert (found.status, found.data["error"]["kind"]) == (404, "unknown_plan")


@pytest.mark.req("S2-17", "S2-19", "S3-17")
def test_an_approval_by_digest_runs_the_plan_and_tells_it_line_by_line(served: Served) -> None:
    version = four_tasks(served, "run")
    found = served.approve(version)
    assert (found.status, found.headers["content-type"]) == (200, "application/x-ndjson")
    types = [line["type"] for line in found.lines]
    assert types[:2] == ["plan_approved", "run_started"]
    assert types[-3:] == ["run_finished", "tasks_list", "run_result"]
    assert [line["taskId"] for line in found.lines if line["type"] == "task_started"] == ["1", "2", "3", "4"]
    assert [line["taskId"] for line in found.lines if line["type"] == "task_completed"] == ["1", "2", "3", "4"]
    result = found.lines[-1]
    assert result["run"]["status"] == "completed"
    assert {each["status"] for each in result["results"]} == {"completed"}
    assert (served.workspace / "run4").read_text() == "run4\n"
    after = served.ask("GET", of(version, "tasks")).data
    assert {task["status"] for task in after["tasks"]} == {"completed"}
    assert after["progress"]["percentComplete"] == 100


@pytest.mark.req("S2-15", "S2-17")
def test_every_operation_is_told_when_it_starts_after_its_task_and_before_its_result(served: Served) -> None:
    lines = served.approve(four_tasks(served, "order")).lines
    told = [(line["type"], line.get("taskId") or line.get("operationId")) for line in lines]
    begun = [each for each in told if each[0] in ("task_started", "operation_started")]
    assert begun == [each for n in "1234" for each in (("task_started", n), ("operation_started", f"s{n}"))]
    ends = [place for place, line in enumerate(lines) if line["type"] == "operation_finished"]
    assert len(ends) == 4
    assert min(ends) > told.index(("operation_started", "s4"))


@pytest.mark.req("S2-17")
def test_a_run_started_over_http_is_seen_by_another_engine_with_its_results_and_can_be_undone_there(
    served: Served,
) -> None:
    version = served.propose(write("elsewhere"))
    run_id = RunId(served.approve(version).lines[-1]["run"]["runId"])
    engine = served.engine()
    assert engine.plans.meta(version.plan_id).status is PlanStatus.COMPLETED
    assert engine.runs.record(run_id).plan_id == version.plan_id
    assert [result.status for result in engine.runs.results_of(run_id)] == [ResultStatus.COMPLETED]
    engine.runs.undo(run_id)
    engine.close()
    assert not (served.workspace / "elsewhere").exists()
    assert served.ask("GET", f"/runs/{run_id}").data["run"]["status"] == "undone"


@pytest.mark.req("S2-17")
def test_while_a_run_goes_on_another_engine_and_every_listener_can_follow_it(served: Served, tmp_path: Path) -> None:
    gate = served.workspace.parent / "gate"
    os.mkfifo(gate)
    version = served.propose(bash(f"cat {gate}"))
    asked = {
        "sessionId": version.session_id,
        "planId": version.plan_id,
        "approved": True,
        "digest": version.approval_hash,
    }
    with served.asking("GET", "/events") as events, served.asking("POST", APPROVAL, body=asked) as run:
        heard = [json.loads(events.readline()) for _ in range(6)]
        assert [line["type"] for line in heard] == [
            *("heartbeat", "plan_approved", "run_started", "plan_execution_start", "plan_step_ready"),
            "operation_started",
        ]
        engine = served.engine()
        assert engine.plans.meta(version.plan_id).status is PlanStatus.EXECUTING
        assert engine.plans.meta(version.plan_id).execution_session == heard[2]["runId"]
        engine.close()
        gate.write_text("go on\n")  # the command waits for this
        assert json.loads(run.read().splitlines()[-1])["run"]["status"] == "completed"


@pytest.mark.req("S4-17", "S4-25")
def test_the_execution_of_a_plan_is_told_over_http_step_by_step(served: Served) -> None:
    version = four_tasks(served, "story")
    with served.asking("GET", "/events") as events:
        assert json.loads(events.readline())["type"] == "heartbeat"
        served.approve(version)
        heard: list[dict[str, Any]] = []
        while not heard or heard[-1]["type"] != "plan_execution_complete":
            heard.append(json.loads(events.readline()))
    told = [line for line in heard if line["type"].startswith(("plan_execution", "plan_step"))]
    assert told[0]["type"] == "plan_execution_start"
    # Steps that become ready together are told in one event.
    assert [line["stepIds"] for line in told if line["type"] == "plan_step_ready"] == [["s1"], ["s2", "s3"], ["s4"]]
    done = [(line["stepId"], line["status"]) for line in told if line["type"] == "plan_step_complete"]
    assert done == [(f"s{n}", "completed") for n in range(1, 5)]
    assert told[-1]["status"] == "completed"


@pytest.mark.req("S2-15", "S2-17", "S2-25")
def test_the_failure_of_a_task_is_told_and_skips_what_waits_for_it(served: Served) -> None:
    version = four_tasks(served, "fail", bash("exit 3", "2"))
    found = served.approve(version, onFailure="continue")
    told = [f"{line['type']} {line['taskId']}" for line in found.lines if "taskId" in line]
    assert sorted(told) == [
        *("task_completed 1", "task_completed 3", "task_failed 2"),
        *("task_started 1", "task_started 2", "task_started 3", "task_update 4"),
    ]
    assert [task["status"] for task in found.lines[-2]["tasks"]] == ["completed", "failed", "completed", "skipped"]
    assert found.lines[-2]["progress"]["percentComplete"] == 50
    assert found.lines[-1]["run"]["status"] == "failed"
    assert not (served.workspace / "fail4").exists()


def test_what_was_rolled_back_is_not_left_standing_as_completed(served: Served) -> None:
    found = served.approve(four_tasks(served, "back", bash("exit 3", "2")))
    told = [(line["type"], line["taskId"], line.get("status")) for line in found.lines if "taskId" in line]
    assert told.index(("task_update", "1", "skipped")) > told.index(("task_completed", "1", None))
    assert [task["status"] for task in found.lines[-2]["tasks"]][:2] == ["skipped", "failed"]
    assert found.lines[-1]["run"]["rolledBack"] is True


@pytest.mark.req("S2-17")
def test_an_approval_without_a_digest_is_refused_with_a_sentence_and_changes_nothing(served: Served) -> None:
    version = served.propose(write("blind"))
    found = served.decide(version, True)
    assert (found.status, found.data["error"]["kind"]) == (422, "bad_input")
    assert found.data["error"]["message"] == "An approval needs the digest of what was looked at."
    assert found.data["error"]["next"]
    assert served.ask("GET", of(version, "plan")).data["plan"]["status"] == "proposed"


@pytest.mark.parametrize("digest", ["0" * 64, "abc"])
def test_an_approval_of_another_digest_is_refused_and_nothing_runs(served: Served, digest: str) -> None:
    version = served.propose(write("other"))
    found = served.decide(version, True, digest=digest)
    assert (found.status, found.data["error"]["kind"]) == (409, "approval_drift")
    assert not (served.workspace / "other").exists()


def test_a_plan_is_approved_only_under_its_own_session(served: Served) -> None:
    version, other = served.propose(write("mine")), served.propose(write("yours"))
    asked = {"sessionId": other.session_id, "planId": version.plan_id, "approved": True}
    found = served.ask("POST", APPROVAL, body={**asked, "digest": version.approval_hash})
    assert (found.status, found.data["error"]["kind"]) == (404, "unknown_plan")


def test_what_cannot_be_run_after_the_approval_is_told_in_the_stream(served: Served) -> None:
    version = served.propose(write("drifts"))
    (served.workspace / "drifts").write_text("mine\n")
    found = served.approve(version)
    assert [line["type"] for line in found.lines] == ["plan_approved", "error"]
    assert found.lines[-1]["error"]["kind"] == "drift"
    assert (served.workspace / "drifts").read_text() == "mine\n"


@pytest.mark.req("S2-17")
def test_a_refusal_with_a_reason_sends_the_plan_back_and_the_third_asks_for_a_person(served: Served) -> None:
    version = served.propose(write("again"))
    found = served.decide(version, False, reason="Say why.")
    assert [(line["type"], line["reason"], line["status"]) for line in found.lines] == [
        ("plan_rejected", "Say why.", "rejected")
    ]
    plan = served.ask("GET", of(version, "plan")).data["plan"]
    assert (plan["status"], plan["rejectionReason"]) == ("rejected", "Say why.")
    assert plan["rejectedAt"]
    engine = served.engine()
    for _ in range(2):
        engine.proposals.restore(version.plan_id, 1)
        last = served.decide(version, False, reason="Still no.")
    engine.close()
    assert last.lines[-1]["status"] == "needs_review"


def test_a_refusal_without_a_reason_ends_the_plan(served: Served) -> None:
    version = served.propose(write("never"))
    found = served.decide(version, False)
    assert [line["type"] for line in found.lines] == ["plan_cancelled"]
    assert served.ask("GET", of(version, "plan")).data["plan"]["status"] == "cancelled"


def test_comments_nobody_has_read_are_not_lost_by_an_approval(served: Served) -> None:
    version = served.propose(write("said"))
    engine = served.engine()
    engine.commenting.add(version.plan_id, "Why this?")
    engine.close()
    assert served.approve(version).data["error"]["kind"] == "not_approvable"
    assert served.approve(version, commentsAsNotes=True).lines[-1]["run"]["status"] == "completed"


def test_plans_and_runs_are_listed_and_a_run_is_shown_with_its_results(served: Served) -> None:
    version = served.propose(write("listed"))
    run = served.approve(version).lines[-1]["run"]
    plans = served.ask("GET", "/plans").data["plans"]
    assert {"planId": version.plan_id, "status": "completed"}.items() <= plans[0].items()
    assert served.ask("GET", "/runs").data["runs"][0] == run
    found = served.ask("GET", f"/runs/{run['runId']}").data
    assert [each["id"] for each in found["results"]] == ["s1"]
    assert served.ask("GET", "/runs/RUN-ffffffff").status == 404


def test_events_come_as_server_sent_events_when_they_are_asked_for(served: Served) -> None:
    version = served.propose(write("sse"))
    with served.asking("GET", "/events", Accept="text/event-stream") as events:
        assert events.headers["Content-Type"].startswith("text/event-stream")
        assert events.readline() == b"event: heartbeat\n"
        assert events.readline() == b'data: {"type": "heartbeat"}\n'
        assert events.readline() == b"\n"
        served.decide(version, False)
        assert events.readline() == b"event: plan_cancelled\n"
        assert json.loads(events.readline().removeprefix(b"data: "))["planId"] == version.plan_id


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.exhaustive)])
def test_ctrl_c_stops_what_runs_puts_it_back_and_ends_cleanly(tmp_path: Path, number: signal.Signals) -> None:
    with serving(tmp_path) as served:
        version = served.propose(write("first"), bash("echo started; sleep 60"))
        asked = {"sessionId": version.session_id, "planId": version.plan_id, "approved": True}
        body = {**asked, "digest": version.approval_hash}
        with served.asking("GET", "/events") as events, served.asking("POST", APPROVAL, body=body) as run:
            while json.loads(run.readline())["type"] != "command_printed":
                pass
            code, out, complaints = served.end(number)
            assert json.loads(run.read().splitlines()[-1])["run"]["status"] == "cancelled"
            assert b"run_finished" in events.read()
        assert (code, complaints) == (0, "")
        assert json.loads(out) == {"url": served.url, "stopped": True}
        assert not (served.workspace / "first").exists()


def test_approval_over_http_names_each_lock_file_that_installs_code(served: Served) -> None:
    step = {"tool": "write", "args": {"path": "package-lock.json", "content": npm().decode()}}
    version = served.propose(step)
    (operation,) = served.ask("GET", f"/chat/agents/{version.session_id}/plan").data["plan"]["operations"]
    assert operation["mustBeOpened"] is True
    refused = served.approve(version)
    assert refused.status == 409
    assert "package-lock.json: installs code" in refused.body.decode()
    assert "skippedLockFiles" in refused.body.decode()
    done = served.approve(version, openedLockFiles=["package-lock.json"])
    assert (done.status, done.lines[-1]["run"]["status"]) == (200, "completed")
