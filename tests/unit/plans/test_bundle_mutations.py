"""A bundle that was changed is refused: thousands of ways to change one, and not one taken for something else."""

import random
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.errors import BundleError
from tandem_desktop.plans import bundle as bundle_check
from tandem_desktop.plans import bundle as bundle_format
from tandem_desktop.plans.bundle import PlanBundle
from tandem_desktop.services.engine import Engine
from tests.support.bundle_mutations import CARELESS, HOSTILE, RESEALED
from tests.support.travelling import a_travelling_plan


@pytest.fixture
def engine(memory_path: Path) -> Iterator[Engine]:
    root = memory_path / "elsewhere"
    root.mkdir()
    made = build_engine(root, state=memory_path / "other-state")
    yield made
    made.close()


@pytest.fixture
def bundle(memory_path: Path) -> bytes:
    return a_travelling_plan(memory_path)


def effects(bundle: PlanBundle) -> tuple[object, ...]:
    """All of a bundle that could make a difference to files."""
    return (*(ApprovalHash.of(version) for version in bundle.revisions), bundle.contents, bundle.artifacts)


def opened(data: bytes) -> PlanBundle | None:
    try:
        found = bundle_format.decode(data)
        bundle_check.check(found)
    except BundleError:
        return None
    return found


def mutate(number: int, bundle: bytes, engine: Engine) -> Counter[str]:
    """Spoil the bundle so often; every one that must be refused goes through the whole import."""
    chance = random.Random(number)
    original = effects(bundle_format.decode(bundle))
    counts: Counter[str] = Counter()
    while counts["refused"] < number:
        mutation = chance.choice((*CARELESS, *RESEALED, *HOSTILE))
        spoiled = mutation(chance, bundle)
        if spoiled == bundle:
            continue
        if mutation in RESEALED:
            found = opened(spoiled)
            assert found is None or effects(found) == original, mutation.__name__
            counts["sealed anew" if found is None else "sealed anew, only words differ"] += 1
            continue
        with pytest.raises(BundleError):
            engine.bundles.take_in(spoiled)
        counts["refused"] += 1
    assert engine.plans.list().plans == ()
    assert not any(engine.locations.objects.iterdir())
    assert not engine.locations.tandem.exists()
    return counts


@pytest.mark.req("S0-91")
def test_three_hundred_spoiled_bundles_are_refused_and_leave_nothing_behind(bundle: bytes, engine: Engine) -> None:
    assert mutate(300, bundle, engine)["refused"] == 300
    assert engine.bundles.take_in(bundle).is_new  # the one that was not spoiled is taken


@pytest.mark.exhaustive
def test_ten_thousand_spoiled_bundles_are_refused(
    bundle: bytes, engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    counts = mutate(10_000, bundle, engine)
    with capsys.disabled():
        anew, words = counts["sealed anew"], counts["sealed anew, only words differ"]
        print(f"\n{counts['refused']:,} mutations: all refused, 0 accepted.")
        print(f"{anew + words:,} more with the seal made anew:")
        print(f"{anew:,} refused, {words:,} differ in words that change no file, 0 accepted with another effect.")


def test_every_single_bit_of_a_bundle_counts(bundle: bytes) -> None:
    step = max(1, len(bundle) // 400)
    for place in range(0, len(bundle), step):
        spoiled = bundle[:place] + bytes([bundle[place] ^ 1]) + bundle[place + 1 :]
        assert opened(spoiled) is None, place
