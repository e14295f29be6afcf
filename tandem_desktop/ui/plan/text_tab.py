"""The plan text tab."""

import json

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from tandem_desktop.diff.text import visible
from tandem_desktop.domain.plan import Origin, PlanVersion
from tandem_desktop.ui.chat.message_view import MessageView
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.comments import CommentArea, CommentSpot
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import QuietButton
from tandem_desktop.ui.widgets.inputs import PlainTextEdit
from tandem_desktop.ui.widgets.labels import plain_label


class PlanTextTab(QScrollArea):
    """Sanitised Markdown; nothing in it can load or run anything."""

    link_activated = Signal(str)
    file_activated = Signal(str)
    rewritten = Signal(str)
    """The plan text as edited."""

    _content = ""
    _editable = False

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("plan-text")
        self.setAccessibleName(tr("Plan text"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        inner = QWidget()
        inner.setProperty("role", "panel")
        self._mark = plain_label("", "small", wrap=True)
        self.text = MessageView(theme)
        self.text.link_activated.connect(self.link_activated)
        self.text.file_activated.connect(self.file_activated)
        self._source = PlainTextEdit()
        self._source.setObjectName("plan-text-editor")
        self._source.setAccessibleName(tr("Plan text, to be edited"))
        self._source.setProperty("role", "code-block")
        self._source.sent.connect(self._save)
        self._source.left.connect(self._leave)
        self._edit = QuietButton(theme, tr("Edit the text"))
        self._edit.setObjectName("plan-text-edit")
        self._edit.clicked.connect(self._begin)
        self._save_button = QuietButton(theme, tr("Save as my text"), "Ctrl+⏎")
        self._save_button.setObjectName("plan-text-save")
        self._save_button.clicked.connect(self._save)
        self._discard = QuietButton(theme, tr("Discard"), "Esc")
        self._discard.setObjectName("plan-text-discard")
        self._discard.clicked.connect(self._leave)
        self._comment = QuietButton(theme, tr("Comment"), "C")
        self._comment.setObjectName("plan-text-comment")
        self._comment.clicked.connect(self.comment)
        self.comments = CommentArea(theme, tr("Comment on the plan text"))
        buttons = QHBoxLayout()
        Spacing(theme, buttons)
        for button in (self._edit, self._comment, self._save_button, self._discard):
            button.set_compact()
            buttons.addWidget(button)
        buttons.addStretch(1)
        self._notes_title = plain_label(tr("Steps that change nothing"), "section")
        self._notes = plain_label("", "muted", wrap=True)
        self._context_title = plain_label(tr("Context (bound by the digest)"), "section")
        self._context = plain_label("", "code-muted", wrap=True)
        self._context.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout = QVBoxLayout(inner)
        Spacing(theme, layout, (18, 14, 18, 18), 10)
        layout.addWidget(self._mark)
        layout.addLayout(buttons)
        for widget in (
            self.text,
            self._source,
            self.comments,
            self._notes_title,
            self._notes,
            self._context_title,
            self._context,
        ):
            layout.addWidget(widget)
        layout.addStretch(1)
        self.setWidget(inner)
        self._leave()

    def show_version(self, version: PlanVersion, own_text: str | None = None, *, editable: bool = False) -> None:
        """Show the plan text or its edited version; only a waiting plan can be edited."""
        self._content = version.content if own_text is None else own_text
        self._editable = editable
        self.text.set_text(self._content)
        # Without an agent, as for a reviewed patch, Tandem wrote the text.
        is_agents = bool(version.confinement) and version.origin is not Origin.PERSON and own_text is None
        bound = tr("It is bound by the digest, but only operations run.")
        self._mark.setText(f"{tr('The agent wrote this.')} {bound}" if is_agents else bound)
        if not self._source.isVisibleTo(self):
            self._leave()
        notes = [f"· {visible(note.description or note.tool)}" for note in version.notes]
        self._notes.setText("\n".join(notes))
        for widget in (self._notes_title, self._notes):
            widget.setVisible(bool(notes))
        context = json.dumps(version.context, indent=2, ensure_ascii=False) if version.context else ""
        self._context.setText("\n".join(wording.visible_lines(context)))
        for widget in (self._context_title, self._context):
            widget.setVisible(bool(context))

    @property
    def is_empty(self) -> bool:
        return not (self._content.strip() or self._notes.text() or self._context.text())

    def keep_unfinished(self) -> None:
        """Store unfinished text with this plan before another is shown."""
        self.comments.keep_unfinished()
        if self._source.isVisibleTo(self):
            self._save()

    def comment(self) -> None:
        """Begin a comment on the plan text."""
        if self._editable:
            self.comments.begin(CommentSpot())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_C and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self.comment()
        else:
            super().keyPressEvent(event)

    def _begin(self) -> None:
        self._source.setPlainText(self._content)
        lines = self._content.count("\n") + 2
        self._source.setFixedHeight(min(self._theme.px(480), lines * self._source.fontMetrics().lineSpacing() + 24))
        self._show_editor(True)
        self._source.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _save(self) -> None:
        text = self._source.toPlainText()
        is_other = text != self._content
        self._leave()
        if is_other:
            self.rewritten.emit(text)

    def _leave(self) -> None:
        self._show_editor(False)

    def _show_editor(self, editing: bool) -> None:
        for widget in (self._source, self._save_button, self._discard):
            widget.setVisible(editing)
        self.text.setVisible(not editing)
        for button in (self._edit, self._comment):
            button.setVisible(self._editable and not editing)
