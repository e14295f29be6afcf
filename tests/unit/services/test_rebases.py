"""The three sides of a drifted path, as a person compares them before a rebase."""

import json
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError, RebaseConflictError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.review.conflicts import Resolution, Take
from tandem_desktop.services.engine import Engine

BASE = b"alpha = 1\nbeta = 2\ngamma = 3\n"


@pytest.fixture
def root(root: Path) -> Path:
    for name in ("f.txt", "gone.txt", "apart.txt"):
        (root / name).write_bytes(BASE)
    return root


@pytest.fixture
def plan_id(engine: Engine, root: Path) -> PlanId:
    """A plan that changes the first line of three files, and what a person did to them meanwhile."""
    steps = [
        {
            "description": "Edit",
            "tool": "edit",
            "args": {"path": name, "old_string": "alpha = 1", "new_string": "alpha = 1 + x"},
        }
        for name in ("f.txt", "gone.txt", "apart.txt")
    ]
    made = engine.proposals.propose(json.dumps({"title": "A change", "steps": steps}).encode()).plan_id
    (root / "f.txt").write_bytes(BASE.replace(b"alpha = 1", b"the_alpha = 1"))
    (root / "gone.txt").unlink()
    (root / "apart.txt").write_bytes(BASE.replace(b"gamma = 3", b"gamma = 4"))
    return made


def test_conflict_is_shown_with_its_three_sides_and_a_suggestion(engine: Engine, plan_id: PlanId) -> None:
    found = engine.rebases.three_way(plan_id, "f.txt")
    assert (found.base, found.disk) == (BASE, BASE.replace(b"alpha = 1", b"the_alpha = 1"))
    assert found.proposed == BASE.replace(b"alpha = 1", b"alpha = 1 + x")
    assert [region.disk for region in found.regions] == [(b"the_alpha = 1\n",)]
    assert found.suggestions == (b"the_alpha = 1 + x\n",)
    assert found.conflict is not None


def test_deleted_file_has_no_side_on_disk(engine: Engine, plan_id: PlanId) -> None:
    found = engine.rebases.three_way(plan_id, "gone.txt")
    assert (found.disk, len(found.regions)) == (None, 1)


def test_path_whose_changes_keep_apart_is_no_question(engine: Engine, plan_id: PlanId) -> None:
    found = engine.rebases.three_way(plan_id, "apart.txt")
    assert (found.regions, found.conflict) == ((), None)
    assert found.disk == BASE.replace(b"gamma = 3", b"gamma = 4")


def test_path_the_plan_does_not_name_is_refused(engine: Engine, plan_id: PlanId) -> None:
    with pytest.raises(BadInputError):
        engine.rebases.three_way(plan_id, "other.txt")


def test_rebase_waits_for_every_answer_and_then_takes_all_of_them(engine: Engine, plan_id: PlanId) -> None:
    shown = engine.rebases.three_way(plan_id, "f.txt")
    assert shown.conflict is not None
    accepted = Resolution("f.txt", regions={1: shown.suggestions[0] or b""}, seen=shown.conflict.seen)
    with pytest.raises(RebaseConflictError, match=r"gone\.txt was deleted on disk"):
        engine.rebases.rebase(plan_id, [accepted])
    version = engine.rebases.rebase(plan_id, [accepted, Resolution("gone.txt", Take.PROPOSED)])
    left = {
        each.path: engine.objects.read(each.after.sha256) for each in version.operations if each.after.type == "file"
    }
    assert left == {
        "f.txt": BASE.replace(b"alpha = 1", b"the_alpha = 1 + x"),
        "gone.txt": BASE.replace(b"alpha = 1", b"alpha = 1 + x"),
        "apart.txt": BASE.replace(b"alpha = 1", b"alpha = 1 + x").replace(b"gamma = 3", b"gamma = 4"),
    }
