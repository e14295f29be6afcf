"""Words of agents and people are data: shown letter by letter, never read as markup."""

import html

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget


def plain_tooltip(text: str) -> str:
    """A tool tip that shows `text` as it is; Qt would otherwise guess whether it is rich text."""
    return f'<p style="white-space: pre-wrap">{html.escape(text)}</p>' if text else ""


def plain_label(text: str = "", role: str = "", *, wrap: bool = False, parent: QWidget | None = None) -> QLabel:
    """A label that cannot be made to load, link or format anything."""
    label = QLabel(parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    label.setWordWrap(wrap)
    if role:
        label.setProperty("role", role)
    return label
