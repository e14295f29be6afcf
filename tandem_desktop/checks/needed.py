"""Which parts of a plan a check would miss: each is left out in turn; and a small set that says the same."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tandem_desktop.checks.evidence import SideResult
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.choices import Drop

_NUMBER = re.compile(r"\d+")
MOST_PARTS = 500


@dataclass(frozen=True, slots=True)
class PlanPart:
    """A hunk of an operation, or a whole operation that has no hunks to choose from."""

    operation: OperationId
    hunk: int
    """Its number from one; 0 for the whole operation."""
    place: str
    """The path, or the command."""

    @property
    def drop(self) -> Drop:
        return Drop(self.operation, (self.hunk,) if self.hunk else ())


@dataclass(frozen=True, slots=True)
class JudgedPart:
    """Whether anything comes out otherwise without this part."""

    part: PlanPart
    is_needed: bool
    why: str
    """What notices, as a clause; empty if nothing does."""


def difference(whole: Sequence[SideResult], without: Sequence[SideResult], names: Sequence[str]) -> str:
    """What the checks say otherwise, as a clause; empty if they say the same."""
    for name, one, other in zip(names, whole, without, strict=True):
        if one.problem != other.problem and (other.problem or one.problem):
            return f"{name}: {other.problem or 'it has a result'}"
        failed = [each for each in other.failed if each not in one.failed]
        if failed:
            return f"{name}: {failed[0]} fails"
        if set(one.failed) != set(other.failed) or set(one.passed) != set(other.passed):
            changed = sorted({*one.failed, *one.passed} ^ {*other.failed, *other.passed}) or sorted(one.failed)
            return f"{name}: {changed[0]} comes out otherwise" if changed else f"{name}: another result"
        said, says = _messages(one), _messages(other)
        if said != says:
            _, code, message = min((says - said) or (said - says))
            return f"{name}: {message or code}"
        if one.exit != other.exit:
            return f"{name}: exit code {other.exit}"
    return ""


def _messages(side: SideResult) -> Counter[tuple[str, str, str]]:
    """The messages without their lines, which move when a hunk is left out."""
    return Counter((each.path, each.code, _NUMBER.sub("N", each.message)) for each in side.diagnostics)


def minimised(parts: Sequence[PlanPart], is_same: Callable[[Sequence[PlanPart]], bool]) -> tuple[PlanPart, ...]:
    """A small subset for which `is_same` holds, found by delta debugging (ddmin); `parts` as a whole must hold.

    Of the result no single part can be left out.
    """
    kept, pieces = list(parts), 2
    while len(kept) > 1:
        size = max(1, len(kept) // pieces)
        for start in range(0, len(kept), size):
            rest = [*kept[:start], *kept[start + size :]]
            if rest and is_same(rest):
                kept, pieces = rest, max(2, pieces - 1)
                break
        else:
            if size == 1:
                break
            pieces = min(len(kept), pieces * 2)
    return tuple(kept)
