"""One choice is written into the settings file; whatever else a person wrote there stays."""

from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.settings import GROUPS, Settings
from tandem_desktop.settings_edit import save_setting
from tandem_desktop.settings_io import load_settings

OWN = """# mine
approval_hours = 12  # a working day

[[rules]]
answer = "deny"
tool = "bash"
command = "git push*"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "settings.toml"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("agent", "opencode"),
        ("yolo", True),
        ("approval_hours", 3),
        ("commands_while_planning", "deny"),
        ("on_failure", "stop"),
        ("guarded_tools", ["gmail_send", "odoo_create"]),
    ],
)
def test_a_choice_of_each_kind_is_read_back_as_it_was_made(config: Path, field: str, value: Any) -> None:
    save_setting(config, field, value)
    assert load_settings(config).settings == Settings.model_validate({field: value})


def test_comments_and_rules_of_the_person_stay_where_they_are(config: Path) -> None:
    config.parent.mkdir()
    config.write_text(OWN)
    save_setting(config, "approval_hours", 6)
    save_setting(config, "yolo", True)
    assert config.read_text() == OWN.replace("= 12", "= 6").replace("\n\n[[", "\nyolo = true\n\n[[")
    save_setting(config, "yolo", False)
    assert "yolo" not in config.read_text()
    assert len(load_settings(config).settings.rules) == 1


@pytest.mark.parametrize(("field", "value"), [("approval_hours", 0), ("commands_while_planning", "x"), ("agent", 5)])
def test_a_value_that_does_not_fit_is_refused_and_the_file_is_as_before(config: Path, field: str, value: Any) -> None:
    config.parent.mkdir()
    config.write_text(OWN)
    with pytest.raises(BadInputError, match=field):
        save_setting(config, field, value)
    assert config.read_text() == OWN


def test_a_file_that_cannot_be_understood_is_never_written_over(config: Path) -> None:
    config.parent.mkdir()
    config.write_text("approval_hours = = 3\n")
    with pytest.raises(BadInputError):
        save_setting(config, "yolo", True)
    assert config.read_text() == "approval_hours = = 3\n"


def test_every_setting_stands_in_exactly_one_group() -> None:
    assert sorted(name for _, names in GROUPS for name in names) == sorted(Settings.model_fields)
