"""Change anything that has an effect, anywhere on disk, after approval: it does not run."""

import copy
import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.approval.enforcer import ApprovalEnforcer
from tandem_desktop.domain.approval import ApprovalHash, WorkspaceIdentity
from tandem_desktop.domain.errors import ApprovalError, PlanDamagedError, PlanNotFoundError, StorageError
from tandem_desktop.domain.operations import OperationKind
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.plans.store import PlanStore
from tandem_desktop.storage.objects import ObjectStore
from tests.support.builders import (
    PLAN_ID,
    a_chmod,
    a_command,
    a_delete,
    a_mkdir,
    a_move,
    a_symlink,
    a_version,
    a_write,
)
from tests.support.clocks import Clock

EFFECTIVE = ("id", "kind", "path", "to", "base", "after", "call", "blocked_by")
ADVISORY = (
    "tool",
    "task",
    "description",
    "rationale",
    "risk",
    "recorded_from",
    "request_ids",
    "tool_call_id",
    "message_id",
    "staged_at",
)
WORDS: dict[str, Any] = {
    **dict.fromkeys(
        ("tool", "task", "description", "rationale", "risk", "recorded_from", "tool_call_id", "message_id"),
        "other words",
    ),
    "request_ids": ["r1", "r2"],
    "staged_at": "2030-01-01T00:00:00Z",
}

DRAFT = a_version(
    a_write(id="s1", description="New", rationale="Because", risk="Small"),
    a_write("b.py", b"after\n", before=b"before\n", id="s2"),
    a_delete(id="s3"),
    a_move("c.py", "d.py", id="s4"),
    a_chmod(id="s5"),
    a_symlink(id="s6"),
    a_mkdir(id="s7", blocked_by=("s6",)),
    a_command("make", cwd="src", env=(("A", "1"), ("B", "2")), timeout_s=30, id="s8", blocked_by=("s1", "s2")),
    context={"notes": "as found", "tool_outputs": {"grep": {"tool": "grep", "operation": "x", "data": [1, 2]}}},
)


class Attack:
    """An approved plan on disk, to be altered and run."""

    def __init__(self, plans: Path, enforcer: ApprovalEnforcer, workspace: WorkspaceIdentity, clock: Clock) -> None:
        self.plans, self.enforcer, self.workspace, self.clock = plans, enforcer, workspace, clock
        self.version = self.store().create_plan(DRAFT)
        enforcer.approve(self.version, workspace, self.version.approval_hash)
        self.path = plans / PLAN_ID / "r001.json"
        self.data = self.path.read_bytes()

    def store(self) -> PlanStore:
        return PlanStore(self.plans, self.clock, self.plans.parent / "artifacts")

    def run(self, data: bytes) -> PlanVersion | None:
        """The plan that would be executed if this were the record, or nothing when it is refused."""
        self.path.write_bytes(data)
        store = self.store()
        try:
            version = store.revision(PLAN_ID)
            self.enforcer.enforce_execution(version, store.latest_revision(PLAN_ID), self.workspace)
        except (PlanDamagedError, ApprovalError):
            return None
        return version

    def resealed(self, record: dict[str, Any]) -> Iterator[bytes]:
        """The altered record as it is, and with a stored digest that fits it again, if it has one."""
        data = json.dumps(record).encode()
        yield data
        try:
            version = PlanVersion.model_validate_json(data)
        except ValueError:
            return
        fitting = {**record, "approval_hash": ApprovalHash.of(version).combined_hash}
        if fitting not in (record, json.loads(self.data)):
            yield json.dumps(fitting).encode()


@pytest.fixture
def attack(tmp_path: Path, enforcer: ApprovalEnforcer, workspace: WorkspaceIdentity, clock: Clock) -> Attack:
    return Attack(tmp_path / "plans", enforcer, workspace, clock)


def others(value: Any, chance: random.Random, more: int) -> Iterator[Any]:
    """Different values for one place in a record."""
    if isinstance(value, bool) or value is None:
        yield from ("x", 1, {}, [])
    elif isinstance(value, int):
        yield from {value + 1, value - 1, value ^ 0o100, value * 10 + 7, -value - 1}
        yield from {value + chance.randrange(2, 1 << 40) for _ in range(more)}
    elif isinstance(value, str):
        yield from {f"{value} ", f" {value}", f"{value}/", f"./{value}", f"{value}\u200b", value.swapcase() + "x", ""}
        for _ in range(more):
            place, letter = chance.randrange(len(value) + 1), chance.choice("abcxyz0189/._- \u0430\u202e\n")
            altered = value[:place] + letter + value[place + chance.randrange(2) :]
            if altered != value:
                yield altered
        yield None
    elif isinstance(value, list):
        yield [*value, *(value[:1] or ["s1"])]
        if value:
            yield value[1:]
            yield None
        if len(value) > 1:
            yield value[::-1]
    elif isinstance(value, dict):
        for other in ({"type": "absent"}, {"type": "dir", "mode": 0o755}, {"type": "symlink", "target": "/etc"}):
            if other != value:
                yield other
        yield None


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, value
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inner:
        yield from places(child, (*path, key))


