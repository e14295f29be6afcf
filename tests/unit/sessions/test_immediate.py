"""What a permission card draws, and that what it drew is written at once and nothing else."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.domain.agent_protocol import CardContent, ProposedDiff, ToolCall, ToolKind, WaitReason
from tandem_desktop.domain.authorization import SessionPermissions
from tandem_desktop.domain.ids import ToolCallId
from tandem_desktop.sessions.immediate import MOST_BYTES, MOST_LINES, CardDrawing
from tandem_desktop.storage.workspace import Workspace
from tests.attacks.attack import Outcome
from tests.attacks.immediate import EDIT, NOTES, README, diff, played, writes

REACHES_DISK = Outcome.BROKEN
"""The corpus counts whatever reaches the disk as broken."""


@pytest.mark.parametrize(
    ("diffs", "path", "content"),
    [
        (EDIT, "README.md", b"# Bye\n"),
        ((diff("README.md", "# Bye\n"),), "README.md", b"# Bye\n"),
        ((diff("README.md", "# Bye\n", ""),), "README.md", b"# Bye\n"),
        ((diff("README.md", "Say Bye.", "Say Hello."),), "README.md", README.replace(b"Say Hello", b"Say Bye")),
        ((diff("notes.txt", "three", "two"),), "notes.txt", NOTES.replace(b"two", b"three")),
        ((diff("a/new.txt", "x\n"),), "a/new.txt", b"x\n"),
        ((diff("README.md", "a\n", README.decode()), diff("./README.md", "b\n", "a\n")), "README.md", b"b\n"),
    ],
)
def test_what_a_card_drew_is_written_at_once(
    tmp_path: Path, diffs: tuple[ProposedDiff, ...], path: str, content: bytes
) -> None:
    assert played(diffs, writes(path, content))(tmp_path) is REACHES_DISK
    assert (tmp_path / "work" / path).read_bytes() == content


def test_what_the_persons_rules_allow_is_written_without_a_card(tmp_path: Path) -> None:
    rules = SessionPermissions(plan_mode=False, yolo=True)
    assert played(EDIT, writes("README.md", b"# Bye\n"), rules=rules)(tmp_path) is REACHES_DISK


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "a.txt").write_bytes(b"one\ntwo\n")
    opened = Workspace(tmp_path / "work")
    yield opened
    opened.close()


def drawn(workspace: Workspace, *diffs: ProposedDiff, kind: ToolKind = ToolKind.EDIT) -> CardContent:
    return CardDrawing(workspace).draw(ToolCall(id=ToolCallId("c"), kind=kind, paths=("b.txt",), diffs=diffs))


def text(content: CardContent) -> list[str]:
    return [f"{line.sign}{line.text}" for change in content.changes for line in change.lines if line.sign != "@"]


@pytest.mark.parametrize("old", ["one\nthree\n", "three\n", "THREE", "one\r\ntwo\r\n", "\ufeffone\ntwo\n"])
def test_a_card_is_drawn_from_the_disk_whatever_the_agent_says_is_there(workspace: Workspace, old: str) -> None:
    content = drawn(workspace, diff("a.txt", "one\nthree\n", old))
    assert text(content) == [" one", "-two", "+three"]
    assert content.waits == (WaitReason.STALE,)


@pytest.mark.parametrize(
    ("new", "lines"),
    [
        ("one\r\ntwo\r\n", ["-one", "-two", "+one␍", "+two␍"]),
        ("\ufeffone\ntwo\n", ["-one", "+⟨U+FEFF⟩one", " two"]),
        ("one\ntwo", [" one", "-two", "+two", "\\"]),
        ("one\n\u202etwo\n", [" one", "-two", "+⟨U+202E⟩two"]),
        ("", ["-one", "-two"]),
    ],
)
def test_every_byte_that_differs_is_seen_on_a_card(workspace: Workspace, new: str, lines: list[str]) -> None:
    assert text(drawn(workspace, diff("a.txt", new))) == lines


@pytest.mark.parametrize(
    ("diffs", "reason"),
    [
        ((), WaitReason.UNKNOWN),
        (tuple(diff(f"{number}.txt", "x\n") for number in range(6)), WaitReason.MANY),
        ((diff("b.txt", "x\n" * (MOST_LINES + 1)),), WaitReason.LARGE),
        ((diff("b.txt", "x" * (MOST_BYTES + 1)),), WaitReason.LARGE),
        ((diff("b.txt", "x" * 61_000),), WaitReason.LARGE),
        ((diff("link", "x\n"),), WaitReason.NOT_A_FILE),
        ((diff("link/x", "x\n"),), WaitReason.OUTSIDE),
        ((diff("/etc/passwd", "x\n"),), WaitReason.OUTSIDE),
        ((diff("Makefile", "x\n"),), WaitReason.FLAGGED),
    ],
)
def test_what_a_card_cannot_show_waits_as_a_plan(
    workspace: Workspace, diffs: tuple[ProposedDiff, ...], reason: WaitReason
) -> None:
    (workspace.path / "link").symlink_to("a.txt")
    content = drawn(workspace, *diffs)
    assert reason in content.waits
    assert content.allows == ()


@pytest.mark.parametrize("name", ["uti1s.py", "Utils.py", "util\u0455.py"])
def test_a_name_that_can_be_taken_for_one_on_disk_is_flagged_and_waits(workspace: Workspace, name: str) -> None:
    (workspace.path / "utils.py").write_text("x = 1\n")
    content = drawn(workspace, diff(name, "x = 2\n"))
    assert WaitReason.FLAGGED in content.waits
    assert "utils.py" in content.changes[0].why["hidden-characters"]


def test_five_files_are_drawn_each_under_its_own_path(workspace: Workspace) -> None:
    content = drawn(workspace, *(diff(f"{number}.txt", "x\n") for number in range(5)))
    assert [change.operation.path for change in content.changes] == [f"{number}.txt" for number in range(5)]
    assert not content.waits
