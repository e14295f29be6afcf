"""Ask nobody the same thing twice: within one orchestration the same question has the same answer."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any

from tandem_desktop.domain.advice import Advice, Question, Result
from tandem_desktop.domain.agent_ports import AdvisorPort
from tandem_desktop.domain.errors import TandemError


class RememberedAdvice:
    """Keeps good answers for as long as it lives. A failure is not kept; whoever asks again asks anew."""

    def __init__(self, advisor: AdvisorPort) -> None:
        self._advisor = advisor
        self._known: dict[tuple[str, str, str, type], Advice[Any]] = {}
        self._one_at_a_time = asyncio.Lock()

    def together(self) -> AbstractAsyncContextManager[None]:
        return self._advisor.together()

    async def ask(self, question: Question[Result]) -> Advice[Result]:
        key = (question.role, question.words, question.tool, question.result)
        async with self._one_at_a_time:
            known: Advice[Result] | None = self._known.get(key)
            if known is not None and _makes_sense(question, known):
                return known
            self._known[key] = advice = await self._advisor.ask(question)
            return advice


def _makes_sense(question: Question[Result], known: Advice[Result]) -> bool:
    """What was a good answer then need not be one now."""
    try:
        question.check(known.result)
    except TandemError:
        return False
    return True
