"""The built-in agent as a client meets it: a process that speaks the protocol on its standard streams."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.acp_client import AcpClient, AcpError, Json
from tests.support.recipes import lay_out

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "tandem_desktop", "agent")


def environment(**more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TANDEM_STATE_DIR") if name in os.environ}
    return {**kept, "PYTHONPATH": str(ROOT), "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring", **more}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return lay_out(tmp_path / "ws", {"app.py": "x = 1\nprint(x)\n", "notes.txt": b"caf\xe9 one\r\n"})


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AcpClient]:
    with AcpClient(COMMAND, cwd=tmp_path_factory.mktemp("elsewhere"), environment=environment()) as client:
        yield client
    assert client.returncode == 0, client.errors.decode()


@pytest.fixture
def agent(process: AcpClient) -> AcpClient:
    process.forget()
    return process


def test_it_says_who_it_is_offers_its_recipes_and_has_one_asking_mode(agent: AcpClient, workspace: Path) -> None:
    greeting = agent.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
    assert greeting["protocolVersion"] == 1
    assert greeting["agentInfo"]["name"] == "tandem"
    opened = agent.call("session/new", {"cwd": str(workspace), "mcpServers": []})
    assert opened["modes"]["currentModeId"] == "ask"
    assert [mode["id"] for mode in opened["modes"]["availableModes"]] == ["ask"]
    agent.wait_for(lambda: bool(agent.of_kind("available_commands_update")))
    offered = agent.of_kind("available_commands_update")[0]["availableCommands"]
    hints = {command["name"]: (command.get("input") or {}).get("hint") for command in offered}
    assert hints["replace"] == "OLD NEW [--in GLOB] [--case-insensitive]"
    assert "help" in hints


def test_a_recipe_asks_with_whole_files_and_changes_exact_bytes_when_allowed(agent: AcpClient, workspace: Path) -> None:
    session = agent.start(workspace)
    assert agent.say(session, "/replace one two") == "end_turn"
    assert (workspace / "notes.txt").read_bytes() == b"caf\xe9 two\r\n"
    [request] = agent.asked
    call = request["toolCall"]
    assert call["kind"] == "edit"
    assert call["locations"] == [{"path": f"{workspace}/notes.txt"}]
    assert call["content"] == [
        {"type": "diff", "path": f"{workspace}/notes.txt", "oldText": "café one\r\n", "newText": "café two\r\n"}
    ]
    assert [option["kind"] for option in request["options"]] == ["allow_once", "reject_once"]
    assert agent.of_kind("tool_call")[0]["toolCallId"] == call["toolCallId"]
    assert agent.of_kind("tool_call_update")[-1]["status"] == "completed"
    assert "1 place in 1 file" in agent.said()


def test_what_is_refused_is_not_made_and_is_said(agent: AcpClient, workspace: Path) -> None:
    agent.permit = lambda request: "reject_once"
    session = agent.start(workspace)
    assert agent.say(session, "/replace one two") == "end_turn"
    assert (workspace / "notes.txt").read_bytes() == b"caf\xe9 one\r\n"
    assert agent.of_kind("tool_call_update")[-1]["status"] == "failed"
    assert "refused and not made" in agent.said()


def test_a_recipe_is_found_behind_the_instructions_of_the_client(agent: AcpClient, workspace: Path) -> None:
    session = agent.start(workspace)
    agent.say(session, "You are in planning mode.\nNever say /replace me in a line.\n", "\n/rename-identifier x y")
    assert (workspace / "app.py").read_bytes() == b"y = 1\nprint(y)\n"


def test_many_files_are_asked_for_in_few_requests(agent: AcpClient, workspace: Path) -> None:
    lay_out(workspace, {f"many/{number}.txt": "one\n" for number in range(120)})
    session = agent.start(workspace)
    agent.say(session, "/replace one two --in many/")
    assert len(agent.asked) == 3
    assert {(workspace / "many" / f"{number}.txt").read_text() for number in range(120)} == {"two\n"}


def test_every_kind_of_edit_reaches_the_folder(agent: AcpClient, workspace: Path) -> None:
    lay_out(workspace, {"gone.txt": "bye\n", "old.txt": "same\n", "run.sh": "x\n"})
    patch = (
        "diff --git a/gone.txt b/gone.txt\ndeleted file mode 100644\n--- a/gone.txt\n+++ /dev/null\n"
        "@@ -1 +0,0 @@\n-bye\n"
        "diff --git a/old.txt b/new/fresh.txt\nsimilarity index 100%\nrename from old.txt\nrename to new/fresh.txt\n"
        "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
        "diff --git a/to b/to\nnew file mode 120000\n--- /dev/null\n+++ b/to\n@@ -0,0 +1 @@\n+run.sh\n"
        "\\ No newline at end of file\n"
    )
    lay_out(workspace, {"fix.patch": patch})
    session = agent.start(workspace)
    agent.say(session, "/apply-patch fix.patch")
    assert not (workspace / "gone.txt").exists()
    assert (workspace / "new" / "fresh.txt").read_text() == "same\n"
    assert (workspace / "run.sh").stat().st_mode & 0o777 == 0o755
    assert (workspace / "to").readlink() == Path("run.sh")
    assert {request["toolCall"]["kind"] for request in agent.asked} == {"delete", "move", "edit"}


def test_a_mistake_in_a_recipe_is_answered_with_the_right_form(agent: AcpClient, workspace: Path) -> None:
    session = agent.start(workspace)
    assert agent.say(session, "/replace one") == "end_turn"
    assert "NEW is missing" in agent.said()
    assert agent.asked == []


def test_without_a_model_plain_words_are_refused_in_one_sentence_with_what_to_do(
    agent: AcpClient, workspace: Path
) -> None:
    session = agent.start(workspace)
    with pytest.raises(AcpError) as refused:
        agent.say(session, "Please tidy up.")
    assert refused.value.error["message"].startswith("There is no model yet")
    assert refused.value.error["data"]["next"].startswith("Add a model")


def test_help_lists_the_recipes(agent: AcpClient, workspace: Path) -> None:
    session = agent.start(workspace)
    agent.say(session, "/help")
    assert "/licence-header" in agent.said()


def test_cancel_ends_a_turn_that_waits_for_permission_and_changes_nothing(agent: AcpClient, workspace: Path) -> None:
    def hold(request: Json) -> str:
        agent.notify("session/cancel", {"sessionId": request["sessionId"]})
        agent.wait_for(lambda: turn in agent._answers)
        return "allow_once"

    agent.permit = hold
    session = agent.start(workspace)
    prompt = [{"type": "text", "text": "/replace one two"}]
    turn = agent.send("session/prompt", {"sessionId": session, "prompt": prompt})
    assert agent.answer(turn)["stopReason"] == "cancelled"
    agent.permit = lambda request: "reject_once"
    assert agent.say(session, "/help") == "end_turn"
    assert (workspace / "notes.txt").read_bytes() == b"caf\xe9 one\r\n"


REFUSED = (
    ("session/teleport", {}, -32601),
    ("session/load", {"sessionId": "x", "cwd": "/", "mcpServers": []}, -32601),
    ("session/prompt", {"sessionId": "nobody", "prompt": []}, -32602),
    ("session/prompt", {"prompt": 7}, -32602),
    ("session/set_mode", {"sessionId": "SESSION", "modeId": "yolo"}, -32602),
    ("session/new", {"cwd": "/nowhere/at/all", "mcpServers": []}, -32602),
)


def test_what_it_does_not_know_is_refused_and_the_session_goes_on(agent: AcpClient, workspace: Path) -> None:
    session = agent.start(workspace)
    for method, params, code in REFUSED:
        named = {name: session if value == "SESSION" else value for name, value in params.items()}
        with pytest.raises(AcpError) as refused:
            agent.call(method, named)
        assert refused.value.error["code"] == code, method
    agent.call("session/set_mode", {"sessionId": session, "modeId": "ask"})
    assert agent.say(session, "/help") == "end_turn"
