"""A bare Debian in a folder, and the installed command in it as an ordinary person calls it."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

from report import CheckError

ENTER = Path(__file__).resolve().parent / "enter"
PERSON = "person"
PATIENCE_S = 30


class Machine:
    """Entered by `enter`: its own root, mounts and processes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home" / PERSON

    def words(self, *words: str, user: str = PERSON) -> list[str]:
        return [str(ENTER), str(self.folder), user, *words]

    def run(self, *words: str, user: str = PERSON, given: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.words(*words, user=user), input=given, capture_output=True, text=True, timeout=900, check=False
        )

    def must(self, *words: str, user: str = PERSON, given: str = "") -> str:
        ended = self.run(*words, user=user, given=given)
        if ended.returncode:
            tail = (ended.stdout + ended.stderr)[-1500:]
            raise CheckError(f"`{' '.join(words)}` ended with {ended.returncode}: {tail}")
        return ended.stdout

    def answer(self, *words: str) -> dict[str, Any]:
        """The JSON of `tandem` in the person's project."""
        found = json.loads(self.must("tandem", "-C", "project", *words, "--json"))
        assert isinstance(found, dict)
        return found

    def end(self, process: "subprocess.Popen[Any]") -> None:
        """Ask what `words` started to end, as a person's session would; what stays is killed with its machine."""
        below = process.pid
        while found := Path(f"/proc/{below}/task/{below}/children").read_text().split():
            below = int(found[0])
            if Path(f"/proc/{below}/comm").read_text().startswith("tandem"):
                os.kill(below, signal.SIGTERM)
                break
        try:
            process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise CheckError("it did not end when it was asked to") from None

    def apt(self, *words: str) -> str:
        quiet = ("apt-get", "-y", "-qq", "-o", "Dpkg::Use-Pty=0")
        return self.must("env", "DEBIAN_FRONTEND=noninteractive", *quiet, *words, user="root")

    def lay_out(self, files: dict[str, str]) -> None:
        """A fresh project in the person's home."""
        self.must("rm", "-rf", "project")
        for name, text in files.items():
            self.must("mkdir", "-p", f"project/{Path(name).parent}")
            self.must("tee", f"project/{name}", given=text)

    def read(self, name: str) -> str:
        return (self.home / "project" / name).read_text(encoding="utf-8")
