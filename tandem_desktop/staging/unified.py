"""Write hunks down as a unified diff that other tools read."""

from collections.abc import Iterable

from tandem_desktop.staging.hunks import Hunk

_ESCAPES = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}


def unified(path_before: str | None, path_after: str | None, hunks: Iterable[Hunk]) -> bytes:
    """A unified diff of one file; None for the side where there is none. `git apply` accepts it for text."""
    pieces = [b"--- " + _name("a/", path_before) + b"\n", b"+++ " + _name("b/", path_after) + b"\n"]
    for hunk in hunks:
        pieces.append(hunk.header.encode() + b"\n")
        for line in hunk.lines:
            pieces.append(line.kind.encode() + line.raw)
            if line.no_newline:
                pieces.append(b"\n\\ No newline at end of file\n")
    return b"".join(pieces)


def quoted_path(path: str) -> bytes:
    """A path as git writes it: in quotes with octal escapes when it holds anything but plain characters."""
    raw = path.encode("utf-8", "surrogateescape")
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in raw):
        return raw
    return f'"{"".join(_escaped(byte) for byte in raw)}"'.encode()


def _name(prefix: str, path: str | None) -> bytes:
    if path is None:
        return b"/dev/null"
    name = quoted_path(prefix + path)
    # A tab ends the name for every reader, so that a space inside it does not.
    return name + b"\t" if b" " in name and not name.startswith(b'"') else name


def _escaped(byte: int) -> str:
    if byte in _ESCAPES:
        return "\\" + _ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}"
