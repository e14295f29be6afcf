"""Commands for templates and bundles."""

import hashlib
from pathlib import Path

from tandem_desktop.cli import json_output
from tandem_desktop.cli.console import Line, Span, Tone, table
from tandem_desktop.cli.main import CommandContext, CommandResult, count, read_input, utc
from tandem_desktop.cli.plans import proposed
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.template import PlanTemplate, read_values
from tandem_desktop.plans.bundle import MAX_BYTES, SUFFIX
from tandem_desktop.storage import atomic
from tandem_desktop.storage.errors import writing


def save(call: CommandContext) -> CommandResult:
    template = call.engine.templates.save(call.plan_id(), call.arguments.name, read_values(call.arguments.parameters))
    steps = count(len(template.plan["steps"]), "step")
    lines: list[Line] = [(Span(template.name, Tone.STRONG), f" is kept with {steps}."), *_described(template)]
    return CommandResult(_shape(template), lines, next=_usage(call, template))


def list_templates(call: CommandContext) -> CommandResult:
    from tandem_desktop.recipes.catalog import Catalog

    own, recipes = call.engine.templates.all(), Catalog(call.engine.clock)
    lines: list[Line] = []
    for template in own:
        lines += [(Span(template.name, Tone.STRONG), f"  {template.title}"), *_described(template)]
    lines += [(Span(f"/{each.name}", Tone.STRONG), f"  {each.title}") for each in recipes]
    data = {
        "templates": [_shape(each) for each in own],
        "recipes": [{"name": each.name, "title": each.title, "hint": each.hint} for each in recipes],
    }
    following = _usage(call, own[0]) if own else call.command("template", "save", "PLAN", "NAME")
    return CommandResult(data, lines, next=following)


def use(call: CommandContext) -> CommandResult:
    values = read_values(call.arguments.parameters)
    return proposed(call, call.engine.templates.use(call.arguments.name, values))


def remove(call: CommandContext) -> CommandResult:
    call.engine.templates.remove(call.arguments.name)
    lines: list[Line] = [f"The template {call.arguments.name} is gone. Plans made from it stay."]
    return CommandResult({"removed": call.arguments.name}, lines, next=call.command("template", "list"))


def _shape(template: PlanTemplate) -> dict[str, object]:
    return {
        "name": template.name,
        "title": template.title,
        "steps": len(template.plan["steps"]),
        "parameters": [{"name": each.name, "example": each.example} for each in template.parameters],
    }


def _described(template: PlanTemplate) -> list[Line]:
    return [f"    {each.name} = {each.example}" for each in template.parameters]


def _usage(call: CommandContext, template: PlanTemplate) -> str:
    return call.command("template", "use", template.name, *(f"{each.name}=…" for each in template.parameters))


def export(call: CommandContext) -> CommandResult:
    plan_id = call.plan_id()
    data = call.engine.bundles.export(plan_id)
    version = call.engine.plans.revision(plan_id)
    path = Path(call.arguments.output or f"{plan_id}{SUFFIX}")
    _save(path, data)
    sha256, digest = hashlib.sha256(data).hexdigest(), json_output.digest_of(version)
    answer = {
        "plan_id": plan_id,
        "revision": version.revision,
        "digest": digest,
        "file": str(path),
        "bytes": len(data),
        "sha256": sha256,
    }
    lines: list[Line] = [
        (Span(plan_id, Tone.STRONG), f" with {count(version.revision, 'revision')} is in {path}, {len(data):,} bytes."),
        ("Digest  ", Span(digest, Tone.STRONG)),
        f"SHA-256 of the file  {sha256}",
    ]
    return CommandResult(answer, lines, next=f"Elsewhere: tandem import {path.name}")


def import_bundle(call: CommandContext) -> CommandResult:
    data = read_input(call.arguments.file, "a plan bundle", call.console, MAX_BYTES)
    imported = call.engine.bundles.take_in(data)
    plan_id = imported.version.plan_id
    answer = proposed(call, imported.version)
    drifted = call.engine.drift(plan_id)
    lines = [*answer.lines]
    if not imported.is_new:
        lines.insert(0, f"{plan_id} is here already; nothing was written.")
    if drifted:
        lines.append(
            Span(f"! {count(len(drifted), 'path')} here differ from what the plan was made for:", Tone.WARNING)
        )
        lines += table((Span(each.change.value, Tone.WARNING), each.path) for each in drifted)
    extra = {
        "imported": imported.is_new,
        "sha256": hashlib.sha256(data).hexdigest(),
        "drifted": [{"path": each.path, "change": each.change.value, "at": utc(each.at)} for each in drifted],
    }
    following = call.command("rebase", plan_id) if drifted else answer.next
    return CommandResult({**answer.data, **extra}, lines, next=following)


def _save(path: Path, data: bytes) -> None:
    with writing(path):
        try:
            atomic.create(path, data)
        except FileExistsError:
            raise BadInputError(
                f"There is a file {shown(str(path))} already.",
                path=str(path),
                next="Name another one with -o, or move it away.",
            ) from None


def recipe(call: CommandContext) -> CommandResult:
    """List the recipes, or with a text stage what the recipe would do."""
    from tandem_desktop.recipes.catalog import Catalog, plan_from_recipe

    catalog = Catalog(call.engine.clock)
    if not call.arguments.text:
        listed = [
            {name: getattr(each, name) for name in ("name", "title", "description", "hint", "example")}
            for each in catalog
        ]
        lines: list[Line] = []
        for each in catalog:
            lines += [(Span(f"/{each.name}", Tone.STRONG), f" {each.hint}"), f"    {each.description}"]
        return CommandResult({"recipes": listed}, lines, next=call.command("recipe", next(iter(catalog)).example))
    name, *words = call.arguments.text.strip().split(None, 1)
    plan = plan_from_recipe(catalog, name, "".join(words), call.engine.workspace)
    return proposed(call, call.engine.proposals.make(plan))
