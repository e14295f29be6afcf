"""Opens files in the user's editor and edits text losslessly."""

import os
import shlex
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QProcess, QUrl
from PySide6.QtGui import QDesktopServices

from tandem_desktop.diff.lines import changes
from tandem_desktop.ui.i18n import tr

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
"""Graphical editors and their arguments for a line, in the order they are tried."""
_RUN_BY_OPENING = {".app", ".bat", ".cmd", ".com", ".desktop", ".exe", ".jar", ".lnk", ".msi", ".ps1", ".scr", ".url"}


def open_in_editor(path: Path, line: int, setting: str) -> str:
    """Open a file at a line. Returns an empty string, or why it could not be opened."""
    if not path.exists():
        return tr("{name} is not on disk yet; it comes into being when the plan is implemented.", name=path.name)
    words = editor_command(path, line, setting, os.environ, shutil.which)
    if words is None:
        # The desktop may execute an executable file, so open its folder instead.
        shown = path.parent if _could_run(path) else path
        done = QDesktopServices.openUrl(QUrl.fromLocalFile(str(shown)))
        return "" if done else tr("No editor was found. Name one in the settings: editor = 'code -g {path}:{line}'")
    done, _ = QProcess.startDetached(words[0], words[1:], str(path.parent))
    return "" if done else tr("{editor} could not be started. Look at the setting editor.", editor=words[0])


def editor_command(
    path: Path, line: int, setting: str, environment: Mapping[str, str], find: Callable[[str], str | None]
) -> list[str] | None:
    """The setting, else $VISUAL or $EDITOR if it is graphical, else an installed editor, else None."""
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


LARGEST = 1_000_000
_BOM = "\ufeff"
_LOST_IN_AN_EDITOR = ("\0", "\u2029")


@dataclass(frozen=True, slots=True)
class EditableText:
    """UTF-8 text of moderate size; line endings and a byte order mark are kept."""

    text: str
    r"""The text with `\n` as line ending."""
    ends: tuple[str, ...]
    """The original ending of each line but the last."""
    has_mark: bool

    @classmethod
    def of(cls, content: bytes) -> "EditableText | None":
        """The content as text; None if an editor could not preserve it."""
        if len(content) > LARGEST:
            return None
        try:
            decoded = content.decode("utf-8")
        except UnicodeDecodeError:
            return None
        whole = decoded.removeprefix(_BOM)
        lines = whole.split("\n")
        ends = tuple("\r\n" if line.endswith("\r") else "\n" for line in lines[:-1])
        text = whole.replace("\r\n", "\n")
        if "\r" in text or any(each in text for each in _LOST_IN_AN_EDITOR):
            return None
        return cls(text, ends, decoded.startswith(_BOM))

    def encoded(self, edited: str) -> bytes:
        """The edited text as bytes. New lines get the most frequent line ending."""
        before, after = self.text.split("\n"), edited.split("\n")
        usual = "\r\n" if self.ends.count("\r\n") * 2 > len(self.ends) else "\n"
        ends = [usual] * len(after)
        old = new = 0
        for change in (*changes(_as_bytes(before), _as_bytes(after)), None):
            same = (change.old_start if change else len(before)) - old
            ends[new : new + same] = (*self.ends, usual)[old : old + same]
            old, new = (change.old_end, change.new_end) if change else (old, new)
        ends[-1] = ""
        made = "".join(line + end for line, end in zip(after, ends, strict=True))
        return ((_BOM if self.has_mark else "") + made).encode("utf-8")


def _as_bytes(lines: list[str]) -> list[bytes]:
    return [line.encode("utf-8", "surrogatepass") for line in lines]


def from_home(path: Path | str) -> str:
    """A path in the home folder as `~/projects/orders`; any other unchanged."""
    home = Path.home()
    is_inside = home != home.parent and Path(path).is_relative_to(home)
    return str("~" / Path(path).relative_to(home)) if is_inside else str(path)
