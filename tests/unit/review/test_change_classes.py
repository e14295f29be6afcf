"""What of a plan is marked as mechanical, and what never is."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tandem_desktop.diff.hunk_classes import ChangeClass, ChangedLines
from tandem_desktop.diff.parser_pool import ParserPool, ProofJob
from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.review.change_classes import ChangeProver, Proved, unproved_lines
from tandem_desktop.review.operation_view import OperationView, view_operation
from tandem_desktop.storage.objects import ObjectStore
from tests.support.builders import a_write

HELPER = "def helper(one, other):\n    total = one + other\n    return total * 2\n"
USER = "def user():\n    return helper(1, 2)\n"


class Plan:
    """Operations that write files, as a reviewer sees them."""

    def __init__(self, folder: Path) -> None:
        self._objects = ObjectStore(folder)
        self.views: list[OperationView] = []

    def change(self, path: str, before: str, after: str) -> None:
        sides = before.encode(), after.encode()
        self._objects.put_all(sides)
        operation = a_write(path, sides[1], before=sides[0] if before else None, id=f"OP{len(self.views) + 1}")
        self.views.append(view_operation(operation, self._objects, commands_captured=True))

    def proved(self, parsers: ParserPool | None = None) -> Proved:
        return self.prover(parsers).prove(self.views)

    def prover(self, parsers: ParserPool | None = None) -> ChangeProver:
        return ChangeProver(self._contents, parsers)

    def _contents(self, operation: StagedOperation) -> tuple[bytes, bytes]:
        states = operation.base, operation.after
        before, after = (self._objects.read(each.sha256) if isinstance(each, FileState) else b"" for each in states)
        return before, after


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    return Plan(tmp_path)


def kinds(proved: Proved) -> dict[str, list[str]]:
    return {str(name): [each.kind.value for each in found] for name, found in proved.items()}


def test_two_that_ask_at_once_hear_the_same(plan: Plan) -> None:
    plan.change("a.py", "f(1,2)\n", "f(1, 2)\n")
    prover = plan.prover()

    with ThreadPoolExecutor() as pool:
        answers = [*pool.map(prover.prove, [plan.views] * 3)]

    assert [kinds(each) for each in answers] == [{"OP1": ["format"]}] * 3


def test_each_file_is_judged_by_itself(plan: Plan) -> None:
    plan.change("a.py", "f(1,2)\n", "f(1, 2)\n")
    plan.change("b.py", "f(1,2)\n", "f(1, 3)\n")
    plan.change("c.js", "f(); // a\n", "f(); // b\n")

    assert kinds(plan.proved()) == {"OP1": ["format"], "OP3": ["comment"]}


def test_definition_that_goes_to_another_file_is_a_move_with_both_places(plan: Plan) -> None:
    plan.change("a.py", f"import os\n\n\n{HELPER}\n\n{USER}", f"import os\n\n\n{USER}")
    plan.change("lib/b.py", "import sys\n", f"import sys\n\n\n{HELPER}")

    found = plan.proved()

    assert kinds(found) == {"OP1": ["move"], "OP2": ["move"]}
    (gone,), (come,) = found.values()
    assert (gone.path, gone.line) == ("lib/b.py", 4)
    assert (come.path, come.line) == ("a.py", 4)
    assert [unproved_lines(view, found[view.operation.id]) for view in plan.views] == [0, 0]


def test_move_with_a_change_in_it_is_not_marked(plan: Plan) -> None:
    plan.change("a.py", f"{HELPER}\n\n{USER}", USER)
    plan.change("b.py", "import sys\n", f"import sys\n\n\n{HELPER.replace('* 2', '* 3')}")

    assert plan.proved() == {}


def test_definition_that_is_added_twice_is_not_a_move(plan: Plan) -> None:
    plan.change("a.py", f"{HELPER}\n\n{USER}", USER)
    plan.change("b.py", "import sys\n", f"import sys\n\n\n{HELPER}")
    plan.change("c.py", "import sys\n", f"import sys\n\n\n{HELPER}")

    assert plan.proved() == {}


def test_equal_definitions_beside_lines_that_are_unique_are_not_moves(plan: Plan) -> None:
    for number in (1, 2):
        only = f"name_{number} = 'only here {number}'\n"
        plan.change(f"a{number}.py", f"import os\n{only}\n\n{HELPER}", "import os\n")
        plan.change(f"b{number}.py", "import sys\n", f"import sys\n{only}\n\n{HELPER}")

    assert plan.proved() == {}


def test_statements_that_change_places_are_not_a_move(plan: Plan) -> None:
    check = (
        "    if not user.is_allowed(action):\n        log.warning('denied %s', action)\n        raise Denied(action)\n"
    )
    work = "".join(f"    step_{number}(user, action)\n" for number in range(8))
    plan.change("a.py", f"def run(user, action):\n{check}{work}", f"def run(user, action):\n{work}{check}")

    assert plan.proved() == {}


def test_method_that_goes_to_another_class_is_not_a_move(plan: Plan) -> None:
    method = "    def secret_of(self, name):\n        found = self.secrets[name]\n        return found\n"
    rest = "    x = 1\n    y = 2\n    z = 3\n    a = 4\n    b = 5\n    c = 6\n    d = 7\n"
    plan.change(
        "a.py", f"class A:\n{method}{rest}\n\nclass B:\n{rest}", f"class A:\n{rest}\n\nclass B:\n{method}{rest}"
    )

    assert plan.proved() == {}


def test_flagged_file_is_not_marked(plan: Plan) -> None:
    plan.change("a.py", "f(1,2)\n", "f(1, 2)\n")
    plan.change("setup.py", "f(1,2)\nimport  os\n", "f(1, 2)\nimport os\nx = 1\n")

    flagged = [view for view in plan.views if view.flags]

    assert [view.operation.path for view in flagged] == ["setup.py"]
    assert kinds(plan.proved()) == {"OP1": ["format"]}


def test_generated_file_is_not_marked_either(plan: Plan) -> None:
    plan.change("a.py", "# @generated\nf(1,2)\n", "# @generated\nf(1, 2)\n")

    assert plan.proved() == {}


CRASHES = "import os, signal, sys; sys.stdin.buffer.readline(); os.kill(os.getpid(), signal.SIGSEGV)"
LIES = "import sys\nfor line in sys.stdin.buffer: print('[[99, \"format\"]]', flush=True)"
HANGS = "import sys\nwhile sys.stdin.buffer.read(1): pass"


@pytest.mark.parametrize("program", [CRASHES, LIES, HANGS, "raise SystemExit", "print('{', flush=True)"])
def test_parser_that_fails_leaves_the_changes_unmarked(plan: Plan, program: str) -> None:
    plan.change("a.py", "f(1,2)\n", "f(1, 2)\n")
    parsers = ParserPool(per_file_s=0.05, command=(sys.executable, "-I", "-c", program), start_s=0.2)

    assert plan.proved(parsers) == {}


def test_file_after_one_on_which_the_parser_fails_is_still_marked() -> None:
    fails_on_a = (
        "import sys\n"
        "from tandem_desktop.diff import proof_worker as w\n"
        "prove = w.prove\n"
        "w.prove = lambda path, *rest: prove(path, *rest) if path != 'a.py' else sys.exit(3)\n"
        "w.main()\n"
    )
    parsers = ParserPool(command=(sys.executable, "-I", "-c", fails_on_a))
    change = ChangedLines(1, (0, 1), (0, 1))
    jobs = [ProofJob(path, b"f(1,2)\n", b"f(1, 2)\n", (change,)) for path in ("a.py", "b.py")]

    assert parsers.prove(jobs) == [{}, {change: ChangeClass.FORMAT}]
