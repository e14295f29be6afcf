"""Plans survive: restarts, crashes between two writes, other windows, and damage that is named."""

import contextlib
import json
import os
import uuid
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import (
    InvalidTransitionError,
    PlanDamagedError,
    PlanModifiedError,
    PlanNotFoundError,
    StaleRevisionError,
    StorageError,
)
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.plan import Origin, PlanMeta
from tandem_desktop.domain.plan_states import PlanStatus, has_ended
from tandem_desktop.domain.state_machine import Approve, Pause
from tandem_desktop.plans import records
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.storage import syscalls
from tests.support.builders import A_MOMENT, PLAN_ID, SESSION_ID, a_command, a_version, a_write
from tests.support.clocks import Clock

OTHER = PlanId("PLAN-0badf00d")
Another = Callable[[], PlanStore]


class Killed(BaseException):
    """The process is gone; no handler of ours may run as if it were not."""


def summarised(text: str) -> Callable[[PlanMeta], PlanMeta]:
    return lambda meta: meta.model_copy(update={"result_summary": text})


def temporaries(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.name.endswith(".tmp")]


@pytest.mark.req("S0-45", "S0-51", "S0-52", "S0-92")
def test_a_new_plan_is_a_numbered_record_a_page_and_a_proposed_meta(store: PlanStore, plans: Path) -> None:
    saved = store.create_plan(a_version(a_write(), a_command()), planner_model="gpt")
    store.list()
    assert {path.name for path in (plans / PLAN_ID).iterdir()} == {"r001.json", "r001.md", "meta.json", ".lock"}
    assert json.loads((plans / "index.json").read_bytes())["format"] == 2
    assert (saved.revision, saved.parent_revision, saved.created_at) == (1, None, A_MOMENT)
    record = json.loads((plans / PLAN_ID / "r001.json").read_bytes())
    assert (record["revision"], record["origin"], record["approval_hash"]) == (1, "agent", saved.approval_hash)
    assert {"parent_revision", "created_at"} <= record.keys()
    assert uuid.UUID(saved.id).version == 4
    assert saved.approval_hash == ApprovalHash.of(saved).combined_hash
    meta = store.meta(PLAN_ID)
    assert (meta.status, meta.version, meta.revision, meta.digest) == ("proposed", 1, 1, saved.approval_hash)
    assert (meta.planner_model, meta.tools_required) == ("gpt", ("bash", "write"))


@pytest.mark.req("S0-86", "S3-01", "S3-02")
def test_a_plan_saved_now_is_found_whole_by_a_later_process_that_heard_no_event(
    store: PlanStore, another_store: Another
) -> None:
    saved = store.create_plan(a_version(a_write(), context={"notes": "remember"}))
    later = another_store()
    assert later.revision(PLAN_ID) == saved
    assert later.meta(PLAN_ID) == store.meta(PLAN_ID)
    assert [row.plan_id for row in later.list().plans] == [PLAN_ID]


@pytest.mark.req("S0-47")
def test_a_revision_counts_on_from_its_parent_and_is_proposed_again(store: PlanStore, clock: Clock) -> None:
    first = store.create_plan(a_version(a_write()))
    store.send(PLAN_ID, Approve())
    clock.forward(minutes=5)
    second = store.create_revision(a_version(a_command(), parent=1, title="Better", origin=Origin.REWORK))
    assert (second.revision, second.parent_revision, second.created_at) == (2, 1, clock.now)
    assert second.id != first.id
    assert second.approval_hash not in ("", first.approval_hash)
    meta = store.meta(PLAN_ID)
    assert (meta.status, meta.revision, meta.version, meta.title) == ("proposed", 2, 3, "Better")
    assert (meta.digest, meta.updated_at) == (second.approval_hash, clock.now)
    assert meta.tools_required == ("bash",)
    assert [version.revision for version in store.revisions(PLAN_ID)] == [1, 2]
    assert store.revision(PLAN_ID, 1) == first


@pytest.mark.req("S3-45", "S0-47")
def test_second_writer_with_the_same_parent_is_refused(store: PlanStore, another_store: Another) -> None:
    store.create_revision(a_version(a_write()))
    another_store().create_revision(a_version(a_write("b"), parent=1))
    with pytest.raises(StaleRevisionError) as refusal:
        store.create_revision(a_version(a_write("c"), parent=1))
    assert (refusal.value.expected, refusal.value.found) == (1, 2)


