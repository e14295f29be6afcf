"""The `tandem` command on a workspace and a state folder that can be put back to an earlier moment, in place.

Approvals and journals belong to a workspace by path, device and inode, so its root is emptied and refilled, never
replaced.
"""

import importlib
import json
import os
import shutil
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tandem_desktop.app.main import main
from tandem_desktop.cli.commands import CALLS

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Answer:
    """What a call said, and how it ended."""

    code: int
    data: dict[str, Any]
    errors: str


class Workplace:
    """One workspace, one state folder, and calls of the command on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = folder / "ws"
        self.state = folder / "state"
        self.workspace.mkdir(parents=True)
        self.state.mkdir(mode=0o700)
        _load_the_program()

    @property
    def environment(self) -> dict[str, str]:
        """The surroundings of a separate process: no byte code written, so that every start makes the same calls."""
        return {**os.environ, "TANDEM_STATE_DIR": str(self.state), "PYTHONDONTWRITEBYTECODE": "1"}

    def words(self, *call: str) -> list[str]:
        return ["-C", str(self.workspace), "--json", *call]

    def command(self, *call: str) -> list[str]:
        """The real command, to be started as a process in `ROOT`."""
        return [sys.executable, "-m", "tandem_desktop", *self.words(*call)]

    def tandem(self, *call: str) -> Answer:
        """The same call in a fork of this process, which need not load the program first."""
        out, errors = self.folder / "stdout", self.folder / "stderr"
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            _become(out, errors, self.state, self.words(*call))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        said = out.read_text(encoding="utf-8")
        return Answer(code, json.loads(said) if said.strip() else {}, errors.read_text(encoding="utf-8"))

    def done(self, *call: str) -> dict[str, Any]:
        """The answer of a call that must succeed."""
        answer = self.tandem(*call)
        assert answer.code == 0, (call, answer)
        return answer.data

    def propose_and_approve(self, plan: Path) -> str:
        """The id of a plan that may be applied."""
        proposed = self.done("propose", str(plan))
        self.done("approve", proposed["plan_id"], "--digest", proposed["digest"])
        return str(proposed["plan_id"])

    def save(self, to: Path) -> Path:
        """Keep this moment."""
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.workspace, to / "ws", symlinks=True)
        shutil.copytree(self.state, to / "state", symlinks=True)
        return to

    def refill(self, saved: Path) -> None:
        """Go back to a kept moment; both folders stay the same folders."""
        for folder in (self.workspace, self.state):
            for child in folder.iterdir():
                if child.is_dir() and not child.is_symlink():
                    shutil.rmtree(child)
                else:
                    child.unlink()
            shutil.copytree(saved / folder.name, folder, symlinks=True, dirs_exist_ok=True)


def _load_the_program() -> None:
    """Import once what every fork would otherwise import for itself."""
    importlib.import_module("tandem_desktop.app.wiring")
    for words in (part for call in CALLS for part in (call, *call.parts) if part.handler):
        importlib.import_module(f"tandem_desktop.cli.{words.handler.partition(':')[0]}")


def _become(out: Path, errors: Path, state: Path, words: list[str]) -> None:
    """In a fork: be the command, and end."""
    code = 70
    try:
        for path, fd in ((out, 1), (errors, 2)):
            os.dup2(os.open(path, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), fd)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", closefd=False)
        os.environ["TANDEM_STATE_DIR"] = str(state)
        try:
            code = main(words)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(code)
