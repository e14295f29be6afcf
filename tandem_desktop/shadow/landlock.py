"""The Landlock sandbox, for machines that give no namespace: what is readable and writable in it, and how it starts."""

import json
import platform
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tandem_desktop.domain.network import ALLOWED_FILE, REFUSED_FILE, NetworkMode
from tandem_desktop.processes.child import ends_with_all_it_started, find_program
from tandem_desktop.processes.own_program import own_script
from tandem_desktop.shadow import call_rules, landlock_launcher
from tandem_desktop.shadow.places import ShownPrograms, covered_places, secret_places, secret_system_files

_TRIAL_S = 20


@cache
def landlock_missing() -> str:
    """Why Landlock cannot confine anything here; empty if it can. Determined by using it once."""
    if platform.machine() != call_rules.MACHINE:
        return f"Landlock is not used on {platform.machine()}"
    if not landlock_launcher.abi_version():
        return "this kernel has no Landlock, or it is turned off"
    changer = find_program("chmod")
    if changer is None:
        return "the program chmod, with which Landlock is tried, is missing"
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        return _tried(_argv((changer, "700", "."), _told((), (), (place,), cwd=place)))


def _tried(argv: tuple[str, ...]) -> str:
    try:
        tried = subprocess.run(argv, capture_output=True, timeout=_TRIAL_S, check=False, cwd="/")
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"Landlock does not work here ({error})"
    if tried.returncode:
        lines = tried.stderr.decode("utf-8", "replace").strip().splitlines()
        return f"Landlock does not work here ({lines[0] if lines else 'no reason given'})"
    return ""


@dataclass(frozen=True, slots=True)
class LandlockSandbox:
    """The sandbox of one copy: the copy and a private home writable, the rest readable, homes and secrets neither."""

    workspace: Path
    source: Path
    """The copy. It is the agent's working folder; the workspace's own path is closed to it."""
    masked: tuple[Path, ...]
    person_home: Path

    @property
    def programs(self) -> ShownPrograms:
        return ShownPrograms((*covered_places(self.person_home), self.workspace), self.person_home)

    def argv(
        self,
        command: Iterable[str],
        *,
        home: Path,
        cwd: Path,
        sockets: tuple[Path, ...] = (),
        network: NetworkMode = NetworkMode.OPEN,
        addresses: Path | None = None,
        readable: tuple[Path, ...] = (),
        needed: tuple[Path, ...] = (),
    ) -> tuple[str, ...]:
        """Arguments that run `command` inside, under a process that ends all it started with it.

        `addresses` is the folder with the files of a leash; without one nothing on the network is allowed.
        """
        told = _told(
            self._hidden(),
            (*readable, *self.programs.of_system()),
            (self.source, home),
            cwd=cwd,
            sockets=sockets,
            network=network,
            addresses=addresses,
            needed=needed,
        )
        return ends_with_all_it_started(_argv(tuple(command), told))

    def _hidden(self) -> tuple[Path, ...]:
        masked = (place.resolve() for place in self.masked if place.exists())
        secret = (*secret_places(self.person_home), *secret_system_files())
        return (*covered_places(self.person_home), *masked, *secret, self.workspace.resolve())


def secrets_inside(workspace: Path, person_home: Path) -> tuple[str, ...]:
    """Places of secrets that lie in a workspace, relative to it: no copy of them is made."""
    root = workspace.resolve()
    return tuple(str(each.relative_to(root)) for each in secret_places(person_home) if root in each.parents)


def _told(
    hidden: Iterable[Path],
    shown: Iterable[Path],
    writable: Iterable[Path],
    *,
    cwd: Path,
    sockets: Iterable[Path] = (),
    network: NetworkMode = NetworkMode.OFF,
    addresses: Path | None = None,
    needed: Iterable[Path] = (),
) -> str:
    lists = {"hidden": hidden, "shown": shown, "writable": writable, "sockets": sockets, "needed": needed}
    told: dict[str, object] = {name: sorted({str(each) for each in places}) for name, places in lists.items()}
    told |= {"abi": landlock_launcher.abi_version(), "network": network.value, "cwd": str(cwd)}
    told |= {
        "allowed": str(addresses / ALLOWED_FILE) if addresses is not None else "",
        "refused": str(addresses / REFUSED_FILE) if addresses is not None else "",
    }
    return json.dumps(told, ensure_ascii=False)


def _argv(command: tuple[str, ...], told: str) -> tuple[str, ...]:
    return own_script(landlock_launcher.__file__, told, *command, frozen=("landlock", told, *command))
