"""Starts this program as a child, installed or frozen.

A frozen program is its own interpreter: it knows no `-m` and no scripts, only its sub-commands.
"""

import sys
from collections.abc import MutableMapping
from pathlib import Path

_SAVED = "_ORIG"
_SEARCH_PATHS = ("LD_LIBRARY_PATH", "LIBPATH", "DYLD_LIBRARY_PATH")
_OF_THE_BUNDLE = ("QT_PLUGIN_PATH", "QML2_IMPORT_PATH")
_OF_THE_LOADER = "_PYI_"


def is_frozen() -> bool:
    return bool(getattr(sys, "frozen", False))


def own_papers() -> Path | None:
    """The documents and licences of a frozen program, as `packaging/making/tree.py` places them."""
    if not is_frozen():
        return None
    found = Path(sys.executable).resolve().parents[2] / "share" / "doc" / "tandem-desktop"
    return found if found.is_dir() else None


def own_command(*arguments: str) -> tuple[str, ...]:
    """The arguments that start a sub-command of this program. Modules in the current folder cannot shadow others."""
    return (sys.executable, *arguments) if is_frozen() else (sys.executable, "-P", "-m", "tandem_desktop", *arguments)


def own_files() -> tuple[Path, ...]:
    """The files a child must be able to read to run this program, or one of its scripts."""
    return (Path(sys.executable),) if is_frozen() else (Path(sys.executable), Path(__file__))


def own_script(script: str, *arguments: str, frozen: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments that start a module that needs only the standard library.

    `frozen` is the equivalent sub-command of a frozen program. Started by its file it is fastest, and modules in the
    current folder cannot shadow others.
    """
    if is_frozen():
        return (sys.executable, *frozen)
    return (sys.executable, "-I", "-S", str(Path(script).resolve()), *arguments)


def own_module(module: str, *, frozen: tuple[str, ...]) -> tuple[str, ...]:
    """The arguments that start a module of this program, which may need what is installed with it.

    `frozen` is the equivalent sub-command of a frozen program. Modules in the current folder cannot shadow others.
    """
    return (sys.executable, *frozen) if is_frozen() else (sys.executable, "-I", "-m", module)


def leave_bundle_out_of(environment: MutableMapping[str, str]) -> None:
    """Restore the person's library search paths for children of a frozen program.

    Call it once, before anything is started: this process has read them already. A git or an editor that loaded the
    bundle's libraries would fail in confusing ways.
    """
    if not is_frozen():
        return
    for name in _SEARCH_PATHS:
        before = environment.pop(f"{name}{_SAVED}", None)
        environment.pop(name, None)
        if before:
            environment[name] = before
    for name in [each for each in environment if each in _OF_THE_BUNDLE or each.startswith(_OF_THE_LOADER)]:
        del environment[name]
