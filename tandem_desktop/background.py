"""Runs the engine in the background for one window."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import ParamSpec, TypeVar

from tandem_desktop.advisors.orchestrator import OrchestrationService
from tandem_desktop.advisors.perspective_planning import PerspectivePlanning
from tandem_desktop.advisors.perspectives import advise_order
from tandem_desktop.advisors.reflection import ReflectionService
from tandem_desktop.checks.evidence import Evidence
from tandem_desktop.domain.advice import Qualification
from tandem_desktop.domain.agent_protocol import AgentProfile, Attachment
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import DiskTouched
from tandem_desktop.domain.ids import PlanId, RequestId, SessionId
from tandem_desktop.domain.paths import ancestors
from tandem_desktop.domain.plan import Origin, PlanMeta, PlanVersion
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.questions import AnswerValue, QuestionAction
from tandem_desktop.domain.reflection import Orchestration
from tandem_desktop.domain.runs import FailurePolicy, RunResult
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.policy import messages
from tandem_desktop.policy.qualification import qualify
from tandem_desktop.policy.tools import planning_bundle
from tandem_desktop.rehearsal.results import Rehearsal
from tandem_desktop.review.choices import Choices
from tandem_desktop.services.chat_log import ChatLog, RestorePoints
from tandem_desktop.services.checks import OfferedChecks
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.engine_thread import EngineThread
from tandem_desktop.services.needed import NeededParts
from tandem_desktop.services.pages import PlanPages
from tandem_desktop.sessions.advisors import Advisor, Advisors
from tandem_desktop.sessions.conversations import StoredConversations
from tandem_desktop.sessions.external_calls import AgentCalls
from tandem_desktop.sessions.interceptor import Decision
from tandem_desktop.sessions.manager import AgentSessions, discard_shadow
from tandem_desktop.sessions.record import SessionRecord
from tandem_desktop.sessions.turn import Turn
from tandem_desktop.settings import Settings
from tandem_desktop.tasks.suggested_order import SuggestedOrder

Attachments = tuple[Attachment, ...]
_LONGEST = 200
"""Longer words in a request are not tried as paths."""


class Conversations:
    """Starts agents and sends them messages. Call it from any thread; no method blocks except `close`."""

    def __init__(self, engine: Engine, sessions: AgentSessions, thread: EngineThread) -> None:
        self._engine = engine
        self._sessions = sessions
        self._thread = thread

    def is_open(self, session_id: SessionId) -> bool:
        """Whether this process has started the session's agent."""
        return self._sessions.find(session_id) is not None

    def has_begun(self, session_id: SessionId) -> bool:
        """Whether an agent was asked in the session before."""
        return SessionRecord(self._engine.locations.sessions / session_id).exists()

    def is_planning(self, session_id: SessionId) -> bool:
        """Whether Plan mode is on in the session."""
        return self._sessions.slot(session_id).plan_mode

    def allow_hosts(self, plan_id: PlanId, hosts: Sequence[str], *, lasting: bool) -> "Future[None]":
        """Let the agents of a plan's session reach these hosts; `lasting` keeps them in the settings of its agent."""
        meta = self._engine.plans.meta(plan_id)
        agent = meta.planner_model.partition(":")[0] if lasting else ""
        return self._thread.submit(self._sessions.allow_hosts(meta.session_id, hosts, agent))

    def send(
        self, session_id: SessionId, text: str, profile: AgentProfile, *, plan_mode: bool, attachments: Attachments = ()
    ) -> "Future[Turn]":
        """Send a message to the session's agent; start the agent if it does not run.

        If the settings say so, the advisors assess a new task that needs a plan first.
        """
        if plan_mode and not attachments and self._wants_perspectives(session_id, text):
            return self.plan_with_perspectives(session_id, text, profile)
        self._begin(session_id, plan_mode=plan_mode)
        return self._thread.submit(self._send(session_id, text, profile, Origin.AGENT, attachments))

    def prepare(self, session_id: SessionId, profile: AgentProfile) -> "Future[None]":
        """Start the agent of a new session before its first message."""
        return self._thread.submit(self._prepare(session_id, profile))

    def let_go(self, session_id: SessionId) -> "Future[None]":
        """End the session's agent, so that another process can go on with the session; a later message resumes it."""
        return self._thread.submit(self._sessions.slot(session_id).leave())

    def plan_with_perspectives(self, session_id: SessionId, task: str, profile: AgentProfile) -> "Future[Turn]":
        """Ask CHAPO, KODA and DEVO about a task, then plan it. Turns Plan mode on."""
        self._begin(session_id, plan_mode=True)
        return self._thread.submit(self._plan_with_perspectives(session_id, task, profile))

    def advise_order(self, version: PlanVersion, profile: AgentProfile) -> "Future[SuggestedOrder]":
        """Ask a read-only advisor for a better order of a revision's operations."""
        advisor = self._sessions.advisor(Advisors(self._engine.settings.advisors, profile))
        return self._thread.submit(advise_order(advisor, version))

    def rework(self, plan_id: PlanId, feedback: str, profile: AgentProfile) -> "Future[Turn]":
        """Reject the plan with feedback; its agent makes a new revision."""
        return self._thread.submit(self._rework(plan_id, feedback, profile))

    def carry_out(self, plan_id: PlanId, words: str, profile: AgentProfile) -> "Future[Turn]":
        """Let the agent carry out an approved plan without operations; its changes become the next revision."""
        return self._thread.submit(self._carry_out(plan_id, words, profile))

    def set_plan_mode(self, session_id: SessionId, plan_mode: bool) -> None:
        """Takes effect at once, also for a running turn."""
        self._sessions.slot(session_id).plan_mode = plan_mode
        session = self._sessions.find(session_id)
        if session is not None:
            self._thread.submit(_soon(lambda: session.set_plan_mode(plan_mode)))

    def use_models(self, settings: Settings, with_new_key: str = "") -> None:
        """Use the models of these settings from the next message on; `with_new_key` names an agent with another key."""
        self._thread.submit(_soon(lambda: self._sessions.use_models(settings, with_new_key)))

    def login_methods(self, session_id: SessionId) -> tuple[tuple[str, str], ...]:
        """The ways to log in that the session's agent offers, each with its title."""
        session = self._sessions.find(session_id)
        return session.login_methods if session is not None else ()

    def log_in(self, session_id: SessionId, method: str) -> "Future[None]":
        """Log the session's agent in."""
        session = self._sessions.slot(session_id).session
        return self._thread.submit(session.log_in(method) if session is not None else _soon(lambda: None))

    def choose(self, session_id: SessionId, option: str, value: str) -> "Future[None]":
        """Set an option of the session's agent, such as its model."""
        return self._thread.submit(self._choose(session_id, option, value))

    def inject_planning_tools(self, session_id: SessionId) -> bool:
        """Send the planning instructions with the next message; False if no agent runs."""
        session = self._sessions.find(session_id)
        if session is not None:
            session.tell(planning_bundle().text)
        return session is not None

    def include(self, plan_id: PlanId, globs: tuple[str, ...], choices: Choices | None = None) -> PlanVersion:
        """Take ignored files into a plan; what the person chose besides is saved first. Blocks: call it by `run`."""
        if choices is not None and not choices.is_empty:
            self._engine.proposals.save(choices)
        return self._sessions.include(plan_id, globs)

    def add_command(self, plan_id: PlanId, command: str, cwd: str, choices: Choices | None = None) -> PlanVersion:
        """Add a command to a plan; what the person chose besides is saved first. Blocks: call it by `run`."""
        if choices is not None and not choices.is_empty:
            self._engine.proposals.save(choices)
        return self._engine.proposals.add_command(plan_id, command, cwd)

    def stop(self, session_id: SessionId) -> "Future[None]":
        """Stop the running turn."""
        return self._thread.submit(self._sessions.slot(session_id).stop())

    def abandon(self, session_id: SessionId) -> "Future[None]":
        """Stop the running turn and discard the draft."""
        return self._thread.submit(self._sessions.slot(session_id).abandon())

    def answer(self, session_id: SessionId, request_id: RequestId, decision: Decision, words: str = "") -> bool:
        """Answer a permission request; False if it is no longer open."""
        session = self._sessions.find(session_id)
        return session is not None and session.interceptor.resolve(request_id, decision, words)

    def answer_question(
        self, session_id: SessionId, question_id: RequestId, action: QuestionAction, values: Mapping[str, AnswerValue]
    ) -> bool:
        """Answer a question of the agent; False if it is no longer open.

        Raises:
            BadInputError: the values are not what the agent asks for.
        """
        session = self._sessions.find(session_id)
        return session is not None and session.interceptor.questions.answer(question_id, action, values)

    def close(self) -> None:
        """Stop every agent and wait for it. The shadows are kept."""
        closing = self._thread.submit(self._sessions.close())
        if not closing.cancelled():
            closing.result()

    def _begin(self, session_id: SessionId, *, plan_mode: bool) -> None:
        """Reset the slot for a new message: an earlier stop does not apply to it."""
        slot = self._sessions.slot(session_id)
        slot.plan_mode, slot.is_stopped = plan_mode, False

    def _wants_perspectives(self, session_id: SessionId, text: str) -> bool:
        if not self._engine.settings.perspectives or text.lstrip().startswith("/"):
            return False
        return self._engine.plans.plan_of(session_id) is None and self._qualified(text).plan_required

    def _qualified(self, text: str) -> Qualification:
        workspace = self._engine.locations.workspace
        return qualify(text, lambda name: ".." not in name and len(name) < _LONGEST and (workspace / name).exists())

    async def _plan_with_perspectives(self, session_id: SessionId, task: str, profile: AgentProfile) -> Turn:
        advisors = Advisors(self._engine.settings.advisors, profile)
        slot = self._sessions.slot(session_id)
        slot.planning = planning = PerspectivePlanning(
            self._engine, self._sessions.advisor(advisors), advisors, slot.take
        )
        try:
            return await planning.run_plan_mode(session_id, task, self._qualified(task))
        finally:
            slot.planning = None

    async def _send(
        self, session_id: SessionId, text: str, profile: AgentProfile, origin: Origin, attachments: Attachments = ()
    ) -> Turn:
        slot = self._sessions.slot(session_id)
        session = await slot.take(Advisor(profile))
        if slot.is_stopped:
            slot.is_stopped = False
            session.stop_next_turn()
        return await session.plan(text, origin, attachments)

    async def _prepare(self, session_id: SessionId, profile: AgentProfile) -> None:
        slot = self._sessions.slot(session_id)
        session = await slot.take(Advisor(profile))
        try:
            await session.start()
        except BaseException:
            await slot.leave()
            raise

    async def _choose(self, session_id: SessionId, option: str, value: str) -> None:
        session = self._sessions.find(session_id)
        if session is not None:
            await session.choose(option, value)

    async def _rework(self, plan_id: PlanId, feedback: str, profile: AgentProfile) -> Turn:
        meta = await asyncio.to_thread(self._engine.decisions.reject, plan_id, feedback)
        if meta.status is PlanStatus.NEEDS_REVIEW:
            # Too many rejections: the feedback is stored with the plan, and no agent is started.
            return Turn(None, "", None)
        # The session's notices tell the agent about the rejection, so the message is empty.
        self._sessions.slot(meta.session_id).plan_mode = True
        return await self._send(meta.session_id, "", profile, Origin.REWORK)

    async def _carry_out(self, plan_id: PlanId, words: str, profile: AgentProfile) -> Turn:
        version = await asyncio.to_thread(self._engine.plans.revision, plan_id)
        slot = self._sessions.slot(version.session_id)
        slot.plan_mode = True
        session = await slot.take(Advisor(profile))
        session.tell(messages.carry_out(version.title, version.content))
        return await session.plan(words, Origin.AGENT, ())


