"""Names with a value each, such as keys and models: one line for each, written as in `opencode = some/model`."""

from collections.abc import Callable, Mapping

from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QPlainTextEdit

from tandem_desktop.ui.words import tr

_LINES = 3
_ROOM = 16


class PairsEdit(QPlainTextEdit):
    """Tells what was written when the keyboard leaves it; a line that is no pair is told instead, and stays."""

    def __init__(
        self,
        setting: str,
        pairs: Mapping[str, str],
        changed: Callable[[dict[str, str]], None],
        refused: Callable[[str], None],
    ) -> None:
        super().__init__("\n".join(f"{name} = {value}" for name, value in pairs.items()))
        self._in_file = f"{setting}."
        self._pairs, self._changed, self._refused = dict(pairs), changed, refused
        self.setTabChangesFocus(True)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setPlaceholderText(tr("name = value"))

    def fit(self) -> None:
        """Once it has the font of its page."""
        self.setFixedHeight(self.fontMetrics().lineSpacing() * _LINES + _ROOM)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._tell()

    def _tell(self) -> None:
        pairs: dict[str, str] = {}
        for line in self.toPlainText().splitlines():
            name, sign, value = (part.strip() for part in line.partition("="))
            if line.strip() and not (name and sign and value):
                self._refused(tr("“{line}” is no pair: write name = value. Nothing was changed.", line=line.strip()))
                return
            if name:  # also as it is spelled in the file
                pairs[name.removeprefix(self._in_file)] = _unquoted(value)
        if pairs != self._pairs:
            self._pairs = pairs
            self._changed(pairs)


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value
