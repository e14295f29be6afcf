"""Match two short lists of lines that have no unique line in common, where patience has nothing to hold on to."""

from collections.abc import Sequence

MAXIMUM_EDITS = 64
"""Work and memory grow with the square of this; more edits go to libgit2, whose classic diff is bounded."""

Matches = list[tuple[int, int]]


def common_subsequence(one: Sequence[bytes], other: Sequence[bytes]) -> Matches | None:
    """A longest common subsequence (Myers' greedy search), or None if the lists are too far apart."""
    frontiers: list[dict[int, int]] = []
    furthest = {1: 0}
    for edits in range(min(len(one) + len(other), MAXIMUM_EDITS) + 1):
        frontiers.append(furthest.copy())
        for diagonal in range(-edits, edits + 1, 2):
            x = _step(furthest, diagonal, edits)
            y = x - diagonal
            while x < len(one) and y < len(other) and one[x] == other[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(one) and y >= len(other):
                return _walk_back(frontiers, len(one), len(other))
    return None


def classic_matches(one: Sequence[bytes], other: Sequence[bytes]) -> Matches:
    """The matches of libgit2's classic diff, asked about numbers instead of lines.

    A number per distinct line leaves libgit2 nothing to treat specially: no NUL, no CR, no missing newline.
    """
    from pygit2 import Patch  # 115 ms to import, and few diffs come this far
    from pygit2.enums import DiffOption

    numbers: dict[bytes, bytes] = {}
    texts = [b"".join([numbers.setdefault(line, b"%x\n" % len(numbers)) for line in lines]) for lines in (one, other)]
    patch = Patch.create_from(texts[0], texts[1], flag=DiffOption.FORCE_TEXT, context_lines=0, interhunk_lines=0)
    matches: Matches = []
    x = y = 0
    for hunk in patch.hunks:
        # A side without lines names the line before it, as in `@@ -3,0 +4 @@`.
        old = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        new = hunk.new_start - 1 if hunk.new_lines else hunk.new_start
        matches.extend(zip(range(x, old), range(y, new), strict=True))
        x, y = old + hunk.old_lines, new + hunk.new_lines
    matches.extend(zip(range(x, len(one)), range(y, len(other)), strict=True))
    if any(one[i] != other[j] for i, j in matches):
        return []
    return matches


def _step(furthest: dict[int, int], diagonal: int, edits: int) -> int:
    """Where the search enters a diagonal: from above (an insertion) or from the left (a deletion)."""
    if diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]):
        return furthest[diagonal + 1]
    return furthest[diagonal - 1] + 1


def _walk_back(frontiers: list[dict[int, int]], x: int, y: int) -> Matches:
    matches: Matches = []
    for edits in range(len(frontiers) - 1, -1, -1):
        furthest, diagonal = frontiers[edits], x - y
        entry = _step(furthest, diagonal, edits)
        entry_y = entry - diagonal
        while x > entry and y > entry_y:
            x, y = x - 1, y - 1
            matches.append((x, y))
        if edits:
            came_down = diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1])
            x, y = (x, y - 1) if came_down else (x - 1, y)
    return matches[::-1]
