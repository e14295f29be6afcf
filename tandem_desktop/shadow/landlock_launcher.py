"""Starts a command in a sandbox of Landlock and seccomp, and supervises it.

Landlock is a list of what is allowed, and a rule holds for everything below its place. A folder with something hidden
in it gets no rule; its other entries get one each. Run by its path alone, it needs only the standard library.
"""

import contextlib
import ctypes
import json
import os
import signal
import stat
import struct
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

if __name__ == "__main__":  # modules of the installation come after those of the standard library
    sys.path.append(str(Path(__file__).resolve().parents[2]))

from tandem_desktop.shadow import call_rules
from tandem_desktop.shadow.call_supervisor import CallSupervisor, Reach

REFUSED = 97
UNSEEN = 98
"""Exit codes of a start that was refused, as in the other sandbox."""
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF, _SECCOMP = 444, 445, 446, 317
_PIDFD_OPEN, _PIDFD_GETFD, _CAPSET = 434, 438, 126
_SET_DEATH_SIGNAL, _SET_NO_NEW_PRIVILEGES, _SET_SUBREAPER, _DROP_CAPABILITY, _AMBIENT = 1, 38, 36, 24, 47
_CLEAR_AMBIENT = 4
_CAPABILITIES_VERSION = 0x20080522
_SET_FILTER, _NEW_LISTENER, _WAIT_KILLABLE = 1, 8, 32
_BENEATH = 1
_READING, _EXECUTE = 1 << 2 | 1 << 3, 1 << 0
_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many rights to files an ABI knows; later ones know as many as the last."""
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_TCP, _SCOPES = 0b11, 0b11
_NO_EXECUTION = ("/proc", "/sys")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_LAST_CAPABILITY = 63
_NOT_RUN = 127
_libc = ctypes.CDLL(None, use_errno=True)


def main(told: str, command: list[str]) -> int:
    """Run `command` as the JSON object `told` says; the exit code is the command's."""
    wanted = json.loads(told)
    try:
        _give_up_rights()
        ruleset = _ruleset(wanted)
        listener, child = _start(wanted, ruleset, command)
    except OSError as error:
        sys.stderr.write(f"tandem: the sandbox cannot be made: {error}. The command was not started.\n")
        return REFUSED
    writable, sockets = (tuple(os.path.realpath(each) for each in wanted[name]) for name in ("writable", "sockets"))
    reach = Reach(writable, sockets, wanted["network"], wanted["allowed"], wanted["refused"])
    threading.Thread(target=CallSupervisor(listener, reach).serve, daemon=True).start()
    return _ended(child)


def abi_version() -> int:
    """The ABI of this kernel's Landlock; 0 where there is none."""
    return max(0, int(_libc.syscall(_CREATE_RULESET, None, 0, 1)))


def readable_places(hidden: Iterable[str], shown: Iterable[str]) -> Iterator[str]:
    """The outermost places in which nothing is hidden: of the whole machine, and of each place that is shown."""
    secret = frozenset(hidden)
    above = {str(parent) for each in secret for parent in Path(each).parents}
    yield from _open_places("/", secret, above)
    for place in shown:
        yield from _open_places(place, secret - {place}, above)


def _open_places(place: str, hidden: frozenset[str], above: set[str]) -> Iterator[str]:
    if place in hidden or Path(place).is_symlink():
        return
    if place not in above:
        yield place
        return
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(place)):
            yield from _open_places(os.path.join(place, name), hidden, above)


