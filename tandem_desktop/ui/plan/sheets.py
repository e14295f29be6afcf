"""The base sheet and the confirm, rework and interrupted sheets."""

from collections.abc import Callable, Sequence
from datetime import datetime

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from tandem_desktop.diff.text import visible, visible_in_a_line, visible_line
from tandem_desktop.domain.ids import RunId
from tandem_desktop.domain.review import Comment
from tandem_desktop.execution.recovery import InterruptedRun
from tandem_desktop.review.comments import briefly
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, ButtonRow, DangerButton, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.decision_guard import DecisionGuard
from tandem_desktop.ui.widgets.inputs import PlainTextEdit
from tandem_desktop.ui.widgets.labels import announce, plain_label

_WIDTH, _MARGIN = 620, 24


class Sheet(QWidget):
    """Covers the window of `host` while open. Enter triggers no decision."""

    left = Signal()
    """Closed without a decision."""

    def __init__(self, host: QWidget, theme: Theme, name: str, words: str, wide: int = _WIDTH) -> None:
        super().__init__(host.window())
        self._host, self._theme, self._wide = host, theme, wide
        self._before: QWidget | None = None
        host.destroyed.connect(self.deleteLater)
        self.guard = DecisionGuard(self)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.hide()
        self.card = QFrame(self)
        self.card.setObjectName(f"{name}-card")
        self.card.setProperty("role", "card")
        self.body = QVBoxLayout(self.card)
        self.body.setContentsMargins(*(theme.px(24),) * 4)
        self.body.setSpacing(theme.px(12))
        self.title = plain_label(words, "title", wrap=True)
        self.body.addWidget(self.title)

    def open(self, focus: QWidget) -> None:
        """Appear over the window; `focus` is never a button that decides."""
        self.enter_window()
        window = self._host.window()
        if self.isHidden():
            self._before = QApplication.focusWidget()
            window.installEventFilter(self)
        self.setGeometry(window.rect())
        self.show()
        self.raise_()
        self.fit()
        focus.setFocus(Qt.FocusReason.OtherFocusReason)
        self.guard.hold()
        announce(self, self.title.text(), urgent=True)

    def enter_window(self) -> None:
        """Become part of the window that the host is in by now."""
        window = self._host.window()
        if self.parentWidget() is not window:
            self.setParent(window)

    def shut(self) -> None:
        if self.isHidden():
            return
        self._host.window().removeEventFilter(self)
        self.hide()
        # The widget that opened the sheet, such as a link in a banner, may be gone.
        if self._before is not None and isValid(self._before) and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.PopupFocusReason)  # back to where the person had put it

    def leave(self) -> None:
        self.shut()
        self.left.emit()

    def fit(self) -> None:
        """As wide as asked and as high as its content, within the window."""
        width, height = self._wanted_size()
        height = min(height, self.height() - 2 * self._theme.px(_MARGIN))
        self.card.setGeometry((self.width() - width) // 2, (self.height() - height) // 2, width, height)

    def room_left(self) -> int:
        """How much higher the content could be within the window."""
        return self.height() - 2 * self._theme.px(_MARGIN) - self._wanted_size()[1]

    def _wanted_size(self) -> tuple[int, int]:
        width = min(self._theme.px(self._wide), self.width() - 2 * self._theme.px(_MARGIN))
        layout = self.card.layout()
        assert layout is not None
        layout.activate()
        if layout.hasHeightForWidth():
            return width, max(layout.totalHeightForWidth(width), layout.totalMinimumHeightForWidth(width))
        return width, max(layout.sizeHint().height(), layout.minimumSize().height())

    def add_buttons(self, *buttons: QWidget, note: QWidget | None = None) -> None:
        self.body.addWidget(ButtonRow(self._theme, buttons, note))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize and isinstance(watched, QWidget):
            self.setGeometry(watched.rect())
            self.fit()
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # No key may reach the window below.
        event.accept()
        if event.key() == Qt.Key.Key_Escape:
            self.leave()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab stays within the sheet."""
        stops = [
            each
            for each in self.card.findChildren(QWidget)
            if each.isVisible()
            and each.isEnabled()
            and each.focusPolicy() & Qt.FocusPolicy.TabFocus
            # The line edit of a spin box would return the focus to its box.
            and each.focusProxy() is None
        ]
        if not stops:
            return True
        # In reading order, not creation order.
        stops.sort(key=lambda each: _reading_order(each, self))
        focused = QApplication.focusWidget()
        at = stops.index(focused) if focused in stops else -1 if forward else 0
        stops[(at + (1 if forward else -1)) % len(stops)].setFocus(
            Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
        )
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shade = QColor(0, 0, 0, 150 if self._theme.is_dark else 90)
        painter.fillRect(event.rect(), shade)
        painter.end()


def _reading_order(widget: QWidget, sheet: QWidget) -> tuple[int, ...]:
    """Sort key: top to bottom, then left to right.

    A widget in a scroll area sorts at the position of the area, then by its position in the scrolled page, so that
    scrolling does not change the order.
    """
    page: QWidget | None = widget.parentWidget()
    while page is not None and page is not sheet:
        area = page.parentWidget()
        around = area.parentWidget() if area is not None else None
        if isinstance(around, QScrollArea) and around.widget() is page:
            outer, inner = around.mapTo(sheet, QPoint()), widget.mapTo(page, QPoint())
            return outer.y(), outer.x(), 1, inner.y(), inner.x()
        page = area
    place = widget.mapTo(sheet, QPoint())
    return place.y(), place.x(), 0, 0, 0


class ConfirmSheet(Sheet):
    """Says what will happen; the cancel button has the focus."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "confirm-sheet", tr("Are you sure?"), wide=460)
        self._confirmed: Callable[[], None] = lambda: None
        self.said = plain_label("", "muted", wrap=True)
        self.body.addWidget(self.said)
        self.back = QuietButton(theme, tr("Keep the plan"))
        self.back.setObjectName("confirm-back")
        self.back.clicked.connect(self.leave)
        self.sure = DangerButton(theme, tr("Yes"))
        self.sure.setObjectName("confirm-sure")
        self.sure.clicked.connect(self._confirm)
        self.add_buttons(self.back, self.sure)

    def ask(self, title: str, words: str, sure: str, confirmed: Callable[[], None]) -> None:
        self.title.setText(title)
        self.said.setText(words)
        self.sure.setText(sure)
        self._confirmed = confirmed
        self.open(self.back)
        self.guard.decides(self.sure, True)

    def _confirm(self) -> None:
        self.shut()
        self._confirmed()


_REFUSAL = later("Say what should be different; an empty request tells the agent nothing.")


class ReworkSheet(Sheet):
    """Takes feedback; refuses to send without any."""

    confirmed = Signal(str, str)
    """Plan id and the feedback."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "rework-sheet", tr("Request changes"))
        self._plan_id = ""
        self._comments = 0
        self._given_back = ""
        self.said = plain_label("", "muted", wrap=True)
        self.drafts = plain_label("", "muted", wrap=True)
        self.feedback = PlainTextEdit()
        self.feedback.setObjectName("rework-feedback")
        self.feedback.setAccessibleName(tr("What should be different"))
        self.feedback.setPlaceholderText(tr("What should be different?"))
        self.feedback.setTabChangesFocus(True)
        self.feedback.setMinimumHeight(theme.px(120))
        self.feedback.sent.connect(self._send)
        self.feedback.left.connect(self.leave)
        self.feedback.textChanged.connect(self._forget_refusal)
        self.refusal = plain_label("", "risk", wrap=True)
        self.refusal.setObjectName("rework-refusal")
        self.refusal.hide()
        for widget in (self.said, self.drafts, self.feedback, self.refusal):
            self.body.addWidget(widget)
        self.back = QuietButton(theme, tr("Back to review"))
        self.back.setObjectName("rework-back")
        self.back.clicked.connect(self.leave)
        self.send = PrimaryButton(theme, tr("Send to the agent"), "Ctrl+⏎")
        self.send.setObjectName("rework-send")
        self.send.clicked.connect(self._send)
        self.add_buttons(self.back, self.send)

    def ask(self, page: PlanPage, comments: Sequence[Comment] = ()) -> None:
        """Open for this plan; the person's comments go along."""
        self._plan_id = page.version.plan_id
        self._comments = len(comments)
        self.title.setText(tr("Request changes to revision {revision}", revision=page.version.revision))
        self.said.setText(tr("Your words go to the agent. It keeps its work and answers with a new revision."))
        lines = [tr_n("{n} comment will be sent along:", "{n} comments will be sent along:", len(comments))]
        lines += [f"· {visible_in_a_line(briefly(each.place))}: {_first_line(each.text)}" for each in comments[:8]]
        lines += [tr("… and {n} more", n=len(comments) - 8)] if len(comments) > 8 else []
        self.drafts.setText("\n".join(lines))
        self.drafts.setVisible(bool(comments))
        self.open(self.feedback)
        self.guard.decides(self.send)

    def give_back(self, words: str) -> None:
        """Put unsent feedback back into the field, unless the person typed something else there."""
        if self.feedback.toPlainText().strip() in ("", self._given_back):
            self.feedback.setPlainText(words)
        self._given_back = words.strip()

    def _send(self) -> None:
        if not self.guard.is_ready:
            return
        words = self.feedback.toPlainText().strip()
        if not words and not self._comments:
            self.refusal.setText(tr_marked(_REFUSAL))
            self.refusal.show()
            self.fit()
            self.feedback.setFocus()
            announce(self, tr_marked(_REFUSAL), urgent=True)
            return
        self.shut()
        self.feedback.clear()
        self.confirmed.emit(self._plan_id, words)

    def _forget_refusal(self) -> None:
        self.refusal.hide()


def _first_line(text: str) -> str:
    first, _, more = text.partition("\n")
    return visible(first) + (" …" if more else "")


_WAYS = (
    ("resume", later("Resume"), later("Go on from where it stopped, with exactly what was approved.")),
    ("rollback", later("Roll back"), later("Put every file back as it was before the run.")),
    ("cancel", later("Cancel plan"), later("End the plan. The policy on failure of its run decides about the files.")),
    ("mark-failed", later("Mark failed"), later("Leave the files as they are now and close the run.")),
)


class InterruptedSheet(Sheet):
    """Resume, roll back, cancel or mark failed. Escape postpones it; no other run can start until then."""

    chosen = Signal(str, str)
    """Run id and `resume`, `resume-again`, `rollback`, `cancel` or `mark-failed`."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "interrupted-sheet", tr("A run was interrupted"))
        self._run_id = RunId("")
        self._run: InterruptedRun | None = None
        self.said = plain_label("", "muted", wrap=True)
        self.warning = plain_label("", "risk", wrap=True)
        self.body.addWidget(self.said)
        self.body.addWidget(self.warning)
        self.again = QCheckBox(tr("Run that command a second time"))
        self.again.setObjectName("interrupted-again")
        self.again.setAccessibleName(self.again.text())
        self.again.toggled.connect(self._may_resume)
        self.body.addWidget(self.again)
        self.buttons: dict[str, Button] = {}
        for way, words, meaning in _WAYS:
            self.body.addWidget(self._way(way, tr_marked(words), tr_marked(meaning)))
        self.later = QuietButton(theme, tr("Decide later"))
        self.later.setObjectName("interrupted-later")
        self.later.clicked.connect(self.leave)
        self.add_buttons(self.later)

    def ask(self, run: InterruptedRun, plan_title: str, now: datetime) -> None:
        self._run_id = run.run_id
        named, unnamed = tr("“{plan}” was interrupted", plan=visible_line(plan_title)), tr("A run was interrupted")
        self.title.setText(named if plan_title else unnamed)
        self.said.setText(
            tr(
                "Steps {done} of {total} are done, started {since}. Nothing else can run until this is settled.",
                done=f"{run.done:,}",
                total=f"{run.total:,}",
                since=wording.since(run.started_at, now),
            )
        )
        warning = ""
        if run.damage is not None:
            warning = tr(
                "Its journal cannot be read, so it can only be marked as failed. {damage}",
                damage=visible(str(run.damage)),
            )
        elif run.command is not None:
            warning = tr(
                "It was cut off while “{command}” ran. Resuming runs that command a second time, "
                "whatever it did until then.",
                command=visible_in_a_line(run.command_text),
            )
        self.warning.setText(warning)
        self.warning.setVisible(bool(warning))
        self._run = run
        self.again.setChecked(False)
        self.again.setVisible(run.damage is None and run.command is not None)
        self.open(self.later)
        self._may_resume()
        self.guard.decides(self.buttons["rollback"], run.damage is None)
        self.guard.decides(self.buttons["cancel"], run.damage is None)
        self.guard.decides(self.buttons["mark-failed"], True)

    def _way(self, way: str, words: str, meaning: str) -> QWidget:
        theme = self._theme
        frame = QFrame()
        frame.setProperty("role", "card-raised")
        button = self.buttons[way] = Button(theme, words)
        button.setObjectName(f"interrupted-{way}")
        button.setMinimumWidth(theme.px(104))
        button.clicked.connect(lambda: self._choose(way))
        text = QVBoxLayout()
        text.addWidget(plain_label(meaning, wrap=True))
        layout = QHBoxLayout(frame)
        layout.setContentsMargins(theme.px(12), theme.px(10), theme.px(12), theme.px(10))
        layout.setSpacing(theme.px(12))
        layout.addLayout(text, 1)
        layout.addWidget(button)
        return frame

    def _may_resume(self) -> None:
        """A command runs a second time only if the box is ticked."""
        run = self._run
        may = run is not None and run.damage is None and (run.command is None or self.again.isChecked())
        self.guard.decides(self.buttons["resume"], may)

    def _choose(self, way: str) -> None:
        self.shut()
        self.chosen.emit(self._run_id, "resume-again" if way == "resume" and self.again.isChecked() else way)


class Spacing(QObject):
    """Margins and spacing of a layout, updated when the theme changes."""

    def __init__(
        self, theme: Theme, layout: QLayout, margins: tuple[int, int, int, int] = (0, 0, 0, 0), between: int = 8
    ) -> None:
        super().__init__(layout)
        self._theme, self._layout, self._margins, self._between = theme, layout, margins, between
        theme.changed.connect(self.apply)
        self.apply()

    def apply(self) -> None:
        self._layout.setContentsMargins(*(self._theme.px(each) for each in self._margins))
        between = self._theme.px(self._between)
        if isinstance(self._layout, QGridLayout):
            self._layout.setHorizontalSpacing(between)
            self._layout.setVerticalSpacing(between)
        else:
            self._layout.setSpacing(between)
