"""Plays the agent's side of a recorded conversation: `replay_agent.py TRANSCRIPT [BYTES]`, dying after so many bytes.

Its messages go out in the recorded order. Where the recorded client called or answered, it waits for ours to do so,
whatever it says; calls the recorded client did not make are answered with an empty result.
"""

import json
import os
import sys
from typing import Any

CALLS = ("initialize", "session/new", "session/prompt")


class ReplayAgent:
    def __init__(self, transcript: str, die_after: int | None) -> None:
        with open(transcript, encoding="utf-8") as lines:
            self.recorded = [json.loads(line) for line in lines]
        self.die_after = die_after
        self.written = 0
        self.numbers: dict[Any, Any] = {}
        self.calls: list[dict[str, Any]] = []
        self.answered: set[Any] = set()

    def run(self) -> None:
        for line in self.recorded:
            message = line["msg"]
            if line["dir"] == "->":
                self.await_client(message)
            elif line["dir"] == "<-":
                self.say(message)
        while self.hear():
            pass

    def await_client(self, recorded: dict[str, Any]) -> None:
        if "method" not in recorded:
            while recorded["id"] not in self.answered:
                self.hear() or sys.exit(3)
        elif recorded["method"] in CALLS:
            while not any(call["method"] == recorded["method"] for call in self.calls):
                self.hear() or sys.exit(3)
            call = next(call for call in self.calls if call["method"] == recorded["method"])
            self.calls.remove(call)
            self.numbers[recorded["id"]] = call["id"]

    def say(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            if message["id"] not in self.numbers:
                return
            message = {**message, "id": self.numbers[message["id"]]}
        self.write(json.dumps(message).encode() + b"\n")

    def hear(self) -> bool:
        line = sys.stdin.buffer.readline()
        if not line:
            return False
        message = json.loads(line)
        if "method" not in message:
            self.answered.add(message["id"])
        elif message["method"] in CALLS:
            self.calls.append(message)
        elif "id" in message:
            self.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}).encode() + b"\n")
        return True

    def write(self, data: bytes) -> None:
        if self.die_after is not None:
            data = data[: self.die_after - self.written]
        self.written += len(data)
        while data:
            data = data[os.write(1, data) :]
        if self.die_after is not None and self.written >= self.die_after:
            os._exit(9)


if __name__ == "__main__":
    ReplayAgent(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None).run()
