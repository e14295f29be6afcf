"""The one base of every stored or published value: it cannot change and carries nothing it was not told about."""

from pydantic import BaseModel, ConfigDict


class Frozen(BaseModel):
    """A value. A change makes a new one."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


NOTHING_ELSE = ConfigDict(extra="forbid")
"""For a dataclass that is stored: read back, it carries nothing it was not told about either."""
