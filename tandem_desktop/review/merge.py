"""A strict three-way line merge: changes that do not touch each other are combined, everything else is left alone."""

from tandem_desktop.staging.diff import Change, changes
from tandem_desktop.staging.text import split_lines


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Both changes to `base` in one, or nothing when they overlap or touch. Never a guess."""
    lines, our_lines, their_lines = split_lines(base), split_lines(ours), split_lines(theirs)
    mine = [(change, our_lines) for change in changes(lines, our_lines)]
    others = [(change, their_lines) for change in changes(lines, their_lines)]
    merged: list[bytes] = []
    position = 0
    previous: Change | None = None
    for change, source in sorted(mine + others, key=lambda pair: (pair[0].old_start, pair[0].old_end)):
        if previous is not None and change.old_start <= previous.old_end:
            return None
        merged += lines[position : change.old_start]
        merged += source[change.new_start : change.new_end]
        position, previous = change.old_end, change
    merged += lines[position:]
    return b"".join(merged)
