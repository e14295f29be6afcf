"""How soon the first command of a rehearsal runs in a workspace of 5,000 files, next to one of 50 and to bash alone."""

import subprocess
import tempfile
import time
from pathlib import Path

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.events import CommandSaid, TandemEvent
from tests.benchmarks.rounds import measure, row, seconds_of
from tests.support.rehearsals import plan_json

FEW, MANY = 50, 5_000
PER_FOLDER = 50
STEP = {"description": "Say so", "tool": "bash", "args": {"command": "echo here"}}


def main(rounds: int = 9) -> None:
    print(f"Rehearsal: seconds to the first output, {MANY:,} files, {rounds} rounds, shuffled")
    for name, figures in run(rounds):
        print(f"  {name:<38} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tandem-benchmark-") as name:
        few, many = (_workspace(Path(name) / str(files), files) for files in (FEW, MANY))
        found = measure(
            {
                "few": lambda: _first_output(few, Path(name) / "state"),
                "many": lambda: _first_output(many, Path(name) / "state"),
                "bash": lambda: seconds_of(lambda: subprocess.run(["bash", "-c", "echo here"], capture_output=True)),
            },
            rounds,
        )
    slowest = max(found["many"])
    return [
        row("first output of 5,000 files", found["many"], found["few"], "of 50"),
        row("first output of 5,000 files", found["many"], found["bash"], "bash"),
        ("slowest start with 5,000 files", f"{slowest:.2f} s (the aim is 2 s)"),
    ]


def _workspace(folder: Path, files: int) -> Path:
    for number in range(files):
        place = folder / f"{number // PER_FOLDER:03d}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.txt").write_bytes(b"a line of text\n")
    return folder


def _first_output(root: Path, state: Path) -> float:
    """From asking for the rehearsal, engine and all, to the first thing its command says."""
    started = time.perf_counter()
    engine = build_engine(root, state=state)
    heard: list[float] = []

    def hear(event: TandemEvent) -> None:
        if isinstance(event, CommandSaid):
            heard.append(time.perf_counter())

    engine.events.subscribe(hear)
    version = engine.proposals.propose(plan_json(STEP))
    engine.rehearsals.rehearse(version.plan_id)
    engine.close()
    return heard[0] - started


if __name__ == "__main__":
    main()
