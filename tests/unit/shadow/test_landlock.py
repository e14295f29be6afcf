"""A Landlock sandbox lets processes change what is theirs, with every ABI, and nothing else."""

import json
import os
import socket
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.processes.own_program import own_script
from tandem_desktop.shadow import landlock_launcher
from tandem_desktop.shadow.landlock import landlock_missing, secrets_inside
from tandem_desktop.shadow.landlock_launcher import UNSEEN, abi_version, readable_places

pytestmark = pytest.mark.skipif(bool(landlock_missing()), reason=landlock_missing())
NEWEST = abi_version()
BEGINNING = """
import ctypes, fcntl, json, os, resource, signal, socket, subprocess, sys, threading
OUTSIDE, PID, PORT = os.environ["OUTSIDE"], int(os.environ["PID"]), int(os.environ["PORT"])
libc = ctypes.CDLL(None, use_errno=True)
found = {}
def attempt(name, work):
    try:
        found[name] = work() or "done"
    except Exception as error:
        found[name] = type(error).__name__
def call(*words):
    if libc.syscall(*words) < 0:
        raise OSError(ctypes.get_errno(), "refused")
"""


@dataclass
class Enclosure:
    """A folder that may be written, one that may be read, and one that is hidden."""

    base: Path

    def __post_init__(self) -> None:
        self.inside, self.outside, self.hidden = (self.base / name for name in ("inside", "outside", "hidden"))
        for folder in (self.inside, self.outside, self.hidden):
            folder.mkdir()
            (folder / "file").write_text("as before\n")
            (folder / "file").chmod(0o640)
        self.port = 1

    def run(self, *argv: str, **told: Any) -> "subprocess.CompletedProcess[str]":
        wanted = {"abi": NEWEST, "network": "leashed", "allowed": "", "refused": "", "cwd": str(self.inside)}
        wanted |= {"shown": [], "sockets": [], "needed": [], "hidden": [str(self.hidden)]}
        wanted |= {"writable": [str(self.inside)], **told}
        environment = {**os.environ, "OUTSIDE": str(self.outside), "PID": str(os.getpid()), "PORT": str(self.port)}
        words = own_script(landlock_launcher.__file__, json.dumps(wanted), *argv, frozen=())
        return subprocess.run(words, env=environment, cwd="/", capture_output=True, text=True, check=False)

    def outcome(self, script: str, **told: Any) -> dict[str, str]:
        """What came of each attempt of a script."""
        text = f"{BEGINNING}{textwrap.dedent(script)}\nprint(json.dumps(found))"
        ended = self.run(sys.executable, "-S", "-E", "-c", text, **told)
        assert ended.returncode == 0, ended.stderr
        found: dict[str, str] = json.loads(ended.stdout)
        return found

    def marks(self) -> list[tuple[object, ...]]:
        places = [self.outside, self.outside / "file", self.hidden, self.hidden / "file"]
        return [
            (info.st_mode, info.st_size, info.st_mtime_ns, info.st_ctime_ns, info.st_nlink, os.listxattr(place))
            for place in places
            for info in (place.stat(),)
        ]


@pytest.fixture
def enclosure(tmp_path: Path) -> Enclosure:
    return Enclosure(tmp_path.resolve())


