"""An agent's own home, which it may write and which stays from one start to the next."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.storage import atomic


@dataclass(frozen=True, slots=True)
class PrivateHome:
    """Where it is, and the environment that leads there."""

    path: Path
    environment: dict[str, str]


def private_home(home: Path, environment: Mapping[str, str]) -> PrivateHome:
    """Make `home` with a folder for temporary files, and point `environment` at both."""
    temporary = home / "tmp"
    atomic.make_directory(temporary, mode=0o700)
    real = home.resolve()
    places = {"HOME": str(real), "TMPDIR": str(real / "tmp")}
    return PrivateHome(real, {**environment, **places})
