"""A store in a fresh workspace, with a clock in the test's hand."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.plans.index import PlanIndex
from tandem_desktop.plans.store import PlanStore
from tests.support.clocks import Clock
from tests.support.plan_reads import Reads


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def plans(tmp_path: Path) -> Path:
    """The plans folder of the workspace."""
    return tmp_path / ".tandem" / "plans"


@pytest.fixture
def another_store(plans: Path, clock: Clock) -> Callable[[], PlanStore]:
    """Open the same folder again, as another process would."""
    return lambda: PlanStore(plans, clock, plans.parent / "artifacts")


@pytest.fixture
def store(another_store: Callable[[], PlanStore]) -> PlanStore:
    return another_store()


@pytest.fixture
def reads(plans: Path) -> Reads:
    return Reads(plans)


@pytest.fixture
def remembered(plans: Path) -> Callable[[], bytes]:
    """List until every record is old enough to be remembered, and return the index."""

    def remembered() -> bytes:
        for _ in range(20_000):
            reads = Reads(plans)
            PlanIndex(plans, reads).listing()
            if not reads.names:
                return (plans / "index.json").read_bytes()
        raise AssertionError("the index never settles")

    return remembered
