"""The built-in agent with a model behind it: a real process, a real conversation, a model that follows a script."""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.test_built_in_agent import COMMAND, environment
from tests.support.acp_client import AcpClient, AcpError, Json
from tests.support.patience import PATIENCE_S
from tests.support.recipes import lay_out
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel

KEY = "sk-not-to-be-seen-anywhere"

OWN = {
    "files": (
        Step("", (Call("grep", {"pattern": "x = \\d", "path": "."}), Call("glob", {"pattern": "*.py"}))),
        Step("", (Call("move", {"path": "app.py", "to": "lib/app.py"}),)),
        Step("", (Call("delete", {"path": "{cwd}/notes.txt"}),)),
        Step("", (Call("list", {"path": "."}),)),
        Step("", (Call("todo", {"items": [{"content": "tidy", "status": "in_progress"}]}),)),
        Step("Moved."),
    ),
    "mistakes": (
        Step("", (Call("read", {"path": "../secret.txt"}), Call("read", {"path": "missing.py"}))),
        Step("", (Call("edit", {"path": "app.py", "old": "nowhere", "new": "y"}),)),
        Step("", (Call("write", {"path": ".git/config", "content": "x"}),)),
        Step("Could not."),
    ),
    "same-file": (
        Step(
            "Twice.",
            (
                Call("edit", {"path": "app.py", "old": "x = 1", "new": "x = 2"}),
                Call("edit", {"path": "app.py", "old": "print(x)", "new": "print(-x)"}),
            ),
        ),
        Step("Both."),
    ),
    "slow": (Step("Long.", (Call("bash", {"command": "echo $$ > begun.txt; sleep 600"}),)), Step("Never.")),
}


@pytest.fixture(scope="module")
def served() -> Iterator[ScriptedModel]:
    with ScriptedModel(OWN) as model:
        yield model


@pytest.fixture
def model(served: ScriptedModel) -> ScriptedModel:
    served.forget()
    return served


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory, served: ScriptedModel) -> Iterator[AcpClient]:
    chosen = {"TANDEM_MODEL": "openai-compatible:scripted-1", "TANDEM_MODEL_URL": served.openai_url}
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    with AcpClient(COMMAND, cwd=elsewhere, environment=environment(**chosen, TANDEM_MODEL_KEY=KEY)) as client:
        yield client
    assert client.returncode == 0
    assert KEY not in client.errors.decode()


@pytest.fixture
def agent(process: AcpClient, model: ScriptedModel) -> Iterator[AcpClient]:
    process.forget()
    yield process
    model.released.set()
    assert KEY not in json.dumps(process.updates)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    files = {"app.py": "x = 1\nprint(x)\n", "notes.txt": "n\n", "AGENTS.md": "Always answer in rhyme.\n"}
    return lay_out(tmp_path / "ws", files)


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline


def play(agent: AcpClient, workspace: Path, scenario: str, servers: tuple[Json, ...] = ()) -> str:
    session = agent.start(workspace, servers)
    return agent.say(session, f"Do it. [[scenario:{scenario}]] [[cwd:{workspace}]]")


def test_a_whole_sequence_is_asked_for_and_done(agent: AcpClient, workspace: Path, model: ScriptedModel) -> None:
    assert play(agent, workspace, "seq") == "end_turn"
    assert (workspace / "hello.py").read_text() == "print('hello')\n"
    assert (workspace / "app.py").read_text() == "x = 42\nprint(x)\n"
    assert (workspace / "made_by_bash.txt").read_text() == "hi\n"
    kinds = [request["toolCall"]["kind"] for request in agent.asked]
    assert kinds == ["edit", "edit", "execute"]
    change = agent.asked[1]["toolCall"]
    assert change["content"][0]["oldText"] == "x = 1\nprint(x)\n"
    assert change["content"][0]["newText"] == "x = 42\nprint(x)\n"
    command = agent.asked[2]["toolCall"]["rawInput"]
    assert command["command"] == "echo hi > made_by_bash.txt"
    assert command["cwd"] == str(workspace)
    assert agent.said().endswith("Finished the sequence.")
    assert agent.of_kind("usage_update")[-1]["used"] == 15
    told = json.dumps(model.requests[0].messages)
    assert "Always answer in rhyme." in told
    assert str(workspace) in told


