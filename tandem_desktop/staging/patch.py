"""Apply a parsed patch as strictly as `git apply`: every context line must match, nothing is guessed."""

from collections.abc import Iterator, Sequence

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.staging.hunks import Hunk
from tandem_desktop.staging.patch_files import FilePatch
from tandem_desktop.staging.patch_parser import parse_patch
from tandem_desktop.staging.text import split_at_newlines

__all__ = ["FilePatch", "apply_patch", "parse_patch"]


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
    """Where the hunk fits, nearest to where it says; never over or before lines an earlier hunk wrote.

    A hunk from the first line on belongs to the beginning, one without trailing context to the end of the file:
    otherwise an insertion at the end could land anywhere.
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
    """The wanted place, then one after, one before, two after, and so on."""
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
