"""The list is right whatever happened to the index, and reads only what changed."""

import json
import random
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.state_machine import Approve
from tandem_desktop.plans import records
from tandem_desktop.plans.index import PlanIndex
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.storage import syscalls
from tests.support.builders import a_meta, a_version, a_write
from tests.support.clocks import Clock
from tests.support.plan_reads import Reads

Another = Callable[[], PlanStore]
Settle = Callable[[], bytes]


def plan_id(number: int) -> PlanId:
    return PlanId(f"PLAN-{number:08x}")


def propose(store: PlanStore, clock: Clock, count: int) -> None:
    for number in range(count):
        clock.forward(seconds=1)
        draft = a_version(a_write(), plan_id=plan_id(number), session_id=f"SES-{number}", title=f"Plan {number}")
        store.create_plan(draft)


@pytest.mark.req("S3-02", "S0-51")
def test_plans_are_listed_newest_first_with_what_a_person_needs(store: PlanStore, clock: Clock) -> None:
    propose(store, clock, 3)
    clock.forward(seconds=1)
    store.send(plan_id(0), Approve())
    rows = store.list().plans
    assert [row.plan_id for row in rows] == [plan_id(0), plan_id(2), plan_id(1)]
    meta = store.meta(plan_id(0))
    rest = (meta.updated_at, None, meta.created_at, False, meta.session_id)
    assert rows[0] == (meta.plan_id, meta.title, meta.status, meta.revision, meta.digest, *rest)
    assert isinstance(rows[0].status, PlanStatus)


def test_plans_of_the_same_moment_keep_one_order(store: PlanStore) -> None:
    for number in (2, 0, 1):
        store.create_plan(a_version(a_write(), plan_id=plan_id(number), session_id=f"SES-{number}"))
    assert [row.plan_id for row in store.list().plans] == [plan_id(0), plan_id(1), plan_id(2)]


@pytest.mark.req("S0-51")
def test_the_index_is_not_written_when_a_plan_is(
    store: PlanStore, plans: Path, clock: Clock, remembered: Settle
) -> None:
    propose(store, clock, 2)
    assert not (plans / "index.json").exists()
    index = remembered()
    store.send(plan_id(0), Approve())
    store.create_revision(a_version(a_write(), plan_id=plan_id(1), parent=1))
    propose_another = a_version(a_write(), plan_id=plan_id(7), session_id="SES-7")
    store.create_plan(propose_another)
    assert (plans / "index.json").read_bytes() == index


@pytest.mark.req("S0-93")
def test_the_index_tells_a_reader_of_each_plan_by_name(
    store: PlanStore, plans: Path, clock: Clock, remembered: Settle
) -> None:
    propose(store, clock, 2)
    store.send(plan_id(0), Approve())
    store.update(plan_id(0), lambda meta: meta.model_copy(update={"title": "Grüße"}))
    remembered()
    text = (plans / "index.json").read_text(encoding="utf-8")
    rows = {row["id"]: row for row in json.loads(text)["plans"]}
    assert list(rows) == [row.plan_id for row in store.list().plans]
    for number in (0, 1):
        meta, row = store.meta(plan_id(number)), rows[plan_id(number)]
        assert (row["title"], row["status"], row["revision"]) == (meta.title, meta.status.value, meta.revision)
        assert (row["created_at"], row["updated_at"]) == (meta.created_at.isoformat(), meta.updated_at.isoformat())
    assert "Grüße" in next(line for line in text.splitlines() if plan_id(0) in line)


def test_only_records_that_changed_are_read(
    store: PlanStore, plans: Path, clock: Clock, remembered: Settle, reads: Reads
) -> None:
    propose(store, clock, 6)
    remembered()
    index = PlanIndex(plans, reads)
    assert len(index.listing().plans) == 6
    assert reads.names == []
    store.send(plan_id(3), Approve())
    assert {row.plan_id: row.status for row in index.listing().plans}[plan_id(3)] is PlanStatus.APPROVED
    assert reads.names == [plan_id(3)]


def test_an_unchanged_list_writes_nothing(store: PlanStore, plans: Path, clock: Clock, remembered: Settle) -> None:
    propose(store, clock, 2)
    remembered()
    calls: list[str] = []
    with syscalls.gated(lambda call, what: calls.append(call)):
        store.list()
    assert calls == []


def test_plans_that_come_and_go_are_seen_at_once(
    store: PlanStore, plans: Path, clock: Clock, tmp_path: Path, remembered: Settle
) -> None:
    propose(store, clock, 3)
    remembered()
    (plans / plan_id(1)).rename(tmp_path / "away")
    assert [row.plan_id for row in store.list().plans] == [plan_id(2), plan_id(0)]
    (tmp_path / "away").rename(plans / plan_id(1))
    assert [row.plan_id for row in store.list().plans] == [plan_id(2), plan_id(1), plan_id(0)]


def test_a_record_edited_in_place_is_seen(store: PlanStore, plans: Path, clock: Clock, remembered: Settle) -> None:
    propose(store, clock, 2)
    remembered()
    path = plans / plan_id(0) / "meta.json"
    path.write_text(path.read_text().replace("Plan 0", "Plan O"))
    assert [row.title for row in store.list().plans] == ["Plan 1", "Plan O"]


