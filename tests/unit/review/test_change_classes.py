"""What of a plan is marked as mechanical, and what never is."""

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tandem_desktop.diff.hunk_classes import ChangeClass, ChangedLines
from tandem_desktop.diff.parser_pool import ParserPool, ProofJob
from tandem_desktop.domain.operations import FileState, StagedOperation
from tandem_desktop.review.change_classes import MANY, ChangeProver, ProofStore, Proved, unproved_lines
from tandem_desktop.review.operation_view import OperationView, view_operation
from tandem_desktop.storage.objects import ObjectStore
from tests.support.builders import a_delete, a_write

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
        name = f"OP{len(self.views) + 1}"
        if after:
            operation = a_write(path, sides[1], before=sides[0] if before else None, id=name)
        else:
            operation = a_delete(path, sides[0], id=name)
        self.views.append(view_operation(operation, self._objects, commands_captured=True))

    def proved(self, parsers: ParserPool | None = None) -> Proved:
        return self.prover(parsers).prove(self.views)

    def prover(self, parsers: ParserPool | None = None) -> ChangeProver:
        return ChangeProver(self.contents, parsers)

    def contents(self, operation: StagedOperation) -> tuple[bytes, bytes]:
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

    assert not any("move" in each for each in kinds(plan.proved()).values())


def test_line_that_is_only_laid_out_anew_beside_a_move_is_marked(plan: Plan) -> None:
    colours = "COLOURS = ['red', 'green']\n"
    plan.change(
        "a.py", f"import b\n\n\n{HELPER}\n\n{colours}", "import b\n\n\nCOLOURS = [\n    'red',\n    'green',\n]\n"
    )
    plan.change("b.py", USER, f"{USER}\n\n{HELPER}")

    proved = plan.proved()

    assert sorted(kinds(proved)["OP1"]) == ["format", "move"]
    assert unproved_lines(plan.views[0], proved[plan.views[0].operation.id]) == 0


def test_line_that_says_something_else_beside_a_move_is_not_marked(plan: Plan) -> None:
    plan.change("a.py", f"import b\n\n\n{HELPER}\n\nCOLOURS = ['red']\n", "import b\n\n\nCOLOURS = [\n    'reds',\n]\n")
    plan.change("b.py", USER, f"{USER}\n\n{HELPER}")

    assert kinds(plan.proved())["OP1"] == ["move"]


def test_definition_that_is_added_twice_is_not_a_move(plan: Plan) -> None:
    plan.change("a.py", f"{HELPER}\n\n{USER}", USER)
    plan.change("b.py", "import sys\n", f"import sys\n\n\n{HELPER}")
    plan.change("c.py", "import sys\n", f"import sys\n\n\n{HELPER}")

    assert not any("move" in each for each in kinds(plan.proved()).values())


def test_equal_definitions_beside_lines_that_are_unique_are_not_moves(plan: Plan) -> None:
    for number in (1, 2):
        only = f"name_{number} = 'only here {number}'\n"
        plan.change(f"a{number}.py", f"import os\n{only}\n\n{HELPER}", "import os\n")
        plan.change(f"b{number}.py", "import sys\n", f"import sys\n{only}\n\n{HELPER}")

    assert not any("move" in each for each in kinds(plan.proved()).values())


def test_statements_that_change_places_are_not_a_move(plan: Plan) -> None:
    check = (
        "    if not user.is_allowed(action):\n        log.warning('denied %s', action)\n        raise Denied(action)\n"
    )
    work = "".join(f"    step_{number}(user, action)\n" for number in range(8))
    plan.change("a.py", f"def run(user, action):\n{check}{work}", f"def run(user, action):\n{work}{check}")

    assert not any("move" in each for each in kinds(plan.proved()).values())


def test_method_that_goes_to_another_class_is_not_a_move(plan: Plan) -> None:
    method = "    def secret_of(self, name):\n        found = self.secrets[name]\n        return found\n"
    rest = "    x = 1\n    y = 2\n    z = 3\n    a = 4\n    b = 5\n    c = 6\n    d = 7\n"
    plan.change(
        "a.py", f"class A:\n{method}{rest}\n\nclass B:\n{rest}", f"class A:\n{rest}\n\nclass B:\n{method}{rest}"
    )

    assert not any("move" in each for each in kinds(plan.proved()).values())


