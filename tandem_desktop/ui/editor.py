"""Open a file of the workspace at a line in the person's own editor."""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices

from tandem_desktop.ui.words import tr

_AT_COLON = ("-g", "{path}:{line}")
_COLON = ("{path}:{line}",)
_PLUS = ("+{line}", "{path}")
_EDITORS: dict[str, tuple[str, ...]] = {
    "code": _AT_COLON,
    "codium": _AT_COLON,
    "code-insiders": _AT_COLON,
    "cursor": _AT_COLON,
    "zed": _COLON,
    "zeditor": _COLON,
    "subl": _COLON,
    "idea": ("--line", "{line}", "{path}"),
    "pycharm": ("--line", "{line}", "{path}"),
    "kate": ("--line", "{line}", "{path}"),
    "gvim": _PLUS,
    "mvim": _PLUS,
    "nvim-qt": ("{path}", "--", "+{line}"),
    "neovide": ("{path}", "--", "+{line}"),
    "emacs": _PLUS,
    "gedit": _PLUS,
    "gnome-text-editor": _PLUS,
    "geany": ("{path}:{line}",),
    "mousepad": ("--line={line}", "{path}"),
    "xed": _PLUS,
    "pluma": _PLUS,
}
"""Editors with a window of their own, and how each is told a line; looked for in this order."""
_RUN_BY_OPENING = {".app", ".bat", ".cmd", ".com", ".desktop", ".exe", ".jar", ".lnk", ".msi", ".ps1", ".scr", ".url"}


def open_in_editor(path: Path, line: int, setting: str) -> str:
    """What to tell the person when it cannot be done; nothing when it was."""
    if not path.exists():
        return tr("{name} is not on disk yet; it comes into being when the plan is implemented.", name=path.name)
    words = editor_command(path, line, setting, os.environ, shutil.which)
    if words is None:
        # The desktop may run what it is asked to open; then its folder is opened instead.
        shown = path.parent if _could_run(path) else path
        done = QDesktopServices.openUrl(QUrl.fromLocalFile(str(shown)))
        return "" if done else tr("No editor was found. Name one in the settings: editor = 'code -g {path}:{line}'")
    done, _ = QProcess.startDetached(words[0], words[1:], str(path.parent))
    return "" if done else tr("{editor} could not be started. Look at the setting editor.", editor=words[0])


def editor_command(
    path: Path, line: int, setting: str, environment: Mapping[str, str], find: Callable[[str], str | None]
) -> list[str] | None:
    """The setting, else $VISUAL or $EDITOR if that has a window, else an editor that is installed, else nothing."""
    chosen = _words(setting)
    if chosen:
        return _filled(chosen, path, line)
    for name in ("VISUAL", "EDITOR"):
        words = _words(environment.get(name, ""))
        if words and Path(words[0]).name in _EDITORS and "-nw" not in words and find(words[0]):
            return _filled([word for word in words if word not in ("-w", "--wait", "-f")], path, line)
    found = next((name for name in _EDITORS if find(name)), None)
    return _filled([found], path, line) if found is not None else None


def _words(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _filled(words: list[str], path: Path, line: int) -> list[str]:
    if not any("{path}" in word for word in words):
        words = [*words, *_EDITORS.get(Path(words[0]).stem, ("{path}",))]
    return [word.replace("{line}", str(line)).replace("{path}", str(path)) for word in words]


def _could_run(path: Path) -> bool:
    return path.suffix.lower() in _RUN_BY_OPENING or os.access(path, os.X_OK)
