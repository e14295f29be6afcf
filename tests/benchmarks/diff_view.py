"""What a long diff costs the window: its first text next to a short one, and each frame while it is scrolled.

Frames are full repaints, colours and marks arriving meanwhile; the anchor is the 16 ms that a screen waits for a frame.
"""

import os
import random
import statistics
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from tandem_desktop.ui.diff.loader import DiffLoader
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands
from tests.benchmarks.rounds import measure, row
from tests.support.unfolded import unfold_all

SMALL, COLOURED, LARGE, HUGE = 100, 25_000, 100_000, 1_000_000
FRAMES = 400
FRAME_SECONDS = 0.016
PATIENCE = 120


def main(rounds: int = 9) -> None:
    print(f"Diff view: wall time, 1280 × 900, {rounds} rounds, shuffled")
    for name, figures in run(rounds):
        print(f"  {name:<38} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    window = _Window()
    pairs = {count: _pair(count) for count in (SMALL, COLOURED, LARGE, HUGE)}
    sizes = (SMALL, LARGE, HUGE)
    found = measure(
        {
            **{f"first {count}": lambda count=count: window.first_text(*pairs[count]) for count in sizes},
            **{f"ready {count}": lambda count=count: window.ready(*pairs[count]) for count in (SMALL, LARGE)},
        },
        rounds,
    )
    rows = [
        row("first text, 100,000 lines", found[f"first {LARGE}"], found[f"first {SMALL}"], "100 lines"),
        row("first text, 1,000,000 lines", found[f"first {HUGE}"], found[f"first {SMALL}"], "100 lines"),
        row("compared, 100,000 lines, 1 %", found[f"ready {LARGE}"], found[f"ready {SMALL}"], "100 lines"),
    ]
    window.ready(*pairs[HUGE])
    unfold_all(window.view)
    rows += [_frames(f"1,000,000 lines, {name}", window, name) for name in ("lines", "pages", "jumps")]
    window.ready(*pairs[COLOURED])
    unfold_all(window.view)
    rows += [_frames(f"25,000 lines being coloured, {name}", window, name) for name in ("lines", "pages", "jumps")]
    window.close()
    return rows


class _Window:
    """One view on the screen, as the application would have it."""

    def __init__(self) -> None:
        self.application = QApplication.instance() or QApplication([])
        self._theme = Theme()
        self.view = DiffView(self._theme)
        self._executor = ThreadPoolExecutor(1)
        self._loader = DiffLoader(self.view, Commands(self.view), self._executor)
        self.view.resize(1280, 900)
        self.view.show()
        self.application.processEvents()

    def first_text(self, before: bytes, after: bytes) -> float:
        self._rest()
        started = time.perf_counter()
        self._loader.show("a.py", before, after)
        self.view.viewport().repaint()
        taken = time.perf_counter() - started
        self._wait()
        return taken

    def ready(self, before: bytes, after: bytes) -> float:
        self._rest()
        started = time.perf_counter()
        self._loader.show("a.py", before, after)
        self._wait()
        self.view.viewport().repaint()
        return time.perf_counter() - started

    def frames(self, way: str) -> tuple[list[float], list[float]]:
        """Wall and processor seconds of each frame; the second is what a machine with nothing else to do would take."""
        bar = self.view.verticalScrollBar()
        bar.setValue(bar.maximum() // 3)
        generator = random.Random(20)
        taken: list[float] = []
        worked: list[float] = []
        for _ in range(FRAMES):
            started, begun = time.perf_counter(), time.thread_time()
            match way:
                case "lines":
                    bar.setValue(bar.value() + 3 * bar.singleStep())
                case "pages":
                    bar.setValue(bar.value() + bar.pageStep())
                case _:
                    bar.setValue(generator.randrange(bar.maximum()))
            if way == "lines":
                self.application.processEvents()
            else:
                self.view.viewport().repaint()
            taken.append(time.perf_counter() - started)
            worked.append(time.thread_time() - begun)
            self.application.processEvents()
        return taken, worked

    def close(self) -> None:
        self._loader.stop()
        self._executor.shutdown(cancel_futures=True)
        self.view.close()

    def _rest(self) -> None:
        """What was shown before is forgotten, what was begun for it has ended."""
        self._loader.show("a.txt", b"", b"")
        self._wait()
        self._executor.submit(int).result()

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE
        while self.view.diff.is_preview and time.monotonic() < until:
            self.application.processEvents()
        assert not self.view.diff.is_preview


def _frames(name: str, window: _Window, way: str) -> tuple[str, str]:
    taken, worked = map(sorted, window.frames(way))
    late = round(len(taken) * 0.99) - 1
    figures = (
        f"{taken[late] / FRAME_SECONDS:5.2f} of a frame   p50 {statistics.median(taken) * 1000:5.1f} ms   "
        f"p99 {taken[late] * 1000:5.1f} ms   (processor: p50 {statistics.median(worked) * 1000:5.1f} ms   "
        f"p99 {worked[late] * 1000:5.1f} ms)"
    )
    return name, figures


def _pair(lines: int) -> tuple[bytes, bytes]:
    before = [*_source(lines)]
    generator = random.Random(20)
    after = list(before)
    for _ in range(max(1, lines // 100)):
        at = generator.randrange(lines)
        after[at] = after[at].rstrip() + b"  # edited %d\n" % at
    return b"".join(before), b"".join(after)


def _source(lines: int) -> Iterator[bytes]:
    """Python as people write it: some seventy characters, names, strings, calls."""
    for number in range(lines // 5 + 1):
        yield b"def handler_%d(request: Request, user: User | None = None) -> Response:\n" % number
        yield b'    """Answer request %d, unless nobody is logged in."""\n' % number
        yield b"    if user is None or not user.is_active(%d):\n" % number
        yield b'        raise Unauthorized("Log in first", code=%d)\n' % (number % 600)
        yield b"    return Response(render(request, template='page_%d.html'), status=200)\n" % number


if __name__ == "__main__":
    main()
