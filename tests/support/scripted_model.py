"""A language model on loopback that follows a script, so that real agents can be driven without a real model.

It speaks OpenAI chat completions and responses, Anthropic messages and Gemini's generateContent. In a test:
`with ScriptedModel() as model: … model.openai_url`. As a process: `python -m tests.support.scripted_model` prints its
address and serves until it is ended.
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
_CONVERSATIONS = ("messages", "input", "contents")


@dataclass(frozen=True)
class ModelRequest:
    """What an agent asked the model, as it stood on the wire."""

    path: str
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the tools the agent declared."""
        return tuple(_declared(self.body))

    @property
    def messages(self) -> list[Json]:
        """The conversation so far, in the words of whichever interface was asked."""
        return list(next((self.body[name] for name in _CONVERSATIONS if self.body.get(name)), ()))


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
        elif path.endswith("/responses"):
            self._response(body)
        elif path.endswith("enerateContent"):
            self._generated_content(body, streamed=path.endswith(":streamGenerateContent"))
        elif path.endswith(":countTokens"):
            self._whole({"totalTokens": 10})
        else:
            self._whole({"error": {"message": f"nothing is served at {path}"}}, 404)

    def _chat_completion(self, body: Json) -> None:
        messages = [(message["role"], _text(message.get("content"))) for message in body["messages"]]
        answer = answer_to(messages, _declared(body), self.model.scenarios)
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
        self._hold(answer)
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
        messages = [(_anthropic_role(message), _text(message["content"])) for message in body["messages"]]
        answer = answer_to(messages, _declared(body), self.model.scenarios)
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

    def _response(self, body: Json) -> None:
        """Always as a stream: the one client that is served here asks for nothing else."""
        messages = [(_responses_role(item), _text(item.get("content"))) for item in body["input"]]
        answer = answer_to(messages, _declared(body), self.model.scenarios)
        said: Json = {"type": "message", "role": "assistant", "id": f"msg_{_unique()}"}
        items = [{**said, "content": [{"type": "output_text", "text": answer.text}]}]
        items += [_responses_call(body, name, arguments) for name, arguments in answer.calls]
        response = {"id": f"resp_{_unique()}", "object": "response", "model": body.get("model")}
        self._start_stream()

        def send(kind: str, **fields: Any) -> None:
            self._event({"type": kind, **fields}, kind)

        send("response.created", response={**response, "status": "in_progress", "output": []})
        for index, item in enumerate(items):
            send("response.output_item.added", output_index=index, item={**item, "content": []} if not index else item)
            if not index:
                for word in _words(answer.text):
                    send("response.output_text.delta", item_id=item["id"], output_index=0, content_index=0, delta=word)
                self._hold(answer)
            send("response.output_item.done", output_index=index, item=item)
        usage = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}
        send("response.completed", response={**response, "status": "completed", "output": items, "usage": usage})

    def _generated_content(self, body: Json, *, streamed: bool) -> None:
        messages = [(_gemini_role(content), _gemini_text(content)) for content in body["contents"]]
        answer = answer_to(messages, _declared(body), self.model.scenarios)
        calls = [{"functionCall": {"name": name, "args": arguments}} for name, arguments in answer.calls]
        usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}

        def part(parts: list[Json], **ended: str) -> Json:
            candidate = {"content": {"role": "model", "parts": parts}, "index": 0, **ended}
            return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "scripted-1"}

        if not streamed:
            self._whole(part([{"text": answer.text}, *calls], finishReason="STOP"))
            return
        self._start_stream()
        self._event(part([{"text": answer.text}]))
        self._hold(answer)
        self._event(part(calls or [{"text": ""}], finishReason="STOP"))

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


def _declared(body: Json) -> dict[str, Json]:
    """The tools the agent offers, each with the arguments it takes."""
    found: dict[str, Json] = {}
    for tool in body.get("tools") or ():
        for each in tool.get("functionDeclarations") or (tool.get("function") or tool,):
            schema = next((each[name] for name in _SCHEMAS if each.get(name)), {})
            found[each.get("name") or each.get("type") or ""] = schema.get("properties") or {}
    return found


_SCHEMAS = ("parameters", "input_schema", "parametersJsonSchema")


def _responses_role(item: Json) -> str:
    kind = item.get("type", "message")
    if kind == "message":
        return str(item["role"])
    return "tool" if kind.endswith("_output") else "assistant"


def _responses_call(body: Json, name: str, arguments: Json) -> Json:
    """A tool of the type `custom` takes one text and no arguments."""
    call: Json = {"id": f"item_{_unique()}", "call_id": f"call_{_unique()}", "name": name}
    if any(tool.get("type") == "custom" and tool.get("name") == name for tool in body.get("tools") or ()):
        return {**call, "type": "custom_tool_call", "input": next(iter(arguments.values()), "")}
    return {**call, "type": "function_call", "arguments": json.dumps(arguments)}


def _gemini_role(content: Json) -> str:
    if content.get("role") == "model":
        return "assistant"
    return "tool" if any("functionResponse" in part for part in content.get("parts") or ()) else "user"


def _gemini_text(content: Json) -> str:
    return "\n".join(part.get("text", "") for part in content.get("parts") or ())


def _anthropic_role(message: Json) -> str:
    content = message["content"]
    is_result = isinstance(content, list) and any(part.get("type") == "tool_result" for part in content)
    return "tool" if is_result else str(message["role"])


_TEXTS = ("text", "input_text", "output_text")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = [part for part in content or () if isinstance(part, dict) and part.get("type") in _TEXTS]
    return "\n".join(part.get("text", "") for part in parts)


def _words(text: str) -> list[str]:
    return re.findall(r"\S+\s*", text)


def _unique() -> str:
    return uuid.uuid4().hex[:10]


if __name__ == "__main__":
    with ScriptedModel() as served:
        print(json.dumps({"url": served.url, "openai_url": served.openai_url}), flush=True)
        threading.Event().wait()
