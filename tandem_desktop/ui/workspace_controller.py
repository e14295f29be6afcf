"""Connects the window to one workspace."""

import contextlib
import logging
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from tandem_desktop.background import Background
from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.agent_protocol import (
    CommandsOffered,
    EntryKind,
    ModeChanged,
    OfferedCommand,
    OptionsOffered,
    UsageReported,
)
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.events import (
    AgentUpdated,
    ChatGrew,
    DiskTouched,
    OrchestrationMoved,
    PermissionAnswered,
    PermissionAsked,
    PlanExpired,
    QuestionAnswered,
    QuestionAsked,
    RunFinished,
    RunPaused,
    RunResumed,
    RunStarted,
    RunUndone,
    TandemEvent,
    TurnEnded,
    TurnStarted,
)
from tandem_desktop.domain.ids import SESSION_ID, PlanId, SessionId, new_session_id
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan_states import RUNNING, EventKind, PlanState, PlanStatus
from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.plans.index import PlanListing
from tandem_desktop.review.drift import Drifted
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.review.viewed import Looked
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.services.runs import ListedRun
from tandem_desktop.ui import plan_text
from tandem_desktop.ui.chat.completion import FileIndex
from tandem_desktop.ui.chat.pane import ChatPane
from tandem_desktop.ui.conversations import ConversationFollower
from tandem_desktop.ui.diff.options import DiffOptions, DiffPreferences
from tandem_desktop.ui.i18n import text_form, tr, tr_n, tr_table
from tandem_desktop.ui.models.plans import PlansModel
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.operations_tab import Emptiness
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan.row_diff import DiffSource
from tandem_desktop.ui.plan_controller import MergeController, OrderController, PlanController, RestoreController
from tandem_desktop.ui.plan_text import run_facts
from tandem_desktop.ui.reflection_controller import ReflectionController
from tandem_desktop.ui.slash_commands import WindowCommands
from tandem_desktop.ui.state import FolderWatch, ScreenMemory, StoreWatch, WindowState
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands, DaemonPool, EventBridge
from tandem_desktop.ui.turn_controller import AgentChoice, PlanModePrompt, TurnController


