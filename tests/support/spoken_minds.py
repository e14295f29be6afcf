"""An adviser for tests that answers at once, with what it was given for each role, or holds until it is let go."""

import asyncio
from collections.abc import Mapping
from typing import Any

from tandem_desktop.domain.advice import Advice, Question, Result
from tandem_desktop.domain.errors import NoAnswerError
from tandem_desktop.domain.frozen import Frozen
from tests.support import perspective_scripts as minds

GOOD: Mapping[str, Any] = {"chapo": minds.CHAPO, "koda": minds.KODA, "devo": minds.DEVO, "synthesis": minds.PLAN}


class SpokenMinds:
    """Fills `AdvisorPort`. An error in the script is raised; a role in `holding` never answers."""

    def __init__(self, answers: Mapping[str, Any] = GOOD, holding: str = "") -> None:
        self._answers = answers
        self._holding = holding
        self.asked: list[str] = []
        self.words: dict[str, str] = {}
        self.open = 0
        self.most_open = 0
        self.holds = asyncio.Event()
        self.let_go: list[str] = []

    async def ask(self, question: Question[Result]) -> Advice[Result]:
        part = "synthesis" if question.tool == "plan_propose" else question.role
        self.asked.append(part)
        self.words[part] = question.words
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        try:
            await self._wait(part)
            return Advice(self._result(part, question), agent="scripted", read=("src/auth.py",))
        finally:
            self.open -= 1

    async def _wait(self, part: str) -> None:
        await asyncio.sleep(0)
        if part == self._holding:
            self.holds.set()
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                self.let_go.append(part)
                raise

    def _result(self, part: str, question: Question[Result]) -> Result:
        answer = self._answers.get(part, NoAnswerError(f"{part} has nothing to say."))
        if isinstance(answer, Exception):
            raise answer
        result: Result = question.result.model_validate(answer if not isinstance(answer, Frozen) else vars(answer))
        question.check(result)
        return result
