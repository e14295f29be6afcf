"""Choices about a revision are values: each can be taken back, and what they come to is told beforehand."""

import json
import sys
import threading
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.diff.parser_pool import ParserPool, worker_command
from tandem_desktop.domain.errors import BadInputError, StaleRevisionError, StepRefusedError
from tandem_desktop.domain.events import OperationStaged
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import FileState
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.review.change_classes import ChangeProver
from tandem_desktop.review.choices import Choices
from tandem_desktop.review.operation_view import view_operation
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.pages import PlanPages, StagedProofs
from tests.support.builders import SESSION_ID, a_write

ONE, TWO, THREE = OperationId("s1"), OperationId("s2"), OperationId("s3")
LINES = "".join(f"line {n}\n" for n in range(40))


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    root = tmp_path / "workspace"
    root.mkdir()
    (root / "f.txt").write_text(LINES)
    return build_engine(root, state=tmp_path / "state")


@pytest.fixture
def version(engine: Engine) -> PlanVersion:
    changed = LINES.replace("line 3\n", "LINE 3\n").replace("line 30\n", "LINE 30\n")
    steps = [
        {"id": "s1", "description": "edit", "tool": "write", "args": {"path": "f.txt", "content": changed}},
        {"id": "s2", "description": "new", "tool": "write", "args": {"path": "new.txt", "content": "new\n"}},
        {"id": "s3", "description": "mode", "tool": "chmod", "args": {"path": "new.txt", "mode": "0755"}},
    ]
    return engine.proposals.propose(json.dumps({"title": "Three", "steps": steps}).encode())


def about(version: PlanVersion) -> Choices:
    return Choices(plan_id=version.plan_id, revision=version.revision)


def test_every_choice_can_be_taken_back(version: PlanVersion) -> None:
    nothing = about(version)
    planned = (ONE, TWO, THREE)
    assert nothing.is_empty
    assert nothing.drop(ONE).keep(ONE) == nothing
    assert nothing.drop_hunk(ONE, 2).drop_hunk(ONE, 1).keep_hunk(ONE, 2).keep_hunk(ONE, 1) == nothing
    assert nothing.toggle_lines(ONE, (4,), ()).toggle_lines(ONE, (4, 5), (4,)).part(ONE).added == (4, 5)
    assert nothing.toggle_lines(ONE, (4, 5), (4,)).toggle_lines(ONE, (4, 5), (4,)) == nothing
    assert nothing.edit(ONE, "0" * 64).edit(ONE, None) == nothing
    assert nothing.rewrite("mine").rewrite(None) == nothing
    assert nothing.reorder((TWO, ONE, THREE), planned).reorder(planned, planned) == nothing


def test_choosing_saves_nothing_and_tells_the_digest_that_saving_gives(engine: Engine, version: PlanVersion) -> None:
    pages = PlanPages(engine)
    page = pages.choose(about(version).drop_hunk(ONE, 2))
    assert page.draft is not None
    assert engine.plans.latest_revision(version.plan_id) == 1
    assert [view.added for view in page.draft.views] == [1, 1, 0]
    saved = engine.proposals.save(page.choices)
    assert (saved.revision, saved.parent_revision, saved.origin) == (2, 1, Origin.PERSON)
    assert saved.approval_hash == page.draft.digest
    assert pages.page(version.plan_id).draft is None


def test_lines_left_out_an_own_version_and_another_text_become_the_next_revision(
    engine: Engine, version: PlanVersion
) -> None:
    own = engine.objects.put(b"my own\n")
    choices = about(version).toggle_lines(ONE, (31,), (31,)).edit(TWO, own).rewrite("Mine.\n")
    saved = engine.proposals.save(PlanPages(engine).choose(choices).choices)
    first, second, third = saved.operations
    assert saved.content == "Mine.\n"
    assert first.after == FileState.of(LINES.replace("line 3\n", "LINE 3\n").encode(), 0o644)
    assert second.after == FileState.of(b"my own\n", 0o644)
    assert third.base == second.after


def test_operation_that_no_longer_applies_is_named_and_keeps_the_choices_from_being_saved(
    engine: Engine, version: PlanVersion
) -> None:
    page = PlanPages(engine).choose(about(version).drop(TWO))
    assert page.draft is not None
    assert [problem.step for problem in page.draft.problems] == [THREE]
    with pytest.raises(StepRefusedError):
        engine.proposals.save(page.choices)
    assert engine.plans.latest_revision(version.plan_id) == 1