@pytest.mark.parametrize("abi", [abi for abi in (1, 2, 3, 5, 6, 7) if abi <= NEWEST])
def test_with_every_abi_what_is_outside_keeps_its_content_its_mode_and_its_processes(
    enclosure: Enclosure, abi: int
) -> None:
    before = enclosure.marks()
    script = """
    file = f"{OUTSIDE}/file"
    attempt("write", lambda: open(file, "w"))
    attempt("truncate", lambda: os.truncate(file, 0))
    attempt("empty by reading", lambda: os.open(file, os.O_RDONLY | os.O_TRUNC))
    attempt("empty by neither", lambda: os.open(file, 3 | os.O_TRUNC))
    attempt("chmod", lambda: os.chmod(file, 0o777))
    attempt("fchmod", lambda: os.fchmod(os.open(file, os.O_RDONLY), 0o777))
    attempt("chown", lambda: os.chown(file, os.getuid(), os.getgid()))
    attempt("times", lambda: os.utime(file, (1, 1)))
    attempt("attribute", lambda: os.setxattr(file, "user.a", b"1"))
    attempt("flags", lambda: fcntl.ioctl(os.open(file, os.O_RDONLY), 0x40086602, (64).to_bytes(8, "little")))
    attempt("unlink", lambda: os.unlink(file))
    attempt("link", lambda: os.link(file, "linked"))
    attempt("rename", lambda: os.rename(file, "taken"))
    attempt("signal", lambda: os.kill(PID, 0))
    attempt("signal to a group", lambda: os.kill(-os.getpgid(PID), 0))
    attempt("signal to a thread", lambda: call(234, PID, PID, 0))
    attempt("signal by descriptor", lambda: signal.pidfd_send_signal(os.pidfd_open(PID), 0))
    attempt("queued signal", lambda: call(129, PID, 0, ctypes.create_string_buffer(128)))
    attempt("limits", lambda: resource.prlimit(PID, resource.RLIMIT_CORE))
    attempt("priority", lambda: os.setpriority(os.PRIO_PROCESS, PID, 0))
    attempt("priority of the user", lambda: os.setpriority(os.PRIO_USER, 0, os.getpriority(os.PRIO_PROCESS, 0)))
    attempt("processors", lambda: os.sched_setaffinity(PID, os.sched_getaffinity(PID)))
    attempt("namespace", lambda: call(272, 0x10000000))
    attempt("child with a namespace", lambda: call(56, 0x10000000 | 17, 0, 0, 0, 0))
    attempt("memory without a file", lambda: call(29, 0, 4096, 0o1600))
    attempt("flags by name", lambda: call(469, -100, file.encode(), bytes(24), 24, 0))
    attempt("a call of the x32 kind", lambda: call(0x40000000 | 39))
    """
    found = enclosure.outcome(script, abi=abi)
    assert [name for name, said in found.items() if said == "done"] == []
    assert enclosure.marks() == before


@pytest.mark.parametrize("abi", [abi for abi in (1, NEWEST) if abi <= NEWEST])
def test_what_it_does_to_its_own_files_and_processes_has_its_usual_effect(enclosure: Enclosure, abi: int) -> None:
    script = """
    os.mkdir("folder"); os.symlink("file", "link"); fd = os.open("file", os.O_RDWR); here = os.open(".", os.O_RDONLY)
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    attempt("chmod", lambda: os.chmod("file", 0o751))
    attempt("chmod by descriptor", lambda: os.fchmod(os.open("folder", os.O_RDONLY), 0o710))
    attempt("times of a link", lambda: os.utime("link", ns=(5, 6), follow_symlinks=False))
    attempt("times by folder", lambda: os.utime("file", ns=(7, 8), dir_fd=here))
    attempt("times by descriptor", lambda: os.utime(os.open("folder", os.O_RDONLY), ns=(9, 10)))
    attempt("owner", lambda: os.chown("file", os.getuid(), os.getgid()))
    attempt("attribute", lambda: os.setxattr("link", "user.a", b"1"))
    attempt("attribute of the system", lambda: os.setxattr("file", "security.a", b"1"))
    attempt("truncate", lambda: os.truncate("file", 2))
    attempt("nothing there", lambda: os.chmod("none", 0o700))
    attempt("magic link", lambda: os.chmod(f"/proc/self/fd/{fd}", 0o750))
    attempt("own thread", lambda: signal.pthread_kill(threading.get_ident(), 0))
    attempt("own limits", lambda: resource.setrlimit(resource.RLIMIT_CORE, resource.getrlimit(resource.RLIMIT_CORE)))
    attempt("group of a child", lambda: os.killpg(child.pid, signal.SIGTERM))
    found["child"] = str(child.wait())
    """
    found = enclosure.outcome(script, abi=abi)
    odd = {"nothing there": "FileNotFoundError", "attribute of the system": "PermissionError", "child": "-15"}
    assert found == {**dict.fromkeys(found, "done"), **odd}
    info, link, folder = (os.lstat(enclosure.inside / name) for name in ("file", "link", "folder"))
    assert (info.st_mode & 0o777, info.st_size, folder.st_mode & 0o777) == (0o750, 2, 0o710)
    assert (link.st_mtime_ns, folder.st_mtime_ns) == (6, 10)
    assert os.listxattr(enclosure.inside / "file") == ["user.a"]


