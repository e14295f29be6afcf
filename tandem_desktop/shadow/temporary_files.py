"""The common folder for temporary files is hidden in a sandbox: what of it a program cannot do without."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

COMMON_TEMPORARY = Path("/tmp")
_MOST_LINKS = 40
_PARTS = ("bin", "lib", "lib64", "libexec", "share", "pyvenv.cfg")
"""What belongs to the programs in a folder `bin`: beside it lie their libraries, and perhaps somebody's files."""


def folders_of(files: Iterable[Path]) -> tuple[Path, ...]:
    """The outermost folders in which the files lie, and every place their links lead through."""
    inside = (step for file in files for step in _way(file) if _is_hidden(step))
    return tuple(sorted({COMMON_TEMPORARY / step.relative_to(COMMON_TEMPORARY).parts[0] for step in inside}))


def searched_for_programs(search_path: str) -> tuple[Path, ...]:
    """The folders in which programs are searched, with what these need; nothing else of a person's files."""
    folders = {Path(os.path.normpath(each)) for each in search_path.split(os.pathsep) if each.startswith("/")}
    parts = (part for folder in folders if _is_hidden(folder) for part in _parts(folder))
    return tuple(sorted(part for part in parts if part.exists()))


def _is_hidden(place: Path) -> bool:
    return COMMON_TEMPORARY in place.parents


def _parts(folder: Path) -> Iterator[Path]:
    if folder.name != "bin" or not _is_hidden(folder.parent):
        yield folder
        return
    for name in _PARTS:
        yield folder.parent / name


def _way(place: Path) -> Iterator[Path]:
    """A path, and every place its links lead through."""
    for _ in range(_MOST_LINKS):
        yield place
        if not place.is_symlink():
            break
        place = place.parent / place.readlink()
    yield place.resolve()
