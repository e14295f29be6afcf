"""Which places of this machine an agent sees.

Whole folders are covered: a cover on the name of a single file is gone as soon as another program replaces that file,
and does nothing for a file that is made later. Of a covered folder only what programs need is shown.
"""

import contextlib
import os
import pwd
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tandem_desktop.storage.paths import platform_state_directory, resource

COMMON_TEMPORARY = Path("/tmp")
_TEMPORARY = (COMMON_TEMPORARY, Path("/var/tmp"))
_COVERED = (Path("/home"), Path("/root"), Path("/run"), *_TEMPORARY)
"""Homes, sockets of services, and temporary files."""
_MOST_LINKS = 40
_PARTS = ("bin", "sbin", "lib", "lib64", "libexec", "share", "pyvenv.cfg")
"""What belongs to the programs in a folder `bin`: beside it lie their libraries, and perhaps a person's files."""
_FEW_PARTS = ("bin", "lib", "lib64")
"""The same in `~/.local`, whose `share` holds keyrings."""
_MARKS = (
    "package.json",
    "pyproject.toml",
    "setup.py",
    "Cargo.toml",
    "go.mod",
    "Gemfile",
    "deno.json",
    ".git",
)
"""A folder with one of these is a project or an installation: what lies in it belongs together."""
_RESOLVER = Path("/etc/resolv.conf")


def secret_places(home: Path, *, with_system: bool = True) -> tuple[Path, ...]:
    """Those that exist, with the person's home at `home`; links are named by what they lead to."""
    data = _data()
    names = tuple(name.removeprefix("/") for name in data["system"]) if with_system else ()
    return tuple(dict.fromkeys((*_existing(home, data["home"]), *_existing(Path("/"), names))))


def secret_system_files() -> tuple[Path, ...]:
    """Files and folders of the system that no agent may read, there or not; patterns are those that exist."""
    names = [name for name in _data()["system"] if not name.startswith(("/run/", "/tmp/", "/var/run/"))]
    exact = (Path(name) for name in names if "*" not in name)
    return (*exact, *_existing(Path("/"), tuple(name.removeprefix("/") for name in names if "*" in name)))


def listening_sockets() -> Iterator[Path]:
    """Sockets in folders that something on this machine listens on, for where no veil cuts them off."""
    try:
        lines = Path("/proc/net/unix").read_text(encoding="utf-8", errors="surrogateescape").splitlines()[1:]
    except OSError:
        return
    for line in lines:
        place = Path(line.split(" ", 7)[-1].strip())
        with contextlib.suppress(OSError):  # what this user may not even look at, nothing in a sandbox reaches
            if place.is_absolute() and place.is_socket():
                yield place.resolve()


def temporary_files(places: Iterable[Path]) -> frozenset[Path]:
    """Those of the covered places in which an agent may leave something for the time it runs."""
    return frozenset(places) & frozenset(_TEMPORARY)


def covered_places(person_home: Path) -> tuple[Path, ...]:
    """Folders of which an agent sees nothing but what is shown: every home, temporary files, sockets, Tandem's state.

    The home that the system knows counts as well as the one in the environment, and the usual state folder as well as
    the one in use.
    """
    named = [*_COVERED, person_home, platform_state_directory()]
    with contextlib.suppress(KeyError):
        named.append(Path(pwd.getpwuid(os.getuid()).pw_dir))
    return _resolved(named)


def covered_in_rehearsals() -> tuple[Path, ...]:
    """The same for a rehearsed command, which finds the homes as they are."""
    return _resolved([Path("/run"), *_TEMPORARY, platform_state_directory()])


def _resolved(named: Iterable[Path]) -> tuple[Path, ...]:
    found = {place.resolve() for place in named if place.is_dir()}
    return tuple(sorted(found - {Path("/"), *Path("/usr/x").parents, Path("/etc"), Path("/var")}))


