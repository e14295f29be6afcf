"""A person says something to an agent, and its turn goes on until it has ended, well or not."""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.agents import AgentProfile
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import PlanId, RequestId, SessionId
from tandem_desktop.orchestration.conversations import Conversations
from tandem_desktop.orchestration.turn import Turn
from tandem_desktop.staging.confirmation import Decision
from tandem_desktop.ui.agent_choice import AgentChoice
from tandem_desktop.ui.chat.chat_pane import ChatPane
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.words import tr


class Turns(QObject):
    """Knows which conversations are at work. Which one is on screen it is told."""

    status_changed = Signal(str, str)
    """How the agent is (waiting, running, done, failed), and in words."""
    plan_made = Signal(str)
    """The turn of the conversation on screen led to a revision of this plan."""
    rested = Signal()
    """The agent of the conversation on screen began or ended its work."""
    said = Signal(str, str)
    """Words about what has just happened, and their tone."""
    failed = Signal(object)
    """A `TandemError`."""

    def __init__(
        self,
        conversations: Conversations,
        commands: Commands,
        chat: ChatPane,
        agents: AgentChoice,
        session: Callable[[], SessionId],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._conversations = conversations
        self._commands = commands
        self._chat = chat
        self._agents = agents
        self._session = session
        self._working: set[SessionId] = set()
        self._asked: Counter[SessionId] = Counter()
        """How many turns of each conversation were asked for here and have not been answered."""
        self._told: set[SessionId] = set()
        """Where a turn is under way, as events tell, which come on another way than answers."""
        self._starting: dict[SessionId, str] = {}
        """The agents that have not been heard yet."""

    @property
    def is_any(self) -> bool:
        """Whether any agent of this window is at work."""
        return bool(self._working)

    def is_working(self, session_id: SessionId) -> bool:
        return session_id in self._working

    def send(self, text: str, *, plan_mode: bool) -> None:
        profile = self._profile()
        if profile is None:
            self._chat.composer.set_text(text)
            return
        pictures = self._chat.composer.pictures.take()
        session = self._session()
        if not self._conversations.is_open(session):
            self._starting[session] = profile.title
        self.status_changed.emit("running", self._words(session))
        self._take(self._conversations.send(session, text, profile, plan_mode=plan_mode, pictures=pictures))

    def plan_with_perspectives(self, task: str) -> None:
        """Several minds look at the task before it is planned."""
        profile, session = self._profile(), self._session()
        if profile is None or self.is_working(session):
            self._chat.composer.set_text(f"/perspectives {task}")
            if profile is not None:
                self.said.emit(tr("The agent is at work; stop it, or wait for the end of its turn."), "info")
            return
        words = tr("CHAPO, KODA and DEVO look at the task")
        self.status_changed.emit("running", words)
        self._take(self._conversations.plan_with_perspectives(session, task, profile))

    def rework(self, plan_id: str, feedback: str, give_back: Callable[[str], None]) -> None:
        """Send a plan back with words; they are given back where that fails."""
        profile = self._profile()
        if profile is None:
            give_back(feedback)
            return
        turn = self._conversations.rework(PlanId(plan_id), feedback, profile)
        self._take(turn, lambda: give_back(feedback))

    def carry_out(self, plan_id: str) -> None:
        """An approved plan of text alone goes back to its agent."""
        profile = self._profile()
        if profile is not None:
            words = tr("Carry out the approved plan.")
            self._take(self._conversations.carry_out(PlanId(plan_id), words, profile))

    def stop(self) -> None:
        """The agent of the conversation on screen stops where it is."""
        if self.is_working(self._session()):
            self._commands.run(self._conversations.stop(self._session()))

    def answer(self, request_id: str, decision: Decision, words: str) -> None:
        if not self._conversations.answer(self._session(), RequestId(request_id), decision, words):
            self.said.emit(tr("That question no longer waits for an answer."), "info")

    def set_working(self, session_id: SessionId, works: bool) -> None:
        """What events tell of a turn. One that ended long ago does not end the turn that was begun since."""
        (self._told.add if works else self._told.discard)(session_id)
        self._follow(session_id)

    def _follow(self, session_id: SessionId) -> None:
        works = session_id in self._told or self._asked[session_id] > 0
        if works == self.is_working(session_id):
            return
        (self._working.add if works else self._working.discard)(session_id)
        if not works:
            self._starting.pop(session_id, None)
        if session_id == self._session():
            self._chat.set_working(works, self._words(session_id) if works else "")
            self.rested.emit()

    def hear(self, session_id: SessionId) -> None:
        """An agent said or asked something: it has started, whatever it took."""
        if self._starting.pop(session_id, None) and session_id == self._session():
            self.status_changed.emit("running", self._words(session_id))
            self._chat.set_working(True, self._words(session_id))

    def _words(self, session_id: SessionId) -> str:
        if title := self._starting.get(session_id):
            return tr("{agent} is starting; slow agents take 5 to 20 seconds", agent=title)
        return tr("{agent} is working…", agent=self._agents.title)

    def _take(self, turn: "Future[Turn]", failed: Callable[[], None] = lambda: None) -> None:
        session = self._session()

        def not_taken(error: TandemError) -> None:
            failed()
            self._answered(session)
            self.status_changed.emit("failed", error.message)
            self.failed.emit(error)

        self._asked[session] += 1
        self._follow(session)
        self._commands.run(turn, lambda ended: self._ended(session, ended), not_taken)

    def _ended(self, session_id: SessionId, turn: Turn) -> None:
        self._answered(session_id)
        if turn.failure is not None:
            self.status_changed.emit("failed", turn.failure.message)
            return
        self.status_changed.emit("done", tr("{title} connected", title=self._agents.title))
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
