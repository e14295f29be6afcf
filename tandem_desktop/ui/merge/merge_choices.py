"""What can be said about one conflict: whose lines stand, both in either order, or lines of one's own."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from tandem_desktop.review.conflicts import Choice, Take
from tandem_desktop.review.three_way import Lines, Region
from tandem_desktop.staging.text import ends_without_newline
from tandem_desktop.ui.editable_text import EditableText
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import PLAIN, PRIMARY, Button, QuietButton
from tandem_desktop.ui.widgets.code_edit import CodeEdit
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import later, tr, tr_marked, tr_table

WORDS = tr_table(
    {
        Take.DISK: "Take disk",
        Take.PROPOSED: "Take proposed",
        Take.DISK_FIRST: "Disk, then proposed",
        Take.PROPOSED_FIRST: "Proposed, then disk",
    }
)
KEYS = {"1": Take.DISK, "2": Take.PROPOSED, "3": Take.DISK_FIRST, "4": Take.PROPOSED_FIRST}
_SUGGESTED = later("A suggestion, found by likeness. Nothing is taken before you keep it.")
_OWN = later("Your own lines for this conflict")
_EDITOR_HEIGHT = 110


class MergeChoices(QWidget):
    """Shows how one region was answered and asks for another answer; keeps none itself."""

    chosen = Signal(object)
    """A `Choice`."""
    stepped = Signal(int)
    """To the next conflict or the one before."""
    left = Signal()
    """Writing has ended; the keyboard belongs elsewhere again."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._region: Region | None = None
        self._choice: Choice | None = None
        self._suggestion: bytes | None = None
        self.setObjectName("merge-choices")
        self.about = plain_label("", "section")
        self._takes = {take: Button(theme, WORDS[take], key) for key, take in KEYS.items()}
        for take, button in self._takes.items():
            button.setObjectName(f"merge-take-{take.value}")
            button.clicked.connect(lambda _checked=False, take=take: self.chosen.emit(take))
        self.own = Button(theme, tr("Write it…"), "e")
        self.own.setObjectName("merge-own")
        self.own.clicked.connect(self.write_own)
        self.suggestion = LinkButton(theme, tr("Look at a suggestion…"))
        self.suggestion.setObjectName("merge-suggestion")
        self.suggestion.clicked.connect(self._look_at_suggestion)
        for button in (*self._takes.values(), self.own):
            button.set_compact()
        self.before, self.after = QuietButton(theme, "‹"), QuietButton(theme, "›")
        for button, step, words in ((self.before, -1, tr("Conflict before")), (self.after, 1, tr("Next conflict"))):
            button.setObjectName(f"merge-step-{'next' if step > 0 else 'previous'}")
            button.setAccessibleName(words)
            button.set_compact()
            button.clicked.connect(lambda _checked=False, step=step: self.stepped.emit(step))
        top = QHBoxLayout()
        Spacing(theme, top)
        top.addWidget(self.before)
        top.addWidget(self.about)
        top.addWidget(self.after)
        top.addStretch(1)
        top.addWidget(self.suggestion)
        row = QHBoxLayout()
        Spacing(theme, row)
        for button in (*self._takes.values(), self.own):
            row.addWidget(button)
        row.addStretch(1)
        self._writing = QWidget()
        self._hint = plain_label("", "muted", wrap=True)
        self.editor = CodeEdit(theme, "merge-editor", tr("Your own lines"))
        self.editor.setFixedHeight(theme.px(_EDITOR_HEIGHT))
        self.editor.sent.connect(self._keep_own)
        self.editor.left.connect(self._stop_writing)
        keep, discard = Button(theme, tr("Keep these lines"), "Ctrl+⏎"), QuietButton(theme, tr("Discard"), "Esc")
        keep.setObjectName("merge-own-keep")
        discard.setObjectName("merge-own-discard")
        keep.clicked.connect(self._keep_own)
        discard.clicked.connect(self._stop_writing)
        foot = QHBoxLayout()
        Spacing(theme, foot)
        foot.addWidget(self._hint, 1)
        for button in (discard, keep):
            button.set_compact()
            foot.addWidget(button)
        writing = QVBoxLayout(self._writing)
        Spacing(theme, writing, between=6)
        writing.addWidget(self.editor)
        writing.addLayout(foot)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=6)
        layout.addLayout(top)
        layout.addLayout(row)
        layout.addWidget(self._writing)
        self._writing.hide()

    def show_region(self, region: Region, of: int, choice: Choice | None, suggestion: bytes | None) -> None:
        if region != self._region:
            self._writing.hide()
        self._region, self._choice, self._suggestion = region, choice, suggestion
        self.about.setText(tr("Conflict {number} of {of}", number=region.n, of=of))
        for step in (self.before, self.after):
            step.setVisible(of > 1)
        is_text = self._editable(region.disk) is not None and self._editable(region.proposed) is not None
        for take, button in self._takes.items():
            button.wear(PRIMARY if choice is take else PLAIN)
            button.setVisible(is_text or take in (Take.DISK, Take.PROPOSED))
        self.own.wear(PRIMARY if isinstance(choice, bytes) else PLAIN)
        self.own.setVisible(is_text)
        self.suggestion.setVisible(suggestion is not None)

    def key(self, letter: str) -> bool:
        """What a key of the three sides means here."""
        if letter in KEYS and self._takes[KEYS[letter]].isVisible():
            self.chosen.emit(KEYS[letter])
        elif letter == "e" and self.own.isVisible():
            self.write_own()
        elif letter in "np" and self.after.isVisible():
            self.stepped.emit(1 if letter == "n" else -1)
        else:
            return False
        return True

    def write_own(self) -> None:
        """Begin with what was kept, or with both sides one after the other."""
        region = self._region
        if region is not None:
            kept = self._choice if isinstance(self._choice, bytes) else b"".join((*region.disk, *region.proposed))
            self._write(kept, tr_marked(_OWN))

    def _look_at_suggestion(self) -> None:
        if self._suggestion is not None:
            self._write(self._suggestion, tr_marked(_SUGGESTED))

    def _write(self, content: bytes, hint: str) -> None:
        known = EditableText.of(content)
        if known is None:
            return
        self._hint.setText(hint)
        self.editor.setPlainText(known.text.removesuffix("\n"))
        self._writing.show()
        self.editor.setFocus()

    def _keep_own(self) -> None:
        region = self._region
        if region is None:
            return
        newline = b"\r\n" if any(line.endswith(b"\r\n") for line in (*region.disk, *region.proposed)) else b"\n"
        typed = self.editor.text
        content = typed.encode().replace(b"\n", newline)
        is_end = _is_open(region.disk) and _is_open(region.proposed)
        self._stop_writing()
        self.chosen.emit(content + newline if typed and not is_end else content)

    def _stop_writing(self) -> None:
        self._writing.hide()
        self.left.emit()

    def _editable(self, lines: Lines) -> EditableText | None:
        return EditableText.of(b"".join(lines))


def _is_open(lines: Lines) -> bool:
    """Whether they end a file without a newline."""
    return bool(lines) and ends_without_newline(lines[-1])
