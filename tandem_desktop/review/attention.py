"""What of a plan needs attention: flagged operations in groups, the gravest first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from tandem_desktop.staging.hazards import Hazard
from tandem_desktop.staging.path_rules import bundled_path_rules

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from tandem_desktop.review.operation_view import OperationView

_ALONE = frozenset({Hazard.OUTSIDE, Hazard.IRREVERSIBLE, Hazard.HIDDEN_CHARACTERS})
"""What differs from file to file, so that each is acknowledged by itself."""
_LOW = frozenset({Hazard.EXECUTABLE, Hazard.LINK, Hazard.BINARY, Hazard.LARGE})
_GRAVITY = {hazard: 1 << number for number, hazard in enumerate(reversed(Hazard))}


@dataclass(frozen=True)
class AttentionGroup:
    """Operations that are acknowledged together: one command, or files with equal hazards."""

    views: tuple[OperationView, ...]

    @cached_property
    def flags(self) -> tuple[Hazard, ...]:
        """The flags of any of them, the gravest first."""
        found = {flag for view in self.views for flag in view.flags}
        return tuple(hazard for hazard in Hazard if hazard in found)

    @property
    def kind(self) -> str:
        """The kind of file, by its gravest flag; empty where none is known."""
        return self.views[0].kind_of(self.flags[0]) if self.flags else ""

    @property
    def title(self) -> str:
        """The kind in words: `Continuous integration`."""
        return bundled_path_rules().kinds.get(self.kind, "")


def risk(view: OperationView) -> int:
    """How grave its flags are: what runs code, instructs agents, touches secrets or reaches outside comes first."""
    return sum(_GRAVITY[flag] for flag in view.flags)


def attention(views: Iterable[OperationView]) -> tuple[AttentionGroup, ...]:
    """The flagged operations in groups, the gravest first; what is equally grave in the plan's order."""
    found: dict[Hashable, list[OperationView]] = {}
    for view in sorted((view for view in views if view.flags), key=lambda view: -risk(view)):
        found.setdefault(_group(view), []).append(view)
    return tuple(AttentionGroup(tuple(group)) for group in found.values())


def _group(view: OperationView) -> Hashable:
    """Equal for operations that are acknowledged together."""
    grave = [flag for flag in view.flags if flag not in _LOW]
    if view.operation.is_run or _ALONE.intersection(grave):
        return view.operation.id
    return tuple((flag, view.kind_of(flag)) for flag in grave) or view.flags
