"""What is read first, and what the task asked for."""

import pytest

from tandem_desktop.diff.hunk_classes import ChangeClass, ProvedChange, changed_lines
from tandem_desktop.diff.hunks import hunks
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.review.ranking import Rank, rank_of, ranks
from tandem_desktop.review.scope import asked_for
from tandem_desktop.staging.hazards import Hazard
from tests.support.builders import a_command, a_write


def a_view(
    path: str, before: str = "x = 1\n", after: str = "x = 2\n", name: str = "OP1", **facts: object
) -> OperationView:
    operation = a_write(path, after.encode(), before=before.encode(), id=name)
    return OperationView(operation, (), hunks(before.encode(), after.encode()), **facts)  # type: ignore[arg-type]


def all_format(view: OperationView) -> tuple[ProvedChange, ...]:
    return tuple(ProvedChange(each, ChangeClass.FORMAT) for each in changed_lines(view.hunks))


@pytest.mark.parametrize(
    ("path", "before", "after", "rank"),
    [
        ("a.py", "x = 1\n", "x = 2\n", Rank.BEHAVIOUR),
        ("a.py", "def f(a):\n    pass\n", "def f(a, b):\n    pass\n", Rank.INTERFACE),
        ("a.py", "def _f(a):\n    pass\n", "def _f(a, b):\n    pass\n", Rank.BEHAVIOUR),
        ("a.py", "class A:\n    def f(self): ...\n", "class A:\n    def g(self): ...\n", Rank.INTERFACE),
        ("a.ts", "const x = 1;\n", "export const x = 1;\n", Rank.INTERFACE),
        ("a.js", "const x = 1;\n", "const x = 2;\n", Rank.BEHAVIOUR),
        ("a.go", "func f() {}\n", "func F() {}\n", Rank.INTERFACE),
        ("a.rs", "fn f() {}\n", "pub fn f() {}\n", Rank.INTERFACE),
        ("tests/test_a.py", "def test_a(): ...\n", "def test_b(): ...\n", Rank.TESTS),
        ("src/a.spec.ts", "a();\n", "b();\n", Rank.TESTS),
        ("notes.txt", "a\n", "b\n", Rank.BEHAVIOUR),
    ],
)
def test_rank_follows_from_path_and_changed_lines(path: str, before: str, after: str, rank: Rank) -> None:
    assert rank_of(a_view(path, before, after)) is rank


def test_what_is_proved_throughout_is_mechanical_and_no_interface() -> None:
    view = a_view("a.py", "def f(a,b): ...\n", "def f(a, b): ...\n")

    assert rank_of(view) is Rank.INTERFACE
    assert rank_of(view, all_format(view)) is Rank.MECHANICAL


def test_flags_come_before_everything_and_failures_before_the_rest() -> None:
    flagged = OperationView(a_view("a.py").operation, (Hazard.SECRET,), a_view("a.py").hunks)
    command = OperationView(a_command("make"), (), ())

    assert rank_of(flagged, all_format(flagged)) is Rank.FLAGGED
    assert rank_of(command) is Rank.FLAGGED
    assert rank_of(a_view("package-lock.json", generated="lock file", must_be_opened=True)) is Rank.FLAGGED
    assert rank_of(a_view("a_pb2.py", generated="generated file")) is Rank.GENERATED
    assert rank_of(a_view("tests/test_a.py"), failing={"tests/test_a.py"}) is Rank.FAILING


def test_ranks_are_of_every_operation() -> None:
    views = [a_view("a.py", name="OP1"), a_view("tests/test_a.py", name="OP2")]

    assert ranks(views, {}) == {"OP1": Rank.BEHAVIOUR, "OP2": Rank.TESTS}


def test_task_names_operations_by_path_by_word_and_by_identifier() -> None:
    views = [
        a_view("shop/orders.py", name="OP1"),
        a_view("shop/views.py", name="OP2"),
        a_view("tests/test_orders.py", name="OP3"),
        a_view("web/cart.js", "a\n", "count_items()\n", name="OP4"),
        a_view("setup.cfg", name="OP5"),
    ]

    assert asked_for(views, ["Round the total of orders"]) == {"OP1", "OP3"}
    assert asked_for(views, ["Fix shop/views.py"]) == {"OP2"}
    assert asked_for(views, ["Call `count_items` instead"]) == {"OP4"}


def test_task_that_names_nothing_or_everything_divides_nothing() -> None:
    views = [a_view("shop/orders.py", name="OP1"), a_view("shop/views.py", name="OP2")]

    assert asked_for(views, ["Make it better, please"]) is None
    assert asked_for(views, ["orders and views"]) is None
    assert asked_for(views, []) is None
