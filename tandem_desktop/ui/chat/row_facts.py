"""What is known beside the conversation, of revisions, runs and reflections: rows that show one are told."""

from collections.abc import Iterable

from tandem_desktop.ui.chat.entry_widget import EntryWidget
from tandem_desktop.ui.chat.known_plans import KnownPlans
from tandem_desktop.ui.chat.plan_card import PlanCard, PlanFacts
from tandem_desktop.ui.chat.reflection_card import ReflectionCard, ReflectionFacts
from tandem_desktop.ui.chat.spoken import NoteLine
from tandem_desktop.ui.models.transcript_model import Row
from tandem_desktop.ui.run_facts import RunFacts


class RowFacts:
    """Keeps the latest of each; a row that comes into sight later still finds it."""

    def __init__(self) -> None:
        self.plans = KnownPlans()
        self._reflections: dict[str, ReflectionFacts] = {}
        self._runs: dict[str, RunFacts] = {}

    def know(self, *facts: PlanFacts | ReflectionFacts) -> None:
        for each in facts:
            if isinstance(each, PlanFacts):
                self.plans.learn(each)
            else:
                self._reflections[each.reflection.run_id] = each

    def set_runs(self, runs: Iterable[RunFacts]) -> None:
        """All there are now."""
        self._runs = {run.run_id: run for run in runs}

    def inform(self, widget: EntryWidget, row: Row) -> None:
        entry = row.last
        if isinstance(widget, NoteLine) and (run := self._runs.get(widget.run_id or "")) is not None:
            widget.show_run(run, self.plans.of(run.plan_id, run.revision))
        elif isinstance(widget, PlanCard) and (plan := self.plans.of(entry.plan_id, entry.revision)):
            widget.set_facts(plan)
        elif isinstance(widget, ReflectionCard) and (found := self._reflections.get(entry.run_id or "")):
            widget.set_facts(found)
