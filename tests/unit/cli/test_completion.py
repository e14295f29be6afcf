"""The completion scripts work in real shells and can run nothing a stranger wrote."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tandem_desktop.app.main import main
from tandem_desktop.cli.commands import CALLS
from tandem_desktop.cli.completion import commands


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with a plan and a run, and names that a stranger thought of."""
    for name in ("plans/PLAN-1a2b3c4d", "runs/RUN-5e6f7a8b", "plans/PLAN-$(touch owned)", "plans/PLAN-`touch owned`"):
        (tmp_path / ".tandem" / name).mkdir(parents=True)
    (tmp_path / "a plan.json").write_text("{}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def ask_bash(script: str, words: list[str], folder: Path) -> list[str]:
    """What bash would offer for the last of `words`."""
    quoted = " ".join(f"'{word}'" for word in words)
    asked = f'{script}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _tandem; printf "%s\\n" "${{COMPREPLY[@]}}"'
    ended = subprocess.run(["bash", "-c", asked], cwd=folder, capture_output=True, text=True, check=False)
    assert ended.stderr == ""
    return ended.stdout.split("\n")[:-1]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["tandem", "app"], ["approve", "apply"]),
        (["tandem", "-C", ".", "sho"], ["show"]),
        (["tandem", "show", "PLAN"], ["PLAN-1a2b3c4d"]),
        (["tandem", "-C", "/nowhere", "show", "PLAN"], [""]),
        (["tandem", "undo", "RUN"], ["RUN-5e6f7a8b"]),
        (["tandem", "recover", "--r"], ["--resume", "--rollback"]),
        (["tandem", "apply", "PLAN-1a2b3c4d", "--on-failure", ""], ["rollback", "stop", "continue"]),
        (["tandem", "completion", ""], ["bash", "zsh", "fish"]),
        (["tandem", "audit", "v"], ["verify"]),
        (["tandem", "propose", "a"], ["a plan.json"]),
    ],
)
def test_bash_offers_what_may_come_next(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], offered: list[str]
) -> None:
    found = ask_bash(script("bash", capsys), words, folder)
    assert [each for each in found if not each.startswith("-") or words[-1].startswith("-")] == offered
    assert not (folder / "owned").exists()


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_offers_what_may_come_next(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = script("fish", capsys) + '\ncomplete -C "tandem app"; complete -C "tandem show PL"'
    ended = subprocess.run(["fish", "-c", asked], cwd=folder, capture_output=True, text=True, check=False)
    offered = {line.split("\t")[0] for line in ended.stdout.splitlines()}
    assert {"apply", "approve", "PLAN-1a2b3c4d"} <= offered
    assert not (folder / "owned").exists()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_understands_its_script(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "_tandem").write_text(script("zsh", capsys))
    ended = subprocess.run(["zsh", "-n", "_tandem"], cwd=folder, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_call_and_long_option_is_in_every_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = script(shell, capsys)
    assert [command.name for command in commands()] == [words.name for words in CALLS]
    for command in commands():
        assert command.name in text
        for name in (name for option in command.options for name in option.names if name.startswith("--")):
            assert name in text or f"-l {name[2:]}" in text
