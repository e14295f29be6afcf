from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.review.overlaps import Overlap
from tandem_desktop.services.engine import Engine
from tests.support.command_line import edit, write
from tests.support.rehearsals import plan_json

LINES = "".join(f"line {number}\n" for number in range(1, 41))


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "app.py").write_text(LINES)
    (root / "src" / "one.py").write_text("one\n")
    return build_engine(root, state=tmp_path / "state")


@pytest.fixture
def plan(engine) -> Callable[..., PlanId]:
    def propose(*steps: dict) -> PlanId:
        return engine.proposals.propose(plan_json(*steps)).plan_id

    return propose


def only(engine: Engine) -> Overlap:
    [found] = engine.overlaps()
    return found


def test_changes_far_apart_in_one_file_fit_together(engine, plan):
    first, second = plan(edit("app.py", "line 3\n", "three\n")), plan(edit("app.py", "line 30\n", "thirty\n"))
    assert only(engine) == Overlap(first, second, ("app.py",), hunks=0, conflict=False)


def test_changes_of_the_same_lines_are_a_conflict_and_counted(engine, plan):
    first = plan(edit("app.py", "line 3\n", "three\n"), edit("app.py", "line 30\n", "thirty\n"))
    second = plan(edit("app.py", "line 3\n", "drei\n"), edit("app.py", "line 30\n", "dreissig\n"))
    assert only(engine) == Overlap(first, second, ("app.py",), hunks=2, conflict=True)


def test_the_same_change_twice_is_no_conflict(engine, plan):
    plan(edit("app.py", "line 3\n", "three\n"))
    plan(edit("app.py", "line 3\n", "three\n"))
    assert not only(engine).conflict


def test_the_same_new_file_with_other_content_is_a_conflict(engine, plan):
    first, second = plan(write("new.py", "1\n")), plan(write("new.py", "2\n"))
    assert only(engine) == Overlap(first, second, ("new.py",), hunks=1, conflict=True)


def test_a_new_file_in_a_folder_that_the_other_plan_deletes_is_a_conflict(engine, plan):
    plan({"description": "Tidy", "tool": "delete", "args": {"path": "src"}})
    plan(write("src/two.py", "two\n"))
    found = only(engine)
    assert found.paths == ("src/two.py",)
    assert found.conflict


def test_two_plans_that_make_the_same_folder_do_not_meet(engine, plan):
    plan(write("made/one.py", "1\n"), {"description": "Make", "tool": "mkdir", "args": {"path": "shared"}})
    plan(write("made/two.py", "2\n"), {"description": "Make", "tool": "mkdir", "args": {"path": "shared"}})
    assert engine.overlaps() == ()


def test_a_conflict_with_the_disk_alone_is_not_held_against_the_other_plan(engine, plan):
    plan(edit("app.py", "line 30\n", "thirty\n"))
    plan(edit("app.py", "line 3\n", "three\n"))
    path = engine.workspace.path / "app.py"
    path.write_text(LINES.replace("line 3\n", "edited\n"))
    assert not only(engine).conflict


def test_plans_that_are_decided_are_left_out_and_one_plan_can_be_asked_about(engine, plan):
    first, second, third = (plan(write("new.py", f"{number}\n")) for number in range(3))
    engine.decisions.cancel(third)
    assert [(each.a, each.b) for each in engine.overlaps()] == [(first, second)]
    fourth = plan(write("other.py", "1\n"))
    assert engine.overlaps(frozenset((fourth,))) == ()
    assert len(engine.overlaps(frozenset((second,)))) == 1
