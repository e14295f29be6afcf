"""Words for agents come from files, are read once, and may be missing."""

from pathlib import Path

import pytest

from tandem_desktop.planning_tools.definitions import DEFINITIONS, ToolName, ToolPrompts
from tandem_desktop.storage.paths import resource


def a_folder(tmp_path: Path, text: bytes) -> Path:
    path = tmp_path / "prompts" / "tools" / "present_plan_prompt.xml"
    path.parent.mkdir(parents=True)
    path.write_bytes(text)
    return path


@pytest.mark.req("S1-23")
def test_description_is_read_from_the_tools_own_file_and_only_once(tmp_path: Path) -> None:
    path = a_folder(tmp_path, b"  <description>Show it.</description>\n")
    prompts = ToolPrompts(lambda name: tmp_path / name)
    definition = DEFINITIONS[ToolName.PRESENT_PLAN]
    assert definition.description(prompts) == "<description>Show it.</description>"
    path.write_text("changed")
    assert definition.description(prompts) == "<description>Show it.</description>"


@pytest.mark.req("S1-23")
@pytest.mark.parametrize("damage", ["missing", "a folder", "no text"])
def test_a_file_that_cannot_be_read_leaves_the_short_description(tmp_path: Path, damage: str) -> None:
    path = a_folder(tmp_path, b"\xff\xfe")
    if damage != "no text":
        path.unlink()
    if damage == "a folder":
        path.mkdir()
    definition = DEFINITIONS[ToolName.PRESENT_PLAN]
    assert definition.description(ToolPrompts(lambda name: tmp_path / name)) == definition.summary


@pytest.mark.req("S1-23")
@pytest.mark.parametrize("name", [*DEFINITIONS, "planning"])
def test_every_tool_has_its_bundled_file(name: str) -> None:
    assert resource(f"prompts/tools/{name}_prompt.xml").is_file()
    assert len(ToolPrompts().text(name)) > 80


def test_nothing_bundled_gives_the_short_description() -> None:
    assert ToolPrompts().text("no_such_tool", "short") == "short"
