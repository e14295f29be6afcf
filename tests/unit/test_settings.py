"""What the documents say of the settings is what the settings are."""

import json
from enum import Enum
from pathlib import Path

import pytest
from pydantic import ValidationError

from tandem_desktop.settings import Settings
from tandem_desktop.settings_io import GUARDED, LOWERED, RAISED, load_settings

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "settings.md"


def in_toml(value: object) -> str:
    match value:
        case Enum():
            return json.dumps(value.value)
        case tuple():
            return "[]" if not value else repr(value)
        case _:
            return json.dumps(value)


def rows() -> list[str]:
    """The table as the model gives it."""
    return [
        f"| `{name}` | `{in_toml(field.get_default())}` | {field.description} | {tightening(name)} |"
        for name, field in Settings.model_fields.items()
    ]


def tightening(name: str) -> str:
    if name in LOWERED:
        return f"lower, as `{name}`"
    if name in RAISED:
        return f"raise, as `{name}`"
    return f"add, as `{GUARDED}`" if name == "guarded_tools" else "no"


def test_the_document_explains_every_setting_as_the_model_does() -> None:
    written = [line for line in DOCUMENT.read_text().splitlines() if line.startswith("| `")]
    assert written == rows()


def test_every_setting_is_explained() -> None:
    assert all(field.description for field in Settings.model_fields.values())


def test_settings_do_not_change() -> None:
    with pytest.raises(ValidationError):
        Settings().yolo = True


def test_the_example_in_the_document_is_taken_as_it_stands(tmp_path: Path) -> None:
    text = DOCUMENT.read_text()
    config, plans = tmp_path / "settings.toml", tmp_path / "plans.json"
    config.write_text(text.partition("```toml\n")[2].partition("```")[0])
    plans.write_text(text.partition("```json\n")[2].partition("```")[0])
    loaded = load_settings(config, plans)
    assert loaded.warnings == ()
    assert loaded.settings.guarded_tools == ("gmail_send", "odoo_create")
    assert [rule.answer for rule in loaded.settings.rules] == ["deny", "allow", "ask"]
