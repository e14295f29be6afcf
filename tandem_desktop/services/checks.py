"""Checks of plans: which there are, whether a person accepted them, and what they say about a revision."""

import json
import threading
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tandem_desktop.checks.affected import affected_command
from tandem_desktop.checks.catalog import Check, CheckList, load_checks
from tandem_desktop.checks.evidence import (
    CheckEvidence,
    Evidence,
    Origins,
    PlacedDiagnostic,
    SideResult,
    compare,
    evidence_json,
    placed,
)
from tandem_desktop.checks.import_graph import ImportGraph, is_test
from tandem_desktop.checks.runner import CheckJob, CheckRunner
from tandem_desktop.checks.trees import TreeDigest, TreeDigests
from tandem_desktop.domain.errors import BadInputError, ChecksNotAcceptedError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import AffectedTestsFinished, CheckFinished, ChecksEnded, ChecksStarted
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.operations import Absent
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.storage import atomic
from tandem_desktop.storage.errors import writing
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

_MOST_NAMED = 20
_LONG_S = 5.0
"""A check that takes less is over before a part of it would have been told."""
_MOST_ACCEPTED = 200
"""Lists that are remembered as accepted, for all workspaces together."""


class AcceptedChecks:
    """Digests of lists that a person accepted, each for one workspace; never kept in a workspace."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()

    def holds(self, workspace: str, digest: str) -> bool:
        return f"{workspace} {digest}" in self._load()

    def add(self, workspace: str, digest: str) -> None:
        entry = f"{workspace} {digest}"
        with self._lock, writing(self._path):
            atomic.make_directory(self._path.parent, mode=0o700)
            with atomic.held(self._path.with_name("accepted.lock")):
                entries = [*(each for each in self._load() if each != entry), entry][-_MOST_ACCEPTED:]
                atomic.replace(self._path, json.dumps(entries).encode(), mode=0o600)

    def _load(self) -> list[str]:
        with suppress(OSError, ValueError):
            found = json.loads(self._path.read_bytes())
            if isinstance(found, list):
                return [each for each in found if isinstance(each, str)]
        return []


@dataclass(frozen=True, slots=True)
class OfferedChecks:
    """The list of a workspace, and whether it may be run."""

    list: CheckList
    is_accepted: bool


@dataclass(frozen=True, slots=True)
class PlanEvidence:
    """The evidence about one revision."""

    plan_id: PlanId
    revision: int
    evidence: Evidence

    def as_json(self) -> dict[str, Any]:
        """The contract for scripts, of the command line and the API alike."""
        return {
            "plan_id": self.plan_id,
            "revision": self.revision,
            "summary": self.evidence.summary,
            "digest": self.evidence.digest,
            **evidence_json(self.evidence),
        }


class Checks:
    """Runs the checks of a workspace before and with a plan. Nothing is run that the person has not accepted."""

    def __init__(
        self,
        *,
        workspace: Workspace,
        runner: CheckRunner,
        trees: TreeDigests,
        accepted: AcceptedChecks,
        plans: PlanStore,
        objects: ObjectStore,
        events: EventStream,
    ) -> None:
        self._workspace = workspace
        self._runner = runner
        self._trees = trees
        self._accepted = accepted
        self._plans = plans
        self._objects = objects
        self._events = events

    def offered(self) -> OfferedChecks:
        """The list as it is now.

        Raises:
            BadInputError: `.tandem/checks.toml` cannot be understood.
        """
        found = load_checks(self._workspace.path)
        return OfferedChecks(found, self._accepted.holds(self._workspace.identity.key, found.digest))

    def accept(self, digest: str) -> None:
        """The person has seen this list and lets it run, from now on.

        Raises:
            ChecksNotAcceptedError: the list is another one by now.
        """
        found = load_checks(self._workspace.path)
        if found.digest != digest:
            raise _not_accepted("The list of checks has changed since it was shown")
        self._accepted.add(self._workspace.identity.key, digest)

    def run(
        self,
        plan_id: PlanId,
        revision: int | None = None,
        *,
        only: tuple[str, ...] = (),
        timeout_s: int | None = None,
        again: bool = False,
        control: RunControl | None = None,
    ) -> PlanEvidence:
        """Run the checks before and with one revision, by default the latest; progress is published.

        Raises:
            ChecksNotAcceptedError: the person has not accepted this list; nothing was run.
            BadInputError: there is no such check, or none at all.
            UserAbortError: it was stopped.
        """
        checks = self.may_run(only)
        version = self._plans.revision(plan_id, revision)
        files = _PlanFiles(self._trees.now(), version, self._workspace, self._objects)
        jobs = self._jobs(checks, files, with_first=True)
        self._events.publish(ChecksStarted(plan_id=plan_id, revision=version.revision, total=len(jobs)))
        progress = _Progress(version, len(jobs), self._events)
        try:
            found = self._runner.run_all(
                jobs,
                control or RunControl(),
                timeout_s=timeout_s,
                again=again,
                on_done=progress.done,
                on_first=progress.first,
            )
        finally:
            self._events.publish(ChecksEnded(plan_id=plan_id, revision=version.revision))
        return PlanEvidence(plan_id, version.revision, self._evidence(checks, files, jobs, found))

    def kept(self, version: PlanVersion) -> Evidence | None:
        """What is known about exactly this revision on the files as they are; None where a check has to run first."""
        offered = self.offered()
        if not offered.is_accepted or not offered.list.checks:
            return None
        files = _PlanFiles(self._trees.now(), version, self._workspace, self._objects)
        jobs = self._jobs(offered.list.checks, files)
        found = self._runner.kept(jobs)
        return None if found is None else self._evidence(offered.list.checks, files, jobs, found)

    def may_run(self, only: tuple[str, ...] = ()) -> tuple[Check, ...]:
        """The checks to run.

        Raises:
            ChecksNotAcceptedError, BadInputError: as for `run`.
        """
        offered = self.offered()
        if not offered.list.checks:
            raise BadInputError(
                "No check was found here.", next="Write one into .tandem/checks.toml: see docs/checks.md."
            )
        if not offered.is_accepted:
            raise _not_accepted("These checks have not been accepted")
        return offered.list.only(only)

    @property
    def source(self) -> Workspace:
        """The files that are checked."""
        return self._workspace

    def tree(self) -> TreeDigest:
        """The digest of the files as they are."""
        return self._trees.now()

    def _jobs(
        self, checks: tuple[Check, ...], files: "_PlanFiles", *, with_first: bool = False
    ) -> tuple[CheckJob, ...]:
        """Each check before, then each with the plan."""
        after = files.tree.with_plan(files.version.operations)
        before = tuple(CheckJob(check, (), files.tree.value) for check in checks)
        first = [files.affected_command(job.check) if with_first and self._takes_long(job) else "" for job in before]
        return (
            *before,
            *(
                CheckJob(check, files.version.operations, after, alone)
                for check, alone in zip(checks, first, strict=True)
            ),
        )

    def _takes_long(self, job: CheckJob) -> bool:
        """Whether a part of the tests is worth a run ahead; assumed where it has never run."""
        known = self._runner.kept((job,))
        return known is None or known[0].seconds >= _LONG_S

    def _evidence(
        self,
        checks: tuple[Check, ...],
        files: "_PlanFiles",
        jobs: tuple[CheckJob, ...],
        found: tuple[SideResult, ...],
    ) -> Evidence:
        origins = Origins(files.version.operations, self._objects.read_state)
        compared = tuple(
            compare(check.name, check.command, check.subject, before, after)
            for check, before, after in zip(checks, found, found[len(checks) :], strict=False)
        )
        diagnostics: list[PlacedDiagnostic] = [each for check in compared for each in placed(check, origins)]
        diagnostics.sort(key=lambda each: (not each.new, each.path, each.line))
        return Evidence(
            tree_before=jobs[0].tree,
            tree_after=jobs[-1].tree,
            checks=compared,
            diagnostics=tuple(diagnostics),
            failing_paths=files.failing(compared, diagnostics),
        )


class _PlanFiles:
    """The files of the workspace with a plan, as far as one of them leads to another."""

    def __init__(self, tree: TreeDigest, version: PlanVersion, workspace: Workspace, objects: ObjectStore) -> None:
        self.tree = tree
        self.version = version
        self._workspace = workspace
        self._objects = objects
        self._after = {change.path: change.after for each in version.operations for change in each.changes()}

    def affected_command(self, check: Check) -> str:
        return affected_command(check, self._after, self._imports, self._read) if check.affected else ""

    def failing(self, checks: Iterable[CheckEvidence], diagnostics: Iterable[PlacedDiagnostic]) -> frozenset[str]:
        """The files of the plan that have a new message, that the report of a new failure names, or, where it names
        none but tests, those that are the fewest imports away from it.
        """
        found = {each.path for each in diagnostics if each.new and each.path in self._after}
        for check in checks:
            for name in check.new_failures:
                places = check.after.places.get(name, ())
                named = {each for each in places if each in self._after}
                found |= named
                if places and all(map(is_test, named)):
                    tested = (each for place in places for each in self._imports.imports(place))
                    found |= self._imports.nearest(tested, self._after.keys() - named)
        return frozenset(found)

    @cached_property
    def _imports(self) -> ImportGraph:
        gone = {path for path, state in self._after.items() if isinstance(state, Absent)}
        return ImportGraph(({**self.tree.entries, **dict.fromkeys(self._after, "")}.keys() - gone), self._read)

    def _read(self, path: str) -> bytes | None:
        if path in self._after:
            return self._objects.read_state(self._after[path])
        return self._workspace.peek(path)[1]


class _Progress:
    """Publishes each finished job; called from several threads."""

    def __init__(self, version: PlanVersion, total: int, events: EventStream) -> None:
        self._version = version
        self._total = total
        self._events = events
        self._lock = threading.Lock()
        self._done = 0

    def first(self, job: CheckJob, result: SideResult) -> None:
        """What ran ahead; nothing is told of it where it has no whole result."""
        if result.problem or not result.counts_tests:
            return
        self._events.publish(
            AffectedTestsFinished(
                plan_id=self._version.plan_id,
                revision=self._version.revision,
                check=job.check.name,
                passed=len(result.passed),
                failed=len(result.failed),
                names=result.failed[:_MOST_NAMED],
            )
        )

    def done(self, job: CheckJob, result: SideResult) -> None:
        with self._lock:
            self._done += 1
            done = self._done
        self._events.publish(
            CheckFinished(
                plan_id=self._version.plan_id,
                revision=self._version.revision,
                check=job.check.name,
                with_plan=bool(job.operations),
                exit_code=result.exit,
                problem=result.problem,
                done=done,
                total=self._total,
            )
        )


def _not_accepted(said: str) -> ChecksNotAcceptedError:
    return ChecksNotAcceptedError(
        f"{said}; nothing was run.", next="Look at the commands, then let them run: tandem check PLAN --accept"
    )
