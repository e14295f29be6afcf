"""Remembers for minutes which digest was shown on which terminal, so that it can be approved there with a yes."""

import contextlib
import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from pydantic_core import ValidationError

from tandem_desktop.cli.console import Terminal
from tandem_desktop.domain.base import Frozen, ValueType
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.storage import atomic
from tandem_desktop.storage.paths import Locations

LIFETIME = timedelta(minutes=10)
_log = logging.getLogger(__name__)


class ShownDigest(Frozen):
    """One revision that was printed in full on a terminal."""

    plan_id: PlanId
    workspace: str
    revision: int
    digest: str
    terminal: Terminal
    at: datetime
    opened: tuple[OperationId, ...] = ()
    """The operations whose changes were printed to the end."""
    evidence: str = ""
    """The digest of what checks say about it, if that was printed too."""


_RECORDS: ValueType[tuple[ShownDigest, ...]] = ValueType(tuple[ShownDigest, ...])


class ShownDigests:
    """Keeps them in one file of the state folder, which a confined agent cannot see."""

    def __init__(self, locations: Locations, workspace: str, clock: Callable[[], datetime]) -> None:
        self._file = locations.state / "shown.json"
        self._lock = locations.locks / "shown.lock"
        self._workspace = workspace
        self._clock = clock

    def record(
        self,
        plan_id: PlanId,
        revision: int,
        digest: str,
        terminal: Terminal,
        *,
        opened: tuple[OperationId, ...] = (),
        evidence: str = "",
    ) -> None:
        """Record that this was printed just now. Where nothing can be written, the digest has to be typed."""
        shown = ShownDigest(
            plan_id=plan_id,
            workspace=self._workspace,
            revision=revision,
            digest=digest,
            terminal=terminal,
            at=self._clock(),
            opened=opened,
            evidence=evidence,
        )
        try:
            with atomic.held(self._lock):
                others = (each for each in self._recent() if not self._is_of(each, plan_id, terminal))
                atomic.replace(self._file, _RECORDS.dump_json((*others, shown)), mode=0o600, durable=False)
        except (OSError, TandemError) as error:
            _log.info("what was shown is not recorded: %s", error)

    def find(self, plan_id: PlanId, terminal: Terminal) -> ShownDigest | None:
        """What was last shown of a plan on this terminal, in the last minutes."""
        return next((each for each in self._recent() if self._is_of(each, plan_id, terminal)), None)

    def _is_of(self, shown: ShownDigest, plan_id: PlanId, terminal: Terminal) -> bool:
        return (shown.plan_id, shown.workspace, shown.terminal) == (plan_id, self._workspace, terminal)

    def _recent(self) -> tuple[ShownDigest, ...]:
        records: tuple[ShownDigest, ...] = ()
        with contextlib.suppress(OSError, ValidationError):  # nothing was shown, or the file was cut short
            records = _RECORDS.validate_json(self._file.read_bytes())
        now = self._clock()
        return tuple(each for each in records if abs(now - each.at) < LIFETIME)
