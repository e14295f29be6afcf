"""From the start of a command to its first picture on a real screen, seen from outside; several commands in turn."""

import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from tests.screens.display import PATIENCE_S, SIZE, Display, a_display

_TICK_S = 0.002


def first_paint(commands: dict[str, list[str]], rounds: int) -> dict[str, float]:
    """The middle time of each, in seconds; a first round that fills the caches is not counted."""
    taken: dict[str, list[float]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory(prefix="tandem-paint-") as name:
        folder = Path(name)
        (folder / "project").mkdir()
        for number in range(rounds + 1):
            for command, words in commands.items():
                seconds = _once([*words, str(folder / "project")], folder)
                if number:
                    taken[command].append(seconds)
    return {command: statistics.median(seconds) for command, seconds in taken.items()}


def _once(words: list[str], folder: Path) -> float:
    with tempfile.TemporaryDirectory(dir=folder) as screen, a_display(Path(screen)) as display:
        environment = {
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "HOME": str(folder),
            "DISPLAY": display.name,
            "TANDEM_STATE_DIR": str(folder / "state"),
        }
        started = time.perf_counter()
        process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while not _is_painted(display):
                assert process.poll() is None, f"{words[0]} ended before it showed anything"
                assert time.perf_counter() - started < PATIENCE_S, f"{words[0]} showed nothing"
                time.sleep(_TICK_S)
            return time.perf_counter() - started
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


def _is_painted(display: Display) -> bool:
    """Whether the middle of the screen, black when nothing is there, has a colour."""
    return display.pixel(SIZE[0] // 2, SIZE[1] // 2) != b"\0\0\0"
