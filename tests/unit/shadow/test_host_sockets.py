"""No service of the host can be reached over a socket that lies in a folder, from an agent or from a rehearsal."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.shadows import ShadowPlace

WHERE = ("/opt", "/srv", "/run", "/var/tmp", "/var/lib", "/usr/local", "/etc", "/tmp", "/home", "/dev/shm")
CONNECT = """
import socket, sys
for path in sys.argv[1:]:
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_SEQPACKET):
        try:
            socket.socket(socket.AF_UNIX, kind).connect(path)
            print("REACHED", path)
        except OSError as error:
            print(error)
"""


class Listeners:
    """Real sockets that listen, each in a folder of its own; all are gone afterwards."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.paths: list[str] = []

    def listen(self, folder: Path) -> None:
        for kind, name in ((socket.SOCK_STREAM, "s"), (socket.SOCK_DGRAM, "d"), (socket.SOCK_SEQPACKET, "q")):
            server = self._stack.enter_context(socket.socket(socket.AF_UNIX, kind))
            place = folder / name
            server.bind(f"/proc/self/fd/{self._folder(folder)}/{name}")
            if kind != socket.SOCK_DGRAM:
                server.listen()
            self.paths.append(str(place))

    def listen_below(self, top: str) -> None:
        if not os.access(top, os.W_OK):
            return
        folder = Path(tempfile.mkdtemp(prefix="tandem-test-", dir=top))
        self._stack.callback(shutil.rmtree, folder)
        self.listen(folder)

    def _folder(self, folder: Path) -> int:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        self._stack.callback(os.close, fd)
        return fd


@pytest.fixture
def listeners() -> Iterator[Listeners]:
    with ExitStack() as stack:
        yield Listeners(stack)


def reached(said: str, tried: int) -> list[str]:
    assert said.count("\n") >= 3 * tried, said
    return [line for line in said.splitlines() if "REACHED" in line]


def everywhere(place: ShadowPlace, listeners: Listeners) -> str:
    for top in WHERE:
        listeners.listen_below(top)
    for folder in (
        place.person / ".emacs.d",
        place.person / ".1password",
        place.root / "tmp/sockets",
        place.base / "x",
    ):
        folder.mkdir(parents=True)
        listeners.listen(folder)
    words = " ".join(f"'{path}'" for path in listeners.paths)
    return f"/usr/bin/python3 -c '{CONNECT}' {words}"


def test_an_agent_reaches_no_socket_of_the_host_wherever_it_lies(place: ShadowPlace, listeners: Listeners) -> None:
    call = everywhere(place, listeners)
    place.open()
    assert reached(place.agent(call), len(listeners.paths)) == []


def test_a_socket_made_in_the_middle_of_a_turn_is_not_reached_either(place: ShadowPlace, listeners: Listeners) -> None:
    place.open()
    assert reached(place.agent(everywhere(place, listeners)), len(listeners.paths)) == []


def test_a_rehearsed_command_reaches_no_socket_of_the_host(place: ShadowPlace, listeners: Listeners) -> None:
    call = everywhere(place, listeners)
    place.open()
    launch = place.shadow.rehearse(
        ["/bin/sh", "-c", call],
        environment={"PATH": os.defpath},
        cwd=".",
        network=False,
        report=place.put("report"),
    )
    ended = subprocess.run(launch.argv, env=launch.environment, cwd="/", capture_output=True, text=True, check=False)
    assert reached(ended.stdout + ended.stderr, len(listeners.paths)) == []


def test_an_agent_can_use_sockets_of_its_own(place: ShadowPlace) -> None:
    place.open()
    script = (
        "import socket,os; s=socket.socket(socket.AF_UNIX); p=os.environ['W']; s.bind(p); s.listen(); "
        "c=socket.socket(socket.AF_UNIX); c.connect(p); print('own', s.accept() is not None)"
    )
    for where in ("$HOME/s", "$TMPDIR/s", "/tmp/s", "own.sock"):
        assert place.agent(f'W={where} /usr/bin/python3 -c "{script}"') == "own True\n", where


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
@pytest.mark.parametrize("where", ["home", "opt", "workspace"])
def test_a_tmux_server_of_the_person_takes_no_commands_from_an_agent(
    place: ShadowPlace, where: str, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        folder = {"home": place.person / ".tmux", "workspace": place.root / "run"}.get(where)
        if folder is None:
            folder = Path(tempfile.mkdtemp(prefix="tandem-test-", dir="/opt" if os.access("/opt", os.W_OK) else "/tmp"))
            stack.callback(shutil.rmtree, folder)
        folder.mkdir(exist_ok=True)
        address = folder / "s"
        if len(str(address)) > 100:
            pytest.skip("the path is too long for a socket")
        place.put("README.md", "hello\n")
        tmux = ["tmux", "-f", "/dev/null", "-S", str(address)]
        subprocess.run([*tmux, "new-session", "-d", "sleep 600"], check=True, capture_output=True)
        stack.callback(subprocess.run, [*tmux, "kill-server"], capture_output=True)
        place.open()
        pwn = f"tmux -S '{address}' run-shell \"echo pwned >> '{place.root}/README.md'\""
        said = place.agent(f"{pwn} && echo REACHED; cat /proc/net/unix | grep -c .")
        assert "REACHED" not in said
        assert (place.root / "README.md").read_text() == "hello\n"
        subprocess.run([*tmux, "run-shell", f"echo person > '{place.root}/mine'"], check=True)
        assert (place.root / "mine").read_text() == "person\n", "the server itself works"
