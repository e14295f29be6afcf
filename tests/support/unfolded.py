"""A diff with all lines shown."""

from tandem_desktop.ui.diff.view import DiffView


def unfold_all(view: DiffView) -> None:
    every = frozenset(range(-1, len(view.diff.stretches)))
    view._rebuild(view.diff, every, view.rows.comments)
