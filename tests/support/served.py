"""`tandem serve` as a real process on a free port of this machine, and a plain client that speaks to it."""

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.services.engine import Engine

ROOT = Path(__file__).resolve().parents[2]
PLANNING = "/chat/agents/plan"
APPROVAL = "/chat/agents/plan/approval"
WAIT_S = 60


@dataclass(frozen=True)
class Reply:
    """What one request was answered."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def data(self) -> dict[str, Any]:
        found = json.loads(self.body)
        assert isinstance(found, dict)
        return found

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.body.splitlines()]


class Served:
    """A workspace that is served, and another engine on it, as the window or the command line would have."""

    def __init__(self, process: "subprocess.Popen[str]", folder: Path) -> None:
        assert process.stdout is not None
        first = json.loads(process.stdout.readline())
        self.process = process
        self.url: str = first["url"]
        self.token: str = first["token"]
        self.port = int(self.url.rpartition(":")[2])
        self.workspace = folder / "project"
        self._state = folder / "state"

    def engine(self) -> Engine:
        return build_engine(self.workspace, state=self._state)

    def propose(self, *steps: dict[str, Any], tasks: list[dict[str, Any]] | None = None) -> PlanVersion:
        plan = {"title": "A change", "tasks": tasks or [], "steps": [{"description": "do it", **s} for s in steps]}
        with contextlib.closing(self.engine()) as engine:
            return engine.proposals.propose(json.dumps(plan).encode())

    @contextlib.contextmanager
    def asking(
        self, method: str, path: str, *, body: Any = None, token: bool = True, **headers: str
    ) -> Iterator[http.client.HTTPResponse]:
        """An answer while it arrives. `body` is sent as JSON unless it is bytes; names of headers use _ for -."""
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            given = {"Authorization": f"Bearer {self.token}", **given}
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            given = {"Content-Type": "application/json", **given}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=WAIT_S)
        try:
            connection.request(method, path, body=body, headers=given)
            yield connection.getresponse()
        finally:
            connection.close()

    def ask(self, method: str, path: str, **how: Any) -> Reply:
        with self.asking(method, path, **how) as answer:
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())

    def decide(self, version: PlanVersion, approved: bool, **fields: Any) -> Reply:
        asked = {"sessionId": version.session_id, "planId": version.plan_id, "approved": approved, **fields}
        return self.ask("POST", APPROVAL, body=asked)

    def approve(self, version: PlanVersion, **fields: Any) -> Reply:
        return self.decide(version, True, digest=version.approval_hash, **fields)

    def end(self, number: signal.Signals = signal.SIGINT) -> tuple[int, str, str]:
        """Stop it; its exit code, the rest of what it said, and its complaints."""
        self.process.send_signal(number)
        out, err = self.process.communicate(timeout=WAIT_S)
        return self.process.returncode, out, err


@contextlib.contextmanager
def serving(folder: Path, settings: str = "", **environment: str) -> Iterator[Served]:
    """Serve `folder/project`, and end it in any case."""
    (folder / "project").mkdir(exist_ok=True)
    (folder / "config").mkdir()
    (folder / "config" / "settings.toml").write_text(settings)
    own = {"TANDEM_STATE_DIR": str(folder / "state"), "TANDEM_CONFIG_DIR": str(folder / "config"), **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "tandem_desktop", "-C", str(folder / "project"), "serve", "--json"],
        cwd=ROOT,
        env={**os.environ, **own},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Served(process, folder)
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
