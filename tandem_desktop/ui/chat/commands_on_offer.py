"""The slash commands a person can type: the window's own, the recipes, and those of the agent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tandem_desktop.domain.agents import OfferedCommand
from tandem_desktop.ui.chat.file_index import fuzzy_score
from tandem_desktop.ui.words import later, tr_table


class CommandSource(StrEnum):
    """Who carries a command out."""

    WINDOW = "window"
    RECIPE = "recipe"
    AGENT = "agent"


SOURCE_WORDS = tr_table(
    {CommandSource.WINDOW: "window", CommandSource.RECIPE: "recipe", CommandSource.AGENT: "agent"},
)


@dataclass(frozen=True, slots=True)
class ChatCommand:
    """One command as it is offered."""

    name: str
    description: str = ""
    hint: str = ""
    """What is typed after the name."""
    source: CommandSource = CommandSource.AGENT


WINDOW_COMMANDS = (
    ChatCommand("plan", later("Turn Plan mode on or off"), source=CommandSource.WINDOW),
    ChatCommand("perspectives", later("Have three minds look at a task, then plan it"), "task", CommandSource.WINDOW),
    ChatCommand("plans", later("Find a plan"), "[words]", CommandSource.WINDOW),
    ChatCommand("plan-stats", later("Figures of this workspace's plans"), source=CommandSource.WINDOW),
    ChatCommand("plan-simulate", later("What the plan would do, without doing it"), "[plan]", CommandSource.WINDOW),
    ChatCommand("reflect", later("Ask what to change about the plan after its last run"), source=CommandSource.WINDOW),
    ChatCommand(
        "template", later("A plan from one of your templates"), "[name] [parameter=value]…", CommandSource.WINDOW
    ),
    ChatCommand("save-template", later("Keep this plan as a template"), "name [parameter=text]…", CommandSource.WINDOW),
)


def with_window_commands(
    recipes: Iterable[OfferedCommand], of_the_agent: Iterable[OfferedCommand]
) -> tuple[ChatCommand, ...]:
    """Every command once; a name of the window's own stays the window's."""
    found = {command.name: command for command in WINDOW_COMMANDS}
    for source, offered in ((CommandSource.RECIPE, recipes), (CommandSource.AGENT, of_the_agent)):
        for each in offered:
            name = each.name.removeprefix("/")
            found.setdefault(name, ChatCommand(name, each.description, each.hint, source))
    return tuple(found.values())


def matching(text: str, commands: Sequence[ChatCommand]) -> tuple[ChatCommand, ...]:
    """Commands whose name answers to what was typed after the slash, best first; all of them when nothing was."""
    wanted = text.lower()
    if not wanted:
        return tuple(commands)
    scored = [(score, command) for command in commands if (score := fuzzy_score(wanted, command.name)) is not None]
    return tuple(command for _, command in sorted(scored, key=lambda found: -found[0]))


def window_command(text: str) -> tuple[str, str] | None:
    """The window's own command in a message and the words after it; None when the message goes to the agent."""
    name, _, rest = text.strip().partition(" ")
    own = {f"/{command.name}": command.name for command in WINDOW_COMMANDS}
    return (own[name], rest.strip()) if name in own else None
