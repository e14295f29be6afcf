"""Runs checks in throw-away shadows: of the workspace as it is, and with a plan."""

import logging
import os
import re
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic_core import ValidationError

from tandem_desktop.checks.catalog import Check
from tandem_desktop.checks.evidence import SideResult
from tandem_desktop.checks.reports import MOST_REPORT_BYTES, CheckReport, ReportError, read_report
from tandem_desktop.domain.approval import canonical, digest
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import TandemError, UserAbortError
from tandem_desktop.domain.operations import CommandCall, StagedOperation
from tandem_desktop.domain.paths import shown
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.processes.child import scrubbed_environment
from tandem_desktop.rehearsal.sandbox import CommandTrial, RehearsalSandbox, RehearsalSandboxes
from tandem_desktop.storage import atomic, syscalls

_log = logging.getLogger(__name__)

MOST_KEPT = 2_000
_FORMAT = 2
_OUTPUT_TAIL = 8_000
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126
_SAYS_ON_STDERR = ("govet",)
_NEEDS_REPORT = ("junit", "jest", "sarif", "ruff", "pyright", "eslint")
"""Formats in which nothing at all is no report."""
_TEMPORARY = ("/tmp", "/var/tmp")
_NO_TERMINAL = re.compile(
    rb"/dev/tty|(?:not|requires|no) (?:an? )?(?:interactive )?(?:tty|terminal)|inappropriate ioctl"
    rb"|EOF when reading a line",
    re.IGNORECASE,
)
"""How programs say that they have no terminal."""


@dataclass(frozen=True, slots=True)
class CheckJob:
    """One check on one tree: the workspace with these operations carried out."""

    check: Check
    operations: tuple[StagedOperation, ...]
    tree: str
    """The digest of that tree."""
    first: str = ""
    """The command for some of its tests alone, to know early; empty where there is none."""

    @property
    def key(self) -> str:
        """What the result depends on. The time limit is not part of it: a check that reached it leaves no result."""
        fields = self.check.model_dump(mode="json", exclude={"timeout", "name", "affected"})
        return digest("check-result:1", canonical([self.tree, fields]))


class _StoredResult(Frozen):
    format: int = _FORMAT
    result: SideResult


