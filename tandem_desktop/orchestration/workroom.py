"""Everything one window does with one workspace: commands go in, answers come as futures, facts as events."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import TypeVar

from tandem_desktop.domain.approval import Approval
from tandem_desktop.domain.chat import ChatEntry
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.execution import FailurePolicy
from tandem_desktop.domain.ids import OperationId, PlanId, RunId, SessionId, new_session_id
from tandem_desktop.domain.plan import PlanMeta, PlanVersion
from tandem_desktop.domain.review import CommentId, Comments, Seen, Side
from tandem_desktop.domain.template import PlanTemplate
from tandem_desktop.events.events import DiskTouched
from tandem_desktop.events.stream import EventStream
from tandem_desktop.execution.control import RunControl
from tandem_desktop.execution.plan_executor import RunResult
from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.execution.rewinding import Rewinding
from tandem_desktop.execution.run_changes import DoneOperation
from tandem_desktop.execution.undo import UndoneRun
from tandem_desktop.execution.undoing import WHOLE, Part, Undoing
from tandem_desktop.orchestration.agent_sessions import AgentSessions
from tandem_desktop.orchestration.agents_here import AgentsHere, find_agents
from tandem_desktop.orchestration.chat_log import ChatLog
from tandem_desktop.orchestration.conversations import Conversations
from tandem_desktop.orchestration.disk_watch import DiskWatch
from tandem_desktop.orchestration.engine import Engine
from tandem_desktop.orchestration.engine_thread import EngineThread
from tandem_desktop.orchestration.keeping_house import keep_house
from tandem_desktop.orchestration.looking_back import LookingBack
from tandem_desktop.orchestration.plan_figures import PlanFigures, plan_figures
from tandem_desktop.orchestration.plan_pages import PlanPage, PlanPages
from tandem_desktop.orchestration.plan_runs import ListedRun
from tandem_desktop.orchestration.rebases import ThreeSides
from tandem_desktop.orchestration.restore_points import PointPreview, RestoredPoint, RestorePoints, Restoring
from tandem_desktop.orchestration.shadow_folders import discard_shadow
from tandem_desktop.plans.plan_index import PlanListing
from tandem_desktop.rehearsal.rehearsal import Rehearsal
from tandem_desktop.review.compare import Comparison, compare
from tandem_desktop.review.conflicts import Resolution
from tandem_desktop.review.coverage import coverage
from tandem_desktop.review.draft import Choices
from tandem_desktop.review.drift import Drifted
from tandem_desktop.review.interdiff import Interdiff
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.review.rebase import Rebased
from tandem_desktop.review.since_viewed import Looked
from tandem_desktop.staging.simulate import Problem

_Answer = TypeVar("_Answer")


class Workroom:
    """Call it from any thread; nothing here blocks. What the engine has to say beyond an answer is on `events`."""

    def __init__(self, engine: Engine, sessions: AgentSessions, thread: EngineThread) -> None:
        self.engine = engine
        self.events: EventStream = engine.events
        self._thread = thread
        self.conversations = Conversations(engine, sessions, thread)
        self.looking_back = LookingBack(engine, sessions, thread)
        self._control: RunControl | None = None
        self._pages = PlanPages(engine)
        self._rehearsing: RunControl | None = None
        self._watched: PlanId | None = None
        self._watch = DiskWatch(engine.locations.workspace, self._disk_touched)
        self.chat = ChatLog(engine.locations.sessions, engine.events, engine.clock, self._session_of)
        self._points = RestorePoints(engine.runs, self.chat)

    def keep_house(self) -> None:
        self._thread.submit(keep_house(self.engine))

    # Looking

    def plans(self) -> "Future[PlanListing]":
        return self._apart(self.engine.listing)

    def page(self, plan_id: PlanId, revision: int | None = None) -> "Future[PlanPage]":
        """One revision with everything that is shown of it; the latest when none is named."""
        return self._apart(lambda: self._pages.page(plan_id, revision))

    def contents(self, view: OperationView) -> "Future[tuple[bytes, bytes]]":
        """The bytes before and after an operation, empty where there is no file."""
        return self._apart(lambda: self.engine.contents(view.operation))

    def compare(self, plan_id: PlanId, old: int, new: int, other: PlanId | None = None) -> "Future[Comparison]":
        """What one revision of a plan does differently from another, or from one of another plan."""
        plans = self.engine.plans
        return self._apart(lambda: compare(plans.revision(plan_id, old), plans.revision(other or plan_id, new)))

    def interdiff(
        self, plan_id: PlanId, old: int, new: int, other: PlanId | None = None
    ) -> "Future[tuple[Interdiff, ...]]":
        """For every operation that changed between two revisions, the hunks between their after-images."""
        return self._apart(lambda: self._pages.interdiff(plan_id, old, new, other))

    def since_looked(self, plan_id: PlanId, looked: Looked, revision: int) -> "Future[Looked]":
        """What has become, by a later revision, of what a person had looked at in an earlier one."""

        def followed() -> Looked:
            found, plans = looked, self.engine.plans
            for number in range(looked.revision, revision):
                found = found.in_next(plans.revision(plan_id, number), plans.revision(plan_id, number + 1))
            return found

        return self._apart(followed)

    def drift(self, plan_id: PlanId) -> "Future[tuple[Drifted, ...]]":
        """What changed on disk since the plan was made, of what the person's choices leave of it."""
        return self._apart(lambda: self._pages.drifted(plan_id))

    def watch(self, plan_id: PlanId | None, paths: Sequence[str] = ()) -> None:
        """Say `DiskTouched` when something happens at one of these paths; no plan ends it."""
        self._watched = plan_id
        self._watch.watch(paths if plan_id is not None else ())

    def three_way(self, plan_id: PlanId, path: str) -> "Future[ThreeSides]":
        """What the plan saw at a path, what is there now and what the plan would leave, and where they meet."""
        return self._apart(lambda: self.engine.rebases.three_way(plan_id, path, self._pages.choices(plan_id)))

    def preview_rebase(self, plan_id: PlanId, resolutions: Sequence[Resolution] = ()) -> "Future[Rebased]":
        return self._apart(lambda: self.engine.rebases.preview(plan_id, resolutions, self._pages.choices(plan_id)))

    def simulate(self, plan_id: PlanId) -> "Future[tuple[Problem, ...]]":
        """Which operations would not apply to the files as they are."""
        return self._apart(lambda: self.engine.simulate(plan_id))

    def figures(self) -> "Future[PlanFigures]":
        """How the plans of this workspace have fared."""
        return self._apart(lambda: plan_figures(self.engine))

    def runs(self) -> "Future[tuple[ListedRun, ...]]":
        return self._apart(self.engine.runs.runs)

    def run_changes(self, run_id: RunId) -> "Future[tuple[DoneOperation, ...]]":
        return self._apart(lambda: self.engine.runs.changes(run_id))

    def interrupted(self) -> "Future[tuple[InterruptedRun, ...]]":
        return self._apart(self.engine.runs.interrupted)

    def agents(self) -> "Future[AgentsHere]":
        return self._apart(lambda: find_agents(self.engine.locations.shadows))

    def entries(self, session_id: SessionId) -> tuple[ChatEntry, ...]:
        return self.chat.entries(session_id)

    def new_session(self) -> SessionId:
        return new_session_id()

    # Changing and deciding

    def choose(self, choices: Choices) -> "Future[PlanPage]":
        """Keep a person's choices beside the revision they are about, and show what they would make of it."""
        return self._apart(lambda: self._pages.choose(choices))

    def save_choices(self, choices: Choices) -> "Future[PlanVersion]":
        """The choices become the next revision."""
        return self._apart(lambda: self.engine.proposals.save(choices))

    def restore(self, plan_id: PlanId, revision: int) -> "Future[PlanVersion]":
        return self._apart(lambda: self.engine.proposals.restore(plan_id, revision))

    def branch(self, plan_id: PlanId, revision: int) -> "Future[PlanVersion]":
        """An alternative that begins with this revision, as a plan of its own."""
        return self._apart(lambda: self.engine.proposals.branch(plan_id, revision))

    def rebase(self, plan_id: PlanId, resolutions: Sequence[Resolution] = ()) -> "Future[PlanVersion]":
        """The plan for the files as they are, as a new revision; fails while a conflict is left without an answer."""
        return self._apart(lambda: self.engine.rebases.rebase(plan_id, resolutions, self._pages.choices(plan_id)))

    def use_template(self, name: str, values: dict[str, str]) -> "Future[PlanVersion]":
        """A new plan, in a conversation of its own."""
        return self._apart(lambda: self.engine.templates.use(name, values))

    def save_template(self, plan_id: PlanId, name: str, values: dict[str, str]) -> "Future[PlanTemplate]":
        return self._apart(lambda: self.engine.templates.save(plan_id, name, values))

    def keep_bytes(self, content: bytes) -> "Future[str]":
        """Store the person's own version of a file; its digest is what their choices name."""
        return self._apart(lambda: self.engine.objects.put(content))

    def comments(self, plan_id: PlanId) -> "Future[Comments]":
        return self._apart(lambda: self.engine.commenting.comments(plan_id))

    def comment(
        self,
        plan_id: PlanId,
        text: str,
        operation: OperationId | None = None,
        side: Side = Side.AFTER,
        lines: tuple[int, int] | None = None,
    ) -> "Future[Comments]":
        """Keep a comment as a draft: on lines, on an operation, or, without one, on the plan text."""
        return self._apart(lambda: self.engine.commenting.add(plan_id, text, operation, side, lines))

    def edit_comment(self, plan_id: PlanId, comment: CommentId, text: str) -> "Future[Comments]":
        return self._apart(lambda: self.engine.commenting.edit(plan_id, comment, text))

    def remove_comment(self, plan_id: PlanId, comment: CommentId) -> "Future[Comments]":
        return self._apart(lambda: self.engine.commenting.remove(plan_id, comment))

    def approve(
        self,
        plan_id: PlanId,
        digest: str,
        *,
        acknowledged: tuple[str, ...] = (),
        seen: tuple[Seen, ...] | None = None,
        notes: str = "",
    ) -> "Future[Approval]":
        """Approve what was shown; comments that were not sent go along with the notes."""
        return self._apart(lambda: self._approve(plan_id, digest, acknowledged, seen, notes))

    def cancel(self, plan_id: PlanId) -> "Future[PlanMeta]":
        return self._apart(lambda: self._cancel(plan_id))

    # Running

    def apply(self, plan_id: PlanId, policy: FailurePolicy = FailurePolicy.ROLLBACK) -> "Future[RunResult]":
        """Run an approved plan; `stop_run`, `pause_run` and `resume_run` act between its operations."""
        control = self._control = RunControl()
        return self._apart(lambda: self.engine.runs.apply(plan_id, policy, control))

    def rehearse(self, plan_id: PlanId, revision: int | None = None, *, network: bool = False) -> "Future[Rehearsal]":
        """Play a plan in a throw-away shadow; what its commands print is on `events` while they run."""
        control = self._rehearsing = RunControl()
        return self._apart(lambda: self.engine.rehearsals.rehearse(plan_id, revision, network=network, control=control))

    def stop_rehearsal(self) -> None:
        if self._rehearsing is not None:
            self._rehearsing.abort()

    def rehearsed_views(self, rehearsal: Rehearsal) -> "Future[dict[OperationId, tuple[OperationView, ...]]]":
        """The file effects of every rehearsed command, to be reviewed like operations."""
        return self._apart(lambda: self.engine.rehearsals.views(rehearsal))

    def kept_rehearsal(
        self, version: PlanVersion
    ) -> "Future[tuple[Rehearsal, dict[OperationId, tuple[OperationView, ...]]] | None]":
        """What the last rehearsal of exactly this revision found, with its file effects; nothing when there is none."""

        def look() -> tuple[Rehearsal, dict[OperationId, tuple[OperationView, ...]]] | None:
            found = self.engine.rehearsals.kept(version)
            return None if found is None else (found, self.engine.rehearsals.views(found))

        return self._apart(look)

    def record(self, rehearsal: Rehearsal, chosen: Sequence[OperationId] = ()) -> "Future[PlanVersion]":
        """A revision that applies the recorded effects of commands instead of running them."""
        return self._apart(lambda: self.engine.rehearsals.record(rehearsal, chosen))

    def stop_run(self) -> None:
        if self._control is not None:
            self._control.abort()

    def pause_run(self) -> None:
        if self._control is not None:
            self._control.pause()

    def resume_run(self) -> None:
        if self._control is not None:
            self._control.resume()

    def preview_undo(self, run_id: RunId, part: Part = WHOLE) -> "Future[Undoing]":
        """What taking a run back, or an operation or a path of it, would do."""
        return self._apart(lambda: self.engine.runs.preview_undo(run_id, part))

    def undo(self, run_id: RunId, part: Part = WHOLE) -> "Future[UndoneRun]":
        return self._apart(lambda: self.engine.runs.undo(run_id, part))

    def preview_rewind(self, run_id: RunId) -> "Future[Rewinding]":
        """What going back to before a run would do, with every run since."""
        return self._apart(lambda: self.engine.runs.preview_rewind(run_id))

    def rewind(self, run_id: RunId) -> "Future[UndoneRun]":
        return self._apart(lambda: self.engine.runs.rewind(run_id))

    def preview_point(self, session_id: SessionId, entry: int) -> "Future[PointPreview]":
        """What going back to just after an entry of the conversation would mean for files and conversation."""
        return self._apart(lambda: self._points.preview(session_id, entry))

    def restore_point(self, session_id: SessionId, entry: int, what: Restoring) -> "Future[RestoredPoint]":
        return self._apart(lambda: self._points.restore(session_id, entry, what))

    def redo(self, run_id: RunId) -> "Future[UndoneRun]":
        return self._apart(lambda: self.engine.runs.redo(run_id))

    def rate(self, plan_id: PlanId, rating: int) -> "Future[PlanMeta]":
        return self._apart(lambda: self.engine.decisions.rate(plan_id, rating))

    def recover(self, run_id: RunId, way: str) -> "Future[RunResult]":
        """Settle an interrupted run: `resume`, `resume-again` (its command, too), `rollback` or `mark-failed`."""
        ways: dict[str, Callable[[str | None], RunResult]] = {
            "resume": self.engine.runs.resume,
            "resume-again": partial(self.engine.runs.resume, run_command_again=True),
            "rollback": self.engine.runs.roll_back,
            "mark-failed": self.engine.runs.mark_failed,
        }
        return self._apart(lambda: ways[way](run_id))

    def close(self) -> None:
        """End every agent and wait for what is under way; what they did stays in their shadows."""
        self.stop_run()
        self.stop_rehearsal()
        self._watch.close()
        self.looking_back.close()
        self.conversations.close()
        self._thread.close()
        self.chat.close()
        self.engine.close()

    def _apart(self, work: Callable[[], _Answer]) -> "Future[_Answer]":
        return self._thread.submit(_in_thread(work))

    def _approve(
        self, plan_id: PlanId, digest: str, acknowledged: tuple[str, ...], seen: tuple[Seen, ...] | None, notes: str
    ) -> Approval:
        engine = self.engine
        shown = None if seen is None else coverage(engine.plans.revision(plan_id), seen)
        drafts = engine.commenting.comments(plan_id).drafts
        return engine.decisions.approve(
            plan_id, digest, notes=notes, drafts=drafts, acknowledged=acknowledged, coverage=shown
        )

    def _disk_touched(self) -> None:
        if self._watched is not None:
            self.events.publish(DiskTouched(plan_id=self._watched))

    def _cancel(self, plan_id: PlanId) -> PlanMeta:
        meta = self.engine.decisions.cancel(plan_id)
        if not self.conversations.is_open(meta.session_id):
            discard_shadow(self.engine, meta.session_id)
        return meta

    def _session_of(self, plan_id: PlanId) -> SessionId | None:
        try:
            return self.engine.plans.meta(plan_id).session_id
        except TandemError:
            return None


async def _in_thread(work: Callable[[], _Answer]) -> _Answer:
    return await asyncio.to_thread(work)
