"""What stands below an operation's line whether it is opened or not: drift, an error, the end of a command's output."""

from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QFontMetrics

from tandem_desktop.domain.execution import ResultStatus
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.models.operation_row import OperationRow
from tandem_desktop.ui.models.rehearsed import Rehearsed
from tandem_desktop.ui.plan import rehearsal_words
from tandem_desktop.ui.plan.rehearsal_words import Piece
from tandem_desktop.ui.plan.row_geometry import ROW
from tandem_desktop.ui.plan.wording import visible_lines
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.words import later, tr, tr_marked, tr_n

LOG_LINES = 6
SEE_MERGE = later("See merge")
_LINE, _PADDING = 18, 10


class Tone(StrEnum):
    """How a note is dressed."""

    RISK = "risk"
    ERROR = "error"
    LOG = "log"
    REHEARSED = "rehearsed"


@dataclass(frozen=True, slots=True)
class Note:
    """A band below the row."""

    tone: Tone
    text: str
    pieces: tuple[Piece, ...] = ()
    """The same in colours, where it has them."""
    link: str = ""
    """What a click on it leads to."""


def notes_of(row: OperationRow) -> tuple[Note, ...]:
    """Most telling first."""
    notes = []
    if row.drift:
        notes.append(Note(Tone.RISK, row.drift, link=tr_marked(SEE_MERGE) if row.operation.path is not None else ""))
    if row.problem and not row.dropped:
        notes.append(Note(Tone.RISK, tr("No longer applies: {problem}", problem=row.problem)))
    if row.rehearsed is not None and not row.running:
        notes += _rehearsed(row.rehearsed, is_open=row.expanded)
    result = row.result
    if result is not None and result.error:
        notes.append(Note(Tone.ERROR, "\n".join(visible_lines(result.error))))
    # The whole output is shown when the row is opened; a failed command always shows how it ended.
    if result is not None and result.output and not row.expanded and result.status is not ResultStatus.PENDING:
        notes.append(Note(Tone.LOG, _end_of(result.output)))
    return tuple(notes)


def note_height(theme: Theme, note: Note, width: int) -> int:
    if note.tone is Tone.REHEARSED:
        return theme.px(ROW)
    if note.tone is Tone.LOG:
        lines = note.text.count("\n") + 1
        return lines * theme.px(_LINE) + theme.px(2 * _PADDING)
    inner = max(theme.px(80), width - theme.px(48))
    metrics, words = QFontMetrics(theme.ui_font()), f"{note.text}  {note.link}"
    bounds = metrics.boundingRect(QRect(0, 0, inner, 10_000), wrapping(metrics, words, inner), words)
    return max(theme.px(_LINE), bounds.height()) + theme.px(_PADDING)


def wrapping(metrics: QFontMetrics, text: str, width: int) -> Qt.TextFlag:
    """Lines end between words; inside one only where it would not fit by itself."""
    is_long = any(metrics.horizontalAdvance(word) > width for word in text.split())
    return Qt.TextFlag.TextWordWrap | (Qt.TextFlag.TextWrapAnywhere if is_long else Qt.TextFlag(0))


def notes_height(theme: Theme, row: OperationRow, width: int) -> int:
    return sum(note_height(theme, note, width) for note in notes_of(row))


def _rehearsed(found: Rehearsed, *, is_open: bool) -> list[Note]:
    if found.problem:
        return [Note(Tone.RISK, tr("Did not apply in the rehearsal: {problem}", problem=visible(found.problem)))]
    line = rehearsal_words.pieces(found)
    notes = [Note(Tone.REHEARSED, rehearsal_words.sentence(found), line)]
    if found.is_running and found.output and not is_open:
        notes.append(Note(Tone.LOG, _end_of(found.output)))
    return notes


def _end_of(output: str) -> str:
    lines = visible_lines(output.rstrip("\n"))
    if len(lines) <= LOG_LINES:
        return "\n".join(lines)
    left_out = len(lines) - LOG_LINES + 1
    above = tr_n("… {n} line above; open to read them all", "… {n} lines above; open to read them all", left_out)
    return "\n".join((above, *lines[-(LOG_LINES - 1) :]))
