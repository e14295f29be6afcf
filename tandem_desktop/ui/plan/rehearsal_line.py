"""One line about the rehearsal of the plan on screen: that it goes on, what came of it, that it is stale."""

from datetime import datetime

from PySide6.QtWidgets import QWidget

from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.ui.moments import when
from tandem_desktop.ui.plan import rehearsal_words
from tandem_desktop.ui.plan.rehearsal_follower import Book, RehearsalFollower
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banner import Banner
from tandem_desktop.ui.words import later, tr, tr_marked, tr_n

_UNTOUCHED = later("Nothing on disk has changed.")


class RehearsalLine(Banner):
    """Says every time that the disk is as it was, and offers what can be done next."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "info", parent=parent)
        self.setObjectName("rehearsal-line")
        self._said: tuple[object, ...] = ()
        self.hide()

    def show_rehearsal(self, follower: RehearsalFollower, version: PlanVersion, now: datetime) -> None:
        """Of the revision on screen."""
        book = follower.book
        said = self._message(follower, book, version, now)
        self.setVisible(said is not None)
        if said is not None and said != self._said:
            self._said = said
            self.set_message(*said)

    def _message(
        self, follower: RehearsalFollower, book: Book | None, version: PlanVersion, now: datetime
    ) -> tuple[str, str, tuple[tuple[str, str], ...]] | None:
        if book is not None and follower.under_way == version.plan_id:
            return "info", f"{_going_on(book)} {tr_marked(_UNTOUCHED)}", (("stop-rehearsal", tr("Stop")),)
        if instead := rehearsal_words.instead(version):
            way_back = book is not None and book.recorded_from and book.revision == version.revision
            really = (("really-run", tr("Let it really run")),) if way_back else ()
            return "info", tr("Applies {instead}.", instead=instead), really
        if book is None or book.rehearsal is None:
            return None
        if follower.is_stale:
            text = tr("The rehearsal was of revision {revision} and is stale here.", revision=book.revision)
            return "risk", text, (("rehearse-again", tr("Rehearse again")),)
        count = len(follower.recordable)
        every = (("record-all", tr("Apply all recorded effects")),) if count > 1 else ()
        tone = "error" if any(row.error or row.problem for row in book.rows.values()) else "ok"
        return tone, f"{_came_of_it(book, now)} {tr_marked(_UNTOUCHED)}", every


def _going_on(book: Book) -> str:
    how = rehearsal_words.conditions(book.network)
    if any(row.is_under_way for row in book.rows.values()) or not book.rows:
        return tr("Rehearsing revision {revision} in a copy, {how}.", revision=book.revision, how=how)
    return tr("Played once in a copy, {how}; playing it again to see whether it comes out the same.", how=how)


def _came_of_it(book: Book, now: datetime) -> str:
    rows = book.rows.values()
    failed = sum(bool(row.error) for row in rows)
    refused = sum(bool(row.problem) for row in rows)
    commands = len(book.calls)
    parts = [tr_n("{n} command ran", "{n} commands ran", commands)]
    if not commands:
        parts = [tr("there are no commands; every step applies")]
    if failed:
        said = f"{failed:,}"
        parts = [
            tr_n("{failed} of {n} command would fail", "{failed} of {n} commands would fail", commands, failed=said)
        ]
    if refused:
        parts.append(tr_n("{n} operation did not apply", "{n} operations did not apply", refused))
    doubtful = sum(bool(row.doubts) for row in rows)
    if doubtful:
        parts.append(tr("{n} cannot be previewed", n=f"{doubtful:,}"))
    how, told = rehearsal_words.conditions(book.network), ", ".join(parts)
    if book.rehearsal is None:
        return tr("Rehearsed in a copy, {how}: {parts}.", how=how, parts=told)
    at = when(book.rehearsal.at, now)
    return tr("Rehearsed {when} in a copy, {how}: {parts}.", when=at, how=how, parts=told)
