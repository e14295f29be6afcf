"""Chooses the agent, sends it messages and handles its turns."""

import contextlib
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from pathlib import Path, PurePath

from PySide6.QtCore import QObject, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QMenu, QWidget

from tandem_desktop.acp_client.profiles import BUILT_IN
from tandem_desktop.background import Attachments, Background, Conversations
from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.agent_protocol import AgentOption, AgentProfile, OfferedCommand
from tandem_desktop.domain.errors import NoModelError, TandemError
from tandem_desktop.domain.ids import PlanId, RequestId, SessionId
from tandem_desktop.domain.questions import AnswerValue, QuestionAction, is_web_address
from tandem_desktop.policy.qualification import qualify
from tandem_desktop.sessions.interceptor import Decision
from tandem_desktop.sessions.launch import InstalledAgents, find_agents
from tandem_desktop.sessions.record import SessionRecord
from tandem_desktop.sessions.turn import Turn
from tandem_desktop.storage import atomic
from tandem_desktop.ui.chat.completion import ChatCommand, with_window_commands
from tandem_desktop.ui.chat.export import conversation_markdown
from tandem_desktop.ui.chat.pane import ChatPane
from tandem_desktop.ui.editor import open_in_editor
from tandem_desktop.ui.i18n import later, tr, tr_marked
from tandem_desktop.ui.plan.sheets import ConfirmSheet
from tandem_desktop.ui.state import WindowState
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands
from tandem_desktop.ui.widgets.banners import Banner


class AgentChoice(QObject):
    """The agent of the shown conversation: its own, or the one chosen last; the built-in one if it is not installed."""

    found = Signal(object)
    """`InstalledAgents` and the name of the one in use."""
    missed = Signal(str)
    """The title of an agent that was chosen and is not installed."""

    def __init__(self, background: Background, commands: Commands, state: WindowState, parent: QObject) -> None:
        super().__init__(parent)
        self._background = background
        self._commands = commands
        self._state = state
        self._setting = background.engine.settings.agent
        last = state.get("agent") if state.get("agent_setting", "") == self._setting else ""
        self._chosen: str = last or self._setting or BUILT_IN
        self._own = ""
        """The agent that was asked before in the shown conversation."""
        self._command = background.engine.settings.agent_command
        self._here: InstalledAgents | None = None
        self._recipes: tuple[OfferedCommand, ...] = ()
        self._offered: dict[SessionId, tuple[OfferedCommand, ...]] = {}
        self._options: dict[SessionId, tuple[AgentOption, ...]] = {}

    def look(self) -> None:
        engine = self._background.engine
        looking = self._background.run(find_agents, engine.locations.shadows, self._command)
        self._commands.run(looking, self._arrived)

    def use_command(self, command: str) -> None:
        """Offer a command of the person's own beside the agents that are known."""
        self._command = command
        self.look()

    def choose(self, name: str) -> None:
        self._chosen = self._own = name
        self._state.put(agent=name, agent_setting=self._setting)
        self.tell()

    def show_session(self, session_id: SessionId) -> None:
        """Go on with the agent of a conversation."""
        self._own = self._asked_in(session_id)
        self.tell()

    def tell(self) -> None:
        """Say again which agents there are and which is in use."""
        if self._here is not None:
            self.found.emit((self._here, self._name))

    @property
    def _name(self) -> str:
        if self._here is None:
            return self._own or self._chosen
        installed = {each.profile.name for each in self._here.agents if each.path is not None}
        return next((name for name in (self._own, self._chosen) if name in installed), BUILT_IN)

    @property
    def profile(self) -> AgentProfile | None:
        """None until the search for agents has ended."""
        if self._here is None:
            return None
        return next(each.profile for each in self._here.agents if each.profile.name == self._name)

    @property
    def title(self) -> str:
        profile = self.profile
        return profile.title if profile is not None else tr("The agent")

    @property
    def has_recipes(self) -> bool:
        """Whether the chosen agent knows the built-in recipes."""
        return self._name == BUILT_IN

    def profile_in(self, session_id: SessionId) -> AgentProfile | None:
        """The agent of a conversation that may not be on screen; None if it is not installed."""
        name = self._asked_in(session_id)
        agents = self._here.agents if self._here is not None else ()
        return next((each.profile for each in agents if each.profile.name == name and each.path is not None), None)

    def title_in(self, session_id: SessionId) -> str:
        profile = self.profile_in(session_id)
        return profile.title if profile is not None else self.title

    def _asked_in(self, session_id: SessionId) -> str:
        """The agent that was asked last in a conversation; empty if none was."""
        record = SessionRecord(self._background.engine.locations.sessions / session_id)
        with contextlib.suppress(TandemError):
            return record.load().agent if record.exists() else ""
        return ""

    def set_recipes(self, recipes: tuple[OfferedCommand, ...]) -> None:
        self._recipes = recipes

    def set_offered(self, session_id: SessionId, commands: tuple[OfferedCommand, ...]) -> None:
        self._offered[session_id] = commands

    def set_options(self, session_id: SessionId, options: tuple[AgentOption, ...]) -> None:
        self._options[session_id] = options

    def options_in(self, session_id: SessionId) -> tuple[AgentOption, ...]:
        """What can be chosen of the session's agent; the model of the built-in one has a page of its own."""
        return () if self.has_recipes else self._options.get(session_id, ())

    def commands_in(self, session_id: SessionId) -> tuple[ChatCommand, ...]:
        """The slash commands of a session; recipes only with the built-in agent."""
        recipes = self._recipes if self.has_recipes else ()
        return with_window_commands(recipes, self._offered.get(session_id, ()))

    def _arrived(self, here: InstalledAgents) -> None:
        self._here = here
        self.tell()
        wanted = self._own or self._chosen
        if self._name != wanted:
            self.missed.emit(next((each.profile.title for each in here.agents if each.profile.name == wanted), wanted))


