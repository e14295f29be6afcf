"""Why a real run may come out otherwise than its rehearsal: said in words, so that nobody relies on a guess."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path

from tandem_desktop.domain.operations import CommandCall, FileState, PathChange
from tandem_desktop.execution.git_index import INDEX_PATH, same_entries
from tandem_desktop.rehearsal.stage import Performance
from tandem_desktop.storage.objects import ObjectStore

_CACHE = ".cache"
_NAMED = 3
_SCANNED_BYTES = 1 << 20
_HELD_BACK = {
    b"Read-only file system": "it wanted to write where a rehearsal cannot",
    b"Value too large for defined data type": "it wanted to write where a rehearsal cannot",
    b"no new privileges": "it wanted to become another user",
}
_DAY_FORMATS = ("%Y-%m-%d", "%Y%m%d", "%Y/%m/%d", "%d.%m.%Y", "%d %b %Y", "%b %d", "%b %e", "%d %B %Y", "%B %d")
_CLOCK_FORMAT = "%H:%M"


def doubts_about(
    call: CommandCall, performance: Performance, home: Path, objects: ObjectStore, times: tuple[datetime, ...]
) -> Iterator[str]:
    """What one performance alone gives reason to doubt; `times` are the moments it ran at."""
    watched = performance.watched
    if performance.timed_out:
        yield f"it took longer than {call.timeout_s} s and was ended; a run may get further, or not as far"
    if watched.wanted_network:
        yield "it wanted the network, or a service on this machine, and a rehearsal has none"
    if watched.left_processes:
        yield "it left processes running, which are ended with it; what they still write is a matter of luck"
    for path, reason in performance.refused[:_NAMED]:
        yield f"what it left at {path} cannot be shown: {reason.rstrip('.')}"
    beyond = [place for place in performance.outside if not place.is_relative_to(home / _CACHE)]
    if beyond:
        yield f"it writes outside the workspace, which is not part of what is shown: {_some(map(str, beyond))}"
    for words, reason in _HELD_BACK.items():
        if words in performance.output:
            yield reason
    timed = [change.path for change in performance.effects if _carries_time(change, call, objects, times)]
    if timed:
        yield f"it writes the date or the time into {_some(timed)}"


def unlike(first: Performance, second: Performance, objects: ObjectStore) -> Iterator[str]:
    """What two performances of the same command did differently, the second without what was in doubt already."""
    if first.exit_code != second.exit_code:
        yield f"it ended with {first.exit_code}, and when it was run again with {second.exit_code}"
    one, other = ({change.path: change for change in each.effects} for each in (first, second))
    differing = [
        path for path in sorted(one.keys() | other.keys()) if not _same(one.get(path), other.get(path), objects)
    ]
    if differing:
        yield f"it came out differently when it was run again: {_some(differing)}"


def _same(one: PathChange | None, other: PathChange | None, objects: ObjectStore) -> bool:
    if one is None or other is None:
        return False
    if one.after == other.after:
        return True
    # An index holds the times and numbers of files, which no two trees share.
    if one.path != INDEX_PATH or not isinstance(one.after, FileState) or not isinstance(other.after, FileState):
        return False
    return same_entries(objects.read(one.after.sha256), objects.read(other.after.sha256))


def _carries_time(change: PathChange, call: CommandCall, objects: ObjectStore, times: tuple[datetime, ...]) -> bool:
    """Whether the file now has today's date or this minute in it, and had not before, and nobody wrote it down."""
    if not isinstance(change.after, FileState) or change.after.size > _SCANNED_BYTES:
        return False
    new = objects.read(change.after.sha256)
    old = objects.read(change.before.sha256) if isinstance(change.before, FileState) else b""
    command = call.command.encode()
    return any(text in new and text not in old and text not in command for text in _spellings(times))


def _spellings(times: tuple[datetime, ...]) -> set[bytes]:
    local = (*times, *(moment.astimezone() for moment in times))
    formats = (*_DAY_FORMATS, _CLOCK_FORMAT)
    return {moment.strftime(each).encode() for moment in local for each in formats}


def _some(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _NAMED} more" if len(every) > _NAMED else ""
    return ", ".join(every[:_NAMED]) + more
