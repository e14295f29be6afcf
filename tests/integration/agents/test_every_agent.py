"""Real agents, each with a scripted model: what each does is planned, approved, taken back, revised, remembered."""

import json
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.patience import PATIENCE_S
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ModelRequest, ScriptedModel
from tests.support.tree_walker import walk

pytestmark = pytest.mark.agents
ROOT = Path(__file__).resolve().parents[3]
AGENTS = tuple(name for name, agent in npm_agents.REAL_AGENTS.items() if not agent.needs_account)
CHECK = "python3 check.py"
FAILS = 3
CHECK_SCRIPT = f"""\
import sys
mended = "x = 42" in open("app.py").read()
print("mended" if mended else "broken")
sys.exit(0 if mended else {FAILS})
"""
TOLD = {**dict.fromkeys(("claude", "gemini", "kimi", "cline"), (FAILS, None)), "vibe": (None, None)}
"""The exit codes that are told of a check that fails and of one that passes, where that is not both."""
CONTACTED = {
    "opencode": {"registry.npmjs.org"},
    "codex": {"api.github.com"},
    "cline": {"data.cline.bot"},
    "qwen": {"gb4w8c3ygj-default-sea.rum.aliyuncs.com"},
}
"""What an agent may try to reach besides its model and the hosts of its profile, if its turn is long enough."""
WORD = "quincunx"
CHANGES = {
    ("modify", "app.py"),
    ("create", "hello.py"),
    ("delete", "old.txt"),
    ("modify", "data.txt"),
    ("create", "out/made.txt"),
}
"""What the scenario `full` does: two changes by the tools for files, three by commands."""
COMMANDS = ("rm old.txt", "sed -i s/one/two/ data.txt", "mkdir -p out && echo made > out/made.txt")


