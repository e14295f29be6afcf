"""recipe, agent: work that needs no model, as a plan, and the agent that comes with Tandem."""

from tandem_desktop.cli.answers import Answer
from tandem_desktop.cli.call import Call
from tandem_desktop.cli.lines import Line, Span, Tone
from tandem_desktop.cli.proposing import proposed


def recipe(call: Call) -> Answer:
    """Without words the recipes there are; with words a plan of what the recipe would do."""
    from tandem_desktop.agent.recipes.catalog import Catalog
    from tandem_desktop.agent.recipes.plan_template import plan_from_recipe

    catalog = Catalog(call.engine.clock)
    if not call.arguments.text:
        listed = [
            {name: getattr(each, name) for name in ("name", "title", "description", "hint", "example")}
            for each in catalog
        ]
        lines: list[Line] = []
        for each in catalog:
            lines += [(Span(f"/{each.name}", Tone.STRONG), f" {each.hint}"), f"    {each.description}"]
        return Answer({"recipes": listed}, lines, next=call.command("recipe", next(iter(catalog)).example))
    name, *words = call.arguments.text.strip().split(None, 1)
    plan = plan_from_recipe(catalog, name, "".join(words), call.engine.workspace)
    return proposed(call, call.engine.proposals.make(plan))


def agent(call: Call) -> Answer:
    """Be the built-in agent until the client goes away."""
    if call.arguments.regex_worker:
        import sys

        from tandem_desktop.agent.recipes.regex_worker import serve

        serve(sys.stdin, sys.stdout)
        code = 0
    else:
        from tandem_desktop.agent.main import main

        code = main()
    call.console.give_up_stdout()  # it belonged to the client
    return Answer({}, exit_code=code)
