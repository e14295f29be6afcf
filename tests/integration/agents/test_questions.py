"""`tandem run` asks at a terminal what an agent asks; without one it declines and says so; `tandem serve` by HTTP."""

import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace, write_by_client
from tests.support.agents_on_path import put_on_path, searched
from tests.support.patience import PATIENCE_S
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel
from tests.support.served import PLANNING, ROOT, Served, serving

ANSWER = "/chat/agents/questions/answer"
FORM = {
    "properties": {
        "colour": {"type": "string", "title": "Colour", "enum": ["red", "blue"]},
        "coats": {"type": "integer", "title": "Coats", "minimum": 1, "maximum": 3, "default": 2},
    },
    "required": ["colour"],
}


def asks(message: str = "Which colour?") -> dict[str, Any]:
    params = {"mode": "form", "message": message, "requestedSchema": FORM}
    return {"do": "request", "id": "q1", "method": "elicitation/create", "params": params}


def test_without_a_terminal_the_question_is_declined_and_the_plan_and_stderr_name_it(place: AgentPlace) -> None:
    agent = place.scripted([asks("Which\u202e colour?"), write_by_client(place.root / "new.txt", "x\n")])
    said = place.run(*agent)
    sentence = "The agent asked “Which⟨U+202E⟩ colour?”; nobody was there to answer."
    assert said.data["warnings"] == [sentence]
    assert sentence in said.err
    assert place.messages(said.data["session_id"])["q1"]["result"] == {"action": "decline"}
    alone = place.run(*place.scripted([asks()]))
    assert alone.data["warnings"] == ["The agent asked “Which colour?”; nobody was there to answer."]


class Terminal:
    """`tandem` on a pseudo terminal."""

    def __init__(self, place: AgentPlace, *words: str) -> None:
        self._main, side = pty.openpty()
        command = [sys.executable, "-m", "tandem_desktop", "-C", str(place.root), *words]
        # stdout is no terminal, so that the one object of --json stands alone.
        self.process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, "TERM": "xterm"}, stdin=side, stdout=subprocess.PIPE, stderr=side
        )
        os.close(side)
        self.seen = ""

    def wait_for(self, words: str) -> None:
        while words not in self.seen:
            self.seen += os.read(self._main, 4096).decode()

    def type(self, line: str) -> None:
        os.write(self._main, f"{line}\n".encode())

    def end(self) -> dict[str, Any]:
        out, _ = self.process.communicate(timeout=PATIENCE_S)
        os.close(self._main)
        found: dict[str, Any] = json.loads(out)
        return found


def test_at_a_terminal_the_person_answers_and_the_agent_reads_it(place: AgentPlace) -> None:
    agent = place.scripted([asks(), write_by_client(place.root / "new.txt", "x\n")])
    terminal = Terminal(place, "run", "--json", "--task", "Paint it.", *agent)
    terminal.wait_for("Colour, its number:")
    terminal.type("9")
    terminal.wait_for("Colour must be one of the choices.")
    terminal.type("2")
    terminal.wait_for("an empty line takes 2:")
    terminal.type("5")
    terminal.wait_for("Coats must be at most 3.")
    terminal.type("")
    terminal.wait_for("Send it?")
    terminal.type("y")
    plan = terminal.end()
    answered = place.messages(plan["session_id"])["q1"]["result"]
    assert answered == {"action": "accept", "content": {"colour": "blue", "coats": 2}}
    assert plan["warnings"] == []


@pytest.mark.exhaustive
def test_the_end_of_the_input_at_a_terminal_declines(place: AgentPlace) -> None:
    terminal = Terminal(place, "run", "--json", "--task", "Paint it.", *place.scripted([asks()]))
    terminal.wait_for("Colour, its number:")
    terminal.type("\x04")
    plan = terminal.end()
    assert place.messages(plan["session_id"])["q1"]["result"] == {"action": "decline"}


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    programs = tmp_path / "programs"
    write = write_by_client(tmp_path / "project" / "new.txt", "x\n")
    put_on_path(programs, "opencode", {"turns": [[asks(), write]]})
    with serving(tmp_path, 'agent = "opencode"\n', PATH=searched(programs)) as found:
        yield found


