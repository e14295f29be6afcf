"""Environment and private home of an agent process."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.storage import atomic

_PASSED_THROUGH = (
    "PATH",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "LOGNAME",
    "SHELL",
    "TZ",
    "USER",
    # The agent needs its model, and in some networks only these lead to it.
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
)
_NEVER = frozenset({"LD_LIBRARY_PATH", "LD_PRELOAD", "QT_PLUGIN_PATH", "QT_QPA_PLATFORM_PLUGIN_PATH", "PYTHONHOME"})
"""Set by a packaged Tandem for itself; a child that inherits them loads the wrong libraries."""


def agent_environment(
    names: Iterable[str] = (), additions: Mapping[str, str] | None = None, source: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Harmless variables, those the profile names, then those it sets; `source` is the person's environment."""
    person = os.environ if source is None else source
    allowed = (*_PASSED_THROUGH, *(name for name in names if name not in _NEVER))
    environment = {name: person[name] for name in allowed if name in person}
    environment.setdefault("PATH", os.defpath)
    environment.setdefault("LANG", "C.UTF-8")
    return {"TERM": "dumb", **environment, **(additions or {})}


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
