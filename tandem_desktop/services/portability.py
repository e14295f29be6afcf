"""Exports and imports plans as bundles, templates and steps."""

import base64
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic_core import ValidationError

from tandem_desktop.diff.hunks import hunks, unified
from tandem_desktop.domain.errors import BadInputError, BundleError, PlanNotFoundError, StorageError
from tandem_desktop.domain.event_stream import EventStream
from tandem_desktop.domain.events import PlanProposed
from tandem_desktop.domain.ids import PlanId, SessionId, new_plan_id, new_session_id
from tandem_desktop.domain.operations import (
    NEW_DIRECTORY_MODE,
    NEW_FILE_MODE,
    NodeState,
    OperationKind,
    StagedOperation,
)
from tandem_desktop.domain.plan import BranchPoint, Origin, PlanVersion
from tandem_desktop.domain.review import Comments
from tandem_desktop.domain.tasks import PlanTask
from tandem_desktop.domain.template import NAME, PlanTemplate, TemplateParameter, marked
from tandem_desktop.plans import bundle as plan_bundle
from tandem_desktop.plans.bundle import Artifact, BundledPlan, PlanBundle
from tandem_desktop.plans.names import MOST_BYTES
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.review.comments import CommentStore
from tandem_desktop.services.proposals import Proposals
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.staging.steps import PlanInput
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.errors import reading, writing
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.paths import Locations

_NOWHERE = SessionId("")
"""A session belongs to a machine and stays on it."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import came to."""

    version: PlanVersion
    is_new: bool
    """False where the same plan was here already; then nothing was written."""


class Bundles:
    """Export reads; import checks everything before it writes anything, and never brings an approval."""

    def __init__(
        self,
        *,
        locations: Locations,
        objects: ObjectStore,
        plans: PlanStore,
        comments: CommentStore,
        events: EventStream,
        before_writing: Callable[[], None],
    ) -> None:
        self._locations = locations
        self._objects = objects
        self._plans = plans
        self._comments = comments
        self._events = events
        self._before_writing = before_writing

    def export(self, plan_id: PlanId, *, with_comments: bool = True) -> bytes:
        """The whole plan as one file, the same bytes every time.

        Raises:
            PlanNotFoundError: there is no such plan.
            PlanDamagedError: one of its revisions cannot be read.
            StorageError: bytes it refers to are no longer stored.
        """
        meta = self._plans.meta(plan_id)
        revisions = self._travelling(plan_id)
        artifacts = sorted(
            {each for version in revisions for each in plan_bundle.artifacts_of(version)},
            key=lambda each: (each.name, each.sha256),
        )
        contents = {
            state.sha256: self._objects.read(state.sha256)
            for version in revisions
            for state in plan_bundle.file_states(version)
        }
        contents |= {each.sha256: self._artifact(each) for each in artifacts}
        bundle = PlanBundle(
            record=BundledPlan(
                planner_model=meta.planner_model, tools_required=meta.tools_required, rejections=meta.rejections
            ),
            revisions=revisions,
            comments=self._comments.load(meta.session_id, plan_id) if with_comments else Comments(plan_id=plan_id),
            artifacts=tuple(artifacts),
            contents=contents,
        )
        plan_bundle.check(bundle)
        return plan_bundle.encode(bundle)

    def take_in(self, data: bytes) -> Imported:
        """The plan of a bundle, waiting here for a decision under its own id and digest.

        Raises:
            BundleError: it was changed or cannot be read, or another plan here has its id; nothing was kept.
        """
        self._before_writing()
        bundle = plan_bundle.decode(data)
        plan_bundle.check(bundle)
        known = self._known(bundle)
        if known is not None:
            return Imported(known, is_new=False)
        self._keep_contents(bundle)
        session_id = new_session_id()
        if bundle.comments.drafts or bundle.comments.sent:
            self._comments.update(session_id, bundle.plan_id, lambda found: bundle.comments)
        version = self._plans.adopt(bundle, session_id)
        self._announce(version)
        return Imported(version, is_new=True)

    def take_in_rest(self, bundle: PlanBundle, here: int) -> PlanVersion:
        """Save the revisions of a checked bundle that follow the first ones, which are here already; the last one.

        Raises:
            StaleRevisionError: there is another revision here meanwhile.
            InvalidTransitionError: the plan runs, or has ended for good.
        """
        self._keep_contents(bundle)
        session_id = self._plans.meta(bundle.plan_id).session_id
        saved = self._plans.revision(bundle.plan_id)
        for version in bundle.revisions[here:]:
            saved = self._plans.create_revision(version.model_copy(update={"session_id": session_id}))
            self._announce(saved)
        return saved

    def take_in_alternative(self, bundle: PlanBundle) -> PlanVersion:
        """The latest revision of a checked bundle as a plan of its own: the plan of its name went another way here."""
        self._keep_contents(bundle)
        latest = bundle.latest
        update = {"plan_id": new_plan_id(), "session_id": new_session_id(), "parent_revision": None}
        branched = {
            "origin": Origin.PERSON,
            "branched_from": BranchPoint(plan_id=latest.plan_id, revision=latest.revision),
        }
        made = self._plans.create_plan(latest.model_copy(update={**update, **branched}))
        self._announce(made)
        return made

    def _keep_contents(self, bundle: PlanBundle) -> None:
        self._before_writing()
        self._locations.prepare_workspace()
        self._objects.put_all(bundle.contents.values())
        for each in bundle.artifacts:
            self._keep_artifact(each, bundle.contents[each.sha256])

    def _announce(self, version: PlanVersion) -> None:
        self._events.publish(
            PlanProposed(
                plan_id=version.plan_id,
                revision=version.revision,
                digest=version.approval_hash,
                tasks=len(version.tasks),
            )
        )

    def _travelling(self, plan_id: PlanId) -> tuple[PlanVersion, ...]:
        return tuple(version.model_copy(update={"session_id": _NOWHERE}) for version in self._plans.revisions(plan_id))

    def _known(self, bundle: PlanBundle) -> PlanVersion | None:
        """The plan of this id that is here already, if it is the same one as far as the bundle goes."""
        try:
            here = self._travelling(bundle.plan_id)
        except PlanNotFoundError:
            return None
        if here[: len(bundle.revisions)] != bundle.revisions:
            raise BundleError(
                f"{bundle.plan_id} is here already and is another plan, or an earlier state of it",
                next=f"Look at it with: tandem show {bundle.plan_id}; or import into another workspace.",
            )
        return self._plans.revision(bundle.plan_id)

    def _artifact(self, artifact: Artifact) -> bytes:
        path = self._locations.artifacts / artifact.name
        with reading(path):
            data, _ = atomic.read_regular(path, MOST_BYTES)
        if hashlib.sha256(data).hexdigest() != artifact.sha256:
            raise StorageError(
                f"{path} is no longer what the plan was made with.", path=str(path), next="Make the plan again."
            )
        return data

    def _keep_artifact(self, artifact: Artifact, data: bytes) -> None:
        path = self._locations.artifacts / artifact.name
        with writing(path):
            atomic.make_directory(path.parent)
            atomic.replace(path, data)


