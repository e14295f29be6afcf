"""The plan as the agent wrote it for people, with everything else the digest covers beside the operations."""

import json

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.chat.message_view import MessageView
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.plain_text import plain_label


class PlanTextTab(QScrollArea):
    """Sanitised Markdown; nothing in it can load or run anything."""

    link_activated = Signal(str)
    file_activated = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("plan-text")
        self.setAccessibleName("Plan text")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        inner = QWidget()
        inner.setProperty("role", "panel")
        self._mark = plain_label("The agent's words. They are bound by the digest, but only operations run.", "small")
        self.text = MessageView(theme)
        self.text.link_activated.connect(self.link_activated)
        self.text.file_activated.connect(self.file_activated)
        self._notes_title = plain_label("Steps that change nothing", "section")
        self._notes = plain_label("", "muted", wrap=True)
        self._context_title = plain_label("Context (bound by the digest)", "section")
        self._context = plain_label("", "code-muted", wrap=True)
        self._context.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QVBoxLayout(inner)
        Spacing(theme, layout, (18, 14, 18, 18), 10)
        for widget in (
            self._mark,
            self.text,
            self._notes_title,
            self._notes,
            self._context_title,
            self._context,
        ):
            layout.addWidget(widget)
        layout.addStretch(1)
        self.setWidget(inner)

    def show_version(self, version: PlanVersion) -> None:
        self.text.set_text(version.content)
        notes = [f"· {visible(note.description or note.tool)}" for note in version.notes]
        self._notes.setText("\n".join(notes))
        for widget in (self._notes_title, self._notes):
            widget.setVisible(bool(notes))
        context = json.dumps(version.context, indent=2, ensure_ascii=False) if version.context else ""
        self._context.setText("\n".join(wording.visible_lines(context)))
        for widget in (self._context_title, self._context):
            widget.setVisible(bool(context))
