"""How long the window's thread works without a break while a person reviews a release of a thousand files.

`python -m tests.benchmarks large_plan --archives FOLDER`: FOLDER holds two neighbouring source archives of one project.
The difference becomes a plan by `tandem review`, the real window opens it, and keys and clicks go in. A clock that
wants to tick all the time tells what the window's thread worked between two ticks: processor time, so that other
programs of the machine are not counted.
"""

import contextlib
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.app.window import _Opening, make_application
from tandem_desktop.ui.main_window import MainWindow
from tandem_desktop.ui.models.operation_filter import OperationFilter
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.row_diff import RowDiff
from tandem_desktop.ui.window_frame import SIZE, WindowFrame
from tests.release_patches import make_patch

_WORKED_S = 0.001
"""A turn of the event loop with less work is not counted for the percentile."""
_REST_S = 0.4
_PATIENCE_S = 120
_COMMAND = Qt.KeyboardModifier.ControlModifier
_SHIFT = Qt.KeyboardModifier.ShiftModifier


@dataclass(frozen=True)
class Walk:
    """Keys that led through what matters, and how long the window took for them."""

    keys: int
    wall_s: float
    worked_s: float
    flagged: int
    missed: tuple[str, ...]
    """Operations with a flag or an unproved change that were never on screen."""


def run(rounds: int, archives: Path) -> list[tuple[str, str]]:
    """One row for each action; each round is a window of its own over the same plan."""
    old, new = sorted(each for each in archives.iterdir() if each.suffix in (".gz", ".tgz"))[:2]
    with tempfile.TemporaryDirectory(prefix="tandem-benchmark-") as name:
        folder = Path(name)
        workspace = staged(old, new, folder)
        found: dict[str, list[list[float]]] = {}
        for _ in range(min(rounds, 3)):
            for what, turns in window_at_work(workspace):
                found.setdefault(what, []).append(turns)
        rows = [(what, _figures(each)) for what, each in found.items()]
        walk = visit(workspace)
    every = [turn for each in found.values() for turns in each for turn in turns]
    rows.append(("all of it", f"longest {max(every) * 1000:5.1f} ms   p99 {_p99(every):5.1f} ms"))
    rows.append(
        (
            "every flag and unproved change",
            f"{walk.keys} keys, {walk.wall_s:.1f} s ({walk.worked_s:.1f} s of work), "
            f"{walk.flagged} flagged, never on screen: {len(walk.missed)}",
        )
    )
    return rows


def staged(old: Path, new: Path, folder: Path) -> Path:
    """The workspace with the release as a plan; its state is in `folder` too."""
    for name in ("TANDEM_STATE_DIR", "TANDEM_CONFIG_DIR"):
        os.environ[name] = str(folder / name)
    os.environ["XDG_CONFIG_HOME"] = str(folder / "settings")
    patch, _ = make_patch(old, new, folder)
    workspace = folder / "old"
    program = [sys.executable, "-m", "tandem_desktop", "-C", str(workspace), "review", "-", "--no-window", "--json"]
    subprocess.run(program, input=patch, stdout=subprocess.DEVNULL, check=True)
    return workspace


def window_at_work(workspace: Path) -> Iterator[tuple[str, list[float]]]:
    """What the window's thread worked between two ticks, in seconds, action by action."""
    window = PlanWindow(workspace)
    with window.measured() as turns:
        window.open()
    yield "the window starts with the plan", turns
    for what, do in window.actions():
        with window.measured() as turns:
            do()
            window.rest()
        yield what, turns
    window.close()


def visit(workspace: Path) -> Walk:
    """Press `a` from the beginning of the plan to its end."""
    window = PlanWindow(workspace)
    window.open()
    window.until(lambda: window.model.focus is not None)
    wanted = {
        view.operation.id: view.operation.path or view.operation.id
        for view in window.model.views()
        if view.flags
        or (not view.generated and window.model.matters(window.model.row(window.model.row_of(view.operation.id))))
    }
    window.rows.setFocus()
    keys, seen = 0, set[str]()
    begun, worked, last = time.perf_counter(), time.thread_time(), None
    while True:
        window.key("a")
        window.settle()
        row, offset = window.rows.current_row(), window.rows.verticalOffset()
        at = (row.operation.id if row is not None else "", offset)
        if at == last:
            break
        keys, last = keys + 1, at
        seen |= {window.model.row(number).operation.id for number in window.rows.rows_in_sight()}
    walk = Walk(
        keys,
        time.perf_counter() - begun,
        time.thread_time() - worked,
        sum(bool(view.flags) for view in window.model.views()),
        tuple(path for each, path in wanted.items() if each not in seen),
    )
    window.close()
    return walk


