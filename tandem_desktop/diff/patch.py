"""Parses and applies unified diffs."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tandem_desktop.diff.hunks import Hunk, HunkLine
from tandem_desktop.diff.text import split_at_newlines
from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.domain.patterns import lazy_pattern

DEV_NULL = "/dev/null"
PREFIX_PAIRS = frozenset({("a", "b"), ("b", "a"), ("i", "w"), ("c", "i"), ("c", "w"), ("o", "w"), ("1", "2")})
"""First components that `git diff` puts before the two names, mnemonic ones included."""
BACKUP_SUFFIXES = (".orig", ".old", ".bak", "~")

_ESCAPE = lazy_pattern(rb"\\([abtnvfr\"\\]|[0-7]{3})")
_CHARACTERS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_QUOTED = lazy_pattern(rb'"((?:[^"\\]|\\.)*)"')
_EPOCH = lazy_pattern(rb"19(?:70-01-01|69-12-31)[T ]\d\d:\d\d:\d\d")


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


MAKE_AGAIN = "Make the patch again with `git diff` and pass it unedited."


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a patch does to one file. Modes carry the type bits, as git writes them; None means unsaid."""

    path: str
    to: str | None = None
    old_mode: int | None = None
    new_mode: int | None = None
    is_new: bool = False
    is_deleted: bool = False
    hunks: tuple[Hunk, ...] = ()
    empties: tuple[str, ...] | None = None
    """Folders that go with it when nothing is left in them, innermost first; None while the whole diff is not known."""


@dataclass(slots=True)
class Section:
    """The headers of one file as they are gathered."""

    git_names: tuple[str, str] | None = None
    is_git: bool = False
    rename_from: str | None = None
    rename_to: str | None = None
    old_mode: int | None = None
    new_mode: int | None = None
    is_new: bool = False
    is_deleted: bool = False
    old_name: HeaderName | None = None
    new_name: HeaderName | None = None
    hunks: list[Hunk] = field(default_factory=list)

    def describe(self) -> str | None:
        if self.rename_to is not None:
            return self.rename_to
        if self.git_names is not None:
            return strip_git_prefixes(*self.git_names)[1]
        return self.new_name.name if self.new_name is not None else None


def file_patch(section: Section) -> FilePatch:
    """What the headers and hunks say together.

    Raises:
        StepRefusedError: they contradict each other, or say nothing.
    """
    made = _git_file(section) if section.is_git else _plain_file(section)
    is_mode_change = made.new_mode is not None and made.new_mode != made.old_mode
    problem = ""
    if made.is_new and any(hunk.old_count for hunk in made.hunks):
        problem = "creates the file and yet needs its old content"
    elif made.is_deleted and any(hunk.new_count for hunk in made.hunks):
        problem = "deletes the file and yet leaves content in it"
    elif not (made.hunks or made.to or made.is_new or made.is_deleted or is_mode_change):
        problem = "changes nothing in it"
    if problem:
        raise StepRefusedError(f"{made.path}: the patch {problem}.", path=made.path, next=MAKE_AGAIN)
    return made


def _git_file(section: Section) -> FilePatch:
    old, new = _git_paths(section)
    if section.is_new or (section.old_name is not None and section.old_name.name == DEV_NULL):
        return FilePatch(new, new_mode=section.new_mode, is_new=True, hunks=tuple(section.hunks))
    if section.is_deleted or (section.new_name is not None and section.new_name.name == DEV_NULL):
        return FilePatch(old, old_mode=section.old_mode, is_deleted=True, hunks=tuple(section.hunks))
    if section.rename_to is None and old != new:
        raise _two_files(old, new)
    return FilePatch(old, section.rename_to, section.old_mode, section.new_mode, hunks=tuple(section.hunks))


def _git_paths(section: Section) -> tuple[str, str]:
    """The two paths; every header that names them must say the same, or the reader of one would be misled."""
    if (section.rename_from is None) != (section.rename_to is None):
        raise StepRefusedError("The patch renames a file but names only one side.", next=MAKE_AGAIN)
    shown = _shown_paths(section)
    if section.rename_from is not None and section.rename_to is not None:
        said: tuple[str, str] | None = (section.rename_from, section.rename_to)
    else:
        said = strip_git_prefixes(*section.git_names) if section.git_names is not None else shown
    if said is None:
        raise StepRefusedError("The patch does not say clearly which file it means.", next=MAKE_AGAIN)
    if shown is not None and shown != said:
        raise _two_files(*(shown if shown[0] != shown[1] else (said[1], shown[1])))
    return said