def test_a_second_plan_under_a_taken_name_is_refused(store: PlanStore) -> None:
    first = store.create_plan(a_version(a_write()))
    with pytest.raises(StaleRevisionError) as refusal:
        store.create_plan(a_version(a_write("b"), session_id="SES-other"))
    assert (refusal.value.expected, refusal.value.found) == (0, 1)
    assert store.revision(PLAN_ID) == first


def test_a_revision_file_put_there_by_somebody_else_is_never_overwritten(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write()))
    foreign = plans / PLAN_ID / "r002.json"

    def plant(call: str, what: str) -> None:
        if what == str(foreign):
            foreign.write_text("mine")

    with syscalls.gated(plant), pytest.raises(StaleRevisionError):
        store.create_revision(a_version(a_write("b"), parent=1))
    assert foreign.read_text() == "mine"


@pytest.mark.req("S0-50")
def test_an_earlier_revision_comes_back_as_a_new_one_by_the_person(store: PlanStore) -> None:
    first = store.create_plan(a_version(a_write(), content="one"))
    store.create_revision(a_version(a_command(), parent=1, content="two"))
    third = store.restore(PLAN_ID, 1)
    assert (third.revision, third.parent_revision, third.origin) == (3, 2, "person")
    assert (third.content, third.operations) == (first.content, first.operations)
    assert ApprovalHash.of(third).operations_hash == ApprovalHash.of(first).operations_hash
    assert third.approval_hash != first.approval_hash


@pytest.mark.req("S3-11", "S3-13")
def test_every_update_raises_the_version_and_refreshes_the_time(store: PlanStore, clock: Clock) -> None:
    store.create_plan(a_version(a_write()))
    for version in (2, 3, 4):
        now = clock.forward(seconds=1)
        saved = store.update(PLAN_ID, summarised(str(version)), expected_version=version - 1)
        assert (saved.version, saved.updated_at) == (version, now)
        assert store.meta(PLAN_ID) == saved


@pytest.mark.req("S3-11")
def test_an_update_against_an_old_version_is_refused_and_leaves_no_trace(
    store: PlanStore, another_store: Another, plans: Path
) -> None:
    store.create_plan(a_version(a_write()))
    won = another_store().update(PLAN_ID, summarised("won"))
    before = {path.name: path.read_bytes() for path in (plans / PLAN_ID).iterdir()}
    with pytest.raises(PlanModifiedError) as refusal:
        store.update(PLAN_ID, summarised("lost"), expected_version=1)
    assert refusal.value.message.startswith("Plan was modified concurrently (expected v1, found v2)")
    assert {path.name: path.read_bytes() for path in (plans / PLAN_ID).iterdir()} == before
    assert store.meta(PLAN_ID) == won


def test_an_update_cannot_change_what_plan_or_revision_the_record_is_about(store: PlanStore) -> None:
    saved = store.create_plan(a_version(a_write()))
    stray = {"plan_id": OTHER, "revision": 9, "digest": "0" * 64, "session_id": "SES-x", "version": 70}
    meta = store.update(PLAN_ID, lambda found: found.model_copy(update=stray))
    assert (meta.plan_id, meta.revision, meta.digest, meta.version) == (PLAN_ID, 1, saved.approval_hash, 2)
    assert meta.session_id == SESSION_ID


def test_a_change_that_refuses_leaves_the_record_alone(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write()))
    before = (plans / PLAN_ID / "meta.json").read_bytes()
    with pytest.raises(InvalidTransitionError):
        store.send(PLAN_ID, Pause())
    assert (plans / PLAN_ID / "meta.json").read_bytes() == before


@pytest.mark.req("S3-12")
def test_a_record_is_read_once_and_again_only_when_its_file_changed(store: PlanStore, another_store: Another) -> None:
    store.create_plan(a_version(a_write()))
    # A file is remembered only once its time stamp is old enough to tell the next change.
    assert any(store.meta(PLAN_ID) is store.meta(PLAN_ID) for _ in range(20_000))
    assert store.revision(PLAN_ID) is store.revision(PLAN_ID)
    foreign = another_store().update(PLAN_ID, summarised("theirs"))
    assert store.meta(PLAN_ID) == foreign
    own = store.update(PLAN_ID, summarised("ours"))
    assert store.meta(PLAN_ID) == own


