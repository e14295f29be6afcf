"""Say in words what a comparison of lines cannot show: images, bytes, links, modes, names, line ends, encodings."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, NodeState, SymlinkState
from tandem_desktop.staging.text import Document, ends_without_newline

_ENCODINGS = {"utf-8": "UTF-8", "utf-16-le": "UTF-16 (little end first)", "utf-16-be": "UTF-16 (big end first)"}
_ENCODINGS |= {"latin-1": "Latin-1", "binary": "bytes"}
_ENDINGS = {"lf": "LF", "crlf": "CRLF", "mixed": "mixed"}
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Words:
    """One fact about a change, and the icon that goes with it."""

    text: str
    icon: str = "info"
    is_risk: bool = False


def words_about_content(before: bytes, after: bytes, old: Document, new: Document) -> tuple[Words, ...]:
    """What changed about the content as a whole; also what there is instead of lines."""
    return tuple(_about_content(before, after, old, new))


def words_about_nodes(
    before: NodeState, after: NodeState, path: str = "", moved_from: str | None = None
) -> tuple[Words, ...]:
    """What changed about the thing at a path rather than in it: its kind, its name, its mode, where it points."""
    return tuple(_about_nodes(before, after, path, moved_from))


def size_in_words(size: int) -> str:
    if size < 1000:
        return "1 byte" if size == 1 else f"{size} bytes"
    if size < 1_000_000:
        return f"{size / 1000:.1f} kB"
    return f"{size / 1_000_000:.1f} MB"


def image_in_words(content: bytes) -> str:
    """`PNG, 640 × 480`, read from the first bytes; nothing if this is no image we know."""
    if content.startswith(b"\x89PNG\r\n\x1a\n") and len(content) >= 24:
        return _sized("PNG", *struct.unpack(">II", content[16:24]))
    if content[:6] in (b"GIF87a", b"GIF89a") and len(content) >= 10:
        return _sized("GIF", *struct.unpack("<HH", content[6:10]))
    if content.startswith(b"BM") and len(content) >= 26 and content[6:10] == bytes(4):
        width, height = struct.unpack("<ii", content[18:26])
        return _sized("BMP", width, abs(height))
    if content.startswith(b"\xff\xd8\xff"):
        return _jpeg(content)
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "WebP"
    return "icon" if content.startswith(b"\0\0\1\0") else ""


def _about_content(before: bytes, after: bytes, old: Document, new: Document) -> Iterator[Words]:
    if before == after:
        yield Words("The content is empty." if not after else "The content does not change.")
        return
    images = image_in_words(before), image_in_words(after)
    if any(images):
        yield Words(_became("Image", images[0], images[1], before, after), "image")
        return
    if old.is_binary or new.is_binary:
        yield Words(_became("Not text", "", "", before, after), "file")
    elif before and after:
        yield from _about_text(before, after, old, new)
    elif not after:
        yield Words("Nothing is left of the content.")


def _about_text(before: bytes, after: bytes, old: Document, new: Document) -> Iterator[Words]:
    if old.encoding != new.encoding:
        yield Words(f"The encoding changes from {_ENCODINGS[old.encoding]} to {_ENCODINGS[new.encoding]}.")
    elif before.startswith(_MARK) != after.startswith(_MARK):
        yield Words(f"The byte order mark at the beginning is {'removed' if before.startswith(_MARK) else 'added'}.")
    if old.endings != new.endings and "none" not in (old.endings, new.endings):
        same = " Nothing else changes." if _text(before, old) == _text(after, new) else ""
        yield Words(
            f"Line endings change from {_ENDINGS[old.endings]} to {_ENDINGS[new.endings]} "
            f"({_counted(len(new.lines), 'line')}).{same}"
        )
    if ends_without_newline(before) != ends_without_newline(after):
        yield Words(f"The newline at the end is {'added' if ends_without_newline(before) else 'removed'}.")


def _about_nodes(before: NodeState, after: NodeState, path: str, moved_from: str | None) -> Iterator[Words]:
    if moved_from is not None:
        yield Words(f"Renamed from {moved_from} to {path}.", "move")
    match before, after:
        case SymlinkState(), SymlinkState() if before.target != after.target:
            yield Words(f"The symbolic link points to {after.target} instead of {before.target}.", "link")
        case _, SymlinkState() if not isinstance(before, SymlinkState):
            yield Words(f"{_was(before)}a symbolic link to {after.target}.", "link")
        case SymlinkState(), _:
            yield Words(f"The symbolic link to {before.target} {_becomes(after)}.", "link")
        case DirectoryState(), FileState() | Absent():
            yield Words(f"The directory {_becomes(after)}.", "folder")
        case Absent() | FileState(), DirectoryState():
            yield Words(f"{_was(before)}a directory.", "folder")
        case FileState() | DirectoryState(), FileState() | DirectoryState() if before.mode != after.mode:
            yield _mode(before.mode, after.mode)
        case Absent(), FileState() if after.mode & 0o111:
            yield Words(f"The new file can be run as a program (mode {after.mode:04o}).", "mode", is_risk=True)


def _mode(before: int, after: int) -> Words:
    gained, lost = after & ~before & 0o111, before & ~after & 0o111
    meaning = ": it can be run as a program" if gained else ": it can no longer be run as a program" if lost else ""
    return Words(f"The mode changes from {before:04o} to {after:04o}{meaning}.", "mode", is_risk=bool(gained))


def _was(before: NodeState) -> str:
    return "New: " if isinstance(before, Absent) else "The file becomes " if isinstance(before, FileState) else "Now "


def _becomes(after: NodeState) -> str:
    return {"absent": "is removed", "file": "becomes a file", "dir": "becomes a directory"}.get(after.type, "changes")


def _became(noun: str, old: str, new: str, before: bytes, after: bytes) -> str:
    sides = [
        f"{words + ', ' if words else ''}{size_in_words(len(content))}"
        for words, content in ((old, before), (new, after))
        if content
    ]
    state = " (new)" if not before else " (removed)" if not after else ""
    return f"{noun}{state}: {' → '.join(sides)}."


def _text(content: bytes, document: Document) -> str:
    return content.decode(document.encoding).replace("\r\n", "\n")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _sized(name: str, width: int, height: int) -> str:
    return f"{name}, {width} × {height}"


def _jpeg(content: bytes) -> str:
    """Walk the segments to the one that holds the size."""
    at = 2
    while at + 9 < len(content) and content[at] == 0xFF:
        marker, (length,) = content[at + 1], struct.unpack(">H", content[at + 2 : at + 4])
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return _sized("JPEG", width, height)
        at += 2 + length
    return "JPEG"
