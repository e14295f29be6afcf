"""Everything a person can wish for in the panel of a plan."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget


class PlanPanelSignals(QWidget):
    """Wishes and facts that leave the panel; carrying them out is for others."""

    choices_changed = Signal(object)
    """All the person's `Choices` about the revision on screen; answered by `show_page`."""
    edit_saved = Signal(str, str, bytes)
    """Plan id, an operation and the person's own version of its file."""
    save_requested = Signal(object)
    """`Choices` that are to become the next revision, which is then looked at once more before it is approved."""
    commented = Signal(str, object, object, str)
    """Plan id, operation id or None for the plan text, a `CommentSpot` and words; answered by `set_comments`."""
    comment_edited = Signal(str, str, str)
    """Plan id, comment id and other words."""
    comment_removed = Signal(str, str)
    open_requested = Signal(str, int)
    """A path and a line, for the person's editor."""
    clear_requested = Signal(str)
    approve_confirmed = Signal(str, str, object)
    """Plan id, the digest that was on screen, and the failure policy."""
    rework_confirmed = Signal(str, str)
    cancel_requested = Signal(str)
    abandon_requested = Signal()
    """The draft that is not a plan yet is not wanted."""
    revision_requested = Signal(str, int)
    restore_requested = Signal(str, int)
    compare_requested = Signal(str, int, int)
    pair_requested = Signal(str, int, int, str)
    """Plan id and two revisions whose difference goes into the sheet for it, and the plan the earlier is of."""
    branch_requested = Signal(str, int)
    """Plan id and the revision an alternative is to begin with."""
    plan_requested = Signal(str)
    """Another plan, such as an alternative, is to be shown."""
    rebase_requested = Signal(str)
    """The plan is to be carried over to the files as they are."""
    merge_requested = Signal(str, str)
    """Plan id and a drifted path, to be looked at from three sides."""
    stop_requested = Signal()
    pause_requested = Signal()
    resume_requested = Signal()
    undo_preview_requested = Signal(str)
    """Run id; answered by `show_undo`."""
    taking_back_requested = Signal(object)
    """A `TakingBack` of a part, or of every run since; answered by `show_undo`."""
    undo_requested = Signal(object, object)
    """A `TakingBack`, and the `Undoing` the person saw."""
    run_chosen = Signal(str)
    """Run id; answered by `runs.show_changes`."""
    redo_requested = Signal(str)
    rated = Signal(str, int)
    """Plan id and what the person thinks of it, from 1 to 5."""
    recover_requested = Signal(str, str)
    settle_requested = Signal()
    viewed_changed = Signal(str, object)
    """Plan id and a mark for each viewed operation, to be kept and handed to `set_viewed`; told when the person
    marked one."""
    followed = Signal(object)
    """The plan's `PlanStateMachine`, whenever what is allowed may have changed."""
