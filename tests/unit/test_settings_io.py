"""Settings are read or explained; a workspace can only tighten them; saving one keeps the rest of the file."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.domain.authorization import PermissionRule
from tandem_desktop.domain.errors import BadInputError, StorageError
from tandem_desktop.settings import GROUPS, AdvisorChoice, Settings
from tandem_desktop.settings_io import config_directory, load_settings, save_setting


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    return tmp_path / "plans.json"


@pytest.mark.req("S3-33")
def test_without_any_file_the_defaults_hold(config: Path, plans: Path) -> None:
    loaded = load_settings(config, plans)
    assert loaded.settings == Settings()
    assert loaded.warnings == ()
    assert loaded.settings.guarded_tools == ()
    assert (loaded.settings.stale_after_days, loaded.settings.executor_timeout_minutes) == (30, 30)
    assert (loaded.settings.commands_while_planning, loaded.settings.approval_hours) == ("run", 24)
    assert loaded.settings.command_budget_bytes == 1024**3
    assert not loaded.settings.yolo
    assert not loaded.settings.plan_md


def test_a_command_that_was_to_be_rehearsed_while_planning_is_one_that_runs(config: Path) -> None:
    config.write_text('commands_while_planning = "rehearse"\n')
    assert load_settings(config).settings.commands_while_planning == "run"


def test_every_kind_of_value_is_read_from_toml(config: Path) -> None:
    config.write_text(
        'commands_while_planning = "deny"\nstale_after_days = 7\nguarded_tools = ["gmail_send"]\nyolo = true\n'
        '[[rules]]\nanswer = "deny"\ntool = "bash"\ncommand = "git push*"\n'
    )
    settings = load_settings(config).settings
    assert settings.commands_while_planning == "deny"
    assert settings.stale_after_days == 7
    assert settings.guarded_tools == ("gmail_send",)
    assert settings.yolo
    assert settings.rules == (PermissionRule(answer="deny", tool="bash", command="git push*"),)


@pytest.mark.parametrize(
    ("text", "said", "advice"),
    [
        ("yolo = true\nstale_after_days = = 3\n", ["line 2"], "Correct that line"),
        ('yolo = true\n\nstale_after_days = "x"\n', ["line 3", "stale_after_days"], "Correct `stale_after_days`"),
        ("approval_hours = 0\n", ["line 1", "approval_hours"], "Correct `approval_hours`"),
        ("# why\nyollo = true\n", ["line 2", "yollo", "not known"], "yolo"),
        ('[[rules]]\nanswer = "maybe"\n', ["line 1", "rules.0.answer"], "Correct `rules.0.answer`"),
        ("[rules.deny]\n", ["line 1", "rules"], "Correct `rules`"),
        ("yolo = true\n[minds]\nkoda = 1\n", ["line 2", "advisors.koda"], "Correct `advisors.koda`"),
        ("[advisors]\n[minds]\n", ["line 2", "`minds` is not known"], "advisors"),
    ],
)
def test_a_bad_settings_file_is_named_with_its_line_its_field_and_what_to_do(
    config: Path, text: str, said: list[str], advice: str
) -> None:
    config.write_text(text)
    with pytest.raises(BadInputError) as refusal:
        load_settings(config)
    assert str(config) in refusal.value.message
    for part in said:
        assert part in refusal.value.message
    assert advice in refusal.value.next


def test_advisors_under_their_old_name_minds_have_the_same_effect(config: Path) -> None:
    choice = '.koda = { agent = "opencode", model = "m" }\n'
    config.write_text("minds" + choice)
    old = load_settings(config).settings
    config.write_text("advisors" + choice)
    assert old == load_settings(config).settings
    assert old.advisors == {"koda": AdvisorChoice(agent="opencode", model="m")}


def test_settings_that_are_not_utf8_are_refused_with_the_line(config: Path) -> None:
    config.write_bytes(b"yolo = true\n# \xff\n")
    with pytest.raises(BadInputError, match="line 2"):
        load_settings(config)


@pytest.mark.req("S3-33")
def test_a_workspace_tightens_what_it_may(config: Path, plans: Path) -> None:
    config.write_text('guarded_tools = ["odoo_create"]\nstale_after_days = 20\n')
    plans.write_text(
        json.dumps(
            {
                "guardedTools": ["gmail_send", "odoo_create"],
                "stale_after_days": 5,
                "executor_timeout_minutes": 10,
                "retention_days": 900,
            }
        )
    )
    loaded = load_settings(config, plans)
    assert loaded.warnings == ()
    assert loaded.settings.guarded_tools == ("odoo_create", "gmail_send")
    assert loaded.settings.stale_after_days == 5
    assert loaded.settings.executor_timeout_minutes == 10
    assert loaded.settings.retention_days == 900


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("stale_after_days", 31),
        ("executor_timeout_minutes", 1000),
        ("retention_days", 364),
        ("retention_days", 10**9),
        ("yolo", True),
        ("tool_ignore", ["bash"]),
        ("rules", [{"answer": "allow"}]),
        ("commands_while_planning", "run"),
        ("guarded_tools_only_logged", True),
        ("something", {"else": 1}),
    ],
)
def test_whatever_would_loosen_is_ignored_with_a_warning_that_names_it(
    config: Path, plans: Path, field: str, value: object
) -> None:
    plans.write_text(json.dumps({field: value}))
    loaded = load_settings(config, plans)
    assert loaded.settings == Settings()
    (warning,) = loaded.warnings
    assert f"`{field}`" in warning
    assert str(plans) in warning


def test_an_empty_list_of_guarded_tools_in_the_workspace_takes_no_guard_away(config: Path, plans: Path) -> None:
    config.write_text('guarded_tools = ["gmail_send"]\n')
    plans.write_text('{"guardedTools": []}')
    assert load_settings(config, plans).settings.guarded_tools == ("gmail_send",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"guardedTools": [],\n]', "line 2"),
        ("[]", "JSON object"),
        ('{"guardedTools": "bash"}', "guardedTools"),
        ('{"guardedTools": [1]}', "guardedTools"),
        ('{"stale_after_days": "7"}', "stale_after_days"),
        ('{"stale_after_days": true}', "stale_after_days"),
        ('{"executor_timeout_minutes": 0}', "executor_timeout_minutes"),
        ("[" * 100_000, "cannot be read"),
    ],
)
def test_a_workspace_file_that_cannot_be_understood_loosens_nothing_by_being_refused(
    config: Path, plans: Path, text: str, said: str
) -> None:
    plans.write_text(text)
    with pytest.raises(BadInputError) as refusal:
        load_settings(config, plans)
    assert str(plans) in refusal.value.message
    assert said in refusal.value.message
    assert refusal.value.next


def test_a_link_in_place_of_the_workspace_file_is_not_followed(config: Path, plans: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("{}")
    plans.symlink_to(tmp_path / "secret")
    with pytest.raises(StorageError, match=r"plans\.json"):
        load_settings(config, plans)


def test_a_pipe_in_place_of_the_workspace_file_is_not_waited_for(config: Path, plans: Path) -> None:
    os.mkfifo(plans)
    with pytest.raises(BadInputError, match="is not a file"):
        load_settings(config, plans)


def test_a_huge_workspace_file_is_refused_unread(config: Path, plans: Path) -> None:
    plans.write_bytes(b" " * (1024 * 1024 + 1))
    with pytest.raises(BadInputError, match="more than"):
        load_settings(config, plans)


def test_the_variable_chooses_the_configuration_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path))
    assert config_directory() == tmp_path
    monkeypatch.delenv("TANDEM_CONFIG_DIR")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert config_directory().name == "tandem-desktop"


OWN = """# mine
approval_hours = 12  # a working day

