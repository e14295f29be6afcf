"""Give agents tasks through `tandem run`, and look at everything they could have touched."""

import hashlib
import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.shadow.factory import open_shadow
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace
from tests.support.command_line import CommandLine, Said
from tests.support.shadows import wait_until
from tests.support.sidecars import AGENTS
from tests.support.tree_walker import walk

Facts = tuple[object, ...]


class AgentPlace:
    """A workspace with git, the home of a person, a place outside, and `tandem` to call."""

    def __init__(self, base: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.base = base
        self.root, self.person, self.outside, self.settings = (
            base / name for name in ("project", "person", "outside", "settings")
        )
        self.state = Path(os.environ["TANDEM_STATE_DIR"])
        for folder in (self.root, self.person / ".ssh", self.outside, self.settings):
            folder.mkdir(parents=True)
        (self.person / ".ssh" / "authorized_keys").write_text("the person's\n")
        (self.person / ".bashrc").write_text("# the person's\n")
        (self.outside / "file").write_text("outside\n")
        self.put("app.py", "x = 1\nprint(x)\n")
        monkeypatch.setenv("HOME", str(self.person))
        monkeypatch.setenv("TANDEM_CONFIG_DIR", str(self.settings))
        for name in ("TANDEM_MODEL", "TANDEM_MODEL_URL", "TANDEM_MODEL_KEY"):
            monkeypatch.delenv(name, raising=False)
        self.tandem = CommandLine(self.root, capsys)
        self.python = sys.executable
        """What runs the agents beside this module."""

    def put(self, path: str, text: str) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return target

    def use_git(self) -> None:
        for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
            subprocess.run(["git", *words], cwd=self.root, check=True, capture_output=True)

    def choose(self, **settings: str | bool) -> None:
        """Settings of the person."""
        lines = (f"{name} = {json.dumps(value)}\n" for name, value in settings.items())
        (self.settings / "settings.toml").write_text("".join(lines))

    def run(self, *words: str, task: str = "Do it.") -> Said:
        return self.tandem("run", "--json", "--task", task, *words)

    def plan(self, *words: str, task: str = "Do it.") -> dict[str, Any]:
        """The answer of a run that must come to a plan."""
        said = self.run(*words, task=task)
        assert said.code == 0, said.out + said.err
        return said.data

    def agent(self, program: str, job: dict[str, Any]) -> tuple[str, ...]:
        """The words that start one of the agents beside this module; a copy, where any sandbox shows it."""
        copy = self.base / f"{program}.py"
        shutil.copyfile(AGENTS / f"{program}.py", copy)
        command = [self.python, "-S", "-E", str(copy), json.dumps(job)]
        return ("--agent-command", shlex.join(command))

    def scripted(self, *turns: list[dict[str, Any]], **script: Any) -> tuple[str, ...]:
        return self.agent("scripted_agent", {"turns": list(turns), **script})

    def in_custom_home(self, name: str) -> Path | None:
        """A file in the private home of whichever custom agent made it, once it is there."""
        return next((self.state / "agents").glob(f"custom-*/home/{name}"), None)

    def approve_and_apply(self, plan: dict[str, Any]) -> str:
        """The id of the run."""
        self.tandem.answer("approve", plan["plan_id"], "--digest", plan["digest"])
        run = self.tandem.answer("apply", plan["plan_id"])
        assert run["status"] == "completed"
        return str(run["run_id"])

    def prompts(self, session_id: str) -> list[str]:
        """What the agent was told, message by message."""
        return ["".join(part.get("text", "") for part in blocks) for blocks in self.blocks(session_id)]

    def blocks(self, session_id: str) -> list[list[dict[str, Any]]]:
        """The parts of each message to the agent."""
        sent = (each for each in self._transcript(session_id) if each.get("method") == "session/prompt")
        return [message["params"]["prompt"] for message in sent]

    def messages(self, session_id: str) -> dict[str, dict[str, Any]]:
        """What the agent was answered, by the id of its request."""
        answers = (each for each in self._transcript(session_id) if "id" in each and "method" not in each)
        return {message["id"]: message for message in answers}

    def _transcript(self, session_id: str) -> list[dict[str, Any]]:
        """Every message as it crossed the wire."""
        lines = (self.state / "sessions" / session_id / "transcript.jsonl").read_text().splitlines()
        found = [json.loads(json.loads(line)["msg"]) for line in lines if json.loads(line)["msg"].startswith("{")]
        return [message for message in found if isinstance(message, dict)]

    def shadow_folder(self, session_id: str) -> Path:
        return self.state / "shadows" / session_id

    @contextmanager
    def shadow(self, session_id: str) -> Iterator[ShadowWorkspace]:
        """The shadow of a session that is not open."""
        objects = ObjectStore(self.state / "objects")
        with Workspace(self.root) as workspace:
            shadow = open_shadow(workspace, self.shadow_folder(session_id), objects, masked=())
            try:
                yield shadow
            finally:
                shadow.close()

    def shadow_tree(self, session_id: str) -> dict[str, bytes]:
        """Every file as the agent sees it, without git's own."""
        with self.shadow(session_id) as shadow:
            return _files(shadow.place)

    def files(self) -> dict[str, bytes]:
        """Every file on disk, without git's own."""
        return _files(self.root)

    def sight(self) -> dict[str, Facts]:
        """All that can be known of every name in the workspace, git's among them, and in the places outside it."""
        found: dict[str, Facts] = {}
        for top in (self.root, self.person, self.outside):
            found.update((str(path), _facts(path)) for path in _below(top) if ".tandem" not in path.parts)
        return found

    def assert_nothing_left(self) -> None:
        """No process of an agent or of its shadow runs, and nothing is mounted."""
        wait_until(lambda: not self.processes())
        assert str(self.state) not in Path("/proc/self/mountinfo").read_text()

    def processes(self) -> list[str]:
        """Processes that carry the state folder in their words, their surroundings or their mounts."""
        return [name for name in os.listdir("/proc") if name.isdigit() and self._is_ours(name)]

    def _is_ours(self, number: str) -> bool:
        if int(number) == os.getpid():
            return False
        needle = os.fsencode(self.state)
        for name in ("cmdline", "environ", "mountinfo"):
            try:
                if needle in Path("/proc", number, name).read_bytes():
                    return True
            except OSError:
                continue
        return False


def write_by_client(path: Path, text: str, number: int = 1) -> dict[str, Any]:
    """A step of a scripted agent: a file, written through Tandem."""
    params = {"path": str(path), "content": text}
    return {"do": "request", "id": f"write-{number}", "method": "fs/write_text_file", "params": params}


def ask(kind: str, number: int = 1, **call: Any) -> dict[str, Any]:
    """A step of a scripted agent: ask for permission, with honest options."""
    options = [{"optionId": kind, "name": kind, "kind": kind} for kind in ("allow_once", "allow_always", "reject_once")]
    params = {"toolCall": {"toolCallId": f"call-{number}", "kind": kind, **call}, "options": options}
    return {"do": "request", "id": f"ask-{number}", "method": "session/request_permission", "params": params}


def kinds_and_paths(plan: dict[str, Any]) -> list[tuple[str, str]]:
    return [(each["kind"], each["command"] or each["path"]) for each in plan["operations"]]


def _files(top: Path) -> dict[str, bytes]:
    return {name: node[2] for name, node in walk(top).items() if node[0] == "file" and not name.startswith(".git/")}


def _below(top: Path) -> Iterable[Path]:
    for folder, names, files in os.walk(top):
        for name in (*names, *files):
            yield Path(folder) / name


def _facts(path: Path) -> Facts:
    info = path.lstat()
    data: object = None
    if stat.S_ISREG(info.st_mode):
        data = hashlib.sha256(path.read_bytes()).hexdigest()
    elif stat.S_ISLNK(info.st_mode):
        data = path.readlink()
    attributes = tuple(os.listxattr(path, follow_symlinks=False))
    times = (info.st_mtime_ns, info.st_ctime_ns)
    return (info.st_mode, info.st_uid, info.st_ino, info.st_nlink, info.st_size, times, attributes, data)