@dataclass(frozen=True, slots=True)
class ShownPrograms:
    """Finds what has to be shown of covered folders so that programs start."""

    covered: tuple[Path, ...]
    person_home: Path

    def of_files(self, files: Iterable[Path]) -> tuple[Path, ...]:
        """What belongs to programs, scripts and every place their links lead through."""
        steps = (step for file in files for step in _way(file))
        return self._checked(part for step in steps if self._is_hidden(step) for part in self._around(step))

    def exactly(self, files: Iterable[Path]) -> tuple[Path, ...]:
        """Files that are needed, and nothing that lies beside them."""
        steps = (step for file in files for step in _way(file))
        return self._checked(step for step in steps if self._is_hidden(step))

    def of_search_path(self, search_path: str) -> tuple[Path, ...]:
        """The folders in which programs are searched, with what these need."""
        folders = {Path(os.path.normpath(each)) for each in search_path.split(os.pathsep) if each.startswith("/")}
        ways = (step for folder in sorted(folders) for step in _way(folder))
        return self._checked(part for step in ways if self._is_hidden(step) for part in self._around_folder(step))

    def of_system(self) -> tuple[Path, ...]:
        """Files of the system that lie in a covered folder: where names are asked for."""
        with contextlib.suppress(OSError, RuntimeError):
            real = _RESOLVER.resolve(strict=True)
            if self._is_hidden(real):
                return (real,)
        return ()

    def _is_hidden(self, place: Path) -> bool:
        return any(cover in place.parents for cover in self.covered)

    def _checked(self, places: Iterable[Path]) -> tuple[Path, ...]:
        """Never a covered folder itself, one above it, nor a place of secrets."""
        wide = {*self.covered, *(above for cover in self.covered for above in cover.parents), *self._wide()}
        secret = secret_places(self.person_home)
        found = {place for place in places if place not in wide and place.exists()}
        return tuple(sorted(place for place in found if not any(place.is_relative_to(each) for each in secret)))

    def _wide(self) -> Iterator[Path]:
        """Folders in a home that hold more than one program's files."""
        for home in self._homes():
            for name in _data()["wide"]:
                yield home / name

    def _homes(self) -> tuple[Path, ...]:
        known = [self.person_home, *(cover for cover in self.covered if cover.name not in ("tmp", "run", "home"))]
        with contextlib.suppress(OSError):
            known += [Path("/home") / name for name in os.listdir("/home")]
        return tuple(known)

    def _around(self, file: Path) -> Iterator[Path]:
        """What belongs to one file."""
        if COMMON_TEMPORARY in file.parents and not self._in_home(file):
            yield _outermost(file)
        elif file.is_dir() and not file.is_symlink():
            yield from self._around_folder(file)
        else:
            yield file
            yield from self._around_folder(file.parent)

    def _around_folder(self, folder: Path) -> Iterator[Path]:
        whole = self._toolchain(folder) or _modules(folder) or self._project(folder)
        if whole is not None:
            yield whole
        elif folder.name in ("bin", "sbin") and self._is_hidden(folder.parent) and not self._is_wide(folder.parent):
            yield from (folder.parent / name for name in _PARTS)
        elif folder.name == "bin" and folder.parent.name == ".local":
            yield from (folder.parent / name for name in _FEW_PARTS)
        else:
            yield folder

    def _toolchain(self, folder: Path) -> Path | None:
        """The version manager or tool store in a home that holds this folder."""
        for home in self._homes():
            if home not in folder.parents:
                continue
            for name in _data()["programs"]:
                if folder.is_relative_to(home / name):
                    return home / name
        return None

    def _project(self, folder: Path) -> Path | None:
        for place in (folder, *folder.parents):
            if not self._is_hidden(place) or self._is_wide(place):
                return None
            if any((place / mark).exists() for mark in _MARKS) and not _in_temporary_top(place):
                return place
        return None

    def _is_wide(self, place: Path) -> bool:
        return place in self.covered or place in set(self._wide()) or place in self._homes()

    def _in_home(self, place: Path) -> bool:
        return self.person_home in place.parents


def _modules(folder: Path) -> Path | None:
    """The outermost folder of modules this one lies in."""
    if "node_modules" not in folder.parts:
        return None
    return Path(*folder.parts[: folder.parts.index("node_modules") + 1])


def _outermost(place: Path) -> Path:
    return COMMON_TEMPORARY / place.relative_to(COMMON_TEMPORARY).parts[0]


def _in_temporary_top(place: Path) -> bool:
    return place.parent in _TEMPORARY


def _way(place: Path) -> Iterator[Path]:
    """A path, and every place its links lead through."""
    for _ in range(_MOST_LINKS):
        yield place
        if not place.is_symlink():
            break
        place = Path(os.path.normpath(place.parent / place.readlink()))
    with contextlib.suppress(OSError, RuntimeError):
        yield place.resolve()


def _existing(base: Path, patterns: tuple[str, ...]) -> Iterator[Path]:
    for pattern in patterns:
        for place in base.glob(pattern) if "*" in pattern else (base / pattern,):
            try:
                yield place.resolve(strict=True)
            except (OSError, RuntimeError):
                continue


@cache
def _data() -> dict[str, tuple[str, ...]]:
    data = tomllib.loads(resource("secret_places.toml").read_text(encoding="utf-8"))
    return {name: tuple(data[name]) for name in ("home", "system", "programs", "wide")}
