"""Models of pydantic itself: for input with rules of its own, and for libraries that bring theirs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pydantic
from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A value with validators of its own. Importing pydantic for it takes as long as a short call."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


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
