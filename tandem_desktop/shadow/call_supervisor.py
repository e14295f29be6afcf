"""Carries out the system calls that Landlock does not decide on, for the processes of one sandbox.

A supervised call never goes on by itself where it names something in memory, which the caller could change after it was
looked at. The supervisor opens what the call names, looks where that really is, and acts on what it opened. It runs
outside the sandbox, as the same user and without capabilities. It needs only the standard library.
"""

import contextlib
import ctypes
import errno
import fcntl
import ipaddress
import os
import select
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.shadow import call_rules

_RECEIVE, _ANSWER, _IS_VALID = 0xC0502100, 0xC0182101, 0x40082102
_NOTIFICATION, _RESPONSE = struct.Struct("=QIIiIQ6Q"), struct.Struct("=QqiI")
_GO_ON = 1
_PIDFD_OPEN, _PIDFD_GETFD, _UTIMENSAT = 434, 438, 280
_HERE = -100
_NO_FOLLOW, _EMPTY_PATH = 0x100, 0x1000
_PAGE, _LONGEST_PATH = 4096, 4096
_LONGEST_ADDRESS, _LONGEST_ATTRIBUTE, _MOST_BYTES = 128, 256, 65536
_OF_THE_CALLER = {b"/proc/self": b"/proc/%d", b"/proc/thread-self": b"/proc/%d", b"/dev/fd": b"/proc/%d/fd"}
_PRIORITY_OF_PROCESS = {"setpriority": 0, "ioprio_set": 1}
_EVERYTHING = -1
_LISTENING = "0A"
_MOST_REFUSALS, _MOST_TRIES = 1000, 100
_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True, slots=True)
class Reach:
    """What processes in the sandbox may change and whom they may speak with."""

    writable: tuple[str, ...]
    sockets: tuple[str, ...]
    network: str
    allowed: str
    """A file with a line for each address on this machine that may be connected to: host, space, port."""
    refused: str
    """A file that gets such a line for each connection that was refused."""


@dataclass(frozen=True, slots=True)
class _Call:
    id: int
    task: int
    name: str
    arguments: tuple[int, ...]


