"""A record or bundle from elsewhere is checked when it is read, not only when it is approved."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash, canonical
from tandem_desktop.domain.errors import BundleError, PlanDamagedError
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.services.engine import Engine
from tests.support.bundle_mutations import sealed

BAD: list[tuple[dict[str, Any], str]] = [
    ({"mode": 0o6777}, "set the user id"),
    ({"mode": 0o2755}, "set the group id"),
    ({"mode": 0o1755}, "sticky"),
    ({"mode": 0o666}, "let everybody write"),
    ({"mode": 0o200}, "owner from reading"),
    ({"type": "symlink", "target": "a\u202eb"}, "states say otherwise"),
]
OTHER_TYPES: list[dict[str, Any]] = [{"size": "1"}, {"size": 1.0}, {"size": True}, {"mode": "420"}, {"mode": 420.0}]


@pytest.fixture
def engine(memory_path: Path) -> Iterator[Engine]:
    (memory_path / "project").mkdir()
    made = build_engine(memory_path / "project", state=memory_path / "state")
    yield made
    made.close()


def proposed(engine: Engine) -> PlanVersion:
    step = {"description": "?", "tool": "write", "args": {"path": "a", "content": "x"}}
    return engine.proposals.propose(json.dumps({"title": "A", "steps": [step]}).encode())


def forged(record: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    """The record with another state after its operation, and the digest that belongs to it."""
    operation = record["operations"][0]
    state = after if "type" in after else {**operation["after"], **after}
    changed = {**record, "operations": [{**operation, "after": state}]}
    return {**changed, "approval_hash": ApprovalHash.of(PlanVersion.model_validate(changed)).combined_hash}


@pytest.mark.parametrize(("after", "reason"), BAD)
def test_a_record_that_no_plan_may_hold_is_damaged_when_it_is_read(
    engine: Engine, after: dict[str, Any], reason: str
) -> None:
    version = proposed(engine)
    path = engine.locations.plans / version.plan_id / "r001.json"
    path.write_text(json.dumps(forged(json.loads(path.read_bytes()), after)))
    with pytest.raises(PlanDamagedError, match=f"operation 's1': .*{reason}"):
        engine.plans.revision(version.plan_id)


@pytest.mark.parametrize(("after", "reason"), BAD)
def test_a_bundle_that_no_plan_may_hold_is_refused_before_anything_is_kept(
    engine: Engine, memory_path: Path, after: dict[str, Any], reason: str
) -> None:
    lines = engine.bundles.export(proposed(engine).plan_id).splitlines()[:-1]
    revision = forged(json.loads(lines[2])["revision"], after)
    lines[2] = canonical({"revision": revision})
    manifest = json.loads(lines[0])["bundle"]
    lines[0] = canonical({"bundle": {**manifest, "digest": revision["approval_hash"]}})
    (memory_path / "other").mkdir()
    other = build_engine(memory_path / "other", state=memory_path / "other state")
    try:
        with pytest.raises(BundleError, match=f"operation s1 of revision 1: .*{reason}"):
            other.bundles.take_in(sealed(b"".join(line + b"\n" for line in lines)))
        assert not other.listing().plans
        assert not list(other.locations.objects.rglob("*/*"))
    finally:
        other.close()


def test_a_size_that_is_not_that_of_the_stored_bytes_is_said_where_the_plan_is_shown(engine: Engine) -> None:
    version = proposed(engine)
    path = engine.locations.plans / version.plan_id / "r001.json"
    path.write_text(json.dumps(forged(json.loads(path.read_bytes()), {"size": 2})))
    with pytest.raises(PlanDamagedError, match="has 2 bytes; 1 are stored"):
        engine.view(engine.plans.revision(version.plan_id))


@pytest.mark.parametrize("after", OTHER_TYPES, ids=str)
def test_a_number_that_is_written_as_something_else_is_damage(engine: Engine, after: dict[str, Any]) -> None:
    version = proposed(engine)
    path = engine.locations.plans / version.plan_id / "r001.json"
    path.write_text(json.dumps(forged(json.loads(path.read_bytes()), after)))
    with pytest.raises(PlanDamagedError, match=f"after.file.{next(iter(after))}: Input should be a valid integer"):
        engine.plans.revision(version.plan_id)


@pytest.mark.parametrize("session", ["/tmp/elsewhere", "../../elsewhere", "..", "a/b", ""])
@pytest.mark.parametrize("name", ["meta.json", "r001.json"])
def test_a_record_names_no_other_place_as_its_session(engine: Engine, name: str, session: str) -> None:
    version = proposed(engine)
    path = engine.locations.plans / version.plan_id / name
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "session_id": session}))
    with pytest.raises(PlanDamagedError, match="its session"):
        engine.plans.meta(version.plan_id) if name == "meta.json" else engine.plans.revision(version.plan_id)


def test_a_plan_without_a_revision_is_named_and_keeps_no_other_one_from_the_list(engine: Engine) -> None:
    version, other = proposed(engine), proposed(engine)
    path = engine.locations.plans / version.plan_id / "meta.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "revision": -1}))
    found = engine.listing()
    assert [each.plan_id for each in found.plans] == [other.plan_id]
    assert [each.plan_id for each in found.damaged] == [version.plan_id]


def test_a_record_of_another_spelling_is_read_and_one_with_a_key_twice_is_not(engine: Engine) -> None:
    version = proposed(engine)
    path = engine.locations.plans / version.plan_id / "r001.json"
    record = json.loads(path.read_bytes())
    path.write_text(json.dumps(record))
    assert engine.plans.revision(version.plan_id) == version
    path.write_text(json.dumps(record).replace('"title":', '"title": "Harmless", "title":', 1))
    with pytest.raises(PlanDamagedError, match="the key 'title' is there twice"):
        engine.plans.revision(version.plan_id)