def test_file_with_another_path_costs_only_its_edits(plan: Plan) -> None:
    lines = [f"value_{number} = compute({number})\n" for number in range(20)]
    edited = [*lines[:10], "value_10 = other(10)\n", *lines[11:]]
    plan.change("old/a.py", "".join(lines), "")
    plan.change("new/b.py", "", "".join(edited))

    found = plan.proved()

    assert {each.path for each in found["OP2"]} == {"old/a.py"}
    assert [unproved_lines(view, found[view.operation.id]) for view in plan.views] == [1, 1]


def test_file_that_shares_few_lines_with_one_that_goes_is_not_its_move(plan: Plan) -> None:
    shared = "".join(f"value_{number} = compute({number})\n" for number in range(4))
    plan.change("old/a.py", shared + "".join(f"one_{number} = first({number})\n" for number in range(9)), "")
    plan.change("new/b.py", "", shared + "".join(f"two_{number} = second({number})\n" for number in range(9)))

    assert not any("move" in each for each in kinds(plan.proved()).values())


def renamed(plan: Plan, elsewhere: bytes = b"") -> dict[str, list[str]]:
    """The names of each file's renames, in a workspace with one other file."""

    def mentions(words: frozenset[bytes], _: frozenset[str]) -> frozenset[bytes]:
        return frozenset(word for word in words if word in elsewhere)

    found = ChangeProver(plan.contents, mentions=mentions).prove(plan.views)
    every = {str(name): [each.path for each in own if each.kind is ChangeClass.RENAME] for name, own in found.items()}
    return {name: names for name, names in every.items() if names}


LOCAL = "def f(a):\n    total = a + 1\n    return total\n"


def test_local_name_that_is_another_one_everywhere_is_a_rename(plan: Plan) -> None:
    plan.change("a.py", LOCAL, LOCAL.replace("total", "amount"))

    assert kinds(plan.proved()) == {"OP1": ["rename"]}
    assert renamed(plan) == {"OP1": ["total → amount"]}


def test_line_that_does_something_else_as_well_is_no_rename(plan: Plan) -> None:
    plan.change("a.py", LOCAL, LOCAL.replace("total", "amount").replace("+ 1", "+ 2"))

    (view,) = plan.views
    (found,) = plan.proved()[view.operation.id]
    assert (found.lines.old, found.lines.new) == ((2, 3), (2, 3))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (LOCAL, LOCAL.replace("    total", "    amount")),
        (LOCAL, LOCAL.replace("total", "f")),
        ("def f(d):\n    get = d.get\n    return get(1)\n", "def f(d):\n    fetch = d.fetch\n    return fetch(1)\n"),
        ("def f():\n    x1 = 1\n    return g(x1=x1)\n", "def f():\n    y1 = 1\n    return g(y1=y1)\n"),
        ("def f():\n    x1 = 1\n    return 'x1'\n", "def f():\n    y1 = 1\n    return 'y1'\n"),
        ("def f():\n    x1 = 1\n    return f'{x1=}'\n", "def f():\n    y1 = 1\n    return f'{y1=}'\n"),
        ("def f():\n    x1 = 1\n    return locals()\n", "def f():\n    y1 = 1\n    return locals()\n"),
        ("class A:\n    x1 = 1\n    y = x1\n", "class A:\n    x2 = 1\n    y = x2\n"),
        ("def f():\n    return max(1, 2)\n", "def f():\n    return min(1, 2)\n"),
        ("def f():\n    return one(1)\n", "def f():\n    return two(1)\n"),
    ],
)
def test_name_that_can_be_seen_or_that_is_not_the_same_is_no_rename(plan: Plan, before: str, after: str) -> None:
    plan.change("a.py", before, after)

    assert not any("rename" in each for each in kinds(plan.proved()).values())
    (view,) = plan.views
    assert unproved_lines(view, plan.proved().get(view.operation.id, ())) > 0


def test_name_that_others_can_see_is_read_where_it_is_defined_and_folded_where_it_is_used(plan: Plan) -> None:
    uses = "from lib.a import helper\n\nfirst = helper(1, 2)\n"
    plan.change("lib/a.py", HELPER, HELPER.replace("helper", "adder"))
    plan.change("b.py", uses, uses.replace("helper", "adder"))

    assert renamed(plan) == {"OP2": ["helper → adder", "helper → adder"]}
    assert renamed(plan, elsewhere=b"from lib.a import helper\n") == {}
    assert renamed(plan, elsewhere=b"adder = 1\n") == {}


