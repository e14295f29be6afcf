"""Whatever the README and the guide tell people to type does what they say, from the top of each page to its end."""

import json
import re
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, a_workspace
from tests.support.documented import Reader, blocks

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("[!R]*.md")))
ASKED = {"see my feedback": "greeter/flag.py", "add a --verbose flag": "greeter/flags.py", "tidy the notes": "tidy.txt"}
"""What a scripted agent does when a page asks it something: it writes one file."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_everything_a_page_tells_people_to_type_works(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Reader(tmp_path, capsys, monkeypatch, ASKED).follow(page.read_text(encoding="utf-8"))


def plans() -> list[tuple[str, str]]:
    """Every plan in the documents, by the page it stands on."""
    texts = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    found = [(path, block) for path in sorted(texts) for block in blocks(path.read_text(encoding="utf-8"), "json")]
    return [(path.stem, block) for path, block in found if re.search(r'"steps"\s*:', block)]


@pytest.mark.parametrize("plan", plans(), ids=lambda plan: plan[0])
def test_every_plan_in_the_documents_is_accepted(
    plan: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    greeting = '"""The words."""\n\n\ndef greeting(name):\n    return "Hello " + name\n'
    files = {"greeter/greeting.py": greeting, "notes.txt": "one\ntwo\n", "old.txt": "old\n", "bin/greet": "#!/bin/sh\n"}
    tandem = CommandLine(a_workspace(tmp_path, files), capsys)
    path = tmp_path / "documented.json"
    path.write_text(plan[1])
    staged = tandem.answer("propose", str(path))
    assert len(staged["operations"]) >= len([s for s in json.loads(plan[1])["steps"] if s["tool"] != "read"])
