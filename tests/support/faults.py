"""Faults at the seam: kill a forked engine at its Nth mutating call, or let that call fail."""

import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.storage import syscalls
from tandem_desktop.storage.workspace import Workspace


@dataclass(frozen=True)
class Stage:
    """A workspace and its state, to be copied afresh for every point."""

    workspace: Path
    state: Path

    def copy(self, to: Path) -> "Stage":
        """A fresh copy, whose journals belong to it as they belonged to the original."""
        shutil.rmtree(to, ignore_errors=True)
        shutil.copytree(self.workspace, to / "ws", symlinks=True)
        shutil.copytree(self.state, to / "state", symlinks=True)
        copied = Stage(to / "ws", to / "state")
        journals = copied.state / "journal"
        for folder in journals.iterdir() if journals.exists() else ():
            folder.rename(journals / copied.key)
        return copied

    @property
    def key(self) -> str:
        """The name under which the state keeps the journals of this workspace."""
        with Workspace(self.workspace) as workspace:
            return workspace.identity.journal_key


def count_calls(work: Callable[[], object]) -> list[tuple[str, str]]:
    """Every mutating call `work` makes, in order."""
    calls: list[tuple[str, str]] = []
    with syscalls.gated(lambda call, what: calls.append((call, what))):
        work()
    return calls


def killed_at(point: int, work: Callable[[], object]) -> bool:
    """Run `work` in a fork that is killed just before its call number `point`; whether it came that far."""
    seen = 0

    def gate(call: str, what: str) -> None:
        nonlocal seen
        seen += 1
        if seen == point:
            os.kill(os.getpid(), signal.SIGKILL)

    return killed(lambda: _gated(gate, work))


def killed(work: Callable[[], object]) -> bool:
    """Run `work` in a fork; whether it ended by SIGKILL."""
    return os.WTERMSIG(_in_fork(work)) == signal.SIGKILL


def failing_at(point: int, number: int, work: Callable[[], object], *, lasting: bool) -> None:
    """Run `work` here with call number `point` (and, when lasting, every later one) failing with errno `number`."""
    seen = 0

    def gate(call: str, what: str) -> None:
        nonlocal seen
        seen += 1
        if seen == point or (lasting and seen > point):
            raise OSError(number, os.strerror(number), what)

    _gated(gate, work)


def _gated(gate: syscalls.Gate, work: Callable[[], object]) -> None:
    with syscalls.gated(gate):
        work()


def _in_fork(work: Callable[[], object]) -> int:
    """The wait status of a child that does `work`; a failure in it is printed."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    status = os.waitpid(child, 0)[1]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise AssertionError("the engine failed in the fork; see the printed trace")
    return status