def test_what_is_refused_is_not_done_and_the_model_is_told_to_go_on(
    agent: AcpClient, workspace: Path, model: ScriptedModel
) -> None:
    agent.permit = lambda request: "reject_once"
    assert play(agent, workspace, "seq") == "end_turn"
    assert sorted(path.name for path in workspace.iterdir()) == ["AGENTS.md", "app.py", "notes.txt"]
    assert (workspace / "app.py").read_text() == "x = 1\nprint(x)\n"
    told = [message["content"] for message in model.requests[-1].messages if message["role"] == "tool"]
    assert sum("queued for the plan" in answer for answer in told) == 1
    assert sum("it was not made" in answer for answer in told) == 2
    assert agent.said().endswith("Finished the sequence.")


def test_calls_made_at_once_are_done_one_after_the_other(agent: AcpClient, workspace: Path) -> None:
    play(agent, workspace, "parallel")
    assert [(workspace / f"p{n}.txt").read_text() for n in (1, 2, 3)] == ["one\n", "two\n", "three\n"]
    play(agent, workspace, "same-file")
    assert (workspace / "app.py").read_text() == "x = 2\nprint(-x)\n"


def test_every_tool_is_offered_and_works_on_the_folder(agent: AcpClient, workspace: Path, model: ScriptedModel) -> None:
    play(agent, workspace, "files")
    assert (workspace / "lib" / "app.py").read_text() == "x = 1\nprint(x)\n"
    assert not (workspace / "notes.txt").exists()
    assert [request["toolCall"]["kind"] for request in agent.asked] == ["move", "delete"]
    [plan] = agent.of_kind("plan")
    assert plan["entries"] == [{"content": "tidy", "priority": "medium", "status": "in_progress"}]
    told = [message["content"] for message in model.requests[-1].messages if message["role"] == "tool"]
    assert "app.py:1:x = 1" in told
    assert "AGENTS.md\nlib/" in told
    assert set(model.requests[0].tools) == {
        *("read", "list", "glob", "grep", "write", "edit", "delete", "move", "bash", "todo", "present_plan")
    }


def test_mistakes_of_the_model_are_answered_in_words_and_touch_nothing(
    agent: AcpClient, workspace: Path, model: ScriptedModel
) -> None:
    assert play(agent, workspace, "mistakes") == "end_turn"
    assert agent.asked == []
    told = json.dumps(model.requests[-1].messages)
    assert "goes up with '..'" in told
    assert "missing.py does not exist" in told
    assert "old_string is not in app.py" in told
    assert "belongs to git" in told
    assert {update["status"] for update in agent.of_kind("tool_call_update")} == {"failed"}


def test_a_plan_is_stated_with_its_signal_when_the_client_brings_no_tool_for_it(
    agent: AcpClient, workspace: Path
) -> None:
    play(agent, workspace, "mcp")
    assert agent.said() == "Proposing a plan.\n\nPLAN_CREATED\n\n# T\n\nS\n\n1. a\n2. b\n\n\nPlan was presented."


def test_the_tools_of_a_server_the_client_brings_are_used_instead(
    agent: AcpClient, workspace: Path, tmp_path: Path
) -> None:
    script = Path(__file__).resolve().parents[1] / "support" / "plan_server.py"
    kept = tmp_path / "kept.jsonl"
    server = {"name": "tandem", "command": sys.executable, "args": [str(script), str(kept)], "env": []}
    play(agent, workspace, "mcp", (server,))
    assert json.loads(kept.read_text()) == {"title": "T", "summary": "S", "steps": ["a", "b"]}
    assert "PLAN_CREATED" not in agent.said()
    assert agent.of_kind("tool_call_update")[-1]["status"] == "completed"


