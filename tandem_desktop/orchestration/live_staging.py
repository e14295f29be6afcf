"""Stage what an agent does while it still works, and publish every change of what is staged."""

import asyncio
import contextlib
import threading
import time
from collections import deque

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import SessionId
from tandem_desktop.domain.operations import NodeState, StagedOperation
from tandem_desktop.events.events import OperationStaged, OperationUnstaged, StagingCleared
from tandem_desktop.events.stream import EventStream
from tandem_desktop.orchestration.session_staging import SessionStaging
from tandem_desktop.review.operation_view import count_lines
from tandem_desktop.staging.staging_store import StagingChange, StagingStore
from tandem_desktop.storage.objects import ObjectStore

Lines = tuple[int, int] | None
"""Added and removed, where they are known."""
_SHARE = 4
"""After a look nothing is looked at for so many times as long, so that many calls do not cost as many looks."""


class LiveStaging:
    """Looks at the shadow after a call has ended, and turns each change of the store into events.

    During a turn changes are published by a task of their own, with their lines counted, so that the agent never waits
    for the counting. Between turns they are published at once.
    """

    def __init__(
        self,
        session_id: SessionId,
        staging: SessionStaging,
        store: StagingStore,
        objects: ObjectStore,
        events: EventStream,
    ) -> None:
        self._session_id = session_id
        self._staging = staging
        self._store = store
        self._objects = objects
        self._events = events
        self._loop: asyncio.AbstractEventLoop | None = None
        """The loop of the turn that goes on."""
        self._unpublished: deque[StagingChange] = deque()
        self._publishing = threading.RLock()
        self._counted: dict[tuple[NodeState, NodeState], Lines] = {}
        self._wanted = False
        self._looking: asyncio.Task[None] | None = None
        self._telling: asyncio.Task[None] | None = None
        store.listen(self._on_change)

    def begin_turn(self) -> None:
        """What is staged already is published again with this turn."""
        self._counted = {}
        self._loop = asyncio.get_running_loop()
        self._on_change(StagingChange(staged=self._store.get_all()))

    def look_soon(self) -> None:
        """Call it on the loop, as often as you like; between turns it does nothing."""
        self._wanted = self._loop is not None
        if self._wanted and self._looking is None:
            self._looking = asyncio.create_task(self._look())

    async def end_turn(self) -> None:
        """Stop looking, and publish what is left without counting."""
        if self._loop is None:
            return
        self._wanted = False
        if self._looking is not None:
            self._looking.cancel()
            await asyncio.gather(self._looking, return_exceptions=True)
        self._loop = None
        await asyncio.to_thread(self._publish)

    async def _look(self) -> None:
        try:
            while self._wanted:
                self._wanted = False
                began = time.monotonic()
                await asyncio.to_thread(self._staging.staged)
                await asyncio.to_thread(self._publish)
                await asyncio.sleep(_SHARE * (time.monotonic() - began))
        except (TandemError, OSError):
            return  # a look that fails here fails again at the end of the turn, where it is told
        finally:
            self._looking = None

    def _on_change(self, change: StagingChange) -> None:
        self._unpublished.append(change)
        loop = self._loop
        if loop is None:
            self._publish()
        else:
            loop.call_soon_threadsafe(self._publish_soon)

    def _publish_soon(self) -> None:
        if self._unpublished and (self._telling is None or self._telling.done()):
            self._telling = asyncio.create_task(asyncio.to_thread(self._publish))

    def _publish(self) -> None:
        with self._publishing:
            while self._unpublished:
                change = self._unpublished.popleft()
                if change.cleared:
                    ids = tuple(each.id for each in change.cleared)
                    self._events.publish(StagingCleared(session_id=self._session_id, operation_ids=ids))
                for each in change.removed:
                    self._events.publish(OperationUnstaged(session_id=self._session_id, operation_id=each.id))
                for each in change.staged:
                    self._publish_staged(each)

    def _publish_staged(self, operation: StagedOperation) -> None:
        added, removed = self._lines(operation) or (None, None)
        self._events.publish(
            OperationStaged(session_id=self._session_id, operation=operation, added=added, removed=removed)
        )

    def _lines(self, operation: StagedOperation) -> Lines:
        """Counted once in a turn, and no more once the turn is over."""
        key = operation.base, operation.after
        if key not in self._counted and self._loop is not None:
            self._counted[key] = None
            with contextlib.suppress(TandemError, OSError):
                self._counted[key] = count_lines(operation, self._objects)
        return self._counted.get(key)
