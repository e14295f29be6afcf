"""`tandem export` and `tandem import`: a plan in another workspace is the same plan, and waits to be decided again."""

import os
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, Said, a_workspace, edit, write

FILES = {"notes.txt": "one\ntwo\nthree\n"}


@pytest.fixture
def here(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path / "here", FILES), capsys)


@pytest.fixture
def there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path / "there", FILES), capsys)


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "it.tandem-plan")


def on_another_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TANDEM_STATE_DIR", str(tmp_path / "another-state"))


@pytest.mark.req("S0-91")
def test_an_imported_plan_has_the_same_diff_and_digest_and_does_the_same(
    here: CommandLine, there: CommandLine, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = here.propose(edit("notes.txt", "two", "TWO"), write("new.txt", "new\n"), write("no.txt", "no\n"))
    plan_id = plan["plan_id"]
    here.answer("drop", plan_id, "s3")
    here.answer("comment", plan_id, "s1:+2", "so loud?")
    shown = here.answer("show", plan_id, "--diff")
    exported = here.answer("export", plan_id, "-o", file)
    on_another_machine(monkeypatch, tmp_path)
    imported = there.answer("import", file)
    assert imported["imported"] is True
    assert imported["drifted"] == []
    assert imported["sha256"] == exported["sha256"]
    assert (imported["plan_id"], imported["revision"]) == (plan_id, 2)
    assert imported["digest"] == exported["digest"] == shown["plan"]["digest"]
    again = there.answer("show", plan_id, "--diff")
    assert again["operations"] == shown["operations"]
    assert again["plan"]["content"] == shown["plan"]["content"]
    assert there.answer("compare", plan_id, "1", "2")["removed"][0]["path"] == "no.txt"
    assert [each["text"] for each in there.answer("comments", plan_id)["comments"]] == ["so loud?"]
    there.answer("approve", plan_id, "--digest", exported["digest"], "--comments-as-notes")
    assert there.answer("apply", plan_id)["status"] == "completed"
    assert (there.workspace / "notes.txt").read_text() == "one\nTWO\nthree\n"
    assert (there.workspace / "new.txt").read_text() == "new\n"
    assert not (there.workspace / "no.txt").exists()


def test_an_approved_plan_arrives_as_proposed(here: CommandLine, there: CommandLine, file: str) -> None:
    plan_id = here.propose(write("new.txt", "new\n"))["plan_id"]
    here.approve(plan_id)
    here.answer("export", plan_id, "-o", file)
    there.answer("import", file)
    assert there.answer("show", plan_id)["plan"]["status"] == "proposed"
    assert there("apply", plan_id).code == 3
    assert not (there.workspace / "new.txt").exists()


def test_importing_twice_is_told_and_changes_nothing(here: CommandLine, there: CommandLine, file: str) -> None:
    plan_id = here.propose(write("new.txt", "new\n"))["plan_id"]
    here.answer("export", plan_id, "-o", file)
    there.answer("import", file)
    there.approve(plan_id)
    said = there("import", file)
    assert said.code == 0
    assert "is here already; nothing was written" in said.out
    assert there.answer("import", file)["imported"] is False
    assert there.answer("show", plan_id)["plan"]["status"] == "approved"


def test_another_plan_of_the_same_id_is_refused(here: CommandLine, there: CommandLine, file: str) -> None:
    plan_id = here.propose(write("new.txt", "new\n"), write("b.txt", "b\n"))["plan_id"]
    here.answer("export", plan_id, "-o", file)
    there.answer("import", file)
    here.answer("drop", plan_id, "s1")
    newer = f"{file}-newer"
    here.answer("export", plan_id, "-o", newer)
    said = there("import", newer, "--json")
    assert (said.code, said.data["error"]["kind"]) == (3, "bundle")
    assert there.answer("show", plan_id)["plan"]["revision"] == 1


def test_drift_against_the_new_workspace_is_shown(here: CommandLine, there: CommandLine, file: str) -> None:
    plan_id = here.propose(edit("notes.txt", "two", "TWO"))["plan_id"]
    here.answer("export", plan_id, "-o", file)
    (there.workspace / "notes.txt").write_text("zero\none\ntwo\nthree\n")
    assert [each["path"] for each in there.answer("import", file)["drifted"]] == ["notes.txt"]
    assert "1 path here differ" in there("import", file).out
    assert there.answer("rebase", plan_id)["revision"] == 2


def test_the_same_plan_gives_the_same_bytes_here_and_there(here: CommandLine, there: CommandLine, file: str) -> None:
    plan_id = here.propose(edit("notes.txt", "two", "TWO"))["plan_id"]
    sums = {here.answer("export", plan_id, "-o", f"{file}-{number}")["sha256"] for number in range(2)}
    there.answer("import", f"{file}-0")
    sums.add(there.answer("export", plan_id, "-o", f"{file}-3")["sha256"])
    assert len(sums) == 1


def test_a_spoiled_file_is_refused_with_a_sentence(here: CommandLine, there: CommandLine, file: str) -> None:
    plan_id = here.propose(write("new.txt", "new\n"))["plan_id"]
    here.answer("export", plan_id, "-o", file)
    data = Path(file).read_bytes()
    Path(file).write_bytes(data.replace(b"new.txt", b"old.txt"))
    said: Said = there("import", file)
    assert said.code == 3
    assert "it was changed after it was written" in said.err
    assert not (there.workspace / ".tandem").exists()


def test_a_file_that_is_there_is_not_replaced(here: CommandLine, file: str) -> None:
    plan_id = here.propose(write("new.txt", "new\n"))["plan_id"]
    Path(file).write_text("mine")
    assert here("export", plan_id, "-o", file).code == 2
    assert Path(file).read_text() == "mine"


def test_bytes_that_are_gone_stop_the_export(here: CommandLine, file: str) -> None:
    plan_id = here.propose(write("new.txt", "new\n"))["plan_id"]
    state = Path(os.environ["TANDEM_STATE_DIR"])
    for stored in (state / "objects").glob("*/*"):
        stored.unlink()
    said = here("export", plan_id, "-o", file, "--json")
    assert (said.code, said.data["error"]["kind"]) == (4, "storage")
    assert not Path(file).exists()
