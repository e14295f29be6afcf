"""Rehearses plans and stores the results."""

import codecs
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from tandem_desktop.domain.errors import StaleRevisionError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import CommandRehearsed, CommandSaid, RehearsalStarted
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.rehearsal.rehearse import Rehearser
from tandem_desktop.rehearsal.results import (
    Rehearsal,
    RehearsalStore,
    RehearsedCommand,
    effect_operations,
    recorded_operations,
)
from tandem_desktop.rehearsal.sandbox import OnOutput
from tandem_desktop.review.operation_view import OperationView, view_operation
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.staging.git_effects import GitEffect, git_effects, paths_of
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RehearsedEffects:
    """What one command changed."""

    views: tuple[OperationView, ...]
    """Working files, as operations with their hunks and flags."""
    git: tuple[GitEffect, ...]


class Rehearsals:
    """Rehearses a plan, approved or not."""

    def __init__(
        self,
        *,
        rehearser: Rehearser,
        store: RehearsalStore,
        plans: PlanStore,
        proposals: Proposals,
        objects: ObjectStore,
        workspace: Workspace,
        events: EventStream,
        clock: Callable[[], datetime],
        on_output: OnOutput,
    ) -> None:
        self._rehearser = rehearser
        self._store = store
        self._plans = plans
        self._proposals = proposals
        self._objects = objects
        self._workspace = workspace
        self._events = events
        self._clock = clock
        self._on_output = on_output

    def rehearse(
        self,
        plan_id: PlanId,
        revision: int | None = None,
        *,
        network: bool = False,
        once: bool = False,
        control: RunControl | None = None,
    ) -> Rehearsal:
        """Rehearse one revision, by default the latest; output and outcomes are published as they come.

        Raises:
            UserAbortError: it was stopped.
            ShadowError: there can be no shadow.
        """
        version = self._plans.revision(plan_id, revision)
        told = _Told(plan_id, self._events)

        def publish_output(operation: OperationId, chunk: bytes) -> None:
            told.output(operation, chunk)
            self._on_output(operation, chunk)

        self._events.publish(RehearsalStarted(plan_id=plan_id, revision=version.revision))
        rehearsal = self._rehearser.rehearse(
            version, network=network, once=once, control=control, on_output=publish_output, on_command=told.command
        )
        if not once and version.revision == self._plans.latest_revision(plan_id):
            self._store.save(version, rehearsal)
        return rehearsal

    def kept(self, version: PlanVersion) -> Rehearsal | None:
        """What the last whole rehearsal of exactly this revision found; nothing when there was none."""
        return self._store.load(version)

    def kept_with_effects(self, version: PlanVersion) -> tuple[Rehearsal, dict[OperationId, RehearsedEffects]] | None:
        """What `kept` has, with the effects of its commands."""
        found = self.kept(version)
        return None if found is None else (found, self.effects(found))

    def effects(self, rehearsal: Rehearsal) -> dict[OperationId, RehearsedEffects]:
        """What every command changed, to be looked at."""
        version = self._plans.revision(rehearsal.plan_id, rehearsal.revision)
        by_id = {operation.id: operation for operation in version.operations}
        told = self.git_effects(rehearsal)
        return {
            command.id: RehearsedEffects(
                tuple(
                    view_operation(each, self._objects, commands_captured=True)
                    for each in effect_operations(command, by_id[command.id], self._clock())
                    if not told[command.id] or (each.to or each.path) not in paths_of(told[command.id])
                ),
                told[command.id],
            )
            for command in rehearsal.commands
        }

    def git_effects(self, rehearsal: Rehearsal) -> dict[OperationId, tuple[GitEffect, ...]]:
        """What the effects of each command mean for git repositories."""
        self._workspace.forget_directories()
        return {
            command.id: git_effects(command.effects, self._objects.read_state, self._workspace)
            for command in rehearsal.commands
        }

    def record(self, rehearsal: Rehearsal, chosen: Sequence[OperationId] = ()) -> PlanVersion:
        """The person's own revision in which recorded effects stand for the chosen commands, or for all that can be.

        Raises:
            StaleRevisionError: the rehearsed revision is no longer the latest.
            StepRefusedError: effects cannot be recorded, or a later operation would no longer apply.
        """
        version = self._plans.revision(rehearsal.plan_id)
        if version.revision != rehearsal.revision:
            raise StaleRevisionError(version.plan_id, expected=rehearsal.revision, found=version.revision)
        operations = recorded_operations(version.operations, rehearsal, chosen, self._clock())
        saved = self._proposals.rewrite(version, operations, "Let the command really run.")
        # What the other commands did in the copy they did after exactly these effects.
        still_run = {operation.id for operation in operations}
        left = tuple(each for each in rehearsal.commands if each.id in still_run)
        if self._store.load(version) == rehearsal:
            self._store.save(saved, replace(rehearsal, revision=saved.revision, commands=left))
        return saved


class _Told:
    """Publishes the events of a rehearsal; decodes output incrementally."""

    def __init__(self, plan_id: PlanId, events: EventStream) -> None:
        self._plan_id = plan_id
        self._events = events
        self._decoders: dict[OperationId, codecs.IncrementalDecoder] = {}

    def output(self, operation: OperationId, chunk: bytes) -> None:
        decoder = self._decoders.setdefault(operation, codecs.getincrementaldecoder("utf-8")("replace"))
        if text := decoder.decode(chunk):
            self._events.publish(CommandSaid(plan_id=self._plan_id, operation_id=operation, text=text))

    def command(self, command: RehearsedCommand) -> None:
        self._events.publish(
            CommandRehearsed(
                plan_id=self._plan_id,
                operation_id=command.id,
                exit_code=command.exit_code,
                seconds=command.seconds,
                effects=len(command.effects),
                error=command.error,
            )
        )