async def _soon(work: Callable[[], None]) -> None:
    work()


MOST_FOLDERS = 2_000
"""The system limits watches per user, so no more folders than this are watched."""
_GATHER_MS = 200
_REST_MS = 1_000


class DiskWatch:
    """Watches one set of paths at a time on its own thread. Reports that something changed, not what."""

    def __init__(self, root: Path, changed: Callable[[], None]) -> None:
        self._root = root
        self._changed = changed
        self._paths: frozenset[str] = frozenset()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, paths: Iterable[str]) -> None:
        """Watch these paths, relative to the root, instead of the previous ones; an empty set ends the watch."""
        wanted = frozenset(paths)
        if wanted == self._paths:
            return
        self.close()
        self._paths = wanted
        if wanted:
            self._stop = threading.Event()
            self._thread = threading.Thread(target=self._run, args=(wanted, self._stop), name="disk-watch", daemon=True)
            self._thread.start()

    def close(self) -> None:
        """Stop watching; the thread ends by itself."""
        self._stop.set()
        self._paths = frozenset()

    def _run(self, paths: frozenset[str], stop: threading.Event) -> None:
        while not stop.is_set() and self._look(paths, stop):
            self._changed()

    def _look(self, paths: frozenset[str], stop: threading.Event) -> bool:
        """Wait for a change at one of the paths or above it; then the folders to watch must be found again."""
        from watchfiles import watch  # slow to import, and not needed without a plan

        near = paths | {above for path in paths for above in ancestors(path)}
        folders = self._folders(paths)
        is_first = True
        try:
            for batch in watch(
                *folders,
                watch_filter=lambda _, name: self._relative(name) in near,
                debounce=_GATHER_MS,
                rust_timeout=_REST_MS,
                yield_on_timeout=True,
                stop_event=stop,
                raise_interrupt=False,
                recursive=False,
                ignore_permission_denied=True,
            ):
                if stop.is_set():
                    return False
                if batch:
                    return True
                if is_first:
                    self._changed()  # changes from before the watch was in place
                is_first = False
        except (OSError, RuntimeError):
            stop.wait(_REST_MS / 1000)  # a folder was removed while the watch was set up
        return not stop.is_set()

    def _folders(self, paths: frozenset[str]) -> list[Path]:
        """The existing folders above each path, up to the root."""
        found: set[Path] = {self._root}
        for path in paths:
            found.update(folder for above in ancestors(path) if _is_plain_folder(folder := self._root / above))
            if len(found) >= MOST_FOLDERS:
                break
        return sorted(found)

    def _relative(self, name: str) -> str:
        return name.removeprefix(f"{self._root}/")


