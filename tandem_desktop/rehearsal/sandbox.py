"""The sandbox in which rehearsed commands run."""

import contextlib
import os
import secrets
import stat
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from pathlib import Path

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.network import NetworkMode
from tandem_desktop.domain.operations import (
    Absent,
    CommandCall,
    DirectoryState,
    FileState,
    PathChange,
    StagedOperation,
)
from tandem_desktop.domain.paths import ROOT, shown
from tandem_desktop.execution.commands import RunControl, shell_argv
from tandem_desktop.processes.child import ProcessOutcome, find_program, run_child, scrubbed_environment
from tandem_desktop.shadow.factory import open_shadow
from tandem_desktop.shadow.workspace import ShadowWorkspace
from tandem_desktop.staging.changes import difference, told
from tandem_desktop.storage import atomic
from tandem_desktop.storage.atomic import remove_tree
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import Locations
from tandem_desktop.storage.workspace import Workspace

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
class TrialEnvironment:
    """The environment of a trial."""

    skipped_pids: int = 0
    """Process numbers begin so much later."""
    environment: Mapping[str, str] = field(default_factory=dict)

    def argv(self, argv: Iterable[str], own: Container[str]) -> tuple[str, ...]:
        """The command with the variables it is given, except those the plan sets itself.

        They are handed over by `env`: a shell on the way would drop a function of another one.
        """
        given = [f"{name}={value}" for name, value in self.environment.items() if name not in own]
        env = find_program("env")
        return (env, *given, *argv) if given and env else tuple(argv)


USUAL = TrialEnvironment()


def others(now: datetime) -> TrialEnvironment:
    """Other process numbers, another time zone with another date, and a `date` that tells another day."""
    here = now.astimezone()
    offset = next(each for each in _FAR if here.astimezone(timezone(each)).date() != here.date())
    minutes = int(offset.total_seconds()) // 60
    # POSIX counts westwards.
    zone = f"Elsewhere{'-' if minutes > 0 else '+'}{abs(minutes) // 60}:{abs(minutes) % 60:02}"
    return TrialEnvironment(_OTHER_PIDS, {"TZ": zone, "BASH_FUNC_date%%": _DATE})


_SCRIPT = """\
report=$1
pids=$2
shift 2
while [ "$pids" -gt 0 ]; do
    (:)
    pids=$((pids - 1))
done
"$@"
code=$?
{
    for each in /proc/[0-9]*/status; do
        while read -r name value rest; do
            [ "$name" = State: ] && echo "process $value"
        done < "$each"
    done
    for table in /proc/net/snmp /proc/net/snmp6; do
        while read -r line; do
            echo "$line"
        done < "$table"
    done
} > "$report" 2> /dev/null
exit $code
"""
"""Only what the shell itself can do: the search path inside is the command's own."""
_OWN_PROCESSES = 2
_ENDED = ("Z", "X")
_IN_VAIN = {("Ip:", "OutNoRoutes"), ("Tcp:", "AttemptFails"), ("Udp:", "NoPorts")}
"""Kernel counters of attempts to reach a network or a local service that is not there."""
_IN_VAIN_6 = ("Ip6OutNoRoutes", "Udp6NoPorts")


@dataclass(frozen=True, slots=True)
class Watched:
    """The watcher's report at the end of a command; empty if it was killed."""

    wanted_network: bool = False
    left_processes: bool = False


def watched_argv(argv: Iterable[str], report: str, skipped_pids: int) -> tuple[str, ...]:
    """`argv` in a wrapper that writes `report` when it has ended; process numbers begin `skipped_pids` later."""
    shell = find_program("sh") or "/bin/sh"
    return (shell, "-c", _SCRIPT, "tandem-rehearsal", report, str(skipped_pids), *argv)


def read_report(text: str) -> Watched:
    """What the report says."""
    lines = [line.split() for line in text.splitlines()]
    running = sum(words[0] == "process" and words[1] not in _ENDED for words in lines if len(words) > 1)
    return Watched(wanted_network=_asked_in_vain(lines), left_processes=running > _OWN_PROCESSES)


def _asked_in_vain(lines: list[list[str]]) -> bool:
    names: dict[str, list[str]] = {}
    for words in lines:
        if not words:
            continue
        if words[0] in _IN_VAIN_6 and words[-1] != "0":
            return True
        if words[0] not in names:
            names[words[0]] = words
            continue
        counted = dict(zip(names[words[0]], words, strict=False))
        if any(counted.get(name, "0") != "0" for table, name in _IN_VAIN if table == words[0]):
            return True
    return False


REPORT_VARIABLE = "TANDEM_REPORT"
"""Names the file that a command may write its report to."""
_REPORT = "report"
_MOST_WATCHED = 1 << 20
_PREFIX = "rehearsal-"
_TEMPORARY = ("/tmp", "/var/tmp")

