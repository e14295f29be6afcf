"""Find out which file a patch means; every tool writes names a little differently."""

import re
from dataclasses import dataclass

from tandem_desktop.domain.errors import StepRefusedError

DEV_NULL = "/dev/null"
PREFIX_PAIRS = frozenset({("a", "b"), ("b", "a"), ("i", "w"), ("c", "i"), ("c", "w"), ("o", "w"), ("1", "2")})
"""First components that `git diff` puts before the two names, mnemonic ones included."""
BACKUP_SUFFIXES = (".orig", ".old", ".bak", "~")

_ESCAPE = re.compile(rb"\\([abtnvfr\"\\]|[0-7]{3})")
_CHARACTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_EPOCH = re.compile(rb"19(?:70-01-01|69-12-31)[T ]\d\d:\d\d:\d\d")


@dataclass(frozen=True, slots=True)
class HeaderName:
    """The name on a `---` or `+++` line, and whether its date says that the file was not there."""

    name: str
    is_epoch: bool = False


def header_name(rest: bytes) -> HeaderName:
    """The name after `--- ` or `+++ `: quoted, or up to the tab before the date."""
    rest = rest.rstrip(b"\n")
    quoted = _QUOTED.match(rest)
    if quoted:
        return HeaderName(unquoted(quoted.group(0)))
    name, _, date = rest.partition(b"\t")
    if name.endswith(b"\r") or date.endswith(b"\r"):
        raise StepRefusedError(
            "The patch's own lines end in CRLF, so its file names cannot be read.",
            next="Save the patch with LF line ends, as `git diff` writes it.",
        )
    return HeaderName(_text(name), _EPOCH.match(date) is not None)


def unquoted(name: bytes) -> str:
    """A name as it is on disk; git puts odd characters in quotes with octal escapes."""
    quoted = _QUOTED.fullmatch(name)
    if quoted is None:
        return _text(name)
    return _text(_ESCAPE.sub(_unescaped, quoted.group(1)))


def git_line_names(rest: bytes) -> tuple[str, str] | None:
    """Both names of a `diff --git` line, or None when its spaces can be read in more than one way."""
    rest = rest.rstrip(b"\r\n")
    readings: list[tuple[str, str]] = []
    first = _QUOTED.match(rest)
    if first and rest[first.end() : first.end() + 1] == b" ":
        return (unquoted(first.group(0)), unquoted(rest[first.end() + 1 :]))
    for space in re.finditer(rb" ", rest):
        old, new = unquoted(rest[: space.start()]), unquoted(rest[space.end() :])
        if old == new or _is_prefixed(old, new):
            readings.append((old, new))
    same = [names for names in readings if names[0] == names[1] or _tail(names[0]) == _tail(names[1])]
    return same[0] if len(same) == 1 else None


def strip_git_prefixes(old: str, new: str) -> tuple[str, str]:
    """Names without `a/` and `b/`, if both carry them."""
    return (_tail(old), _tail(new)) if _is_prefixed(old, new) else (old, new)


def plain_path(old: str, new: str) -> str:
    """The one path that the two names of a patch without git headers mean.

    Raises:
        StepRefusedError: they could mean two different files.
    """
    if old == DEV_NULL:
        return new.removeprefix("b/")
    if new == DEV_NULL:
        return old.removeprefix("a/")
    if old == new:
        return new
    if _tail(old) and _tail(old) == _tail(new):
        return _tail(new)
    for suffix in BACKUP_SUFFIXES:
        if old == new + suffix or (_tail(old) and _tail(old) == _tail(new) + suffix):
            return new if old == new + suffix else _tail(new)
    inside = [name for name in (old, new) if not name.startswith("/") and ".." not in name.split("/")]
    if len(inside) == 1:
        return inside[0]
    raise StepRefusedError(
        f"The patch names two different files, {old} and {new}.",
        path=new,
        next="Make the patch with `git diff`, or with `diff -ruN old new` from the directory above both.",
    )


def _is_prefixed(old: str, new: str) -> bool:
    first, second = old.partition("/"), new.partition("/")
    return bool(first[2] and second[2]) and (first[0], second[0]) in PREFIX_PAIRS


def _tail(name: str) -> str:
    return name.partition("/")[2]


def _unescaped(match: re.Match[bytes]) -> bytes:
    code: bytes = match.group(1)
    if len(code) == 3:
        return bytes([int(code, 8) & 0xFF])
    return _CHARACTERS.get(code, code)


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