class CallSupervisor:
    """Answers the calls that arrive on the listener of a seccomp filter."""

    def __init__(self, listener: int, reach: Reach) -> None:
        self._listener = listener
        self._reach = reach
        self._listening: set[int] = set()
        self._refusals: dict[str, int] = {}
        self._noting = threading.Lock()
        self._handlers: dict[str, Callable[[_Call], int | None]] = {
            "connect": self._connect,
            "bind": self._bind,
            "listen": self._listen,
            "truncate": self._truncate,
            "utimensat": self._set_times,
        }
        self._handlers |= dict.fromkeys(("chmod", "fchmod", "fchmodat", "fchmodat2"), self._chmod)
        self._handlers |= dict.fromkeys(("chown", "fchown", "lchown", "fchownat"), self._chown)
        self._handlers |= dict.fromkeys(("setxattr", "lsetxattr", "fsetxattr"), self._set_attribute)
        self._handlers |= dict.fromkeys(("removexattr", "lremovexattr", "fremovexattr"), self._remove_attribute)
        self._handlers |= dict.fromkeys((*call_rules.SIGNAL_CALLS, *call_rules.PROCESS_CALLS), self._about_process)
        self._handlers |= dict.fromkeys(call_rules.PRIORITY_CALLS, self._about_process)

    def serve(self) -> None:
        """Answer until the last process of the sandbox has ended."""
        waiting = select.poll()
        waiting.register(self._listener, select.POLLIN)
        while all(events & select.POLLIN for _, events in waiting.poll()):
            buffer = bytearray(_NOTIFICATION.size)
            try:
                fcntl.ioctl(self._listener, _RECEIVE, buffer)
            except OSError:  # the caller is gone, or was interrupted
                continue
            number, task, _, call, _, _, *arguments = _NOTIFICATION.unpack(buffer)
            found = _Call(number, task, call_rules.SUPERVISED.get(call, ""), tuple(arguments))
            if found.name == "connect":  # it may wait for the other side
                with contextlib.suppress(RuntimeError):  # no further thread can be had
                    threading.Thread(target=self._answer, args=(found,), daemon=True).start()
                    continue
            self._answer(found)

    def _answer(self, call: _Call) -> None:
        """Errors go to the caller; None lets the call go on as it is."""
        goes_on, failed = 0, 0
        try:
            handler = self._handlers.get(call.name)
            failed = errno.ENOSYS if handler is None else 0
            if handler is not None and handler(call) is None:
                goes_on = _GO_ON
        except OSError as error:
            failed = error.errno or errno.EPERM
        except Exception:  # whatever it is, the call was not carried out
            failed = errno.EINVAL
        with contextlib.suppress(OSError):  # the caller has ended
            fcntl.ioctl(self._listener, _ANSWER, bytearray(_RESPONSE.pack(call.id, 0, -failed, goes_on)))

    # Files

    def _chmod(self, call: _Call) -> int:
        mode = call.arguments[1 if call.name in ("chmod", "fchmod") else 2] & 0o7777
        with self._file(call) as fd:
            os.chmod(f"/proc/self/fd/{fd}", mode)
        return 0

    def _chown(self, call: _Call) -> int:
        first = 2 if call.name == "fchownat" else 1
        user, group = (_signed(each) for each in call.arguments[first : first + 2])
        with self._file(call) as fd:
            os.chown(f"/proc/self/fd/{fd}", user, group)
        return 0

    def _set_times(self, call: _Call) -> int:
        times = self._memory(call, call.arguments[2], 32) if call.arguments[2] else None
        with self._file(call) as fd:
            if _libc.syscall(_UTIMENSAT, _HERE, f"/proc/self/fd/{fd}".encode(), times, 0):
                raise OSError(ctypes.get_errno(), "utimensat")
        return 0

    def _truncate(self, call: _Call) -> int:
        with self._file(call) as fd:
            os.truncate(f"/proc/self/fd/{fd}", _signed(call.arguments[1], 64))
        return 0

    def _set_attribute(self, call: _Call) -> int:
        _, name, value, size, flags, _ = call.arguments
        if size > _MOST_BYTES:
            raise OSError(errno.E2BIG, "too long")
        attribute = self._attribute(call, name)
        data = self._memory(call, value, size) if size else b""
        with self._file(call) as fd:
            os.setxattr(f"/proc/self/fd/{fd}", attribute, data, flags & 3)
        return 0

    def _remove_attribute(self, call: _Call) -> int:
        attribute = self._attribute(call, call.arguments[1])
        with self._file(call) as fd:
            os.removexattr(f"/proc/self/fd/{fd}", attribute)
        return 0

    def _attribute(self, call: _Call, place: int) -> bytes:
        name = self._text(call, place, _LONGEST_ATTRIBUTE)
        if not name.startswith(b"user."):
            raise OSError(errno.EPERM, "an attribute of the system")
        return name

    @contextmanager
    def _file(self, call: _Call) -> Iterator[int]:
        """What the call names, opened as a place only, and in a folder that may be written."""
        fd = os.open(self._way(call), os.O_PATH | os.O_CLOEXEC | (0 if _follows(call) else os.O_NOFOLLOW))
        try:
            self._check_caller(call)
            if not self._is_writable(_place_of(fd)):
                raise OSError(errno.EPERM, "outside the shadow")
            yield fd
        finally:
            os.close(fd)

    def _way(self, call: _Call) -> bytes:
        """A path that leads from here to what the call names."""
        own = f"/proc/{call.task}".encode()
        first = _signed(call.arguments[0])
        if call.name.startswith("f") and not call.name.endswith(("at", "at2")):
            return own + b"/fd/%d" % _descriptor(first)
        if call.name in ("fchmodat", "fchmodat2", "fchownat", "utimensat"):
            flags = _flags(call)
            path = self._text(call, call.arguments[1]) if call.arguments[1] else b""
            if not path and not (flags & _EMPTY_PATH or (call.name == "utimensat" and not call.arguments[1])):
                raise OSError(errno.ENOENT, "no name")
            start = own + (b"/cwd" if first == _HERE else b"/fd/%d" % _descriptor(first, path.startswith(b"/")))
        else:
            path, start = self._text(call, call.arguments[0]), own + b"/cwd"
            if not path:
                raise OSError(errno.ENOENT, "no name")
        return self._seen_by(call, path, start)

    def _seen_by(self, call: _Call, path: bytes, start: bytes) -> bytes:
        if not path.startswith(b"/"):
            return start + b"/" + path if path else start
        for mine, theirs in _OF_THE_CALLER.items():
            if path == mine or path.startswith(mine + b"/"):
                return theirs % call.task + path[len(mine) :]
        return path

    def _is_writable(self, place: str) -> bool:
        return any(place == each or place.startswith(f"{each}/") for each in self._reach.writable)

    # Sockets

    def _connect(self, call: _Call) -> int:
        address = self._memory(call, call.arguments[1], min(call.arguments[2] & 0xFFFFFFFF, _LONGEST_ADDRESS))
        family = struct.unpack_from("=H", address)[0]
        with self._socket(call) as found:
            if family == socket.AF_UNSPEC or (family == socket.AF_NETLINK and found.family == family):
                return _connected(found, address)
            if family != found.family:
                raise OSError(errno.EAFNOSUPPORT, "another family")
            if family == socket.AF_UNIX:
                return self._connect_by_file(call, found, address)
            if family not in (socket.AF_INET, socket.AF_INET6) or self._reach.network == "off":
                raise OSError(errno.EACCES, "no network")
            return self._connect_by_port(found, address)

    def _connect_by_file(self, call: _Call, found: socket.socket, address: bytes) -> int:
        """To the file that was looked at, whatever has its name by then."""
        name = address[2:].split(b"\0", 1)[0]
        if not name:
            raise OSError(errno.ECONNREFUSED, "a name without a file")
        way = self._seen_by(call, name, f"/proc/{call.task}/cwd".encode())
        fd = os.open(way, os.O_PATH | os.O_CLOEXEC)
        try:
            self._check_caller(call)
            place = _place_of(fd)
            if place not in self._reach.sockets and not self._is_writable(place):
                raise OSError(errno.EACCES, "a socket of another program")
            return _connected(found, struct.pack("=H", socket.AF_UNIX) + f"/proc/self/fd/{fd}".encode() + b"\0")
        finally:
            os.close(fd)

    def _connect_by_port(self, found: socket.socket, address: bytes) -> int:
        if self._reach.network == "open":
            return _connected(found, address)
        host, port = _host_and_port(address)
        if f"{host} {port}" in _lines(self._reach.allowed):
            return _connected(found, address)
        if host.is_loopback and self._is_own_server(port):
            result = _connected(found, address)
            if self._is_own_server(port):
                return result
            _connected(found, struct.pack("=H14x", socket.AF_UNSPEC))
        self._note_refusal(host, port)
        raise OSError(errno.ECONNREFUSED, "not allowed")

    def _is_own_server(self, port: int) -> bool:
        """Whether something in this sandbox listens there, and nothing else does."""
        found = set(_listeners(port))
        return bool(found) and found <= self._listening

    def _note_refusal(self, host: object, port: int) -> None:
        """Each address gets its lines, so that many tries at one do not hide another."""
        place = f"{host} {port}"
        with self._noting:
            count = self._refusals[place] = self._refusals.get(place, 0) + 1
            is_new = count == 1 and len(self._refusals) <= _MOST_REFUSALS
            if self._reach.refused and (is_new or 1 < count <= _MOST_TRIES):
                with contextlib.suppress(OSError), open(self._reach.refused, "a", encoding="utf-8") as file:
                    file.write(f"{place}\n")

    def _bind(self, call: _Call) -> int | None:
        """On this machine's own address only; a file's name is left to Landlock."""
        address = self._memory(call, call.arguments[1], min(call.arguments[2] & 0xFFFFFFFF, _LONGEST_ADDRESS))
        with self._socket(call) as found:
            if found.family not in (socket.AF_INET, socket.AF_INET6):
                return None  # whatever is bound in its place is looked at when it listens
            if self._reach.network == "open":
                return _bound(found, address)
            host, port = _host_and_port(address)
            if host.is_unspecified:
                return _bound(found, _loopback(found, port))
            if not host.is_loopback:
                raise OSError(errno.EADDRNOTAVAIL, "not on this machine")
            return _bound(found, address)

    def _listen(self, call: _Call) -> int:
        with self._socket(call) as found:
            self._check_caller(call)
            if found.family == socket.AF_UNIX:
                name = found.getsockname()
                if not name or name[:1] in ("\0", b"\0"):
                    raise OSError(errno.EACCES, "a name without a file")
            elif found.family in (socket.AF_INET, socket.AF_INET6) and self._reach.network != "open":
                host, port = found.getsockname()[:2]
                if not port:
                    _bound(found, _loopback(found, 0))
                elif not _address(host).is_loopback:
                    raise OSError(errno.EACCES, "on every address of this machine")
                self._listening.add(os.fstat(found.fileno()).st_ino)
            found.listen(max(0, _signed(call.arguments[1])))
        return 0

    @contextmanager
    def _socket(self, call: _Call) -> Iterator[socket.socket]:
        """The caller's own socket."""
        pidfd = _checked(_libc.syscall(_PIDFD_OPEN, _process_of(call.task), 0))
        try:
            fd = _checked(_libc.syscall(_PIDFD_GETFD, pidfd, _descriptor(_signed(call.arguments[0])), 0))
        finally:
            os.close(pidfd)
        with socket.socket(fileno=fd) as found:
            self._check_caller(call)
            yield found

    # Processes

    def _about_process(self, call: _Call) -> None:
        """Numbers cannot change after they were looked at, so the call may go on."""
        target = _signed(call.arguments[0])
        if call.name in call_rules.PRIORITY_CALLS:
            if target != _PRIORITY_OF_PROCESS[call.name]:
                raise OSError(errno.EPERM, "not one process")
            target = _signed(call.arguments[1])
        if call.name == "kill" and target <= 0 and target != _EVERYTHING:
            wanted = set(_group(-target or os.getpgid(call.task)))
        else:
            wanted = {_process_of(target or call.task)} if target >= 0 else {_EVERYTHING}
        if not wanted <= _inside(os.getpid()):
            raise OSError(errno.EPERM, "a process outside")

    # The caller

    def _check_caller(self, call: _Call) -> None:
        """The number of a caller that has ended may belong to another process."""
        fcntl.ioctl(self._listener, _IS_VALID, struct.pack("=Q", call.id))

    def _memory(self, call: _Call, place: int, size: int) -> bytes:
        with open(f"/proc/{call.task}/mem", "rb", buffering=0) as memory:
            self._check_caller(call)
            try:
                data = os.pread(memory.fileno(), size, place)
            except (OSError, OverflowError):
                data = b""
        if len(data) != size:
            raise OSError(errno.EFAULT, "no such memory")
        return data

    def _text(self, call: _Call, place: int, longest: int = _LONGEST_PATH) -> bytes:
        """Read by pages: the one after the end may not be there."""
        found = b""
        while len(found) < longest:
            found += self._memory(call, place + len(found), _PAGE - (place + len(found)) % _PAGE)
            if b"\0" in found:
                return found[: found.index(b"\0")]
        raise OSError(errno.ENAMETOOLONG, "too long")


