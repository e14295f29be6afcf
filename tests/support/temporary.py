"""Folders of their own among the temporary files, which a sandbox hides."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

MakeFolder = Callable[[], Path]


@contextmanager
def temporary_folders() -> Iterator[MakeFolder]:
    """Makes as many as are asked for; all are gone afterwards."""
    made: list[Path] = []

    def make() -> Path:
        made.append(Path(tempfile.mkdtemp(prefix="tandem-", dir="/tmp")))
        return made[-1]

    try:
        yield make
    finally:
        for folder in made:
            shutil.rmtree(folder)


def make_program(place: Path, first_line: str = "", rest: str = "") -> Path:
    """A file that may be run, with the folders it lies in."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"{first_line}\n{rest}")
    place.chmod(0o755)
    return place
