"""One call while it is under way: its arguments, its engine, and what is known should it fail."""

import shlex
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tandem_desktop.cli.console import Console
from tandem_desktop.domain.ids import OperationId, PlanId

if TYPE_CHECKING:
    from tandem_desktop.orchestration.engine import Engine

OnOutput = Callable[[OperationId, bytes], None]


class BuildEngine(Protocol):
    """The composition root, as far as the command line knows it."""

    def __call__(self, root: Path, *, state: Path | None = None, on_output: OnOutput = ...) -> "Engine": ...


OpenWindow = Callable[[Path | None, str | None, str], int]
"""Shows the window on a workspace, and on one of its plans, until it is closed; says something there first."""


Serve = Callable[[Path, int, Callable[[str, str], None]], None]
"""Answers HTTP for a workspace on a port until it is stopped; tells its address and token when it is ready."""


class Call:
    """Hand an engine to whoever needs one, built once and closed at the end."""

    def __init__(
        self,
        arguments: Namespace,
        console: Console,
        build_engine: BuildEngine,
        open_window: OpenWindow,
        serve: Serve,
    ) -> None:
        self.arguments = arguments
        self.console = console
        self.known: dict[str, Any] = {}
        """Goes into the JSON beside the error when the call fails."""
        self.on_output: OnOutput = lambda operation, chunk: None
        self.build_engine = build_engine
        self.open_window = open_window
        self.serve = serve
        self._engine: Engine | None = None

    @property
    def workspace(self) -> Path:
        return Path(getattr(self.arguments, "workspace", "."))

    @property
    def engine(self) -> "Engine":
        if self._engine is None:
            self._engine = self.build_engine(
                self.workspace, on_output=lambda operation, chunk: self.on_output(operation, chunk)
            )
        return self._engine

    def plan_id(self) -> PlanId:
        """The plan that was named, by its id or its first digits."""
        plan_id = self.engine.plans.resolve(self.arguments.plan)
        self.known["plan_id"] = plan_id
        return plan_id

    def command(self, *words: str) -> str:
        """A call to type next, in the same workspace."""
        chosen = getattr(self.arguments, "workspace", None)
        return shlex.join(["tandem", *(("-C", chosen) if chosen else ()), *words])

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None