def _give_up_rights() -> None:
    """Nothing that root may do beyond its own files, here and in every process that follows."""
    _checked(_libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no_new_privs")
    _libc.prctl(_SET_SUBREAPER, 1, 0, 0, 0)
    for number in range(_LAST_CAPABILITY + 1):
        _libc.prctl(_DROP_CAPABILITY, number, 0, 0, 0)  # refused to an ordinary user, who has none
    _libc.prctl(_AMBIENT, _CLEAR_AMBIENT, 0, 0, 0)
    header = struct.pack("=Ii", _CAPABILITIES_VERSION, 0)
    _checked(_libc.syscall(_CAPSET, header, bytes(24)), "capset")


def _ruleset(wanted: dict[str, Any]) -> int:
    abi = wanted["abi"]
    everything = (1 << _RIGHTS.get(abi, max(_RIGHTS.values()))) - 1
    attributes = struct.pack("=Q", everything)
    if abi >= 4:
        attributes += struct.pack("=Q", 0 if wanted["network"] == "open" else _TCP)
    if abi >= 6:
        attributes += struct.pack("=Q", _SCOPES)
    ruleset = _checked(_libc.syscall(_CREATE_RULESET, attributes, len(attributes), 0), "landlock_create_ruleset")
    hidden = ("/dev", *wanted["hidden"])
    for place in readable_places(hidden, wanted["shown"]):
        _allow(ruleset, place, _READING | (0 if place in _NO_EXECUTION else _EXECUTE))
    for name in _DEVICES:
        _allow(ruleset, f"/dev/{name}", everything)
    for place in wanted["writable"]:
        _allow(ruleset, place, everything)
    return ruleset


def _allow(ruleset: int, place: str, rights: int) -> None:
    try:
        fd = os.open(place, os.O_PATH | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:  # it is gone meanwhile, or this user may not look there
        return
    try:
        mode = os.fstat(fd).st_mode
        if stat.S_ISLNK(mode):
            return
        rule = struct.pack("=Qi", rights if stat.S_ISDIR(mode) else rights & _OF_FILES, fd)
        _checked(_libc.syscall(_ADD_RULE, ruleset, _BENEATH, rule, 0), f"landlock_add_rule of {place}")
    finally:
        os.close(fd)


def _start(wanted: dict[str, Any], ruleset: int, command: list[str]) -> tuple[int, int]:
    """The listener of the filter, and the process that waits for it to be taken and then runs the command."""
    reading, told = os.pipe()
    waiting, taken = os.pipe()
    parent = os.getpid()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.close(taken)
        _become(wanted, ruleset, command, told, waiting, parent)
    os.close(told)
    os.close(waiting)
    os.close(ruleset)
    with open(reading, "rb") as file:
        words = file.read(4)
    if len(words) < 4:  # it has said why
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    pidfd = _checked(_libc.syscall(_PIDFD_OPEN, child, 0), "pidfd_open")
    listener = _checked(_libc.syscall(_PIDFD_GETFD, pidfd, struct.unpack("=i", words)[0], 0), "pidfd_getfd")
    os.close(pidfd)
    os.write(taken, b"x")
    os.close(taken)
    return listener, child


def _become(wanted: dict[str, Any], ruleset: int, command: list[str], told: int, waiting: int, parent: int) -> None:
    code = REFUSED
    try:
        _libc.prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(REFUSED)
        os.setsid()
        os.chdir(wanted["cwd"])
        _checked(_libc.syscall(_RESTRICT_SELF, ruleset, 0), "landlock_restrict_self")
        for place in wanted["needed"]:
            if not os.access(place, os.F_OK) or not _is_readable(place):
                sys.stderr.write(f"tandem: {place} is needed to start, and it cannot be seen in the sandbox.\n")
                sys.stderr.flush()
                os._exit(UNSEEN)
        os.write(told, struct.pack("=i", _filtered(call_rules.program(wanted["abi"], wanted["network"]))))
        code = _NOT_RUN
        os.read(waiting, 1)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        os.execvpe(command[0], command, os.environ)
    except OSError as error:
        sys.stderr.write(f"tandem: {command[0]}: {error}\n")
        sys.stderr.flush()
    os._exit(code)


def _is_readable(place: str) -> bool:
    """Landlock hides no names, so opening is the test; what only root may read can still be run."""
    try:
        os.close(os.open(place, os.O_RDONLY | os.O_CLOEXEC))
    except OSError:
        return Path(place).is_file() and not os.access(place, os.R_OK)
    return True


def _filtered(steps: bytes) -> int:
    """Load the filter; its listener. A call that waits is only ended by a signal that kills, where the kernel can."""
    memory = ctypes.create_string_buffer(steps, len(steps))
    described = struct.pack("HxxxxxxP", len(steps) // 8, ctypes.addressof(memory))
    listener = _libc.syscall(_SECCOMP, _SET_FILTER, _NEW_LISTENER | _WAIT_KILLABLE, described)
    if listener < 0:
        listener = _libc.syscall(_SECCOMP, _SET_FILTER, _NEW_LISTENER, described)
    return _checked(int(listener), "seccomp")


def _ended(child: int) -> int:
    """Wait for the command; then end by its code or its signal. Whatever it left behind is ended with this process."""

    def pass_on(number: int, frame: FrameType | None) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, pass_on)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for fd in (0, 1, 2):  # the pipes end with the command, not with this process
        os.dup2(nothing, fd)
    while True:
        pid, status = os.waitpid(-1, 0)
        if pid == child:
            break
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    return code


def _checked(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
