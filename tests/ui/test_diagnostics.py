"""What is passed on about a fault says what happened and gives no secret away."""

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tandem_desktop.storage.logs import LogLine
from tandem_desktop.ui.about import about_facts
from tandem_desktop.ui.diagnostics import blacked_out, diagnostics

HOME = Path("/home/ann")


@pytest.mark.parametrize(
    "line",
    [
        "OPENAI_API_KEY=hunter2hunter2",
        'password: "hunter2hunter2"',
        "Authorization: Bearer hunter2hunter2",
        "sent bearer hunter2hunter2 to it",
        "key sk-hunter2hunter2abcdef was refused",
        "https://ann:hunter2hunter2@example.org/x",
        "a plain hunter2hunter2",
    ],
)
def test_secret_is_blacked_out_by_its_name_its_shape_or_its_value(line: str) -> None:
    text = blacked_out(f"before\n{line}\nafter", HOME, {"MY_TOKEN": "hunter2hunter2", "EDITOR": "before"})
    assert "hunter2" not in text
    assert text.startswith("before\n")
    assert text.endswith("\nafter")


def test_versions_settings_and_log_are_in_it_and_the_home_is_not() -> None:
    line = LogLine(datetime(2026, 5, 4, tzinfo=UTC), "warning", "tandem_desktop.x", "agent gone: /home/ann/w")
    facts = about_facts((("Log", HOME / "logs"),))
    text = blacked_out(diagnostics(facts, 'editor = "vi"\n', [line]), HOME, {})
    for part in ("Tandem Desktop: ", "Qt: ", "Log: ~/logs", 'editor = "vi"', "agent gone: ~/w"):
        assert part in text
    assert "/home/ann" not in text


def test_about_names_everything_the_package_asks_for_with_its_licence() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    extras = [each for name in ("gui", "agent", "api", "mcp") for each in project["optional-dependencies"][name]]
    asked = [*project["dependencies"], *(each for each in extras if not each.startswith(project["name"]))]
    parts = {part.name.lower().replace("_", "-"): part for part in about_facts(()).parts}
    for requirement in asked:
        part = parts[re.split(r"[\[<>=]", requirement)[0].lower()]
        assert part.version
        assert part.licence
