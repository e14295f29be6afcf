"""How to start a process that somebody else has prepared: what a shadow gives and a sidecar starts."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Launch:
    """A command with everything it needs. The environment is all there is: nothing is inherited beside it."""

    argv: tuple[str, ...]
    environment: dict[str, str]
    cwd: Path
