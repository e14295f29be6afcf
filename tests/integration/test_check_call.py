"""`tandem check` and `tandem needed`: asked first, then exactly the promised keys."""

import re
from pathlib import Path

import pytest

from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.command_line import CommandLine, a_workspace, edit, write

pytestmark = pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")
DOCS = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
LIST = """[[check]]
name = "words"
command = "while read -r w; do [ $w = TWO ] && echo not ok 1 - $w || echo ok 1 - $w; done < notes.txt"
format = "tap"
"""


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path, {"notes.txt": "one\ntwo\n", ".tandem/checks.toml": LIST}), capsys)


def documented(call: str) -> str:
    return DOCS.split(f"### `tandem {call} ", 1)[1].split("\n### ", 1)[0]


def test_nothing_runs_before_the_list_was_accepted(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("notes.txt", "two", "TWO"))["plan_id"]
    said = tandem("check", plan_id, "--json")
    assert (said.code, said.data["error"]["kind"]) == (3, "checks_not_accepted")
    assert said.data["would_run"][0]["command"].startswith("while read")
    assert "while read" in tandem("check", plan_id).out


def test_a_plan_that_breaks_something_ends_with_one_and_names_it(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("notes.txt", "two", "TWO"))["plan_id"]
    said = tandem("check", plan_id, "--accept", "--json")
    assert said.code == 1
    check = said.data["checks"][0]
    assert check["before"] == {"exit": 0, "passed": 2, "failed": 0}
    assert (check["new_failures"], check["gone"], said.data["summary"]) == (["TWO"], ["two"], "0 fixed · 1 new failure")
    for key in (*said.data, *check):
        assert re.search(rf"\b{key}\b", documented("check")), key
    assert "new failure: TWO" in tandem("check", plan_id).out


def test_show_names_the_files_to_read_first(tandem: CommandLine) -> None:
    command = "grep -n TWO notes.go | sed 's/^/notes.go:/; s/TWO/ no/'"
    listed = f'[[check]]\nname = "vet"\ncommand = "{command}"\nformat = "govet"\n'
    (tandem.workspace / ".tandem" / "checks.toml").write_text(listed)
    (tandem.workspace / "notes.go").write_text("two\n")
    plan_id = tandem.propose(write("other", "x"), edit("notes.go", "two", "TWO"))["plan_id"]
    tandem("check", plan_id, "--accept")
    assert tandem.answer("show", plan_id)["evidence"]["failing_paths"] == ["notes.go"]
    assert "read first: notes.go" in tandem("show", plan_id).out


def test_a_plan_that_breaks_nothing_ends_with_zero(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("notes.txt", "two", "deux"))["plan_id"]
    assert tandem("check", plan_id, "--accept").code == 0


def test_needed_names_each_part_and_shrinks(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("notes.txt", "two", "deux"), write("stray", "x"))["plan_id"]
    found = tandem.answer("needed", plan_id, "--accept")
    assert [each["verdict"] for each in found["parts"]] == ["needed", "nothing notices"]
    for key in (*found, *found["parts"][0]):
        assert re.search(rf"\b{key}\b", documented("needed")), key
    assert "not what is right" in tandem("needed", plan_id).out
    assert [each["id"] for each in tandem.answer("needed", plan_id, "--shrink")["operations"]] == ["s1"]
