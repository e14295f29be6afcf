"""Starts a command and ends everything that came from it, daemons included.

A daemon leaves its parent, its group and its session, and may empty its environment. To the kernel it stays a
descendant of the nearest subreaper, which this process is. Run by its path alone, it needs only the standard library.
"""

import contextlib
import ctypes
import os
import signal
import sys
import time
from types import FrameType

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_SWEEPS = 200
_PAUSE_S = 0.005


def main(parent: int, command: list[str]) -> int:
    """Run `command` for the process `parent`, then end what is left; the exit code is the command's."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    if os.getppid() != parent:
        return 1  # Tandem ended before this process was tied to it
    child = os.fork()
    if child == 0:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        try:
            os.execvp(command[0], command)
        except OSError as error:
            sys.stderr.write(f"tandem: {command[0]}: {error.strerror}\n")
            os._exit(127)

    def told_to_end(number: int, frame: FrameType | None) -> None:
        if os.getppid() != parent:
            _end_all()
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, told_to_end)
    _let_go_of_pipes()
    code = _wait_for(child)
    _end_all()
    if code < 0:  # ended by a signal, and so is this process
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def end_descendants(pid: int) -> None:
    """Kill whatever came from a process of this kind; it ends by itself then."""
    for each in descendants(pid):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(each, signal.SIGKILL)


def descendants(pid: int) -> list[int]:
    """Every process that came from `pid`, nearest first."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                children.setdefault(int(file.read().rpartition(b")")[2].split()[1]), []).append(int(name))
    found = list(children.get(pid, ()))
    for each in found:
        found.extend(children.get(each, ()))
    return found


def _let_go_of_pipes() -> None:
    """The command's pipes end with the command, not with this process."""
    nothing = os.open(os.devnull, os.O_RDONLY)
    for fd in (0, 1, 2):
        os.dup2(nothing, fd)
    os.close(nothing)


def _wait_for(child: int) -> int:
    while True:
        try:
            pid, status = os.waitpid(-1, 0)
        except ChildProcessError:
            return 1
        if pid == child:
            return os.waitstatus_to_exitcode(status)


def _end_all() -> None:
    """Kill every descendant; what one of them starts during a sweep is found by the next."""
    for _ in range(_SWEEPS):
        found = descendants(os.getpid())
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        time.sleep(_PAUSE_S)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
