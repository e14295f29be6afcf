"""The frozen base model of all stored and published values."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pydantic
from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value. A change makes a new one."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


NOTHING_ELSE = ConfigDict(extra="forbid")
"""For a stored dataclass: unknown fields are refused when it is read."""


@contextmanager
def quick_models() -> Iterator[None]:
    """Models of a library imported in here are built when first used, without descriptions from their docstrings.

    The library of the agent protocol builds hundreds of models, half of its import, for the dozen that a turn uses.
    """
    usual = pydantic.ConfigDict

    def quick(**settings: Any) -> dict[str, Any]:
        return {**settings, "use_attribute_docstrings": False, "defer_build": True}

    pydantic.ConfigDict = quick  # type: ignore[misc, assignment]
    try:
        yield
    finally:
        pydantic.ConfigDict = usual  # type: ignore[misc]
