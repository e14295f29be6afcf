"""Checks of plans: which there are, whether a person accepted them, and what they say about a revision."""

import json
import threading
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from tandem_desktop.checks.catalog import Check, CheckList, load_checks
from tandem_desktop.checks.evidence import Evidence, Origins, PlacedDiagnostic, SideResult, compare, placed
from tandem_desktop.checks.runner import CheckJob, CheckRunner
from tandem_desktop.checks.trees import TreeDigest, TreeDigests
from tandem_desktop.domain.errors import BadInputError, ChecksNotAcceptedError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import CheckFinished, ChecksEnded, ChecksStarted
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.storage import atomic
from tandem_desktop.storage.errors import writing
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

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
        jobs = self._jobs(checks, version)
        self._events.publish(ChecksStarted(plan_id=plan_id, revision=version.revision, total=len(jobs)))
        progress = _Progress(version, len(jobs), self._events)
        try:
            found = self._runner.run_all(
                jobs, control or RunControl(), timeout_s=timeout_s, again=again, on_done=progress.done
            )
        finally:
            self._events.publish(ChecksEnded(plan_id=plan_id, revision=version.revision))
        return PlanEvidence(plan_id, version.revision, self._evidence(checks, version, jobs, found))

    def kept(self, version: PlanVersion) -> Evidence | None:
        """What is known about exactly this revision on the files as they are; None where a check has to run first."""
        offered = self.offered()
        if not offered.is_accepted or not offered.list.checks:
            return None
        jobs = self._jobs(offered.list.checks, version)
        found = self._runner.kept(jobs)
        return None if found is None else self._evidence(offered.list.checks, version, jobs, found)

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

    def _jobs(self, checks: tuple[Check, ...], version: PlanVersion) -> tuple[CheckJob, ...]:
        """Each check before, then each with the plan."""
        tree = self._trees.now()
        before, after = tree.value, tree.with_plan(version.operations)
        return (
            *(CheckJob(check, (), before) for check in checks),
            *(CheckJob(check, version.operations, after) for check in checks),
        )

    def _evidence(
        self,
        checks: tuple[Check, ...],
        version: PlanVersion,
        jobs: tuple[CheckJob, ...],
        found: tuple[SideResult, ...],
    ) -> Evidence:
        origins = Origins(version.operations, self._objects.read_state)
        compared = tuple(
            compare(check.name, check.command, check.subject, before, after)
            for check, before, after in zip(checks, found, found[len(checks) :], strict=False)
        )
        diagnostics: list[PlacedDiagnostic] = [each for check in compared for each in placed(check, origins)]
        diagnostics.sort(key=lambda each: (not each.new, each.path, each.line))
        return Evidence(
            tree_before=jobs[0].tree, tree_after=jobs[-1].tree, checks=compared, diagnostics=tuple(diagnostics)
        )


class _Progress:
    """Publishes each finished job; called from several threads."""

    def __init__(self, version: PlanVersion, total: int, events: EventStream) -> None:
        self._version = version
        self._total = total
        self._events = events
        self._lock = threading.Lock()
        self._done = 0

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
