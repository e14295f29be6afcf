"""Talk to agents that flood, and tell how much memory each took: `python -m tests.support.flooded HOW=SIZE …`.

A process of its own, so that its memory is that of the talk alone.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from tandem_desktop.domain.agent_protocol import PermissionAnswer, PermissionRequest, PermissionVerdict
from tandem_desktop.domain.errors import SidecarError
from tests.support.sidecars import NotingClient, a_manager

LINE = "x" * 99 + "\n"
ASK = {"toolCall": {"toolCallId": "c", "kind": "execute", "rawInput": {"command": "ls"}}, "options": []}


class ForgetfulClient(NotingClient):
    """Keeps nothing, so that what grows is ours."""

    async def decide(self, request: PermissionRequest) -> PermissionAnswer:
        return PermissionAnswer(verdict=PermissionVerdict.ALLOW)


def steps(how: str, size: int) -> list[dict[str, Any]]:
    match how:
        case "stdout":
            return [{"do": "flood", "bytes": size}]
        case "stderr":
            return [{"do": "flood", "to": "stderr", "bytes": size, "line": LINE}]
        case "stderr-line":
            return [{"do": "flood", "to": "stderr", "bytes": size}]
        case "noise":
            return [{"do": "flood", "bytes": size, "line": LINE}]
        case _:
            return [{"do": "ask_many", "count": size, "params": ASK}]


async def talk(how: str, size: int) -> dict[str, Any]:
    client = ForgetfulClient()
    manager = a_manager({"turns": [steps(how, size)]}, client)
    try:
        await manager.start()
        session = await manager.new_session()
        before = resting()
        try:
            ended = (await manager.prompt(session.id, "go")).value
        except SidecarError as error:
            ended = error.kind
        return {"how": how, "ended": ended, "grew": peak() - before}
    finally:
        await manager.stop()


def resting() -> int:
    """Bytes in memory now; the peak is counted from here on."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS")


def peak() -> int:
    """Bytes in memory at the most. Not `ru_maxrss`: that one starts with what the parent had."""
    return _status("VmHWM")


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


if __name__ == "__main__":
    floods = [word.split("=") for word in sys.argv[1:]]
    sys.stdout.write(json.dumps([asyncio.run(talk(how, int(size))) for how, size in floods]))
