"""What it costs to open a shadow of a large workspace next to a small one, and to start a command in it."""

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from tandem_desktop.shadow.factory import open_shadow
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace
from tests.benchmarks.rounds import measure, row, seconds_of

FEW = 100
MANY = 100_000
PER_FOLDER = 500
ENVIRONMENT = {"PATH": os.environ.get("PATH", os.defpath)}


def main(rounds: int = 9) -> None:
    print(f"Shadow: wall time, {FEW:,} and {MANY:,} files, {rounds} rounds, shuffled")
    for name, figures in run(rounds):
        print(f"  {name:<38} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tandem-benchmark-") as name:
        base = Path(name)
        few, many = _workspace(base / "few", FEW), _workspace(base / "many", MANY)
        shadow = _open(few, base / "running")
        try:
            found = measure(
                {
                    "few": lambda: _opening(few, base / "shadow"),
                    "many": lambda: _opening(many, base / "shadow"),
                    "few changes": lambda: _looking(few, base / "shadow"),
                    "many changes": lambda: _looking(many, base / "shadow"),
                    "plain": lambda: seconds_of(lambda: subprocess.run(["true"], check=True)),
                    "confined": lambda: seconds_of(_command(shadow, base / "home")),
                },
                rounds,
            )
        finally:
            shadow.discard()
        return [
            row("open a shadow of 100,000 files", found["many"], found["few"], "of 100"),
            row("find one change in 100,000 files", found["many changes"], found["few changes"], "of 100"),
            row("start a command in it", found["confined"], found["plain"], "outside"),
        ]


def _workspace(folder: Path, files: int) -> Path:
    for number in range(files):
        place = folder / f"{number // PER_FOLDER:03d}"
        if number % PER_FOLDER == 0:
            place.mkdir(parents=True)
        (place / f"{number}.txt").write_bytes(b"a line of text\n")
    return folder


def _open(root: Path, folder: Path, kind: Literal["overlay", "copy"] = "overlay") -> ShadowWorkspace:
    objects = folder.parent / "objects"
    objects.mkdir(exist_ok=True)
    with Workspace(root) as workspace:
        return open_shadow(workspace, folder, ObjectStore(objects), masked=(folder.parent / "state",), kind=kind)


def _opening(root: Path, folder: Path) -> float:
    opened: list[ShadowWorkspace] = []
    seconds = seconds_of(lambda: opened.append(_open(root, folder)))
    opened[0].discard()
    return seconds


def _looking(root: Path, folder: Path) -> float:
    shadow = _open(root, folder)
    shadow.write("000/1.txt", b"another line of text\n")
    seconds = seconds_of(shadow.changes)
    shadow.discard()
    return seconds


def _command(shadow: ShadowWorkspace, home: Path) -> Callable[[], object]:
    launch = shadow.launch(["true"], home=home, environment=ENVIRONMENT)
    return lambda: subprocess.run(launch.argv, env=launch.environment, cwd=launch.cwd, check=True)


if __name__ == "__main__":
    main()
