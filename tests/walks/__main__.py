"""Two walks through the running window, function by function: `python -m tests.walks`.

1. *implement*: a click on Implement in the approval sheet, the file on disk, the plan shown as completed.
2. *ask*: the key that sends a message, the agent (a scripted one, over ACP), its text on screen.

The window, the engine, the files and the agent's process are real; only the display is missing. What is counted:

- A *hop* is a function of tandem_desktop on the way from the cause to the effect; a lambda is one, and so is a signal
  that is connected to a signal. The way is found backwards. It begins at the moment a condition first holds (the file
  has its new content after a system call that names it, the agent is being written to, the word or the text is in its
  widget): the functions on the stack at that moment are on it. Where the stack begins in an event loop, the way goes
  on, with the whole stack of that moment, at the call that led there:
  - for the callback of a future, the call that made its answer (calls that only return the answer are below it on the
    stack);
  - for an event out of a queue, the call that published it;
  - otherwise the call that scheduled the task, the callback or the executor's job;
  - otherwise the last call on another thread that was given the same future, or the same value first made there;
  - otherwise the last call on the same object that started a timer or emitted a signal.
  The way from the disk or the agent to the screen ends where it meets the way from the cause to the disk or the agent:
  a call on both counts once. Helpers that were called and have returned are not on it.
- A function *only passes on* when its body, without the docstring, is one call (returned, awaited or made for its
  effect) whose arguments are names, attributes, constants, lambdas, collections of these, or calls with such arguments.
- *Files entered* are all files of tandem_desktop in which any function ran between the cause and the effect.

Each walk is taken five times, and the longest counts. Of the files those count that were entered each time: other work
may fall into one of the walks.
"""

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QTextEdit

from tests.support.agent_scripts import Steps
from tests.support.command_line import write
from tests.ui.pictures.stage import Stage
from tests.ui.window.driver import Person
from tests.walks.passing_on import passing_on
from tests.walks.tracer import PACKAGE, SIGNAL, Call, Moment, Recording, Tracer

PATH, TEXT = "greeter/greeting.py", "GREETING = 'walked'\n"
QUESTION, ANSWER = "Where does the walk lead?", "Along the brook."
SYSCALLS = "storage/syscalls.py"
REPETITIONS = 5


@dataclass(frozen=True)
class Hop:
    """A function on the way."""

    path: Path
    line: int
    name: str
    code_name: str

    @property
    def passes_on(self) -> bool:
        return self.code_name == SIGNAL or (self.line, self.code_name) in passing_on(self.path)

    def __str__(self) -> str:
        place = f"{self.path.relative_to(PACKAGE.parent)}:{self.line}"
        return f"{'→' if self.passes_on else ' '} {self.name:<52} {place}"


@dataclass(frozen=True)
class Walk:
    """The hops in their order, in legs, and the files that were entered meanwhile."""

    name: str
    legs: dict[str, list[Hop]]
    files: frozenset[str]

    @property
    def hops(self) -> list[Hop]:
        return [hop for leg in self.legs.values() for hop in leg]


def main() -> int:
    application = QApplication.instance() or QApplication([])
    tracer = Tracer()
    tracer.install()
    try:
        walks = [steadily(lambda: implement(tracer)), steadily(lambda: ask(tracer))]
    finally:
        tracer.uninstall()
    for walk in walks:
        print(f"\n# {walk.name}")
        for title, hops in walk.legs.items():
            print(f"\n{title}")
            print("\n".join(map(str, hops)))
    print("\n→ only passes on\n")
    print("\n".join(summary([walk]) for walk in walks))
    print(summary(walks))
    application.quit()
    return 0


def steadily(walk: Callable[[], Walk]) -> Walk:
    """The longest of several walks, with the files that each of them entered."""
    taken = [walk() for _ in range(REPETITIONS)]
    return replace(
        max(taken, key=lambda each: len(each.hops)),
        files=frozenset.intersection(*(each.files for each in taken)),
    )


def summary(walks: list[Walk]) -> str:
    name = " and ".join(walk.name for walk in walks)
    hops = [hop for walk in walks for hop in walk.hops]
    files = frozenset[str]().union(*(walk.files for walk in walks))
    passing = sum(hop.passes_on for hop in hops)
    return f"{name}: {len(hops)} hops, {passing} of which only pass on; {len(files)} files entered"


def implement(tracer: Tracer) -> Walk:
    """Click, disk, *applied*."""
    with Stage("dark") as stage:
        stage.propose("A walk", write(PATH, TEXT))
        person = stage.open_on_plan()
        stage.settle()
        person.click("plan-action-approve")
        person.wait(lambda: person.sees("approval-implement"))
        stage.settle()
        target, badge = stage.workspace / PATH, person.find("plan-state")
        assert isinstance(badge, QLabel)
        recording = tracer.begin(
            disk=lambda call: _names(call, target.name) and target.read_text() == TEXT,
            screen=_on_screen(lambda: badge.text() == "Completed"),
        )
        person.click("approval-implement")
        return _walked("implement", person, recording, ("disk", "screen"))


def ask(tracer: Tracer) -> Walk:
    """Key, agent, text."""
    with Stage("dark") as stage:
        steps = Steps(stage.workspace)
        stage.use_agent({"turns": [[steps.say("I am here.")], [steps.say(ANSWER)]]})
        person = stage.open()
        person.ask("Are you there?")  # the agent is started with the first question
        person.click("composer-text")
        person.type(QUESTION)
        stage.settle()

        def is_shown() -> bool:
            shown = person.window.findChildren(QTextEdit, "chat-prose")
            return any(ANSWER in each.toPlainText() for each in shown)

        recording = tracer.begin(screen=_on_screen(is_shown))
        with _noticed_writing(lambda: recording.mark("agent")):
            person.press(Qt.Key.Key_Return)
            return _walked("ask", person, recording, ("agent", "screen"))


def _walked(name: str, person: Person, recording: Recording, moments: tuple[str, str]) -> Walk:
    """Wait for the last moment and find the ways that led to both."""
    person.wait(lambda: moments[-1] in recording.reached)
    there = recording.way_to(recording.reached[moments[0]])
    back = recording.way_to(recording.reached[moments[1]], frozenset(there))
    legs = {f"To the {moments[0]}": _hops(there), f"To the {moments[1]}": _hops(back)}
    return Walk(name, legs, frozenset(recording.files))


def _hops(way: list[Call]) -> list[Hop]:
    codes = [call.code for call in way]
    return [Hop(Path(each.co_filename), each.co_firstlineno, each.co_qualname, each.co_name) for each in codes]


def _names(call: Call, name: str) -> bool:
    """Whether it is a system call about this file: other threads make calls about other files at the same time."""
    return call.code.co_filename.endswith(SYSCALLS) and name in call.frame.f_locals.values()


def _on_screen(condition: Callable[[], bool]) -> Moment:
    """A condition about widgets, which only the window's thread may ask."""
    return lambda call: threading.current_thread() is threading.main_thread() and condition()


@contextmanager
def _noticed_writing(then: Callable[[], None]) -> Iterator[None]:
    """Call `then` when the question is written to a process."""
    write_to_stream = asyncio.StreamWriter.write

    def noticed(self: asyncio.StreamWriter, data: bytes) -> None:
        if QUESTION.encode() in data:
            then()
        write_to_stream(self, data)

    asyncio.StreamWriter.write = noticed  # type: ignore[method-assign,assignment]
    try:
        yield
    finally:
        asyncio.StreamWriter.write = write_to_stream  # type: ignore[method-assign]


if __name__ == "__main__":
    sys.exit(main())