_WORKING = later("{agent} is working…")
_ASKING = later("{agent} waits for your answer")
_STARTING = later("{agent} is starting; slow agents take 5 to 20 seconds")
_RESUMED = later("{agent} is resumed…")


class TurnController(QObject):
    """Sends messages and tracks which conversations are working."""

    model_needed = Signal(object)
    """The built-in agent has no model; what to do once it has one."""
    plan_mode_needed = Signal()
    """What the agent does next is planned, whatever the switch says."""
    status_changed = Signal(str, str)
    """The agent's state (waiting, running, done, failed) and its text."""
    plan_made = Signal(str)
    """Id of the plan that the shown conversation's turn revised."""
    rested = Signal()
    """The agent of the shown conversation started or ended a turn."""
    not_sent = Signal(str, str)
    """A conversation, and a message that could not be sent in it."""
    rested_elsewhere = Signal(str)
    """A turn ended by itself in a conversation that is not on screen."""
    said = Signal(str, str)
    """A message and its tone."""
    failed = Signal(object)
    """A `TandemError`."""

    def __init__(
        self,
        conversations: Conversations,
        commands: Commands,
        chat: ChatPane,
        agents: AgentChoice,
        session: Callable[[], SessionId],
        plan_mode: Callable[[], bool],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._conversations = conversations
        self._commands = commands
        self._chat = chat
        self._agents = agents
        self._session = session
        self._plan_mode = plan_mode
        self.model = ""
        """The model of the built-in agent; empty for none."""
        self._working: set[SessionId] = set()
        self._asked: Counter[SessionId] = Counter()
        """Number of turns per conversation that were requested here and have not ended."""
        self._told: set[SessionId] = set()
        """Conversations with a running turn according to events, which may arrive before or after the futures."""
        self._starting: dict[SessionId, str] = {}
        """What is said of agents that are starting and have not answered yet."""
        self._open: dict[SessionId, set[RequestId]] = {}
        """Questions of agents that wait for an answer."""
        self._status: dict[SessionId, tuple[str, str]] = {}
        self._stopped: set[SessionId] = set()
        """Conversations whose queue waits, because the person stopped the last turn."""

    @property
    def is_any(self) -> bool:
        """Whether any agent of this window is working."""
        return bool(self._working)

    def is_working(self, session_id: SessionId) -> bool:
        return session_id in self._working

    def send(self, text: str) -> None:
        """Send a message in the shown conversation."""
        profile = self._profile()
        if profile is None:
            self._chat.composer.set_text(text)
            return
        self._send(self._session(), text, profile, self._chat.composer.pictures.take())

    def send_queued(self, session_id: SessionId, text: str) -> None:
        """Send the next message of a conversation that is not on screen, to its own agent."""
        profile = self._agents.profile_in(session_id)
        if profile is not None:
            self._send(session_id, text, profile, ())

    def _send(self, session: SessionId, text: str, profile: AgentProfile, pictures: Attachments) -> None:
        self._stopped.discard(session)
        if not self._conversations.is_open(session):
            has_begun = self._conversations.has_begun(session)
            self._starting[session] = _RESUMED if has_begun else _STARTING
        plan_mode = self._plan_mode() if session == self._session() else self._conversations.is_planning(session)
        self._tell(session, "running", self._words(session))
        turn = self._conversations.send(session, text, profile, plan_mode=plan_mode, attachments=pictures)
        self._take(turn, lambda: self.not_sent.emit(session, text), session)

    def plan_with_perspectives(self, task: str) -> None:
        """Ask the advisors about the task before planning it."""
        profile, session = self._profile(), self._session()
        if profile is None or self.is_working(session):
            self._chat.composer.set_text(f"/perspectives {task}")
            if profile is not None:
                self.said.emit(tr("The agent is at work; stop it, or wait for the end of its turn."), "info")
            return
        self._tell(session, "running", tr("Getting second opinions: strategy, code, operations"))
        self._take(self._conversations.plan_with_perspectives(session, task, profile))

    def rework(self, plan_id: str, feedback: str, give_back: Callable[[str], None]) -> None:
        """Reject a plan with feedback; `give_back` gets the feedback if that fails, and "" once it is sent after all.

        An agent without a model could not answer: the plan stays as it is, and a model is asked for.
        """
        profile = self._profile()
        if profile is None:
            give_back(feedback)
            return
        if profile.name == BUILT_IN and not self.model and not feedback.startswith("/"):
            give_back(feedback)

            def send_after_all() -> None:
                give_back("")
                self.rework(plan_id, feedback, give_back)

            self.model_needed.emit(send_after_all)
            return
        self.plan_mode_needed.emit()
        turn = self._conversations.rework(PlanId(plan_id), feedback, profile)
        self._take(turn, lambda: give_back(feedback))

    def carry_out(self, plan_id: str) -> None:
        """Let the agent carry out an approved plan without operations."""
        profile = self._profile()
        if profile is not None:
            self.plan_mode_needed.emit()
            words = tr("Carry out the approved plan.")
            self._take(self._conversations.carry_out(PlanId(plan_id), words, profile))

    def stop(self, session_id: SessionId | None = None) -> None:
        """Stop the agent of a conversation, of the shown one by default."""
        session = session_id or self._session()
        if self.is_working(session):
            self._stopped.add(session)
            self._commands.run(self._conversations.stop(session))

    def show_session(self, session_id: SessionId) -> None:
        """Show what the agent of the conversation does that is on screen now."""
        works = self.is_working(session_id)
        self._chat.set_working(works, self._words(session_id) if works else "", go_on=False)
        if works:
            self.status_changed.emit("waiting" if self._open.get(session_id) else "running", self._words(session_id))
        elif session_id in self._status:
            self.status_changed.emit(*self._status[session_id])

    def offer_logins(self, button: QWidget) -> None:
        """List the ways to log in that the agent of the shown conversation offers."""
        ways = self._conversations.login_methods(self._session())
        if not ways:
            self.said.emit(tr("{agent} offers no login here; use its own command.", agent=self._agents.title), "info")
            return
        menu = QMenu(button)
        menu.setObjectName("login-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for method, title in ways:
            action = menu.addAction(visible_line(title or method).replace("&", "&&"))
            action.triggered.connect(lambda checked=False, chosen=method: self._log_in(chosen))
        menu.popup(button.mapToGlobal(button.rect().bottomLeft()))

    def _log_in(self, method: str) -> None:
        self.status_changed.emit("running", tr("{agent} logs in…", agent=self._agents.title))
        done = self._conversations.log_in(self._session(), method)
        self._commands.run(done, lambda _: self._chat.send_again(), self.failed.emit)

    def answer(self, request_id: str, decision: Decision, words: str) -> None:
        if not self._conversations.answer(self._session(), RequestId(request_id), decision, words):
            self.said.emit(tr("That question no longer waits for an answer."), "info")

    def answer_question(self, question_id: str, action: QuestionAction, values: Mapping[str, AnswerValue]) -> None:
        if not self._conversations.answer_question(self._session(), RequestId(question_id), action, values):
            self.said.emit(tr("That question no longer waits for an answer."), "info")

    def set_working(self, session_id: SessionId, works: bool) -> None:
        """Note a turn's start or end from an event. A late end does not end a turn requested since."""
        (self._told.add if works else self._told.discard)(session_id)
        self._follow(session_id)

    def note_question(self, session_id: SessionId, request_id: RequestId, *, waits: bool) -> None:
        """Say who is waited for: the agent, or the person."""
        waiting = self._open.setdefault(session_id, set())
        (waiting.add if waits else waiting.discard)(request_id)
        if self.is_working(session_id):
            self._tell(session_id, "waiting" if waiting else "running", self._words(session_id))
            if session_id == self._session():
                self._chat.set_working(True, self._words(session_id))

    def _follow(self, session_id: SessionId) -> None:
        works = session_id in self._told or self._asked[session_id] > 0
        if works == self.is_working(session_id):
            return
        (self._working.add if works else self._working.discard)(session_id)
        if not works:
            self._starting.pop(session_id, None)
            self._open.pop(session_id, None)
        if session_id == self._session():
            self._chat.set_working(works, self._words(session_id) if works else "")
            self.rested.emit()
        elif not works and session_id not in self._stopped:
            self.rested_elsewhere.emit(session_id)

    def mark_started(self, session_id: SessionId) -> None:
        """The agent sent something, so it has started."""
        if self._starting.pop(session_id, None) and session_id == self._session():
            self.status_changed.emit("running", self._words(session_id))
            self._chat.set_working(True, self._words(session_id))

    def _words(self, session_id: SessionId) -> str:
        usual = _ASKING if self._open.get(session_id) else _WORKING
        words = tr_marked(self._starting.get(session_id, usual))
        return words.format(agent=self._title(session_id))

    def _title(self, session_id: SessionId) -> str:
        return self._agents.title if session_id == self._session() else self._agents.title_in(session_id)

    def _tell(self, session_id: SessionId, state: str, words: str) -> None:
        self._status[session_id] = (state, words)
        if session_id == self._session():
            self.status_changed.emit(state, words)

    def _take(
        self, turn: "Future[Turn]", failed: Callable[[], None] = lambda: None, session_id: SessionId | None = None
    ) -> None:
        session = session_id or self._session()

        def not_taken(error: TandemError) -> None:
            failed()
            self._answered(session)
            self._tell(session, "failed", error.message)
            self.failed.emit(error)

        self._asked[session] += 1
        self._follow(session)
        self._commands.run(turn, lambda ended: self._ended(session, ended), not_taken)

    def _ended(self, session_id: SessionId, turn: Turn) -> None:
        self._answered(session_id)
        if isinstance(turn.failure, NoModelError):
            self._tell(session_id, "waiting", tr("{title} has no model yet", title=self._title(session_id)))
            return
        if turn.failure is not None:
            self._tell(session_id, "failed", turn.failure.message)
            return
        self._tell(session_id, "done", tr("{title} connected", title=self._title(session_id)))
        if turn.version is not None and session_id == self._session():
            self.plan_made.emit(turn.version.plan_id)

    def _answered(self, session_id: SessionId) -> None:
        self._asked[session_id] -= 1
        self._follow(session_id)

    def _profile(self) -> AgentProfile | None:
        profile = self._agents.profile
        if profile is None:
            self.said.emit(tr("Tandem is still looking for agents; try again in a moment."), "info")
        return profile


_LONGEST_NAME = 200
_WAYS = (("plan-first", later("Plan it first")), ("at-once", later("Do it at once")))


class PlanModePrompt(QObject):
    """With Plan mode off, asks before sending a message that should be planned. Slash commands pass."""

    cleared = Signal(str)
    """A message to send to the agent."""
    plan_wanted = Signal()

    def __init__(self, theme: Theme, chat: ChatPane, workspace: Path, plan_mode: Callable[[], bool]) -> None:
        super().__init__(chat)
        self._workspace = workspace
        self._plan_mode = plan_mode
        self._chat = chat
        self._held = ""
        self._banner = Banner(theme, parent=chat)
        self._banner.setObjectName("first-look")
        self._banner.requested.connect(self._decided)
        self._banner.hide()
        chat.place_above_composer(self._banner)
        chat.composer.edit.textChanged.connect(lambda: QTimer.singleShot(0, self, self._words_changed))
        chat.model.modelReset.connect(self._forget)

    def consider(self, text: str) -> None:
        """Pass a message on, or hold it and say why it should be planned first."""
        found = qualify(text, self._is_here)
        is_decided = bool(self._held)  # the message was sent again, or a button was clicked
        if is_decided or self._plan_mode() or text.lstrip().startswith("/") or not found.plan_required:
            self._held = ""
            self._banner.hide()
            self.cleared.emit(text)
            return
        self._held = text
        self._banner.set_message("info", found.summary, tuple((way, tr_marked(words)) for way, words in _WAYS))
        self._banner.show()
        self._chat.composer.set_text(text)

    def _decided(self, way: str) -> None:
        text = self._chat.composer.text or self._held
        self._banner.hide()
        self._chat.composer.set_text("")
        if way == "plan-first":
            self.plan_wanted.emit()
        self.consider(text)

    def _words_changed(self) -> None:
        if not self._chat.composer.text.strip() and not self._banner.isHidden():
            self._forget()

    def _forget(self) -> None:
        """The message was deleted, or another conversation is shown."""
        self._held = ""
        self._banner.hide()

    def _is_here(self, name: str) -> bool:
        if name.startswith(("/", "~")) or ".." in name or len(name) > _LONGEST_NAME:
            return False
        return (self._workspace / name).exists()


_OPENED = ("http", "https", "mailto")


class ChatActions(QObject):
    """Opens links, files and records of the chat. A link is shown first, and only web and mail are opened."""

    said = Signal(str, str)

    def __init__(
        self,
        theme: Theme,
        chat: ChatPane,
        background: Background,
        session: Callable[[], SessionId],
        open_address: Callable[[QUrl], object] = QDesktopServices.openUrl,
    ) -> None:
        super().__init__(chat)
        self._background = background
        self._session = session
        self._open_address = open_address
        self.sheet = ConfirmSheet(chat, theme)
        self.sheet.back.setText(tr("Stay here"))
        chat.link_activated.connect(self._ask_about)
        chat.address_opened.connect(self._open_page)
        chat.file_activated.connect(self._open_file)
        chat.record_requested.connect(self._open_record)
        chat.refused.connect(lambda words: self.said.emit(words, "risk"))

    def _ask_about(self, address: str) -> None:
        url = QUrl(address)
        if url.scheme().lower() not in _OPENED:
            words = tr("Only pages and mail are opened from a conversation, not {address}", address=address)
            self.said.emit(words, "risk")
            return
        shown = url.toDisplayString(QUrl.ComponentFormattingOption.FullyEncoded)

        def open_it() -> None:
            self._open_address(url)

        self.sheet.ask(tr("Open this address in your browser?"), shown, tr("Open"), open_it)

    def _open_page(self, address: str) -> None:
        """Open an address that was shown whole beside the button."""
        if is_web_address(address):
            self._open_address(QUrl(address))

    def _open_file(self, name: str) -> None:
        root = self._background.engine.locations.workspace
        path = PurePath(name)
        if path.is_absolute() or ".." in path.parts:
            self.said.emit(tr("{name} is not in this workspace.", name=name), "risk")
            return
        problem = open_in_editor(root / path, 1, self._background.engine.settings.editor)
        if problem:
            self.said.emit(problem, "info")

    def open_as_markdown(self) -> None:
        """Export the conversation beside its record and open it in the editor."""
        folder = self._background.engine.locations.sessions / self._session()
        file = folder / "conversation.md"
        text = conversation_markdown(self._background.chat.entries(self._session()))
        try:
            atomic.make_directory(folder, mode=0o700)
            atomic.replace(file, text.encode("utf-8", "replace"), mode=0o600)
        except OSError as error:
            words = tr("The conversation could not be written to {file}: {reason}.", file=file, reason=error.strerror)
            self.said.emit(words, "risk")
            return
        problem = open_in_editor(file, 1, self._background.engine.settings.editor)
        if problem:
            self.said.emit(tr("The conversation is in {file}. {problem}", file=file, problem=problem), "info")

    def open_advice(self, role: str) -> None:
        """Open the transcript of an advisor in the editor."""
        file = SessionRecord(self._background.engine.locations.sessions / self._session()).advice(role)
        if not file.exists():
            self.said.emit(tr("Nothing is kept here of what {role} was asked.", role=role.upper()), "info")
            return
        problem = open_in_editor(file, 1, self._background.engine.settings.editor)
        if problem:
            words = tr("What {role} was asked and did is in {file}.", role=role.upper(), file=file)
            self.said.emit(f"{words} {problem}", "info")

    def _open_record(self) -> None:
        folder = self._background.engine.locations.sessions / self._session()
        if not self._open_address(QUrl.fromLocalFile(str(folder))):
            self.said.emit(tr("What was said, message by message, is in {folder}", folder=folder), "info")
