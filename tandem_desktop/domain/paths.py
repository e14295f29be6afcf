"""Rules for paths that may be written, decided from the text alone."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from tandem_desktop.domain.errors import OutsideWorkspaceError
from tandem_desktop.domain.patterns import lazy_pattern

ROOT = "."
"""The workspace itself, where a path is expected."""

MAX_NAME_BYTES = 255
MAX_PATH_BYTES = 4095

PROTECTED_NAMES = frozenset({".git", ".tandem"})
"""Never written by an operation, at any depth."""

_HARMLESS = lazy_pattern(
    r"(?:(?!(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:[./]|$))[a-z0-9_][a-z0-9_-]*(?:\.[a-z0-9_-]+)*(?:/(?!$)|$))+",
    re.IGNORECASE | re.ASCII,
)
"""Plain names that need no further check, for speed: nearly all names are."""


def check_path(text: str) -> str:
    """`text` as a canonical relative path: forward slashes, none doubled, no leading `./`, no trailing slash.

    Raises:
        OutsideWorkspaceError: the path leaves the workspace, is protected, or cannot be named safely.
    """
    if len(text) <= MAX_NAME_BYTES and _HARMLESS.fullmatch(text):
        return text
    for rule in _TEXT_RULES:
        _refuse(text, rule(text))
    components = [component for component in text.removeprefix("./").split("/") if component]
    _refuse(text, _missing(components))
    for component in components:
        # A backslash separates on some platforms, so what lies between two of them must be harmless as well.
        for name in component.split("\\"):
            for name_rule in _NAME_RULES:
                _refuse(text, name_rule(name))
        _refuse(text, _long_name(component))
    return "/".join(components)


def parent_of(path: str) -> str:
    """The directory `path` lies in; empty for a path at the top."""
    return path.rpartition("/")[0]


def ancestors(path: str) -> list[str]:
    """Every directory above `path`, outermost first, without the workspace itself."""
    components = path.split("/")
    return ["/".join(components[:length]) for length in range(1, len(components))]


def is_inside(path: str, directory: str) -> bool:
    """Whether `path` lies below `directory`."""
    return path.startswith(f"{directory}/")


def folded(path: str) -> str:
    """`path` case-folded and normalised, as a disk that ignores case compares it."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


@dataclass(frozen=True, slots=True)
class Collision:
    """Two spellings that are one name on a disk that ignores case."""

    first: str
    second: str

    @property
    def reason(self) -> str:
        return (
            f"{_spelled(self.second)} and {_spelled(self.first)} differ only in upper and lower case or in the way "
            "accents are written, and are one file on many disks"
        )


def _spelled(name: str) -> str:
    """Two spellings of one accent are drawn the same: the one in parts is told by their numbers."""
    if unicodedata.is_normalized("NFC", name):
        return shown(name)
    return "".join(f"⟨U+{ord(each):04X}⟩" if unicodedata.combining(each) else shown(each) for each in name)


class Spellings:
    """Records paths and their parent directories, and detects a second spelling of one of them."""

    def __init__(self) -> None:
        self._by_fold: dict[str, str] = {}

    def add(self, path: str) -> Collision | None:
        """Record `path`; returns the collision with an earlier spelling, if any."""
        if self._by_fold.get(folded(path)) == path:
            return None  # then its directories are recorded too
        for spelling in (*ancestors(path), path):
            earlier = self._by_fold.setdefault(folded(spelling), spelling)
            if earlier != spelling:
                return Collision(earlier, spelling)
        return None


def shown(text: str, limit: int = 120) -> str:
    """`text` with everything invisible spelled out as ⟨U+202E⟩, and shortened, for a message."""
    short = text if len(text) <= limit else f"{text[:limit]}…"
    if short.isascii() and short.isprintable():
        return short
    return "".join(f"⟨U+{ord(character):04X}⟩" if _is_invisible(character) else character for character in short)