def plan_as_steps(version: PlanVersion, objects: ObjectStore) -> PlanInput:
    """The input again. Changes of text are patches, so that they also fit a file that differs elsewhere."""
    return plan_from(
        {
            "title": version.title,
            "tasks": [_task(task) for task in version.tasks],
            "steps": [step for operation in version.operations for step in _steps(operation, objects)],
        }
    )


def _task(task: PlanTask) -> dict[str, Any]:
    return {
        "id": task.id,
        "subject": task.subject,
        "description": task.description,
        "agent": task.agent,
        "priority": task.priority.value,
        "blocked_by": list(task.blocked_by),
    }


def _steps(operation: StagedOperation, objects: ObjectStore) -> Iterator[dict[str, Any]]:
    calls = list(_calls(operation, objects))
    for number, (tool, args) in enumerate(calls):
        last = number == len(calls) - 1
        step: dict[str, Any] = {
            "id": operation.id if last else f"{operation.id}-first",
            "description": operation.description or tool,
            "tool": tool,
            "args": args,
        }
        if operation.task is not None:
            step["task"] = operation.task
        if operation.blocked_by:
            step["blocked_by"] = list(operation.blocked_by)
        yield step


def _calls(operation: StagedOperation, objects: ObjectStore) -> Iterator[tuple[str, dict[str, Any]]]:
    path, base, after = operation.path or "", operation.base, operation.after
    match operation.kind:
        case OperationKind.COMMAND:
            yield "bash", _command(operation)
        case OperationKind.EXTERNAL:
            raise BadInputError(
                f"{operation.id} is a call that only its agent can make, so no template can be made of the plan.",
                step=operation.id,
                next="Drop the call from the plan first.",
            )
        case OperationKind.DELETE:
            yield "delete", {"path": path}
        case OperationKind.MKDIR:
            yield "mkdir", {"path": path}
            if after.type == "dir" and after.mode != NEW_DIRECTORY_MODE:
                yield "chmod", {"path": path, "mode": _mode(after)}
        case OperationKind.MOVE:
            yield "move", {"path": path, "to": operation.to}
            if after != base:
                yield _written(operation.to or "", base, after, objects)
        case _ if after.type == "symlink":
            yield "symlink", {"path": path, "target": after.target}
        case OperationKind.CHMOD:
            yield "chmod", {"path": path, "mode": _mode(after)}
        case _:
            yield _written(path, base, after, objects)


