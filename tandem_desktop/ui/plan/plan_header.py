"""The head of the panel: which plan, where it stands, what it comes to, how far the person or the run has got."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMenu, QStackedLayout, QVBoxLayout, QWidget

from tandem_desktop.orchestration.plan_pages import PlanPage
from tandem_desktop.plans.plan_index import PlanSummary
from tandem_desktop.review.totals import Totals
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.models.revisions_model import RevisionsModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.plan_page_facts import OPEN
from tandem_desktop.ui.plan.plan_totals import PlanTotals
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.badge import Badge
from tandem_desktop.ui.widgets.button import Button, QuietButton
from tandem_desktop.ui.widgets.elided_label import ElidedLabel
from tandem_desktop.ui.widgets.plain_text import plain_tooltip
from tandem_desktop.ui.widgets.progress_line import ProgressLine
from tandem_desktop.ui.words import tr

_NARROW = 560
_SIDE = 18


class PlanHeader(QWidget):
    """Shows a page; asks for another revision, a comparison, a stop."""

    revision_chosen = Signal(int)
    compare_requested = Signal(int, int)
    compare_any_requested = Signal()
    """Any two revisions are to be compared."""
    restore_requested = Signal(int)
    branch_requested = Signal(int)
    """An alternative is to begin with this revision."""
    plan_requested = Signal(str)
    """An alternative is to be shown."""
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
        reviewing, running = QWidget(), QWidget()
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
        self.show_running(False)

    def show_page(self, page: PlanPage) -> None:
        version, meta = page.version, page.meta
        self.title.setText(visible(version.title))
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
        """For the menu of revisions."""
        self._alternatives = plans

    def show_draft(self, title: str, totals: Totals) -> None:
        """While the agent drafts there is no revision and no digest yet."""
        self.title.setText(visible(title))
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
        """The title comes first. Where it is narrow, what can be had elsewhere goes, then words that a sign says."""
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
            self.badge.setVisible(badge)  # the line below says the same
            if self._needed() <= self.width():
                break
        for button, said in ((self.stop, long), (self.pause, pause)):
            button.setAccessibleName(said)
            button.setToolTip(plain_tooltip(said) if said != button.text() else "")

    def _needed(self) -> int:
        """The width at which the whole title has room beside what stands next to it during a run."""
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
        branch = menu.addAction(tr("Branch from here, as an alternative"))
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