def test_a_time_without_zone_is_taken_as_utc(store: PlanStore, plans: Path, clock: Clock) -> None:
    propose(store, clock, 2)
    path = plans / plan_id(0) / "meta.json"
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "updated_at": "2026-05-05T00:00:00"}))
    rows = store.list().plans
    assert [row.plan_id for row in rows] == [plan_id(0), plan_id(1)]
    assert rows[0].updated_at.isoformat() == "2026-05-05T00:00:00+00:00"


@pytest.mark.req("S3-02")
def test_a_damaged_plan_is_named_beside_the_others(
    store: PlanStore, plans: Path, clock: Clock, remembered: Settle
) -> None:
    propose(store, clock, 3)
    remembered()
    (plans / plan_id(1) / "meta.json").write_text("{")
    for _ in range(2):
        listing = store.list()
        assert [row.plan_id for row in listing.plans] == [plan_id(2), plan_id(0)]
        (damaged,) = listing.damaged
        assert damaged.plan_id == plan_id(1)
        assert damaged.path == str(plans / plan_id(1) / "meta.json")
        assert "damaged" in damaged.message
        assert damaged.next


def test_folders_that_hold_no_plan_are_passed_over(store: PlanStore, plans: Path, clock: Clock) -> None:
    propose(store, clock, 1)
    for name in ("PLAN-ffffffff", "PLAN-x", "notes", ".PLAN-00000000.tmp"):
        (plans / name).mkdir()
    (plans / "PLAN-eeeeeeee").write_text("a file")
    listing = store.list()
    assert [row.plan_id for row in listing.plans] == [plan_id(0)]
    assert listing.damaged == ()


def test_an_index_damaged_in_any_byte_still_gives_the_right_list(
    store: PlanStore, plans: Path, clock: Clock, remembered: Settle
) -> None:
    propose(store, clock, 3)
    index = remembered()
    right = store.list().plans
    chance = random.Random(1)
    for _ in range(150):
        damaged = bytearray(index)
        damaged[chance.randrange(len(index))] ^= 1 << chance.randrange(8)
        (plans / "index.json").write_bytes(damaged)
        assert store.list().plans == right
    for rubbish in (b"", b"{}", b"[]", index[:-1], index[: len(index) // 2], index * 2):
        (plans / "index.json").write_bytes(rubbish)
        assert store.list().plans == right
    assert (plans / "index.json").read_bytes() == index


def test_an_index_that_fits_its_checksum_but_not_its_shape_is_rebuilt(
    store: PlanStore, plans: Path, clock: Clock
) -> None:
    propose(store, clock, 2)
    right = store.list().plans
    for body in (b"{}", b"[]", b'{"names": 1}', b"1", b"[1]", b'[{"id": "PLAN-00000000"}]'):
        (plans / "index.json").write_bytes(b'{"format":2,"crc":"%08x","plans":' % zlib.crc32(body) + body + b"}\n")
        assert store.list().plans == right


def test_a_list_is_given_even_where_it_cannot_be_remembered(store: PlanStore, plans: Path, clock: Clock) -> None:
    propose(store, clock, 2)

    def refuse(call: str, what: str) -> None:
        raise OSError(30, "Read-only file system")

    with syscalls.gated(refuse):
        assert len(store.list().plans) == 2
    assert not (plans / "index.json").exists()


def test_random_histories_list_like_a_fresh_look_at_every_record(
    store: PlanStore, another_store: Another, plans: Path, clock: Clock
) -> None:
    chance = random.Random(5)
    propose(store, clock, 5)
    for step in range(120):
        clock.forward(seconds=1)
        name = plan_id(chance.randrange(5))
        action = chance.choice(["update", "revise", "list", "list", "lose index"])
        if action == "update":
            another_store().update(name, lambda meta, n=step: meta.model_copy(update={"title": f"Title {n}"}))
        elif action == "revise":
            latest = store.revision(name)
            store.create_revision(latest.model_copy(update={"parent_revision": latest.revision}))
        elif action == "lose index":
            (plans / "index.json").unlink(missing_ok=True)
        listed = store.list().plans
        metas = [another_store().meta(plan_id(number)) for number in range(5)]
        expected = sorted(metas, key=lambda meta: meta.plan_id)
        expected.sort(key=lambda meta: meta.updated_at, reverse=True)
        assert [(r.plan_id, r.title, r.revision, r.digest) for r in listed] == [
            (m.plan_id, m.title, m.revision, m.digest) for m in expected
        ]


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.exhaustive)])
def test_many_plans_are_listed_from_the_index_alone(plans: Path, remembered: Settle, reads: Reads, count: int) -> None:
    meta = a_meta(a_version())
    for number in range(count):
        folder = plans / plan_id(number)
        folder.mkdir(parents=True)
        record = records.encode(meta.model_copy(update={"plan_id": plan_id(number)}))
        (folder / "meta.json").write_bytes(record)
    remembered()
    listing = PlanIndex(plans, reads).listing()
    assert len(listing) == len(listing.plans) == count
    assert (listing.plans[0].plan_id, listing.damaged) == (plan_id(0), ())
    assert reads.names == []