class DriftFollower(QObject):
    """Watches the paths of the shown plan and checks for drift when they change."""

    found = Signal(str)
    """The number of drifted files as text; empty if none."""

    def __init__(self, background: Background, commands: Commands, panel: ExecutionPlanPanel, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._panel = panel

    def follow_panel(self) -> None:
        """Watch the paths of the page now shown."""
        page = self._panel.page
        if page is None or not self._panel.is_waiting:
            self._background.watch(None)
            self.found.emit("")
            return
        self._background.watch(page.version.plan_id, page.paths)
        count = len(page.drifted)
        drifted = tr_n("{n} file drifted since staging", "{n} files drifted since staging", count)
        self.found.emit(drifted if count else "")

    def follow_event(self, event: TandemEvent) -> None:
        if isinstance(event, DiskTouched) and self._is_shown(event):
            found = self._background.run(self._background.pages.drifted, event.plan_id)
            shown = partial(self._show_drift, event)
            self._commands.latest("drift", found, shown, lambda error: None)  # the folder is gone, which is said

    def _show_drift(self, event: DiskTouched, drifted: tuple[Drifted, ...]) -> None:
        if self._is_shown(event):
            self._panel.show_drift(drifted)

    def _is_shown(self, event: DiskTouched) -> bool:
        page = self._panel.page
        return page is not None and page.version.plan_id == event.plan_id and self._panel.is_waiting


class EncodingFollower(QObject):
    """Reports the encoding of the selected operation's file."""

    found = Signal(str)

    def __init__(self, background: Background, commands: Commands, operations: OperationList, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._operations = operations
        operations.selectionModel().currentChanged.connect(lambda now, before: self._look())
        operations.operations().modelReset.connect(self._look)

    def _look(self) -> None:
        row = self._operations.current_row()
        if row is None:
            self.found.emit("")
            return
        # Counted in the background: line endings of a large file take long.
        form = self._background.run(self._form, row.view.operation)
        self._commands.latest("encoding", form, self.found.emit)

    def _form(self, operation: StagedOperation) -> str:
        before, after = self._background.engine.contents(operation)
        return text_form(after or before)


class Interruptions(QObject):
    """Finds interrupted runs; the panel's sheet asks how to settle one."""

    noted = Signal()

    def __init__(
        self, background: Background, commands: Commands, plans: PlansModel, panel: ExecutionPlanPanel, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._background, self._commands, self._plans, self._panel = background, commands, plans, panel
        self.found: dict[str, tuple[int, int]] = {}
        """Plans whose run was cut off, with the operations that are done and all of them."""
        panel.settle_requested.connect(self.greet)

    def greet(self) -> None:
        """Look for interrupted runs and ask about the first one."""
        self._commands.run(self._background.run(self._background.engine.runs.interrupted), self._greet)

    def look(self) -> None:
        """Mark interrupted runs in the plan list without asking."""
        self._commands.run(self._background.run(self._background.engine.runs.interrupted), self._note)

    def _greet(self, waiting: tuple[InterruptedRun, ...]) -> None:
        self._note(waiting)
        for run in waiting[:1]:
            self._panel.show_interrupted(run, self._title(run.plan_id))

    def _note(self, waiting: tuple[InterruptedRun, ...]) -> None:
        self.found = {run.plan_id: (run.done, run.total) for run in waiting}
        self._plans.set_interrupted(self.found)
        self.noted.emit()

    def _title(self, plan_id: PlanId) -> str:
        """Read from disk, as the plan list may not be loaded yet."""
        with contextlib.suppress(TandemError):
            return self._background.engine.plans.meta(plan_id).title
        return ""


_log = logging.getLogger(__name__)
_SLOW_MS = 150
"""A plan that takes longer to load is said to be loading; until then the one before stays."""
_MODE_WORDS = tr_table(
    {
        True: "Plan mode is on: what the agent does waits for your approval.",
        False: "Plan mode is off: the agent asks before each change.",
    }
)


class WorkspaceController(QObject):
    """Connects the panes of a window with one `Background`."""

    status_changed = Signal(str, str)
    """The agent's state (waiting, running, done, failed) and its text."""
    disk_changed = Signal(str)
    drift_found = Signal(str)
    agents_found = Signal(object)
    plan_shown = Signal(object, str)
    """The shown plan, or None, and the conversation."""
    mode_changed = Signal(bool)
    failed = Signal(object)
    """A `TandemError` to show."""
    said = Signal(str, str)
    """A message and its tone."""
    attention_wanted = Signal(str, str, str)
    """A decision is needed: title, text, and the id of the plan or of the conversation."""

    def __init__(self, theme: Theme, background: Background, parent: QObject | None = None) -> None:
        for _ in self._make(theme, background, parent):
            pass

    @classmethod
    def in_steps(
        cls, theme: Theme, background: Background, parent: QObject | None = None
    ) -> "Generator[None, None, WorkspaceController]":
        """Make it in steps, between which the window that opens can handle its input."""
        made = cls.__new__(cls)
        yield from made._make(theme, background, parent)
        return made

    def _make(self, theme: Theme, background: Background, parent: QObject | None) -> Iterator[None]:
        super().__init__(parent)
        self.background = background
        engine = background.engine
        self.state = WindowState(engine.locations.state / "windows", engine.workspace.identity)
        self.commands = Commands(self)
        self.plans = PlansModel(engine.clock)
        self._executor = DaemonPool(2, thread_name_prefix="diff")
        self.files = FileIndex(engine.locations.workspace)
        options = DiffOptions.remembered(self.state.get("reading"))
        self._diff_preferences = DiffPreferences(options, lambda kept: self.state.put(reading=kept))
        self.chat = ChatPane(theme)
        yield
        self.panel = yield from ExecutionPlanPanel.in_steps(
            theme,
            DiffSource(self._load_contents, self.commands, self._executor, self._diff_preferences),
            workspace=str(engine.locations.workspace),
            now=engine.clock,
        )
        yield
        self.chat.set_files(engine.locations.workspace, self.files.find)
        self.bridge = EventBridge(background.events, self)
        self.session_id: SessionId = SessionId(self.state.get("session") or new_session_id())
        self.plan_mode: bool = bool(self.state.get("plan_mode", engine.settings.mode == "plan"))
        self.agents = AgentChoice(background, self.commands, self.state, self)
        self._model = ""
        """The model of the built-in agent."""
        self.encoding = EncodingFollower(background, self.commands, self.panel.operations.list, self)
        self._memory = ScreenMemory(self.state, self.chat, self.panel, self)
        self._plan_id: PlanId | None = None
        self._has_listed = False
        self._slow = QTimer(self, interval=_SLOW_MS, singleShot=True)
        self._slow.timeout.connect(self._say_loading)
        self.turns = TurnController(
            background.conversations,
            self.commands,
            self.chat,
            self.agents,
            session=lambda: self.session_id,
            plan_mode=lambda: self.plan_mode,
            parent=self,
        )
        self.conversations = ConversationFollower(background, self.commands, self.plans, self)
        self._watch = StoreWatch((engine.locations.plans, engine.locations.runs, engine.locations.sessions), self)
        self._watch.changed.connect(self._store_changed)
        self._folder = FolderWatch(engine.locations.workspace, self)
        self._folder.changed.connect(self._store_changed)
        self.plan_controller = PlanController(background, self.commands, self.panel, self)
        self._merging = MergeController(background, self.commands, self.panel, self)
        self._interruptions = Interruptions(background, self.commands, self.plans, self.panel, self)
        self._order = OrderController(background, self.commands, self.panel, self.agents, self)
        self._back = RestoreController(background, self.commands, self.chat, self.panel, lambda: self.session_id)
        self._reflecting = ReflectionController(background, self.commands, self.chat, self.agents, self)
        self._drift = DriftFollower(background, self.commands, self.panel, self)
        self._plan_mode_prompt = PlanModePrompt(theme, self.chat, engine.locations.workspace, lambda: self.plan_mode)
        self.own = WindowCommands(background, self.commands, self.plans, lambda: (self.session_id, self._plan_id), self)
        self._connect()

    def start(self) -> None:
        """Restore the last screen and load plans, runs and agents."""
        self.mode_changed.emit(self.plan_mode)
        self._show_session(self.session_id)
        self._show_loading("")
        self.refresh_plans()
        self.agents.look()
        self.refresh_runs()
        self._interruptions.greet()
        self.background.run_maintenance()  # after the signals are connected, so that expiries are shown
        self.conversations.refresh()
        last = self.state.get("plan")
        if last:
            self.open_plan(PlanId(last))
        self.chat.focus_composer()

    # Requests

    def open_plan(self, plan_id: PlanId, revision: int | None = None) -> None:
        """Show a plan and its conversation."""
        self._plan_id = plan_id
        self.state.put(plan=plan_id)
        self._tell_shown()
        page = self.panel.page
        if page is None:
            if not self._is_draft_of(plan_id):
                self._say_loading()
        elif page.version.plan_id != plan_id:
            self._slow.start()
        future = self.background.run(self.background.pages.page, plan_id, revision)
        self.commands.latest("page", future, self._show_page, self._page_failed)

    def open_conversation(self, session_id: SessionId) -> None:
        """Show a conversation with its plan, or without one, as far as it is."""
        plan_id = self.background.engine.plans.plan_of(session_id)
        if plan_id is not None:
            self.open_plan(plan_id)
            return
        self._leave_plan()
        self._show_session(session_id)
        self._show_draft()
        for event in self.conversations.draft_of(session_id):
            self.panel.show_progress(event)
        self._tell_shown()

    def open_entry(self, key: str) -> None:
        """Show a plan or a conversation by its id."""
        if SESSION_ID.fullmatch(key):
            self.open_conversation(SessionId(key))
        else:
            self.open_plan(PlanId(key))

    def delete_conversation(self, session_id: SessionId) -> None:
        """Delete a conversation without a plan; if it is on screen, a new one begins."""

        def deleted(_: None) -> None:
            if session_id == self.session_id:
                self.new_plan()
            self.conversations.refresh()

        self.commands.run(self.background.delete_conversation(session_id), deleted)

    def new_plan(self) -> None:
        """Start a new conversation without a plan."""
        self._leave_plan()
        self._show_session(new_session_id())
        self._show_nothing()
        self._tell_shown()
        self.chat.focus_composer()

    def _leave_plan(self) -> None:
        self._plan_id = None
        self._memory.leave_plan()
        self.state.put(plan=None)

    def _tell_shown(self) -> None:
        self.plan_shown.emit(self._plan_id, self.session_id)

    def send_when_ready(self, text: str) -> None:
        """Send a first message as soon as the search for agents has ended."""
        if self.agents.profile is not None:
            self.turns.send(text)
        else:
            once = Qt.ConnectionType.SingleShotConnection
            self.agents.found.connect(lambda found: self.turns.send(text), once)

    def set_plan_mode(self, plan_mode: bool) -> None:
        """Takes effect at once, also for a running turn."""
        if plan_mode != self.plan_mode:
            tail = tr("This holds for the turn under way, too.") if self.turns.is_working(self.session_id) else ""
            self.said.emit(f"{_MODE_WORDS[plan_mode]} {tail}".rstrip(), "info")
        self.plan_mode = plan_mode
        self.state.put(plan_mode=plan_mode)
        self.background.conversations.set_plan_mode(self.session_id, plan_mode)
        self.mode_changed.emit(plan_mode)
        self._tell_beginning()

    def _need_plan_mode(self) -> None:
        if not self.plan_mode:
            self.set_plan_mode(True)

    def _plan_with_perspectives(self, task: str) -> None:
        self._need_plan_mode()
        self.turns.plan_with_perspectives(task)

    def _orchestrate(self, task: str) -> None:
        """A task of its own conversation: a session has one plan at a time."""
        profile = self.agents.profile
        if profile is None or self.background.orchestrations.is_under_way:
            self.chat.composer.set_text(f"/orchestrate {task}")
            self.said.emit(tr("A task is under way, or an agent is looked for; try again in a moment."), "info")
            return
        if self._plan_id is not None:
            self.new_plan()
        orchestrating = self.background.orchestrate(self.session_id, task, profile)
        self.commands.run(orchestrating, lambda ended: None, self.failed.emit)

    @property
    def has_interrupted(self) -> bool:
        """Whether a run was cut off and waits for a decision."""
        return bool(self._interruptions.found)

    def refresh_plans(self) -> None:
        self.commands.latest("plans", self.background.run(self.background.engine.listing), self._plans_listed)

    def refresh_runs(self) -> None:
        self.commands.latest("runs", self.background.run(self.background.engine.runs.runs), self._runs_listed)

    def close(self) -> None:
        self._memory.flush()
        self.state.close()
        self.commands.close()
        self.bridge.close()
        self.files.close()
        self.panel.forget_contents()
        self._executor.shutdown(wait=False, cancel_futures=True)
        self.background.close()

    def _connect(self) -> None:
        chat, panel = self.chat, self.panel
        self.commands.failed.connect(self.failed)
        self.agents.found.connect(self.agents_found)
        self.agents.found.connect(lambda found: self._offer_commands())
        self.agents.found.connect(lambda found: self._show_examples())
        self.bridge.event_received.connect(self._on_event)
        self._interruptions.noted.connect(self._tell_disk)
        self._interruptions.noted.connect(self.refresh_runs)
        panel.graph.failed.connect(lambda words: self.said.emit(words, "risk"))
        panel.checks.failing_changed.connect(self._rank_again)
        panel.followed.connect(self._drift.follow_panel)
        self.bridge.event_received.connect(self._drift.follow_event)
        self.bridge.event_received.connect(self.conversations.follow_event)
        self._drift.found.connect(self.drift_found)
        self.bridge.event_received.connect(self._reflecting.follow_event)
        self.own.reflection_wanted.connect(lambda: self._reflecting.ask(self._plan_id))
        chat.sent.connect(self._send)
        self._plan_mode_prompt.plan_wanted.connect(lambda: self.set_plan_mode(True))
        self._plan_mode_prompt.cleared.connect(self.turns.send)
        chat.stop_requested.connect(self.turns.stop)
        chat.command.connect(self.own.carry_out)
        self.own.mode_wanted.connect(lambda: self.set_plan_mode(not self.plan_mode))
        self.own.perspectives_wanted.connect(self._plan_with_perspectives)
        self.own.orchestration_wanted.connect(self._orchestrate)
        self.own.failed.connect(self.failed)
        self.own.plan_made.connect(lambda plan: self.open_plan(PlanId(plan)))
        chat.composer.option_chosen.connect(self._choose_option)
        chat.composer.implement_requested.connect(lambda: panel.request(EventKind.APPROVE))
        give_back = panel.sheets.rework.give_back
        chat.view_requested.connect(self._view)
        chat.undo_requested.connect(self.plan_controller.take_back)
        self.plan_controller.text_approved.connect(self.turns.carry_out)
        self.turns.plan_mode_needed.connect(self._need_plan_mode)
        self.turns.status_changed.connect(self.status_changed)
        self.turns.plan_made.connect(lambda plan: self.open_plan(PlanId(plan)))
        self.turns.rested.connect(self._show_draft)
        self.turns.rested_elsewhere.connect(self._send_next)
        self.turns.not_sent.connect(self._give_back)
        self.turns.said.connect(self.said)
        self.turns.failed.connect(self.failed)
        for each in (self.plan_controller, self._merging, self._back, self._order, self._reflecting):
            each.changed.connect(self._look_again)
            each.said.connect(self.said)
            each.failed.connect(self.failed)
        chat.permission_answered.connect(self.turns.answer)
        chat.question_answered.connect(self.turns.answer_question)
        chat.restart_requested.connect(chat.send_again)
        chat.login_requested.connect(self.turns.offer_logins)
        panel.sheets.rework.confirmed.connect(lambda plan, words: self.turns.rework(plan, words, give_back))
        panel.revision_requested.connect(lambda plan, revision: self.open_plan(PlanId(plan), revision))
        self._memory.looked_before.connect(self._look_since)
        panel.plan_requested.connect(lambda plan: self.open_plan(PlanId(plan)))
        panel.perspectives.ask_requested.connect(lambda: chat.begin_command("perspectives"))
        panel.abandon_requested.connect(lambda: self.plan_controller.abandon(self.session_id))

    # Events and results

    def _on_event(self, event: TandemEvent) -> None:
        if getattr(event, "session_id", self.session_id) == self.session_id:
            self.panel.show_progress(event)
        match event:
            case ChatGrew(session_id=session_id) if session_id == self.session_id:
                self.chat.put_entry(event.entry)
            case AgentUpdated(session_id=session_id):
                self.turns.mark_started(session_id)
                self._heard(session_id, event)
            case (
                PermissionAsked(session_id=session_id, request=asked)
                | QuestionAsked(session_id=session_id, question=asked)
            ):
                self.turns.mark_started(session_id)
                self.turns.note_question(session_id, asked.id, waits=True)
            case PermissionAnswered(request_id=answered) | QuestionAnswered(question_id=answered):
                self.turns.note_question(event.session_id, answered, waits=False)
            case TurnStarted():
                self.turns.set_working(event.session_id, True)
            case TurnEnded():
                self.turns.set_working(event.session_id, False)
        if isinstance(event, plan_text.CHANGES_PLANS):
            _log.info("%s", plan_text.log_words(event))
            self.refresh_plans()
        plan_id, plan_of = plan_text.page_to_read(event), self.background.engine.plans.plan_of
        if plan_id is not None and (plan_id == self._plan_id or plan_id == plan_of(self.session_id)):
            self.open_plan(plan_id)
        if isinstance(event, OrchestrationMoved) and event.session_id == self.session_id:
            self._show_orchestrated(event.plan_id)
        if isinstance(event, PlanExpired):
            self.said.emit(plan_text.expired_words(self._titles().get(event.plan_id, event.plan_id)), "risk")
        if isinstance(event, RunFinished | RunUndone):
            self.refresh_runs()
            self.files.forget()
            self._interruptions.look()
        if isinstance(event, RunStarted | RunPaused | RunResumed):
            self._tell_run()
        if isinstance(event, TurnEnded) and event.session_id == self.session_id and plan_text.turn_words(event):
            self.disk_changed.emit(plan_text.turn_words(event))
        if wanted := plan_text.wants_attention(event, self._titles()):
            self.attention_wanted.emit(*wanted)

    def _tell_run(self) -> None:
        """A run is told from its events: the page is read again when it has ended."""
        page = self._live_page()
        if page is not None and page.meta.status in (PlanStatus.EXECUTING, PlanStatus.PAUSED):
            self.chat.set_plan(plan_text.card_facts(page))
            self._tell_disk()

    def _live_page(self) -> PlanPage | None:
        """The page on screen, with the status of a run that was followed since it was read."""
        page = self.panel.page if self._plan_id is not None else None
        if page is None or self.panel.machine.state not in RUNNING:
            return page
        return replace(page, meta=page.meta.model_copy(update={"status": self.panel.machine.status}))

    def _send(self, text: str) -> None:
        """Send a message, unless there is no folder to work in: then it stays in the field."""
        folder = self.background.engine.locations.workspace
        if folder.is_dir():
            self._plan_mode_prompt.consider(text)
            return
        self.chat.composer.set_text(text)
        self._tell_disk()
        words = tr("The folder {folder} is gone, so nothing was sent.", folder=visible_line(str(folder)))
        self.said.emit(f"{words} {tr('Put it back, then send again; or open another folder.')}", "risk")

    def _send_next(self, session_id: str) -> None:
        """Send the next queued message of a conversation that is not on screen."""
        queue = list(self.state.of("queues", session_id, ()))
        if queue:
            self.state.put_of("queues", session_id, queue[1:])
            self.turns.send_queued(SessionId(session_id), queue[0])

    def _give_back(self, session_id: str, text: str) -> None:
        """Put a message that reached nobody back into the field; one that is in the conversation stays there."""
        entries = self.background.chat.entries(SessionId(session_id))
        if any(entry.kind is EntryKind.PERSON and entry.text == text for entry in entries[-3:]):
            return
        if session_id != self.session_id:
            self.state.put_of("drafts", session_id, text)
            return
        composer = self.chat.composer
        composer.set_draft("\n".join(filter(None, (text, composer.text))))

    def _show_orchestrated(self, plan_id: PlanId | None) -> None:
        if plan_id is not None and plan_id != self._plan_id:
            self.open_plan(plan_id)

    def _heard(self, session_id: SessionId, event: AgentUpdated) -> None:
        update = event.update
        if isinstance(update, CommandsOffered):
            self.agents.set_offered(session_id, update.commands)
            self._offer_commands()
        elif isinstance(update, OptionsOffered):
            self.agents.set_options(session_id, update.options)
            self._offer_commands()
        elif isinstance(update, UsageReported) and session_id == self.session_id:
            self.chat.set_usage(update)
        elif isinstance(update, ModeChanged):
            self.said.emit(tr("The agent changed its mode to {mode}.", mode=update.mode), "info")

    def _is_draft_of(self, plan_id: PlanId) -> bool:
        """Whether the draft on screen is what became this plan: it stays until the plan takes its place."""
        is_drafting = self.panel.machine.state is PlanState.DRAFTING
        return is_drafting and self.background.engine.plans.plan_of(self.session_id) == plan_id

    def _say_loading(self) -> None:
        """The plan that was opened is not there yet: say so, in place of the one before."""
        page, plan_id = self.panel.page, self._plan_id
        if plan_id is not None and (page is None or page.version.plan_id != plan_id):
            self._show_loading(self._titles().get(plan_id, plan_id))

    def _show_loading(self, about: str) -> None:
        self.panel.show_nothing(Emptiness.LOADING, about)
        self._show_examples()
        self._tell_disk()

    def _page_failed(self, error: TandemError) -> None:
        self._slow.stop()
        self.failed.emit(error)
        if self.panel.page is None:
            self._leave_plan()
            self._show_nothing()

    def _show_page(self, page: PlanPage) -> None:
        if page.version.plan_id != self._plan_id:
            return  # another plan was opened since
        self._slow.stop()
        self._watch.follow(self.background.engine.locations.plans / page.version.plan_id)
        self._show_session(page.version.session_id)
        self.panel.show_page(page)
        self._tell_disk()
        self._find_focus(page)
        self._tell_shown()
        self.panel.show_alternatives(self.plans.alternatives(page.version.plan_id))
        self._memory.show_plan(page.version.plan_id)
        self.plan_controller.show_comments(page.version.plan_id)
        self.chat.set_plan(plan_text.card_facts(page))

    def _find_focus(self, page: PlanPage) -> None:
        """What is mechanical and what matters is worked out apart; until then nothing is marked."""
        entries = self.background.chat.entries(page.version.session_id)
        said = tuple(entry.text for entry in entries if entry.kind is EntryKind.PERSON)
        failing = self.panel.checks.failing_paths
        future = self.background.run(self.background.pages.focus, page, said, failing)
        self.commands.latest("focus", future, lambda focus: self.panel.show_focus(page, focus), lambda error: None)

    def _rank_again(self) -> None:
        """The checks have said which files to read first."""
        if self.panel.page is not None:
            self._find_focus(self.panel.page)

    def _show_session(self, session_id: SessionId) -> None:
        if session_id != self.session_id or not self.chat.model.rowCount():
            self._memory.flush()
            self.session_id = session_id
            self.state.put(session=session_id)
            self.chat.set_entries(self.background.chat.entries(session_id))
            self._reflecting.show_cards()
            self._memory.show_session(session_id)
            self.agents.show_session(session_id)
            self.turns.show_session(session_id)
            self._offer_commands()

    def _plans_listed(self, listing: PlanListing) -> None:
        if not self.background.engine.locations.workspace.is_dir():
            return  # the plans are out of reach, not gone from the list
        self.plans.set_plans(listing.plans)
        self.panel.runs.model.set_titles(self._titles())
        if self._plan_id is not None:
            self.panel.show_alternatives(self.plans.alternatives(self._plan_id))
        self._tell_shown()
        if not self._has_listed:
            self._has_listed = True
            self._show_what_waits()
        for damaged in listing.damaged:
            self.said.emit(damaged.message, "risk")

    def _show_what_waits(self) -> None:
        """When the folder is opened: the plan that waits, unless something else is on screen or was begun."""
        if self._plan_id is not None:
            return
        waiting = self.plans.first_waiting
        if waiting is not None and not self.chat.model.rowCount() and not self.chat.composer.text:
            self.open_plan(waiting)
        else:
            self._show_draft()

    def _runs_listed(self, runs: tuple[ListedRun, ...]) -> None:
        facts = tuple(map(run_facts, runs))
        self.panel.show_runs(runs, self._titles())
        self.chat.set_runs(facts)
        self.plans.set_runs(facts)

    def _show_draft(self) -> None:
        """Show a draft in progress; clear one that led to no plan."""
        if self._plan_id is None and self.plan_mode and self.turns.is_working(self.session_id):
            self.panel.show_drafting(tr("New plan"))
        elif self._plan_id is None:
            self._show_nothing()

    def _show_nothing(self) -> None:
        self.panel.show_nothing(self._emptiness())
        self._show_examples()
        self._tell_disk()

    def _emptiness(self) -> Emptiness:
        return Emptiness.of(self.background.engine.locations, plan_mode=self.plan_mode)

    def _tell_beginning(self) -> None:
        """What is said before there is a plan depends on the mode."""
        if self._plan_id is None and not self.turns.is_working(self.session_id):
            self.panel.operations.say_why_empty(self._emptiness())
        self._show_examples()

    def _show_examples(self) -> None:
        has_files = Emptiness.of(self.background.engine.locations) is not Emptiness.NO_FILES
        has_recipes = self.agents.has_recipes
        self.chat.show_beginning(has_files=has_files, has_recipes=has_recipes, plan_mode=self.plan_mode)

    def _tell_disk(self) -> None:
        locations = self.background.engine.locations
        self.panel.set_obstacle(plan_text.obstacle(locations))
        self.disk_changed.emit(plan_text.disk_words(self._live_page(), self._interruptions.found, locations))

    def _view(self, plan_id: str, revision: int) -> None:
        """A card of the conversation leads to its plan, and takes the keyboard along."""
        self.open_plan(PlanId(plan_id), revision or None)
        self.panel.tabs.show_tab("operations")
        self.panel.operations.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _store_changed(self) -> None:
        """Plans or runs changed on disk: refresh the lists, and the page if another process changed its record."""
        self.refresh_plans()
        self.conversations.refresh()
        self.refresh_runs()
        self._tell_disk()
        page, plans = self.panel.page, self.background.engine.plans
        if page is not None and page.version.plan_id == self._plan_id and page.version.revision == page.meta.revision:
            with contextlib.suppress(TandemError):
                stored = plans.meta(page.version.plan_id)
                if stored.version != page.meta.version and not plans.has_written(stored):
                    self.open_plan(page.version.plan_id)

    def _look_again(self) -> None:
        self.refresh_plans()
        self._interruptions.look()
        self.refresh_runs()
        if self._plan_id is not None:
            self.open_plan(self._plan_id)

    def _load_contents(self, view: OperationView, arrived: Callable[[bytes, bytes], None]) -> None:
        self._run(self.background.run(self.background.engine.contents, view.operation), lambda sides: arrived(*sides))

    def _look_since(self, plan_id: str, looked: Looked) -> None:
        page = self.panel.page
        if page is not None:
            future = self.background.run(
                self.background.pages.since_looked, PlanId(plan_id), looked, page.version.revision
            )
            nothing = Looked(revision=page.version.revision)  # used if the earlier revision cannot be read
            resume = partial(self._memory.resume, plan_id)
            self.commands.latest("looked", future, resume, lambda error: resume(nothing))

    def _offer_commands(self) -> None:
        self.chat.set_commands(self.agents.commands_in(self.session_id))
        model = self._model if self.agents.has_recipes else None
        self.chat.composer.set_options(self.agents.options_in(self.session_id), model)

    def show_model(self, name: str) -> None:
        """The model of the built-in agent; empty for none."""
        self._model = self.turns.model = name
        self._offer_commands()

    def _choose_option(self, option: str, value: str) -> None:
        self._run(self.background.conversations.choose(self.session_id, option, value))

    def set_recipes(self, recipes: tuple[OfferedCommand, ...]) -> None:
        self.agents.set_recipes(recipes)
        self._offer_commands()

    def _titles(self) -> dict[str, str]:
        return {plan.plan_id: plan.title for plan in self.plans.plans}

    def _run(self, future, done=lambda answer: None, failed=None) -> None:  # type: ignore[no-untyped-def]  # as Commands.run
        self.commands.run(future, done, failed)
