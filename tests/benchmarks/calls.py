"""What a call of the command line costs as a process, next to an interpreter that does nothing.

Each process starts in a workspace with one plan and no settings. `pydantic` is the library alone, which every call
imports that reads a whole plan.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.rounds import Turn, measure, row, seconds_of
from tests.support.workplace import ROOT

CODE = {
    "nothing": "pass",
    "pydantic": "from pydantic import BaseModel",
}
START = "import sys; from tandem_desktop.app.main import main; sys.exit(main())"
"""What the installed `tandem` does."""


def main(rounds: int = 9) -> None:
    print(f"Calls as processes: wall time, then processor time of the same rounds, {rounds} rounds, shuffled")
    for name, figures in run(rounds):
        print(f"  {name:<38} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tandem-benchmark-") as name:
        folder = Path(name)
        (folder / "workspace").mkdir()
        plan, approved = (_proposed(folder, workspace) for workspace in ("workspace", "approved"))
        calls = {
            "list": ("list",),
            "show": ("show", plan["plan_id"]),
            "show --diff": ("show", plan["plan_id"], "--diff"),
            "runs": ("runs",),
            "approve": ("-C", "../approved", "approve", approved["plan_id"], "--digest", approved["digest"]),
        }
        spent: dict[str, list[float]] = {}
        turns: dict[str, Turn] = {name: _turn(folder, spent.setdefault(name, []), code) for name, code in CODE.items()}
        turns |= {name: _turn(folder, spent.setdefault(name, []), START, *words) for name, words in calls.items()}
        for turn in turns.values():
            turn()  # byte code and disk cache are there afterwards, for all alike
        for processor in spent.values():
            processor.clear()
        found = measure(turns, rounds)
        names = {**{each: f"`tandem {each}`" for each in calls}, "pydantic": "import pydantic"}
        return [
            row(f"{text}{kind}", seconds[each], seconds["nothing"], "python -c pass")
            for kind, seconds in (("", found), (", processor", spent))
            for each, text in names.items()
        ]


def _turn(folder: Path, spent: list[float], code: str, *words: str) -> Turn:
    command = [sys.executable, "-c", code, *words]

    def turn() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = seconds_of(lambda: _run(folder, command))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return seconds

    return turn


def _run(folder: Path, command: list[str]) -> bytes:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "TANDEM_STATE_DIR": str(folder / "state"),
        "TANDEM_CONFIG_DIR": str(folder / "config"),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",  # what is installed has byte code, whatever is set here
    }
    ended = subprocess.run(command, cwd=folder / "workspace", env=environment, stdout=subprocess.PIPE, check=True)
    return ended.stdout


def _proposed(folder: Path, workspace: str) -> dict[str, str]:
    (folder / workspace).mkdir(exist_ok=True)
    step = {"description": "Say hello", "tool": "write", "args": {"path": "hello.txt", "content": "hello\n"}}
    (folder / "plan.json").write_text(json.dumps({"title": "A plan", "steps": [step]}), encoding="utf-8")
    plan: dict[str, str] = json.loads(
        _run(
            folder,
            [sys.executable, "-c", START, "-C", f"../{workspace}", "--json", "propose", str(folder / "plan.json")],
        )
    )
    return plan


if __name__ == "__main__":
    main()