def replaced(record: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    altered = copy.deepcopy(record)
    target: Any = altered
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = value
    return altered


def mutations(record: dict[str, Any], chance: random.Random, more: int) -> Iterator[dict[str, Any]]:
    """Every effective field of every operation and of the plan, each changed in several ways."""
    for number, operation in enumerate(record["operations"]):
        for field in EFFECTIVE:
            for path, value in places(operation[field]):
                for other in others(value, chance, more):
                    yield replaced(record, ("operations", number, field, *path), other)
        for kind in OperationKind:
            if kind != operation["kind"]:
                yield replaced(record, ("operations", number, "kind"), kind.value)
        yield replaced(record, ("operations", number, "unknown"), "field")
        yield {**record, "operations": [*record["operations"], operation]}
        yield {**record, "operations": [o for o in record["operations"] if o is not operation]}
        for place in range(len(record["operations"])):
            if place != number:
                moved = [o for o in record["operations"] if o is not operation]
                moved.insert(place, operation)
                yield {**record, "operations": moved}
    for field in ("plan_id", "revision", "format", "approval_hash", "title", "content", "context"):
        for path, value in places(record[field]):
            for other in others(value, chance, more):
                yield replaced(record, (field, *path), other)


def strike(attack: Attack, limit: int, more: int) -> tuple[int, list[bytes]]:
    chance = random.Random(20260102)
    record = json.loads(attack.data)
    altered = [data for mutant in mutations(record, chance, more) for data in attack.resealed(mutant)]
    chance.shuffle(altered)
    chosen = altered[:limit]
    return len(chosen), [data for data in chosen if attack.run(data) is not None]


@pytest.mark.req("S0-65", "S0-62", "S0-63")
def test_no_effective_field_changes_after_approval_and_still_runs(attack: Attack) -> None:
    tried, accepted = strike(attack, limit=1_500, more=2)
    print(f"{tried} mutations of effective fields, {len(accepted)} accepted")
    assert tried == 1_500
    assert accepted == []


@pytest.mark.exhaustive
@pytest.mark.req("S0-65")
def test_ten_thousand_changes_of_effective_fields_are_all_refused(attack: Attack) -> None:
    tried, accepted = strike(attack, limit=10_000, more=100)
    print(f"{tried} mutations of effective fields, {len(accepted)} accepted")
    assert tried == 10_000
    assert accepted == []


def flip(attack: Attack, count: int) -> tuple[int, int]:
    """Flip bits of the record; what still runs must mean exactly what was approved."""
    chance = random.Random(7)
    refused = 0
    for _ in range(count):
        data = bytearray(attack.data)
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        version = attack.run(bytes(data))
        if version is None:
            refused += 1
        else:
            assert [o.effect() for o in version.operations] == [o.effect() for o in attack.version.operations]
            assert (version.title, version.content, version.context, version.plan_id, version.revision) == (
                attack.version.title,
                attack.version.content,
                attack.version.context,
                attack.version.plan_id,
                attack.version.revision,
            )
    return refused, count - refused


@pytest.mark.req("S0-65")
def test_bits_flipped_in_the_record_never_change_what_runs(attack: Attack) -> None:
    refused, harmless = flip(attack, 1_000)
    print(f"1000 records with flipped bits: {refused} refused, {harmless} only advisory, 0 accepted as something else")
    assert refused > 500


@pytest.mark.exhaustive
@pytest.mark.req("S0-65")
def test_ten_thousand_records_with_flipped_bits_never_change_what_runs(attack: Attack) -> None:
    refused, harmless = flip(attack, 10_000)
    print(f"10000 records with flipped bits: {refused} refused, {harmless} only advisory, 0 accepted as something else")
    assert refused > 5_000


@pytest.mark.req("S0-65")
def test_what_is_only_words_may_change_freely(attack: Attack) -> None:
    record = json.loads(attack.data)
    accepted = 0
    for number, operation in enumerate(record["operations"]):
        assert set(operation) == {*EFFECTIVE, *ADVISORY}
        for field in ADVISORY:
            altered = replaced(record, ("operations", number, field), WORDS[field])
            # Commands of independent tasks run side by side, so theirs is no mere word.
            is_free = field != "task" or operation["kind"] != "command"
            assert (attack.run(json.dumps(altered).encode()) is not None) == is_free, field
            accepted += is_free
    free = {"id": "x", "created_at": "2030-01-01T00:00:00Z", "origin": "rework", "notes": [{"step": "s", "tool": "t"}]}
    for field, value in free.items():
        assert attack.run(json.dumps({**record, field: value}).encode()) is not None, field
        accepted += 1
    print(f"{accepted} advisory changes, {accepted} accepted")


@pytest.mark.req("S0-65")
def test_no_approval_is_forged_by_editing_files_in_the_workspace(attack: Attack, enforcer: ApprovalEnforcer) -> None:
    store = attack.store()
    store.create_revision(a_version(a_command("rm -rf ~"), parent=1))
    folder = attack.plans / PLAN_ID
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps({**meta, "status": "approved"}))
    with pytest.raises(ApprovalError):
        enforcer.enforce_execution(store.revision(PLAN_ID), 2, attack.workspace)
    (folder / "r001.json").write_bytes((folder / "r002.json").read_bytes())
    (folder / "r002.json").unlink()
    with pytest.raises((PlanDamagedError, PlanNotFoundError)):
        attack.store().revision(PLAN_ID)


@pytest.mark.req("S0-65")
def test_bytes_altered_in_the_object_store_are_never_handed_out(tmp_path: Path) -> None:
    objects = ObjectStore(tmp_path)
    contents = [b"", b"x", b"print('new')\n", bytes(range(256)) * 20]
    objects.put_all(contents)
    chance = random.Random(3)
    tried = 0
    for content in contents:
        name = hashlib.sha256(content).hexdigest()
        path = tmp_path / name[:2] / name[2:]
        for _ in range(60):
            altered = bytearray(content)
            if altered:
                altered[chance.randrange(len(altered))] ^= 1 << chance.randrange(8)
            path.write_bytes(chance.choice((bytes(altered), content + b"\0", content[:-1])) if altered else b"\n")
            with pytest.raises(StorageError):
                objects.read(name)
            tried += 1
        path.write_bytes(content)
        assert objects.read(name) == content
    print(f"{tried} altered objects, 0 accepted")