def test_use_of_a_name_that_nothing_of_the_plan_defines_is_no_rename(plan: Plan) -> None:
    uses = "from lib.a import helper\n\nfirst = helper(1, 2)\n"
    plan.change("b.py", uses, uses.replace("helper", "adder"))

    assert renamed(plan) == {}


def test_same_change_in_the_same_surroundings_is_read_at_each_place(plan: Plan) -> None:
    around = "".join(f"step_{number}()\n" for number in range(4))
    before, after = f"{around}check(user)\n{around}", f"{around}check(admin, user)\n{around}"
    plan.change("lib/a.py", before, after)
    plan.change("copy/a.py", before, after)

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


NOBODY = (sys.executable, "-I", "-c", "raise SystemExit")
"""A parser that fails on every file."""


def a_large_plan(plan: Plan, count: int = MANY) -> list[StagedOperation]:
    for number in range(count):
        plan.change(f"f{number}.py", f"f({number},2)\n", f"f({number}, 2)\n")
    return [view.operation for view in plan.views]


def proved_beside(plan: Plan, store: ProofStore, parsers: ParserPool) -> tuple[ChangeProver, list[OperationView]]:
    """The prover of a large plan whose views were made, and these views."""
    operations = [view.operation for view in plan.views]
    prover = ChangeProver(plan.contents, parsers, store=store)
    made = [*prover.beside(operations, plan.views)]
    prover.settle(60)
    return prover, made


def test_what_was_proved_while_views_were_made_is_known_to_another_process_without_a_parser(
    plan: Plan, tmp_path: Path
) -> None:
    a_large_plan(plan)
    proofs = tmp_path / "proofs"
    first, views = proved_beside(plan, ProofStore(proofs), ParserPool())
    assert views == plan.views
    assert len(first.prove(views)) == MANY

    second, _ = proved_beside(plan, ProofStore(proofs), ParserPool(command=NOBODY))
    assert second.prove(plan.views) == first.prove(plan.views)
    assert [path.stat().st_mode & 0o777 for path in proofs.iterdir()] == [0o600]


def test_nothing_of_a_small_plan_is_kept(plan: Plan, tmp_path: Path) -> None:
    a_large_plan(plan, MANY - 1)
    proved_beside(plan, ProofStore(tmp_path / "proofs"), ParserPool())
    assert not (tmp_path / "proofs").exists()


@pytest.mark.parametrize("kept", [b"{", b"[[1]]", b'[["a", "b", "c", [[1, 0, 1, 0, 1, "anything"]]]]', b"7"])
def test_damaged_proofs_are_made_anew(plan: Plan, tmp_path: Path, kept: bytes) -> None:
    a_large_plan(plan)
    store = ProofStore(tmp_path / "proofs")
    proved_beside(plan, store, ParserPool())
    for path in (tmp_path / "proofs").iterdir():
        path.write_bytes(kept)

    prover, _ = proved_beside(plan, store, ParserPool())
    assert len(prover.prove(plan.views)) == MANY


def test_kept_lines_that_a_file_does_not_change_are_not_marked(plan: Plan, tmp_path: Path) -> None:
    operations = a_large_plan(plan)
    store = ProofStore(tmp_path / "proofs")
    pairs = [(".py", each.base.sha256, each.after.sha256) for each in operations]  # type: ignore[union-attr]
    store.save(operations, {pair: {ChangedLines(1, (0, 9), (0, 9)): ChangeClass.FORMAT} for pair in pairs})

    prover, _ = proved_beside(plan, store, ParserPool(command=NOBODY))
    assert prover.prove(plan.views) == {}


def test_file_on_which_the_parser_failed_is_tried_again_by_another_process(plan: Plan, tmp_path: Path) -> None:
    a_large_plan(plan)
    store = ProofStore(tmp_path / "proofs")
    prover, _ = proved_beside(plan, store, ParserPool(command=NOBODY))
    assert prover.prove(plan.views) == {}

    prover, _ = proved_beside(plan, store, ParserPool())
    assert len(prover.prove(plan.views)) == MANY
