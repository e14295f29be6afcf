"""Creates the sample workspace."""

from pathlib import Path

from tandem_desktop.storage import atomic
from tandem_desktop.storage.paths import default_state_directory, resource


def make_sample() -> Path:
    """The path of the sample project; it is created if missing."""
    source = resource("sample/workspace")
    target = default_state_directory().parent / "tandem-sample"
    for path in sorted(each for each in source.rglob("*") if "__pycache__" not in each.parts):  # compiled by pip
        copy = target / path.relative_to(source)
        if path.is_dir():
            atomic.make_directory(copy)
        elif not copy.exists():
            atomic.make_directory(copy.parent)
            atomic.replace(copy, path.read_bytes())
    return target
