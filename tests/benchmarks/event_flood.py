"""How long the window's thread is held up while ten thousand events come in as fast as the engine can publish them.

The window is the real one over a real workspace; a clock that wants to tick all the time tells the longest silence, the
longest one without the wait for a processor on a machine that others use too, and the most the window's thread worked.
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

from tandem_desktop.app.window import open_background, stay_awake
from tandem_desktop.domain.agent_protocol import ChatEntry, EntryKind
from tandem_desktop.domain.events import (
    ChatGrew,
    OperationFinished,
    OperationStaged,
    OperationStarted,
    RunStarted,
    TandemEvent,
    TurnEnded,
)
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.runs import FailurePolicy, OperationResult, ResultStatus, RunKind
from tandem_desktop.ui.main_window import MainWindow
from tandem_desktop.ui.theme.theme import Theme
from tests.support.builders import a_write
from tests.ui.window.driver import agent_status

EVENTS = 10_000
LONGEST_BLOCK_S = 0.050
PATIENCE_S = 300
RUN = RunId("RUN-0000f00d")

Flood = Callable[[], Iterable[TandemEvent]]


@dataclass(frozen=True, slots=True)
class _Silences:
    """Between the ticks of the clock, in seconds, and until everything was shown."""

    ticks: "list[_Moment]"
    whole: float


@dataclass(frozen=True, slots=True)
class _Moment:
    """What the window's thread has spent by now, in seconds: all in all, working, and in the queue for a processor."""

    passed: float
    worked: float
    queued: float

    @classmethod
    def now(cls) -> "_Moment":
        return cls(time.perf_counter(), time.thread_time(), _queued())

    def since(self, before: "_Moment") -> "_Moment":
        return _Moment(self.passed - before.passed, self.worked - before.worked, self.queued - before.queued)

    @property
    def ours(self) -> float:
        """What no other program is to blame for: work, and waiting for another thread of ours."""
        return self.passed - max(self.queued, 0)


def _queued() -> float:
    """How long this thread has stood in line for a processor, where the system tells."""
    try:
        return int(Path(f"/proc/self/task/{threading.get_native_id()}/schedstat").read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


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
            found = [window.held_up(begin, flood) for _ in range(min(rounds, 5))]
            rows.append((what, _figures(found)))
        window.close()
        return rows


def _figures(found: list[_Silences]) -> str:
    longest = [max(tick.passed for tick in each.ticks) for each in found]
    ours = [max(tick.ours for tick in each.ticks) for each in found]
    work = [max(tick.worked for tick in each.ticks) for each in found]
    return (
        f"{statistics.median(longest) / LONGEST_BLOCK_S:5.2f} of 50 ms "
        f"[{min(longest) / LONGEST_BLOCK_S:.2f}-{max(longest) / LONGEST_BLOCK_S:.2f}]   "
        f"with a free processor {statistics.median(ours) * 1000:5.1f} ms "
        f"[{min(ours) * 1000:.0f}-{max(ours) * 1000:.0f}]   "
        f"own work {statistics.median(work) * 1000:5.1f} ms   "
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
        self._window = MainWindow(Theme(), open_background, settings=settings)
        self._window.show()
        self._window.open_workspace(workspace)
        stay_awake()  # as the window does when it has opened
        self._until(lambda: "ready" in agent_status(self._window))
        assert self._window.controller is not None
        self._place = self._window.controller
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
        session_id = self._place.session_id
        yield from (
            OperationStaged(session_id=session_id, operation=each, added=1, removed=0) for each in self._operations
        )

    def begin_run(self) -> None:
        engine = self._place.background.engine
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
        self._place.background.events.publish(started)

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
        stream = self._place.background.events
        pouring = threading.Thread(target=lambda: [stream.publish(event) for event in (*events, mark)])
        ticks: list[_Moment] = []
        last = _Moment.now()

        def tick() -> None:
            nonlocal last
            now = _Moment.now()
            ticks.append(now.since(last))
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
        return _Silences(ticks, whole)

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
