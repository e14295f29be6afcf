"""Scripted agents that are found on PATH under the name of a real one, so that the window can choose them."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.support.sidecars import AGENTS

_MODES = {"build": "Build", "approve": "Approve"}


def put_on_path(folder: Path, name: str, script: dict[str, Any], first_line: str = f"#!{sys.executable} -SE") -> None:
    """Make `name` an agent that does what the script says, whatever it is started with."""
    folder.mkdir(parents=True, exist_ok=True)
    offered = [{"id": each, "name": words} for each, words in _MODES.items()]
    modes = {"modes": {"currentModeId": "build", "availableModes": offered}}
    whole = {**script, "session": {**modes, **script.get("session", {})}}
    text = (AGENTS / "scripted_agent.py").read_text()
    spoken = text.replace("json.loads(sys.argv[1])", f"json.loads({json.dumps(whole)!r})")
    assert spoken != text
    program = folder / name
    program.write_text(f"{first_line}\n{spoken}")
    program.chmod(0o755)


def searched(folder: Path) -> str:
    """A PATH on which the agents of the folder are found first."""
    return f"{folder}{os.pathsep}{os.environ['PATH']}"
