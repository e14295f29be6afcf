"""Runs a plan in a temporary shadow and compares two runs."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from tandem_desktop.domain.errors import StagingError, StorageError, UserAbortError
from tandem_desktop.domain.git_files import INDEX_PATH, same_entries
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import CommandCall, FileState, PathChange, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.commands import RunControl, batches, dependents, explain, segments
from tandem_desktop.processes.child import scrubbed_environment
from tandem_desktop.rehearsal.results import Rehearsal, RehearsedCommand
from tandem_desktop.rehearsal.sandbox import (
    USUAL,
    CommandTrial,
    OnOutput,
    RehearsalSandbox,
    RehearsalSandboxes,
    TrialEnvironment,
    others,
)
from tandem_desktop.staging.simulate import Problem
from tandem_desktop.storage.objects import ObjectStore

_CACHE = ".cache"
_NAMED = 3
_SCANNED_BYTES = 1 << 20
_HELD_BACK = {
    b"Read-only file system": "it wanted to write where a rehearsal cannot",
    b"Value too large for defined data type": "it wanted to write where a rehearsal cannot",
    b"no new privileges": "it wanted to become another user",
}
_DAY_FORMATS = ("%Y-%m-%d", "%Y%m%d", "%Y/%m/%d", "%d.%m.%Y", "%d %b %Y", "%b %d", "%b %e", "%d %B %Y", "%B %d")
_CLOCK_FORMAT = "%H:%M"


def uncertainties_of(
    call: CommandCall, performance: CommandTrial, home: Path, objects: ObjectStore, times: tuple[datetime, ...]
) -> Iterator[str]:
    """Reasons for doubt from one trial; `times` are the moments it ran at."""
    watched = performance.watched
    if performance.timed_out:
        yield f"it took longer than {call.timeout_s} s and was ended; a run may get further, or not as far"
    if watched.wanted_network:
        yield "it wanted the network, or a service on this machine, and a rehearsal has none"
    if watched.left_processes:
        yield "it left processes running, which are ended with it; what they still write is a matter of luck"
    for path, reason in performance.refused[:_NAMED]:
        yield f"what it left at {path} cannot be shown: {reason.rstrip('.')}"
    beyond = [place for place in performance.outside if not place.is_relative_to(home / _CACHE)]
    if beyond:
        yield f"it writes outside the workspace, which is not part of what is shown: {_some(map(str, beyond))}"
    for words, reason in _HELD_BACK.items():
        if words in performance.output:
            yield reason
    timed = [change.path for change in performance.effects if _carries_time(change, call, objects, times)]
    if timed:
        yield f"it writes the date or the time into {_some(timed)}"


def unlike(first: CommandTrial, second: CommandTrial, objects: ObjectStore) -> Iterator[str]:
    """The differences between two trials of the same command, without what was in doubt already."""
    if first.exit_code != second.exit_code:
        yield f"it ended with {first.exit_code}, and when it was run again with {second.exit_code}"
    one, other = ({change.path: change for change in each.effects} for each in (first, second))
    differing = [
        path for path in sorted(one.keys() | other.keys()) if not _same(one.get(path), other.get(path), objects)
    ]
    if differing:
        yield f"it came out differently when it was run again: {_some(differing)}"


def _same(one: PathChange | None, other: PathChange | None, objects: ObjectStore) -> bool:
    if one is None or other is None:
        return False
    if one.after == other.after:
        return True
    # An index holds the times and numbers of files, which no two trees share.
    if one.path != INDEX_PATH or not isinstance(one.after, FileState) or not isinstance(other.after, FileState):
        return False
    return same_entries(objects.read(one.after.sha256), objects.read(other.after.sha256))


def _carries_time(change: PathChange, call: CommandCall, objects: ObjectStore, times: tuple[datetime, ...]) -> bool:
    """Whether the file contains today's date or this minute now, did not before, and the command does not name it."""
    if not isinstance(change.after, FileState) or change.after.size > _SCANNED_BYTES:
        return False
    new = objects.read(change.after.sha256)
    old = objects.read(change.before.sha256) if isinstance(change.before, FileState) else b""
    command = call.command.encode()
    return any(text in new and text not in old and text not in command for text in _spellings(times))