def _is_plain_folder(folder: Path) -> bool:
    return folder.is_dir() and not folder.is_symlink()


_EVERY_S = 6 * 3600.0
_PUT_AWAY_AT_ONCE = 100


async def run_maintenance(engine: Engine) -> None:
    """Expire stale plans and archive old ones, every six hours until cancelled."""
    while True:
        with contextlib.suppress(TandemError, OSError):  # tried again in the next round
            await asyncio.to_thread(engine.expiry.expire)
            await asyncio.to_thread(engine.retention.put_away, _PUT_AWAY_AT_ONCE)
        await asyncio.sleep(_EVERY_S)


_Answer = TypeVar("_Answer")
_Arguments = ParamSpec("_Arguments")


class Background:
    """Runs the engine's functions on its own thread and returns futures. Call it from any thread."""

    def __init__(self, engine: Engine, sessions: AgentSessions, thread: EngineThread) -> None:
        self.engine = engine
        self.events: EventStream = engine.events
        self._thread = thread
        engine.calls.attach(AgentCalls(engine, sessions, thread).make)
        self._sessions = sessions
        self.orchestrations = OrchestrationService(engine)
        self._orchestrating: Future[Orchestration] | None = None
        self.conversations = Conversations(engine, sessions, thread)
        self.reflections = ReflectionService(engine, sessions, thread, self.orchestrations.is_about)
        self._control: RunControl | None = None
        self.pages = PlanPages(engine)
        self._rehearsing: RunControl | None = None
        self._checking: RunControl | None = None
        self._watched: PlanId | None = None
        self._watch = DiskWatch(engine.locations.workspace, self._disk_touched)
        self.chat = ChatLog(engine.locations.sessions, engine.events, engine.clock, self._session_of)
        self.points = RestorePoints(engine.runs, self.chat)
        self.stored = StoredConversations(engine.locations.sessions, engine.locations.workspace)

    def run_maintenance(self) -> None:
        self._thread.submit(run_maintenance(self.engine))

    def run(
        self, work: Callable[_Arguments, _Answer], *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> "Future[_Answer]":
        """Call a blocking function of the engine on a worker thread."""
        return self._thread.submit(asyncio.to_thread(work, *args, **kwargs))

    def watch(self, plan_id: PlanId | None, paths: Sequence[str] = ()) -> None:
        """Publish `DiskTouched` when one of these paths changes; None as the plan ends the watch."""
        self._watched = plan_id
        self._watch.watch(paths if plan_id is not None else ())

    def delete_conversation(self, session_id: SessionId) -> "Future[None]":
        """Delete a conversation that led to no plan, with its shadow; its agent is ended first."""
        return self._thread.submit(self._delete_conversation(session_id))

    def cancel(self, plan_id: PlanId) -> "Future[PlanMeta]":
        return self.run(self._cancel, plan_id)

    def apply(self, plan_id: PlanId, policy: FailurePolicy = FailurePolicy.ROLLBACK) -> "Future[RunResult]":
        """Run an approved plan; `stop_run`, `pause_run` and `resume_run` act between its operations."""
        control = self._control = RunControl()
        return self.run(self.engine.runs.apply, plan_id, policy, control)

    def rehearse(self, plan_id: PlanId, revision: int | None = None, *, network: bool = False) -> "Future[Rehearsal]":
        """Run a plan in a temporary shadow; output of its commands is published on `events`."""
        control = self._rehearsing = RunControl()
        return self.run(self.engine.rehearsals.rehearse, plan_id, revision, network=network, control=control)

    def check(
        self, plan_id: PlanId, revision: int, *, accept: str = "", again: bool = False
    ) -> "Future[tuple[OfferedChecks, Evidence]]":
        """Run the checks of a plan, after accepting the list of this digest; `stop_checks` ends them."""
        control = self._checking = RunControl()

        def run() -> tuple[OfferedChecks, Evidence]:
            if accept:
                self.engine.checks.accept(accept)
            found = self.engine.checks.run(plan_id, revision, again=again, control=control)
            return self.engine.checks.offered(), found.evidence

        return self.run(run)

    def find_needed(self, plan_id: PlanId) -> "Future[NeededParts]":
        """Leave out each part of a plan in turn; `stop_checks` ends it."""
        control = self._checking = RunControl()
        return self.run(self.engine.needed.find, plan_id, control=control)

    def shrink(self, found: NeededParts) -> "Future[PlanVersion]":
        """Make a revision of what is needed; `stop_checks` ends the search."""
        control = self._checking = RunControl()
        return self.run(self.engine.needed.shrink, found, control=control)

    def stop_checks(self) -> None:
        if self._checking is not None:
            self._checking.abort()

    def orchestrate(self, session_id: SessionId, task: str, profile: AgentProfile) -> "Future[Orchestration]":
        """Take a task from a plan to its end; the plan and its adjustments are decided about as any others."""
        advisor = self._sessions.advisor(Advisors(self.engine.settings.advisors, profile))
        orchestrating = self._thread.submit(self.orchestrations.run(advisor, task, session_id=session_id))
        self._orchestrating = orchestrating
        return orchestrating

    def stop_rehearsal(self) -> None:
        if self._rehearsing is not None:
            self._rehearsing.abort()

    def stop_run(self) -> None:
        if self._control is not None:
            self._control.abort()

    def pause_run(self) -> None:
        if self._control is not None:
            self._control.pause()

    def resume_run(self) -> None:
        if self._control is not None:
            self._control.resume()

    def close(self) -> None:
        """Stop runs and agents and wait for them. The shadows are kept."""
        self.stop_run()
        self.stop_rehearsal()
        self.stop_checks()
        self._watch.close()
        self.orchestrations.stop()
        if self._orchestrating is not None and not self._orchestrating.cancelled():
            wait((self._orchestrating,))
        self.reflections.close()
        self.conversations.close()
        self._thread.close()
        self.chat.close()
        self.engine.close()

    def _disk_touched(self) -> None:
        if self._watched is not None:
            self.events.publish(DiskTouched(plan_id=self._watched))

    async def _delete_conversation(self, session_id: SessionId) -> None:
        await self._sessions.delete(session_id)
        self.chat.forget(session_id)

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
