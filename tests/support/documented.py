"""Do what the documents tell people to type, in a project like theirs, and hear whether it works."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.main import main
from tandem_desktop.storage.paths import resource
from tests.support.agent_scripts import Steps
from tests.support.agents_on_path import put_on_path, searched
from tests.support.command_line import CommandLine
from tests.support.terminals import a_terminal_of_calls

ELSEWHERE = (
    "./packaging/",
    "sudo ",
    "uv ",
    "pipx ",
    "npm ",
    ".venv/bin/",
    "DEBFULLNAME=",
    "python -m tests",
    "tandem gui",
)
"""What sets up, installs or opens a window is tested elsewhere, each by its own test."""
_HEREDOC = re.compile(r"<<'(\w+)'$")
_CODE = re.compile(r"exit code (\d+)")
_SHELL = re.compile(r"[|><$;&`]")


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def typed(block: str) -> Iterator[str]:
    """One command after the other, a here-document with its lines."""
    lines = iter(block.splitlines())
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        if end := _HEREDOC.search(line):
            rest = []
            for each in lines:
                rest.append(each)
                if each == end[1]:
                    break
            line = "\n".join((line, *rest))
        yield line


class Reader:
    """Somebody who follows a page from its beginning, in a copy of the sample project."""

    def __init__(
        self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: dict[str, str]
    ) -> None:
        self._workspace = folder / "greeter"
        shutil.copytree(resource("sample/workspace"), self._workspace, symlinks=True)
        self._tandem = CommandLine(self._workspace, capsys)
        self._capsys = capsys
        steps = Steps(self._workspace)
        script = {said: [steps.write(path, f"# {said}\n"), steps.say("Done.")] for said, path in words.items()}
        put_on_path(folder / "programs", "opencode", {"by_words": script})
        programs = os.pathsep.join((str(Path(sys.executable).parent), searched(folder / "programs")))
        monkeypatch.setenv("PATH", programs)
        monkeypatch.setenv("TANDEM_CONFIG_DIR", str(folder / "config"))
        monkeypatch.chdir(self._workspace)
        self._bash(_A_FEATURE)

    def follow(self, text: str) -> int:
        """Type every command of a page; how many those were."""
        commands = [each for block in blocks(text, "sh") for each in typed(block) if not each.startswith(ELSEWHERE)]
        for command in commands:
            expected = int(found[1]) if (found := _CODE.search(command)) else 0
            code, said = self._type(self._meant(command))
            assert code == expected, f"{command}\n{said}"
        return len(commands)

    def _type(self, command: str) -> tuple[int, str]:
        words = shlex.split(command, comments=True) if not _HEREDOC.search(command.partition("\n")[0]) else []
        if words[:1] != ["tandem"] or any(_SHELL.search(word) for word in words if " " not in word):
            return self._bash(command)
        if words[1] == "approve" and "--digest" not in words:
            return self._approve_at_a_terminal(words)
        self._capsys.readouterr()
        code = main(words[1:])
        said = self._capsys.readouterr()
        return code, said.out + said.err

    def _approve_at_a_terminal(self, words: list[str]) -> tuple[int, str]:
        with a_terminal_of_calls(self._workspace) as terminal:
            terminal.run(shlex.join(["show", *words[2:]]))
            terminal.type(f"{shlex.join(words[1:])}\n")
            terminal.until("[y/N] ")
            terminal.type("y\n")
            return terminal.ended()

    def _bash(self, command: str) -> tuple[int, str]:
        ended = subprocess.run(["bash", "-ec", command], capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout + ended.stderr

    def _meant(self, command: str) -> str:
        """Names and digests as a person would read them off the screen: the newest, or the two newest plans.

        What a page keeps in /tmp is kept apart: other pages are followed at the same time.
        """
        command = command.replace("/tmp/", f"{self._workspace.parent}/")
        if not re.search(r"PLAN-|RUN-|SES-", command):
            return command
        plans = self._tandem.answer("list")["plans"]
        newest = plans[0]
        told = {"PLAN-…": newest["plan_id"], "PLAN-3c4d": newest["plan_id"], "0123456789ab": newest["digest"][:12]}
        told["PLAN-1a2b"] = plans[-1]["plan_id"]
        if "RUN-…" in command:
            told["RUN-…"] = next(
                each["run_id"] for each in self._tandem.answer("runs")["runs"] if each["kind"] == "apply"
            )
        if "SES-…" in command:
            told["SES-…"] = self._tandem.answer("show", newest["plan_id"])["plan"]["session_id"]
        for placeholder, name in told.items():
            command = command.replace(placeholder, name)
        return command


_A_FEATURE = """
git init --quiet --initial-branch main . && git add . && git -c user.name=A -c user.email=a@b commit --quiet -m start
git checkout --quiet -b feature && echo 'More ideas.' >> notes.txt
git -c user.name=A -c user.email=a@b commit --quiet -am feature && git checkout --quiet main
"""