def _spellings(times: tuple[datetime, ...]) -> set[bytes]:
    local = (*times, *(moment.astimezone() for moment in times))
    formats = (*_DAY_FORMATS, _CLOCK_FORMAT)
    return {moment.strftime(each).encode() for moment in local for each in formats}


def _some(names: Iterable[str]) -> str:
    every = list(names)
    more = f" and {len(every) - _NAMED} more" if len(every) > _NAMED else ""
    return ", ".join(every[:_NAMED]) + more


_APART_S = 2.1
"""How much later the second trial begins: the coarsest clock that files keep moves every two seconds."""

OnCommand = Callable[[RehearsedCommand], None]


@dataclass(slots=True)
class _Played:
    """One trial of a whole plan."""

    confinement: str = ""
    commands: list[RehearsedCommand] = field(default_factory=list)
    performances: dict[OperationId, CommandTrial] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


class Rehearser:
    """Rehearses plans. The workspace is only read; only stored bytes remain afterwards."""

    def __init__(self, stages: RehearsalSandboxes, objects: ObjectStore, clock: Callable[[], datetime]) -> None:
        self._stages = stages
        self._objects = objects
        self._clock = clock

    def rehearse(
        self,
        version: PlanVersion,
        *,
        network: bool = False,
        once: bool = False,
        control: RunControl | None = None,
        on_output: OnOutput = lambda operation, chunk: None,
        on_command: OnCommand = lambda command: None,
    ) -> Rehearsal:
        """Play it; unless `once`, play again what had file effects, to see whether it comes out the same.

        Raises:
            UserAbortError: it was stopped; nothing is left of it.
            ShadowError: there can be no shadow.
        """
        chosen = control or RunControl()
        started = time.monotonic()
        played = self._play(version, version.operations, network, chosen, on_output, on_command)
        commands = _beside_doubts(version.operations, _after_failed_doubts(played.commands))
        last = _last_with_effects(version.operations, played)
        if last and not once:
            _wait(started + _APART_S, chosen)
            # What is in doubt already is left out: whatever comes out otherwise without it depends on it.
            kept = tuple(each for each in version.operations[:last] if each.id not in _in_doubt(commands))
            again = self._play(version, kept, network, chosen, how=others(self._clock()))
            commands = tuple(self._compared(each, played, again) for each in commands)
        return Rehearsal(
            plan_id=version.plan_id,
            revision=version.revision,
            commands=commands,
            problems=tuple(played.problems),
            network=network,
            confinement=played.confinement,
            at=self._clock(),
        )

    def _play(
        self,
        version: PlanVersion,
        operations: tuple[StagedOperation, ...],
        network: bool,
        control: RunControl,
        on_output: OnOutput = lambda operation, chunk: None,
        on_command: OnCommand = lambda command: None,
        how: TrialEnvironment = USUAL,
    ) -> _Played:
        played = _Played()
        lost: dict[OperationId, OperationId] = {}
        with self._stages.open(network=network) as stage:
            played.confinement = stage.words
            for operation in operations:
                if control.is_aborted:
                    raise _stopped()
                failed = self._act(operation, stage, played, lost, control, on_output, how)
                if failed:
                    lost.update(dict.fromkeys(dependents(version.operations, operation.id), operation.id))
                if operation.command_call is not None:
                    on_command(played.commands[-1])
        return played

    def _act(
        self,
        operation: StagedOperation,
        stage: RehearsalSandbox,
        played: _Played,
        lost: dict[OperationId, OperationId],
        control: RunControl,
        on_output: OnOutput,
        how: TrialEnvironment,
    ) -> bool:
        """Try one operation; True if it failed."""
        why = f"it needs {lost[operation.id]}, which failed" if operation.id in lost else ""
        call = operation.command_call
        if operation.kind.spec.is_external:
            played.problems.append(Problem(operation.id, "An external call cannot be rehearsed."))
            return False
        if not why and call is not None:
            why = stage.obstacle
        try:
            if why:
                raise StagingError(f"{why[0].upper()}{why[1:]}.")
            if call is None:
                stage.carry_out(operation)
                return False
            return self._perform(operation, call, stage, played, control, on_output, how)
        except (StagingError, StorageError) as refusal:
            if call is None:
                played.problems.append(Problem(operation.id, refusal.message))
            else:
                played.commands.append(_never_ran(operation.id, call, refusal.message))
            return True

    def _perform(
        self,
        operation: StagedOperation,
        call: CommandCall,
        stage: RehearsalSandbox,
        played: _Played,
        control: RunControl,
        on_output: OnOutput,
        how: TrialEnvironment,
    ) -> bool:
        began = self._clock()
        done = stage.run(operation.id, call, control, on_output, how)
        if done.aborted:
            raise _stopped()
        error = explain(operation, done.exit_code, timed_out=done.timed_out, aborted=False)
        home = Path(scrubbed_environment().get("HOME", "/"))
        played.performances[operation.id] = done
        played.commands.append(
            RehearsedCommand(
                id=operation.id,
                call=call,
                exit_code=done.exit_code,
                output=done.output.decode("utf-8", "replace"),
                seconds=done.seconds,
                effects=done.effects,
                outside=tuple(map(str, done.outside)),
                error=error,
                doubts=tuple(uncertainties_of(call, done, home, self._objects, (began, self._clock()))),
            )
        )
        if error:
            stage.take_back(done.effects)
        return error is not None

    def _compared(self, command: RehearsedCommand, first: _Played, second: _Played) -> RehearsedCommand:
        one, other = first.performances.get(command.id), second.performances.get(command.id)
        if one is None or other is None:
            return command
        return replace(command, doubts=(*command.doubts, *unlike(one, other, self._objects)))


