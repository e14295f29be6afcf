"""The frozen base model of all stored and published values."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value. A change makes a new one."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


NOTHING_ELSE = ConfigDict(extra="forbid")
"""For a stored dataclass: unknown fields are refused when it is read."""
