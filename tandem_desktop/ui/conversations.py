"""Follows every conversation of the workspace for the list at the left of the window."""

from collections import Counter

from PySide6.QtCore import QObject

from tandem_desktop.background import Background
from tandem_desktop.domain.agent_protocol import EntryKind
from tandem_desktop.domain.events import (
    ChatGrew,
    ChecksEnded,
    ChecksStarted,
    OperationStaged,
    OperationUnstaged,
    OrchestrationEnded,
    OrchestrationStarted,
    PermissionAnswered,
    PermissionAsked,
    QuestionAnswered,
    QuestionAsked,
    StagingCleared,
    TandemEvent,
    TurnEnded,
    TurnStarted,
)
from tandem_desktop.domain.ids import OperationId, PlanId, RequestId, SessionId
from tandem_desktop.sessions.conversations import Conversation
from tandem_desktop.ui.models.plans import ConversationState, PlansModel
from tandem_desktop.ui.threads import Commands

_BEGINS_OR_ENDS = (TurnStarted, TurnEnded, OrchestrationStarted, OrchestrationEnded)


class ConversationFollower(QObject):
    """Tells the list which conversations there are and what goes on in each, also in those that are not on screen."""

    def __init__(self, background: Background, commands: Commands, plans: PlansModel, parent: QObject) -> None:
        super().__init__(parent)
        self._background, self._commands, self._plans = background, commands, plans
        self._under_way: Counter[SessionId] = Counter()
        """Turns and orchestrations of each conversation that have begun and not ended."""
        self._asked: dict[SessionId, set[RequestId]] = {}
        self._checked: Counter[PlanId] = Counter()
        self._drafts: dict[SessionId, dict[OperationId, OperationStaged]] = {}

    def refresh(self) -> None:
        """Read from disk which conversations there are."""
        self._commands.latest("conversations", self._background.run(self._background.stored.listing), self._listed)

    def draft_of(self, session_id: SessionId) -> tuple[OperationStaged, ...]:
        """What an agent that is at work has staged so far."""
        return tuple(self._drafts.get(session_id, {}).values())

    def follow_event(self, event: TandemEvent) -> None:
        match event:
            case TurnStarted() | OrchestrationStarted() if event.session_id is not None:
                self._under_way[event.session_id] += 1
            case TurnEnded() | OrchestrationEnded() if event.session_id is not None:
                self._under_way[event.session_id] -= 1
                self._asked.pop(event.session_id, None)
                self._drafts.pop(event.session_id, None)
            case PermissionAsked():
                self._asked.setdefault(event.session_id, set()).add(event.request.id)
            case QuestionAsked():
                self._asked.setdefault(event.session_id, set()).add(event.question.id)
            case PermissionAnswered():
                self._asked.get(event.session_id, set()).discard(event.request_id)
            case QuestionAnswered():
                self._asked.get(event.session_id, set()).discard(event.question_id)
            case ChecksStarted():
                self._checked[event.plan_id] += 1
            case ChecksEnded():
                self._checked[event.plan_id] -= 1
            case OperationStaged():
                self._drafts.setdefault(event.session_id, {})[event.operation.id] = event
                return
            case OperationUnstaged():
                self._drafts.get(event.session_id, {}).pop(event.operation_id, None)
                return
            case StagingCleared():
                self._drafts.pop(event.session_id, None)
                return
            case ChatGrew() if event.entry.kind is EntryKind.PERSON:
                self.refresh()
                return
            case _:
                return
        if isinstance(event, _BEGINS_OR_ENDS):
            self.refresh()  # how a turn ended is told together with its end
        else:
            self._plans.set_activities(self._activities())

    def _activities(self) -> dict[str, ConversationState]:
        found: dict[str, ConversationState] = {
            plan: ConversationState.CHECKING for plan, count in self._checked.items() if count > 0
        }
        for session_id, count in self._under_way.items():
            if count > 0:
                is_planning = self._background.conversations.is_planning(session_id)
                found[session_id] = ConversationState.DRAFTING if is_planning else ConversationState.WORKING
                if self._asked.get(session_id):
                    found[session_id] = ConversationState.ASKING
        return found

    def _listed(self, conversations: tuple[Conversation, ...]) -> None:
        self._plans.set_conversations(conversations, self._activities())