def _command(operation: StagedOperation) -> dict[str, Any]:
    call = operation.command_call
    assert call is not None
    args: dict[str, Any] = {"command": call.command, "cwd": call.cwd, "timeout_s": call.timeout_s}
    return {**args, "env": dict(call.env)} if call.env else args


def _written(path: str, base: NodeState, after: NodeState, objects: ObjectStore) -> tuple[str, dict[str, Any]]:
    assert after.type == "file"
    new = objects.read(after.sha256)
    same_mode = base.type == "file" and base.mode == after.mode
    if base.type == "file" and same_mode:
        old = objects.read(base.sha256)
        diff = unified(path, path, hunks(old, new))
        if b"\0" not in old + new and _is_text(diff):
            return "patch", {"diff": diff.decode()}
    content = {"content": new.decode()} if _is_text(new) else {"content_base64": base64.b64encode(new).decode()}
    permissions = {} if same_mode or (after.mode == NEW_FILE_MODE and base.type == "absent") else {"mode": _mode(after)}
    return "write", {"path": path, **content, **permissions}


def _mode(state: NodeState) -> str:
    assert state.type in ("file", "dir")
    return f"{state.mode:04o}"


def _is_text(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


_SUFFIX = ".json"


class Templates:
    """The person's own templates, for every workspace on this machine. No approval is ever part of one."""

    def __init__(self, folder: Path, objects: ObjectStore, plans: PlanStore, proposals: Proposals) -> None:
        self._folder = folder
        self._objects = objects
        self._plans = plans
        self._proposals = proposals

    def all(self) -> tuple[PlanTemplate, ...]:
        """By name; a file that is no template is passed over."""
        found = []
        for path in sorted(self._folder.glob(f"*{_SUFFIX}")) if self._folder.is_dir() else ():
            try:
                found.append(self._read(path))
            except BadInputError:
                continue
        return tuple(found)

    def named(self, name: str) -> PlanTemplate:
        """One template.

        Raises:
            BadInputError: there is none of this name, or it cannot be read.
        """
        path = self._folder / f"{_a_name(name)}{_SUFFIX}"
        if not path.is_file():
            raise BadInputError(f"There is no template {name}.", next="See which there are: tandem template list")
        return self._read(path)

    def save(self, plan_id: PlanId, name: str, values: Mapping[str, str]) -> PlanTemplate:
        """Keep the latest revision of a plan; every value becomes a parameter of the name it is given.

        Raises:
            BadInputError: the name is taken, or a value does not occur in the plan.
        """
        version = self._plans.revision(plan_id)
        parameters = tuple(_parameter(each, value) for each, value in values.items())
        plan = marked(plan_as_steps(version, self._objects).document(), parameters)
        template = PlanTemplate(name=_a_name(name), title=plan["title"], parameters=parameters, plan=plan)
        path = self._folder / f"{template.name}{_SUFFIX}"
        with writing(path):
            self._folder.mkdir(parents=True, exist_ok=True)
            try:
                atomic.create(path, template.model_dump_json(indent=1).encode())
            except FileExistsError:
                raise BadInputError(
                    f"There is a template {template.name} already.",
                    next=f"Choose another name, or remove it first: tandem template remove {template.name}",
                ) from None
        return template

    def use(self, name: str, values: Mapping[str, str], session_id: SessionId | None = None) -> PlanVersion:
        """A new plan for this workspace as it is.

        Raises:
            BadInputError: no such template, or values are missing.
            StepRefusedError: a step does not apply here; no plan is made.
        """
        filled = self.named(name).filled(values)
        return self._proposals.make(plan_from(filled), session_id)

    def remove(self, name: str) -> None:
        self.named(name)
        path = self._folder / f"{name}{_SUFFIX}"
        with writing(path):
            syscalls.unlink(str(path))

    def _read(self, path: Path) -> PlanTemplate:
        with reading(path):
            raw = path.read_bytes()
        try:
            return PlanTemplate.model_validate_json(raw)
        except ValidationError:
            raise BadInputError(
                f"The template {path} cannot be read.", path=str(path), next="Remove the file, or save it anew."
            ) from None


def _a_name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise BadInputError(
            f"{name!r} is no name for a template or a parameter.",
            next="Use small letters, digits, dashes and underscores, at most 64.",
        )
    return name


def _parameter(name: str, value: str) -> TemplateParameter:
    if not value.strip() or "\n" in value:
        raise BadInputError(f"The text for {name} must be one line.", next="Name a text that stands in the plan.")
    return TemplateParameter(name=_a_name(name), example=value)
