"""Read any unified diff strictly, byte for byte: what is not understood is refused, never skipped."""

import io
import re

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.staging.hunks import Hunk, HunkLine
from tandem_desktop.staging.patch_files import MAKE_AGAIN, FilePatch, Section, file_patch
from tandem_desktop.staging.patch_names import git_line_names, header_name, unquoted

SYMLINK_MODE = 0o120000
REGULAR_TYPE = 0o100000

_HUNK_HEADER = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_INDEX = re.compile(rb"index [0-9a-f]+\.\.[0-9a-f]+(?: ([0-7]{6}))?\s*")
_ONLY_IN = re.compile(rb"Only in [^\n]+: [^\n]+")
_BINARY = re.compile(rb"(?:GIT binary patch|Binary files? .* (?:differ|has changed))\s*")
_COMBINED = (b"diff --cc ", b"diff --combined ", b"@@@ ")
_MAIL_SIGNATURE = re.compile(rb"-- ?\r?\n?")


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
        """A body longer than its header says would otherwise lose its last lines in silence."""
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
