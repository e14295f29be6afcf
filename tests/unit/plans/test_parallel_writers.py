"""Several processes on one folder: no update is lost, no record is torn, no temporary stays."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tandem_desktop.plans.store import PlanStore
from tests.support.builders import PLAN_ID, a_version, a_write

COMMON = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from tandem_desktop.domain.errors import PlanModifiedError, StaleRevisionError
from tandem_desktop.plans.store import PlanStore

plans, plan_id, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
store = PlanStore(plans, lambda: datetime.now(UTC), plans.parent / "artifacts")
print("ready", flush=True)
sys.stdin.readline()
"""

COUNT = (
    COMMON
    + """
def one_more(meta):
    return meta.model_copy(update={"result_summary": str(int(meta.result_summary or 0) + 1)})

for _ in range(rounds):
    store.update(plan_id, one_more)
"""
)

OPTIMISTIC = (
    COMMON
    + """
done = refused = 0
while done < rounds:
    seen = store.meta(plan_id)
    more = str(int(seen.result_summary or 0) + 1)
    try:
        store.update(plan_id, lambda meta: meta.model_copy(update={"result_summary": more}), seen.version)
        done += 1
    except PlanModifiedError:
        refused += 1
print(refused)
"""
)

REVISE = (
    COMMON
    + """
won = []
for _ in range(rounds):
    latest = store.revision(plan_id)
    draft = latest.model_copy(update={"parent_revision": latest.revision})
    try:
        won.append(store.create_revision(draft).revision)
    except StaleRevisionError:
        pass
print(*won)
"""
)

READ = (
    COMMON
    + """
version = 0
for _ in range(rounds):
    meta = store.meta(plan_id)
    assert meta.version >= version, (meta.version, version)
    version = meta.version
    assert int(meta.result_summary or 0) == version - 1
    assert not store.list().damaged
"""
)


def together(script: str, plans: Path, count: int, rounds: int, *, also: str = "") -> list[str]:
    """Run `count` processes, and one of `also`, from one moment on; what each of the first printed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", text, str(plans), PLAN_ID, str(rounds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        for text in [script] * count + [also] * bool(also)
    ]
    for process in processes:
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
    outputs = []
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        outputs.append(process.communicate()[0].strip())
        assert process.returncode == 0
    return outputs[:count]


def nothing_left_over(plans: Path) -> bool:
    names = {path.name for path in plans.rglob("*")}
    return not any(name.endswith((".tmp", ".revising")) for name in names)


def count_together(store: PlanStore, plans: Path, processes: int, rounds: int) -> None:
    store.create_plan(a_version(a_write()))
    together(COUNT, plans, processes, rounds, also=READ)
    meta = store.meta(PLAN_ID)
    assert int(meta.result_summary) == processes * rounds
    assert meta.version == 1 + processes * rounds
    assert json.loads((plans / PLAN_ID / "meta.json").read_bytes())["version"] == meta.version
    assert nothing_left_over(plans)
    print(f"{processes} processes x {rounds} updates: {processes * rounds} kept, 0 lost")


@pytest.mark.req("S3-11", "S3-44", "S3-45")
def test_eight_processes_that_update_at_once_lose_nothing(store: PlanStore, plans: Path) -> None:
    count_together(store, plans, processes=8, rounds=25)


@pytest.mark.exhaustive
@pytest.mark.req("S3-11", "S3-45")
def test_eight_processes_of_five_hundred_updates_lose_nothing(store: PlanStore, plans: Path) -> None:
    count_together(store, plans, processes=8, rounds=500)


@pytest.mark.req("S3-11", "S3-45")
def test_of_two_updates_against_one_version_exactly_one_wins(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write()))
    refused = [int(text) for text in together(OPTIMISTIC, plans, 3, 15)]
    meta = store.meta(PLAN_ID)
    assert int(meta.result_summary) == 45
    assert meta.version == 46
    print(f"45 kept, {sum(refused)} refused and repeated")


@pytest.mark.req("S0-47", "S3-45")
def test_every_revision_number_is_given_to_one_writer_only(store: PlanStore, plans: Path) -> None:
    store.create_plan(a_version(a_write()))
    won = [int(number) for text in together(REVISE, plans, 4, 10) for number in text.split()]
    latest = store.latest_revision(PLAN_ID)
    assert sorted(won) == list(range(2, latest + 1))
    assert [version.revision for version in store.revisions(PLAN_ID)] == list(range(1, latest + 1))
    assert store.meta(PLAN_ID).revision == latest
    assert nothing_left_over(plans)
