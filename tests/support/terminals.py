"""A shell on a real pseudo-terminal, as a person has it."""

import os
import pty
import select
import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.patience import PATIENCE_S


class TerminalShell:
    """Types into a shell and reads what its terminal shows."""

    def __init__(self, terminal: int) -> None:
        self._terminal = terminal
        self._unread = ""

    def type(self, text: str) -> None:
        os.write(self._terminal, text.encode())

    def until(self, text: str, unless: str = "\0") -> str:
        """What was shown up to this text, and the text."""
        while text not in self._unread:
            assert unless not in self._unread, self._unread
            assert select.select([self._terminal], [], [], PATIENCE_S)[0], f"waits for {text!r}: {self._unread}"
            self._unread += os.read(self._terminal, 65536).decode(errors="replace")
        end = self._unread.index(text) + len(text)
        shown, self._unread = self._unread[:end], self._unread[end:]
        return shown

    def run(self, command: str) -> tuple[int, str]:
        """Type a command that asks nothing; its exit code and what it showed."""
        self.type(f"{command}\n")
        return self.ended()

    def ended(self) -> tuple[int, str]:
        """Wait for the end of the command that was typed, which must ask nothing more."""
        shown = self.until("<ended ", unless="[y/N] ")
        return int(self.until(">")[:-1]), shown.removesuffix("<ended ")


@contextmanager
def a_terminal(folder: Path) -> Iterator[TerminalShell]:
    """A shell that leads a session of its own on a new terminal, in `folder`."""
    prompt = {"PS1": "", "PS2": "", "PROMPT_COMMAND": r'printf "<ended %d>" $?'}
    with _a_terminal(["/bin/bash", "--norc", "--noediting"], folder, prompt) as shell:
        shell.ended()
        shell.run("stty -echo")
        yield shell


@contextmanager
def _a_terminal(command: list[str], folder: Path, environment: Mapping[str, str]) -> Iterator[TerminalShell]:
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(command[0], command, {**os.environ, "TERM": "xterm", "NO_COLOR": "1", **environment})
    try:
        yield TerminalShell(terminal)
    finally:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.close(terminal)
        os.waitpid(child, 0)


_CALLS = """
import os, shlex, sys
from tandem_desktop.app.main import main
print("<ended 0>", end="", flush=True)
while line := sys.stdin.readline():
    words = shlex.split(line)
    if words[0] == "state":
        os.environ["TANDEM_STATE_DIR"] = words[1]
    code = main(words) if words[0] != "state" else 0
    print(f"<ended {code}>", end="", flush=True)
"""


@contextmanager
def a_terminal_of_calls(folder: Path) -> Iterator[TerminalShell]:
    """One process on a terminal that makes each typed call of `tandem`; `state FOLDER` sets the state folder."""
    with _a_terminal([sys.executable, "-c", _CALLS], folder, {}) as shell:
        shell.ended()
        yield shell
