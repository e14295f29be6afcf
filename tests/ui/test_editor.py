"""A file opens at its line in the editor the person would expect, and nothing is run by opening it."""

from pathlib import Path

import pytest

from tandem_desktop.ui.editor import editor_command, open_in_editor

FILE = Path("/ws/src/app.py")


def installed(*names: str) -> object:
    return lambda name: f"/usr/bin/{name}" if name in names else None


@pytest.mark.parametrize(
    ("setting", "environment", "there", "expected"),
    [
        ("myedit --at {line} {path}", {}, (), ["myedit", "--at", "7", "/ws/src/app.py"]),
        ("code", {}, (), ["code", "-g", "/ws/src/app.py:7"]),
        ("mine", {"VISUAL": "gvim"}, ("gvim",), ["mine", "/ws/src/app.py"]),
        ("", {"VISUAL": "gvim -f"}, ("gvim", "code"), ["gvim", "+7", "/ws/src/app.py"]),
        ("", {"EDITOR": "vim"}, ("vim", "subl"), ["subl", "/ws/src/app.py:7"]),
        ("", {"EDITOR": "emacs -nw"}, ("emacs", "kate"), ["kate", "--line", "7", "/ws/src/app.py"]),
        ("", {"VISUAL": "code --wait"}, ("code",), ["code", "-g", "/ws/src/app.py:7"]),
        ("", {"EDITOR": "vim"}, ("vim",), None),
        ("", {"VISUAL": "unclosed 'quote"}, (), None),
    ],
)
def test_setting_then_environment_then_what_is_installed(
    setting: str, environment: dict[str, str], there: tuple[str, ...], expected: list[str] | None
) -> None:
    assert editor_command(FILE, 7, setting, environment, installed(*there)) == expected  # type: ignore[arg-type]


def test_file_that_is_not_written_yet_is_said_to_be_so(tmp_path: Path) -> None:
    assert "not on disk yet" in open_in_editor(tmp_path / "new.py", 1, "")


def test_real_editor_is_started_with_the_file_and_the_line(tmp_path: Path, qtbot: object) -> None:
    editor, opened, file = tmp_path / "editor", tmp_path / "opened", tmp_path / "a file.py"
    editor.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > "{opened}.part"\nmv "{opened}.part" "{opened}"\n')
    editor.chmod(0o755)
    file.write_text("x\n")
    assert open_in_editor(file, 3, f"'{editor}' +{{line}} {{path}}") == ""
    qtbot.waitUntil(opened.exists)  # type: ignore[attr-defined]
    assert opened.read_text() == f"+3|{file}|"