def unfit_target(target: str) -> str | None:
    """Why a symbolic link may not be given this target, after `its target`; None if it may.

    A person reads the target like a path, so the same characters are refused. Where it leads is not decided here.
    """
    if not target:
        return "is empty"
    if len(target.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    if target.isascii() and target.isprintable():
        return None
    for character in target:
        if unicodedata.category(character) == "Cs":
            return "contains half of a surrogate pair: it is not valid UTF-8"
        if _is_control(character):
            return f"contains a control character, ⟨U+{ord(character):04X}⟩"
        if _is_format(character):
            return f"contains an invisible character, ⟨U+{ord(character):04X}⟩"
    return None


def is_text(name: str) -> bool:
    """Whether a name or link target from the disk is valid UTF-8, so that it can be recorded."""
    return name.isascii() or not any(unicodedata.category(character) == "Cs" for character in name)


@dataclass(frozen=True, slots=True)
class _Refusal:
    reason: str
    next: str


_INSIDE = "Give a path inside the workspace, relative to it, such as src/app.py."
_RENAME = "Choose another name."

_CONTROL = lazy_pattern(r"[\x00-\x1f\x7f-\x9f]")
_DRIVE = lazy_pattern(r"[A-Za-z]:")
_RESERVED = lazy_pattern(r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:[.:].*)?", re.IGNORECASE)
_SHORT_NAME = lazy_pattern(r"(?:git|tandem)~[0-9]+")
_INVISIBLE_BEYOND_FORMAT = frozenset(
    (
        0x034F,
        0x115F,
        0x1160,
        0x17B4,
        0x17B5,
        0x180B,
        0x180C,
        0x180D,
        0x180F,
        0x2065,
        0x2800,
        0x3164,
        0xFFA0,
        0xFFFC,
        0x16FE4,
        0x1D159,
    )
).union(range(0xFE00, 0xFE10), range(0xFFF0, 0xFFF9), range(0xE0000, 0xE1000))
"""Drawn as nothing although their category is not "format": fillers, joiners, variation selectors, tags."""


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Zl", "Zp"}


def _is_format(character: str) -> bool:
    return unicodedata.category(character) == "Cf" or ord(character) in _INVISIBLE_BEYOND_FORMAT


def _is_invisible(character: str) -> bool:
    return _is_control(character) or _is_format(character) or unicodedata.category(character) == "Cs"


def _refuse(text: str, refusal: _Refusal | None) -> None:
    if refusal is not None:
        name = shown(text)
        message = f"The path {name!r} is refused: {refusal.reason}."
        raise OutsideWorkspaceError(message, path=shown(text, MAX_PATH_BYTES), next=refusal.next)


def _empty(text: str) -> _Refusal | None:
    return _Refusal("it is empty", _INSIDE) if not text else None


def _unencodable(text: str) -> _Refusal | None:
    if not is_text(text):
        return _Refusal("it contains half of a surrogate pair, which is not a character", _RENAME)
    return None


def _control(text: str) -> _Refusal | None:
    found = _CONTROL.search(text)
    character = found.group() if found else next(filter(_is_control, "" if text.isascii() else text), None)
    if character is None:
        return None
    return _Refusal(f"it contains the control character ⟨U+{ord(character):04X}⟩", _RENAME)


def _absolute(text: str) -> _Refusal | None:
    if text.startswith(("/", "\\")):
        return _Refusal("it is absolute", _INSIDE)
    if _DRIVE.match(text):
        return _Refusal("it begins with a drive letter", _INSIDE)
    if re.match(r"~(?:[/\\]|$)", text):
        return _Refusal("it begins with ~, which means a home directory outside the workspace", _INSIDE)
    return None


def _long_path(text: str) -> _Refusal | None:
    size = len(text.encode())
    if size > MAX_PATH_BYTES:
        return _Refusal(f"it has {size} bytes, and {MAX_PATH_BYTES} are the limit", "Use a shorter path.")
    return None


def _missing(components: list[str]) -> _Refusal | None:
    return _Refusal("it names the workspace itself, or nothing", _INSIDE) if not components else None


def _dots(name: str) -> _Refusal | None:
    if name == "..":
        return _Refusal("it goes up with '..'", _INSIDE)
    if name == ".":
        return _Refusal("it contains a '.' component", "Leave the '.' out.")
    if name and not name.strip(". "):
        return _Refusal(f"the name {name!r} has only dots and spaces, which some platforms drop", _RENAME)
    return None


def _protected(name: str) -> _Refusal | None:
    """Catch every spelling that some file system takes for `.git` or `.tandem`."""
    plain = name
    if not name.isascii():
        # Compatibility forms and ignorable characters go: HFS+ ignores the latter, and no honest name needs them here.
        visible = "".join(character for character in name if not _is_format(character))
        plain = unicodedata.normalize("NFKC", visible)
    plain = plain.casefold().partition(":")[0].rstrip(". ")
    if plain in PROTECTED_NAMES or _SHORT_NAME.fullmatch(plain):
        owner = "Tandem" if "tandem" in plain else "git"
        return _Refusal(
            f"{shown(name)!r} belongs to {owner} itself and is never written by a plan",
            "Leave this path out of the plan.",
        )
    return None


def _format_characters(name: str) -> _Refusal | None:
    hidden = next(filter(_is_format, "" if name.isascii() else name), None)
    if hidden is None:
        return None
    return _Refusal(f"it contains the invisible character ⟨U+{ord(hidden):04X}⟩", _RENAME)


def _reserved(name: str) -> _Refusal | None:
    if _RESERVED.fullmatch(name):
        return _Refusal(f"{name!r} is a device name on Windows", _RENAME)
    return None


def _long_name(name: str) -> _Refusal | None:
    size = len(name.encode())
    if size > MAX_NAME_BYTES:
        return _Refusal(f"one name in it has {size} bytes, and {MAX_NAME_BYTES} are the limit", "Use a shorter name.")
    return None


_Rule = Callable[[str], _Refusal | None]
_TEXT_RULES: tuple[_Rule, ...] = (_empty, _unencodable, _control, _absolute, _long_path)
_NAME_RULES: tuple[_Rule, ...] = (_dots, _protected, _format_characters, _reserved)
