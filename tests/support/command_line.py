"""Call the command line the way a person does, in this process, and look at what it answers."""

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.main import main
from tandem_desktop.storage import syscalls


@dataclass(frozen=True)
class Said:
    """What one call answered."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> dict[str, Any]:
        """The one JSON object on stdout."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


class CommandLine:
    """`tandem` in one workspace."""

    def __init__(self, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.workspace = workspace
        self._capsys = capsys

    def __call__(self, *words: str) -> Said:
        self._capsys.readouterr()
        code = main(["-C", str(self.workspace), *words])
        captured = self._capsys.readouterr()
        return Said(code, captured.out, captured.err)

    def answer(self, *words: str) -> dict[str, Any]:
        """The JSON of a call that must succeed."""
        said = self(*words, "--json")
        assert said.code == 0, said.out + said.err
        return said.data

    def write_plan(self, *steps: dict[str, Any], title: str = "A change", **fields: Any) -> str:
        """Plan JSON in a file beside the workspace; its name."""
        path = self.workspace.parent / "plan.json"
        path.write_text(json.dumps({"title": title, "steps": list(steps), **fields}))
        return str(path)

    def propose(self, *steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
        return self.answer("propose", self.write_plan(*steps, **fields))

    def approve(self, plan_id: str) -> dict[str, Any]:
        digest = self.answer("show", plan_id)["plan"]["digest"]
        return self.answer("approve", plan_id, "--digest", digest)

    def apply(self, *steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
        """From steps to a completed run."""
        plan = self.propose(*steps, **fields)
        self.approve(plan["plan_id"])
        return self.answer("apply", plan["plan_id"])


class ChildCommandLine(CommandLine):
    """The same in a process of its own, started by `starting`: the words that lead to `tandem`."""

    def __init__(
        self, workspace: Path, capsys: pytest.CaptureFixture[str], starting: Sequence[str], **environment: str
    ) -> None:
        super().__init__(workspace, capsys)
        self._starting = starting
        self._environment = environment

    def __call__(self, *words: str) -> Said:
        ended = subprocess.run(
            [*self._starting, "-C", str(self.workspace), *words],
            env={**os.environ, **self._environment},
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        return Said(ended.returncode, ended.stdout, ended.stderr)


def write(path: str, content: str, **fields: Any) -> dict[str, Any]:
    return {"description": f"Write {path}", "tool": "write", "args": {"path": path, "content": content}, **fields}


def edit(path: str, old: str, new: str, **fields: Any) -> dict[str, Any]:
    arguments = {"path": path, "old_string": old, "new_string": new}
    return {"description": f"Edit {path}", "tool": "edit", "args": arguments, **fields}


def bash(command: str, **arguments: Any) -> dict[str, Any]:
    return {"description": "Run it", "tool": "bash", "args": {"command": command, **arguments}}


def a_workspace(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A folder with some files."""
    workspace = folder / "project"
    for name, content in (files or {"notes.txt": "one\ntwo\nthree\n"}).items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return workspace


def killed_while_writing(name: str, words: list[str]) -> None:
    """Make a call in a fork that is killed just before it publishes the file `name`."""

    def gate(call: str, what: str) -> None:
        if what == name:
            os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if child == 0:
        with syscalls.gated(gate):
            main(words)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status), f"{name} was never written"
