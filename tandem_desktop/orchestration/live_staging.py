"""Tell what an agent has staged so far while it still works, so that a person can read along."""

import asyncio
import time
from collections.abc import Callable
from datetime import datetime

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.operations import NodeState, StagedOperation
from tandem_desktop.events.events import OperationStaged, StagingCleared
from tandem_desktop.events.stream import EventStream
from tandem_desktop.orchestration.session_staging import SessionStaging
from tandem_desktop.review.operation_view import count_lines
from tandem_desktop.storage.objects import ObjectStore

Lines = tuple[int, int] | None
"""Added and removed, where they are known."""
_SHARE = 4
"""After a look nothing is looked at for so many times as long, so that many calls do not cost as many looks."""


class LiveStaging:
    """Looks at the shadow after a call has ended. What it tells is for reading; the revision is made without it."""

    def __init__(
        self,
        session_id: SessionId,
        staging: SessionStaging,
        objects: ObjectStore,
        events: EventStream,
        clock: Callable[[], datetime],
    ) -> None:
        self._session_id = session_id
        self._staging = staging
        self._objects = objects
        self._events = events
        self._clock = clock
        self._told: tuple[StagedOperation, ...] = ()
        self._counted: dict[tuple[NodeState, NodeState], Lines] = {}
        self._wanted = False
        self._looking: asyncio.Task[None] | None = None

    def begin_turn(self) -> None:
        self._told, self._counted = (), {}

    def look_soon(self) -> None:
        """Call it on the loop, as often as you like."""
        self._wanted = True
        if self._looking is None:
            self._looking = asyncio.create_task(self._look())

    async def end_turn(self) -> None:
        """Nothing is told after this."""
        self._wanted = False
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)

    async def _look(self) -> None:
        try:
            while self._wanted:
                self._wanted = False
                began = time.monotonic()
                staged = await asyncio.to_thread(self._staging.staged, self._clock())
                lines = await asyncio.to_thread(self._count, staged.operations)
                self._tell(staged.operations, lines)
                await asyncio.sleep(_SHARE * (time.monotonic() - began))
        except (TandemError, OSError):
            return  # a look that fails here fails again at the end of the turn, where it is told
        finally:
            self._looking = None

    def _count(self, operations: tuple[StagedOperation, ...]) -> list[Lines]:
        """On a worker thread; what was counted in this turn is not counted again."""
        for each in operations:
            if (each.base, each.after) not in self._counted:
                self._counted[each.base, each.after] = count_lines(each, self._objects)
        return [self._counted[each.base, each.after] for each in operations]

    def _tell(self, operations: tuple[StagedOperation, ...], lines: list[Lines]) -> None:
        """Only what is new, as long as the rest has stayed as it was."""
        seen = [each.effect() for each in self._told]
        if [each.effect() for each in operations[: len(seen)]] != seen:
            ids = tuple(each.id for each in self._told)
            self._events.publish(StagingCleared(session_id=self._session_id, operation_ids=ids))
            self._told = ()
        for operation, counted in list(zip(operations, lines, strict=True))[len(self._told) :]:
            added, removed = counted or (None, None)
            self._events.publish(
                OperationStaged(session_id=self._session_id, operation=operation, added=added, removed=removed)
            )
        self._told = operations
