"""Connects the window to one workspace."""

import contextlib
import logging
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Signal

from tandem_desktop.background import Background
from tandem_desktop.domain.agent_protocol import CommandsOffered, EntryKind, ModeChanged, OfferedCommand, UsageReported
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.events import (
    AgentUpdated,
    ChatGrew,
    DiskTouched,
    OrchestrationMoved,
    PermissionAsked,
    PlanExpired,
    QuestionAsked,
    RunFinished,
    RunUndone,
    TandemEvent,
    TurnEnded,
    TurnStarted,
)
from tandem_desktop.domain.ids import PlanId, SessionId, new_session_id
from tandem_desktop.domain.state_machine import EventKind
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
from tandem_desktop.ui.diff.options import DiffOptions, DiffPreferences
from tandem_desktop.ui.i18n import text_form, tr, tr_n, tr_table
from tandem_desktop.ui.models.plans import PlansModel
from tandem_desktop.ui.plan.footer import PlanActionButtons
from tandem_desktop.ui.plan.operation_content import DiffSource
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.operations_tab import Emptiness
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.plan_controller import MergeController, OrderController, PlanController, RestoreController
from tandem_desktop.ui.plan_text import run_facts
from tandem_desktop.ui.reflection_controller import ReflectionController
from tandem_desktop.ui.slash_commands import WindowCommands
from tandem_desktop.ui.state import ScreenMemory, StoreWatch, WindowState
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
            self._commands.latest("drift", found, lambda drifted: self._show_drift(event, drifted))

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

    def _look(self) -> None:
        row = self._operations.current_row()
        if row is None:
            self.found.emit("")
            return
        future = self._background.run(self._background.engine.contents, row.view.operation)
        self._commands.latest("encoding", future, lambda sides: self.found.emit(text_form(sides[1] or sides[0])))