def _shown_paths(section: Section) -> tuple[str, str] | None:
    if section.old_name is None or section.new_name is None:
        return None
    old, new = section.old_name.name, section.new_name.name
    if DEV_NULL not in (old, new):
        return strip_git_prefixes(old, new)
    there = new if old == DEV_NULL else old
    if section.git_names is not None and there in section.git_names:
        path = strip_git_prefixes(*section.git_names)[0 if new == DEV_NULL else 1]
    else:
        path = plain_path(old, new)
    return (path, path)


def _two_files(old: str, new: str) -> StepRefusedError:
    return StepRefusedError(
        f"The patch names two different files, {old} and {new}, and does not say that it renames.",
        path=new,
        next=MAKE_AGAIN,
    )


def _plain_file(section: Section) -> FilePatch:
    old, new = section.old_name, section.new_name
    if old is None or new is None:
        raise StepRefusedError("The patch does not say which file it means.", next=MAKE_AGAIN)
    path = plain_path(old.name, new.name)
    hunks = tuple(section.hunks)
    has_no_old = len(hunks) == 1 and hunks[0].old_count == 0
    has_no_new = len(hunks) == 1 and hunks[0].new_count == 0
    return FilePatch(
        path,
        is_new=old.name == DEV_NULL or (old.is_epoch and has_no_old),
        is_deleted=new.name == DEV_NULL or (new.is_epoch and has_no_new),
        hunks=hunks,
    )


SYMLINK_MODE = 0o120000
REGULAR_TYPE = 0o100000

