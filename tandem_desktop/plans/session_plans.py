"""Which plan belongs to which chat: one small file per session that only grows, its last line being the plan in use."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tandem_desktop.domain.canonical import digest
from tandem_desktop.domain.ids import PLAN_ID, STEP_ID, PlanId, SessionId
from tandem_desktop.storage import atomic, locks, syscalls


class SessionPlans:
    """Remember every plan of a session, in order. The file is also the lock under which a plan is added."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @contextmanager
    def held(self, session_id: SessionId) -> Iterator[None]:
        """Keep other writers of this session away."""
        if not self._folder.is_dir():
            atomic.make_directory(self._folder)
        with locks.held(self._path(session_id)):
            yield

    def plans(self, session_id: SessionId) -> tuple[PlanId, ...]:
        """Oldest first; a line cut short by a crash names no plan."""
        try:
            lines = self._path(session_id).read_text(encoding="ascii", errors="replace").splitlines()
        except FileNotFoundError:
            return ()
        return tuple(PlanId(line) for line in lines if PLAN_ID.fullmatch(line))

    def add(self, session_id: SessionId, plan_id: PlanId) -> None:
        """Make `plan_id` the plan in use, durably. The caller holds the session."""
        fd = syscalls.open_appending(str(self._path(session_id)), mode=0o644)
        try:
            # The line break in front keeps a torn line from swallowing this one.
            syscalls.write(fd, f"\n{plan_id}\n".encode())
            syscalls.sync(fd)
        finally:
            os.close(fd)
        atomic.sync_directory(self._folder)

    def _path(self, session_id: SessionId) -> Path:
        if STEP_ID.fullmatch(session_id):
            return self._folder / session_id
        return self._folder / digest("session:1", session_id.encode("utf-8", "surrogatepass"))[:32]
