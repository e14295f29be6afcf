"""Plays the agent's side of a recorded conversation: `replay_agent.py TRANSCRIPT [BYTES]`, dying after so many bytes.

Its messages go out in the recorded order. Where the recorded client called or answered, it waits for ours to do so,
whatever it says; calls the recorded client did not make are answered with an empty result.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable
from typing import Any

CALLS = ("initialize", "session/new", "session/prompt")


class ReplayAgent:
    """Goes on whenever it hears something; `put` takes its bytes, `die` ends it."""

    def __init__(
        self,
        recorded: Iterable[tuple[str, dict[str, Any]]],
        die_after: int | None,
        put: Callable[[bytes], object],
        die: Callable[[int], object],
    ) -> None:
        self.recorded = iter(recorded)
        self.waits_for: dict[str, Any] | None = None
        self.die_after = die_after
        self.put = put
        self.die = die
        self.written = 0
        self.numbers: dict[Any, Any] = {}
        self.calls: list[dict[str, Any]] = []
        self.answered: set[Any] = set()

    def hear(self, line: bytes) -> None:
        message = json.loads(line)
        if "method" not in message:
            self.answered.add(message["id"])
        elif message["method"] in CALLS:
            self.calls.append(message)
        elif "id" in message:
            self.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}).encode() + b"\n")
        self.go_on()

    def go_on(self) -> None:
        """Say all there is to say before the client's next word is needed."""
        while self.waits_for is None or self.has_come(self.waits_for):
            self.waits_for = None
            direction, message = next(self.recorded, (None, {}))
            if direction is None:
                return
            if direction == "->":
                self.waits_for = message
            elif direction == "<-":
                self.say(message)

    def has_come(self, recorded: dict[str, Any]) -> bool:
        if "method" not in recorded:
            return recorded["id"] in self.answered
        if recorded["method"] in CALLS:
            call = next((call for call in self.calls if call["method"] == recorded["method"]), None)
            if call is None:
                return False
            self.calls.remove(call)
            self.numbers[recorded["id"]] = call["id"]
        return True

    def say(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            if message["id"] not in self.numbers:
                return
            message = {**message, "id": self.numbers[message["id"]]}
        self.write(json.dumps(message).encode() + b"\n")

    def write(self, data: bytes) -> None:
        if self.die_after is not None:
            data = data[: self.die_after - self.written]
        self.written += len(data)
        if data:
            self.put(data)
        if self.die_after is not None and self.written >= self.die_after:
            self.die(9)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as lines, open(1, "wb", closefd=False, buffering=0) as out:
        cut = int(sys.argv[2]) if len(sys.argv) > 2 else None
        recorded = [json.loads(line) for line in lines]
        agent = ReplayAgent([(each["dir"], each["msg"]) for each in recorded], cut, out.write, os._exit)
        agent.go_on()
        for line in sys.stdin.buffer:
            agent.hear(line)
