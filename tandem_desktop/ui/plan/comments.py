"""The comment area."""

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from tandem_desktop.diff.text import visible, visible_line
from tandem_desktop.domain.review import Comment, CommentId, Place, Side
from tandem_desktop.ui.i18n import tr
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import LinkButton, QuietButton
from tandem_desktop.ui.widgets.inputs import PlainTextEdit
from tandem_desktop.ui.widgets.labels import announce, plain_label

_EDITOR_HEIGHT = 76


@dataclass(frozen=True, slots=True)
class CommentSpot:
    """What a new comment is about: lines of one side, or, without lines, the whole."""

    side: Side = Side.AFTER
    lines: tuple[int, int] | None = None

    @property
    def words(self) -> str:
        return _lines(self.side, *self.lines) if self.lines else ""


class CommentArea(QWidget):
    """Shows comments and a field for new ones. Stores nothing: changes are emitted as signals."""

    added = Signal(object, str)
    """A `CommentSpot` and the text."""
    edited = Signal(str, str)
    removed = Signal(str)
    opened = Signal()
    """Writing begins."""
    left = Signal()
    """Writing has ended; the focus can go elsewhere."""

    def __init__(self, theme: Theme, whole: str = "") -> None:
        super().__init__()
        self._theme = theme
        self._whole = whole or tr("Comment on the whole operation")
        self._shown: tuple[Comment, ...] = ()
        self._spot: CommentSpot | None = None
        self._editing: CommentId | None = None
        self.setObjectName("comment-area")
        self._cards = QVBoxLayout()
        Spacing(theme, self._cards, between=6)
        self.writing = QWidget()
        """The editor and its buttons; can be shown elsewhere while a comment is written."""
        self.writing.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.line: tuple[bool, int] | None = None
        """Old side or not, and the last line of what is being written about; None for the whole."""
        self.is_writing = False
        self._about = plain_label("", "muted")
        self.editor = PlainTextEdit()
        self.editor.setObjectName("comment-editor")
        self.editor.setAccessibleName(tr("Comment"))
        self.editor.setPlaceholderText(tr("What should be different here?"))
        self.editor.setTabChangesFocus(True)
        self.editor.sent.connect(self._send)
        self.editor.left.connect(self._close)
        self._add = QuietButton(theme, tr("Add comment"), "Ctrl+⏎")
        self._add.setObjectName("comment-add")
        self._add.set_compact()
        self._add.clicked.connect(self._send)
        self._cancel = QuietButton(theme, tr("Discard"), "Esc")
        self._cancel.setObjectName("comment-discard")
        self._cancel.set_compact()
        self._cancel.clicked.connect(self._close)
        self._remove = QuietButton(theme, tr("Remove comment"))
        self._remove.setObjectName("comment-remove")
        self._remove.set_compact()
        self._remove.clicked.connect(self._take_back)
        buttons = QHBoxLayout()
        Spacing(theme, buttons)
        buttons.addWidget(self._about, 1)
        buttons.addWidget(self._remove)
        buttons.addWidget(self._cancel)
        buttons.addWidget(self._add)
        writing = QVBoxLayout(self.writing)
        Spacing(theme, writing, between=6)
        writing.addWidget(self.editor)
        writing.addLayout(buttons)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, (14, 8, 14, 8), 8)
        layout.addLayout(self._cards)
        layout.addWidget(self.writing)
        self.writing.hide()
        theme.changed.connect(self._fit)
        self._fit()
        self.hide()

    def wanted_height(self, width: int) -> int:
        layout = self.layout()
        assert layout is not None
        return max(layout.minimumSize().height(), layout.totalHeightForWidth(width))

    def show_comments(self, comments: tuple[Comment, ...], *, editable: bool = True) -> None:
        """Show these comments; unfinished text stays."""
        if comments != self._shown:
            self._shown = comments
            while (item := self._cards.takeAt(0)) is not None:
                if (card := item.widget()) is not None:
                    card.hide()
                    card.deleteLater()
            for comment in comments:
                self._cards.addWidget(self._card(comment, editable))
        self.show_needed()

    def take_editor(self) -> None:
        """Show the editor below the comments."""
        if self.writing.parentWidget() is not self and (layout := self.layout()) is not None:
            layout.addWidget(self.writing)
            self.writing.setVisible(self.is_writing)
        self.show_needed()

    def show_needed(self) -> None:
        """Visible while it has something to show."""
        self.setVisible(bool(self._shown) or (self.is_writing and self.writing.parentWidget() is self))

    def begin(self, spot: CommentSpot) -> None:
        """Begin a comment; text already typed here is kept."""
        if not self.is_writing or self._editing is not None:
            self.editor.clear()
        self._editing = None
        self._spot = spot
        self.line = (spot.side is Side.BEFORE, spot.lines[1]) if spot.lines else None
        self._add.setText(tr("Add comment"))
        self._remove.hide()
        self._open(tr("Comment on {words}", words=spot.words) if spot.words else self._whole)

    def edit(self, comment: Comment) -> None:
        """Edit or delete a comment."""
        self._editing, self._spot = comment.id, None
        last = comment.place.last_line if not comment.outdated else None
        self.line = (comment.place.side is Side.BEFORE, last) if last is not None else None
        self.editor.setPlainText(comment.text)
        self._add.setText(tr("Save comment"))
        self._remove.show()
        self._open(_yours(comment))

    def write_again(self, spot: CommentSpot, words: str) -> None:
        """Restore the text of a comment that could not be stored."""
        self.begin(spot)
        self.editor.setPlainText(words)

    def keep_unfinished(self) -> None:
        """Close the field; text in it is stored as a draft."""
        if self.is_writing:
            self._send() if self.editor.toPlainText().strip() else self._close()

    def _open(self, about: str) -> None:
        self._about.setText(about)
        self.is_writing = True
        self.writing.show()
        self.opened.emit()  # may take the editor elsewhere, so that nothing has to make room here
        self.show_needed()
        self.updateGeometry()
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _send(self) -> None:
        words = self.editor.toPlainText().strip()
        if not words:
            announce(self, tr("A comment needs words."), urgent=True)
            return
        editing, spot = self._editing, self._spot
        self._close()
        if editing is not None:
            self.edited.emit(editing, words)
        elif spot is not None:
            self.added.emit(spot, words)

    def _take_back(self) -> None:
        comment = self._editing
        self._close()
        if comment is not None:
            self.removed.emit(comment)

    def _close(self) -> None:
        self._editing = self._spot = None
        self.editor.clear()
        self.is_writing = False
        self.writing.hide()
        self.take_editor()
        self.updateGeometry()
        self.left.emit()

    def _card(self, comment: Comment, editable: bool) -> QWidget:
        card = QFrame()
        card.setObjectName(f"comment-{comment.id}")
        card.setProperty("role", "comment")
        gone = tr("no longer in the plan") if comment.outdated else ""
        head = QHBoxLayout()
        Spacing(self._theme, head)
        who = plain_label(tr("You"), "heading")
        head.addWidget(who)
        head.addWidget(plain_label("  ".join(filter(None, (_at(comment.place), gone))), "muted"), 1)
        if editable:
            at = _at(comment.place)
            edit = tr("Edit the comment {where}", where=at) if at else tr("Edit the comment")
            remove = tr("Remove the comment {where}", where=at) if at else tr("Remove the comment")
            for name, words, spoken, act in (
                ("edit", tr("Edit"), edit, lambda: self.edit(comment)),
                ("remove", tr("Remove"), remove, lambda: self.removed.emit(comment.id)),
            ):
                link = LinkButton(self._theme, words)
                link.setObjectName(f"comment-{name}-{comment.id}")
                link.setAccessibleName(spoken)
                link.clicked.connect(act)
                head.addWidget(link)
        layout = QVBoxLayout(card)
        Spacing(self._theme, layout, (12, 6, 12, 8), 2)
        layout.addLayout(head)
        if comment.outdated and comment.place.quoted:
            layout.addWidget(plain_label(visible(comment.place.quoted.split("\n")[0]), "code-muted", wrap=True))
        text = plain_label("\n".join(map(visible, comment.said.split("\n"))), "", wrap=True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        layout.addWidget(text)
        card.setAccessibleName(f"{_yours(comment)}: {comment.said}")
        return card

    def _fit(self) -> None:
        self.editor.setFixedHeight(self._theme.px(_EDITOR_HEIGHT))


def _at(place: Place) -> str:
    if place.first_line is None:
        return ""
    return _lines(place.side, place.first_line, place.last_line or place.first_line)


def _yours(comment: Comment) -> str:
    where = _at(comment.place)
    if comment.by:
        return tr("A comment by {who}", who=visible_line(comment.by))
    return tr("Your comment {where}", where=where) if where else tr("Your comment")


def _lines(side: Side, first: int, last: int) -> str:
    if side is Side.BEFORE:
        lines = tr("lines {first} to {last} before", first=first, last=last)
        return tr("line {line} before", line=first) if first == last else lines
    return tr("line {line}", line=first) if first == last else tr("lines {first} to {last}", first=first, last=last)
