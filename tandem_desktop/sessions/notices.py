"""Tells an agent what happened to its plan."""

from collections.abc import Callable, Iterable

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.lifecycle import follow_up
from tandem_desktop.domain.operations import FileState, NodeState, StagedOperation
from tandem_desktop.domain.plan import Origin, PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus, has_ended, is_running
from tandem_desktop.domain.runs import RunKind, RunRecord
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.policy import messages
from tandem_desktop.review.compare import compare
from tandem_desktop.services.runs import PlanRuns
from tandem_desktop.sessions.drafting import take_over
from tandem_desktop.sessions.record import SessionFacts, SessionRecord
from tandem_desktop.sessions.staging import SessionStaging
from tandem_desktop.shadow.by_products import IncludeGlobs
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.staging.requests import QueuedCommand
from tandem_desktop.storage.objects import ObjectStore

_BY_AGENT = (Origin.AGENT, Origin.REWORK)
_RUN = (PlanStatus.COMPLETED, PlanStatus.FAILED)
_SENT_BACK = (PlanStatus.REJECTED, PlanStatus.NEEDS_REVIEW, PlanStatus.PROPOSED)
_GIVEN_UP = {
    PlanStatus.CANCELLED: messages.plan_cancelled(),
    PlanStatus.SUPERSEDED: messages.plan_superseded(),
}