def test_all_operations_dropped_leaves_no_digest_to_approve(engine: Engine, version: PlanVersion) -> None:
    page = PlanPages(engine).choose(about(version).drop(ONE).drop(TWO).drop(THREE))
    assert page.draft is not None
    assert page.draft.digest == ""
    assert page.left == ()
    assert len(page.views) == 3


def test_another_order_is_shown_and_simulated(engine: Engine, version: PlanVersion) -> None:
    planned = tuple(operation.id for operation in version.operations)
    pages = PlanPages(engine)
    moved = pages.choose(about(version).reorder((TWO, ONE, THREE), planned))
    assert [view.operation.id for view in moved.views] == [TWO, ONE, THREE]
    assert moved.draft is not None
    assert moved.draft.problems == ()
    broken = pages.choose(about(version).reorder((THREE, TWO, ONE), planned))
    assert broken.draft is not None
    assert [problem.step for problem in broken.draft.problems] == [THREE]


def test_order_that_forgets_an_operation_is_refused(engine: Engine, version: PlanVersion) -> None:
    with pytest.raises(BadInputError):
        engine.proposals.draft(version, about(version).model_copy(update={"order": (TWO, ONE)}))


def test_choices_about_an_older_revision_count_for_nothing(engine: Engine, version: PlanVersion) -> None:
    pages = PlanPages(engine)
    choices = pages.choose(about(version).drop_hunk(ONE, 1)).choices
    engine.proposals.restore(version.plan_id, 1)
    assert pages.page(version.plan_id).draft is None
    with pytest.raises(StaleRevisionError):
        engine.proposals.save(choices)


def test_damaged_record_is_no_choice_at_all(engine: Engine, version: PlanVersion) -> None:
    pages = PlanPages(engine)
    pages.choose(about(version).drop(ONE))
    record = engine.locations.sessions / version.session_id / "review.json"
    assert record.stat().st_mode & 0o777 == 0o600
    record.write_text("{")
    assert pages.page(version.plan_id).draft is None


def test_page_that_is_read_again_shows_the_very_same_values(engine: Engine, version: PlanVersion) -> None:
    pages = PlanPages(engine)
    first = pages.page(version.plan_id)
    assert pages.page(version.plan_id).views is first.views  # ten thousand of them need not be compared
    engine.proposals.save(about(version).drop(ONE))
    assert [view.operation.id for view in pages.page(version.plan_id).views] == [TWO, THREE]


def test_a_page_that_was_edited_by_hand_is_named(engine: Engine, version: PlanVersion) -> None:
    page = engine.locations.plans / version.plan_id / "r001.md"
    assert PlanPages(engine).page(version.plan_id).edited_page == ""
    page.write_text(page.read_text() + "One thing more.\n")
    assert PlanPages(engine).page(version.plan_id).edited_page == str(page)


@pytest.mark.parametrize(("count", "ahead"), [(60, True), (5, False)])
def test_large_plan_is_proved_while_it_is_staged(engine: Engine, tmp_path: Path, count: int, ahead: bool) -> None:
    started = tmp_path / "started"
    begin = f"open({str(started)!r}, 'a').write('.'); import os; os.execv({sys.executable!r}, {[*worker_command()]!r})"
    prover = ChangeProver(engine.contents, ParserPool(command=(sys.executable, "-c", begin)))
    staged = StagedProofs(engine, prover)
    operations = []
    for number in range(count):
        before, after = b"f(%d,2)\n" % number, b"f(%d, 2)\n" % number
        engine.objects.put_all((before, after))
        operations.append(a_write(f"f{number}.py", after, before=before, id=f"s{number}"))
        engine.events.publish(OperationStaged(session_id=SESSION_ID, operation=operations[-1]))
    for thread in threading.enumerate():
        if thread.name == "proofs":
            thread.join()
    left = ahead and count - staged.waiting

    before_plan = len(started.read_text()) if started.exists() else 0
    views = [view_operation(each, engine.objects, commands_captured=True) for each in operations[: left or count]]

    assert len(prover.prove(views)) == len(views)
    assert (before_plan > 0) is ahead
    assert (len(started.read_text()) == before_plan) is ahead
