"""Agents say in their answer that a plan is ready; hear it, however the answer is cut into pieces."""

import re
from enum import StrEnum


class PlanSignal(StrEnum):
    """The two things a planning agent announces."""

    PLAN_CREATED = "PLAN_CREATED"
    PLAN_UPDATED = "PLAN_UPDATED"


_SIGNAL = re.compile(r"(?<![A-Za-z0-9_])(PLAN_CREATED|PLAN_UPDATED)(?![A-Za-z0-9_])")
_LONGEST = max(len(signal) for signal in PlanSignal)


class SignalListener:
    """Listens to one turn. A signal counts once it is sure to be a word of its own; each is reported once per turn."""

    def __init__(self) -> None:
        self._tail = ""
        self._is_cut = False
        self._heard: set[PlanSignal] = set()

    def hear(self, text: str) -> tuple[PlanSignal, ...]:
        """The signals that became certain with this piece."""
        self._tail += text
        found = self._found(len(self._tail) - 1)
        # Long enough for a signal that may yet go on, and for the character before it.
        if len(self._tail) > _LONGEST + 1:
            self._tail = self._tail[-(_LONGEST + 1) :]
            self._is_cut = True
        return found

    def end(self) -> tuple[PlanSignal, ...]:
        """The turn is over: what stood last counts as well, and the next turn begins."""
        found = self._found(len(self._tail))
        self._tail, self._is_cut, self._heard = "", False, set()
        return found

    def _found(self, certain: int) -> tuple[PlanSignal, ...]:
        new = []
        for match in _SIGNAL.finditer(self._tail):
            signal = PlanSignal(match[1])
            # At the very start of what is left, it was decided when the character before it was still known.
            decided = self._is_cut and match.start() == 0
            if not decided and match.end() <= certain and signal not in self._heard:
                self._heard.add(signal)
                new.append(signal)
        return tuple(new)
