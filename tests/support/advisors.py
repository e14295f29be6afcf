"""An advisor that says what a test wants, behind the port by which real agents are asked."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from tandem_desktop.domain.advice import Advice, Question, Result
from tandem_desktop.domain.errors import BadInputError, NoAnswerError, TaskError
from tandem_desktop.planning_tools.arguments import checked

TRIES = 3

Said = dict[str, Any] | Exception | Callable[[], None]
"""What is handed in, what goes wrong, or something to do before nothing comes."""


class ScriptedAdvisor:
    """Answers the questions to each role in turn. What is refused is tried again with what comes next, as agents do."""

    def __init__(self, **script: list[Said]) -> None:
        self._script = script
        self.asked: list[Question[Any]] = []
        self.refused: list[str] = []

    def together(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    async def ask(self, question: Question[Result]) -> Advice[Result]:
        self.asked.append(question)
        for _ in range(TRIES):
            said = self._script[question.role].pop(0)
            if isinstance(said, Exception):
                raise said
            if callable(said):
                said()
                await asyncio.Event().wait()
            try:
                result = checked(question.result, said)
                question.check(result)
            except (BadInputError, TaskError) as refusal:
                self.refused.append(f"{refusal.message} {refusal.next}".strip())
            else:
                return Advice(result=result, agent="scripted")
        raise NoAnswerError(f"{question.role} handed in no usable answer. {self.refused[-1]}")