def test_a_store_tells_the_version_it_wrote_from_one_of_another_process(
    store: PlanStore, another_store: Another
) -> None:
    store.create_plan(a_version(a_write()))
    assert store.has_written(store.meta(PLAN_ID))
    another_store().update(PLAN_ID, summarised("elsewhere"))
    assert not store.has_written(store.meta(PLAN_ID))
    assert store.has_written(store.update(PLAN_ID, summarised("here")))


def test_a_revision_just_saved_is_known_without_reading_and_is_what_the_disk_says(
    store: PlanStore, another_store: Another, plans: Path
) -> None:
    saved = store.create_plan(a_version(a_write(), a_command()))
    assert store.revision(PLAN_ID) is saved
    assert another_store().revision(PLAN_ID) == saved
    path = plans / PLAN_ID / "r001.json"
    path.write_bytes(path.read_bytes().replace(b'"title"', b' "title"', 1))
    assert store.revision(PLAN_ID) is not saved


@pytest.mark.req("S3-10", "S3-44")
@pytest.mark.parametrize("action", ["create", "revise", "update"])
def test_killed_at_any_call_a_plan_is_old_or_new_and_goes_on(action: str, tmp_path: Path, clock: Clock) -> None:
    calls = kills = 0
    while True:
        plans = tmp_path / str(kills) / "plans"
        store = PlanStore(plans, clock, plans.parent / "artifacts")
        if action != "create":
            store.create_plan(a_version(a_write()))
        old = None if action == "create" else (store.meta(PLAN_ID), store.revision(PLAN_ID))
        calls = 0

        def kill(call: str, what: str, limit: int = kills) -> None:
            nonlocal calls
            calls += 1
            if calls > limit:
                raise Killed

        with syscalls.gated(kill), contextlib.suppress(Killed):
            if action == "create":
                store.create_plan(a_version(a_write(), context={"notes": "x" * 60_000}))
            elif action == "revise":
                store.create_revision(a_version(a_command(), parent=1))
            else:
                store.update(PLAN_ID, summarised("new"))
        survivor = PlanStore(plans, clock, plans.parent / "artifacts")
        listed = survivor.list()
        assert not listed.damaged
        try:
            meta, version = survivor.meta(PLAN_ID), survivor.revision(PLAN_ID)
        except PlanNotFoundError:
            assert action == "create"
            assert listed.plans == ()
            survivor.create_plan(a_version(a_write()))
        else:
            assert (meta.revision, meta.digest) == (version.revision, ApprovalHash.of(version).combined_hash)
            row = listed.plans[0]
            assert (row.revision, row.digest, row.status) == (meta.revision, meta.digest, meta.status)
            assert old in (None, (meta, version)) or meta.version == 2
            assert meta.version in (1, 2)
        saved = survivor.update(PLAN_ID, summarised("went on"))
        assert survivor.list().plans[0].updated_at == saved.updated_at
        assert temporaries(plans / PLAN_ID) == []
        assert not list(plans.glob(".*.revising")) or calls > kills
        if calls <= kills:
            break
        kills += 1
    assert kills >= (11 if action == "update" else 20)
    print(f"{action}: {kills} kill points")


def test_a_list_made_before_the_crash_does_not_hide_the_revision_saved_in_it(
    store: PlanStore, another_store: Another, remembered: Callable[[], bytes]
) -> None:
    store.create_plan(a_version(a_write()))
    remembered()

    def kill(call: str, what: str) -> None:
        if call == "rename" and what.endswith("meta.json"):
            raise Killed

    with syscalls.gated(kill), contextlib.suppress(Killed):
        store.create_revision(a_version(a_command(), parent=1))
    assert another_store().list().plans[0].revision == 2
    assert another_store().meta(PLAN_ID).revision == 2


def test_a_plan_without_its_meta_is_proposed_again_from_its_newest_revision(store: PlanStore, plans: Path) -> None:
    saved = store.create_plan(a_version(a_write()))
    (plans / PLAN_ID / "meta.json").unlink()
    meta = store.meta(PLAN_ID)
    assert (meta.status, meta.revision, meta.digest) == ("proposed", 1, saved.approval_hash)
    assert store.list().plans[0].digest == saved.approval_hash
    assert store.send(PLAN_ID, Approve()).status is PlanStatus.APPROVED
    assert store.list().plans[0].status is PlanStatus.APPROVED