_HUNK_HEADER = lazy_pattern(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_INDEX = lazy_pattern(rb"index [0-9a-f]+\.\.[0-9a-f]+(?: ([0-7]{6}))?\s*")
_ONLY_IN = lazy_pattern(rb"Only in [^\n]+: [^\n]+")
_BINARY = lazy_pattern(rb"(?:GIT binary patch|Binary files? .* (?:differ|has changed))\s*")
_COMBINED = (b"diff --cc ", b"diff --combined ", b"@@@ ")
_MAIL_SIGNATURE = lazy_pattern(rb"-- ?\r?\n?")


def parse_patch(patch: bytes) -> tuple[FilePatch, ...]:
    """Every file of the patch, in order.

    Raises:
        StepRefusedError: it is empty, damaged, or holds what a text patch cannot carry.
    """
    if not patch.strip():
        raise StepRefusedError("The patch is empty.", next="Pass the output of `git diff` or `diff -u`.")
    return _Parser(io.BytesIO(patch).readlines()).files()


class _Parser:
    def __init__(self, lines: list[bytes]) -> None:
        self._lines = lines
        self._at = 0
        self._is_git = any(line.startswith(b"diff --git ") for line in lines)

    def files(self) -> tuple[FilePatch, ...]:
        found: list[FilePatch] = []
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._refuse_what_is_no_text_patch(line, None)
            if line.startswith(b"diff --git "):
                found.append(file_patch(self._git_section()))
            elif self._at_name_lines():
                section = Section()
                self._names(section)
                self._hunks(section)
                found.append(file_patch(section))
            elif _HUNK_HEADER.match(line):
                raise self._refusal("A hunk stands before any file name", None)
            else:
                self._at += 1  # words around a patch: a commit message, `Index:`, `diff -ruN`
        if not found:
            raise StepRefusedError(
                "This is not a unified diff: no file and no hunk was found in it.",
                next="Pass the output of `git diff` or `diff -u`.",
            )
        return tuple(found)

    def _git_section(self) -> Section:
        section = Section(git_names=git_line_names(self._lines[self._at][len(b"diff --git ") :]), is_git=True)
        self._at += 1
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._refuse_what_is_no_text_patch(line, section.describe())
            if self._at_name_lines():
                self._names(section)
                self._hunks(section)
                break
            if not self._extended_header(line, section):
                break
            self._at += 1
        return section

    def _extended_header(self, line: bytes, section: Section) -> bool:
        key, value = _split_header(line)
        if key in (b"old mode", b"new mode", b"new file mode", b"deleted file mode"):
            mode = self._mode(value, section)
            section.is_new |= key == b"new file mode"
            section.is_deleted |= key == b"deleted file mode"
            if key in (b"old mode", b"deleted file mode"):
                section.old_mode = mode
            else:
                section.new_mode = mode
        elif key == b"rename from":
            section.rename_from = unquoted(value)
        elif key == b"rename to":
            section.rename_to = unquoted(value)
        elif key in (b"copy from", b"copy to"):
            raise StepRefusedError(
                f"The patch copies {unquoted(value)}; a copy is not an operation Tandem stages.",
                path=unquoted(value),
                next="Make the patch again with `git diff --no-renames`, which writes the copy as a new file.",
            )
        elif index := _INDEX.fullmatch(line):
            if index.group(1):
                section.old_mode = self._mode(index.group(1), section)
        else:
            return key in (b"similarity index", b"dissimilarity index")
        return True

    def _mode(self, value: bytes, section: Section) -> int:
        mode = int(value, 8) if re.fullmatch(rb"[0-7]{6}", value) else 0
        if mode != SYMLINK_MODE and mode & ~0o7777 != REGULAR_TYPE:
            path = section.describe()
            what = "a submodule" if mode == 0o160000 else f"the mode {value.decode('latin-1')}"
            raise StepRefusedError(
                f"The patch gives {path or 'a file'} {what}; only files and symbolic links can be staged.",
                path=path,
                next="Leave this file out of the patch.",
            )
        return mode

    def _at_name_lines(self) -> bool:
        """`---`, `+++` and a hunk, one after the other; anything less may be a line of prose."""
        three = self._lines[self._at : self._at + 3]
        if len(three) < 3 or not (three[0].startswith(b"--- ") and three[1].startswith(b"+++ ")):
            return False
        return three[2].startswith((b"@@ -", b"@@@ "))

    def _names(self, section: Section) -> None:
        section.old_name = header_name(self._lines[self._at][4:])
        section.new_name = header_name(self._lines[self._at + 1][4:])
        self._at += 2

    def _hunks(self, section: Section) -> None:
        path = section.describe()
        while self._at < len(self._lines):
            line = self._lines[self._at]
            header = _HUNK_HEADER.match(line)
            if header is None:
                break
            section.hunks.append(self._hunk(header, len(section.hunks) + 1, path))
        if self._at < len(self._lines):
            self._refuse_what_is_no_text_patch(self._lines[self._at], path)
            self._refuse_stray_line(self._lines[self._at], path, len(section.hunks))

    def _hunk(self, header: re.Match[bytes], n: int, path: str | None) -> Hunk:
        old_start, new_start = int(header.group(1)), int(header.group(3))
        old_count, new_count = (int(count) if count is not None else 1 for count in header.group(2, 4))
        self._at += 1
        old_left, new_left = old_count, new_count
        lines: list[HunkLine] = []
        while True:
            line = self._lines[self._at] if self._at < len(self._lines) else b""
            if lines and line.startswith(b"\\ "):
                last = lines[-1]
                lines[-1] = HunkLine(last.kind, last.raw.removesuffix(b"\n"), no_newline=True)
                self._at += 1
                continue
            if old_left == 0 and new_left == 0:
                break
            kind = " " if line == b"\n" else line[:1].decode("latin-1")
            if kind not in (" ", "-", "+") or not line.endswith(b"\n"):
                raise self._refusal(f"Hunk {n} is cut off or damaged", path)
            old_left -= kind != "+"
            new_left -= kind != "-"
            if old_left < 0 or new_left < 0:
                raise self._refusal(f"Hunk {n} has other lines than its header says", path)
            lines.append(HunkLine(kind, line[1:] if line != b"\n" else line))
            self._at += 1
        if not any(line.kind != " " for line in lines):
            raise self._refusal(f"Hunk {n} changes nothing", path)
        if _has_open_line_inside(lines):
            raise self._refusal(f"Hunk {n} has a line without newline before its end", path)
        return Hunk(n, old_start, old_count, new_start, new_count, tuple(lines))

    def _refuse_stray_line(self, line: bytes, path: str | None, n: int) -> None:
        """Refuse a body longer than its header says; its last lines would be lost silently."""
        if line[:1] not in (b" ", b"+", b"-", b"\\") or _MAIL_SIGNATURE.fullmatch(line) or self._at_name_lines():
            return
        raise self._refusal(f"Hunk {n} has more lines than its header says", path)

    def _refuse_what_is_no_text_patch(self, line: bytes, path: str | None) -> None:
        if line.startswith(_COMBINED):
            raise StepRefusedError(
                "This is a combined diff of a merge; it cannot be applied to one file.",
                path=path,
                next="Make the patch against one parent: `git diff PARENT MERGE`.",
            )
        if _BINARY.fullmatch(line):
            name = path or line.strip().decode("utf-8", "replace")
            raise StepRefusedError(
                f"The patch changes a binary file, which a text patch cannot show: {name}.",
                path=path,
                next="Leave it out of the patch, or propose it with the `write` tool and content_base64.",
            )
        if not self._is_git and _ONLY_IN.match(line):
            raise StepRefusedError(
                f"The patch leaves out a whole file: {line.strip().decode('utf-8', 'replace')}.",
                next="Make it again with `diff -ruN`, which writes new and deleted files.",
            )

    def _refusal(self, what: str, path: str | None) -> StepRefusedError:
        where = f"{path}: " if path else ""
        return StepRefusedError(f"{where}{what} (line {self._at + 1} of the patch).", path=path, next=MAKE_AGAIN)


def _split_header(line: bytes) -> tuple[bytes, bytes]:
    for key in (
        b"old mode", b"new mode", b"new file mode", b"deleted file mode", b"rename from", b"rename to",
        b"copy from", b"copy to", b"similarity index", b"dissimilarity index",
    ):  # fmt: skip
        if line.startswith(key + b" "):
            return key, line[len(key) + 1 :].rstrip(b"\r\n")
    return b"", line


def _has_open_line_inside(lines: list[HunkLine]) -> bool:
    old = [line.no_newline for line in lines if line.kind != "+"]
    new = [line.no_newline for line in lines if line.kind != "-"]
    return any(old[:-1]) or any(new[:-1])


def apply_patch(before: bytes, file_patch: FilePatch) -> bytes:
    """The content after the patch; for a symbolic link the content is its target.

    Raises:
        StepRefusedError: a hunk does not fit, with its number and the next thing to do.
    """
    path = file_patch.path
    if file_patch.is_new and before:
        raise StepRefusedError(
            f"{path} already has content, and the patch would create it.",
            path=path,
            next="Make the patch against the file as it is now.",
        )
    lines = split_at_newlines(before)
    done = 0
    for hunk in file_patch.hunks:
        place = _place(lines, hunk, done)
        if place is None:
            raise _does_not_fit(path, hunk, lines)
        new = [line.raw for line in hunk.lines if line.kind != "-"]
        end = place + hunk.old_count
        if new and not new[-1].endswith(b"\n") and end < len(lines):
            raise _does_not_fit(path, hunk, lines)
        lines[place:end] = new
        done = place + len(new)
    after = b"".join(lines)
    if file_patch.is_deleted and after:
        raise StepRefusedError(
            f"{path} would be deleted, but it holds lines the patch does not remove.",
            path=path,
            next="Make the patch against the file as it is now.",
        )
    return after


def _place(lines: Sequence[bytes], hunk: Hunk, done: int) -> int | None:
    """The position where the hunk fits, nearest to the stated one; never over or before lines of an earlier hunk.

    A hunk that starts at the first line is anchored at the beginning, one without trailing context at the end of the
    file: otherwise an insertion at the end could land anywhere.
    """
    old = [line.raw for line in hunk.lines if line.kind != "+"]
    last = len(lines) - len(old)
    at_beginning = hunk.old_start <= 1
    at_end = hunk.lines[-1].kind != " "
    if last < 0 or (at_beginning and at_end and last != 0):
        return None
    if at_beginning:
        candidates: Iterator[int] = iter((0,))
    elif at_end:
        candidates = iter((last,))
    else:
        candidates = _nearest_first(min(max(hunk.new_start - 1, 0), len(lines)), last)
    for place in candidates:
        if place >= done and (not old or lines[place] == old[0]) and list(lines[place : place + len(old)]) == old:
            return place
    return None


def _nearest_first(wanted: int, last: int) -> Iterator[int]:
    """The stated position, then one after, one before, two after, and so on."""
    for distance in range(max(wanted, abs(last - wanted)) + 1):
        if wanted + distance <= last:
            yield wanted + distance
        if distance and 0 <= wanted - distance <= last:
            yield wanted - distance


def _does_not_fit(path: str, hunk: Hunk, lines: Sequence[bytes]) -> StepRefusedError:
    start = max(hunk.old_start - 1, 0)
    old = [line.raw for line in hunk.lines if line.kind != "+"]
    here = lines[start : start + len(old)]
    differing = next((i for i, raw in enumerate(old) if i >= len(here) or here[i] != raw), None)
    where = "" if differing is None else f"; line {start + differing + 1} is not what the patch expects"
    return StepRefusedError(
        f"Hunk {hunk.n} ({hunk.header}) does not apply to {path}{where}.",
        path=path,
        next="Make the patch again against the file as it is now, with context lines.",
    )
