"""An advisor's order is offered with its reason; one that cannot be carried out is refused with a sentence."""

from contextlib import AbstractAsyncContextManager, nullcontext

import pytest

from tandem_desktop.advisors.perspectives import AdvisedOrder, advise_order
from tandem_desktop.domain.advice import Advice, Question, Result
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import OperationId
from tests.support.builders import a_command, a_version, a_write

VERSION = a_version(
    a_write("a.py", id="s1", task="t1"),
    a_command("make", id="s2", task="t2", blocked_by=("s1",)),
    a_write("b.py", id="s3", task="t1"),
)


class OneAdvisor:
    """Answers with one order, checked as a real one is."""

    def __init__(self, *order: str) -> None:
        self.order = tuple(map(OperationId, order))
        self.asked = ""

    def together(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()

    async def ask(self, question: Question[Result]) -> Advice[Result]:
        self.asked = question.prompt
        answer = question.result.model_validate({"order": self.order, "reason": "Files first, then the build."})
        question.check(answer)
        return Advice(answer, "opencode", title="OpenCode")


@pytest.mark.req("S0-88")
async def test_an_advisors_order_comes_with_its_reason_and_who_said_it() -> None:
    advisor = OneAdvisor("s1", "s3", "s2")
    found = await advise_order(advisor, VERSION)
    assert (found.order, found.reasons) == (("s1", "s3", "s2"), ("Files first, then the build.",))
    assert found.by == "OpenCode"
    assert "- s2: command make, task t2, waits for s1." in advisor.asked


@pytest.mark.req("S0-88")
@pytest.mark.parametrize(
    ("order", "words"),
    [
        (("s2", "s1", "s3"), "s2 cannot come before s1"),
        (("s1", "s2"), "each operation once"),
        (("s1", "s2", "s3", "s3"), "each operation once"),
        (("s1", "s2", "s9"), "each operation once"),
    ],
)
async def test_an_order_that_cannot_be_carried_out_is_refused_in_words(order: tuple[str, ...], words: str) -> None:
    with pytest.raises(BadInputError, match=words):
        await advise_order(OneAdvisor(*order), VERSION)


def test_a_reason_is_wanted() -> None:
    with pytest.raises(ValueError):
        AdvisedOrder(order=(), reason="")
