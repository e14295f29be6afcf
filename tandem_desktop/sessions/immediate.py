"""Draws permission cards from the disk, and applies what they allowed at once when Plan mode is off."""

import asyncio
import contextlib
import os
import uuid
from collections.abc import Callable, Iterable
from datetime import datetime

from tandem_desktop.diff.hunks import hunks
from tandem_desktop.diff.text import Document
from tandem_desktop.domain.agent_protocol import CardChange, CardContent, CardLine, ProposedDiff, ToolCall, WaitReason
from tandem_desktop.domain.authorization import ToolCategory
from tandem_desktop.domain.errors import OutsideWorkspaceError, StorageError, TandemError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import ChangesWaiting
from tandem_desktop.domain.ids import OperationId, RequestId, SessionId, new_plan_id
from tandem_desktop.domain.operations import (
    NEW_FILE_MODE,
    Absent,
    FileState,
    NodeState,
    PathChange,
    StagedOperation,
    kind_of_change,
)
from tandem_desktop.domain.paths import check_path
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.plan_states import has_ended
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.review.operation_view import twin_note
from tandem_desktop.review.twins import twins
from tandem_desktop.services.decisions import Decisions
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.services.runs import PlanRuns
from tandem_desktop.sessions.staging import SessionStaging
from tandem_desktop.staging.hazards import Hazard, acts_by_its_name, explain, flags, reasons
from tandem_desktop.staging.requests import Handling, InterceptedRequest
from tandem_desktop.storage.workspace import Workspace

MOST_PATHS = 5
"""A card that changes more files than these is reviewed as a plan."""
MOST_BYTES = 256 * 1024
"""Of one file, before or after; a larger one is reviewed as a plan."""
MOST_LINES = 400
"""Lines in all diffs of a card; longer diffs are reviewed as a plan."""
MOST_CHARACTERS = 60_000
"""Characters in all diffs of a card."""


