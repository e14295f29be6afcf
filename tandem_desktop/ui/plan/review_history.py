"""The steps of a review, undone and redone while the plan is undecided."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.review import Comment
from tandem_desktop.review.choices import Choices
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.models.operations import StagedOperationsModel
from tandem_desktop.ui.plan.choices import Chooser
from tandem_desktop.ui.plan.comments import CommentSpot
from tandem_desktop.ui.plan.remarks import Remarks

_MOST_STEPS = 200


@dataclass(frozen=True, slots=True)
class ReviewStep:
    """What a person did, with the way back and on again."""

    words: str
    undo: Callable[[], None]
    redo: Callable[[], None]


class ReviewHistory(QObject):
    """Drops, marks and comments of one revision. It repeats only what the person did here, never an approval."""

    said = Signal(str)
    """What was undone or redone."""

    def __init__(
        self,
        chooser: Chooser,
        model: StagedOperationsModel,
        remarks: Remarks,
        is_open: Callable[[], bool],
        parent: QObject,
    ) -> None:
        """`is_open` tells whether the plan can still be decided on."""
        super().__init__(parent)
        self._chooser, self._model, self._remarks, self._is_open = chooser, model, remarks, is_open
        self._done: list[ReviewStep] = []
        self._undone: list[ReviewStep] = []
        self._is_stepping = False
        self._viewed: frozenset[OperationId] = frozenset()
        self._drafts: tuple[Comment, ...] = ()
        self._awaits_comment = False
        self._about: tuple[str, int] | None = None
        chooser.stepped.connect(self._note_choices)
        for asked in (remarks.added, remarks.edited, remarks.removed):
            asked.connect(self._await_comment)
        remarks.shown.connect(self._note_comments)

    def begin(self, plan_id: str, revision: int) -> None:
        """Another plan or revision has no steps yet."""
        if self._about != (plan_id, revision):
            self._about = (plan_id, revision)
            self.clear()

    def clear(self) -> None:
        self._done.clear()
        self._undone.clear()
        self._awaits_comment = False

    def note_viewed(self, *, is_step: bool) -> None:
        """The marks as they are now; a step where the person set or took them."""
        before, self._viewed = self._viewed, self._model.viewed
        marked, unmarked = self._viewed - before, before - self._viewed
        if not is_step or not (marked or unmarked):
            return
        words = (
            tr_n("{n} marked as viewed", "{n} marked as viewed", self._model.renames.count_rows(marked))
            if marked
            else tr_n("{n} marked as not viewed", "{n} marked as not viewed", self._model.renames.count_rows(unmarked))
        )

        def mark(viewed: bool) -> None:
            self._model.set_viewed(marked, viewed)
            self._model.set_viewed(unmarked, not viewed)

        self._add(ReviewStep(words, lambda: mark(False), lambda: mark(True)))

    def undo(self) -> None:
        self._step(self._done, self._undone, is_undo=True)

    def redo(self) -> None:
        self._step(self._undone, self._done, is_undo=False)

    def _step(self, taken: list[ReviewStep], given: list[ReviewStep], *, is_undo: bool) -> None:
        if not self._is_open():
            self.said.emit(tr("The plan is decided: steps of its review stay as they are."))
            return
        if not taken:
            self.said.emit(tr("Nothing to undo.") if is_undo else tr("Nothing to redo."))
            return
        step = taken.pop()
        given.append(step)
        self._is_stepping = True
        (step.undo if is_undo else step.redo)()
        self._is_stepping = False
        words = tr("Undone: {step}", step=step.words) if is_undo else tr("Redone: {step}", step=step.words)
        self.said.emit(words)

    def _add(self, step: ReviewStep) -> None:
        if self._is_stepping or not self._is_open():
            return
        self._done.append(step)
        del self._done[:-_MOST_STEPS]
        self._undone.clear()

    def _note_choices(self, before: Choices, after: Choices) -> None:
        self._add(
            ReviewStep(
                choice_words(before, after, self._model.renames.count_rows),
                lambda: self._chooser.restore(before),
                lambda: self._chooser.restore(after),
            )
        )

    def _await_comment(self) -> None:
        self._awaits_comment = not self._is_stepping

    def _note_comments(self, drafts: tuple[Comment, ...]) -> None:
        before, self._drafts = self._drafts, drafts
        gone, come = _missing(before, drafts), _missing(drafts, before)
        if not self._awaits_comment or not (gone or come):
            return
        self._awaits_comment = False
        words = tr("comment changed") if gone and come else tr("comment added") if come else tr("comment removed")
        self._add(ReviewStep(words, lambda: self._replace(come, gone), lambda: self._replace(gone, come)))

    def _replace(self, old: tuple[Comment, ...], new: tuple[Comment, ...]) -> None:
        """Ask for other comments; ids are looked up, as one that comes back has another."""
        ids = [each.id for wanted in old for each in self._drafts if _key(each) == _key(wanted)]
        if ids and new:
            self._remarks.edited.emit(ids[0], new[0].text)
        elif ids:
            self._remarks.removed.emit(ids[0])
        for comment in new if not ids else ():
            place = comment.place
            lines = (place.first_line, place.last_line or place.first_line) if place.first_line else None
            self._remarks.added.emit(place.operation, CommentSpot(place.side, lines), comment.text)


def choice_words(before: Choices, after: Choices, count: Callable[[Iterable[OperationId]], int]) -> str:
    """What a choice did, in a few words; `count` tells how many rows operations are."""
    dropped, kept = {*after.operations} - {*before.operations}, {*before.operations} - {*after.operations}
    if dropped:
        return tr_n("{n} operation dropped", "{n} operations dropped", count(dropped))
    if kept:
        return tr_n("{n} operation kept", "{n} operations kept", count(kept))
    if before.order != after.order:
        return tr("operations in another order")
    if before.text != after.text:
        return tr("plan text edited")
    if before.edited_files != after.edited_files or _edits(before) != _edits(after):
        return tr("file edited")
    lines = after.dropped_hunks + after.dropped_lines > before.dropped_hunks + before.dropped_lines
    return tr("change dropped") if lines else tr("change kept")


def _edits(choices: Choices) -> set[tuple[OperationId, str | None]]:
    return {(part.operation, part.edited) for part in choices.parts if part.edited is not None}


def _key(comment: Comment) -> tuple[object, ...]:
    place = comment.place
    return place.operation, place.side, place.first_line, place.last_line, comment.text


def _missing(some: tuple[Comment, ...], among: tuple[Comment, ...]) -> tuple[Comment, ...]:
    keys = {_key(each) for each in among}
    return tuple(each for each in some if _key(each) not in keys)