class Interruptions(QObject):
    """Finds interrupted runs; the panel's sheet asks how to settle one."""

    disk_changed = Signal(str)

    def __init__(
        self, background: Background, commands: Commands, plans: PlansModel, panel: ExecutionPlanPanel, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._background, self._commands, self._plans, self._panel = background, commands, plans, panel
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
            words = tr("Interrupted: {done} of {total} operations are done", done=run.done, total=run.total)
            self.disk_changed.emit(words)
            self._panel.show_interrupted(run, self._title(run.plan_id))

    def _note(self, waiting: tuple[InterruptedRun, ...]) -> None:
        self._plans.set_interrupted({run.plan_id: (run.done, run.total) for run in waiting})

    def _title(self, plan_id: PlanId) -> str:
        """Read from disk, as the plan list may not be loaded yet."""
        with contextlib.suppress(TandemError):
            return self._background.engine.plans.meta(plan_id).title
        return ""


_log = logging.getLogger(__name__)
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
    plan_shown = Signal(object)
    """The shown plan, or None."""
    mode_changed = Signal(bool)
    failed = Signal(object)
    """A `TandemError` to show."""
    said = Signal(str, str)
    """A message and its tone."""
    attention_wanted = Signal(str, str, str)
    """A decision is needed: title, text, and the plan id or an empty string."""

    def __init__(self, theme: Theme, background: Background, parent: QObject | None = None) -> None:
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
        self.panel = ExecutionPlanPanel(
            theme,
            DiffSource(self._load_contents, self.commands, self._executor, self._diff_preferences),
            workspace=str(engine.locations.workspace),
            now=engine.clock,
        )
        self.actions = PlanActionButtons(theme)
        self.chat.set_actions(self.actions)
        self.chat.set_files(engine.locations.workspace, self.files.find)
        self.bridge = EventBridge(background.events, self)
        self.session_id: SessionId = SessionId(self.state.get("session") or new_session_id())
        self.plan_mode: bool = bool(self.state.get("plan_mode", engine.settings.mode == "plan"))
        self.agents = AgentChoice(background, self.commands, self.state, self)
        self.encoding = EncodingFollower(background, self.commands, self.panel.operations.list, self)
        self._memory = ScreenMemory(self.state, self.chat, self.panel, self)
        self._plan_id: PlanId | None = None
        self.turns = TurnController(
            background.conversations,
            self.commands,
            self.chat,
            self.agents,
            session=lambda: self.session_id,
            plan_mode=lambda: self.plan_mode,
            parent=self,
        )
        self._watch = StoreWatch((engine.locations.plans, engine.locations.runs), self)
        self._watch.changed.connect(self._store_changed)
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
        self._show_nothing()
        self.refresh_plans()
        self.agents.look()
        self.refresh_runs()
        if self.background.engine.locations.is_read_only:
            words = tr("This folder is read-only: ask and look, but no plan can be kept or applied here")
            self.disk_changed.emit(words)
        self._interruptions.greet()
        self.background.run_maintenance()  # after the signals are connected, so that expiries are shown
        last = self.state.get("plan")
        if last:
            self.open_plan(PlanId(last))
        self.chat.focus_composer()

    # Requests

    def open_plan(self, plan_id: PlanId, revision: int | None = None) -> None:
        """Show a plan and its conversation."""
        self._plan_id = plan_id
        self.state.put(plan=plan_id)
        self.plan_shown.emit(plan_id)
        self.commands.latest(
            "page", self.background.run(self.background.pages.page, plan_id, revision), self._show_page
        )

    def new_plan(self) -> None:
        """Start a new conversation without a plan."""
        self._plan_id = None
        self._memory.leave_plan()
        self.state.put(plan=None)
        self._show_session(new_session_id())
        self._show_nothing()
        self.plan_shown.emit(None)
        self.chat.focus_composer()

    def set_plan_mode(self, plan_mode: bool) -> None:
        """Takes effect at once, also for a running turn."""
        if plan_mode != self.plan_mode:
            tail = tr("This holds for the turn under way, too.") if self.turns.is_working(self.session_id) else ""
            self.said.emit(f"{_MODE_WORDS[plan_mode]} {tail}".rstrip(), "info")
        self.plan_mode = plan_mode
        self.state.put(plan_mode=plan_mode)
        self.background.conversations.set_plan_mode(self.session_id, plan_mode)
        self.mode_changed.emit(plan_mode)

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
        self.bridge.event_received.connect(self._on_event)
        self.actions.requested.connect(panel.request)
        self.actions.tasks_requested.connect(panel.show_tasks)
        self._interruptions.disk_changed.connect(self.disk_changed)
        panel.graph.failed.connect(lambda words: self.said.emit(words, "risk"))
        panel.followed.connect(self._follow)
        panel.followed.connect(self._drift.follow_panel)
        self.bridge.event_received.connect(self._drift.follow_event)
        self._drift.found.connect(self.drift_found)
        self.bridge.event_received.connect(self._reflecting.follow_event)
        self.own.reflection_wanted.connect(lambda: self._reflecting.ask(self._plan_id))
        chat.sent.connect(self._plan_mode_prompt.consider)
        self._plan_mode_prompt.plan_wanted.connect(lambda: self.set_plan_mode(True))
        self._plan_mode_prompt.cleared.connect(self.turns.send)
        chat.stop_requested.connect(self.turns.stop)
        chat.command.connect(self.own.carry_out)
        self.own.mode_wanted.connect(lambda: self.set_plan_mode(not self.plan_mode))
        self.own.perspectives_wanted.connect(self._plan_with_perspectives)
        self.own.orchestration_wanted.connect(self._orchestrate)
        self.own.failed.connect(self.failed)
        self.own.plan_made.connect(lambda plan: self.open_plan(PlanId(plan)))
        chat.approve_requested.connect(self._approve_from_card)
        give_back = panel.sheets.rework.give_back
        chat.deny_requested.connect(lambda plan, words: self.turns.rework(plan, words, give_back))
        chat.view_requested.connect(lambda plan, revision: self.open_plan(PlanId(plan), revision or None))
        chat.undo_requested.connect(self.plan_controller.take_back)
        self.plan_controller.text_approved.connect(self.turns.carry_out)
        self.turns.plan_mode_needed.connect(self._need_plan_mode)
        self.turns.status_changed.connect(self.status_changed)
        self.turns.plan_made.connect(lambda plan: self.open_plan(PlanId(plan)))
        self.turns.rested.connect(self._show_draft)
        self.turns.said.connect(self.said)
        self.turns.failed.connect(self.failed)
        for each in (self.plan_controller, self._merging, self._back, self._order, self._reflecting):
            each.changed.connect(self._look_again)
            each.said.connect(self.said)
            each.failed.connect(self.failed)
        chat.permission_answered.connect(self.turns.answer)
        chat.question_answered.connect(self.turns.answer_question)
        chat.restart_requested.connect(chat.bring_back)
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
            case PermissionAsked(session_id=session_id) | QuestionAsked(session_id=session_id):
                self.turns.mark_started(session_id)
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
        if words := plan_text.words_about_the_disk(event):
            self.disk_changed.emit(words)
        if wanted := plan_text.wants_attention(event, self._titles()):
            self.attention_wanted.emit(*wanted)

    def _show_orchestrated(self, plan_id: PlanId | None) -> None:
        if plan_id is not None and plan_id != self._plan_id:
            self.open_plan(plan_id)

    def _heard(self, session_id: SessionId, event: AgentUpdated) -> None:
        update = event.update
        if isinstance(update, CommandsOffered):
            self.agents.set_offered(session_id, update.commands)
            self._offer_commands()
        elif isinstance(update, UsageReported) and session_id == self.session_id:
            self.chat.set_usage(update)
        elif isinstance(update, ModeChanged):
            self.said.emit(tr("The agent changed its mode to {mode}.", mode=update.mode), "info")

    def _show_page(self, page: PlanPage) -> None:
        if page.version.plan_id != self._plan_id:
            return  # another plan was opened since
        self._watch.follow(self.background.engine.locations.plans / page.version.plan_id)
        self._show_session(page.version.session_id)
        self.panel.show_page(page)
        self._find_focus(page)
        self.panel.show_alternatives(self.plans.alternatives(page.version.plan_id))
        self._memory.show_plan(page.version.plan_id)
        self.plan_controller.show_comments(page.version.plan_id)
        self.chat.set_plan(plan_text.card_facts(page))

    def _find_focus(self, page: PlanPage) -> None:
        """What is mechanical and what matters is worked out apart; until then nothing is marked."""
        entries = self.background.chat.entries(page.version.session_id)
        said = tuple(entry.text for entry in entries if entry.kind is EntryKind.PERSON)
        future = self.background.run(self.background.pages.focus, page, said)
        self.commands.latest("focus", future, lambda focus: self.panel.show_focus(page, focus), lambda error: None)

    def _show_session(self, session_id: SessionId) -> None:
        if session_id != self.session_id or not self.chat.model.rowCount():
            self._memory.flush()
            self.session_id = session_id
            self.state.put(session=session_id)
            self.chat.set_entries(self.background.chat.entries(session_id))
            self._reflecting.show_cards()
            self._memory.show_session(session_id)
            self.chat.set_working(self.turns.is_working(session_id))
            self._offer_commands()

    def _plans_listed(self, listing: PlanListing) -> None:
        self.plans.set_plans(listing.plans)
        self.panel.runs.model.set_titles(self._titles())
        if self._plan_id is not None:
            self.panel.show_alternatives(self.plans.alternatives(self._plan_id))
        self.plan_shown.emit(self._plan_id)
        for damaged in listing.damaged:
            self.said.emit(damaged.message, "risk")

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
        why = Emptiness.of(self.background.engine.locations)
        self.panel.show_nothing(why)
        self.chat.show_beginning(has_files=why is not Emptiness.NO_FILES)

    def _follow(self, machine: object) -> None:
        panel = self.panel
        tasks = len(panel.page.tasks) if panel.page is not None else 0
        self.actions.follow(panel.machine, refusal=panel.refusal, comments=len(panel.comments), tasks=tasks)

    def _approve_from_card(self, plan_id: str) -> None:
        if plan_id == self._plan_id:
            self.panel.request(EventKind.APPROVE)
        else:
            self.open_plan(PlanId(plan_id))

    def _store_changed(self) -> None:
        """Plans or runs changed on disk: refresh the lists, and the page if another process changed its record."""
        self.refresh_plans()
        self.refresh_runs()
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

    def set_recipes(self, recipes: tuple[OfferedCommand, ...]) -> None:
        self.agents.set_recipes(recipes)
        self._offer_commands()

    def _titles(self) -> dict[str, str]:
        return {plan.plan_id: plan.title for plan in self.plans.plans}

    def _run(self, future, done=lambda answer: None, failed=None) -> None:  # type: ignore[no-untyped-def]  # as Commands.run
        self.commands.run(future, done, failed)