class CardDrawing:
    """Works out what a permission card shows: the disk as it is now, and what the agent announced to write.

    What the agent says the files hold (`oldText`) is never drawn. It only tells a fragment from a whole file.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def draw(self, call: ToolCall) -> CardContent:
        by_path: dict[str, list[ProposedDiff]] = {}
        for diff in call.diffs:
            by_path.setdefault(_canonical(diff.path), []).append(diff)
        if not by_path:
            return CardContent(paths=call.paths, waits=(WaitReason.UNKNOWN,))
        if len(by_path) > MOST_PATHS:
            risky_first = sorted(by_path, key=lambda path: not acts_by_its_name(path))
            return CardContent(paths=tuple(risky_first), waits=(WaitReason.MANY,))
        changes: list[CardChange] = []
        paths: list[str] = []
        waits: set[WaitReason] = set()
        for path, diffs in by_path.items():
            change, held_by = self._change(path, diffs, len(changes) + 1)
            waits |= held_by
            if change is None:
                paths.append(path)
            else:
                changes.append(change)
        changes = self._beside_twins(changes)
        if any(change.flags for change in changes):
            waits.add(WaitReason.FLAGGED)
        lines = [line for change in changes for line in change.lines]
        if len(lines) > MOST_LINES or sum(len(line.text) for line in lines) > MOST_CHARACTERS:
            waits.add(WaitReason.LARGE)
            changes = [change.model_copy(update={"lines": ()}) for change in changes]
        changes.sort(key=lambda change: not change.flags)
        ordered = tuple(reason for reason in WaitReason if reason in waits)
        return CardContent(changes=tuple(changes), paths=tuple(paths), waits=ordered)

    def _beside_twins(self, changes: list[CardChange]) -> list[CardChange]:
        """Flag the names that can be taken for one on disk or on the card."""
        alike = twins((change.operation for change in changes), self._children)
        return [
            _flagged_as_twin(change, alike[change.operation.id]) if change.operation.id in alike else change
            for change in changes
        ]

    def _children(self, folder: str) -> tuple[str, ...]:
        with contextlib.suppress(TandemError, OSError):
            return self._workspace.children(folder)
        return ()

    def _change(self, path: str, diffs: list[ProposedDiff], number: int) -> tuple[CardChange | None, set[WaitReason]]:
        """One path from the disk to what was announced; None where that cannot be drawn."""
        try:
            base, before = self._workspace.load(check_path(path), max_bytes=MOST_BYTES)
        except OutsideWorkspaceError:
            return None, {WaitReason.OUTSIDE}
        except StorageError:
            return None, {WaitReason.LARGE}
        if not isinstance(base, Absent | FileState):
            return None, {WaitReason.NOT_A_FILE}
        waits: set[WaitReason] = set()
        after = before
        for diff in diffs:
            after, reason = _announced(diff, after)
            waits |= {reason} if reason is not None else set()
        if after is None:
            return None, waits
        if len(after) > MOST_BYTES:
            return None, {*waits, WaitReason.LARGE}
        mode = base.mode if isinstance(base, FileState) else NEW_FILE_MODE
        state = FileState.of(after, mode)
        operation = StagedOperation(
            id=OperationId(f"s{number}"), kind=kind_of_change(base, state), path=path, base=base, after=state
        )
        found = () if base == state else flags(operation, before, after)
        told = reasons(operation, before, after) if found else {}
        why = {flag.value: told[flag].why if flag in told else explain(flag) for flag in found}
        lines = tuple(_lines(before or b"", after))
        return CardChange(operation=operation, lines=lines, flags=found, why=why), waits


def _flagged_as_twin(change: CardChange, twin: str) -> CardChange:
    flag = Hazard.HIDDEN_CHARACTERS
    found = tuple(each for each in Hazard if each is flag or each in change.flags)
    return change.model_copy(
        update={"flags": found, "why": {**change.why, flag.value: twin_note(change.operation, twin)}}
    )


def _canonical(path: str) -> str:
    """One spelling for each path, so that each is drawn once; what Tandem never writes stays as it is."""
    try:
        return check_path(path)
    except OutsideWorkspaceError:
        return path


def _announced(diff: ProposedDiff, current: bytes | None) -> tuple[bytes | None, WaitReason | None]:
    """The file after a diff, and why that waits; None where it cannot be said.

    `oldText` is the whole file or a fragment that occurs once. Where it is neither, the agent did not see the disk as
    it is: the new text is drawn as the whole file, and waits.
    """
    try:
        old, new = (diff.old_text or "").encode(), diff.new_text.encode()
    except UnicodeEncodeError:
        return None, WaitReason.UNKNOWN
    if not old or old == current:
        return new, None
    times = (current or b"").count(old)
    if times == 0:
        return new, WaitReason.STALE
    if times > 1:
        return None, WaitReason.UNKNOWN
    return (current or b"").replace(old, new), None


def _lines(before: bytes, after: bytes) -> Iterable[CardLine]:
    if before == after:
        return
    old, new = Document.of(before), Document.of(after)
    for hunk in hunks(before, after):
        yield CardLine("@", hunk.header)
        for line in hunk.lines:
            yield CardLine(line.kind, (old if line.kind == "-" else new).display(line.raw))
            if line.no_newline:
                yield CardLine("\\", "")


class ImmediateMode:
    """Scans the shadow after each tool call.

    Changes that are exactly what the card drew (path, kind, mode and bytes, before and after) are applied under a
    journal, so that they can be undone. Anything else waits as a plan of its own, which shows what really changed.
    """

    def __init__(
        self,
        session_id: SessionId,
        *,
        staging: SessionStaging,
        plans: PlanStore,
        proposals: Proposals,
        decisions: Decisions,
        runs: PlanRuns,
        workspace: Workspace,
        events: EventStream,
        clock: Callable[[], datetime],
        answered: Callable[[], tuple[InterceptedRequest, ...]],
        catch_up: Callable[[], tuple[str, ...]],
        planner: Callable[[], str],
    ) -> None:
        self._session_id = session_id
        self._staging = staging
        self._plans = plans
        self._proposals = proposals
        self._decisions = decisions
        self._runs = runs
        self._workspace = workspace
        self._events = events
        self._clock = clock
        self._answered = answered
        self._catch_up = catch_up
        self._planner = planner
        self._used: set[RequestId] = set()
        self._one_at_a_time = asyncio.Lock()

    async def call_ended(self, call: ToolCall) -> None:
        """Settle what the agent has changed by now."""
        async with self._one_at_a_time:
            await asyncio.to_thread(self._settle, call)

    def _settle(self, call: ToolCall) -> None:
        self._staging.keep(diff.path for each in self._answered() if not each.plan_mode for diff in each.diffs)
        staged = self._staging.staged()
        if not staged.operations:
            return
        waiting = self._plans.plan_of(self._session_id)
        if waiting is not None and not has_ended(self._plans.meta(waiting).status):
            return  # a second card is open; what came since is staged with it when the turn ends
        version = self._proposals.stage(
            PlanVersion(
                id=str(uuid.uuid4()),
                plan_id=new_plan_id(),
                session_id=self._session_id,
                title=call.title or call.tool or "Change",
                content=f"# {call.title or call.tool or 'Change'}\n",
                operations=staged.operations,
                notes=staged.notes,
                warnings=staged.warnings,
                drifted=self._staging.drifted,
                created_at=self._clock(),
            ),
            self._planner(),
        )
        request = self._allowing(call)
        if request is not None and not version.drifted and self._is_what_was_drawn(request, version.operations):
            self._used.add(request.request_id)
            self._decisions.approve(version.plan_id, version.approval_hash)
            self._runs.apply(version.plan_id)
            self._catch_up()
            return
        self._events.publish(ChangesWaiting(session_id=self._session_id, plan_id=version.plan_id))

    def _allowing(self, call: ToolCall) -> InterceptedRequest | None:
        """The request a person allowed this very call by, with Plan mode off: its latest one, and only once."""
        asked = [request for request in self._answered() if request.tool_call_id == call.id]
        if not asked or asked[-1].request_id in self._used or asked[-1].plan_mode:
            return None
        by_person = asked[-1].handling is Handling.CONFIRMED
        by_their_rules = asked[-1].handling is Handling.PASSED and asked[-1].category is ToolCategory.WRITE
        return asked[-1] if by_person or by_their_rules else None

    def _is_what_was_drawn(self, request: InterceptedRequest, operations: tuple[StagedOperation, ...]) -> bool:
        """Whether the operations are what was drawn and nothing else, and the disk is still as it was drawn."""
        drawn = {change.path: change for change in request.drawn if change.before != change.after}
        found = [change for operation in operations for change in operation.changes()]
        if any(operation.is_run for operation in operations) or sorted(drawn) != sorted(each.path for each in found):
            return False
        return all(_as_drawn(change) == drawn[change.path] for change in found) and all(
            self._workspace.has(change.path, change.before) for change in request.drawn
        )


def _as_drawn(change: PathChange) -> PathChange:
    """The change, with the mode that the umask gives a new file taken for the usual one."""
    after: NodeState = change.after
    if isinstance(change.before, Absent) and isinstance(after, FileState) and after.mode == 0o666 & ~_umask() & 0o775:
        after = after.model_copy(update={"mode": NEW_FILE_MODE})
    return change.model_copy(update={"after": after})


def _umask() -> int:
    """The umask that agents inherit; reading it from /proc does not change it for other threads."""
    try:
        with open(f"/proc/{os.getpid()}/status", encoding="ascii", errors="replace") as status:
            found = next((line for line in status if line.startswith("Umask:")), "Umask: 0022")
    except OSError:
        return 0o022
    return int(found.split()[1], 8)
