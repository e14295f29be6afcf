"""One turn of an agent: how far it is, what it may keep, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from tandem_desktop.domain.agent_protocol import (
    AgentSaid,
    AgentUpdate,
    StopReason,
    ToolCallChanged,
)
from tandem_desktop.domain.errors import SidecarError, TandemError
from tandem_desktop.domain.ids import PlanId, ToolCallId
from tandem_desktop.domain.plan import IgnoredFiles, PlanVersion
from tandem_desktop.policy.qualification import SignalListener
from tandem_desktop.staging.requests import Handling, InterceptedRequest

_LAST_WORDS = 20
_UNFINISHED = {
    StopReason.MAX_TOKENS: "The agent ran out of room for its answer.",
    StopReason.MAX_TURN_REQUESTS: "The agent used up its turns.",
    StopReason.REFUSAL: "The agent refused to go on.",
    StopReason.CANCELLED: "The turn was cancelled before the agent had finished.",
}


class TurnPhase(Enum):
    """How far a turn is."""

    WAITING = auto()
    """It has not begun."""
    STARTING = auto()
    """The agent is started and brought up to date; it was told nothing yet."""
    TALKING = auto()
    """From the first message on, until the revision is made."""
    ENDED = auto()


class Interruption(Enum):
    """Whether the person ended a turn before its agent did."""

    NONE = auto()
    STOPPED = auto()
    """What was done until then is staged."""
    ABANDONED = auto()
    """What was done until then is forgotten."""


MOST_SAID = 4 * 1024 * 1024
"""Characters of words and thoughts that are kept of one turn."""
MOST_CALLED = 16 * 1024 * 1024
"""Characters that are kept of the tool calls of one turn; later ones are kept without their output."""
MOST_CALL_UPDATES = 20_000


@dataclass(slots=True)
class TurnLimit:
    """What one turn may keep of what the agent tells; beyond it the rest is counted."""

    _said: int = 0
    _called: int = 0
    _updates: int = 0
    left_out: int = 0
    """Characters that were not kept."""

    def kept(self, update: AgentUpdate) -> AgentUpdate | None:
        """The update as far as it is kept; None for nothing of it."""
        if isinstance(update, AgentSaid):
            return self._kept_words(update)
        return self._kept_call(update) if isinstance(update, ToolCallChanged) else update

    @property
    def sentence(self) -> str:
        """What is said of a turn that exceeded the limit; empty where none did."""
        if not self.left_out:
            return ""
        return (
            f"The agent told more in one turn than is kept: {self.left_out:,} characters of its words and of the "
            "output of its tools were left out. Nothing of its work on files is lost."
        )

    def _kept_words(self, said: AgentSaid) -> AgentSaid | None:
        room = MOST_SAID - self._said
        text = said.text[: max(room, 0)]
        self._said += len(text)
        self.left_out += len(said.text) - len(text)
        if len(text) == len(said.text):
            return said
        return said.model_copy(update={"text": f"{text}\n\n[…]\n"}) if text else None

    def _kept_call(self, changed: ToolCallChanged) -> ToolCallChanged | None:
        """The call; beyond the limit without its output and with its arguments cut, and at last not at all."""
        call = changed.call
        size = call.weight
        self._updates += 1
        if self._updates > MOST_CALL_UPDATES:
            self.left_out += size
            return None
        if self._called + size <= MOST_CALLED:
            self._called += size
            return changed
        self.left_out += size
        return ToolCallChanged(call=call.shortened())


@dataclass(slots=True)
class TurnState:
    """What belongs to one turn and to no other. A new one is made for each turn."""

    phase: TurnPhase = TurnPhase.WAITING
    interruption: Interruption = Interruption.NONE
    begun_after: PlanId | None = None
    """The plan that had ended when the turn began; a late notice of its end does not concern this turn."""
    problems: list[str] = field(default_factory=list)
    """What failed beside the conversation."""
    last_call: ToolCallId | None = None
    """The tool call that the agent began last; `THROUGH_CLIENT` for something it had Tandem do."""
    is_announced: bool = False
    """Whether the agent said that a plan is ready."""
    spent: float = 0.0
    """The cost of the conversation before the turn, as far as the agent told it."""
    paused: str = ""
    """Why Tandem stopped the agent, as a sentence; empty where it did not."""
    limit: TurnLimit = field(default_factory=TurnLimit)
    left_out: tuple[str, ...] = ()
    """What the agent left that no plan carries, a sentence for each."""
    _said: list[str] = field(default_factory=list)
    _signals: SignalListener = field(default_factory=SignalListener)

    @property
    def said(self) -> str:
        return "".join(self._said)

    def hear(self, text: str) -> None:
        """The agent said something; what it says before it was told anything is no answer."""
        if self.phase is TurnPhase.TALKING:
            self._said.append(text)
            self.is_announced |= bool(self._signals.hear(text))

    def end_talk(self) -> None:
        """The agent says no more: a signal that stood last counts as well."""
        self.is_announced |= bool(self._signals.end())

    @property
    def is_under_way(self) -> bool:
        return self.phase in (TurnPhase.STARTING, TurnPhase.TALKING)

    @property
    def is_stopped(self) -> bool:
        return self.interruption is not Interruption.NONE

    def stop(self) -> None:
        """Of a turn that has ended, nothing changes."""
        if self.interruption is Interruption.NONE and self.phase is not TurnPhase.ENDED:
            self.interruption = Interruption.STOPPED


@dataclass(frozen=True, slots=True)
class Turn:
    """What came of one message to the agent."""

    version: PlanVersion | None
    """The revision it led to; none when nothing was changed and nothing presented."""
    said: str
    stop_reason: StopReason | None
    failure: SidecarError | None = None
    ignored: IgnoredFiles | None = None
    """What is left of a turn that led to no revision."""
    unanswered: tuple[str, ...] = ()
    """Questions of the agent that nobody could answer."""
    left_out: tuple[str, ...] = ()
    """What the agent left that no plan carries, a sentence for each."""


@dataclass(frozen=True, slots=True)
class CallMade:
    """What came of an external call that the agent was asked to make."""

    output: str
    problem: str = ""


def stderr_tail(failure: SidecarError | None) -> tuple[str, ...]:
    """What a dying agent left behind, and what to do next."""
    return (*failure.stderr[-_LAST_WORDS:], failure.next) if failure is not None else ()


def problem_of(stop: StopReason | None, failure: TandemError | None) -> str:
    """Why what was staged may be incomplete; nothing when the turn ended well."""
    if failure is not None:
        return failure.message
    return _UNFINISHED.get(stop, "") if stop is not None else ""


def queued_in(requests: Sequence[InterceptedRequest]) -> tuple[int, ...]:
    """The numbers of the operations that commands among these requests became."""
    numbers = [request.queued_as for request in requests if request.handling is Handling.QUEUED]
    return tuple(number for number in numbers if number is not None)