@pytest.mark.parametrize("call", ["openat", "write", "fsync", "rename", "linkat"])
def test_a_disk_that_refuses_is_named_and_the_plan_stays_as_it_was(store: PlanStore, plans: Path, call: str) -> None:
    store.create_plan(a_version(a_write()))
    before = store.meta(PLAN_ID)

    def refuse(made: str, what: str) -> None:
        if made == call:
            raise OSError(28, "No space left on device")

    revision = a_version(a_write("b"), parent=1)
    write = partial(store.create_revision, revision) if call == "linkat" else partial(store.send, PLAN_ID, Approve())
    with syscalls.gated(refuse), pytest.raises(StorageError) as refusal:
        write()
    assert "No space left on device" in refusal.value.message
    assert PLAN_ID in (refusal.value.path or "")
    assert store.meta(PLAN_ID) == before
    assert temporaries(plans) == []


def test_the_page_for_people_may_fail_while_the_record_is_saved(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write()))

    def refuse(call: str, what: str) -> None:
        if what.endswith(".md"):
            raise OSError(28, "No space left on device")

    with syscalls.gated(refuse):
        saved = store.update(PLAN_ID, summarised("new"))
    assert store.meta(PLAN_ID) == saved
    assert temporaries(plans) == []


@pytest.mark.parametrize(
    "text", ["", "PLAN-", "PLAN-zzzzzzzz", "../../etc", "PLAN-0badcafe/../x", "PLAN-0badcaf", "PLAN-12345678", "\0"]
)
def test_an_id_that_names_no_plan_is_not_found_and_never_a_path(store: PlanStore, text: str) -> None:
    store.create_plan(a_version(a_write(), plan_id=OTHER))
    for ask in (store.meta, store.revision, store.revisions, store.latest_revision):
        with pytest.raises(PlanNotFoundError) as refusal:
            ask(PlanId(text))
        assert "tandem list" in refusal.value.next
    with pytest.raises(PlanNotFoundError):
        store.send(PlanId(text), Approve())
    with pytest.raises(PlanNotFoundError):
        store.create_plan(a_version(plan_id=text)) if text != "PLAN-12345678" else store.resolve(text)


def test_an_unknown_revision_says_which_is_the_latest(store: PlanStore) -> None:
    store.create_plan(a_version(a_write()))
    for number in (0, 2, -1):
        with pytest.raises(PlanNotFoundError, match="the latest is r1"):
            store.revision(PLAN_ID, number)


def test_a_folder_that_is_a_link_to_another_place_is_no_plan(store: PlanStore, plans: Path, tmp_path: Path) -> None:
    store.create_plan(a_version(a_write()))
    elsewhere = (plans / PLAN_ID).rename(tmp_path / "elsewhere")
    (plans / PLAN_ID).symlink_to(elsewhere)
    with pytest.raises(PlanNotFoundError):
        store.send(PLAN_ID, Approve())
    assert store.list().plans == ()


def test_a_few_digits_are_enough_when_they_fit_one_plan(store: PlanStore) -> None:
    for plan_id, session in ((PLAN_ID, "SES-1"), (OTHER, "SES-2")):
        store.create_plan(a_version(a_write(), plan_id=plan_id, session_id=session))
    assert store.resolve("PLAN-0badcafe") == PLAN_ID
    assert store.resolve(" 0BADC ") == PLAN_ID
    assert store.resolve("plan-0badf") == OTHER
    with pytest.raises(PlanNotFoundError, match="fits 2 plans: PLAN-0badcafe, PLAN-0badf00d"):
        store.resolve("0bad")
    for text in ("0ba", "ffff", "../..", "PLAN-0badcafe0"):
        with pytest.raises(PlanNotFoundError):
            store.resolve(text)


def test_no_folder_yet_means_no_plans(store: PlanStore) -> None:
    assert store.list().plans == ()
    with pytest.raises(PlanNotFoundError):
        store.resolve("0bad")
    assert store.plan_of(SESSION_ID) is None


@pytest.mark.req("S0-46", "S0-48", "S0-49")
def test_a_session_has_the_revisions_of_its_one_plan(store: PlanStore, another_store: Another) -> None:
    assert store.get_revisions(SESSION_ID) == ()
    assert store.get_revision(SESSION_ID, 1) is None
    first = store.create_plan(a_version(a_write()))
    second = store.create_revision(a_version(a_command(), parent=1))
    later = another_store()
    assert later.plan_of(SESSION_ID) == PLAN_ID
    assert later.get_revisions(SESSION_ID) == (first, second)
    assert later.get_revision(SESSION_ID, 2) == second
    assert later.get_revision(SESSION_ID, 3) is None
    assert later.get_revision(SESSION_ID, 0) is None
    assert later.plan_of(SessionId("SES-unknown")) is None


