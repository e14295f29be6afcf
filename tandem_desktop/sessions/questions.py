"""Puts an agent's questions to the person and hands back the answers."""

import asyncio
import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from tandem_desktop.domain.ids import RequestId, SessionId, new_question_id
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.questions import AgentQuestion, QuestionAction, QuestionAnswer
from tandem_desktop.sessions.pending import PendingAnswer

MOST_OPEN = 8
"""Questions of one session that wait at once; a further one is declined."""
_MOST_ADDRESSES = 64
_LONGEST_NAMED = 200
_log = logging.getLogger(__name__)


class _Waiting(NamedTuple):
    question: AgentQuestion
    answer: PendingAnswer[QuestionAnswer]


class AgentQuestions:
    """The questions of one session's agent, each answered exactly once.

    `ask` shows a question and returns at once; without it every question is declined. `answered` is called with each
    end, `completed` when the agent says that what was begun at an address has ended. `patience_s` is how long a
    question waits; without it until the turn ends.
    Questions may be answered from any thread; all else happens on the event loop.
    """

    def __init__(
        self,
        session_id: SessionId,
        agent: str,
        *,
        ask: Callable[[AgentQuestion], None] | None = None,
        answered: Callable[[AgentQuestion, QuestionAnswer], None] = lambda question, answer: None,
        completed: Callable[[RequestId], None] = lambda question_id: None,
        patience_s: float | None = None,
    ) -> None:
        self._session_id = session_id
        self._agent = agent
        self._ask = ask
        self._answered = answered
        self._completed = completed
        self._patience_s = patience_s
        self._lock = threading.Lock()
        self._waiting: dict[RequestId, _Waiting] = {}
        self._addresses: OrderedDict[str, RequestId] = OrderedDict()
        """Questions with an address, by the id under which the agent tells their end."""
        self._unanswered: list[str] = []
        self._turn_over: str | None = None

    @property
    def open(self) -> tuple[AgentQuestion, ...]:
        """The questions that wait for an answer."""
        with self._lock:
            return tuple(waiting.question for waiting in self._waiting.values())

    @property
    def unanswered(self) -> tuple[str, ...]:
        """A sentence for each question of this turn that the person could not answer."""
        return tuple(self._unanswered)

    async def put(self, question: AgentQuestion) -> QuestionAnswer:
        """Put a question to the person and wait for its end."""
        question = question.model_copy(update={"id": new_question_id(), "agent": self._agent})
        if self._turn_over is not None:
            return QuestionAnswer(action=QuestionAction.CANCEL, reason=self._turn_over)
        if self._ask is None:
            return self._decline(question, "nobody was there to answer")
        if len(self._waiting) >= MOST_OPEN:
            return self._decline(question, f"{MOST_OPEN} questions were open already")
        return await self._wait_for(question, self._ask)

    def answer(self, question_id: RequestId, action: QuestionAction, values: Mapping[str, Any] | None = None) -> bool:
        """Answer an open question; False when there is none, or not any more.

        Raises:
            BadInputError: the values are not what the agent asks for.
        """
        with self._lock:
            waiting = self._waiting.get(question_id)
        if waiting is None:
            return False
        given = waiting.question.checked(values or {}) if action is QuestionAction.ACCEPT else {}
        return waiting.answer.settle(QuestionAnswer(action=action, values=given))

    def complete(self, elicitation_id: str) -> None:
        """The agent says that what was begun at an address has ended.

        Where the person has not answered yet, the question is taken back: only a person makes a yes. An unknown id, one
        that was not accepted, and one that has ended before, is passed over.
        """
        question_id = self._addresses.pop(elicitation_id, None)
        if question_id is None:
            return
        with self._lock:
            waiting = self._waiting.get(question_id)
        if waiting is not None and waiting.answer.withdraw("the agent says that it has ended"):
            return
        self._completed(question_id)

    def withdraw_all(self, reason: str) -> int:
        """Take every open question back; how many there were."""
        with self._lock:
            waiting = tuple(self._waiting.values())
        return sum(each.answer.withdraw(reason) for each in waiting)

    def begin_turn(self) -> None:
        self._turn_over = None
        self._unanswered.clear()

    def end_turn(self, reason: str) -> None:
        """Take back what is open, and whatever still comes before the next turn."""
        self._turn_over = reason
        self.withdraw_all(reason)

    async def _wait_for(self, question: AgentQuestion, ask: Callable[[AgentQuestion], None]) -> QuestionAnswer:
        pending: PendingAnswer[QuestionAnswer] = PendingAnswer()
        with self._lock:
            self._waiting[question.id] = _Waiting(question, pending)
        if question.elicitation_id:
            self._addresses[question.elicitation_id] = question.id
            while len(self._addresses) > _MOST_ADDRESSES:
                self._addresses.popitem(last=False)
        _log.info(
            "question asked: session %s, question %s, %d fields", self._session_id, question.id, len(question.fields)
        )
        answer: QuestionAnswer | None = None
        try:
            ask(question)
            async with asyncio.timeout(self._patience_s):
                answer = await pending.response()
        except TimeoutError:
            answer = self._declined(question, f"nobody answered within {self._patience_s:g} seconds")
        finally:
            pending.withdraw("the agent no longer waits")
            with self._lock:
                self._waiting.pop(question.id, None)
            ended = answer or QuestionAnswer(action=QuestionAction.CANCEL, reason=pending.withdrawn_because)
            self._forget_address(question, ended)
            self._tell(question, ended)
        return ended

    def _forget_address(self, question: AgentQuestion, ended: QuestionAnswer) -> None:
        """What was not accepted is never told as completed."""
        is_current = self._addresses.get(question.elicitation_id) == question.id
        if is_current and ended.action is not QuestionAction.ACCEPT:
            del self._addresses[question.elicitation_id]

    def _decline(self, question: AgentQuestion, reason: str) -> QuestionAnswer:
        answer = self._declined(question, reason)
        self._tell(question, answer)
        return answer

    def _declined(self, question: AgentQuestion, reason: str) -> QuestionAnswer:
        asked = shown(question.summary, limit=_LONGEST_NAMED)
        sentence = f"The agent asked “{asked}”; {reason}."
        self._unanswered.append(sentence)
        return QuestionAnswer(action=QuestionAction.DECLINE, reason=sentence)

    def _tell(self, question: AgentQuestion, answer: QuestionAnswer) -> None:
        _log.info("question answered: session %s, question %s, %s", self._session_id, question.id, answer.action)
        self._answered(question, answer)
