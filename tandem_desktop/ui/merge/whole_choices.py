"""What can be said about a path as a whole, where there are no lines to choose: whose file, whose permissions."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from tandem_desktop.review.conflicts import Conflict, Modes, Resolution, Take
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import PLAIN, PRIMARY, Button
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr, tr_table

_SIDES = (Take.DISK, Take.PROPOSED)
_WORDS = tr_table({Take.DISK: "Leave it as it is on disk", Take.PROPOSED: "Do what the plan proposes"})


class WholeChoices(QWidget):
    """Two rows of two buttons, each shown only where there is such a question."""

    chosen = Signal(object)
    """A `Take` for the path."""
    mode_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("merge-whole")
        grid = QGridLayout(self)
        Spacing(theme, grid)
        self._file, self._mode = plain_label(tr("The file"), "muted"), plain_label(tr("Its permissions"), "muted")
        self._files: dict[Take, Button] = {}
        self._modes: dict[Take, Button] = {}
        for row, (label, buttons, name, told) in enumerate(
            (
                (self._file, self._files, "whole", self.chosen),
                (self._mode, self._modes, "mode", self.mode_chosen),
            )
        ):
            grid.addWidget(label, row, 0)
            for column, take in enumerate(_SIDES, start=1):
                button = buttons[take] = Button(theme, _WORDS[take])
                button.setObjectName(f"merge-{name}-{take.value}")
                button.set_compact()
                button.clicked.connect(lambda _checked=False, take=take, told=told: told.emit(take))
                grid.addWidget(button, row, column)
        grid.setColumnStretch(3, 1)

    def show_conflict(self, conflict: Conflict | None, said: Resolution | None, *, has_lines: bool) -> None:
        asks_file = conflict is not None and not has_lines and conflict.modes is None
        modes = conflict.modes if conflict is not None else None
        self.setVisible(asks_file or modes is not None)
        self._file.setVisible(asks_file)
        self._mode.setVisible(modes is not None)
        for take in _SIDES:
            self._files[take].setVisible(asks_file and conflict is not None and take in conflict.ways)
            self._files[take].wear(PRIMARY if said is not None and said.whole is take else PLAIN)
            self._modes[take].setVisible(modes is not None)
            self._modes[take].wear(PRIMARY if said is not None and said.mode is take else PLAIN)
            if modes is not None:
                self._modes[take].setText(_mode_words(modes, take))


def _mode_words(modes: Modes, take: Take) -> str:
    mode = modes.disk if take is Take.DISK else modes.proposed
    side = tr("Take disk") if take is Take.DISK else tr("Take proposed")
    return f"{side}: {mode:04o}" if mode is not None else side
