"""Text for changes that have no lines: images, binaries, links, modes."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from tandem_desktop.diff.text import Document, ends_without_newline, visible_name
from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, NodeState, SymlinkState
from tandem_desktop.ui.i18n import tr, tr_n, tr_table

_ENCODINGS = tr_table(
    {
        "utf-8": "UTF-8",
        "utf-16-le": "UTF-16 (little end first)",
        "utf-16-be": "UTF-16 (big end first)",
        "latin-1": "Latin-1",
        "binary": "bytes",
    }
)
_ENDINGS = tr_table({"lf": "LF", "crlf": "CRLF", "mixed": "mixed"})
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class SpecialText:
    """One fact about a change, and the icon that goes with it."""

    text: str
    icon: str = "info"
    is_risk: bool = False


def content_notes(before: bytes, after: bytes, old: Document, new: Document) -> tuple[SpecialText, ...]:
    """What changed about the content as a whole, or why there are no lines."""
    return tuple(_about_content(before, after, old, new))


def node_notes(
    before: NodeState, after: NodeState, path: str = "", moved_from: str | None = None
) -> tuple[SpecialText, ...]:
    """What changed about the node at a path: its type, name, mode or link target."""
    return tuple(_about_nodes(before, after, path, moved_from))


def size_text(size: int) -> str:
    if size < 1000:
        return tr_n("{n} byte", "{n} bytes", size)
    if size < 1_000_000:
        return f"{size / 1000:.1f} kB"
    return f"{size / 1_000_000:.1f} MB"


def image_text(content: bytes) -> str:
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
    return tr("icon") if content.startswith(b"\0\0\1\0") else ""


def _about_content(before: bytes, after: bytes, old: Document, new: Document) -> Iterator[SpecialText]:
    if before == after:
        yield SpecialText(tr("The content is empty.") if not after else tr("The content does not change."))
        return
    images = image_text(before), image_text(after)
    if any(images):
        nouns = tr("Image (new)"), tr("Image (removed)"), tr("Image")
        yield SpecialText(_became(nouns, images[0], images[1], before, after), "image")
        return
    if old.is_binary or new.is_binary:
        nouns = tr("Not text (new)"), tr("Not text (removed)"), tr("Not text")
        yield SpecialText(_became(nouns, "", "", before, after), "file")
    elif before and after:
        yield from _about_text(before, after, old, new)
    elif not after:
        yield SpecialText(tr("File is deleted."))


def _about_text(before: bytes, after: bytes, old: Document, new: Document) -> Iterator[SpecialText]:
    if old.encoding != new.encoding:
        yield SpecialText(
            tr(
                "The encoding changes from {before} to {after}.",
                before=_ENCODINGS[old.encoding],
                after=_ENCODINGS[new.encoding],
            )
        )
    elif before.startswith(_MARK) != after.startswith(_MARK):
        if before.startswith(_MARK):
            yield SpecialText(tr("The byte order mark at the beginning is removed."))
        else:
            yield SpecialText(tr("The byte order mark at the beginning is added."))
    if old.endings != new.endings and "none" not in (old.endings, new.endings):
        told = tr_n(
            "Line endings change from {before} to {after} ({n} line).",
            "Line endings change from {before} to {after} ({n} lines).",
            len(new.lines),
            before=_ENDINGS[old.endings],
            after=_ENDINGS[new.endings],
        )
        same = tr("Nothing else changes.") if _text(before, old) == _text(after, new) else ""
        yield SpecialText(f"{told} {same}".rstrip())
    if ends_without_newline(before) != ends_without_newline(after):
        is_new = ends_without_newline(before)
        yield SpecialText(
            tr("The newline at the end is added.") if is_new else tr("The newline at the end is removed.")
        )


def _about_nodes(before: NodeState, after: NodeState, path: str, moved_from: str | None) -> Iterator[SpecialText]:
    if moved_from is not None:
        yield SpecialText(
            tr("Renamed from {moved_from} to {path}.", moved_from=visible_name(moved_from), path=visible_name(path)),
            "move",
        )
    match before, after:
        case SymlinkState(), SymlinkState() if before.target != after.target:
            yield SpecialText(
                tr(
                    "The symbolic link points to {target} instead of {former}.",
                    target=visible_name(after.target),
                    former=visible_name(before.target),
                ),
                "link",
            )
        case _, SymlinkState() if not isinstance(before, SymlinkState):
            yield SpecialText(_now_a_link(before, visible_name(after.target)), "link")
        case SymlinkState(), _:
            yield SpecialText(_no_more_a_link(visible_name(before.target), after), "link")
        case DirectoryState(), FileState() | Absent():
            gone = isinstance(after, Absent)
            yield SpecialText(
                tr("The directory is removed.") if gone else tr("The directory becomes a file."), "folder"
            )
        case Absent() | FileState(), DirectoryState():
            is_new = isinstance(before, Absent)
            yield SpecialText(tr("New: a directory.") if is_new else tr("The file becomes a directory."), "folder")
        case FileState() | DirectoryState(), FileState() | DirectoryState() if before.mode != after.mode:
            yield _mode(before.mode, after.mode)
        case Absent(), FileState() if after.mode & 0o111:
            yield SpecialText(
                tr("The new file can be run as a program (mode {mode}).", mode=f"{after.mode:04o}"),
                "mode",
                is_risk=True,
            )


def _mode(before: int, after: int) -> SpecialText:
    gained, lost = after & ~before & 0o111, before & ~after & 0o111
    modes = {"before": f"{before:04o}", "after": f"{after:04o}"}
    if gained:
        told = tr("The mode changes from {before} to {after}: it can be run as a program.", **modes)
    elif lost:
        told = tr("The mode changes from {before} to {after}: it can no longer be run as a program.", **modes)
    else:
        told = tr("The mode changes from {before} to {after}.", **modes)
    return SpecialText(told, "mode", is_risk=bool(gained))


def _now_a_link(before: NodeState, target: str) -> str:
    match before:
        case Absent():
            return tr("New: a symbolic link to {target}.", target=target)
        case FileState():
            return tr("The file becomes a symbolic link to {target}.", target=target)
        case _:
            return tr("Now a symbolic link to {target}.", target=target)


def _no_more_a_link(target: str, after: NodeState) -> str:
    match after:
        case Absent():
            return tr("The symbolic link to {target} is removed.", target=target)
        case FileState():
            return tr("The symbolic link to {target} becomes a file.", target=target)
        case DirectoryState():
            return tr("The symbolic link to {target} becomes a directory.", target=target)
        case _:
            return tr("The symbolic link to {target} changes.", target=target)


def _became(nouns: tuple[str, str, str], old: str, new: str, before: bytes, after: bytes) -> str:
    """`nouns` for what is added, removed and replaced."""
    sides = [
        f"{words + ', ' if words else ''}{size_text(len(content))}"
        for words, content in ((old, before), (new, after))
        if content
    ]
    noun = nouns[0] if not before else nouns[1] if not after else nouns[2]
    return f"{noun}: {' → '.join(sides)}."


def _text(content: bytes, document: Document) -> str:
    return content.decode(document.encoding).replace("\r\n", "\n")


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
