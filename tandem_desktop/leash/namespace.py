"""A network namespace with nothing in it, kept by a helper process."""

import contextlib
import os
import socket
import subprocess
import threading
from collections.abc import Sequence

from tandem_desktop.domain.errors import ShadowError
from tandem_desktop.leash import namespace_helper
from tandem_desktop.processes.child import find_program
from tandem_desktop.processes.own_program import own_script

_PATIENCE_S = 30.0
_FROZEN = ("network-helper",)


class NetworkNamespace:
    """Belongs to one leash. Processes join it by `joining`; sockets in it are opened here. Blocks: not for the loop."""

    def __init__(self, before: Sequence[str] = (), *, joins_user: bool = False) -> None:
        """`before` are words that lead to the user namespace it is to belong to.

        Where there are none an ordinary user gets one with it, and `joins_user` says so.

        Raises:
            ShadowError: the kernel refuses, or a tool is missing.
        """
        unshare = find_program("unshare")
        if unshare is None:
            raise _no_namespace("the program unshare is missing")
        self._joins_user = joins_user
        self.packets: socket.socket | None = None
        self._lock = threading.Lock()
        own = ["--user", "--map-root-user"] if joins_user else []
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._engine = ours
            self._engine.settimeout(_PATIENCE_S)
            self._process: subprocess.Popen[bytes] = subprocess.Popen(
                [*before, unshare, *own, "--net", "--", *own_script(namespace_helper.__file__, frozen=_FROZEN)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                cwd="/",
                env={"PATH": os.defpath, "LC_ALL": "C"},
                start_new_session=True,
            )
        try:
            words, self.packets = self._heard()
        except BaseException:
            self.end()
            raise
        if words != "ready":
            self.end()
            raise _no_namespace(words)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def joining(self) -> tuple[str, ...]:
        """Options of nsenter."""
        user = (f"--user=/proc/{self.pid}/ns/user", "--preserve-credentials") if self._joins_user else ()
        return (*user, f"--net=/proc/{self.pid}/ns/net")

    def listen(self, host: str, port: int) -> tuple[socket.socket, int]:
        """A socket that listens in the namespace, and its port; with port 0 any one.

        Raises:
            OSError: it cannot be had.
        """
        with self._lock:
            self._engine.send(f"{'6' if ':' in host else '4'} {host} {port}".encode())
            words, found = self._heard()
        if found is None:
            raise OSError(words)
        return found, int(words.split()[1])

    def end(self) -> None:
        self._engine.close()
        if self.packets is not None:
            self.packets.close()
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()

    def _heard(self) -> tuple[str, socket.socket | None]:
        try:
            data, handed, _, _ = socket.recv_fds(self._engine, 4096, 1)
        except OSError as error:
            raise _no_namespace(str(error)) from error
        if not data:
            raise _no_namespace(self._complaint())
        return data.decode("utf-8", "replace"), socket.socket(fileno=handed[0]) if handed else None

    def _complaint(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            self._process.wait(2.0)
            assert self._process.stderr is not None
            lines = self._process.stderr.read().decode("utf-8", "replace").strip().splitlines()
            return lines[-1] if lines else "no reason given"
        return "no answer"


def _no_namespace(reason: str) -> ShadowError:
    return ShadowError(
        f"The agent's network cannot be leashed: {reason}.",
        next='Allow network namespaces on this system, or choose: tandem config set network off, or "open".',
    )
