"""Two results are compared: what is fixed, what is new, and which message only moved."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.checks.evidence import (
    CheckEvidence,
    Diagnostic,
    Evidence,
    LineMap,
    Origins,
    PlacedDiagnostic,
    Severity,
    SideResult,
    Subject,
    compare,
    evidence_json,
    placed,
)
from tandem_desktop.diff.text import split_lines
from tandem_desktop.storage.objects import ObjectStore
from tests.support.builders import a_move, a_write

SUBJECTS: tuple[Subject, ...] = ("types", "lint")


def cases(passed: tuple[str, ...] = (), failed: tuple[str, ...] = (), code: int | None = None) -> SideResult:
    return SideResult(
        exit=(1 if failed else 0) if code is None else code, passed=passed, failed=failed, counts_tests=True
    )


def lint(*found: Diagnostic) -> SideResult:
    return SideResult(exit=1 if found else 0, diagnostics=found)


def at(line: int, message: str = "m", path: str = "a.py", code: str = "C") -> Diagnostic:
    return Diagnostic(path=path, line=line, severity="error", code=code, message=message)


def between(before: SideResult, after: SideResult) -> CheckEvidence:
    return compare("c", "run", "tests", before, after)


def new_lines(before: SideResult, after: SideResult, old: bytes = b"", new: bytes = b"") -> list[int]:
    lines = LineMap(old, new)
    return [each.line for each in placed(between(before, after), lambda path: (path, lines)) if each.new]


def test_a_test_that_failed_and_passes_is_fixed_and_the_other_way_a_new_failure() -> None:
    found = between(cases(("a", "b"), ("c", "d")), cases(("a", "c"), ("b", "d")))
    assert (found.fixed, found.new_failures, found.gone) == (("c",), ("b",), ())


def test_a_new_test_that_fails_is_a_new_failure_and_one_that_vanished_is_named() -> None:
    found = between(cases(("a", "b")), cases(("a",), ("n",)))
    assert (found.new_failures, found.gone) == (("n",), ("b",))


def test_a_failure_that_no_report_names_is_a_new_failure_of_the_check() -> None:
    assert between(cases(("a",)), cases(("a",), code=2)).new_failures == ("c: exit code 2",)
    ended = SideResult(exit=None, problem="it took longer than 5 s and was ended")
    assert between(cases(("a",)), ended).new_failures == ("c: it took longer than 5 s and was ended",)
    assert between(SideResult(exit=0), SideResult(exit=1)).new_failures == ("c: exit code 1",)
    assert between(SideResult(exit=1), SideResult(exit=0)).fixed == ("c",)


def test_a_check_that_gives_no_result_any_more_is_a_new_failure_whatever_failed_before() -> None:
    broken = SideResult(exit=4, problem="it left no report")
    assert between(cases(("a",), ("b",)), broken).new_failures == ("c: it left no report",)


def test_a_check_that_was_not_started_is_a_problem_and_no_failure() -> None:
    found = between(cases(("a",)), SideResult(exit=None, has_run=False, problem="a.txt has changed"))
    assert (found.new_failures, found.problem) == ((), "with the plan: a.txt has changed")


def test_what_did_not_work_before_either_is_no_new_failure() -> None:
    missing = SideResult(exit=None, problem="its program cannot be started")
    found = between(missing, missing)
    assert (found.new_failures, found.problem) == ((), missing.problem)


def test_a_new_message_explains_the_exit_code_by_itself() -> None:
    assert between(lint(), lint(at(1))).new_failures == ()


def test_a_message_whose_line_moved_is_old() -> None:
    old, new = b"one\ntwo\n", b"zero\none\ntwo\nthree\n"
    assert new_lines(lint(at(2)), lint(at(3)), old, new) == []
    assert new_lines(lint(at(2)), lint(at(3), at(4)), old, new) == [4]


def test_a_message_on_the_old_number_of_another_line_is_new() -> None:
    old, new = b"one\ntwo\n", b"zero\none\ntwo\n"
    assert new_lines(lint(at(2)), lint(at(2), at(3)), old, new) == [2]


def test_a_message_stays_old_when_its_line_is_rewritten_but_a_second_one_is_new() -> None:
    old, new = b"a\nb\nc\n", b"a\nB\nB2\nc\n"
    assert new_lines(lint(at(2)), lint(at(2), at(3)), old, new) == [3]
    assert new_lines(lint(at(2)), lint(at(2, code="D")), old, new) == [2]


def test_a_line_number_in_a_message_does_not_make_it_new() -> None:
    old, new = b"one\ntwo\n", b"zero\none\ntwo\n"
    assert new_lines(lint(at(2, "defined on line 1")), lint(at(3, "defined on line 2")), old, new) == []


@given(
    st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"]), max_size=12),
    st.lists(st.sampled_from([b"a\n", b"b\n", b"x\n"]), max_size=12),
)
def test_a_line_is_mapped_to_an_equal_line_or_to_none(before: list[bytes], after: list[bytes]) -> None:
    lines = LineMap(b"".join(before), b"".join(after))
    mapped = [lines.old_line(number) for number in range(1, len(after) + 1)]
    for new, old in zip(split_lines(b"".join(after)), mapped, strict=True):
        assert old is None or before[old - 1] == new
    known = [each for each in mapped if each is not None]
    assert known == sorted(set(known))


def test_a_moved_and_changed_file_is_compared_with_what_it_was(tmp_path: Path) -> None:
    store = ObjectStore(tmp_path)
    old, new = b"one\ntwo\n", b"zero\none\ntwo\n"
    store.put_all([old, new])
    moved = a_move("a.py", "b.py", old)
    changed = a_write("b.py", new, before=old)
    path, lines = Origins((moved, changed), store.read_state)("b.py")
    assert (path, lines.old_line(3), lines.old_line(1)) == ("a.py", 2, None)


def test_the_summary_counts_messages_by_the_severity_that_their_tool_gave() -> None:
    def said(severity: Severity, subject: Subject) -> PlacedDiagnostic:
        return PlacedDiagnostic(
            path="a", line=1, severity=severity, code="", message="", check="c", subject=subject, new=True
        )

    checks = tuple(compare("c", "run", subject, SideResult(exit=0), SideResult(exit=0)) for subject in SUBJECTS)
    messages = (said("error", "types"), said("warning", "types"), said("error", "lint"), said("error", "lint"))
    found = Evidence(tree_before="", tree_after="", checks=checks, diagnostics=messages)
    assert found.summary == "1 new type error · 2 new lint errors · 1 new warning"
    assert [each["severity"] for each in evidence_json(found)["diagnostics"]].count("error") == 3
