"""Replace text in a file byte for byte: no line ending is translated, and nothing is guessed."""

from collections.abc import Callable

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.domain.paths import shown


def replaced(
    data: bytes,
    *,
    path: str,
    old: str,
    new: str,
    replace_all: bool,
    check_size: Callable[[int], None],
) -> bytes:
    """`data` with `old` replaced by `new`, once or everywhere.

    `check_size` is asked before a result of that many bytes is made.

    Raises:
        StepRefusedError: `old` is empty, equal to `new`, absent, or there several times without `replace_all`.
    """
    name = shown(path)
    if not old:
        raise _refused(path, "old_string is empty", "Name the text to replace, or use write for a whole file.")
    if old == new:
        raise _refused(path, "old_string and new_string are the same", "Take the step out of the plan.")
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        advice = "Use write with content_base64 to replace the whole file."
        raise _refused(path, f"{name} is not UTF-8 text and cannot be edited by text", advice) from None
    before, after = old.encode(), new.encode()
    first = data.find(before)
    if first < 0:
        raise _refused(path, f"old_string is not in {name}{_line_ending_hint(data, before)}", "Read the file again.")
    count = data.count(before)
    if not replace_all and data.find(before, first + 1) >= 0:
        advice = "Give more of the text around it, or set replace_all."
        # Matches that overlap count once, but are still more than one place.
        raise _refused(path, f"old_string is in {name} {max(count, 2)} times, and must be there once", advice)
    check_size(len(data) + count * (len(after) - len(before)))
    return data.replace(before, after)


def _line_ending_hint(data: bytes, old: bytes) -> str:
    if b"\r\n" not in old and old.replace(b"\n", b"\r\n") in data:
        return " as it is written; the file has CRLF line endings, old_string has LF"
    if b"\r\n" in old and old.replace(b"\r\n", b"\n") in data:
        return " as it is written; the file has LF line endings, old_string has CRLF"
    return ""


def _refused(path: str, reason: str, advice: str) -> StepRefusedError:
    return StepRefusedError(f"{reason}.", path=path, next=advice)
