"""The classes of attacks: each module of this folder that lists `ATTACKS`."""

import importlib
from pathlib import Path

from tests.attacks.attack import Attack

_NOT_A_CLASS = {"__init__", "__main__", "attack", "corpus", "test_attacks"}


def classes() -> list[str]:
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in _NOT_A_CLASS)


def attacks(name: str) -> list[Attack]:
    listed: list[Attack] = importlib.import_module(f"tests.attacks.{name}").ATTACKS
    return listed