class PlanWindow:
    """The real window over a workspace, its keys and clicks."""

    def __init__(self, workspace: Path) -> None:
        self._app = make_application()
        self._frame = WindowFrame(workspace.name)
        self._opening = _Opening(self._frame, workspace, None, "")

    @property
    def window(self) -> MainWindow:
        window = self._opening._window
        assert window is not None
        return window

    @property
    def panel(self) -> ExecutionPlanPanel:
        assert self.window.controller is not None
        return self.window.controller.panel

    @property
    def rows(self) -> OperationList:
        return self.panel.operations.list

    @property
    def model(self):  # type: ignore[no-untyped-def]
        return self.panel.model

    def open(self) -> None:
        self._frame.once_painted(self._opening.begin)
        self._frame.resize(*SIZE)  # the screen of the offscreen platform is smaller
        self._frame.show()
        self._frame.activateWindow()
        self.until(lambda: self._opening._window is not None and self.window.controller is not None)
        self.until(lambda: self.model.total > 0 and self.model.focus is not None)
        self.rest(1.5)
        self.rows.setFocus()

    def close(self) -> None:
        self._frame.close()
        self._opening.leave()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        self.rest()
        self._frame.deleteLater()
        self.rest()

    @contextlib.contextmanager
    def measured(self) -> Iterator[list[float]]:
        turns: list[float] = []
        last = time.thread_time()

        def tick() -> None:
            nonlocal last
            now = time.thread_time()
            turns.append(now - last)
            last = now

        clock = QTimer(interval=0)
        clock.timeout.connect(tick)
        clock.start()
        yield turns
        self._turn()
        clock.stop()

    def actions(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """What a person does with a plan, each in the state that the one before left."""
        model = self.model
        yield "open the first operation", lambda: self.keys("\r")
        yield "n, 40 times", lambda: self.repeat("n", 40)
        yield "a, 20 times", lambda: self.repeat("a", 20)
        yield "j, 40 times", lambda: self.repeat("j", 40)
        yield "Space, 20 times", lambda: self.repeat(" ", 20)
        yield "pages, 20 times", lambda: self.special(Qt.Key.Key_PageDown, 20)
        yield "filter by chip", lambda: self.chips(OperationFilter.FLAGGED, OperationFilter.NOT_VIEWED)
        yield "search a path, letter by letter", lambda: self.search("locale", in_lines=False)
        yield "search changed lines", lambda: self.search("return", in_lines=True)
        yield "leave the search", self.panel.operations.filter.leave
        yield "drop one operation, and undo", lambda: self.drop_and_undo(1)
        yield "drop all, and undo", lambda: self.drop_and_undo(model.total)
        yield "open 20 operations", lambda: self.open_rows(20)
        yield "f with 20 diffs open", lambda: self.repeat("f", 2)
        yield "v with 20 diffs open", lambda: self.repeat("v", 2)
        yield "the other theme, twice", lambda: self.repeat_command("theme", 2)
        yield "larger, and usual size", self.zoom
        yield "review alone, and all panes", lambda: self.repeat_command("review", 2)
        yield "each tab", self.each_tab
        yield "the page of keys", lambda: self.page("keys")
        yield "the settings", lambda: self.page("settings")
        yield "the palette", lambda: self.page("palette")
        yield "the approval sheet", self.approval
        yield "a new plan, and back", self.other_plan

    def key(self, letter: str) -> None:
        QTest.keyClicks(self._focused(), letter)

    def keys(self, letters: str) -> None:
        for letter in letters:
            if letter == "\r":
                self.special(Qt.Key.Key_Return, 1)
            else:
                self.key(letter)
                self.settle()

    def repeat(self, letter: str, count: int) -> None:
        self.rows.setFocus()
        for _ in range(count):
            self.key(letter)
            self.settle()

    def special(self, key: Qt.Key, count: int, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        for _ in range(count):
            QTest.keyClick(self._focused(), key, modifiers)
            self.settle()

    def command(self, name: str) -> None:
        self.window.actions_.do(name)
        self.rest()

    def repeat_command(self, name: str, count: int) -> None:
        for _ in range(count):
            self.command(name)

    def zoom(self) -> None:
        self.command("zoom-in")
        self.command("zoom-reset")

    def chips(self, *which: OperationFilter) -> None:
        for each in which:
            for _ in range(2):
                self.click(f"filter-{each.name.lower().replace('_', '-')}")

    def click(self, name: str) -> None:
        widget = next(each for each in self._frame.findChildren(QWidget, name) if each.isVisible())
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(8, 8))
        self.rest()

    def search(self, words: str, *, in_lines: bool) -> None:
        self.rows.setFocus()
        self.special(Qt.Key.Key_F, 1, _COMMAND)
        filters = self.panel.operations.filter
        filters.lines.setChecked(in_lines)
        filters.field.setText("")
        filters.field.setFocus()
        for letter in words:
            QTest.keyClicks(filters.field, letter)
            self.settle()

    def drop_and_undo(self, count: int) -> None:
        self.rows.setFocus()
        if count > 1:
            self.special(Qt.Key.Key_A, 1, _COMMAND)
        self.key("x")
        self.until(lambda: len(self.model.dropped) == count)
        self.rest(1.5)
        self.special(Qt.Key.Key_Z, 1, _COMMAND)
        self.until(lambda: not self.model.dropped)
        self.rest(1.5)

    def open_rows(self, count: int) -> None:
        self.rows.setFocus()
        self.rows.set_current(0)
        for _ in range(count):
            self.special(Qt.Key.Key_Right, 1)
            self.key("j")
            self.settle()
        self.rows.verticalScrollBar().setValue(0)
        self.rows.set_current(0)

    def each_tab(self) -> None:
        bar = self.panel.tabs.bar
        for at in [*range(bar.count()), 0]:
            if bar.isTabVisible(at):
                bar.setCurrentIndex(at)
                self.rest()

    def page(self, name: str) -> None:
        self.command(name)
        self.special(Qt.Key.Key_Escape, 1)
        self.rows.setFocus()

    def approval(self) -> None:
        self.special(Qt.Key.Key_Return, 1, _COMMAND)
        self.rest()
        self.special(Qt.Key.Key_Escape, 1)
        self.rows.setFocus()

    def other_plan(self) -> None:
        self.command("new-plan")
        self.command("plan-1")
        self.until(lambda: self.model.total > 0)
        self.rest(1.5)

    def settle(self) -> None:
        """Until the diffs on screen are there."""
        quiet = 0
        while quiet < 3:
            self._turn()
            diffs = [each for each in self.rows.findChildren(RowDiff) if each.isVisible()]
            quiet = quiet + 1 if all(each.is_ready for each in diffs) else 0

    def rest(self, seconds: float = _REST_S) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._turn()

    def until(self, done: Callable[[], bool]) -> None:
        until = time.monotonic() + _PATIENCE_S
        while not done():
            assert time.monotonic() < until
            self._turn()

    def _turn(self) -> None:
        """A turn of the event loop; without one that runs, nothing would be deleted."""
        self._app.processEvents()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def _focused(self) -> QWidget:
        focused = QGuiApplication.focusObject()
        return focused if isinstance(focused, QWidget) else self.rows


def _figures(rounds: list[list[float]]) -> str:
    longest = [max(turns) * 1000 for turns in rounds]
    every = [turn for turns in rounds for turn in turns]
    middle, span = statistics.median(longest), f"{min(longest):.0f}-{max(longest):.0f}"
    return f"longest {middle:6.1f} ms [{span}]   p99 {_p99(every):5.1f} ms"


def _p99(turns: list[float]) -> float:
    worked = sorted(each for each in turns if each >= _WORKED_S) or [0.0]
    return worked[min(len(worked) - 1, int(len(worked) * 0.99))] * 1000