@pytest.mark.req("S0-46")
@pytest.mark.parametrize("status", list(PlanStatus))
def test_a_session_begins_another_plan_only_when_the_first_has_ended(
    store: PlanStore, plans: Path, status: PlanStatus
) -> None:
    store.create_plan(a_version(a_write()))
    (plans / PLAN_ID / "meta.json").write_bytes(
        records.encode(store.meta(PLAN_ID).model_copy(update={"status": status}))
    )
    second = a_version(a_write(), plan_id=OTHER)
    if has_ended(status):
        store.create_plan(second)
        assert store.plan_of(SESSION_ID) == OTHER
        assert store.meta(PLAN_ID).status is status
    else:
        with pytest.raises(InvalidTransitionError, match=PLAN_ID):
            store.create_plan(second)
        assert store.plan_of(SESSION_ID) == PLAN_ID
        with pytest.raises(PlanNotFoundError):
            store.meta(OTHER)


@pytest.mark.req("S0-95")
@pytest.mark.parametrize("status", [each for each in PlanStatus if each is not PlanStatus.PROPOSED])
def test_no_change_of_the_record_moves_a_plan_past_the_table(store: PlanStore, status: PlanStatus) -> None:
    store.create_plan(a_version(a_write()))
    saved = store.update(PLAN_ID, lambda meta: meta.model_copy(update={"status": status, "rating": 4}))
    assert (saved.status, saved.rating) == (PlanStatus.PROPOSED, 4)
    assert store.meta(PLAN_ID) == saved


def test_a_plan_nobody_can_read_does_not_lock_its_session(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write()))
    (plans / PLAN_ID / "meta.json").write_text("{")
    store.create_plan(a_version(a_write(), plan_id=OTHER))
    assert store.plan_of(SESSION_ID) == OTHER


@pytest.mark.parametrize("session", ["SES-0badcafe", "a/../../b", "", "x" * 400, "名前", "."])
def test_any_session_name_keeps_its_plan_inside_the_folder(store: PlanStore, plans: Path, session: str) -> None:
    store.create_plan(a_version(a_write(), session_id=session))
    assert store.plan_of(SessionId(session)) == PLAN_ID
    assert {path.parent for path in plans.rglob("*") if path.is_file()} == {plans / "sessions", plans / PLAN_ID}


def test_a_session_line_torn_by_a_crash_costs_nothing(store: PlanStore, plans: Path) -> None:
    (plans / "sessions").mkdir(parents=True)
    (plans / "sessions" / SESSION_ID).write_bytes(b"PLAN-12")
    store.create_plan(a_version(a_write()))
    assert store.plan_of(SESSION_ID) == PLAN_ID


@pytest.mark.parametrize("name", ["meta.json", "r001.json"])
@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"format": 1}', b"[" * 100_000])
def test_a_damaged_file_is_named_with_what_to_do(store: PlanStore, plans: Path, name: str, damage: bytes) -> None:
    store.create_plan(a_version(a_write()))
    (plans / PLAN_ID / name).write_bytes(damage)
    ask = store.meta if name == "meta.json" else store.revision
    with pytest.raises(PlanDamagedError) as refusal:
        ask(PLAN_ID)
    assert refusal.value.path == str(plans / PLAN_ID / name)
    assert name in refusal.value.message
    assert "backup" in refusal.value.next


@pytest.mark.parametrize("digest", ["", "two words", "0" * 63, "G" * 64])
def test_a_meta_whose_digest_is_none_is_damaged(store: PlanStore, plans: Path, digest: str) -> None:
    store.create_plan(a_version(a_write()))
    path = plans / PLAN_ID / "meta.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "digest": digest}))
    with pytest.raises(PlanDamagedError, match="digest"):
        store.meta(PLAN_ID)
    assert [damaged.plan_id for damaged in store.list().damaged] == [PLAN_ID]