def _follows(call: _Call) -> bool:
    if call.name in ("lchown", "lsetxattr", "lremovexattr"):
        return False
    return not _flags(call) & _NO_FOLLOW


def _flags(call: _Call) -> int:
    at = {"fchmodat2": 3, "utimensat": 3, "fchownat": 4}.get(call.name)
    return call.arguments[at] & 0xFFFFFFFF if at is not None else 0


def _signed(value: int, bits: int = 32) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _descriptor(number: int, is_unused: bool = False) -> int:
    if number < 0 and not is_unused:
        raise OSError(errno.EBADF, "no descriptor")
    return max(number, 0)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def _place_of(fd: int) -> str:
    return str(Path(f"/proc/self/fd/{fd}").readlink())


def _connected(found: socket.socket, address: bytes) -> int:
    return _checked(_libc.connect(found.fileno(), address, len(address)))


def _bound(found: socket.socket, address: bytes) -> int:
    return _checked(_libc.bind(found.fileno(), address, len(address)))


def _loopback(found: socket.socket, port: int) -> bytes:
    """This machine's own address; the one of IPv4 also for a socket that would take both."""
    if found.family == socket.AF_INET:
        return struct.pack("=H", socket.AF_INET) + struct.pack("!H4s8x", port, b"\x7f\0\0\1")
    only = found.getsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY)
    host = ipaddress.IPv6Address("::1" if only else "::ffff:127.0.0.1").packed
    return struct.pack("=H", socket.AF_INET6) + struct.pack("!HI16sI", port, 0, host, 0)


