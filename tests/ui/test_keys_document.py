"""The sheet of keys in the documents is the table the keys are bound from."""

from pathlib import Path

from tandem_desktop.ui.keys import KEYS

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "keys.md"


def rows() -> list[str]:
    found, group = [], ""
    for line in sorted(KEYS, key=lambda line: [each.group for each in KEYS].index(line.group)):
        if line.group != group:
            group = line.group
            found += ["", f"## {group}", "", "| does | keys | name |", "| --- | --- | --- |"]
        keys = " · ".join(f"`{key}`" if key != "…" else key for key in line.keys)
        found.append(f"| {line.title} | {keys} | `{line.name}` |")
    return found


def test_document_lists_every_key_as_it_is_bound() -> None:
    written = DOCUMENT.read_text().splitlines()
    assert written[written.index("## Window") - 1 :] == rows()
