"""How long the window's thread is held up while ten thousand events come in as fast as the engine can publish them.

The window is the real one over a real workspace; a clock that wants to tick all the time tells the longest silence, and
how much of the longest one was the window's own work: the rest is waiting for a turn on a machine that others use too.
"""

import json
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication

from tandem_desktop.app.window import open_workroom, settle_memory
from tandem_desktop.domain.chat import ChatEntry, EntryKind
from tandem_desktop.domain.execution import FailurePolicy, OperationResult, ResultStatus, RunKind
from tandem_desktop.domain.ids import RunId
from tandem_desktop.events.events import (
    ChatGrew,
    OperationFinished,
    OperationStaged,
    OperationStarted,
    RunStarted,
    TandemEvent,
    TurnEnded,
)
from tandem_desktop.ui.main_window import MainWindow
from tandem_desktop.ui.theme.theme import Theme
from tests.support.builders import a_write

EVENTS = 10_000
LONGEST_BLOCK_S = 0.050
PATIENCE_S = 300
RUN = RunId("RUN-0000f00d")

Flood = Callable[[], Iterable[TandemEvent]]


@dataclass(frozen=True, slots=True)
class _Silences:
    """Between the ticks of the clock, in seconds; of that the window's own work; and until everything was shown."""

    gaps: list[float]
    work: list[float]
    whole: float


def main(rounds: int = 3) -> None:
    print(f"Event flood: {EVENTS:,} events, {rounds} rounds")
    for name, figures in run(rounds):
        print(f"  {name:<38} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tandem-benchmark-") as name:
        folder = Path(name)
        os.environ["TANDEM_STATE_DIR"] = str(folder / "state")
        os.environ["TANDEM_CONFIG_DIR"] = str(folder / "config")
        window = _Window(folder)
        rows = []
        for what, begin, flood in (
            ("a reply being streamed", window.begin_talk, window.talk),
            ("operations being drafted", window.begin_draft, window.draft),
            ("a run of 10,000 operations", window.begin_run, window.results),
        ):
            found = [window.held_up(begin, flood) for _ in range(min(rounds, 3))]
            rows.append((what, _figures(found)))
        window.close()
        return rows


def _figures(found: list[_Silences]) -> str:
    longest = [max(each.gaps) for each in found]
    own = [max(each.work) for each in found]
    return (
        f"{statistics.median(longest) / LONGEST_BLOCK_S:5.2f} of 50 ms "
        f"[{min(longest) / LONGEST_BLOCK_S:.2f}-{max(longest) / LONGEST_BLOCK_S:.2f}]   "
        f"longest {statistics.median(longest) * 1000:6.1f} ms   own work {statistics.median(own) * 1000:5.1f} ms   "
        f"all shown after {statistics.median(each.whole for each in found):5.2f} s"
    )


class _Window:
    """The window at work, and what can be poured into it."""

    def __init__(self, folder: Path) -> None:
        made = QApplication.instance() or QApplication([])
        assert isinstance(made, QApplication)
        self._app = made
        workspace = folder / "workspace"
        workspace.mkdir()
        settings = QSettings(str(folder / "window.ini"), QSettings.Format.IniFormat)
        self._window = MainWindow(Theme(), open_workroom, settings=settings)
        self._window.show()
        self._window.open_workspace(workspace)
        settle_memory()  # as the window does when it has opened
        self._until(lambda: "ready" in self._window.status.agent_words)
        assert self._window.workplace is not None
        self._place = self._window.workplace
        self._operations = [a_write(f"src/file_{n}.py", b"x\n", id=f"s{n}") for n in range(EVENTS)]
        self._number = 1

    def begin_talk(self) -> None:
        self._number += 1

    def talk(self) -> Iterable[TandemEvent]:
        text = ""
        for word in range(EVENTS):
            text += f"word{word} " if word % 12 else "\n\n- **point** with `code` "
            if word % 200 == 0:
                text, self._number = "", self._number + 1
            entry = ChatEntry(number=self._number, kind=EntryKind.AGENT, at=datetime.now(UTC), text=text)
            yield ChatGrew(session_id=self._place.session_id, entry=entry)

    def begin_draft(self) -> None:
        self._place.new_plan()
        self._place.panel.show_drafting("A plan")

    def draft(self) -> Iterable[TandemEvent]:
        yield from (OperationStaged(session_id=self._place.session_id, operation=each) for each in self._operations)

    def begin_run(self) -> None:
        engine = self._place.workroom.engine
        if engine.plans.plan_of(self._place.session_id) is None:
            step = {"tool": "write", "description": "one of many"}
            steps = [
                {**step, "id": each.id, "args": {"path": each.path, "content": "x\n"}} for each in self._operations
            ]
            raw = json.dumps({"title": "Ten thousand files", "steps": steps}).encode()
            self._plan = engine.proposals.propose(raw, self._place.session_id).plan_id
        self._place.open_plan(self._plan)
        self._until(lambda: self._place.panel.page is not None and self._place.panel.model.total == EVENTS)
        started = RunStarted(
            run_id=RUN,
            plan_id=self._plan,
            revision=1,
            run_kind=RunKind.APPLY,
            on_failure=FailurePolicy.ROLLBACK,
            operations=EVENTS,
        )
        self._place.workroom.events.publish(started)

    def results(self) -> Iterable[TandemEvent]:
        for operation in self._operations[: EVENTS // 2]:
            yield OperationStarted(run_id=RUN, operation_id=operation.id)
            yield OperationFinished(run_id=RUN, result=OperationResult(id=operation.id, status=ResultStatus.COMPLETED))

    def held_up(self, begin: Callable[[], None], flood: Callable[[], Iterable[TandemEvent]]) -> _Silences:
        begin()
        self._rest()
        events = [*flood()]
        mark = TurnEnded(session_id=self._place.session_id)
        arrived = threading.Event()
        self._place.bridge.event_received.connect(lambda event: arrived.set() if event is mark else None)
        stream = self._place.workroom.events
        pouring = threading.Thread(target=lambda: [stream.publish(event) for event in (*events, mark)])
        gaps: list[float] = []
        work: list[float] = []
        last = time.perf_counter(), time.thread_time()

        def tick() -> None:
            nonlocal last
            now = time.perf_counter(), time.thread_time()
            gaps.append(now[0] - last[0])
            work.append(now[1] - last[1])
            last = now

        clock = QTimer(interval=0)
        clock.timeout.connect(tick)
        clock.start()
        started = time.perf_counter()
        pouring.start()
        self._until(arrived.is_set)
        self._rest()
        whole = time.perf_counter() - started
        clock.stop()
        pouring.join()
        return _Silences(gaps, work, whole)

    def close(self) -> None:
        self._window.close()
        self._window.leave()

    def _until(self, done: Callable[[], bool]) -> None:
        until = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < until
            self._app.processEvents()

    def _rest(self) -> None:
        until = time.monotonic() + 0.3
        while time.monotonic() < until:
            self._app.processEvents()


if __name__ == "__main__":
    main()