@pytest.fixture
def other_service() -> Iterator[socket.socket]:
    """A service of this machine that no agent may reach."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


@pytest.fixture
def model(other_service: socket.socket) -> Iterator[ScriptedModel]:
    check = Call("bash", {"command": CHECK, "why": "run the check"})
    address = f"http://127.0.0.1:{other_service.getsockname()[1]}/"
    fetch = Call("bash", {"command": f"curl -sS -m 20 {address}", "why": "look elsewhere"})
    change = {"old": "x = 1", "new": "x = 42", "whole": "x = 42\nprint(x)\n"}
    bump = {"path": "{cwd}/app.py", **change, "why": "mend it"}
    mend = (
        Step("Checking.", (check,)),
        Step("Reading.", (Call("read", {"path": "{cwd}/app.py"}),)),
        Step("Mending.", (Call("edit", bump),)),
        Step("Checking again.", (check,)),
        Step("Looking elsewhere.", (fetch,)),
        Step("The check passes now."),
    )
    full = (
        Step("Reading.", (Call("read", {"path": "{cwd}/app.py"}),)),
        Step("Editing.", (Call("edit", bump),)),
        Step("Creating.", (Call("write", {"path": "{cwd}/hello.py", "content": "print('hello')\n"}),)),
        *(Step("By a command.", (Call("bash", {"command": each, "why": each}),)) for each in COMMANDS),
        Step("All of it is done."),
    )
    again = (Step("Once more.", (Call("bash", {"command": "echo 2 > again.txt", "why": "again"}),)), Step("Revised."))
    held = (Step("Changing.", (Call("bash", {"command": "echo 3 > held.txt", "why": "x"}),)), Step("Now.", holds=True))
    listen = (Step("The word is noted.", (check,)), Step("Thinking.", holds=True))
    recall = (Step("Recalling it.", (Call("bash", {"command": "echo 1 > recalled.txt", "why": "x"}),)), Step("Done."))
    with ScriptedModel(
        {"mend": mend, "full": full, "again": again, "held": held, "listen": listen, "recall": recall}
    ) as served:
        yield served


@pytest.fixture
def checked_place(place: AgentPlace) -> AgentPlace:
    place.put("check.py", CHECK_SCRIPT)
    place.put("old.txt", "old\n")
    place.put("data.txt", "one\n")
    place.use_git()
    return place


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_sees_its_check_fail_and_pass_in_the_shadow_and_reaches_its_model_alone(
    agent: str,
    checked_place: AgentPlace,
    model: ScriptedModel,
    other_service: socket.socket,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = checked_place
    profile = npm_agents.require(agent, place, model, monkeypatch)
    seen, before = place.sight(), walk(place.root)
    said = place.run("--agent", profile, task=f"Mend it. [[scenario:mend]] [[cwd:{place.root}]]")
    place.assert_nothing_left()
    assert said.code == 0, said.out + said.err
    assert place.sight() == seen
    plan = said.data
    assert (plan["confined"], plan["incomplete"]) == (True, "")
    assert set(re.findall(r"asked: (\w+)", said.err)) <= {"allow"}, "every request is answered without the person"
    assert not [each for each in plan["warnings"] if "question" in each]
    assert kinds_and_paths(plan) == [("modify", "app.py")]

    checks = [each for each in plan["ran"] if each["command"] == CHECK]
    assert tuple(each["exit_code"] for each in checks) == TOLD.get(profile, (FAILS, 0))
    assert ["broken" in checks[0]["output"], "mended" in checks[1]["output"]] == [True, True]

    network = place.tandem.answer("show", plan["plan_id"])["plan"]["network"]
    refused = {(each["host"], each["port"]) for each in network["refused"]}
    assert other_service.getsockname() in refused
    assert {host for host, _ in refused - {other_service.getsockname()}} <= CONTACTED.get(agent, set())
    with pytest.raises(BlockingIOError):
        other_service.accept()
    assert model.requests

    shadow = place.shadow_tree(plan["session_id"])
    run = place.approve_and_apply(plan)
    assert place.files() == shadow
    place.tandem.answer("undo", run)
    assert walk(place.root) == before


@pytest.mark.parametrize("agent", AGENTS)
def test_five_changes_of_an_agent_are_planned_revised_in_the_same_conversation_applied_exactly_and_taken_back(
    agent: str, checked_place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = checked_place
    profile = npm_agents.require(agent, place, model, monkeypatch)
    seen, before = place.sight(), walk(place.root)
    said = place.run("--agent", profile, task=f"Do all of it. [[scenario:full]] [[cwd:{place.root}]]")
    assert said.code == 0, said.out + said.err
    plan = said.data
    assert (plan["confined"], plan["incomplete"], plan["warnings"]) == (True, "", [])
    assert set(re.findall(r"asked: (\w+)", said.err)) <= {"allow"}, "every request is answered without the person"
    assert set(kinds_and_paths(plan)) == CHANGES
    assert [each["command"] for each in plan["ran"]] == list(COMMANDS)

    place.tandem.answer("reject", plan["plan_id"], "--feedback", f"Think of {WORD}.")
    model.forget()
    date_back_the_chats_of_gemini(place)
    task = f"Revise it. [[scenario:again]] [[cwd:{place.root}]]"
    revised = place.plan("--session", plan["session_id"], task=task)
    asked = next(each for each in model.requests if "Revise it." in str(each.messages) and each.tools)
    assert WORD in str(asked.messages)
    assert any("All of it is done." in each for each in before_the_question(asked, "Revise it.")), "it remembers"
    assert (revised["plan_id"], revised["revision"], revised["incomplete"]) == (plan["plan_id"], 2, "")
    assert set(kinds_and_paths(revised)) == CHANGES | {("create", "again.txt")}
    place.assert_nothing_left()
    assert place.sight() == seen

    shadow = place.shadow_tree(plan["session_id"])
    run = place.approve_and_apply(revised)
    assert place.files() == shadow
    place.tandem.answer("undo", run)
    assert walk(place.root) == before


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_stopped_in_its_turn_leaves_no_process_and_a_plan_that_cannot_be_approved(
    agent: str, checked_place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = checked_place
    profile = npm_agents.require(agent, place, model, monkeypatch)
    seen = place.sight()
    process = started(place, profile, f"Begin. [[scenario:held]] [[cwd:{place.root}]]", stdout=subprocess.PIPE)
    try:
        assert model.holding.wait(PATIENCE_S)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
        process.wait()
    place.assert_nothing_left()
    assert place.sight() == seen
    plan = json.loads(out)
    assert (process.returncode, plan["error"]["kind"]) == (4, "aborted")
    assert kinds_and_paths(plan) == [("create", "held.txt")]
    assert plan["incomplete"]
    assert place.tandem("approve", plan["plan_id"], "--digest", plan["digest"], "--json").code == 3


@pytest.mark.parametrize("agent", AGENTS)
def test_a_word_told_before_tandem_is_killed_is_remembered_by_the_agent_that_is_resumed(
    agent: str, checked_place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = checked_place
    profile = npm_agents.require(agent, place, model, monkeypatch)
    session = killed_while_it_listens(place, profile, model)
    model.forget()
    date_back_the_chats_of_gemini(place)
    place.plan("--session", session, task=f"Which word was it? [[scenario:recall]] [[cwd:{place.root}]]")
    asked = next(each for each in model.requests if "Which word was it?" in str(each.messages) and each.tools)
    earlier = before_the_question(asked, "Which word was it?")
    assert any(WORD in each for each in earlier), "the agent has the person's words"
    assert any("The word is noted." in each for each in earlier), "and its own answer"


def killed_while_it_listens(place: AgentPlace, agent: str, model: ScriptedModel) -> str:
    """The session of a run that was killed in the middle of the agent's turn."""
    task = f"Remember the word {WORD}. [[scenario:listen]] [[cwd:{place.root}]]"
    process = started(place, agent, task)
    try:
        assert model.holding.wait(PATIENCE_S)
    finally:
        process.kill()
        process.wait()
    model.released.set()
    place.assert_nothing_left()
    [session] = (place.state / "sessions").iterdir()
    return session.name


def started(place: AgentPlace, agent: str, task: str, stdout: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    words = ["-C", str(place.root), "run", "--json", "--agent", agent, "--task", task]
    command = [sys.executable, "-m", "tandem_desktop", *words]
    return subprocess.Popen(command, cwd=ROOT, stdout=stdout, stderr=subprocess.DEVNULL, text=True)


def date_back_the_chats_of_gemini(place: AgentPlace) -> None:
    """Gemini names a chat by the minute and overwrites it when it loads it in the minute in which it began."""
    for chat in (place.state / "agents").glob("gemini/home/.gemini/tmp/*/chats/session-*.jsonl"):
        chat.rename(chat.with_name(re.sub(r"session-\d{4}", "session-2001", chat.name)))


def before_the_question(request: ModelRequest, question: str) -> list[str]:
    """The messages of the conversation that came before the person's last one."""
    messages: list[Any] = request.messages
    texts = [str(message) for message in messages]
    last = max(number for number, text in enumerate(texts) if question in text)
    return texts[:last]
