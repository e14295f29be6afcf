"""Count malformed calls, so that an agent that cannot get a plan into shape stops and says so."""

from tandem_desktop.domain.errors import BadInputError, TandemError

DEFAULT_TRIES = 3


class Tries:
    """How often each tool may be called wrongly in a row, within one turn of the conversation.

    Where nobody tells when a turn begins (`sees_turns` is false), the count begins anew after the last refusal.
    """

    def __init__(self, limit: int = DEFAULT_TRIES, *, sees_turns: bool = True) -> None:
        self._limit = limit
        self._sees_turns = sees_turns
        self._failures: dict[str, int] = {}

    def refuse_when_used_up(self, tool: str) -> None:
        """Call before anything else.

        Raises:
            BadInputError: the last try was used up earlier.
        """
        if self._failures.get(tool, 0) >= self._limit:
            raise BadInputError(f"{tool} takes no more calls in this turn.", next=_LAST_WORDS)

    def failed(self, tool: str, error: TandemError) -> BadInputError:
        """The same refusal, with the number of tries left or the end of them."""
        self._failures[tool] = self._failures.get(tool, 0) + 1
        left = self._limit - self._failures[tool]
        if left > 0:
            tries = "1 try is" if left == 1 else f"{left} tries are"
            return BadInputError(f"{error.message} {tries} left.", step=error.step, next=error.next)
        if not self._sees_turns:
            self.succeeded(tool)
        message = f"{error.message} That was the last of {self._limit} tries."
        return BadInputError(message, step=error.step, next=_LAST_WORDS)

    def succeeded(self, tool: str) -> None:
        self._failures.pop(tool, None)

    def start_again(self) -> None:
        """The person has spoken: a new turn, new tries."""
        self._failures.clear()


_LAST_WORDS = "Stop calling it, and tell the person in plain words what you wanted to propose."