[[rules]]
answer = "deny"
tool = "bash"
command = "git push*"
"""


@pytest.fixture
def missing_config(tmp_path: Path) -> Path:
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
def test_a_choice_of_each_kind_is_read_back_as_it_was_made(missing_config: Path, field: str, value: Any) -> None:
    save_setting(missing_config, field, value)
    assert load_settings(missing_config).settings == Settings.model_validate({field: value})


def test_a_field_under_its_old_name_is_replaced_by_the_new_one_when_it_is_changed(missing_config: Path) -> None:
    missing_config.parent.mkdir()
    missing_config.write_text('[minds]\nkoda = { agent = "old" }\n')
    save_setting(missing_config, "yolo", True)
    assert "[minds]" in missing_config.read_text()
    changed = save_setting(missing_config, "advisors", {"koda": {"agent": "opencode"}})
    assert "minds" not in missing_config.read_text()
    assert load_settings(missing_config).settings == changed


def test_comments_and_rules_of_the_person_stay_where_they_are(missing_config: Path) -> None:
    missing_config.parent.mkdir()
    missing_config.write_text(OWN)
    save_setting(missing_config, "approval_hours", 6)
    save_setting(missing_config, "yolo", True)
    assert missing_config.read_text() == OWN.replace("= 12", "= 6").replace("\n\n[[", "\nyolo = true\n\n[[")
    save_setting(missing_config, "yolo", False)
    assert "yolo" not in missing_config.read_text()
    assert len(load_settings(missing_config).settings.rules) == 1


@pytest.mark.parametrize(("field", "value"), [("approval_hours", 0), ("commands_while_planning", "x"), ("agent", 5)])
def test_a_value_that_does_not_fit_is_refused_and_the_file_is_as_before(
    missing_config: Path, field: str, value: Any
) -> None:
    missing_config.parent.mkdir()
    missing_config.write_text(OWN)
    with pytest.raises(BadInputError, match=field):
        save_setting(missing_config, field, value)
    assert missing_config.read_text() == OWN


def test_a_file_that_cannot_be_understood_is_never_written_over(missing_config: Path) -> None:
    missing_config.parent.mkdir()
    missing_config.write_text("approval_hours = = 3\n")
    with pytest.raises(BadInputError):
        save_setting(missing_config, "yolo", True)
    assert missing_config.read_text() == "approval_hours = = 3\n"


def test_every_setting_stands_in_exactly_one_group() -> None:
    assert sorted(name for _, names in GROUPS for name in names) == sorted(Settings.model_fields)