_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _host_and_port(address: bytes) -> tuple[_Address, int]:
    if struct.unpack_from("=H", address)[0] == socket.AF_INET:
        port, host = struct.unpack_from("!H4s", address, 2)
        return ipaddress.IPv4Address(host), port
    port, _, host = struct.unpack_from("!HI16s", address, 2)
    return _plain(ipaddress.IPv6Address(host)), port


def _address(host: str) -> _Address:
    return _plain(ipaddress.ip_address(host.partition("%")[0]))


def _plain(address: _Address) -> _Address:
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines() if path else []
    except OSError:
        return []


def _listeners(port: int) -> Iterator[int]:
    """The inodes of the sockets that listen on a port of this machine."""
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/self/net", name).read_text(encoding="ascii").splitlines()[1:]:
                words = line.split()
                if words[3] == _LISTENING and words[1].endswith(f":{port:04X}"):
                    yield int(words[9])


def _process_of(task: int) -> int:
    try:
        lines = Path(f"/proc/{task}/status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError as error:
        raise OSError(errno.ESRCH, "no such process") from error
    return next(int(line.split()[1]) for line in lines if line.startswith("Tgid:"))


def _inside(supervisor: int) -> set[int]:
    """Every process that came from the supervisor."""
    children: dict[int, list[int]] = {}
    for pid, parent, _ in _processes():
        children.setdefault(parent, []).append(pid)
    found = list(children.get(supervisor, ()))
    for each in found:
        found.extend(children.get(each, ()))
    return set(found)


def _group(number: int) -> Iterator[int]:
    found = [pid for pid, _, group in _processes() if group == number]
    if not found:
        raise OSError(errno.ESRCH, "no such group")
    yield from found


def _processes() -> Iterator[tuple[int, int, int]]:
    """Number, parent and group of every process."""
    for name in os.listdir("/proc"):
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError), open(f"/proc/{name}/stat", "rb") as file:
                words = file.read().rpartition(b")")[2].split()
                yield int(name), int(words[1]), int(words[2])
