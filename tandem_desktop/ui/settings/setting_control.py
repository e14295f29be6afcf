"""The control that fits a setting: a switch, a choice, a number, words, or pairs of them."""

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QSpinBox, QWidget

from tandem_desktop.settings.settings import Settings
from tandem_desktop.ui.settings.pairs_edit import PairsEdit
from tandem_desktop.ui.settings.setting_words import UNITS, choice, choices
from tandem_desktop.ui.words import tr

_LARGEST = 2**31 - 1
_TEXT_INSET = 8
_MIB = 1024**2


def control_for(
    name: str, value: Any, changed: Callable[[Any], None], refused: Callable[[str], None]
) -> QWidget | None:
    """A control that shows `value` and tells of every change; None for what is written in the file alone.

    What cannot be understood is `refused` in words.
    """
    field = Settings.model_fields[name]
    kind = field.annotation
    if kind is bool:
        return _switch(value, changed)
    if kind is int:
        return _number(name, value, changed)
    if kind is str:
        return _words(value, changed)
    if offered := choices(name):
        return _choice(offered, value, changed)
    if kind == tuple[str, ...]:
        return _words(
            ", ".join(value), lambda text: changed([word.strip() for word in text.split(",") if word.strip()])
        )
    return PairsEdit(name, value, changed, refused) if kind == dict[str, str] else None


def _switch(value: bool, changed: Callable[[Any], None]) -> QWidget:
    box = QCheckBox(tr("On"))
    box.setChecked(value)
    box.toggled.connect(changed)
    return box


def _choice(offered: Sequence[str], value: str, changed: Callable[[Any], None]) -> QWidget:
    box = QComboBox()
    for each in offered:
        box.addItem(choice(each), each)
    box.setCurrentIndex(box.findData(str(value)))
    box.activated.connect(lambda _index: changed(box.currentData()))
    _leave_the_wheel(box)
    return box


def _number(name: str, value: int, changed: Callable[[Any], None]) -> QWidget:
    low, high = _limits(name)
    unit = _MIB if name.endswith("_bytes") else 1
    box = QSpinBox()
    box.setRange(max(1, low // unit) if unit > 1 else low, min(_LARGEST, high // unit))
    box.setSuffix(_suffix(name))
    box.setGroupSeparatorShown(True)
    box.setValue(value // unit)
    box.setKeyboardTracking(False)
    box.lineEdit().setTextMargins(_TEXT_INSET, 0, 0, 0)
    box.valueChanged.connect(lambda number: changed(number * unit))
    _leave_the_wheel(box)
    return box


def _words(value: str, changed: Callable[[Any], None]) -> QWidget:
    line = QLineEdit(value)
    last = [value]

    def tell() -> None:
        if line.text().strip() != last[0]:
            last[0] = line.text().strip()
            changed(last[0])

    line.editingFinished.connect(tell)
    return line


def _limits(name: str) -> tuple[int, int]:
    low, high = 0, _LARGEST
    for rule in Settings.model_fields[name].metadata:
        low, high = getattr(rule, "ge", None) or low, getattr(rule, "le", None) or high
    return low, high


def _suffix(name: str) -> str:
    return UNITS.get(name.rpartition("_")[2], "")


class _Wheel(QObject):
    """Turning the wheel over a control moves the page, and never a choice."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Wheel and isinstance(watched, QWidget):
            event.ignore()
            return True
        return False


def _leave_the_wheel(widget: QWidget) -> None:
    widget.installEventFilter(_Wheel(widget))
