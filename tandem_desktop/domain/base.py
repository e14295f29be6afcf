"""The frozen base model of all stored and published values."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value. A change makes a new one."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


NOTHING_ELSE = ConfigDict(extra="forbid")
"""For a dataclass that is stored: read back, it carries nothing it was not told about either."""
