"""Lines that say nothing new are not drawn: what waits for something through others need not say so itself."""

from collections.abc import Mapping, Sequence


def without_shortcuts(waits_for: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """The same order with the fewest lines. Names keep their places; there is no circle."""
    bit = {name: 1 << position for position, name in enumerate(waits_for)}
    behind: dict[str, int] = {}
    """Everything a name waits for, directly or through others, as bits."""
    for name in waits_for:
        waiting = [name]
        while waiting:
            top = waiting[-1]
            missing = [each for each in waits_for[top] if each not in behind]
            if missing:
                waiting += missing
                continue
            behind[top] = 0
            for each in waits_for[top]:
                behind[top] |= bit[each] | behind[each]
            waiting.pop()
    return {
        name: tuple(
            each
            for each in dict.fromkeys(blockers)
            if not any(other != each and behind[other] & bit[each] for other in blockers)
        )
        for name, blockers in waits_for.items()
    }