def next_line(answer: Any, kind: str) -> dict[str, Any]:
    while True:
        line: dict[str, Any] = json.loads(answer.readline())
        if line["type"] == kind:
            return line


def test_over_http_an_event_tells_the_question_and_an_address_answers_it(served: Served) -> None:
    with served.asking("POST", PLANNING, body={"task": "Paint it", "perspectives": False}) as stream:
        asked = next_line(stream, "question_asked")
        session, question = asked["sessionId"], asked["question"]
        assert (question["message"], question["fields"][0]["choices"][1]["value"]) == ("Which colour?", "blue")
        assert served.ask("GET", f"/chat/agents/{session}/questions").data == {"questions": [question]}
        given = {"sessionId": session, "questionId": question["questionId"], "action": "accept"}
        wrong = served.ask("POST", ANSWER, body={**given, "content": {"colour": "green"}})
        assert (wrong.status, wrong.data["error"]["message"]) == (422, "Colour must be one of the choices.")
        right = served.ask("POST", ANSWER, body={**given, "content": {"colour": "blue", "coats": 3}})
        assert (right.status, right.data) == (200, {"questions": []})
        ended = next_line(stream, "question_answered")
        assert ended == {
            "type": "question_answered",
            "sessionId": session,
            "questionId": question["questionId"],
            "action": "accept",
            "reason": "",
        }
        assert next_line(stream, "plan_result")["plan"]["warnings"] == []
    assert served.ask("POST", ANSWER, body=given).status == 404
    assert served.ask("GET", f"/chat/agents/{session}/questions").data == {"questions": []}


def test_a_server_that_ends_withdraws_an_open_question_and_ends(served: Served) -> None:
    with served.asking("POST", PLANNING, body={"task": "Paint it", "perspectives": False}) as stream:
        next_line(stream, "question_asked")
        code, _, _ = served.end()
    assert code == 0


LIBRARY = {
    "question": "Which library should it use?",
    "header": "Library",
    "options": [{"label": "httpx", "description": "Newer"}, {"label": "requests", "description": "Older"}],
    "multiSelect": False,
}
TOOLS = {"qwen": "ask_user_question", "claude": "AskUserQuestion"}


@pytest.mark.agents
@pytest.mark.parametrize("answer", ["2", "urllib3"], ids=["a choice", "own words"])
@pytest.mark.parametrize("agent", list(TOOLS))
def test_the_model_of_a_real_agent_reads_what_the_person_answered(
    agent: str, answer: str, place: AgentPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Step("I have to ask.", (Call(TOOLS[agent], {"questions": [LIBRARY]}),))
    with ScriptedModel({"ask": (asked, Step("Thank you."))}) as model:
        npm_agents.require(agent, place, model, monkeypatch)
        task = f"Choose. [[scenario:ask]] [[cwd:{place.root}]]"
        terminal = Terminal(place, "run", "--json", "--task", task, "--agent", agent)
        if agent == "claude" and not answer.isdigit():
            terminal.wait_for("Library, its number")
            terminal.type("")
            terminal.wait_for("Other, your words")
        else:
            terminal.wait_for("Library, its number")
        terminal.type(answer)
        if agent == "claude" and answer.isdigit():
            terminal.wait_for("Other, your words")
            terminal.type("")
        assert "Which library should it use?" in terminal.seen
        terminal.end()
    words = "requests" if answer == "2" else answer
    assert words in results(model)[-1]


def results(model: ScriptedModel) -> list[str]:
    """The results of tools that the model read last, in the dialects of the agents."""
    messages = model.requests[-1].messages
    told = [each for each in messages if each["role"] == "tool"]
    parts = [part for each in messages if isinstance(each["content"], list) for part in each["content"]]
    told += [part for part in parts if part.get("type") == "tool_result"]
    return [json.dumps(each["content"]) for each in told]
