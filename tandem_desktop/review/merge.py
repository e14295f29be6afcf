"""A strict three-way line merge: changes that do not touch each other are combined, everything else is left alone."""

from tandem_desktop.review.three_way import three_way


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Both changes to `base` in one, or nothing when they overlap or touch. Never a guess."""
    return three_way(base, ours, theirs).merged
