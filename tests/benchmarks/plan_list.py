"""What it costs to list ten thousand plans next to only looking at each: scandir, then stat of every meta.json."""

import json
import os
import tempfile
from pathlib import Path

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.services.engine import Engine
from tests.benchmarks.rounds import measure, row, seconds_of

PLANS = 10_000


def main(rounds: int = 9) -> None:
    print(f"Plan list: wall time, {PLANS:,} plans, {rounds} rounds, shuffled")
    for name, figures in run(rounds):
        print(f"  {name:<34} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tandem-benchmark-") as name:
        engine = _with_many_plans(Path(name))
        assert len(engine.plans.list().plans) == PLANS
        folder = engine.locations.plans
        found = measure(
            {
                "look": lambda: seconds_of(lambda: _look(folder)),
                "warm": lambda: seconds_of(engine.plans.list),
                "rows": lambda: seconds_of(lambda: engine.plans.list().plans),
                "cold": lambda: _cold(engine, folder),
            },
            rounds,
        )
        return [
            row("list 10,000 plans", found["warm"], found["look"], "scandir+stat"),
            row("list 10,000 plans, every row made", found["rows"], found["look"], "scandir+stat"),
            row("list 10,000 plans, no index", found["cold"], found["look"], "scandir+stat"),
        ]


def _look(folder: Path) -> int:
    seen = 0
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("PLAN-"):
                os.stat(f"{entry.path}/meta.json")
                seen += 1
    return seen


def _cold(engine: Engine, folder: Path) -> float:
    (folder / "index.json").unlink(missing_ok=True)
    return seconds_of(engine.plans.list)


def _with_many_plans(folder: Path) -> Engine:
    """One plan made by the engine and copied under other names, which is much quicker than making each."""
    root = folder / "workspace"
    root.mkdir()
    engine = build_engine(root, state=folder / "state")
    step = {"description": "Say hello", "tool": "write", "args": {"path": "hello.txt", "content": "hello\n"}}
    first = engine.proposals.propose(json.dumps({"title": "A plan of many", "steps": [step]}).encode()).plan_id
    plans = engine.locations.plans
    files = {path.name: path.read_bytes() for path in (plans / first).iterdir()}
    for number in range(PLANS - 1):
        name = f"PLAN-{number:08x}"
        (plans / name).mkdir()
        for file, content in files.items():
            (plans / name / file).write_bytes(content.replace(first.encode(), name.encode()))
    os.sync()
    return engine


if __name__ == "__main__":
    main()
