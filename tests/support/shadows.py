"""A workspace with a shadow of it, and an agent that is a shell."""

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tandem_desktop.domain.operations import NodeState
from tandem_desktop.shadow.factory import open_shadow
from tandem_desktop.shadow.sandbox import agent_environment
from tandem_desktop.shadow.workspace import ShadowChange, ShadowWorkspace
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace
from tests.support.patience import PATIENCE_S
from tests.support.trees import DiskTree

Kind = Literal["overlay", "copy"]


@dataclass
class ShadowPlace:
    """Where everything lies, and the shadow while it is open."""

    base: Path
    kind: Kind
    root: Path = field(init=False)
    state: Path = field(init=False)
    person: Path = field(init=False)
    shadow: ShadowWorkspace = field(init=False)
    workspace: Workspace = field(init=False)

    def __post_init__(self) -> None:
        self.root, self.state, self.person = (self.base / name for name in ("work, a:b ü", "state", "person"))
        for folder in (self.root, self.state / "objects", self.person):
            folder.mkdir(parents=True)
        self.objects = ObjectStore(self.state / "objects")

    def open(self) -> ShadowWorkspace:
        self.workspace = Workspace(self.root)
        self.shadow = open_shadow(
            self.workspace,
            self.state / "shadows" / "one",
            self.objects,
            masked=(self.state,),
            kind=self.kind,
            person_home=self.person,
        )
        return self.shadow

    def close(self) -> None:
        if hasattr(self, "shadow"):
            self.shadow.close()
            self.workspace.close()

    def reopen(self) -> ShadowWorkspace:
        self.close()
        return self.open()

    def put(self, path: str, content: str | bytes = "", mode: int = 0o644) -> Path:
        """The person writes a file on disk."""
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)
        target.chmod(mode)
        return target

    def agent(self, script: str, **options: Any) -> str:
        """The agent runs a script in the shadow; both outputs."""
        ended = self.start(script, **options)
        return ended.stdout + ended.stderr

    def start(self, script: str, **options: Any) -> subprocess.CompletedProcess[str]:
        options = {"home": self.state / "agents" / "one" / "home", "environment": agent_environment(), **options}
        launch = self.shadow.launch(["sh", "-c", script], **options)
        return subprocess.run(
            launch.argv,
            env=launch.environment,
            cwd=launch.cwd,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
            stdin=subprocess.DEVNULL,
        )

    def changes(self) -> dict[str, ShadowChange]:
        return {change.path: change for change in self.shadow.changes()}

    def disk(self) -> dict[str, NodeState]:
        return DiskTree(self.root).everything()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] != "Z"


def wait_until(is_so: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    """Look again until it is so; whoever waits longer than anybody would, fails."""
    deadline = time.monotonic() + patience_s
    while not is_so():
        assert time.monotonic() < deadline, "it never became so"
        time.sleep(0.005)
