"""What a rehearsal has to say about one operation of the plan on screen."""

from dataclasses import dataclass

from tandem_desktop.review.operation_view import OperationView


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """A command that waits for its turn in the copy, runs there, or has run; or a file that could not be written."""

    revision: int
    problem: str = ""
    """Why a file could not be written in the copy."""
    is_waiting: bool = False
    is_running: bool = False
    output: str = ""
    exit_code: int | None = None
    """None when it never ran."""
    seconds: float = 0.0
    count: int = 0
    """How many paths it changed."""
    effects: tuple[OperationView, ...] = ()
    """The same, to be looked at; there when the whole rehearsal has ended."""
    error: str = ""
    """Why a run would stop here."""
    doubts: tuple[str, ...] = ()
    """Why the real run may come out otherwise."""
    refusal: str = ""
    """Why its effects cannot be applied in its place; empty when they can."""
    is_settled: bool = False
    """The rehearsal has ended, and what is said here is the whole of it."""
    is_stale: bool = False
    """The plan is another one by now."""

    @property
    def is_under_way(self) -> bool:
        return self.is_waiting or self.is_running
