"""See which records a list has to read."""

from pathlib import Path

from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan import PlanMeta
from tandem_desktop.plans import records
from tandem_desktop.plans.names import Signature


class Reads:
    """Read records for a list, and note which."""

    def __init__(self, plans: Path) -> None:
        self.plans = plans
        self.names: list[str] = []

    def __call__(self, name: PlanId) -> tuple[PlanMeta, Signature]:
        self.names.append(name)
        return records.read_meta(self.plans / name)
