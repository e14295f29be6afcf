"""What the panel says where there is nothing to review yet, and what to do next."""

from enum import StrEnum

from PySide6.QtWidgets import QWidget

from tandem_desktop.storage.locations import Locations
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.empty_state import EmptyState
from tandem_desktop.ui.words import later, tr_marked


class Emptiness(StrEnum):
    """Why there is nothing."""

    NO_PLAN = "no-plan"
    DRAFTING = "drafting"
    NOTHING_LEFT = "nothing-left"
    NOTHING_FOUND = "nothing-found"
    LOADING = "loading"
    READ_ONLY = "read-only"
    NO_FILES = "no-files"

    @classmethod
    def of(cls, workspace: Locations) -> "Emptiness":
        """Why there is no plan in a workspace that was just opened."""
        if workspace.is_read_only:
            return cls.READ_ONLY
        return cls.NO_FILES if workspace.is_empty else cls.NO_PLAN


_WORDS = {
    Emptiness.NO_PLAN: (
        "plan",
        later("No plan yet"),
        later(
            "Tell the agent what you want. Everything it would change is held here for your review; "
            "nothing on disk changes before you approve it."
        ),
        "",
    ),
    Emptiness.DRAFTING: (
        "thinking",
        later("The agent is drafting"),
        later("Operations appear here as it proposes them. You can read along; deciding comes when it has finished."),
        "",
    ),
    Emptiness.NOTHING_LEFT: ("plan", later("Nothing is left of this plan"), later("Every operation was removed."), ""),
    Emptiness.NOTHING_FOUND: (
        "search",
        later("No operation matches"),
        later("Try other words, or list all again."),
        later("Show all"),
    ),
    Emptiness.LOADING: ("clock", later("Opening the plan…"), "", ""),
    Emptiness.READ_ONLY: (
        "lock",
        later("This folder is read-only"),
        later(
            "You can ask and look. A plan can be neither kept nor applied here: give yourself the right to write to "
            "the folder, or open another one."
        ),
        "",
    ),
    Emptiness.NO_FILES: (
        "folder",
        later("This folder is empty"),
        later(
            "Ask the agent to start a project: its files are held here for your review, and none is written before "
            "you approve it. Or open the folder you want to work on."
        ),
        later("Open another folder…"),
    ),
}


class EmptyPlan(EmptyState):
    """One widget for all of them."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "plan", "", parent=parent, primary=False)
        self.setObjectName("empty-plan")
        self.why = Emptiness.NO_PLAN
        self.show_why(self.why)

    def show_why(self, why: Emptiness) -> None:
        self.why = why
        icon, title, words, action = _WORDS[why]
        self.set_words(icon, tr_marked(title), tr_marked(words), tr_marked(action))
