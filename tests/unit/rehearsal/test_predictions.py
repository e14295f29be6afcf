"""What a rehearsal predicts is what happens: the same commands, run for real by somebody else, do just that."""

import hashlib
import os
import shutil
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.operations import DirectoryState, FileState, NodeState, SymlinkState, kind_of_change
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.command_line import CommandLine, bash
from tests.support.sixty_commands import SIXTY, TWELVE, Done, fill, really_do
from tests.support.tree_walker import walk

pytestmark = pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")

GIT_INDEX = ".git/index"
"""Holds times and inode numbers of files, so that its bytes differ between any two trees."""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    folder = tmp_path / "ws"
    folder.mkdir()
    fill(folder)
    return folder


def test_a_dozen_commands_do_what_their_rehearsal_said(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _compare(root, capsys, tuple(SIXTY[number] for number in TWELVE))


@pytest.mark.exhaustive
def test_sixty_commands_do_what_their_rehearsal_said(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(SIXTY) == 60
    right, labelled = _compare(root, capsys, SIXTY)
    with capsys.disabled():
        print(
            f"\n{right} of 60 predicted exactly, {labelled} said not to be previewable, {60 - right - labelled} wrong"
        )
    assert right >= 57
    assert labelled <= 3


def _compare(root: Path, capsys: pytest.CaptureFixture[str], commands: tuple[str, ...]) -> tuple[int, int]:
    """Every command is predicted exactly or labelled; how many of each."""
    tandem = CommandLine(root, capsys)
    plan = tandem.propose(*(bash(command) for command in commands))
    before = walk(root)
    rehearsed = tandem.answer("rehearse", plan["plan_id"])["commands"]
    assert walk(root) == before
    effects = _every_effect(root, plan["plan_id"])
    shutil.rmtree(root / ".tandem")
    right = labelled = 0
    for command, found, real in zip(commands, rehearsed, really_do(root, commands), strict=True):
        if not found["previewable"]:
            labelled += 1
            continue
        assert found["exit_code"] == 0, (command, found["output"])
        predicted = effects[found["id"]]
        told = {path for path in predicted if not path.startswith(".git/")}
        assert {effect["path"] for effect in found["effects"]} == told, command
        assert predicted == {path: _real(done) for path, done in real.items()} | _index(predicted, real), command
        right += 1
    return right, labelled


def _every_effect(root: Path, plan_id: str) -> dict[str, dict[str, tuple[str, str, str]]]:
    """What was kept of each command: the files of git too, which are told as what they mean."""
    engine = build_engine(root)
    try:
        kept = engine.rehearsals.kept(engine.plans.revision(PlanId(plan_id)))
    finally:
        engine.close()
    assert kept is not None
    return {
        command.id: {
            each.path: (kind_of_change(each.before, each.after).value, *_facts(each.after)) for each in command.effects
        }
        for command in kept.commands
    }


def _facts(after: NodeState) -> tuple[str, str]:
    """Permissions and content, as far as the kind of node has them."""
    if isinstance(after, FileState):
        return f"{after.mode:04o}", after.sha256
    if isinstance(after, SymlinkState):
        return "", after.target
    return (f"{after.mode:04o}", "") if isinstance(after, DirectoryState) else ("", "")


def _real(done: Done) -> tuple[str, str, str]:
    if done.after is None:
        return done.kind, "", ""
    node, mode, data = done.after
    if node == "link":
        return done.kind, "", os.fsdecode(data)
    return done.kind, f"{mode:04o}", hashlib.sha256(data).hexdigest() if node == "file" else ""


def _index(predicted: dict[str, tuple[str, str, str]], real: dict[str, Done]) -> dict[str, tuple[str, str, str]]:
    both = GIT_INDEX in predicted and GIT_INDEX in real
    return {GIT_INDEX: predicted[GIT_INDEX]} if both else {}
