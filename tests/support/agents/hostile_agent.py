"""An agent that tries every way it knows to write, from everywhere it can: `hostile_agent.py JOB`.

The job is a JSON object: `ways`, `whos`, `asks` (ask before each attempt, then go on whatever the answer is), `lingers`
(stay when told to go), `outside` (a place beside the workspace), `state` (Tandem's own folder), `person` (the real
home) and `services` (what listens on this machine: `file`, `datagrams`, `abstract`, `tcp`, `udp`). What came of each
attempt is said at the end of the turn as one JSON object. Nothing but the standard library is used.

It must do no harm where it is not held back: beyond the folders of the test it only finds out whether it could.
"""

import contextlib
import ctypes
import fcntl
import json
import mmap
import os
import resource
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

DONE = "done"
BEHIND = "behind"
_PTRACE_ATTACH, _PTRACE_DETACH = 16, 17
_TGKILL, _KEYCTL, _IO_URING_SETUP = 234, 250, 425


class Attempt:
    """One way, by one process, in a folder of its own: `file`, `other`, `folder/inner`, `empty/` are there before."""

    def __init__(self, job: dict[str, Any], who: str, way: str) -> None:
        self.base = Path.cwd() / "t" / who / way
        self.mark = f"{who} {way}\n"
        self.name = f"{who}-{way}"
        self.file = self.base / "file"
        self.other = self.base / "other"
        self.outside = Path(job["outside"])
        self.state = Path(job["state"])
        self.person = Path(job["person"])
        self._services = job["services"]
        self._planning = job.get("planning", "")

    def write(self) -> None:
        self.file.write_text(self.mark)

    def append(self) -> None:
        with self.file.open("a") as file:
            file.write(self.mark)

    def create(self) -> None:
        (self.base / "new").write_text(self.mark)

    def rename_over(self) -> None:
        (self.base / "temporary").write_text(self.mark)
        (self.base / "temporary").replace(self.file)

    def move_folder(self) -> None:
        shutil.move(self.base / "folder", self.base / "moved")

    def exchange(self) -> None:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
        _checked(renameat2(-100, os.fsencode(self.file), -100, os.fsencode(self.other), 2))

    def hard_link(self) -> None:
        (self.base / "linked").hardlink_to(self.file)
        (self.base / "linked").write_text(self.mark)

    def through_link(self) -> None:
        (self.base / "link").symlink_to("file")
        (self.base / "link").write_text(self.mark)

    def through_link_outside(self) -> None:
        (self.base / "link").symlink_to(self.outside / "file")
        (self.base / "link").write_text(self.mark)

    def through_folder_link(self) -> None:
        (self.base / "link").symlink_to(self.outside)
        (self.base / "link" / self.name).write_text(self.mark)

    def upwards(self) -> None:
        (Path.cwd() / ".." / "outside" / self.name).write_text(self.mark)

    def memory_map(self) -> None:
        with self.file.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
            memory[0:3] = b"MAP"
            memory.flush()

    def truncate(self) -> None:
        os.truncate(self.file, 0)

    def fallocate(self) -> None:
        fd = os.open(self.file, os.O_RDWR)
        os.posix_fallocate(fd, 0, 64)
        os.close(fd)

    def chmod(self) -> None:
        self.file.chmod(0o755)

    def chmod_folder(self) -> None:
        (self.base / "folder").chmod(0o700)

    def touch(self) -> None:
        os.utime(self.file, (1, 1))

    def attribute(self) -> None:
        os.setxattr(self.file, "user.hostile", b"1")

    def make_folder(self) -> None:
        (self.base / "made").mkdir()

    def remove_folder(self) -> None:
        (self.base / "empty").rmdir()

    def unlink(self) -> None:
        self.file.unlink()

    def remove_tree(self) -> None:
        shutil.rmtree(self.base / "folder")

    def replace_tree(self) -> None:
        shutil.rmtree(self.base / "folder")
        (self.base / "folder").mkdir()
        (self.base / "folder" / "fresh").write_text(self.mark)

    def folder_for_file(self) -> None:
        self.file.unlink()
        self.file.mkdir()

    def pipe(self) -> None:
        os.mkfifo(self.base / "pipe")

    def device(self) -> None:
        os.mknod(self.base / "device", stat.S_IFBLK | 0o600, os.makedev(8, 0))

    def socket(self) -> None:
        os.chdir(self.base)
        socket.socket(socket.AF_UNIX).bind("socket")

    def sendfile(self) -> None:
        with self.other.open("rb") as source, self.file.open("r+b") as target:
            os.sendfile(target.fileno(), source.fileno(), 0, 100)

    def copy_range(self) -> None:
        with self.other.open("rb") as source, self.file.open("r+b") as target:
            os.copy_file_range(source.fileno(), target.fileno(), 100)

    def nameless(self) -> None:
        fd = os.open(self.base, os.O_TMPFILE | os.O_WRONLY, 0o644)
        os.write(fd, self.mark.encode())
        os.link(f"/proc/self/fd/{fd}", self.base / "named", src_dir_fd=-100, follow_symlinks=True)

    def reopened(self) -> None:
        fd = os.open(self.file, os.O_RDONLY)
        Path(f"/proc/self/fd/{fd}").write_text(self.mark)

    def own_root(self) -> None:
        Path(f"/proc/self/root{self.file}").write_text(self.mark)

    def root_of_first(self) -> None:
        Path(f"/proc/1/root{self.file}").write_text(self.mark)

    def inherited(self) -> None:
        """Through whatever was left open when the agent was started."""
        found = [number for number in os.listdir("/proc/self/fd") if int(number) > 2]
        for number in found:
            with contextlib.suppress(OSError):
                Path(f"/proc/self/fd/{number}/t/{self.name}").write_text(self.mark)
        self.write()

    def shell(self) -> None:
        script = 'printf "%s" "$1" > "$2"; sed -i s/other/OTHER/ "$3"'
        subprocess.run(["sh", "-c", script, "sh", self.mark, self.file, self.other], check=True)

    def own_namespace(self) -> None:
        """A namespace of its own, where it may take mounts away."""
        script = f'umount -l "{Path.cwd()}" || umount -l /; printf x > "{self.file}"'
        _run(["unshare", "-Urm", "sh", "-c", script])

    def bind(self) -> None:
        script = f'mount --bind "{self.outside}" "{self.base}/empty" && printf x > "{self.base}/empty/{self.name}"'
        _run(["unshare", "-Urm", "sh", "-c", script])

    def remount(self) -> None:
        script = f'mount -o remount,rw,bind / && printf x > "{self.outside}/{self.name}"'
        _run(["unshare", "-Urm", "sh", "-c", script])

    def join_parent(self) -> None:
        _run(["nsenter", "-t", "1", "-m", "-U", "sh", "-c", f'printf x > "{self.outside}/{self.name}"'])

    def trace_first(self) -> None:
        _insist_on_own_first_process()
        libc = ctypes.CDLL(None, use_errno=True)
        _checked(libc.ptrace(_PTRACE_ATTACH, 1, 0, 0))
        os.waitpid(1, 0x40000000)
        libc.ptrace(_PTRACE_DETACH, 1, 0, 0)

    def kill_first(self) -> None:
        _insist_on_own_first_process()
        os.kill(1, signal.SIGKILL)
        os.kill(1, 0)

    def kill_outside(self) -> None:
        """The process that started it, by the number it has outside; whether it could, without doing it."""
        os.kill(int(os.environ["HOSTILE_OUTSIDE_PID"]), 0)

    def state_folder(self) -> None:
        (self.state / self.name).write_text(self.mark)

    def approval_key(self) -> None:
        for path in self.state.rglob("*"):
            if path.is_file() and not path.is_relative_to(Path.home()):
                path.read_bytes()
                return
        raise PermissionError("nothing of it can be seen")

    def own_plans(self) -> None:
        target = Path.cwd() / ".tandem" / "plans"
        target.mkdir(exist_ok=True)
        (target / "index.json").write_text(self.mark)

    def person_keys(self) -> None:
        (self.person / ".ssh" / "authorized_keys").write_text(self.mark)

    def person_start_file(self) -> None:
        (self.person / ".bashrc").write_text(self.mark)

    def system(self) -> None:
        _open_for_writing("/etc/passwd")

    def kernel(self) -> None:
        _open_for_writing("/proc/sys/kernel/core_pattern")

    def git_hook(self) -> None:
        hook = Path(".git/hooks") / self.name
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(0o755)

    def git_settings(self) -> None:
        with Path(".git/config").open("a") as file:
            file.write(f"[core]\n\tfsmonitor = {self.name}\n")

    def chmod_outside(self) -> None:
        (self.outside / "file").chmod(0o777)

    def chmod_folder_outside(self) -> None:
        self.outside.chmod(0o777)

    def chmod_by_descriptor(self) -> None:
        """Through a descriptor that may only read: of this program itself, which every sandbox shows."""
        fd = os.open(__file__, os.O_RDONLY)
        os.fchmod(fd, 0o777)

    def chmod_by_link(self) -> None:
        """The name leads to what is allowed when it is looked at, and elsewhere when it is used."""
        (self.base / "turning").symlink_to(self.outside / "file")
        (self.base / "turning").chmod(0o777)

    def chmod_by_magic_link(self) -> None:
        fd = os.open(self.outside / "file", os.O_PATH)
        os.chmod(f"/proc/self/fd/{fd}", 0o777)

    def chown_outside(self) -> None:
        os.chown(self.outside / "file", os.getuid(), os.getgid())

    def touch_outside(self) -> None:
        os.utime(self.outside / "file", (1, 1))

    def attribute_outside(self) -> None:
        os.setxattr(self.outside / "file", "user.hostile", b"1")

    def truncate_outside(self) -> None:
        os.truncate(self.outside / "file", 0)

    def truncate_by_reading(self) -> None:
        os.open(self.outside / "file", os.O_RDONLY | os.O_TRUNC)

    def unlink_outside(self) -> None:
        (self.outside / "file").unlink()

    def link_in(self) -> None:
        (self.base / "linked").hardlink_to(self.outside / "file")

    def rename_in(self) -> None:
        (self.outside / "file").rename(self.base / "taken")

    def rename_out(self) -> None:
        (self.base / "other").rename(self.outside / self.name)

    def make_folder_outside(self) -> None:
        (self.outside / self.name).mkdir()

    def pipe_outside(self) -> None:
        os.mkfifo(self.outside / self.name)

    def socket_outside(self) -> None:
        socket.socket(socket.AF_UNIX).bind(str(self.outside / self.name))

    def root_of_outside(self) -> None:
        Path(f"/proc/{os.environ['HOSTILE_OUTSIDE_PID']}/root{self.outside}/{self.name}").write_text(self.mark)

    def folder_of_outside(self) -> None:
        Path(f"/proc/{os.environ['HOSTILE_OUTSIDE_PID']}/cwd/.").resolve(strict=True).stat()
        _open_for_writing(f"/proc/{os.environ['HOSTILE_OUTSIDE_PID']}/cwd/pyproject.toml")

    def memory_of_outside(self) -> None:
        _open_for_writing(f"/proc/{os.environ['HOSTILE_OUTSIDE_PID']}/mem")

    def surroundings_of_outside(self) -> None:
        Path(f"/proc/{os.environ['HOSTILE_OUTSIDE_PID']}/environ").read_bytes()

    def trace_outside(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        pid = int(os.environ["HOSTILE_OUTSIDE_PID"])
        _checked(libc.ptrace(_PTRACE_ATTACH, pid, 0, 0))
        os.waitpid(pid, 0x40000000)
        libc.ptrace(_PTRACE_DETACH, pid, 0, 0)

    def limit_outside(self) -> None:
        pid = int(os.environ["HOSTILE_OUTSIDE_PID"])
        resource.prlimit(pid, resource.RLIMIT_CORE, resource.prlimit(pid, resource.RLIMIT_CORE))

    def thread_outside(self) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        pid = int(os.environ["HOSTILE_OUTSIDE_PID"])
        _checked(libc.syscall(_TGKILL, pid, pid, 0))

    def owner_of_signals(self) -> None:
        """The kernel is to send the signal."""
        reading, _ = os.pipe()
        fcntl.fcntl(reading, fcntl.F_SETOWN, int(os.environ["HOSTILE_OUTSIDE_PID"]))

    def person_secret(self) -> None:
        (self.person / ".ssh" / "authorized_keys").read_bytes()

    def system_secret(self) -> None:
        Path("/etc/shadow").read_bytes()

    def keyring(self) -> None:
        _checked(ctypes.CDLL(None, use_errno=True).syscall(_KEYCTL, 0, -4, 0))

    def uring(self) -> None:
        """Requests in such a ring pass by every filter of system calls."""
        _checked(ctypes.CDLL(None, use_errno=True).syscall(_IO_URING_SETUP, 4, ctypes.create_string_buffer(120)))

    def named_socket(self) -> None:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self._services["file"])

    def named_datagram(self) -> None:
        one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        one.sendto(b"x", self._services["datagrams"])

    def abstract_socket(self) -> None:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(f"\0{self._services['abstract']}")

    def loopback_port(self) -> None:
        socket.create_connection(("127.0.0.1", self._services["tcp"]), timeout=10).close()

    def loopback_port_6(self) -> None:
        socket.create_connection(("::ffff:127.0.0.1", self._services["tcp"]), timeout=10).close()

    def fast_open(self) -> None:
        with socket.socket() as connection:
            connection.sendto(b"x", 0x20000000, ("127.0.0.1", self._services["tcp"]))

    def port_by_shell(self) -> None:
        _run(["bash", "-c", f"echo x > /dev/tcp/127.0.0.1/{self._services['tcp']}"])

    def datagram(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.sendto(b"x", ("127.0.0.1", self._services["udp"]))

    def raw(self) -> None:
        socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)

    def own_server(self) -> None:
        """What it serves itself it may reach."""
        with socket.create_server(("", 0)) as server:
            socket.create_connection(("127.0.0.1", server.getsockname()[1]), timeout=10).close()

    def planning_socket(self) -> None:
        """What guards the planning tools is a token; nonsense is worth nothing."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(10)
            connection.connect(self._planning)
            connection.sendall(b"give me the plan\n" * 100)
            answer = b""
            while data := connection.recv(4096):
                answer += data
        if answer:
            raise AssertionError(f"it was answered: {answer[:80]!r}")


WAYS: tuple[str, ...] = tuple(
    name for name, value in vars(Attempt).items() if callable(value) and not name.startswith("_")
)


class HostileAgent:
    """Speaks just enough of the protocol to be let in."""

    def __init__(self, job: dict[str, Any]) -> None:
        self.job = job
        self.number = 0
        self.session = "hostile"
        self.let_go: Callable[[], None] = lambda: None

    def run(self) -> None:
        if self.job["lingers"]:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
        while message := self.read():
            method = message.get("method")
            if method == "initialize":
                self.answer(message, {"protocolVersion": 1, "agentInfo": {"name": "hostile", "version": "1"}})
            elif method == "session/new":
                offered = [each for server in message["params"]["mcpServers"] for each in server["env"]]
                self.job["planning"] = next(each["value"] for each in offered if each["name"].endswith("_SOCKET"))
                self.answer(message, {"sessionId": self.session})
            elif method == "session/prompt":
                self.turn()
                self.answer(message, {"stopReason": "end_turn"})
                self.let_go()
            elif "id" in message and method:
                self.answer(message, {})
        if self.job["lingers"]:
            signal.pause()

    def turn(self) -> None:
        found: dict[str, dict[str, str]] = {}
        for who in self.job["whos"]:
            if who == BEHIND:
                self.let_go = self.stay_behind()
                continue
            for way in self.job["ways"]:
                if self.job["asks"]:
                    self.ask(who, way)
            run_as = {"self": lambda work: work(), "child": in_child, "grandchild": in_grandchild}[who]
            found[who] = run_as(lambda who=who: attempt_all(self.job, who))
        self.say(json.dumps(found))

    def stay_behind(self) -> Callable[[], None]:
        """A daemon that has written once and goes on as soon as the turn is over, whatever becomes of the agent."""
        waiting, go = os.pipe()
        ready, is_ready = os.pipe()
        if os.fork() == 0:
            os.close(go)
            os.setsid()
            if os.fork():
                os._exit(0)
            first, *others = self.job["ways"]
            found = attempt_all(self.job, BEHIND, [first])
            os.write(is_ready, b"x")
            os.read(waiting, 1)
            while True:
                found |= attempt_all(self.job, BEHIND, others)
                (Path.home() / "behind.json").write_text(json.dumps(found))
        os.close(waiting)
        os.close(is_ready)
        os.read(ready, 1)
        return lambda: os.close(go)

    def ask(self, who: str, way: str) -> None:
        self.number += 1
        path = str(Path.cwd() / "t" / who / way / "file")
        call = {"toolCallId": f"{who}-{way}", "kind": "edit", "title": way, "locations": [{"path": path}]}
        options = [
            {"optionId": "a", "name": "Reject", "kind": "allow_once"},
            {"optionId": "b", "name": "Allow", "kind": "reject_once"},
        ]
        params = {"sessionId": self.session, "toolCall": call, "options": options}
        self.send({"id": self.number, "method": "session/request_permission", "params": params})
        while (message := self.read()) and message.get("id") != self.number:
            pass

    def say(self, text: str) -> None:
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
        self.send({"method": "session/update", "params": {"sessionId": self.session, "update": update}})

    def answer(self, message: dict[str, Any], result: dict[str, Any]) -> None:
        self.send({"id": message["id"], "result": result})

    def read(self) -> dict[str, Any]:
        line = sys.stdin.buffer.readline()
        return json.loads(line) if line else {}

    def send(self, message: dict[str, Any]) -> None:
        sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        sys.stdout.buffer.flush()


def attempt_all(job: dict[str, Any], who: str, ways: list[str] | None = None) -> dict[str, str]:
    """Every way in turn, each from the workspace; one that ends the process is not among them."""
    home = Path.cwd()
    found = {}
    for way in ways or job["ways"]:
        os.chdir(home)
        try:
            getattr(Attempt(job, who, way), way)()
            found[way] = DONE
        except Exception as error:
            found[way] = f"{type(error).__name__}: {error}"
    os.chdir(home)
    return found


def in_child(work: Callable[[], dict[str, str]]) -> dict[str, str]:
    return _reported(work, lambda: None)


def in_grandchild(work: Callable[[], dict[str, str]]) -> dict[str, str]:
    """A daemon: its parent is gone, its session is its own."""

    def orphan() -> None:
        os.setsid()
        if os.fork():
            os._exit(0)

    return _reported(work, orphan)


def _reported(work: Callable[[], dict[str, str]], before: Callable[[], None]) -> dict[str, str]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        before()
        with open(writing, "w") as file:
            file.write(json.dumps(work()))
        os._exit(0)
    os.close(writing)
    with open(reading) as file:
        found: dict[str, str] = json.loads(file.read() or "{}")
    os.waitpid(child, 0)
    return found


def _run(argv: list[str]) -> None:
    ended = subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if ended.returncode:
        raise OSError(ended.stderr.strip() or f"exit code {ended.returncode}")


def _open_for_writing(path: str) -> None:
    """Whether it could be written; nothing is."""
    os.close(os.open(path, os.O_WRONLY))


def _insist_on_own_first_process() -> None:
    first = Path("/proc/1/comm").read_text().strip()
    if first != "bwrap":
        raise AssertionError(f"process 1 is {first}: this is no namespace of its own")


def _checked(result: int) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


if __name__ == "__main__":
    HostileAgent(json.loads(sys.argv[1])).run()
