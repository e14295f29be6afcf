"""An agent that does what its script says, good or bad.

The script is a JSON object: `start`, `sessions` and `turns` are lists of steps done before the greeting, before a
session opens and in each turn; `by_words` holds the steps for prompts with these words in them; `initialize` and
`session` add to those answers; with `wants_login` no session opens before a login. What the client answered is kept
and can be asked for with the prompt `report`.
"""

import json
import os
import subprocess
import sys
import threading
import time
from typing import Any


class ScriptedAgent:
    def __init__(self, script: dict[str, Any]) -> None:
        self.script = script
        self.refuses = False
        self.answers: list[Any] = []
        self.waiting: dict[Any, threading.Event] = {}
        self.cancelled = threading.Event()
        self.sessions = 0
        self.turns = 0
        self.writing = threading.Lock()

    def run(self) -> None:
        self.steps(self.script.get("start", []), "")
        for line in sys.stdin.buffer:
            message = json.loads(line)
            if "method" not in message:
                self.answers.append(message)
                if message["id"] in self.waiting:
                    self.waiting[message["id"]].set()
            elif message["method"] == "session/prompt" and "session/prompt" not in self.script.get("errors", {}):
                threading.Thread(target=self.turn, args=(message,), daemon=True).start()
            else:
                self.call(message)

    def call(self, message: dict[str, Any]) -> None:
        method = message["method"]
        if method == "session/cancel":
            self.answers.append(message)
            if not self.script.get("ignore_cancel"):
                self.cancelled.set()
        elif method in self.script.get("errors", {}):
            self.send({"id": message["id"], "error": self.script["errors"][method]})
        elif method == "initialize":
            result = {"protocolVersion": 1, "agentInfo": {"name": "scripted", "version": "1"}}
            self.send({"id": message["id"], "result": {**result, **self.script.get("initialize", {})}})
        elif method == "session/new" and self.script.get("wants_login") and not self.logged_in():
            self.send({"id": message["id"], "error": {"code": -32000, "message": "Authentication required"}})
        elif method == "session/new":
            self.sessions += 1
            self.answers.append(message)
            name = f"session-{self.sessions}"
            self.steps(self.script.get("sessions", []), name)
            self.send({"id": message["id"], "result": {"sessionId": name, **self.script.get("session", {})}})
        else:
            self.answers.append(message)
            self.send({"id": message["id"], "result": {}})

    def turn(self, message: dict[str, Any]) -> None:
        session = message["params"]["sessionId"]
        text = message["params"]["prompt"][0]["text"]
        self.cancelled.clear()
        self.refuses = False
        if text == "report":
            self.say(session, json.dumps(self.answers))
        else:
            turns = self.script.get("turns", [])
            told = [steps for words, steps in self.script.get("by_words", {}).items() if words in text]
            steps = told[0] if told else turns[self.turns % len(turns)] if turns else []
            self.turns += 0 if told else 1
            if self.steps(steps, session) == "no answer":
                return
        is_cancelled = self.cancelled.is_set() and not self.script.get("says_end_turn")
        reason = "cancelled" if is_cancelled else "refusal" if self.refuses else "end_turn"
        self.send({"id": message["id"], "result": {"stopReason": reason}})

    def steps(self, steps: list[dict[str, Any]], session: str) -> str:
        for step in steps:
            if self.step(step, session) == "no answer":
                return "no answer"
        return ""

    def step(self, step: dict[str, Any], session: str) -> str:
        match step["do"]:
            case "say":
                self.say(session, step["text"])
            case "update":
                self.update(session, step["update"])
            case "request":
                params = {"sessionId": session, **step.get("params", {})}
                number = step["id"]
                if step.get("wait", True):
                    self.waiting[number] = threading.Event()
                self.send({"id": number, "method": step["method"], "params": params})
                if step.get("wait", True):
                    self.waiting[number].wait(30)
            case "await":
                for number in step["ids"]:
                    self.waiting.setdefault(number, threading.Event())
                    if not any(answer.get("id") == number for answer in self.answers):
                        self.waiting[number].wait(30)
            case "await_cancel":
                self.cancelled.wait(30)
            case "raw":
                self.write(step["text"].encode("latin-1"))
            case "ask_many":
                self.ask_many(session, step)
            case "message":
                self.say_at_length(session, step["bytes"])
            case "flood":
                self.flood(step)
            case "stderr":
                sys.stderr.write(step["text"])
                sys.stderr.flush()
            case "sleep":
                time.sleep(step["seconds"])
            case "shell":
                if "if_allowed" not in step or self.allowed(step["if_allowed"]):
                    subprocess.run(["sh", "-c", step["script"]], stdin=subprocess.DEVNULL, check=False)
            case "leave_child":
                keep = {} if step.get("hold_pipe") else {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
                child = subprocess.Popen(["sleep", "600"], start_new_session=True, stdin=subprocess.DEVNULL, **keep)
                self.say(session, f"child {child.pid}")
            case "exit":
                os._exit(step.get("code", 0))
            case "never":
                return "no answer"
            case "refuse":
                self.refuses = True
        return ""

    def logged_in(self) -> bool:
        return any(answer.get("method") == "authenticate" for answer in self.answers)

    def allowed(self, number: str) -> bool:
        outcomes = [answer["result"]["outcome"] for answer in self.answers if answer.get("id") == number]
        return any(outcome.get("optionId") == "allow_once" for outcome in outcomes)

    def flood(self, step: dict[str, Any]) -> None:
        target = 2 if step.get("to") == "stderr" else 1
        chunk = (step.get("line", "x") * 65536)[:65536].encode()
        left = step["bytes"]
        while left > 0:
            left -= os.write(target, chunk[: min(left, 65536)])

    def say(self, session: str, text: str) -> None:
        self.update(session, {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})

    def ask_many(self, session: str, step: dict[str, Any]) -> None:
        """So many requests as fast as the pipe takes them; then wait for every answer."""
        params = {"sessionId": session, **step["params"]}
        before = len(self.answers)
        for number in range(step["count"]):
            self.send({"id": f"n{number}", "method": "session/request_permission", "params": params})
        while len(self.answers) - before < step["count"]:
            time.sleep(0.01)

    def say_at_length(self, session: str, size: int) -> None:
        """One message of exactly so many bytes, without its newline."""
        update: dict[str, Any] = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ""}}
        message = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}}
        update["content"]["text"] = "x" * (size - len(json.dumps(message)))
        self.write(json.dumps(message).encode() + b"\n")

    def update(self, session: str, update: dict[str, Any]) -> None:
        self.send({"method": "session/update", "params": {"sessionId": session, "update": update}})

    def send(self, message: dict[str, Any]) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def write(self, data: bytes) -> None:
        with self.writing:
            view = memoryview(data)
            while view:
                view = view[os.write(1, view) :]


if __name__ == "__main__":
    ScriptedAgent(json.loads(sys.argv[1])).run()
