"""The scripted model answers the way the real services do, so that what is tested with it holds with them."""

import json
import urllib.request
from typing import Any

from tests.support.patience import PATIENCE_S
from tests.support.scenarios import Call, Step
from tests.support.scripted_model import ScriptedModel

BASH = {"type": "function", "function": {"name": "bash", "parameters": {"properties": {"command": {}}}}}


def ask(model: ScriptedModel, path: str, body: dict[str, Any]) -> str:
    request = urllib.request.Request(model.url + path, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
        return str(answer.read().decode())


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def test_a_whole_answer_carries_the_call_in_the_words_of_the_agent() -> None:
    with ScriptedModel() as model:
        body = {"model": "m", "tools": [BASH], "messages": said("[[scenario:bash]]")}
        message = json.loads(ask(model, "/v1/chat/completions", body))["choices"][0]["message"]
    assert message["tool_calls"][0]["function"]["name"] == "bash"
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {
        "command": "echo hi > made_by_bash.txt && cat made_by_bash.txt"
    }


def test_a_streamed_answer_spells_the_same_text() -> None:
    with ScriptedModel() as model:
        body = {"model": "m", "stream": True, "tools": [BASH], "messages": said("[[scenario:text]]")}
        lines = ask(model, "/v1/chat/completions", body).splitlines()
    events = [json.loads(line[6:]) for line in lines if line.startswith("data: {")]
    spelled = "".join(choice["delta"].get("content") or "" for event in events for choice in event["choices"])
    assert spelled == "Just text."
    assert lines[-2] == "data: [DONE]"


def test_the_anthropic_dialect_tells_the_same_step() -> None:
    tool = {"name": "Write", "input_schema": {"properties": {"file_path": {}, "content": {}}}}
    with ScriptedModel() as model:
        body = {"model": "m", "tools": [tool], "messages": said("[[scenario:write]] [[cwd:/ws]]")}
        blocks = json.loads(ask(model, "/v1/messages", body))["content"]
    assert blocks[1]["name"] == "Write"
    assert blocks[1]["input"] == {"file_path": "/ws/hello.py", "content": "print('hello')\n"}


def test_every_question_is_kept_and_a_test_may_bring_its_own_script() -> None:
    own = {"own": (Step("Mine.", (Call("list", {"path": "{cwd}"}),)),)}
    with ScriptedModel(own) as model:
        body = {"model": "m", "tools": [BASH], "messages": said("[[scenario:own]] [[cwd:/ws]]")}
        message = json.loads(ask(model, "/v1/chat/completions", body))["choices"][0]["message"]
        assert [request.tools for request in model.requests] == [("bash",)]
    assert json.loads(message["tool_calls"][0]["function"]["arguments"]) == {"path": "/ws"}
