"""What came of one message to an agent, and how its end is told."""

from collections.abc import Sequence
from dataclasses import dataclass

from tandem_desktop.domain.agents import StopReason
from tandem_desktop.domain.errors import SidecarError, TandemError
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.staging.intercepted import Handling, InterceptedRequest

_LAST_WORDS = 20
_UNFINISHED = {
    StopReason.MAX_TOKENS: "The agent ran out of room for its answer.",
    StopReason.MAX_TURN_REQUESTS: "The agent used up its turns.",
    StopReason.REFUSAL: "The agent refused to go on.",
    StopReason.CANCELLED: "The turn was cancelled before the agent had finished.",
}


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
