"""template: a plan kept for another time, filled in and proposed again."""

from tandem_desktop.cli.answers import Answer, count
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.lines import Line, Span, Tone
from tandem_desktop.cli.proposing import proposed
from tandem_desktop.domain.template import PlanTemplate, read_values


def save(call: Call) -> Answer:
    template = call.engine.templates.save(call.plan_id(), call.arguments.name, read_values(call.arguments.parameters))
    steps = count(len(template.plan["steps"]), "step")
    lines: list[Line] = [(Span(template.name, Tone.STRONG), f" is kept with {steps}."), *_described(template)]
    return Answer(_shape(template), lines, next=_usage(call, template))


def list_templates(call: Call) -> Answer:
    from tandem_desktop.agent.recipes.catalog import Catalog

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
    return Answer(data, lines, next=following)


def use(call: Call) -> Answer:
    values = read_values(call.arguments.parameters)
    return proposed(call, call.engine.templates.use(call.arguments.name, values))


def remove(call: Call) -> Answer:
    call.engine.templates.remove(call.arguments.name)
    lines: list[Line] = [f"The template {call.arguments.name} is gone. Plans made from it stay."]
    return Answer({"removed": call.arguments.name}, lines, next=call.command("template", "list"))


def _shape(template: PlanTemplate) -> dict[str, object]:
    return {
        "name": template.name,
        "title": template.title,
        "steps": len(template.plan["steps"]),
        "parameters": [{"name": each.name, "example": each.example} for each in template.parameters],
    }


def _described(template: PlanTemplate) -> list[Line]:
    return [f"    {each.name} = {each.example}" for each in template.parameters]


def _usage(call: Call, template: PlanTemplate) -> str:
    return call.command("template", "use", template.name, *(f"{each.name}=…" for each in template.parameters))
