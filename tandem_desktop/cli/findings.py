"""What a check found: how bad it is, in words, and how to mend it."""

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much a finding matters."""

    OK = "ok"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the doctor."""

    name: str
    level: Level
    message: str
    next: str = ""

    def as_object(self) -> dict[str, str]:
        return {"name": self.name, "level": self.level.value, "message": self.message, "next": self.next}
