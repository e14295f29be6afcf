"""The recipe and agent commands."""

from tandem_desktop.cli.console import Line, Span, Tone
from tandem_desktop.cli.main import CommandContext, CommandResult
from tandem_desktop.cli.plans import proposed


def recipe(call: CommandContext) -> CommandResult:
    """Without words the recipes there are; with words a plan of what the recipe would do."""
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


def agent(call: CommandContext) -> CommandResult:
    """Be the built-in agent until the client goes away."""
    if call.arguments.regex_worker:
        import sys

        from tandem_desktop.recipes.regex_worker import serve

        serve(sys.stdin, sys.stdout)
        code = 0
    else:
        from tandem_desktop.builtin_agent.main import main

        code = main()
    call.console.give_up_stdout()  # it belonged to the client
    return CommandResult({}, exit_code=code)
