"""An advisor for tests that answers at once, with what it was given for each role, or holds until it is let go."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any

from tandem_desktop.domain.advice import Advice, Question, Result, RiskLevel
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.errors import NoAnswerError
from tandem_desktop.domain.perspectives import ChapoPerspective, DevoPerspective, KodaPerspective, Perspectives
from tests.support import perspective_scripts as scripts
from tests.support.builders import A_MOMENT

GOOD: Mapping[str, Any] = {
    "chapo": scripts.CHAPO,
    "koda": scripts.KODA,
    "devo": scripts.DEVO,
    "synthesis": scripts.PLAN,
}


class ScriptedPerspectives:
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

    def together(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    async def ask(self, question: Question[Result]) -> Advice[Result]:
        part = "synthesis" if question.tool == "plan_propose" else question.role
        self.asked.append(part)
        self.words[part] = question.prompt
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


def all_voices(lost: str = "") -> Perspectives:
    """What the three said about the auth system, perhaps without one of them."""
    facts: dict[str, Any] = {"timestamp": A_MOMENT, "spoken_by": "opencode", "model": "claude-sonnet-4-5"}
    read = ("src/auth.py", "src/middleware.py", "tests/unit/authentication/test_sessions_of_many_people.py")
    refused = {"files_read": read, "denied": ("Edit src/auth.py",)}
    found = Perspectives(
        task="Refactor it",
        qualification="Plan it first: mixed task, complex, medium risk (it touches code and operations).",
        overall_risk=RiskLevel.MEDIUM,
        estimated_duration="about two hours",
    )
    voices = (
        ChapoPerspective.model_validate({**facts, **scripts.CHAPO, "files_read": ("README.md", "src/auth.py")}),
        KodaPerspective.model_validate({**facts, **scripts.KODA, **refused}),
        DevoPerspective.model_validate({**facts, **scripts.DEVO}),
    )
    for voice in voices:
        if voice.agent.value == lost:
            found = found.without(lost, f"{lost} handed in no usable answer. `rollback_strategy` is missing.")
        else:
            found = found.with_voice(voice)
    return found
