"""What is different when a command is played again, so that a result that hangs on it does not come out the same."""

import shutil
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone

_OTHER_PIDS = 23
_FAR = (timedelta(hours=13, minutes=17), timedelta(hours=-11, minutes=-43))
"""More than a day apart: whatever the date is here, it is another one in at least one of them."""
_DATE = """() {
 local word
 for word in "$@"; do
  case $word in
   --date*|--reference*|--file*|--set*) command date "$@"; return;;
   --*) ;;
   -*[dfrs]*) command date "$@"; return;;
  esac
 done
 command date -d '400 days 5 hours 7 minutes' "$@"
}"""
"""`date` for every bash that is started: another year, month, weekday, hour and minute, unless a moment is named."""


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How a command is played."""

    skipped_pids: int = 0
    """Process numbers begin so much later."""
    environment: Mapping[str, str] = field(default_factory=dict)

    def argv(self, argv: Iterable[str], own: Container[str]) -> tuple[str, ...]:
        """The command with the variables it is given, except those the plan sets itself.

        They are handed over by `env`: a shell on the way would drop a function of another one.
        """
        given = [f"{name}={value}" for name, value in self.environment.items() if name not in own]
        env = shutil.which("env")
        return (env, *given, *argv) if given and env else tuple(argv)


USUAL = Circumstances()


def others(now: datetime) -> Circumstances:
    """Other process numbers, another time zone with another date, and a `date` that tells another day."""
    here = now.astimezone()
    offset = next(each for each in _FAR if here.astimezone(timezone(each)).date() != here.date())
    minutes = int(offset.total_seconds()) // 60
    # POSIX counts westwards.
    zone = f"Elsewhere{'-' if minutes > 0 else '+'}{abs(minutes) // 60}:{abs(minutes) % 60:02}"
    return Circumstances(_OTHER_PIDS, {"TZ": zone, "BASH_FUNC_date%%": _DATE})
