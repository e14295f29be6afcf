"""Who waits for whom, so that nothing starts too early and nothing runs on top of a failure."""

import heapq
from collections.abc import Collection, Iterable
from graphlib import CycleError, TopologicalSorter
from typing import Generic, Protocol, TypeVar

from tandem_desktop.domain.errors import TaskCycleError, TaskError

NodeId = TypeVar("NodeId", bound=str)
_Id = TypeVar("_Id", bound=str, covariant=True)

_LONGEST_TOLD = 12
"""A longer circle is told by its beginning and its end."""


class Dependent(Protocol[_Id]):
    """Whatever has a name and waits for others: a task, or an operation."""

    @property
    def id(self) -> _Id: ...

    @property
    def blocked_by(self) -> tuple[_Id, ...]: ...


class TaskGraph(Generic[NodeId]):
    """Dependencies that are known to make sense; it cannot be built from ones that do not.

    Every answer keeps the order the items were given in, as far as the dependencies allow.
    """

    def __init__(self, items: Iterable[Dependent[NodeId]]) -> None:
        """Check and order the items.

        Raises:
            TaskError: two items share an id, or one waits for an id that nobody has.
            TaskCycleError: items wait for each other in a circle.
        """
        self._blocked_by: dict[NodeId, tuple[NodeId, ...]] = {}
        for item in items:
            if item.id in self._blocked_by:
                raise TaskError(
                    f"Two items are called '{item.id}'.", step=item.id, next="Give each of them an id of its own."
                )
            self._blocked_by[item.id] = item.blocked_by
        self._blocks: dict[NodeId, list[NodeId]] = {name: [] for name in self._blocked_by}
        for name, blockers in self._blocked_by.items():
            for blocker in blockers:
                if blocker not in self._blocks:
                    raise TaskError(
                        f"'{name}' waits for '{blocker}', which does not exist.",
                        step=name,
                        next="Correct the id in blocked_by, or take it out.",
                    )
                self._blocks[blocker].append(name)
        self._position = {name: position for position, name in enumerate(self._blocked_by)}
        self._order = self._sorted()

    @property
    def order(self) -> tuple[NodeId, ...]:
        """Everything, blockers first; an order that was already possible is kept as it is."""
        return self._order

    def ready(self, completed: Collection[NodeId], *, started: Collection[NodeId] = ()) -> tuple[NodeId, ...]:
        """What may begin now: not begun, and everything it waits for is completed."""
        done = frozenset(completed)
        begun = done.union(started)
        return tuple(
            name
            for name, blockers in self._blocked_by.items()
            if name not in begun and all(blocker in done for blocker in blockers)
        )

    def blocks(self, name: NodeId) -> tuple[NodeId, ...]:
        """Who waits for `name` itself."""
        return tuple(self._known(name))

    def dependents(self, *names: NodeId) -> tuple[NodeId, ...]:
        """Everything that waits for one of `names`, directly or through others: what a failure skips."""
        found: set[NodeId] = set()
        waiting = [blocked for name in names for blocked in self._known(name)]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.extend(self._blocks[name])
        return tuple(sorted(found, key=self._position.__getitem__))

    def _known(self, name: NodeId) -> list[NodeId]:
        if name not in self._blocks:
            raise TaskError(f"There is nothing called '{name}'.", step=name, next="Use an id that the plan has.")
        return self._blocks[name]

    def _sorted(self) -> tuple[NodeId, ...]:
        sorter = TopologicalSorter(self._blocked_by)
        try:
            sorter.prepare()
        except CycleError as error:
            raise _circle(error.args[1]) from None
        order: list[NodeId] = []
        ready: list[tuple[int, NodeId]] = []
        while sorter.is_active():
            for name in sorter.get_ready():
                heapq.heappush(ready, (self._position[name], name))
            _, first = heapq.heappop(ready)
            order.append(first)
            sorter.done(first)
        return tuple(order)


def _circle(blockers_first: list[str]) -> TaskCycleError:
    first, *others = reversed(blockers_first)
    if len(others) > _LONGEST_TOLD:
        hidden = len(others) - _LONGEST_TOLD
        others = [*others[: _LONGEST_TOLD - 1], f"… {hidden} more …", others[-1]]
    told = ", which waits for ".join(f"'{name}'" for name in others) if others != [first] else "itself"
    return TaskCycleError(
        f"Dependencies go round in a circle: '{first}' waits for {told}.",
        step=first,
        next="Take one of these ids out of blocked_by.",
    )
