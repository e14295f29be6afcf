"""One turn of an agent: its state while it goes on, what came of it, and how its end is told."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from tandem_desktop.domain.agents import StopReason
from tandem_desktop.domain.errors import SidecarError, TandemError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.policy.signals import SignalListener
from tandem_desktop.staging.intercepted import Handling, InterceptedRequest

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


@dataclass(slots=True)
class TurnState:
    """What belongs to one turn and to no other. A new one is made for each turn."""

    phase: TurnPhase = TurnPhase.WAITING
    interruption: Interruption = Interruption.NONE
    begun_after: PlanId | None = None
    """The plan that had ended when the turn began; a late notice of its end does not concern this turn."""
    problems: list[str] = field(default_factory=list)
    """What failed beside the conversation."""
    is_announced: bool = False
    """Whether the agent said that a plan is ready."""
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


def last_words(failure: SidecarError | None) -> tuple[str, ...]:
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