class AgentNotices:
    """Compares what the plans and runs say with what the session's agent has been told. Works in a thread."""

    def __init__(
        self,
        *,
        runs: PlanRuns,
        plans: PlanStore,
        objects: ObjectStore,
        shadow: ShadowWorkspace,
        staging: SessionStaging,
        clear_staging: Callable[[], object],
        record: SessionRecord,
        who: Callable[[], str],
    ) -> None:
        self._runs = runs
        self._plans = plans
        self._objects = objects
        self._shadow = shadow
        self._staging = staging
        self._clear_staging = clear_staging
        self._record = record
        self._who = who

    def catch_up(self) -> tuple[str, ...]:
        """Update the shadow and return the messages for the agent, oldest first, each once."""
        texts = [*self._taken_over(), *self.after_runs()]
        facts = self._record.load()
        plan_ids = self._plans.plans_of(facts.id)
        if plan_ids:
            self._record.save(self._about_the_plan(facts, self._plans.revision(plan_ids[-1]), texts))
            self._follows_up(plan_ids[-1])
        return tuple(texts)

    def _taken_over(self) -> tuple[str, ...]:
        """A plan that was there before its agent: the agent begins where the plan is."""
        facts = self._record.load()
        if facts.takes_over is None:
            return ()
        version = self._plans.revision(facts.takes_over)
        status = self._plans.meta(version.plan_id).status
        texts: tuple[str, ...] = ()
        if status in _RUN:
            texts = (messages.handed_over(version.title, version.content),)
        elif not has_ended(status):
            texts = (take_over(version, self._shadow, self._staging, self._objects),)
        self._record.save(facts.model_copy(update={"takes_over": None}))
        return texts

    def _follows_up(self, plan_id: PlanId) -> None:
        """Record the agent that is told the result of a run as the one that follows up on it."""
        meta = self._plans.meta(plan_id)
        if meta.status in _RUN and not meta.executor_model:
            self._plans.update(plan_id, lambda found: follow_up(found, self._who()))

    def after_runs(self) -> tuple[str, ...]:
        """The same for runs alone: what was applied or undone while the agent was at work."""
        facts = self._record.load()
        plan_ids = self._plans.plans_of(facts.id)
        new = [run for run in self._ended_runs() if self._own(run, plan_ids) and run.run_id not in facts.told_runs]
        texts = tuple(self._after(run, plan_ids) for run in new)
        if new:
            told = (*facts.told_runs, *(run.run_id for run in new))
            self._record.save(facts.model_copy(update={"told_runs": told}))
            of_this_plan = any(each.plan_id == plan_ids[-1] for run in new for each in self._own(run, plan_ids))
            if of_this_plan or has_ended(self._plans.meta(plan_ids[-1]).status):
                self._clear_staging()
                texts = (*texts, *self._taken_up_again(plan_ids[-1]))
        return texts

    def _taken_up_again(self, plan_id: PlanId) -> tuple[str, ...]:
        """A plan that goes on after its run, with nothing staged: its operations are put into the shadow again."""
        meta = self._plans.meta(plan_id)
        latest = self._plans.revision(plan_id)
        if has_ended(meta.status) or is_running(meta.status) or meta.execution_session is None:
            return ()
        if len(self._staging.store) or not latest.operations:
            return ()
        return (take_over(latest, self._shadow, self._staging, self._objects),)

    def _ended_runs(self) -> list[RunRecord]:
        return [run.record for run in reversed(self._runs.runs()) if run.record.ended_at is not None]

    def _own(self, run: RunRecord, plan_ids: tuple[PlanId, ...]) -> list[RunRecord]:
        """The run, and the earlier ones it took back, as far as they are of this session."""
        every = (run, *(self._runs.record(each) for each in run.also))
        return [each for each in every if each.plan_id in plan_ids]

    def _after(self, run: RunRecord, plan_ids: tuple[PlanId, ...]) -> str:
        versions = [self._plans.revision(each.plan_id, each.revision) for each in self._own(run, plan_ids)]
        version = versions[0]
        paths = _paths(operation for each in versions for operation in each.operations)
        # What the person left out of the agent's own revision is no longer in the one that ran.
        proposed = [found for each in versions if (found := self._last_by_agent(each)) is not None]
        self._shadow.settle(dict.fromkeys((*paths, *_paths(o for each in proposed for o in each.operations))))
        if run.kind is RunKind.UNDO:
            return messages.after_undo(paths)
        return messages.after_run(
            version.operations,
            self._runs.results_of(run.run_id),
            status=run.status,
            rolled_back=run.rolled_back,
            by_person=self._by_person(version) if run.kind is RunKind.APPLY else None,
            notes=self._plans.meta(run.plan_id).approval_notes if run.kind is RunKind.APPLY else "",
            meanwhile=run.meanwhile,
        )

    def _about_the_plan(self, facts: SessionFacts, latest: PlanVersion, texts: list[str]) -> SessionFacts:
        meta = self._plans.meta(latest.plan_id)
        told = (latest.plan_id, meta.status.value, latest.revision, len(meta.rejections))
        if has_ended(meta.status):
            gave_way = meta.status in _GIVEN_UP and meta.execution_session is None
            if gave_way and facts.told_plan != told:
                texts.append(_GIVEN_UP[meta.status])
                # What was left out of a later revision may still lie in the shadow.
                every = (self._plans.revision(latest.plan_id, number) for number in range(1, latest.revision + 1))
                self._shadow.settle(_paths(operation for each in every for operation in each.operations))
            self._clear_staging()
        else:
            texts += self._taken_up_again(latest.plan_id)
            by_person = self._follow_person(latest)
            if facts.told_plan != told:
                texts += [messages.plan_changed(by_person)] if by_person else []
                texts += self._reworks(facts, latest, meta)
        return facts.model_copy(update={"told_plan": told})

    def _reworks(self, facts: SessionFacts, latest: PlanVersion, meta: PlanMeta) -> list[str]:
        """What the plan was sent back with and the agent was not told, the first with all earlier feedback."""
        new = self._unanswered(facts, latest, meta)
        every = [each.feedback for each in meta.rejections if each.feedback]
        earlier = every[: len(every) - len(new)]
        return [messages.rework(each, () if number else earlier) for number, each in enumerate(new)]

    def _unanswered(self, facts: SessionFacts, latest: PlanVersion, meta: PlanMeta) -> list[str]:
        """Feedback that the agent was not told, whatever the person made of the plan since."""
        if meta.status not in _SENT_BACK:
            return []
        by_agent = self._last_by_agent(latest)
        answered = by_agent.revision if by_agent is not None else latest.revision
        told = facts.told_plan[3] if facts.told_plan and facts.told_plan[0] == latest.plan_id else 0
        return [each.feedback for each in meta.rejections[told:] if each.feedback and each.revision >= answered]

    def _follow_person(self, latest: PlanVersion) -> messages.DecidedByUser | None:
        """Make the shadow agree with what the person made of the plan, and say what that is."""
        if latest.origin in _BY_AGENT:
            return None
        by_agent = self._last_by_agent(latest)
        if by_agent is None:
            return None
        wanted = _after_states(latest.operations)
        gone: set[str] = set()
        edited: dict[str, NodeState] = {}
        for path, state in _after_states(by_agent.operations).items():
            if path not in wanted:
                gone.add(path)
            elif wanted[path] != state:
                edited[path] = wanted[path]
                self._shadow.put(path, wanted[path], self._bytes(wanted[path]))
        self._shadow.settle(gone)
        self._shadow.include(glob for glob in self._shadow.included if _has_any(latest, IncludeGlobs([glob])))
        commands = {operation.call for operation in latest.operations if operation.call}
        self._staging.follow_person(commands, gone, edited)
        self._queue_added(latest)
        return self._by_person(latest)

    def _queue_added(self, latest: PlanVersion) -> None:
        """Commands the person added are part of the agent's next revision too."""
        staged = {operation.call for operation in self._staging.store.get_all() if operation.call}
        for number, operation in enumerate(latest.operations, start=1):
            if operation.call is not None and operation.call not in staged:
                queued = QueuedCommand(
                    number=number, call=operation.call, tool=operation.tool, description=operation.description
                )
                self._staging.queue(queued)

    def _by_person(self, version: PlanVersion) -> messages.DecidedByUser | None:
        """What the person left out of the agent's last revision, and what they changed in it."""
        by_agent = None if version.origin in _BY_AGENT else self._last_by_agent(version)
        if by_agent is None:
            return None
        found = compare(by_agent, version)
        if found.is_empty:
            return None
        removed, changed, added = ({each.id for each in part} for part in (found.removed, found.changed, found.added))
        return messages.DecidedByUser(
            left_out=tuple(o for o in by_agent.operations if o.id in removed),
            changed=tuple(o for o in version.operations if o.id in changed),
            added=tuple(o for o in version.operations if o.id in added),
            is_reordered=bool(found.reordered),
            has_other_text=found.text_changed,
        )

    def _last_by_agent(self, latest: PlanVersion) -> PlanVersion | None:
        for number in range(latest.revision, 0, -1):
            version = self._plans.revision(latest.plan_id, number)
            if version.origin in _BY_AGENT:
                return version
        return None

    def _bytes(self, state: NodeState) -> bytes | None:
        return self._objects.read(state.sha256) if isinstance(state, FileState) else None


def _has_any(version: PlanVersion, globs: IncludeGlobs) -> bool:
    return any(globs.match(path) for operation in version.operations for path in operation.paths)


def _paths(operations: Iterable[StagedOperation]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for operation in operations for path in operation.paths))


def _after_states(operations: Iterable[StagedOperation]) -> dict[str, NodeState]:
    states: dict[str, NodeState] = {}
    for operation in operations:
        for change in operation.changes():
            states[change.path] = change.after
    return states
