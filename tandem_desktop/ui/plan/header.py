"""The header of the plan panel: title, totals, tabs."""

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedLayout,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.diff.text import visible_line
from tandem_desktop.plans.index import PlanSummary
from tandem_desktop.review.operation_view import Totals
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.models.plans import RevisionsModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.checks import ChecksPart
from tandem_desktop.ui.plan.page_text import OPEN
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.plan.wording import short_digest
from tandem_desktop.ui.theme.style import paint_focus_ring
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, IconButton, QuietButton, press_by_enter
from tandem_desktop.ui.widgets.labels import Badge, ElidedLabel, announce, plain_tooltip
from tandem_desktop.ui.widgets.progress import ProgressLine

_COPIED_MS = 1600


class PlanTotals(QPushButton):
    """Painted text; a click copies the whole digest."""

    digest_clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pieces: list[tuple[str, str, bool]] = []
        self._digest = ""
        self.setObjectName("plan-totals")
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.digest_clicked)
        self._copied = QTimer(self, interval=_COPIED_MS, singleShot=True)
        self._copied.timeout.connect(self.update)
        theme.changed.connect(self.updateGeometry)

    def show_totals(self, totals: Totals, digest: str) -> None:
        self._digest = digest
        count = (tr_n("{n} operation", "{n} operations", totals.operations), "muted", True)
        pieces = [count] if totals.operations or digest else []
        if totals.files:
            files = tr_n("{n} file", "{n} files", totals.files)
            pieces.append((files, "muted", not totals.added and not totals.removed))
            if totals.added:
                pieces.append((f"+{totals.added:,}", "added_ink", not totals.removed))
            if totals.removed:
                pieces.append((f"−{totals.removed:,}", "removed_ink", True))
        if totals.commands:
            pieces.append((tr_n("{n} command", "{n} commands", totals.commands), "muted", True))
        if totals.external_calls:
            calls = tr_n("{n} external call", "{n} external calls", totals.external_calls)
            pieces.append((calls, "muted", True))
        self._pieces = pieces
        self.setEnabled(bool(digest))
        self.setCursor(Qt.CursorShape.PointingHandCursor if digest else Qt.CursorShape.ArrowCursor)
        copy = tr("Click to copy.")
        self.setToolTip(
            plain_tooltip(
                "\n".join((tr("The digest is what you approve: it covers everything that will run."), digest, copy))
            )
            if digest
            else ""
        )
        spoken = ", ".join(text for text, _, _ in pieces)
        copies = tr("{totals}. Copy the digest {digest}", totals=spoken, digest=short_digest(digest))
        self.setAccessibleName(copies if digest else spoken)
        self.update()

    def show_copied(self) -> None:
        self._copied.start()
        self.update()

    def words(self) -> str:
        """The painted text, for screen readers and tests."""
        return " · ".join((*(text for text, _, _ in self._pieces), *self._digest_words()))

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(320), self._theme.px(20))

    def minimumSizeHint(self) -> QSize:
        return QSize(self._theme.px(60), self._theme.px(20))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not press_by_enter(self, event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter, x = self._theme, QPainter(self), 0
        for text, token, ends in self._pieces:
            x = self._draw(painter, x, text, theme.ui_font(), token) + theme.px(14 if ends else 5)
        for text in self._digest_words():
            token = "ok" if self._copied.isActive() else "text" if self.underMouse() else "muted"
            self._draw(painter, x, text, theme.code_font(), token)
        if self.hasFocus():
            paint_focus_ring(painter, theme, self.rect().toRectF(), radius=4)
        painter.end()

    def _draw(self, painter: QPainter, x: int, text: str, font: QFont, token: str) -> int:
        painter.setFont(font)
        painter.setPen(self._theme.color(token))
        width = QFontMetrics(font).horizontalAdvance(text)
        if x + width <= self.width() or not x:
            flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
            painter.drawText(x, 0, width + 2, self.height(), flags, text)
        return x + width

    def _digest_words(self) -> tuple[str, ...]:
        if not self._digest:
            return ()
        return (tr("copied") if self._copied.isActive() else f"sha256 {short_digest(self._digest)}",)


_NARROW = 560
_SIDE = 18


class PlanHeader(QWidget):
    """Title, status, totals and revision menu of a page."""

    revision_chosen = Signal(int)
    compare_requested = Signal(int, int)
    compare_any_requested = Signal()
    """Open the comparison of any two revisions."""
    restore_requested = Signal(int)
    branch_requested = Signal(int)
    """Start an alternative from this revision."""
    plan_requested = Signal(str)
    """Show an alternative."""
    stop_requested = Signal()
    pause_requested = Signal()
    resume_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._digest = ""
        self._paused = False
        self.setObjectName("plan-header")
        self.revisions = RevisionsModel(self)
        self.title = ElidedLabel(theme, "", mode=Qt.TextElideMode.ElideRight, bold=True, points_delta=3)
        self.title.setObjectName("plan-title")
        self.badge = Badge(theme)
        self.badge.setObjectName("plan-state")
        self.revision = QuietButton(theme, "r1 ▾")
        self.revision.setObjectName("plan-revision")
        self.revision.clicked.connect(self._choose_revision)
        self.compare = QuietButton(theme, tr("Compare"))
        self.compare.setObjectName("plan-compare")
        self.compare.clicked.connect(self._compare)
        self.pause = QuietButton(theme, tr("Pause"), icon_name="pause")
        self.pause.setObjectName("plan-pause")
        self.pause.clicked.connect(self._pause)
        self.stop = Button(theme, tr("Stop after this operation"), icon_name="stop")
        self.stop.setObjectName("plan-stop")
        self.stop.clicked.connect(self._stop)
        first = QHBoxLayout()
        Spacing(theme, first, between=8)
        first.addWidget(self.title)
        first.addWidget(self.badge)
        first.addStretch(1)
        for button in (self.revision, self.compare, self.pause, self.stop):
            first.addWidget(button)
        self.totals = PlanTotals(theme)
        self.totals.digest_clicked.connect(self.copy_digest)
        self.viewed = ProgressLine(theme)
        self.viewed.setObjectName("plan-viewed")
        self.progress = ProgressLine(theme, token="accent", wide=True)
        self.progress.setObjectName("plan-progress")
        reviewing, running = QWidget(self), QWidget(self)
        row = QHBoxLayout(reviewing)
        Spacing(theme, row, between=12)
        row.addWidget(self.totals, 1)
        row.addWidget(self.viewed)
        row = QHBoxLayout(running)
        Spacing(theme, row, between=12)
        row.addWidget(self.progress, 1)
        self.running_digest = ElidedLabel(theme, "", token="muted", code=True)
        row.addWidget(self.running_digest)
        self._second = QStackedLayout()
        self._second.addWidget(reviewing)
        self._second.addWidget(running)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, (_SIDE, 14, _SIDE, 4), 6)
        layout.addLayout(first)
        layout.addLayout(self._second)
        self.checks = ChecksPart(theme)
        layout.addWidget(self.checks)
        self.show_running(False)

    def show_page(self, page: PlanPage) -> None:
        version, meta = page.version, page.meta
        self.title.setText(visible_line(version.title))
        status = meta.status
        self.badge.set_state(wording.STATUSES[status], wording.STATUS_TONES[status])
        self.revisions.show(meta.revision, version.revision)
        self.revision.setText(f"r{version.revision} ▾")
        self.revision.setAccessibleName(
            tr("Revision {revision} of {latest}", revision=version.revision, latest=meta.revision)
        )
        self._may_restore = status in OPEN
        before = version.parent_revision or version.revision - 1
        self._before = before
        self._arrange()
        self.compare.setText(tr("Compare with r{before}", before=before))
        self._digest = page.draft.digest if page.draft is not None else page.digest
        self.totals.show_totals(page.sums_left, self._digest)
        self.running_digest.setText(wording.short_digest(page.digest))
        self.running_digest.setToolTip(plain_tooltip(page.digest))

    def show_alternatives(self, plans: tuple[PlanSummary, ...]) -> None:
        """Set the alternative plans that the menu of revisions offers."""
        self._alternatives = plans

    def show_draft(self, title: str, totals: Totals) -> None:
        """While the agent drafts there is no revision and no digest yet."""
        self.title.setText(visible_line(title))
        self.badge.set_state(tr("Drafting"), "info")
        self._digest = ""
        self.totals.show_totals(totals, "")
        self.revision.hide()
        self.compare.hide()

    def show_viewed(self, viewed: int, total: int) -> None:
        self.viewed.setVisible(total > 0)
        self.viewed.set_progress(
            viewed, total, tr("{viewed} of {total} viewed", viewed=f"{viewed:,}", total=f"{total:,}")
        )

    def show_running(self, running: bool) -> None:
        self._is_running = running
        self.checks.hold_back(running)
        self._second.setCurrentIndex(1 if running else 0)
        for button in (self.pause, self.stop):
            button.setVisible(running)
        self.revision.setVisible(not running)
        self._arrange()
        if running:
            self.stop.setEnabled(True)
            self.show_paused(False)

    def show_progress(self, done: int, total: int) -> None:
        self._reached = done, total
        at, of = f"{min(done + 1, total):,}", f"{total:,}"
        going_on = tr("Operation {at} of {total}", at=at, total=of)
        paused = tr("Paused at operation {at} of {total}", at=at, total=of)
        self.progress.set_progress(done, total, paused if self._paused else going_on)

    def show_paused(self, paused: bool) -> None:
        self._paused = paused
        self.pause.set_icon_name("play" if paused else "pause")
        self.show_progress(*self._reached)
        self._arrange()
        if self._is_running:
            self.badge.set_state(tr("Paused") if paused else tr("Executing"), "info" if paused else "ok")

    def copy_digest(self) -> None:
        if self._digest:
            QApplication.clipboard().setText(self._digest)
            self.totals.show_copied()
            announce(self, tr("The digest was copied"))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    _before = 0
    _reached = (0, 0)
    _may_restore = False
    _alternatives: tuple[PlanSummary, ...] = ()
    _is_running = False

    def _arrange(self) -> None:
        """The title has priority. In a narrow header hide what is available elsewhere, then labels with an icon."""
        narrow = self.width() < self._theme.px(_NARROW)
        self.compare.setVisible(self._before >= 1 and not self._is_running and not narrow)
        self.viewed.line.setVisible(not narrow)
        self.running_digest.setVisible(not narrow)
        if self._is_running:
            self._arrange_running()
        else:
            self.badge.show()

    def _arrange_running(self) -> None:
        is_stopping = not self.stop.isEnabled()
        long = tr("Stopping after this operation…") if is_stopping else tr("Stop after this operation")
        short = tr("Stopping…") if is_stopping else tr("Stop")
        pause = tr("Go on") if self._paused else tr("Pause")
        for words, beside, badge in ((long, pause, True), (short, pause, True), (short, "", True), (short, "", False)):
            self.stop.setText(words)
            self.pause.setText(beside)
            self.badge.setVisible(badge)  # the line below shows the same
            if self._needed() <= self.width():
                break
        for button, said in ((self.stop, long), (self.pause, pause)):
            button.setAccessibleName(said)
            button.setToolTip(plain_tooltip(said) if said != button.text() else "")

    def _needed(self) -> int:
        """The width at which the whole title fits during a run."""
        every = [each for each in (self.title, self.badge, self.pause, self.stop) if not each.isHidden()]
        return sum(each.sizeHint().width() for each in every) + self._theme.px(2 * _SIDE + 8 * (len(every) + 1))

    def _choose_revision(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("plan-revision-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for row in range(self.revisions.rowCount()):
            index = self.revisions.index(row)
            number = index.data(RevisionsModel.NumberRole)
            action = menu.addAction(index.data())
            action.setCheckable(True)
            action.setChecked(number == self.revisions.current)
            action.triggered.connect(lambda _checked=False, number=number: self.revision_chosen.emit(number))
        if self._before >= 1:
            menu.addSeparator()
            menu.addAction(tr("Compare with r{before}", before=self._before)).triggered.connect(self._compare)
        if self.revisions.latest > 1 or self._alternatives:
            menu.addAction(tr("Compare any two…")).triggered.connect(
                lambda _checked=False: self.compare_any_requested.emit()
            )
        if self.revisions.latest > 1 and self._may_restore:
            older = menu.addMenu(tr("Go back to"))
            for number in range(self.revisions.latest - 1, 0, -1):
                older.addAction(tr("r{number}, as a new revision", number=number)).triggered.connect(
                    lambda _checked=False, number=number: self.restore_requested.emit(number)
                )
        menu.addSeparator()
        branch = menu.addAction(tr("Duplicate as alternative"))
        branch.triggered.connect(lambda _checked=False: self.branch_requested.emit(self.revisions.current))
        for plan in self._alternatives:
            words = tr(
                "Open the alternative {plan_id} · {status}",
                plan_id=plan.plan_id,
                status=wording.STATUSES[plan.status],
            )
            menu.addAction(words).triggered.connect(
                lambda _checked=False, plan_id=plan.plan_id: self.plan_requested.emit(plan_id)
            )
        menu.popup(self.revision.mapToGlobal(self.revision.rect().bottomLeft()))

    def _compare(self) -> None:
        self.compare_requested.emit(self._before, self.revisions.current)

    def _pause(self) -> None:
        (self.resume_requested if self._paused else self.pause_requested).emit()

    def _stop(self) -> None:
        self.stop.setEnabled(False)
        self._arrange()
        self.stop_requested.emit()


_GIVEN = 10
"""How much the gap after each tab can shrink."""
ORDER = ("operations", "tasks", "graph", "plan-text", "perspectives", "runs")


class PlanTabs(QWidget):
    """Tab labels in the order of `ORDER`, the open one underlined."""

    changed = Signal(str)
    filter_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._keys: list[str] = []
        self._words: dict[str, str] = {}
        self.bar = _TabBar()
        self.bar.setObjectName("plan-tabs")
        self.bar.setAccessibleName(tr("Parts of the plan"))
        self.bar.setDrawBase(False)
        self.bar.setExpanding(False)
        self.stack = QStackedWidget()
        self.filter = IconButton(theme, "search", tr("Filter operations"), key="Ctrl+F")
        self.filter.clicked.connect(self.filter_requested)
        row = QHBoxLayout()
        Spacing(theme, row, (18, 0, 12, 0), 8)
        row.addWidget(self.bar, 1)  # takes all width before it scrolls
        row.addWidget(self.filter)
        line = QFrame()
        line.setProperty("role", "separator")
        line.setFixedHeight(1)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=0)
        layout.addLayout(row)
        layout.addWidget(line)
        layout.addWidget(self.stack, 1)
        self.bar.currentChanged.connect(self._show)

    def add(self, key: str, words: str, widget: QWidget) -> None:
        place = sum(ORDER.index(each) < ORDER.index(key) for each in self._keys)
        self._keys.insert(place, key)
        self._words[key] = words
        self.stack.insertWidget(place, widget)
        self.bar.insertTab(place, words)
        self._show(self.bar.currentIndex())

    def offer(self, key: str, has_content: bool) -> None:
        """Show the tab of a part only while there is something in it."""
        at = self._keys.index(key)
        if self.bar.isTabVisible(at) != has_content:
            if not has_content and self.current == key:
                self.show_tab("operations")
            self.bar.setTabVisible(at, has_content)
            self._make_room()

    def has(self, key: str) -> bool:
        """Whether the tab is shown."""
        return self.bar.isTabVisible(self._keys.index(key))

    def count(self, key: str, number: int) -> None:
        """Show a count such as `Tasks 3`; zero shows none."""
        words = self._words[key]
        self.bar.setTabText(self._keys.index(key), f"{words} {number:,}" if number else words)
        self._make_room()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def show_tab(self, key: str) -> None:
        if key in self._keys and self.bar.isTabVisible(self._keys.index(key)):
            self.bar.setCurrentIndex(self._keys.index(key))

    @property
    def current(self) -> str:
        return self._keys[self.bar.currentIndex()]

    def _make_room(self) -> None:
        """Reduce the gaps before the tabs have to scroll."""
        is_dense = self.bar.property("dense") is True
        shown = sum(map(self.bar.isTabVisible, range(len(self._keys))))
        given = self._theme.px(_GIVEN) * shown if is_dense else 0
        dense = self.bar.sizeHint().width() + given > self.bar.width()
        if dense != is_dense:
            self.bar.setProperty("dense", dense)
            self.bar.style().polish(self.bar)
            self.bar.updateGeometry()

    def _show(self, index: int) -> None:
        if 0 <= index < len(self._keys):
            self.stack.setCurrentIndex(index)
            self.filter.setVisible(self._keys[index] == "operations")
            self.changed.emit(self._keys[index])


class _TabBar(QTabBar):
    """Arrows go from tab to tab; Home and End to the first and the last."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shown = [at for at in range(self.count()) if self.isTabVisible(at)]
        if event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End) and shown:
            self.setCurrentIndex(shown[0 if event.key() == Qt.Key.Key_Home else -1])
        else:
            super().keyPressEvent(event)