@pytest.mark.parametrize("name", ["meta.json", "r001.json"])
@pytest.mark.parametrize("more", [{}, {"mood": "new field"}])
def test_a_record_of_a_newer_format_is_refused_as_such(
    store: PlanStore, plans: Path, name: str, more: dict[str, str]
) -> None:
    store.create_plan(a_version(a_write()))
    path = plans / PLAN_ID / name
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 2, **more}))
    ask = store.meta if name == "meta.json" else store.revision
    with pytest.raises(PlanDamagedError, match="was written by a newer version of Tandem"):
        ask(PLAN_ID)


@pytest.mark.parametrize("name", ["meta.json", "r001.json"])
@pytest.mark.parametrize("what", ["link", "pipe", "folder"])
def test_something_that_is_not_a_file_under_its_name_is_damage(
    store: PlanStore, plans: Path, name: str, what: str
) -> None:
    store.create_plan(a_version(a_write()))
    path = plans / PLAN_ID / name
    target = path.rename(plans / "aside")
    {"link": lambda: path.symlink_to(target), "pipe": lambda: os.mkfifo(path), "folder": path.mkdir}[what]()
    ask = store.meta if name == "meta.json" else store.revision
    with pytest.raises(PlanDamagedError) as refusal:
        ask(PLAN_ID)
    assert refusal.value.path == str(path)


def test_a_number_in_the_context_that_is_none_is_damage(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write(), context={"size": 1.5}))
    path = plans / PLAN_ID / "r001.json"
    path.write_text(path.read_text().replace("1.5", "NaN"))
    with pytest.raises(PlanDamagedError, match=r"r001\.json"):
        store.revision(PLAN_ID)


@pytest.mark.parametrize(("source", "target"), [("r001.json", "r002.json"), ("r002.json", "r001.json")])
def test_a_revision_copied_over_another_is_damage(store: PlanStore, plans: Path, source: str, target: str) -> None:
    store.create_plan(a_version(a_write()))
    store.create_revision(a_version(a_write("b"), parent=1))
    (plans / PLAN_ID / target).write_bytes((plans / PLAN_ID / source).read_bytes())
    with pytest.raises(PlanDamagedError, match=target):
        store.revision(PLAN_ID, int(target[1:4]))


def test_the_records_of_one_plan_under_the_name_of_another_are_damage(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write()))
    (plans / PLAN_ID).rename(plans / OTHER)
    with pytest.raises(PlanDamagedError, match=r"meta\.json"):
        store.meta(OTHER)
    with pytest.raises(PlanDamagedError, match=r"r001\.json"):
        store.revision(OTHER)


def test_a_newest_revision_that_was_deleted_is_missed_by_name(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write()))
    store.create_revision(a_version(a_write("b"), parent=1))
    (plans / PLAN_ID / "r002.json").unlink()
    with pytest.raises(PlanDamagedError, match=r"r002\.json is missing"):
        store.meta(PLAN_ID)


def test_a_revision_deleted_from_the_middle_is_missed_by_name(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write()))
    store.create_revision(a_version(a_write("b"), parent=1))
    (plans / PLAN_ID / "r001.json").unlink()
    assert store.meta(PLAN_ID).revision == 2
    with pytest.raises(PlanDamagedError, match=r"r001\.json is missing"):
        store.revisions(PLAN_ID)


@pytest.mark.req("S4-18")
def test_values_handed_out_do_not_change_with_the_plan(store: PlanStore) -> None:
    first = store.create_plan(a_version(a_write()))
    before = store.meta(PLAN_ID)
    copies = (first.model_dump_json(), before.model_dump_json())
    store.send(PLAN_ID, Approve())
    store.create_revision(first.model_copy(update={"parent_revision": 1, "content": "other"}))
    assert (first.model_dump_json(), before.model_dump_json()) == copies
    with pytest.raises(ValueError, match="frozen"):
        before.status = PlanStatus.COMPLETED  # type: ignore[misc]  # this is what must not work


def test_more_than_a_thousand_revisions_keep_their_order(store: PlanStore, plans: Path) -> None:
    saved = store.create_plan(a_version(a_write()))
    record = saved.model_copy(update={"revision": 1000, "parent_revision": 999})
    record = record.model_copy(update={"approval_hash": ApprovalHash.of(record).combined_hash})
    (plans / PLAN_ID / "r1000.json").write_text(record.model_dump_json())
    assert store.latest_revision(PLAN_ID) == 1000
    assert store.meta(PLAN_ID).revision == 1000
