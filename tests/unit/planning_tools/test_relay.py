"""The relay starts with nothing but the standard library, shows its token first, and copies until an end closes."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.domain.ids import SessionId
from tandem_desktop.planning_tools.relay import SOCKET_VARIABLE, TOKEN_VARIABLE
from tandem_desktop.planning_tools.server import relay_command

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = {
    "by its file": list(relay_command(SessionId("SES-1"))),
    "as a module": [sys.executable, "-m", "tandem_desktop.planning_tools.relay", "SES-1"],
    "as a call": [sys.executable, "-m", "tandem_desktop", "mcp", "--session", "SES-1"],
    "as a call with options": [sys.executable, "-m", "tandem_desktop", "mcp", "--json", "--session=SES-1"],
}
LIMIT = 30

WHAT_IS_LOADED = """
import sys

before = set(sys.modules)
from tandem_desktop.app.main import main

code = main(["mcp", "--session", "SES-1"])
print(" ".join(sorted(set(sys.modules) - before)))
sys.exit(code)
"""


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as found:
        found.bind(str(tmp_path / "s"))
        found.listen()
        found.settimeout(LIMIT)
        yield found


def started(command: list[str], path: Path | str, token: str = "secret") -> subprocess.Popen[bytes]:
    environment = {**os.environ, SOCKET_VARIABLE: str(path), TOKEN_VARIABLE: token}
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, stderr=pipe)


def received(engine: socket.socket, until: bytes) -> bytes:
    engine.settimeout(LIMIT)
    found = b""
    while not found.endswith(until) and (piece := engine.recv(65536)):
        found += piece
    return found


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_token_and_session_come_first_and_bytes_go_both_ways(
    command: list[str], listener: socket.socket, tmp_path: Path
) -> None:
    with started(command, tmp_path / "s") as process:
        assert process.stdin is not None
        engine, _ = listener.accept()
        with engine:
            process.stdin.write(b"hello\n")
            process.stdin.flush()
            assert received(engine, b"hello\n") == b"secret SES-1\nhello\n"
            engine.sendall(b"answer\n")
        out, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, out, err) == (0, b"answer\n", b"")


def test_megabytes_pass_in_both_directions_at_once(listener: socket.socket, tmp_path: Path) -> None:
    many = b"x" * 5_000_000 + b"\n"
    with started(COMMANDS["by its file"], tmp_path / "s") as process:
        engine, _ = listener.accept()
        with engine:
            answering = threading.Thread(target=engine.sendall, args=(many,))
            answering.start()
            taken: list[bytes] = []
            listening = threading.Thread(target=lambda: taken.append(received(engine, many[-2:])))
            listening.start()
            assert process.stdin is not None
            assert process.stdout is not None
            writing = threading.Thread(target=lambda: (process.stdin.write(many), process.stdin.flush()))  # type: ignore[union-attr]
            writing.start()
            assert process.stdout.read(len(many)) == many
            for thread in (answering, listening, writing):
                thread.join(LIMIT)
        process.communicate(timeout=LIMIT)
    assert len(taken[0]) == len(b"secret SES-1\n") + len(many)


def test_end_of_input_is_passed_on_and_the_last_answer_still_comes(listener: socket.socket, tmp_path: Path) -> None:
    with started(COMMANDS["by its file"], tmp_path / "s") as process:
        engine, _ = listener.accept()
        with engine:
            assert process.stdin is not None
            process.stdin.close()
            engine.settimeout(LIMIT)
            while engine.recv(65536):
                pass
            engine.sendall(b"last\n")
        assert process.stdout is not None
        assert process.stdout.read() == b"last\n"
        assert process.wait(LIMIT) == 0


def test_an_engine_that_closes_ends_the_relay_while_its_input_stays_open(
    listener: socket.socket, tmp_path: Path
) -> None:
    with started(COMMANDS["by its file"], tmp_path / "s") as process:
        engine, _ = listener.accept()
        received(engine, b"\n")
        engine.close()
        assert process.wait(LIMIT) == 0


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_a_missing_socket_is_told_with_its_path(command: list[str], tmp_path: Path) -> None:
    with started(command, tmp_path / "gone") as process:
        out, err = process.communicate(timeout=LIMIT)
    assert (process.returncode, out) == (4, b"")
    assert f"{tmp_path}/gone cannot be reached: No such file or directory." in err.decode()


@pytest.mark.parametrize(("path", "token", "missing"), [("", "t", SOCKET_VARIABLE), ("/s", "", TOKEN_VARIABLE)])
def test_without_socket_or_token_nothing_is_tried(path: str, token: str, missing: str) -> None:
    with started(COMMANDS["by its file"], path, token) as process:
        _, err = process.communicate(timeout=LIMIT)
    assert process.returncode == 2
    assert f"{missing} is not set" in err.decode()


def test_the_call_loads_nothing_but_the_standard_library() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TANDEM_PLANNING")}
    ended = subprocess.run(
        [sys.executable, "-c", WHAT_IS_LOADED], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 2
    loaded = ended.stdout.split()
    foreign = {name for name in loaded if name.partition(".")[0] not in sys.stdlib_module_names}
    ours = {"tandem_desktop", "tandem_desktop.app", "tandem_desktop.app.main", "tandem_desktop.planning_tools"}
    ours |= {"tandem_desktop.processes", "tandem_desktop.processes.own_program"}
    assert foreign == {*ours, "tandem_desktop.planning_tools.relay"}
    assert "asyncio" not in loaded


def test_no_module_of_the_workspace_takes_the_place_of_another(tmp_path: Path) -> None:
    for name in ("socket.py", "threading.py", "tandem_desktop.py"):
        (tmp_path / name).write_text("raise SystemExit('taken over')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(
        relay_command(SessionId("SES-1")), cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert "taken over" not in ended.stderr
    assert f"{SOCKET_VARIABLE} is not set" in ended.stderr
