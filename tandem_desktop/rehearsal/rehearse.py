"""Run a whole plan in a throw-away shadow, approved or not, and tell what its commands do."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from tandem_desktop.domain.errors import StagingError, StorageError, UserAbortError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import CommandCall, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.commands import explain
from tandem_desktop.execution.control import RunControl
from tandem_desktop.execution.segments import dependents, segments
from tandem_desktop.execution.side_by_side import batches
from tandem_desktop.processes.child import scrubbed_environment
from tandem_desktop.rehearsal.circumstances import USUAL, Circumstances, others
from tandem_desktop.rehearsal.doubts import doubts_about, unlike
from tandem_desktop.rehearsal.rehearsal import Rehearsal, RehearsedCommand
from tandem_desktop.rehearsal.stage import OnOutput, Performance, Stage, Stages
from tandem_desktop.staging.simulate import Problem
from tandem_desktop.storage.objects import ObjectStore

_APART_S = 2.1
"""How much later the second performance begins: the coarsest clock that files keep moves every two seconds."""

OnCommand = Callable[[RehearsedCommand], None]


@dataclass(slots=True)
class _Played:
    """A plan played through once."""

    confinement: str = ""
    commands: list[RehearsedCommand] = field(default_factory=list)
    performances: dict[OperationId, Performance] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


class Rehearser:
    """Plays plans. The workspace is only read; what is played is gone afterwards, but for stored bytes."""

    def __init__(self, stages: Stages, objects: ObjectStore, clock: Callable[[], datetime]) -> None:
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
        how: Circumstances = USUAL,
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
                if operation.call is not None:
                    on_command(played.commands[-1])
        return played

    def _act(
        self,
        operation: StagedOperation,
        stage: Stage,
        played: _Played,
        lost: dict[OperationId, OperationId],
        control: RunControl,
        on_output: OnOutput,
        how: Circumstances,
    ) -> bool:
        """Let one operation have its turn; answers whether it failed."""
        why = f"it needs {lost[operation.id]}, which failed" if operation.id in lost else ""
        call = operation.call
        if not why and call is not None and not stage.is_confined:
            why = f"nothing here could hold it back ({stage.words})"
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
        stage: Stage,
        played: _Played,
        control: RunControl,
        on_output: OnOutput,
        how: Circumstances,
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
                doubts=tuple(doubts_about(call, done, home, self._objects, (began, self._clock()))),
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
