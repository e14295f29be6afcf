"""What is known of the revisions a conversation shows; only the latest of a plan waits for an answer."""

from dataclasses import replace

from tandem_desktop.ui.chat.plan_card import PlanFacts
from tandem_desktop.ui.words import tr


class KnownPlans:
    """Facts arrive one revision at a time: those of an older one may have been told before there was a newer."""

    def __init__(self) -> None:
        self._facts: dict[tuple[str, int], PlanFacts] = {}
        self._latest: dict[str, int] = {}

    def learn(self, facts: PlanFacts) -> None:
        self._facts[facts.plan_id, facts.revision] = facts
        self.note(facts.plan_id, facts.revision)

    def note(self, plan_id: str, revision: int) -> None:
        """There is such a revision."""
        self._latest[plan_id] = max(revision, self._latest.get(plan_id, 0))

    def of(self, plan_id: str | None, revision: int) -> PlanFacts | None:
        facts = self._facts.get((plan_id or "", revision))
        if facts is not None and facts.is_waiting and revision < self._latest[facts.plan_id]:
            return replace(facts, is_waiting=False, state=tr("Superseded"), tone="neutral")
        return facts