def _last_with_effects(operations: tuple[StagedOperation, ...], played: _Played) -> int:
    """How many operations there are up to the last command that changed a file."""
    having = {command.id for command in played.commands if command.effects}
    return max((number for number, operation in enumerate(operations, start=1) if operation.id in having), default=0)


def _in_doubt(commands: tuple[RehearsedCommand, ...]) -> set[OperationId]:
    return {command.id for command in commands if command.doubts}


def _after_failed_doubts(commands: list[RehearsedCommand]) -> tuple[RehearsedCommand, ...]:
    """A command that failed here for what a run may not lack leaves everything after it unknown."""
    found: list[RehearsedCommand] = []
    unknown: OperationId | None = None
    for command in commands:
        if unknown is not None:
            command = replace(
                command, doubts=(*command.doubts, f"it follows {unknown}, which failed here and may not fail in a run")
            )
        elif command.error and command.doubts:
            unknown = command.id
        found.append(command)
    return tuple(found)


def _beside_doubts(
    operations: tuple[StagedOperation, ...], commands: tuple[RehearsedCommand, ...]
) -> tuple[RehearsedCommand, ...]:
    """Here commands run one after the other; one that a run starts beside another will not see what that one did."""
    changed = {command.id for command in commands if command.effects}
    beside: dict[OperationId, OperationId] = {}
    for batch in batches(segments(operations)):
        for number, segment in enumerate(batch):
            for earlier in batch[:number]:
                if earlier[0].id in changed:
                    beside.setdefault(segment[0].id, earlier[0].id)
    return tuple(
        replace(
            command, doubts=(*command.doubts, f"a run starts it beside {beside[command.id]}, whose changes it saw here")
        )
        if command.id in beside
        else command
        for command in commands
    )


def _never_ran(operation: OperationId, call: CommandCall, why: str) -> RehearsedCommand:
    return RehearsedCommand(operation, call, None, "", 0.0, (), (), why, (f"it was not run: {why.rstrip('.')}",))


def _wait(until: float, control: RunControl) -> None:
    while (left := until - time.monotonic()) > 0:
        if control.is_aborted:
            raise _stopped()
        time.sleep(min(left, 0.05))


def _stopped() -> UserAbortError:
    return UserAbortError("The rehearsal was stopped; nothing was changed.", next="Rehearse it again when you like.")
