"""Parts that nothing notices are found, and the rest is made small."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.checks.evidence import Diagnostic, SideResult
from tandem_desktop.checks.needed import PlanPart, difference, minimised
from tandem_desktop.domain.ids import OperationId


def parts(count: int) -> list[PlanPart]:
    return [PlanPart(OperationId(f"s{number}"), 0, "") for number in range(count)]


@given(st.integers(1, 24), st.sets(st.integers(0, 23)))
def test_exactly_what_is_needed_is_left(count: int, wanted: set[int]) -> None:
    every = parts(count)
    needed = [part for number, part in enumerate(every) if number in wanted] or every[:1]

    def is_same(kept: Sequence[PlanPart]) -> bool:
        return set(needed) <= set(kept)

    assert list(minimised(every, is_same)) == needed


def test_a_test_that_fails_is_noticed_and_a_moved_message_is_not() -> None:
    def side(line: int = 1, message: str = "on line 3", **fields: object) -> SideResult:
        said = Diagnostic(path="a", line=line, severity="error", code="c", message=message)
        return SideResult(exit=1, diagnostics=(said,), **fields)  # type: ignore[arg-type]

    whole = side(passed=("t",), counts_tests=True)
    assert difference([whole], [side(line=9, message="on line 4", passed=("t",), counts_tests=True)], ["c"]) == ""
    assert difference([whole], [side(failed=("t",), counts_tests=True)], ["c"]) == "c: t fails"
    assert "other" in difference([whole], [side(message="other", passed=("t",), counts_tests=True)], ["c"])
    assert difference([whole], [side(counts_tests=True)], ["c"]) == "c: t comes out otherwise"
    ended = SideResult(exit=None, problem="it took longer than 1 s and was ended")
    assert difference([whole], [ended], ["c"]) == "c: it took longer than 1 s and was ended"


def test_the_message_that_comes_or_goes_is_the_one_that_is_named() -> None:
    def side(*messages: str) -> SideResult:
        found = [Diagnostic(path="a", line=1, severity="error", code="c", message=each) for each in messages]
        return SideResult(exit=1, diagnostics=tuple(found))

    assert difference((side("stays", "goes"),), (side("stays"),), ("types",)) == "types: goes"
    assert difference((side("stays"),), (side("comes", "stays"),), ("types",)) == "types: comes"
    assert difference((side("twice", "twice", "b"),), (side("twice", "b"),), ("types",)) == "types: twice"
