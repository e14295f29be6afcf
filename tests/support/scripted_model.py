"""A language model on loopback that follows a script, so that real agents can be driven without a real model.

It speaks OpenAI chat completions and Anthropic messages, streamed or whole. In a test: `with ScriptedModel() as
model: … model.openai_url`. As a process: `python -m tests.support.scripted_model` prints its address and serves
until it is ended.
"""

import json
import re
import sys
import threading
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.support.scenarios import SCENARIOS, Answer, Step, answer_to

Json = dict[str, Any]


@dataclass(frozen=True)
class ModelRequest:
    """What an agent asked the model, as it stood on the wire."""

    path: str
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools the agent declared."""
        return tuple((tool.get("function") or tool).get("name", "") for tool in self.body.get("tools") or ())

    @property
    def messages(self) -> list[Json]:
        return list(self.body.get("messages") or ())


class ScriptedModel:
    """One server on a free port. `requests` keeps every question, in the order they came."""

    def __init__(self, scenarios: Mapping[str, tuple[Step, ...]] | None = None) -> None:
        self.scenarios = {**SCENARIOS, **(scenarios or {})}
        self.released = threading.Event()
        """Set it to end the answers that hold."""
        self.holding = threading.Event()
        """Set as soon as an answer holds."""
        self._requests: list[ModelRequest] = []
        self._server = _Server(("127.0.0.1", 0), _handler_for(self))
        self._thread = threading.Thread(target=self._server.serve_forever, name="scripted-model", daemon=True)

    @property
    def url(self) -> str:
        """What Anthropic clients take as their base."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def openai_url(self) -> str:
        """What OpenAI clients take as their base."""
        return f"{self.url}/v1"

    @property
    def requests(self) -> tuple[ModelRequest, ...]:
        return tuple(self._requests)

    def keep(self, request: ModelRequest) -> None:
        self._requests.append(request)

    def forget(self) -> None:
        """Begin anew: nothing asked, nothing released."""
        self._requests.clear()
        self.released.clear()
        self.holding.clear()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """An agent that hangs up in the middle of an answer is nothing to report; all else is."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


def _handler_for(model: ScriptedModel) -> type[BaseHTTPRequestHandler]:
    return type("Handler", (_Handler,), {"model": model})


class _Handler(BaseHTTPRequestHandler):
    model: ScriptedModel
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class calls it so
        pass

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def do_GET(self) -> None:
        listed = {"id": "scripted-1", "object": "model", "created": 1, "owned_by": "test", "type": "model"}
        self._whole({"object": "list", "data": [{**listed, "display_name": "Scripted 1"}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.partition("?")[0]
        self.model.keep(ModelRequest(path, body, dict(self.headers.items())))
        if path.endswith("/chat/completions"):
            self._chat_completion(body)
        elif path.endswith("/count_tokens"):
            self._whole({"input_tokens": 10})
        elif path.endswith("/messages"):
            self._anthropic_message(body)
        else:
            self._whole({"error": {"message": f"nothing is served at {path}"}}, 404)

    def _chat_completion(self, body: Json) -> None:
        functions = [tool["function"] for tool in body.get("tools") or ()]
        declared = {each["name"]: (each.get("parameters") or {}).get("properties") or {} for each in functions}
        messages = [(message["role"], _text(message.get("content"))) for message in body["messages"]]
        answer = answer_to(messages, declared, self.model.scenarios)
        base = {"id": f"chatcmpl-{_unique()}", "created": 1, "model": body.get("model")}
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        calls = [
            {
                "index": index,
                "id": f"call_{_unique()}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for index, (name, arguments) in enumerate(answer.calls)
        ]
        reason = "tool_calls" if calls else "stop"
        if body.get("stream"):
            self._stream_chat(base, answer, calls, reason, usage)
            return
        message = {"role": "assistant", "content": answer.text, **({"tool_calls": calls} if calls else {})}
        choice = {"index": 0, "message": message, "finish_reason": reason}
        self._whole({**base, "object": "chat.completion", "choices": [choice], "usage": usage})

    def _stream_chat(self, base: Json, answer: Answer, calls: list[Json], reason: str, usage: Json) -> None:
        self._start_stream()
        base = {**base, "object": "chat.completion.chunk"}

        def send(delta: Json, reason: str | None = None) -> None:
            self._event({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

        send({"role": "assistant", "content": ""})
        for word in _words(answer.text):
            send({"content": word})
        self._hold(answer)
        for call in calls:
            name, arguments = call["function"]["name"], call["function"]["arguments"]
            send({"tool_calls": [{**call, "function": {"name": name, "arguments": ""}}]})
            middle = len(arguments) // 2
            for part in (arguments[:middle], arguments[middle:]):
                send({"tool_calls": [{"index": call["index"], "function": {"arguments": part}}]})
        send({}, reason)
        self._event({**base, "choices": [], "usage": usage})
        self._event("[DONE]")

    def _anthropic_message(self, body: Json) -> None:
        declared = {
            tool["name"]: (tool.get("input_schema") or {}).get("properties") or {} for tool in body.get("tools") or ()
        }
        messages = [(_anthropic_role(message), _text(message["content"])) for message in body["messages"]]
        answer = answer_to(messages, declared, self.model.scenarios)
        blocks: list[Json] = [{"type": "text", "text": answer.text}]
        for name, arguments in answer.calls:
            blocks.append({"type": "tool_use", "id": f"toolu_{_unique()}", "name": name, "input": arguments})
        message = {
            "id": f"msg_{_unique()}",
            "type": "message",
            "role": "assistant",
            "model": body.get("model"),
            "content": blocks,
            "stop_reason": "tool_use" if answer.calls else "end_turn",
            "stop_sequence": None,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }
        if body.get("stream"):
            self._stream_message(message, answer)
        else:
            self._whole(message)

    def _stream_message(self, message: Json, answer: Answer) -> None:
        self._start_stream()

        def send(kind: str, **fields: Any) -> None:
            self._event({"type": kind, **fields}, kind)

        send("message_start", message={**message, "content": [], "stop_reason": None})
        for index, block in enumerate(message["content"]):
            self._stream_block(send, index, block, answer)
        ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
        send("message_delta", delta=ended, usage=message["usage"])
        send("message_stop")

    def _stream_block(self, send: Callable[..., None], index: int, block: Json, answer: Answer) -> None:
        if block["type"] == "text":
            send("content_block_start", index=index, content_block={"type": "text", "text": ""})
            send("content_block_delta", index=index, delta={"type": "text_delta", "text": block["text"]})
            self._hold(answer)
        else:
            send("content_block_start", index=index, content_block={**block, "input": {}})
            partial = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
            send("content_block_delta", index=index, delta=partial)
        send("content_block_stop", index=index)

    def _hold(self, answer: Answer) -> None:
        if answer.holds:
            self.model.holding.set()
            self.model.released.wait()

    def _whole(self, content: Json, status: int = 200) -> None:
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _start_stream(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True

    def _event(self, data: Json | str, name: str = "") -> None:
        text = data if isinstance(data, str) else json.dumps(data)
        self.wfile.write(((f"event: {name}\n" if name else "") + f"data: {text}\n\n").encode())
        self.wfile.flush()


def _anthropic_role(message: Json) -> str:
    content = message["content"]
    is_result = isinstance(content, list) and any(part.get("type") == "tool_result" for part in content)
    return "tool" if is_result else str(message["role"])


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = [part for part in content or () if isinstance(part, dict) and part.get("type") == "text"]
    return "\n".join(part.get("text", "") for part in parts)


def _words(text: str) -> list[str]:
    return re.findall(r"\S+\s*", text)


def _unique() -> str:
    return uuid.uuid4().hex[:10]


if __name__ == "__main__":
    with ScriptedModel() as served:
        print(json.dumps({"url": served.url, "openai_url": served.openai_url}), flush=True)
        threading.Event().wait()
