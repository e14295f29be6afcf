"""A client of the agent client protocol with the standard library alone: it starts an agent and talks to it."""

import json
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.patience import PATIENCE_S

Json = dict[str, Any]


def allow(request: Json) -> str:
    return "allow_once"


class AcpError(Exception):
    """The agent answered a request with an error."""

    def __init__(self, error: Json) -> None:
        super().__init__(error.get("message", ""))
        self.error = error


class AcpClient:
    """One agent process. `permit` answers its requests; `updates` and `asked` keep what it said, in order."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        permit: Callable[[Json], str] = allow,
    ) -> None:
        self._process = subprocess.Popen(
            list(command),
            cwd=cwd,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.permit = permit
        """Takes the parameters of a permission request and answers the kind of option to choose, or `cancelled`."""
        self.updates: list[Json] = []
        self.asked: list[Json] = []
        self.errors = b""
        self.changed = threading.Condition()
        self._answers: dict[int, Json] = {}
        self._number = 0
        self._readers = [threading.Thread(target=target, daemon=True) for target in (self._read, self._read_errors)]

    def __enter__(self) -> Self:
        for reader in self._readers:
            reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise
        finally:
            for reader in self._readers:
                reader.join(PATIENCE_S)
            for pipe in (self._process.stdout, self._process.stderr):
                assert pipe is not None
                pipe.close()

    @property
    def returncode(self) -> int | None:
        return self._process.returncode

    def forget(self) -> None:
        """Begin anew with the same process: nothing heard, everything allowed."""
        with self.changed:
            self.updates.clear()
            self.asked.clear()
            self.permit = allow

    def start(self, cwd: Path, servers: Sequence[Json] = ()) -> str:
        """Greet the agent and open a session."""
        self.call("initialize", {"protocolVersion": 1, "clientCapabilities": {}})
        return str(self.call("session/new", {"cwd": str(cwd), "mcpServers": list(servers)})["sessionId"])

    def say(self, session_id: str, *texts: str) -> str:
        """Send a prompt and wait for the end of the turn; answers its stop reason."""
        blocks = [{"type": "text", "text": text} for text in texts]
        return str(self.call("session/prompt", {"sessionId": session_id, "prompt": blocks})["stopReason"])

    def call(self, method: str, params: Json) -> Json:
        return self.answer(self.send(method, params))

    def send(self, method: str, params: Json) -> int:
        """Send a request without waiting for its answer."""
        with self.changed:
            self._number += 1
            number = self._number
        self._write({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return number

    def notify(self, method: str, params: Json) -> None:
        self._write({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, number: int) -> Json:
        """Wait for the answer to a request."""
        self.wait_for(lambda: number in self._answers)
        answer = self._answers[number]
        if "error" in answer:
            raise AcpError(answer["error"])
        return answer.get("result") or {}

    def wait_for(self, is_so: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(is_so, PATIENCE_S), self.errors.decode(errors="replace")

    def said(self) -> str:
        """All the agent's messages as one text."""
        chunks = [update for update in self.updates if update["sessionUpdate"] == "agent_message_chunk"]
        return "".join(chunk["content"]["text"] for chunk in chunks)

    def of_kind(self, kind: str) -> list[Json]:
        return [update for update in self.updates if update["sessionUpdate"] == kind]

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            if message.get("method") == "session/request_permission":
                threading.Thread(target=self._decide, args=(message,), daemon=True).start()
                continue
            with self.changed:
                if message.get("method") == "session/update":
                    self.updates.append(message["params"]["update"])
                elif "id" in message and "method" not in message:
                    self._answers[message["id"]] = message
                self.changed.notify_all()

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.errors += line

    def _decide(self, message: Json) -> None:
        request = message["params"]
        with self.changed:
            self.asked.append(request)
            self.changed.notify_all()
        kind = self.permit(request)
        option = next((each["optionId"] for each in request["options"] if each["kind"] == kind), None)
        outcome = {"outcome": "selected", "optionId": option} if option else {"outcome": "cancelled"}
        self._write({"jsonrpc": "2.0", "id": message["id"], "result": {"outcome": outcome}})

    def _write(self, message: Json) -> None:
        assert self._process.stdin is not None
        with self.changed:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
