"""The page of settings and the file say the same, and what the window takes from them holds at once."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QTextCursor
from PySide6.QtWidgets import QCheckBox, QComboBox, QListView, QPlainTextEdit, QSpinBox, QWidget

from tandem_desktop.settings import Settings
from tandem_desktop.settings_io import load_settings
from tests.ui.window.driver import Person

CONTROL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    return tmp_path / "config" / "settings.toml"


def test_every_setting_is_on_the_page_and_a_choice_is_in_the_file_and_holds(config: Path, window: Person) -> None:
    window.press(Qt.Key.Key_Comma, CONTROL)
    window.wait(lambda: window.sees("settings-search"))

    def shown() -> set[str]:
        return {each.objectName() for each in window.window.findChildren(QWidget)}

    window.wait(lambda: {f"setting-{name}" for name in Settings.model_fields} <= shown())
    controls: dict[type[QWidget], str] = {QCheckBox: "yolo", QSpinBox: "approval_hours", QComboBox: "on_failure"}
    for kind, name in controls.items():
        assert isinstance(window.window.findChild(QWidget, f"setting-{name}"), kind)

    window.type("single letter")
    window.wait(lambda: window.sees("setting-single_letter_keys") and not window.sees("setting-yolo"))
    window.click("setting-single_letter_keys")
    assert not load_settings(config).settings.single_letter_keys
    assert not window.place.panel.operations.list.single_letters

    window.find("settings-search").setFocus()
    window.press(Qt.Key.Key_A, CONTROL)
    window.type("approval hours")
    hours = window.find("setting-approval_hours")
    assert isinstance(hours, QSpinBox)
    hours.setFocus()
    window.press(Qt.Key.Key_Up)
    assert load_settings(config).settings.approval_hours == 25
    window.click("settings-reopen")
    window.wait(lambda: window.place.background.engine.settings.approval_hours == 25)


@pytest.mark.setting("keys")
def test_a_key_of_ones_own_takes_the_place_of_the_usual_one(config: Path, window: Person) -> None:
    config.write_text('keys.keys = "Ctrl+Alt+H"\nkeys.nothing = "Ctrl+J"\n')
    window.window.open_workspace(window.workspace)
    window.wait(lambda: "nothing" in window.window.toast.text)
    window.press(Qt.Key.Key_F1)
    assert not window.sees("keys-search")
    window.press(Qt.Key.Key_H, CONTROL | Qt.KeyboardModifier.AltModifier)
    window.wait(lambda: window.sees("keys-search"))
    listed = window.find("keys-list")
    assert isinstance(listed, QListView)
    assert listed.model().index(2, 0).data() == "Keys: Ctrl+Alt+H"


def test_models_and_keys_are_written_on_the_page_line_by_line(config: Path, window: Person) -> None:
    config.parent.mkdir(exist_ok=True)
    config.write_text('# mine\nmodels.goose = "large"\n')
    window.command("Settings")
    window.wait(lambda: window.sees("setting-models"))
    models = window.find("setting-models")
    assert isinstance(models, QPlainTextEdit)
    assert models.toPlainText() == "goose = large"
    models.setFocus()
    window.wait(lambda: window.sees("setting-keys"))
    models.moveCursor(QTextCursor.MoveOperation.End)
    window.press(Qt.Key.Key_Return)
    window.type("opencode")
    window.press(Qt.Key.Key_Tab)
    said = window.find("settings-said")
    assert "is no pair" in said.text()  # type: ignore[attr-defined]  # a label
    assert load_settings(config).settings.models == {"goose": "large"}

    models.setFocus()
    models.moveCursor(QTextCursor.MoveOperation.End)
    window.type(" = anthropic/x")
    window.press(Qt.Key.Key_Tab)
    assert load_settings(config).settings.models == {"goose": "large", "opencode": "anthropic/x"}
    assert config.read_text().startswith("# mine\n")

    window.find("setting-keys").setFocus()
    window.type('keys.keys = "Ctrl+Alt+H"')  # as in the file
    window.press(Qt.Key.Key_Tab)
    window.click("settings-close")
    window.press(Qt.Key.Key_H, CONTROL | Qt.KeyboardModifier.AltModifier)
    window.wait(lambda: window.sees("keys-search"))


def test_a_file_that_cannot_be_understood_is_told_and_not_written_over(config: Path, window: Person) -> None:
    config.write_text("approval_hours = = 3\n")
    window.command("Settings")
    window.wait(lambda: window.sees("settings-search"))
    said = window.find("settings-said")
    assert "is not valid TOML" in said.text()  # type: ignore[attr-defined]  # a label
    editor = window.find("setting-agent")
    assert isinstance(editor, QComboBox)
    editor.setFocus()
    window.press(Qt.Key.Key_Down)
    assert config.read_text() == "approval_hours = = 3\n"


@pytest.mark.setting("theme")
def test_theme_of_the_page_and_of_the_button_is_the_one_in_the_file(config: Path, window: Person) -> None:
    window.command("Settings")
    window.wait(lambda: window.sees("setting-theme"))
    window.find("setting-theme").setFocus()
    window.press(Qt.Key.Key_Down)
    window.wait(lambda: window.theme.name == "light")
    assert load_settings(config).settings.theme == "light"
    window.click("settings-close")
    window.click("icon-button-theme")
    assert load_settings(config).settings.theme == window.theme.name == "dark"
    window.click("icon-button-theme")
    assert window.theme.name == "light", "the button knows no other theme"

    config.write_text('theme = "colour-blind-dark"\n')
    window.window.open_workspace(window.workspace)
    window.wait(lambda: window.theme.name == "colour-blind-dark")


@pytest.mark.setting("code_font", "code_size", "ligatures", "notifications", "editor")
def test_window_wears_what_the_file_says_when_the_workspace_is_opened(
    config: Path, window: Person, tmp_path: Path
) -> None:
    editor, opened = tmp_path / "editor", tmp_path / "opened"
    editor.write_text(f'#!/bin/sh\nprintf "%s" "$1" > "{opened}.part"\nmv "{opened}.part" "{opened}"\n')
    editor.chmod(0o755)
    code = 'code_font = "Courier"\ncode_size = 21\nligatures = true\n'
    config.write_text(f'{code}notifications = false\neditor = "{editor} {{path}}"\n')
    window.window.open_workspace(window.workspace)
    window.wait(lambda: window.window.settings.current.code_size == 21)
    face = window.theme.code_font()
    assert (face.families()[0], face.pixelSize()) == ("Courier", 21)
    assert not face.isFeatureSet(QFont.Tag("liga"))
    assert not window.window.notifier.is_on
    window.command("Settings")
    window.wait(lambda: window.sees("settings-file"))
    window.click("settings-file")
    window.wait(opened.exists)
    assert opened.read_text() == str(config)


def test_file_written_by_hand_holds_in_the_open_window_and_on_its_page(config: Path, window: Person) -> None:
    config.parent.mkdir(exist_ok=True)
    config.write_text('theme = "light"\n')
    window.wait(lambda: window.theme.name == "light")
    window.command("Settings")
    window.wait(lambda: window.sees("setting-approval_hours"))
    with config.open("a") as file:
        file.write("approval_hours = 7\n")
    window.wait(lambda: "opened the next time" in window.window.toast.text)
    hours = window.find("setting-approval_hours")
    assert isinstance(hours, QSpinBox)
    assert hours.value() == 7

    config.write_text("approval_hours = = 7\n")
    window.wait(lambda: "is not valid TOML" in window.window.toast.text)
    assert window.theme.name == "light"
    config.unlink()
    window.wait(lambda: window.window.settings.current == Settings())