class ResultStore:
    """Results by tree and command, in the state folder; only whole ones are kept, and the newest of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, job: CheckJob) -> SideResult | None:
        try:
            record = _StoredResult.model_validate_json(self._path(job).read_bytes())
        except (OSError, ValidationError):
            return None
        return record.result if record.format == _FORMAT else None

    def save(self, job: CheckJob, result: SideResult) -> None:
        with suppress(OSError):
            atomic.make_directory(self._folder, mode=0o700)
            atomic.replace(
                self._path(job), _StoredResult(result=result).model_dump_json().encode(), mode=0o600, durable=False
            )
            self._forget_oldest()

    def _path(self, job: CheckJob) -> Path:
        return self._folder / f"{job.key}.json"

    def _forget_oldest(self) -> None:
        with os.scandir(self._folder) as entries:
            found = [(entry.stat().st_mtime_ns, entry.path) for entry in entries]
        for _, path in sorted(found)[: -MOST_KEPT or None]:
            with suppress(OSError):
                syscalls.unlink(path)


OnDone = Callable[[CheckJob, SideResult], None]


class CheckRunner:
    """Runs each check in a shadow of its own, so that none sees what another left."""

    def __init__(self, sandboxes: RehearsalSandboxes, results: ResultStore, workspace: Path) -> None:
        self._sandboxes = sandboxes
        self._results = results
        self._workspace = workspace

    def kept(self, jobs: Iterable[CheckJob]) -> tuple[SideResult, ...] | None:
        """The stored results of all of them; None if one is missing."""
        found = tuple(self._results.load(job) for job in jobs)
        complete = tuple(each for each in found if each is not None)
        return complete if len(complete) == len(found) else None

    def run_all(
        self,
        jobs: Sequence[CheckJob],
        control: RunControl,
        *,
        timeout_s: int | None = None,
        again: bool = False,
        on_done: OnDone = lambda job, result: None,
        on_first: OnDone = lambda job, result: None,
    ) -> tuple[SideResult, ...]:
        """The results in the order of the jobs: stored ones, and the others run side by side where cores allow.

        What a job has to run `first` runs ahead of everything else, is told by `on_first`, and counts for nothing.

        Raises:
            UserAbortError: it was stopped; nothing is left running.
        """
        known: dict[str, SideResult] = {}
        waiting: dict[str, CheckJob] = {}
        for job in {job.key: job for job in jobs}.values():
            stored = None if again else self._results.load(job)
            if stored is None:
                waiting[job.key] = job
            else:
                known[job.key] = stored
                on_done(job, stored)

        def run(job: CheckJob) -> SideResult:
            result = self._run(job, control, timeout_s or job.check.timeout)
            if not result.problem and not control.is_aborted:
                self._results.save(job, result)
            on_done(job, result)
            return result

        def run_first(job: CheckJob) -> None:
            alone = replace(job, check=job.check.model_copy(update={"command": job.first}))
            on_first(job, self._run(alone, control, timeout_s or job.check.timeout))

        if waiting:
            with ThreadPoolExecutor(_workers(len(waiting)), thread_name_prefix="check") as pool:
                ahead = [pool.submit(run_first, job) for job in waiting.values() if job.first]
                known.update(zip(waiting, pool.map(run, waiting.values()), strict=True))
            for each in ahead:
                each.result()
        if control.is_aborted:
            raise UserAbortError("The checks were stopped; nothing was changed.", next="Run them again when you like.")
        return tuple(known[job.key] for job in jobs)

    def _run(self, job: CheckJob, control: RunControl, timeout_s: int) -> SideResult:
        if control.is_aborted:
            return SideResult(exit=None, has_run=False, problem="it was stopped")
        try:
            with self._sandboxes.open(network=False) as sandbox:
                if sandbox.obstacle:
                    return SideResult(exit=None, has_run=False, problem=f"it was not run: {sandbox.obstacle}")
                if why := _prepare(sandbox, job.operations, control):
                    return SideResult(exit=None, has_run=False, problem=why)
                return self._looked(job.check, sandbox, control, timeout_s)
        except TandemError as refusal:
            return SideResult(exit=None, has_run=False, problem=refusal.message.rstrip("."))
        except OSError as error:
            return SideResult(exit=None, has_run=False, problem=f"it could not be run: {error.strerror or error}")

    def _looked(self, check: Check, sandbox: RehearsalSandbox, control: RunControl, timeout_s: int) -> SideResult:
        said, complained = _Collected(MOST_REPORT_BYTES), _Collected(_OUTPUT_TAIL * 8)
        call = CommandCall(command=check.command, cwd=check.cwd, timeout_s=timeout_s)
        done = sandbox.look_at(call, control, said.add, complained.add)
        _log.debug("check %s: exit code %d, %.1f s", check.name, done.exit_code, done.seconds)
        report, problem = CheckReport(), _mishap(check, done, timeout_s)
        if not problem:
            try:
                report = read_report(
                    check.format, _report_of(check, sandbox, said, complained), str(self._workspace), check.cwd
                )
            except ReportError as error:
                problem = _without_report(str(error), done)
            except TandemError as error:
                problem = error.message.rstrip(".")
        if report.is_cut:
            problem = f"it reports more than {len(report.diagnostics):,} messages; the rest is left out"
        return SideResult(
            exit=None if done.timed_out or done.aborted else done.exit_code,
            passed=tuple(report.passed),
            failed=tuple(report.failed),
            counts_tests=report.counts_tests,
            diagnostics=tuple(report.diagnostics),
            places=report.places,
            problem=problem,
            notes=tuple(_notes(done)),
            output=done.output.decode("utf-8", "replace")[-_OUTPUT_TAIL:],
            seconds=round(done.seconds, 3),
        )


def _workers(jobs: int) -> int:
    return max(1, min(jobs, len(os.sched_getaffinity(0))))


def beside(jobs: int) -> int:
    """How many groups of so many jobs may run side by side."""
    return max(1, len(os.sched_getaffinity(0)) // _workers(jobs))


class _Collected:
    """The beginning of an output, up to one byte more than may be read."""

    def __init__(self, most: int) -> None:
        self.data = bytearray()
        self._most = most

    def add(self, chunk: bytes) -> None:
        room = self._most + 1 - len(self.data)
        if room > 0:
            self.data += chunk[:room]


def _prepare(sandbox: RehearsalSandbox, operations: Iterable[StagedOperation], control: RunControl) -> str:
    """Carry the operations out in the shadow; why that cannot be done, as a clause."""
    for operation in operations:
        if control.is_aborted:
            return "it was stopped"
        call = operation.command_call
        if operation.kind.spec.is_external:
            return f"{operation.id} is an external call, which cannot be made here"
        if call is None:
            sandbox.carry_out(operation)
            continue
        done = sandbox.look_at(call, control, _ignored, _ignored)
        if done.timed_out or done.exit_code:
            how = "took too long" if done.timed_out else f"ended with {done.exit_code}"
            return f"the command of {operation.id} {how} in the shadow"
    return ""


def _ignored(chunk: bytes) -> None:
    """Not looked at."""


def _report_of(check: Check, sandbox: RehearsalSandbox, said: _Collected, complained: _Collected) -> bytes:
    found = sandbox.report(MOST_REPORT_BYTES, check.report)
    if found is None and check.report:
        raise ReportError(f"it left no report at {shown(check.report)}")
    if not found:
        found = bytes(said.data + complained.data) if check.format in _SAYS_ON_STDERR else bytes(said.data)
    if not found.strip() and check.format in _NEEDS_REPORT:
        raise ReportError("it left no report")
    return found


def _mishap(check: Check, done: CommandTrial, timeout_s: int) -> str:
    """Why a check has no result, told from how it ended."""
    if done.timed_out:
        return f"it took longer than {timeout_s} s and was ended"
    if done.aborted:
        return "it was stopped"
    if done.exit_code in (_NOT_FOUND, _NOT_EXECUTABLE):
        return f"its program cannot be started ({_last_line(done.output) or check.command})"
    return ""


def _without_report(reason: str, done: CommandTrial) -> str:
    last = _last_line(done.output)
    return f"{reason} (exit code {done.exit_code}{f', {last}' if last else ''})"


def _last_line(output: bytes) -> str:
    lines = [line.strip() for line in output[-4000:].decode("utf-8", "replace").splitlines() if line.strip()]
    return shown(lines[-1], 200) if lines else ""


def _notes(done: CommandTrial) -> Iterable[str]:
    if done.watched.wanted_network:
        yield "it wanted the network, and checks have none"
    if done.exit_code and _NO_TERMINAL.search(done.output[-_OUTPUT_TAIL:]):
        yield "it wanted a terminal, and checks have none"
    if done.watched.left_processes:
        yield "it left processes running, which were ended with it"
    outside = [place for place in done.outside if not _is_usual(place)]
    if outside:
        more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
        yield f"it wrote outside the workspace, which was thrown away: {shown(str(outside[0]))}{more}"


def _is_usual(place: Path) -> bool:
    """Whether programs write there without meaning anything by it: caches and temporary files."""
    home = Path(scrubbed_environment().get("HOME", "/"))
    if place.is_relative_to(home):
        return any(place.is_relative_to(home / each) for each in (".cache", ".npm", ".cargo"))
    return any(place.is_relative_to(each) for each in (*_TEMPORARY, os.environ.get("TMPDIR", _TEMPORARY[0])))
