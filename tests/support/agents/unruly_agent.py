"""An agent that breaks every rule it can, in an order its seed decides: `unruly_agent.py SEED`.

It asks twice with one id, in sessions nobody opened, before, during and after turns; answers what nobody asked; flips
its mode; writes noise; ends turns with requests open; and, for some seeds, dies in the middle of a line. The prompt
`report` is always answered properly, so that a test knows when all has been said.
"""

import json
import os
import random
import sys
from collections.abc import Callable
from typing import Any

SESSIONS = ("one", "two")
NOISE = (b"noise", b"[]", b"{}", b"\xff\xfe", b'{"id": [1]}', b"", b'{"id":true}')
OPTIONS = [
    {"optionId": "reject", "name": "Reject", "kind": "allow_once"},
    {"optionId": "allow", "name": "Allow", "kind": "allow_always"},
    {"optionId": "x", "name": "Allow", "kind": "reject_once"},
    {"optionId": "y", "name": "?", "kind": "allow_for_the_moment"},
]


class UnrulyAgent:
    """Acts whenever it hears something; `put` takes its bytes, `die` ends it."""

    def __init__(self, seed: int, put: Callable[[bytes], object], die: Callable[[int], object]) -> None:
        self.random = random.Random(seed)
        self.put = put
        self.die = die
        self.dies_after = self.random.randrange(1, 40) if self.random.random() < 0.25 else None
        self.actions = 0
        self.next_id = 0
        self.used: list[Any] = []
        self.prompts: dict[str, Any] = {}
        self.opened = 0

    def hear(self, line: bytes) -> None:
        message = json.loads(line)
        if "method" in message:
            self.call(message)
        elif self.prompts and self.random.random() < 0.5:
            self.act()

    def call(self, message: dict[str, Any]) -> None:
        method = message["method"]
        if method == "initialize":
            self.send({"id": message["id"], "result": {"protocolVersion": 1}})
        elif method == "session/new":
            name = SESSIONS[self.opened]
            self.opened += 1
            self.act()
            modes = {"currentModeId": "ask", "availableModes": [{"id": "ask", "name": "A"}, {"id": "go", "name": "G"}]}
            self.send({"id": message["id"], "result": {"sessionId": name, "modes": modes}})
        elif method == "session/prompt":
            self.prompt(message)
        elif method == "session/cancel":
            self.act()
            self.end_turn(message["params"]["sessionId"])
        elif "id" in message:
            self.send({"id": message["id"], "result": {}})

    def prompt(self, message: dict[str, Any]) -> None:
        session = message["params"]["sessionId"]
        if message["params"]["prompt"][0]["text"] == "report":
            self.send({"id": message["id"], "result": {"stopReason": "end_turn"}})
            return
        self.prompts[session] = message["id"]
        for _ in range(self.random.randrange(1, 12)):
            self.act()
        if self.random.random() < 0.7:
            self.end_turn(session)

    def end_turn(self, session: str) -> None:
        number = self.prompts.pop(session, None)
        if number is not None:
            for _ in range(self.random.choice((1, 1, 1, 2))):
                self.send(
                    {"id": number, "result": {"stopReason": self.random.choice(("end_turn", "cancelled", "tired"))}}
                )
            if self.random.random() < 0.3:
                self.act()

    def act(self) -> None:
        self.actions += 1
        if self.dies_after is not None and self.actions >= self.dies_after:
            data = self.encoded(self.request())
            self.put(data[: self.random.randrange(len(data))])
            self.die(self.random.choice((0, 1, 9)))
        draw = self.random.random()
        if draw < 0.6:
            self.send(self.request())
        elif draw < 0.9:
            self.send(self.notice())
        else:
            self.put(self.random.choice(NOISE) + b"\n")

    def request(self) -> dict[str, Any]:
        session = self.random.choice((*SESSIONS, *SESSIONS, *SESSIONS, "nobody", 7, None))
        method, params = self.random.choice(
            (
                ("session/request_permission", {"toolCall": self.tool_call(), "options": OPTIONS}),
                ("session/request_permission", {"toolCall": self.tool_call(), "options": OPTIONS}),
                ("session/request_permission", {"toolCall": self.tool_call(), "options": OPTIONS[1:2]}),
                ("session/request_permission", {"toolCall": {}, "options": "many"}),
                (
                    "fs/read_text_file",
                    {"path": self.random.choice(("/workspace/a", "/etc/passwd", "/workspace/../x", 5))},
                ),
                ("fs/write_text_file", {"path": "/workspace/a", "content": self.random.choice(("text", 5))}),
                ("terminal/create", {"command": "ls", "cwd": self.random.choice(("/workspace", "/"))}),
                ("terminal/output", {"terminalId": self.random.choice(("t0", "t9", []))}),
                ("_unknown/method", {}),
            )
        )
        return {"id": self.number(), "method": method, "params": {"sessionId": session, **params}}

    def number(self) -> Any:
        draw = self.random.random()
        if draw < 0.15 and self.used:
            return self.random.choice(self.used)
        if draw < 0.2:
            return self.random.choice((None, True, 1.5, [], {}))
        self.next_id += 1
        number = self.next_id if self.random.random() < 0.7 else f"id-{self.next_id}"
        self.used.append(number)
        return number

    def notice(self) -> dict[str, Any]:
        if self.random.random() < 0.2:
            return {"id": self.random.choice((99, "late", -1)), "result": {"stopReason": "end_turn"}}
        update = self.random.choice(
            (
                {"sessionUpdate": "current_mode_update", "currentModeId": self.random.choice(("ask", "go", "plan"))},
                {"sessionUpdate": "tool_call", **self.tool_call()},
                {"sessionUpdate": "tool_call_update", **self.tool_call(), "content": [{"type": "from tomorrow"}]},
                {"sessionUpdate": "from_tomorrow", "anything": 1},
                {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "words"}},
                {"sessionUpdate": 5},
                {},
            )
        )
        session = self.random.choice((*SESSIONS, "nobody"))
        return {"method": "session/update", "params": {"sessionId": session, "update": update}}

    def tool_call(self) -> dict[str, Any]:
        call: dict[str, Any] = {"toolCallId": f"call-{self.random.randrange(5)}"}
        if self.random.random() < 0.7:
            call["kind"] = self.random.choice(("edit", "execute", "read", "other", "from tomorrow"))
        if self.random.random() < 0.7:
            call["rawInput"] = self.random.choice(({"command": "ls"}, {"path": "/workspace/a"}, "text", [1]))
        return call

    def send(self, message: dict[str, Any]) -> None:
        self.put(self.encoded(message))

    def encoded(self, message: dict[str, Any]) -> bytes:
        return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


if __name__ == "__main__":
    with open(1, "wb", closefd=False, buffering=0) as out:
        agent = UnrulyAgent(int(sys.argv[1]), out.write, os._exit)
        for line in sys.stdin.buffer:
            agent.hear(line)
