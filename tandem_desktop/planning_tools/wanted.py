"""The one thing an agent was asked to hand in: by which tool, in which shape, and whether it makes sense."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic

from tandem_desktop.domain.advice import Question, Result
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.planning_tools.json_in_text import json_in
from tandem_desktop.planning_tools.tool_arguments import checked
from tandem_desktop.planning_tools.tool_definitions import DEFINITIONS, ToolDefinition, ToolName

_TAKEN = "Taken down. Nothing more is wanted of you: end your turn now."


@dataclass(slots=True)
class Wanted(Generic[Result]):
    """Takes the answer to a question, by the tool or as JSON in the text; of several good ones the last holds."""

    question: Question[Result]
    answer: Result | None = None

    @property
    def tool(self) -> ToolName:
        return ToolName(self.question.tool)

    @property
    def definition(self) -> ToolDefinition:
        """The tool with the arguments this question wants."""
        return replace(
            DEFINITIONS[self.tool],
            arguments=self.question.result,
            about=self.question.about,
            counts_tries=True,
            changes_nothing=True,
        )

    def ready(self, arguments: Result) -> Callable[[], str]:
        """What taking it down comes to, once it is found to make sense.

        Raises:
            BadInputError, TaskError: it does not; the sentence says why.
        """
        self.question.check(arguments)

        def take() -> str:
            self.answer = arguments
            return _TAKEN

        return take

    def take_text(self, text: str) -> None:
        """An answer without the tool: the last JSON object in what was said.

        Raises:
            BadInputError, TaskError: there is none, or it is not what was wanted.
        """
        found = json_in(text)
        if found is None:
            raise BadInputError(
                f"Nothing was handed in: {self.tool.value} was not called, and there is no JSON object in the answer.",
                next=f"Call {self.tool.value} now, or answer with nothing but the JSON object.",
            )
        self.ready(checked(self.question.result, found))()