OnOutput = Callable[[OperationId, bytes], None]
Look = dict[str, PathChange]


@dataclass(frozen=True, slots=True)
class CommandTrial:
    """How one command went."""

    exit_code: int
    output: bytes
    seconds: float
    timed_out: bool
    aborted: bool
    effects: tuple[PathChange, ...]
    refused: tuple[tuple[str, str], ...]
    """Paths it changed in a way that cannot be kept, each with the reason."""
    outside: tuple[Path, ...]
    watched: Watched


class RehearsalSandbox:
    """One shadow, for one rehearsal."""

    def __init__(self, shadow: ShadowWorkspace, folder: Path, *, network: bool, budget_bytes: int) -> None:
        self._shadow = shadow
        self._report = folder / "report"
        self._network = network
        self._budget_bytes = budget_bytes
        self._look: Look = {}
        self._is_stale = True
        self._outside: dict[Path, tuple[int, ...]] = {}

    @property
    def obstacle(self) -> str:
        """Why no command can be rehearsed here; empty if one can."""
        confinement = self._shadow.confinement
        if not confinement.confined:
            return f"nothing here could hold it back ({self.words})"
        return (
            "" if confinement.is_in_place else f"it would not find the shadow in the workspace's place ({self.words})"
        )

    @property
    def words(self) -> str:
        mode = NetworkMode.OPEN if self._network else NetworkMode.OFF
        return self._shadow.confinement.with_network(mode).description

    def carry_out(self, operation: StagedOperation) -> None:
        """Apply a file operation.

        Raises:
            StepRefusedError: the path is no longer what the operation was made for.
        """
        for change in operation.changes():
            found = self._shadow.state(change.path)
            differs = difference(change.before, found)
            if differs is not None:
                raise StepRefusedError(
                    f"{shown(change.path)} {told(differs, change.before, found)}.", path=change.path, step=operation.id
                )
        self._shadow.let(operation.changes())
        self._is_stale = True

    def run(
        self,
        operation: OperationId,
        call: CommandCall,
        control: RunControl,
        on_output: OnOutput,
        how: TrialEnvironment = USUAL,
    ) -> CommandTrial:
        """Run a command to its end and see what it did.

        Raises:
            StepRefusedError: the folder it is to run in is not there.
        """
        self._check_folder(call)
        before = self._looked()
        atomic.replace(self._report, b"", mode=0o600)
        done, seconds = self._start(
            watched_argv(how.argv(shell_argv(call.command), dict(call.env)), str(self._report), how.skipped_pids),
            call,
            control,
            self._report,
            on_output=lambda chunk: on_output(operation, chunk),
        )
        return CommandTrial(
            exit_code=done.exit_code,
            output=done.output,
            seconds=seconds,
            timed_out=done.timed_out,
            aborted=done.aborted,
            effects=_since(before, self._looked()),
            refused=self._shadow.refused,
            outside=self._newly_outside(),
            watched=read_report(self._report.read_text(errors="replace")),
        )

    def look_at(
        self,
        call: CommandCall,
        control: RunControl,
        on_output: Callable[[bytes], None],
        on_error: Callable[[bytes], None],
    ) -> CommandTrial:
        """Run a command only for what it says: what it does to the files is not looked at.

        It may write to the file that `REPORT_VARIABLE` names, which `report` reads.

        Raises:
            StepRefusedError: the folder it is to run in is not there.
        """
        self._check_folder(call)
        reports = self._report.with_name("reports")
        remove_tree(reports)
        atomic.make_directory(reports, mode=0o700)
        watched = reports / "watched"
        named = call.model_copy(update={"env": (*call.env, (REPORT_VARIABLE, str(reports / _REPORT)))})
        done, seconds = self._start(
            watched_argv(shell_argv(call.command), str(watched), 0), named, control, reports, on_output, on_error
        )
        said = _read_regular(watched, _MOST_WATCHED) or b""
        return CommandTrial(
            exit_code=done.exit_code,
            output=done.output,
            seconds=seconds,
            timed_out=done.timed_out,
            aborted=done.aborted,
            effects=(),
            refused=(),
            outside=self._newly_outside(),
            watched=read_report(said.decode("utf-8", "replace")),
        )

    def report(self, most_bytes: int, path: str = "") -> bytes | None:
        """What the last command wrote as its report, or to a file of the shadow; at most one byte more than is allowed.

        None where there is no such file.
        """
        if path:
            state = self._shadow.state(path)
            return self._shadow.read(path)[: most_bytes + 1] if isinstance(state, FileState) else None
        return _read_regular(self._report.with_name("reports") / _REPORT, most_bytes + 1)

    def _check_folder(self, call: CommandCall) -> None:
        if call.cwd != ROOT and not isinstance(self._shadow.state(call.cwd), DirectoryState):
            raise StepRefusedError(f"{shown(call.cwd)}, where the command would run, is not a directory.")

    def _start(
        self,
        argv: tuple[str, ...],
        call: CommandCall,
        control: RunControl,
        writable: Path,
        on_output: Callable[[bytes], None],
        on_error: Callable[[bytes], None] | None = None,
    ) -> tuple[ProcessOutcome, float]:
        launch = self._shadow.rehearse(
            argv,
            environment=scrubbed_environment(dict(call.env)),
            cwd=call.cwd,
            network=self._network,
            report=writable,
        )
        started = time.monotonic()
        outcome = run_child(
            launch.argv,
            cwd=launch.cwd,
            environment=launch.environment,
            timeout_s=call.timeout_s,
            should_abort=lambda: control.is_aborted,
            on_output=on_output,
            on_error=on_error,
        )
        self._is_stale = True
        return outcome, time.monotonic() - started

    def take_back(self, effects: Iterable[PathChange]) -> None:
        """Put the paths of a failed command back, as a run would never have shown them."""
        backwards = [PathChange(path=each.path, before=each.after, after=each.before) for each in effects]
        going = [each for each in backwards if isinstance(each.after, Absent)]
        coming = [each for each in backwards if not isinstance(each.after, Absent)]
        self._shadow.let(sorted(going, key=lambda each: each.path, reverse=True))
        self._shadow.let(sorted(coming, key=lambda each: each.path))
        self._is_stale = True

    def _looked(self) -> Look:
        if self._is_stale:
            found = self._shadow.differences(self._budget_bytes)
            self._look = {change.path: change for change in found}
            self._is_stale = False
        return self._look

    def _newly_outside(self) -> tuple[Path, ...]:
        earlier, self._outside = self._outside, self._shadow.written_outside()
        return tuple(sorted(place for place, marks in self._outside.items() if earlier.get(place) != marks))


