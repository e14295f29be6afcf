"""The agent for editors in this process, with frames of an editor at the other end of a pair of sockets."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.acp_agent.plan_request import code
from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.ids import PlanId
from tests.support.editors import SESSION, Frames, a_plan, served

BEFORE = "one\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "a.txt").write_text(BEFORE)
    return folder


async def loaded(frames: Frames, root: Path) -> None:
    await frames.call(1, "initialize", {"protocolVersion": 1})
    await frames.call(2, "session/load", {"cwd": str(root), "sessionId": SESSION, "mcpServers": []})


def a_prompt(text: str) -> dict[str, Any]:
    return {"sessionId": SESSION, "prompt": [{"type": "text", "text": text}]}


def is_request(message: dict[str, Any]) -> bool:
    return message.get("method") == "session/request_permission"


async def asked_about(frames: Frames, plan: PlanId, number: int = 3) -> dict[str, Any]:
    frames.send({"id": number, "method": "session/prompt", "params": a_prompt(f"/plans {plan}")})
    return await frames.hear_until(is_request)


async def answered(frames: Frames, request: dict[str, Any], option: str, number: int = 3) -> dict[str, Any]:
    outcome = {"outcome": "selected", "optionId": option}
    frames.send({"id": request["id"], "result": {"outcome": outcome}})
    return await frames.hear_until(lambda each: each.get("id") == number and "method" not in each)


async def test_an_answer_given_twice_applies_once_and_later_answers_mean_nothing(root: Path) -> None:
    plan = a_plan(root)
    async with served() as frames:
        await loaded(frames, root)
        request = await asked_about(frames, plan)
        assert (root / "a.txt").read_text() == BEFORE
        frames.send({"id": request["id"], "result": {"outcome": {"outcome": "selected", "optionId": "apply"}}})
        await answered(frames, request, "apply")
        assert (root / "a.txt").read_text() == "two\n"
        await frames.call(4, "session/prompt", a_prompt("/undo"))
        frames.send({"id": request["id"], "result": {"outcome": {"outcome": "selected", "optionId": "apply"}}})
        await frames.call(5, "session/list", {})
    engine = build_engine(root)
    assert len(engine.runs.runs()) == 1
    engine.close()


async def test_an_answer_before_its_request_means_nothing(root: Path) -> None:
    plan = a_plan(root)
    async with served() as frames:
        await loaded(frames, root)
        for number in range(5):
            frames.send({"id": number, "result": {"outcome": {"outcome": "selected", "optionId": "apply"}}})
        request = await asked_about(frames, plan)
        await answered(frames, request, "nothing of this kind")
    assert (root / "a.txt").read_text() == BEFORE


async def test_an_option_that_was_not_offered_is_no_answer(root: Path) -> None:
    plan = a_plan(root, ".github/workflows/ci.yml")
    async with served() as frames:
        await loaded(frames, root)
        request = await asked_about(frames, plan)
        assert [each["optionId"] for each in request["params"]["options"]] == ["review", "discard"]
        await answered(frames, request, "apply")
    assert not (root / ".github").exists()


async def test_a_plan_that_changed_after_it_was_sent_is_not_applied(root: Path) -> None:
    plan = a_plan(root)
    async with served() as frames:
        await loaded(frames, root)
        request = await asked_about(frames, plan)
        engine = build_engine(root)
        engine.proposals.add_command(plan, "touch more", ".")
        engine.close()
        await answered(frames, request, "apply")
    assert (root / "a.txt").read_text() == BEFORE
    said = json.dumps([each for each in frames.heard if "update" in each.get("params", {})])
    assert "Not applied" in said


async def test_the_answer_follows_what_is_decided_in_the_window(root: Path) -> None:
    plan = a_plan(root)
    windows: list[subprocess.Popen[bytes]] = []

    def window(folder: Path, plan_id: str) -> "subprocess.Popen[bytes]":
        """Decides in a process of its own, as the window does."""
        script = (
            "import sys; from pathlib import Path; from tandem_desktop.app.wiring import build_engine;"
            "engine = build_engine(Path(sys.argv[1])); version = engine.plans.revision(sys.argv[2]);"
            "engine.decisions.approve(version.plan_id, version.approval_hash); engine.runs.apply(version.plan_id);"
            "engine.close()"
        )
        windows.append(subprocess.Popen([sys.executable, "-c", script, str(folder), plan_id]))
        return windows[0]

    async with served(window) as frames:
        await loaded(frames, root)
        request = await asked_about(frames, plan)
        answer = await answered(frames, request, "review")
        assert answer["result"] == {"stopReason": "end_turn"}
    assert (root / "a.txt").read_text() == "two\n"
    assert windows[0].wait() == 0
    assert "Applied in Tandem" in json.dumps(frames.heard)


async def test_a_window_closed_without_a_decision_leads_to_the_same_question_again(root: Path) -> None:
    plan = a_plan(root)
    async with served(lambda folder, plan_id: subprocess.Popen(["true"])) as frames:
        await loaded(frames, root)
        first = await asked_about(frames, plan)
        frames.send({"id": first["id"], "result": {"outcome": {"outcome": "selected", "optionId": "review"}}})
        second = await frames.hear_until(is_request)
        await answered(frames, second, "discard")
    assert (root / "a.txt").read_text() == BEFORE
    assert first["id"] != second["id"]


async def test_only_the_session_of_a_plan_has_its_agent_change_it(root: Path) -> None:
    plan = a_plan(root)
    async with served() as frames:
        await loaded(frames, root)
        request = await asked_about(frames, plan)
        assert [each["optionId"] for each in request["params"]["options"]] == ["apply", "review", "discard"]
        await answered(frames, request, "discard")
    assert (root / "a.txt").read_text() == BEFORE


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [
        ("session/new", {"cwd": "relative", "mcpServers": []}, -32602),
        ("session/new", {"cwd": "/no/such/folder", "mcpServers": []}, -32602),
        ("session/new", {"mcpServers": []}, -32602),
        ("session/prompt", {"sessionId": "SES-ffffffff", "prompt": []}, -32002),
        ("session/load", {"cwd": "/", "sessionId": "../../etc", "mcpServers": []}, -32002),
        ("session/fork", {}, -32601),
        ("fs/read_text_file", {"path": "/etc/passwd"}, -32601),
    ],
)
async def test_what_cannot_be_served_is_refused_in_words(root: Path, method: str, params: Any, code: int) -> None:
    async with served() as frames:
        await frames.call(1, "initialize", {"protocolVersion": 1})
        if params.get("cwd") == "/":
            params = {**params, "cwd": str(root)}
        answer = await frames.call(2, method, params)
        assert answer["error"]["code"] == code
        assert answer["error"]["message"].strip()


CUT_EVERY = 61


@pytest.mark.parametrize("first", [0, pytest.param(1, marks=pytest.mark.exhaustive)])
async def test_an_editor_cut_off_at_any_byte_changes_nothing(root: Path, first: int) -> None:
    plan = a_plan(root)
    messages = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": 1}},
        {"id": 2, "method": "session/load", "params": {"cwd": str(root), "sessionId": SESSION, "mcpServers": []}},
        {"id": 3, "method": "session/prompt", "params": a_prompt(f"/plans {plan}")},
        {"id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "review"}}},
    ]
    whole = b"".join(json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n" for each in messages)
    for end in range(0, len(whole), 1 if first else CUT_EVERY):
        async with served() as frames:
            frames.put(whole[:end])
    assert (root / "a.txt").read_text() == BEFORE
    engine = build_engine(root)
    assert engine.plans.meta(plan).status.value == "proposed"
    engine.close()


@pytest.mark.parametrize("text", ["a", "`", "``a`b", "a\nb", "`a`"])
def test_text_as_code_cannot_end_its_fence(text: str) -> None:
    shown = code(text)
    fence = shown[: len(shown) - len(shown.lstrip("`"))]
    assert shown.endswith(fence)
    assert fence not in shown[len(fence) : -len(fence)].replace(f"{fence}`", "")
    assert "\n" not in shown
