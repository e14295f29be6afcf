"""Paths as people write them."""

from pathlib import Path


def from_home(path: Path | str) -> str:
    """`~/projects/orders` for what lies in the person's home; anything else as it is."""
    home = Path.home()
    is_inside = home != home.parent and Path(path).is_relative_to(home)
    return str("~" / Path(path).relative_to(home)) if is_inside else str(path)
