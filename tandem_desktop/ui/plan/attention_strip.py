"""What a reviewer must not miss, pinned above the list however far it is scrolled: flagged operations, each a jump."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QWidget

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.flow_row import FlowRow
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.chip import Chip
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.widgets.plain_text import plain_label, plain_tooltip
from tandem_desktop.ui.words import tr

CHIPS = 12


class AttentionStrip(QFrame):
    """Names as many as there is room for; the rest is in a menu, so none is out of reach."""

    jump_requested = Signal(object)
    """An operation id."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._flagged: tuple[OperationView, ...] = ()
        self.setObjectName("attention-strip")
        self.setProperty("role", "banner-risk")
        self.words = plain_label("", "risk")
        self.words.setObjectName("attention-words")
        self.chips = FlowRow(theme)
        self.more = LinkButton(theme, tr("All"), "risk")
        self.more.setObjectName("attention-all")
        self.more.clicked.connect(self._show_all)
        row = QHBoxLayout(self)
        Spacing(theme, row, (12, 6, 8, 6), 8)
        row.addWidget(self.words)
        row.addWidget(self.chips, 1)
        row.addWidget(self.more)
        self.hide()

    def show_views(self, views: tuple[OperationView, ...]) -> None:
        flagged = tuple(view for view in views if view.flags)
        self.setVisible(bool(flagged))
        if flagged == self._flagged:
            return
        self._flagged = flagged
        words = tr("Needs attention ({count})", count=f"{len(flagged):,}")
        self.words.setText(words)
        self.words.setFont(self._theme.ui_font(bold=True))
        self.setAccessibleName(words)
        self.chips.set_widgets([self._chip(view) for view in flagged[:CHIPS]])
        self.more.setVisible(len(flagged) > 1)

    def _chip(self, view: OperationView) -> Chip:
        operation = view.operation
        folder, name = wording.subject(operation)
        chip = Chip(self._theme, name, "command" if operation.is_run else "warning", code=True)
        flags = ", ".join(wording.flag_sentence(flag, operation) for flag in view.flags)
        chip.setObjectName(f"attention-{operation.id}")
        chip.setAccessibleName(f"{flags}: {wording.title(operation)}")
        chip.setToolTip(plain_tooltip(f"{folder}{name}\n{flags}"))
        chip.clicked.connect(lambda: self.jump_requested.emit(operation.id))
        return chip

    def _show_all(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("attention-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for view in self._flagged[:200]:
            flags = ", ".join(wording.FLAGS.get(flag, flag.value).lower() for flag in view.flags)
            words = f"{wording.title(view.operation)[:80]}  ({flags})".replace("&", "&&")
            self._add(menu, words, view.operation.id)
        if len(self._flagged) > 200:
            left = f"{len(self._flagged) - 200:,}"
            menu.addAction(tr("… and {n} more: filter by Flagged", n=left)).setEnabled(False)
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _add(self, menu: QMenu, words: str, operation_id: OperationId) -> None:
        menu.addAction(words).triggered.connect(lambda: self.jump_requested.emit(operation_id))