def test_a_name_that_changes_while_it_is_looked_at_leads_nowhere(enclosure: Enclosure) -> None:
    """Both ways: the link turns, and the bytes of the path turn in memory."""
    before = enclosure.marks()
    script = """
    os.symlink("file", "turning")
    path = ctypes.create_string_buffer(f"{os.getcwd()}/file".encode(), 4096)
    inner, outer, stop = path.value, f"{OUTSIDE}/file".encode(), threading.Event()
    def turn():
        while not stop.is_set():
            for target in (f"{OUTSIDE}/file", "file"):
                os.symlink(target, "next"); os.rename("next", "turning")
            path.value = outer; path.value = inner
    threading.Thread(target=turn, daemon=True).start()
    for _ in range(300):
        attempt("link", lambda: os.chmod("turning", 0o777))
        libc.chmod(path, 0o777)
    stop.set(); found["link"] = "tried"
    """
    assert enclosure.outcome(script) == {"link": "tried"}
    assert enclosure.marks() == before


def test_a_port_it_served_itself_is_closed_to_it_when_another_program_listens_there(enclosure: Enclosure) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        enclosure.port = server.getsockname()[1]
        script = """
        own = socket.create_server(("", 0)); named = socket.socket(socket.AF_UNIX); named.bind("\\0tandem-test")
        port = own.getsockname()[1]
        attempt("own", lambda: socket.create_connection(("127.0.0.1", port)).close())
        attempt("all interfaces", lambda: own.getsockname()[0])
        own.close()
        attempt("gone", lambda: socket.create_connection(("127.0.0.1", port)))
        attempt("of another", lambda: socket.create_connection(("127.0.0.1", PORT)))
        attempt("abstract", lambda: named.listen())
        """
        found = enclosure.outcome(script)
    assert found == {
        "own": "done",
        "all interfaces": "127.0.0.1",
        "gone": "ConnectionRefusedError",
        "of another": "ConnectionRefusedError",
        "abstract": "PermissionError",
    }


def test_only_listed_addresses_are_connected_to_and_the_others_are_noted(enclosure: Enclosure) -> None:
    allowed, refused = enclosure.hidden / "allowed", enclosure.hidden / "refused"
    with socket.create_server(("127.0.0.1", 0)) as server:
        enclosure.port = server.getsockname()[1]
        allowed.write_text(f"127.0.0.1 {enclosure.port}\n")
        script = """
        attempt("allowed", lambda: socket.create_connection(("127.0.0.1", PORT)).close())
        attempt("as IPv6", lambda: socket.create_connection(("::ffff:127.0.0.1", PORT)).close())
        attempt("another host on the same port", lambda: socket.create_connection(("192.0.2.1", PORT), timeout=10))
        """
        found = enclosure.outcome(script, allowed=str(allowed), refused=str(refused))
        off = enclosure.outcome("attempt('off', lambda: socket.socket())", network="off", allowed=str(allowed))
    assert list(found.values()) == ["done", "done", "ConnectionRefusedError"]
    assert refused.read_text() == f"192.0.2.1 {enclosure.port}\n"
    assert off == {"off": "PermissionError"}


def test_it_ends_as_its_command_ends_and_says_what_cannot_be_seen(enclosure: Enclosure) -> None:
    assert enclosure.run("sh", "-c", "exit 7").returncode == 7
    assert enclosure.run("sh", "-c", "kill -TERM $$").returncode == -15
    unseen = enclosure.run("true", needed=[str(enclosure.hidden / "file")])
    assert unseen.returncode == UNSEEN
    assert (
        unseen.stderr == f"tandem: {enclosure.hidden}/file is needed to start, and it cannot be seen in the sandbox.\n"
    )
    assert enclosure.run("cat", str(enclosure.outside / "file")).stdout == "as before\n"


def test_a_readable_place_has_nothing_hidden_in_it_and_all_the_rest_is_readable(tmp_path: Path) -> None:
    for name in ("a/secret", "a/b/seen", "a/c/secret/shown/key", "a/c/secret/shown/tool"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / "a/link").symlink_to("secret")
    hidden = [str(tmp_path / name) for name in ("a/secret", "a/c/secret", "a/c/secret/shown/key")]
    found = set(readable_places(hidden, [str(tmp_path / "a/c/secret/shown")]))
    below = {str(Path(each).relative_to(tmp_path)) for each in found if Path(each).is_relative_to(tmp_path)}
    assert below == {"a/b", "a/c/secret/shown/tool"}
    assert "/usr" in found


def test_no_copy_is_made_of_secrets_that_lie_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "home/.ssh").mkdir(parents=True)
    (tmp_path / "home/project").mkdir()
    assert secrets_inside(tmp_path / "home", tmp_path / "home") == (".ssh",)
    assert secrets_inside(tmp_path / "home/project", tmp_path / "home") == ()
