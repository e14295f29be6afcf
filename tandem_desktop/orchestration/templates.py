"""Plans as templates: kept under a name, filled in, and proposed like any other plan."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.template import NAME, PlanTemplate, TemplateParameter, marked
from tandem_desktop.orchestration.plan_as_steps import plan_as_steps
from tandem_desktop.orchestration.proposals import Proposals
from tandem_desktop.plans.plan_store import PlanStore
from tandem_desktop.staging.plan_json import plan_from
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.refusals import reading, writing

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