class RehearsalSandboxes:
    """Sets up sandboxes, and removes those of killed processes."""

    def __init__(self, workspace: Workspace, locations: Locations, objects: ObjectStore, budget_bytes: int) -> None:
        self._workspace = workspace
        self._locations = locations
        self._objects = objects
        self._budget_bytes = budget_bytes
        self._own: set[Path] = set()
        """Those of this process: one that is just being made has no lock yet that would protect it."""

    @contextmanager
    def open(self, *, network: bool) -> Iterator[RehearsalSandbox]:
        """A sandbox that is removed at the end, also after an error.

        Raises:
            ShadowError: there can be none.
        """
        self.sweep()
        folder = self._locations.shadows / f"{_PREFIX}{secrets.token_hex(8)}"
        self._own.add(folder)
        try:
            yield from self._opened(folder, network=network)
        finally:
            self._own.discard(folder)

    def _opened(self, folder: Path, *, network: bool) -> Iterator[RehearsalSandbox]:
        home = Path(scrubbed_environment().get("HOME", "/"))
        shadow = open_shadow(
            self._workspace,
            folder,
            self._objects,
            masked=(self._locations.state,),
            person_home=home,
            outside=_places(home, self._workspace.path),
        )
        try:
            yield RehearsalSandbox(shadow, folder, network=network, budget_bytes=self._budget_bytes)
        finally:
            shadow.discard()

    def sweep(self) -> None:
        """Remove sandboxes without an owner."""
        for leftover in self._locations.shadows.glob(f"{_PREFIX}*"):
            if leftover in self._own or _is_empty(leftover):
                continue
            with contextlib.suppress(OSError), atomic.held_or_busy(leftover / "lock") as free:
                if free:
                    remove_tree(leftover)


def _places(home: Path, workspace: Path) -> tuple[Path, ...]:
    """Where a command may write besides the workspace, outermost first; a link is named by what it leads to.

    Each gets layers of its own, also inside another: another user's folder on the way could not be copied.
    """
    named = (home, *map(Path, _TEMPORARY), Path(os.environ.get("TMPDIR", _TEMPORARY[0])))
    real = sorted({place.resolve() for place in named if place.is_dir()})
    return tuple(place for place in real if place != Path("/") and not place.is_relative_to(workspace))


def _is_empty(folder: Path) -> bool:
    """Whether nothing is in it yet: another process is just making it, and takes its lock next."""
    try:
        return not os.listdir(folder)
    except OSError:
        return True


def _read_regular(path: Path, most_bytes: int) -> bytes | None:
    """The beginning of a file that a command may have left, which may as well be a link or a pipe; then None."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(fd, "rb") as file:
        return file.read(most_bytes) if stat.S_ISREG(os.fstat(fd).st_mode) else None


def _since(before: Look, now: Look) -> tuple[PathChange, ...]:
    """The change of each path between two scans."""
    found = []
    for path in sorted(before.keys() | now.keys()):
        old = before[path].after if path in before else now[path].before
        new = now[path].after if path in now else before[path].before
        if old != new:
            found.append(PathChange(path=path, before=old, after=new))
    return tuple(found)