def test_a_server_that_does_not_start_is_named_and_the_work_goes_on(agent: AcpClient, workspace: Path) -> None:
    server = {"name": "broken", "command": "/nowhere/server", "args": [], "env": []}
    assert play(agent, workspace, "text", (server,)) == "end_turn"
    assert "tools broken could not be started" in agent.said()
    assert agent.said().endswith("Just text.")


def test_cancel_ends_the_model_and_a_running_command_and_the_session_goes_on(
    agent: AcpClient, workspace: Path, model: ScriptedModel
) -> None:
    session = agent.start(workspace)

    def ask(scenario: str) -> int:
        text = f"[[scenario:{scenario}]] [[cwd:{workspace}]]"
        prompt = [{"type": "text", "text": text}]
        return agent.send("session/prompt", {"sessionId": session, "prompt": prompt})

    held = ask("hold")
    assert model.holding.wait(60)
    agent.wait_for(lambda: "long" in agent.said())
    agent.notify("session/cancel", {"sessionId": session})
    assert agent.answer(held)["stopReason"] == "cancelled"

    slow = ask("slow")
    agent.wait_for(lambda: bool(agent.asked))
    begun = workspace / "begun.txt"
    until(lambda: begun.exists() and begun.read_text().endswith("\n"))
    agent.notify("session/cancel", {"sessionId": session})
    assert agent.answer(slow)["stopReason"] == "cancelled"
    until(lambda: not Path(f"/proc/{begun.read_text().strip()}").exists())
    assert agent.say(session, f"[[scenario:text]] [[cwd:{workspace}]]") == "end_turn"


def test_a_conversation_is_remembered_and_recipes_work_beside_it(
    agent: AcpClient, workspace: Path, model: ScriptedModel
) -> None:
    session = agent.start(workspace)
    agent.say(session, "My name is Ada. [[scenario:text]]")
    agent.say(session, "/replace n m --in notes.txt")
    agent.say(session, "Who am I? [[scenario:text]]")
    assert "My name is Ada." in json.dumps(model.requests[-1].messages)
    assert (workspace / "notes.txt").read_text() == "m\n"


def test_the_anthropic_dialect_works_as_well(workspace: Path, model: ScriptedModel) -> None:
    chosen = {"TANDEM_MODEL": "anthropic:claude-scripted", "TANDEM_MODEL_URL": model.url, "ANTHROPIC_API_KEY": KEY}
    with AcpClient(COMMAND, cwd=workspace, environment=environment(**chosen)) as agent:
        assert play(agent, workspace, "write") == "end_turn"
    assert (workspace / "hello.py").read_text() == "print('hello')\n"
    assert agent.said().endswith("Finished the write.")


def test_a_model_that_cannot_be_reached_is_said_with_its_address_and_without_the_key(workspace: Path) -> None:
    chosen = {"TANDEM_MODEL": "openai-compatible:m", "TANDEM_MODEL_URL": "http://127.0.0.1:9/v1"}
    with AcpClient(COMMAND, cwd=workspace, environment=environment(**chosen, TANDEM_MODEL_KEY=KEY)) as agent:
        session = agent.start(workspace)
        with pytest.raises(AcpError) as refused:
            agent.say(session, "Hello")
    assert refused.value.error["message"] == "No connection to http://127.0.0.1:9/v1: Connection refused."
    assert KEY not in json.dumps(refused.value.error) + agent.errors.decode()


def test_a_model_that_cannot_be_used_is_explained_and_recipes_still_work(workspace: Path) -> None:
    with AcpClient(COMMAND, cwd=workspace, environment=environment(TANDEM_MODEL="openai:gpt")) as agent:
        session = agent.start(workspace)
        with pytest.raises(AcpError, match="There is no key for openai"):
            agent.say(session, "Hello")
        agent.say(session, "/replace n m --in notes.txt")
    assert (workspace / "notes.txt").read_text() == "m\n"
