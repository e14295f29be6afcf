"""The operations tab with filter, attention strip and result line."""

from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from tandem_desktop.diff.text import visible, visible_line
from tandem_desktop.domain.ids import OperationId, RunId
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import ResultStatus
from tandem_desktop.review.attention import AttentionGroup, attention
from tandem_desktop.review.operation_view import OperationView
from tandem_desktop.services.pages import PlanFocus, PlanPage
from tandem_desktop.services.runs import ListedRun
from tandem_desktop.storage.paths import Locations
from tandem_desktop.ui.i18n import counted_lines, later, tr, tr_marked, tr_n
from tandem_desktop.ui.models.operation_filter import Listing
from tandem_desktop.ui.models.operations import OperationRow, StagedOperationsModel
from tandem_desktop.ui.plan import wording
from tandem_desktop.ui.plan.filters import OperationFilters
from tandem_desktop.ui.plan.folder_tree import FolderTree
from tandem_desktop.ui.plan.operation_content import OperationContent
from tandem_desktop.ui.plan.operation_list import OperationList
from tandem_desktop.ui.plan.page_text import BannerText
from tandem_desktop.ui.plan.rehearsal import RehearsalLine
from tandem_desktop.ui.plan.shadow_rows import IgnoredRow, RanRow
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner, BannerStack, EmptyState
from tandem_desktop.ui.widgets.buttons import LinkButton
from tandem_desktop.ui.widgets.chips import Chip, FlowRow
from tandem_desktop.ui.widgets.labels import plain_label, plain_tooltip
from tandem_desktop.ui.widgets.rating_stars import RatingStars

CHIPS = 12
_NAMED = 12


class AttentionStrip(QFrame):
    """Shows as many as fit; the rest is in a menu."""

    jump_requested = Signal(object)
    """An operation id."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._flagged: tuple[OperationView, ...] = ()
        """The gravest first."""
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
        theme.changed.connect(self._set_fonts)
        self._set_fonts()
        self.hide()

    def _set_fonts(self) -> None:
        self.words.setFont(self._theme.ui_font(bold=True))

    def show_views(self, views: tuple[OperationView, ...]) -> None:
        groups = attention(views)
        flagged = tuple(view for group in groups for view in group.views)
        self.setVisible(bool(flagged))
        if flagged == self._flagged:
            return
        self._flagged = flagged
        words = tr("Needs attention ({count})", count=f"{len(flagged):,}")
        self.words.setText(words)
        self.setAccessibleName(words)
        self.chips.set_widgets([self._chip(group) for group in groups[:CHIPS]])
        self.more.setVisible(len(flagged) > 1)

    def _chip(self, group: AttentionGroup) -> Chip:
        operation = group.views[0].operation
        more = f" +{len(group.views) - 1:,}" if len(group.views) > 1 else ""
        name = wording.subject(operation)[1] + more
        chip = Chip(self._theme, name, "command" if operation.is_run else "warning", code=True)
        title = wording.group_title(group)
        named = [wording.title(view.operation) for view in group.views[:_NAMED]]
        chip.setObjectName(f"attention-{operation.id}")
        chip.setAccessibleName(f"{title}: {', '.join(named)}")
        reason = wording.flag_reason(group.views[0], group.flags[0])
        chip.setToolTip(
            plain_tooltip("\n".join((title, reason, *named, *(["…"] if len(group.views) > _NAMED else []))))
        )
        chip.clicked.connect(lambda: self.jump_requested.emit(operation.id))
        return chip

    def _show_all(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("attention-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for view in self._flagged[:200]:
            flags = ", ".join(wording.flag_title(view, flag).lower() for flag in view.flags)
            words = f"{wording.title(view.operation)[:80]}  ({flags})".replace("&", "&&")
            self._add(menu, words, view.operation.id)
        if len(self._flagged) > 200:
            left = f"{len(self._flagged) - 200:,}"
            menu.addAction(tr("… and {n} more: filter by Flagged", n=left)).setEnabled(False)
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    def _add(self, menu: QMenu, words: str, operation_id: OperationId) -> None:
        menu.addAction(words).triggered.connect(lambda: self.jump_requested.emit(operation_id))


class Emptiness(StrEnum):
    """Why the list is empty."""

    NO_PLAN = "no-plan"
    IMMEDIATE = "immediate"
    DRAFTING = "drafting"
    NOTHING_LEFT = "nothing-left"
    NOTHING_FOUND = "nothing-found"
    LOADING = "loading"
    READ_ONLY = "read-only"
    NO_FILES = "no-files"

    @classmethod
    def of(cls, workspace: Locations, *, plan_mode: bool = True) -> "Emptiness":
        """Why a workspace that was just opened has no plan."""
        if workspace.is_read_only:
            return cls.READ_ONLY
        if not plan_mode:
            return cls.IMMEDIATE
        return cls.NO_FILES if workspace.is_empty else cls.NO_PLAN


_WORDS = {
    Emptiness.NO_PLAN: (
        "plan",
        later("No plan yet"),
        later("What the agent would change appears here, for you to read and approve."),
        "",
    ),
    Emptiness.IMMEDIATE: (
        "plan",
        later("Plan mode is off"),
        later(
            "The agent asks in the conversation before each change. What you allow is written at once; "
            "what is too large or risky for a card waits here as a plan."
        ),
        "",
    ),
    Emptiness.DRAFTING: (
        "thinking",
        later("The agent is drafting"),
        later("Operations appear here as it proposes them. You can read along; deciding comes when it has finished."),
        "",
    ),
    Emptiness.NOTHING_LEFT: ("plan", later("Nothing is left of this plan"), later("Every operation was removed."), ""),
    Emptiness.NOTHING_FOUND: (
        "search",
        later("No operation matches"),
        later("Try other words, or list all again."),
        later("Show all"),
    ),
    Emptiness.LOADING: ("clock", later("Loading…"), "", ""),
    Emptiness.READ_ONLY: (
        "lock",
        later("This folder is read-only"),
        later(
            "You can ask and look. A plan can be neither kept nor applied here: give yourself the right to write to "
            "the folder, or open another one."
        ),
        "",
    ),
    Emptiness.NO_FILES: (
        "folder",
        later("This folder is empty"),
        later(
            "Ask the agent to start a project: its files are held here for your review, and none is written before "
            "you approve it. Or open the folder you want to work on."
        ),
        later("Open another folder…"),
    ),
}


class EmptyPlan(EmptyState):
    """Shown instead of the list, with a text for each `Emptiness`."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "plan", "", parent=parent, primary=False)
        self.setObjectName("empty-plan")
        self.why = Emptiness.NO_PLAN
        self.show_why(self.why)

    def show_why(self, why: Emptiness, about: str = "") -> None:
        """`about` is what is being loaded."""
        self.why = why
        icon, title, words, action = _WORDS[why]
        self.set_words(icon, tr_marked(title), tr_marked(words) or visible_line(about), tr_marked(action))


class ResultLine(Banner):
    """`5 files +142 −38 · ★★★★☆ · View · Undo`."""

    view_requested = Signal()
    undo_requested = Signal(str)
    redo_requested = Signal(str)
    commit_requested = Signal(str)
    rated = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, "ok", parent=parent)
        self.setObjectName("result-line")
        self._run_id: RunId | None = None
        self.offers_commit = False
        """Whether the workspace is in a git repository."""
        self._commits: dict[RunId, str] = {}
        """What was committed of runs in this window."""
        self._shown: tuple[PlanPage, ListedRun | None] | None = None
        self.rating = RatingStars(theme, self)
        self.rating.rated.connect(self.rated)
        self.add_before_actions(self.rating)
        self.requested.connect(self._ask)
        self.hide()

    def show_result(self, page: PlanPage, run: ListedRun | None) -> None:
        """Of a plan that ran; hidden for any other. `run` is known once the runs are listed."""
        status = page.meta.status
        self._run_id, self._shown = page.meta.execution_session, (page, run)
        ended = status in (PlanStatus.COMPLETED, PlanStatus.FAILED, PlanStatus.UNDONE)
        self.setVisible(ended and self._run_id is not None)
        if not ended:
            return
        self.rating.setVisible(status is PlanStatus.COMPLETED)
        self.rating.set_value(page.meta.rating)
        view, undo_it = ("view", tr("View")), ("undo", tr("Undo"))
        if status is PlanStatus.UNDONE:
            words = tr("Undone. Your files are as they were before this run.")
            self.set_message("info", words, (("redo", tr("Redo")),))
        elif status is PlanStatus.COMPLETED:
            undo = (undo_it,) if run is None or run.undoable else ()
            committed = self._commits.get(self._run_id, "") if self._run_id is not None else ""
            may_commit = self.offers_commit and page.sums.files and not committed
            commit = (("commit", tr("Commit…")),) if may_commit else ()
            words = _done(page)
            if committed:
                words = tr("{done} · committed {commits}", done=words, commits=committed)
            self.set_message("ok", words, (view, *commit, *undo))
        else:
            rolled_back = _rolled_back(page, run)
            undo = (undo_it,) if run is not None and run.undoable and not rolled_back else ()
            self.set_message("error", _failed(page, rolled_back), (view, *undo))

    def show_commits(self, run_id: RunId, commits: str) -> None:
        """Say what was committed of a run; another commit is no longer offered."""
        self._commits[run_id] = commits
        if self._shown is not None and self._run_id == run_id:
            self.show_result(*self._shown)

    def _ask(self, key: str) -> None:
        if key == "view":
            self.view_requested.emit()
        elif self._run_id is not None:
            asked = {"undo": self.undo_requested, "redo": self.redo_requested, "commit": self.commit_requested}
            asked[key].emit(self._run_id)


def _done(page: PlanPage) -> str:
    totals = page.sums
    parts = []
    if totals.files:
        files = tr_n("{n} file", "{n} files", totals.files)
        parts.append(f"{files} {counted_lines(totals.added, totals.removed)}".rstrip())
    if totals.commands:
        parts.append(tr_n("{n} command run", "{n} commands run", totals.commands))
    if totals.external_calls:
        parts.append(tr_n("{n} external call made", "{n} external calls made", totals.external_calls))
    return tr("Completed: {parts}", parts=", ".join(parts)) if parts else tr("Completed")


def _failed(page: PlanPage, rolled_back: bool) -> str:
    failed = next((each for each in page.results if each.status is ResultStatus.FAILED), None)
    names = {view.operation.id: wording.title(view.operation) for view in page.views}
    told = tr("Interrupted and rolled back.") if rolled_back else tr("Ended before it was done.")
    if failed is not None:
        told = tr("“{operation}” failed.", operation=names.get(failed.id, failed.id))
        told = f"{told} {tr('Rolled back.')}" if rolled_back else told
    left = tr("Your files are as before.") if rolled_back else tr("What was done before it is still there.")
    is_explained = failed is not None or rolled_back
    why = visible(page.meta.result_summary) if not is_explained and page.meta.result_summary else ""
    return " ".join(filter(None, (told, why, left)))


def _rolled_back(page: PlanPage, run: ListedRun | None) -> bool:
    if run is not None:
        return run.record.rolled_back
    statuses = {each.status for each in page.results}
    return ResultStatus.ROLLED_BACK in statuses or ResultStatus.COMPLETED not in statuses


class OperationsTab(QWidget):
    """The operations tab: list, banners, filter and result line."""

    banner_requested = Signal(str)
    folder_requested = Signal()
    """Open another folder."""

    def __init__(
        self, theme: Theme, model: StagedOperationsModel, make_content: Callable[[OperationRow], OperationContent]
    ) -> None:
        super().__init__()
        self.setObjectName("operations-tab")
        self._theme = theme
        self._model = model
        self._banners: list[Banner] = []
        self.notices = BannerStack(theme)
        self._why, self._about = Emptiness.NO_PLAN, ""
        self.result = ResultLine(theme)
        self.rehearsal = RehearsalLine(theme)
        self.attention = AttentionStrip(theme)
        self.filter = OperationFilters(theme)
        self.list = OperationList(model, theme, make_content)
        self.empty = EmptyPlan(theme)
        self.ran = RanRow(theme)
        self.ignored = IgnoredRow(theme)
        self.folders = FolderTree(theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.list)
        self._stack.addWidget(self.empty)
        self._columns = QSplitter(Qt.Orientation.Horizontal)
        self._columns.setObjectName("operations-columns")
        self._columns.setChildrenCollapsible(False)
        self._columns.addWidget(self.folders)
        self._columns.addWidget(self._stack)
        self._columns.setStretchFactor(1, 1)
        self._count_timer = QTimer(self, interval=0, singleShot=True)
        self._count_timer.timeout.connect(self._count)
        self._folders_timer = QTimer(self, interval=0, singleShot=True)
        self._folders_timer.timeout.connect(self._count_folders)
        self._above = QVBoxLayout()
        Spacing(theme, self._above, (18, 6, 18, 6), 6)
        self._above.addWidget(self.notices)
        self._above.addWidget(self.attention)
        for place, banner in enumerate((self.result, self.rehearsal)):
            self.notices.put(banner, place)
        self.notices.rearranged.connect(self._keep_still)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=0)
        layout.addLayout(self._above)
        layout.addWidget(self.filter)
        layout.addWidget(self._columns, 1)
        layout.addWidget(self.ran)
        layout.addWidget(self.ignored)
        self.result.keyboard_left.connect(self.list.setFocus)
        self.attention.jump_requested.connect(self.jump)
        self.folders.chosen.connect(self.filter.look_under)
        self.folders.file_chosen.connect(self.jump)
        self.folders.viewed_requested.connect(model.set_viewed)
        self.folders.drop_requested.connect(self.list.set_dropped)
        self.folders.left.connect(self.list.setFocus)
        self.list.filter_requested.connect(self.filter.ask)
        self.filter.changed.connect(self._filter)
        self.filter.left.connect(self.list.setFocus)
        self.filter.next_requested.connect(self._to_the_list)
        self.empty.requested.connect(self._leave_empty)
        model.modelReset.connect(self._arrange)
        model.rowsInserted.connect(self._arrange)
        model.facts_changed.connect(self._count_timer.start)
        self._arrange()

    def show_focus(self, focus: PlanFocus | None) -> None:
        """What of the operations matters; None until that is known."""
        self._model.set_focus(focus)

    def say_why_empty(self, why: Emptiness, about: str = "") -> None:
        self._why, self._about = why, about
        self._arrange()

    def show_banners(self, banners: Iterable[BannerText]) -> None:
        wanted = list(banners)
        while len(self._banners) > len(wanted):
            gone = self._banners.pop()
            gone.set_message("info", "")  # its links go first, and the keyboard with them
            self.notices.take(gone)
        while len(self._banners) < len(wanted):
            banner = Banner(self._theme, parent=self)
            banner.requested.connect(self.banner_requested)
            banner.keyboard_left.connect(self.list.setFocus)
            banner.setObjectName(f"plan-banner-{len(self._banners)}")
            self.notices.put(banner, len(self._banners))
            self._banners.append(banner)
            banner.show()
        for banner, words in zip(self._banners, wanted, strict=True):
            banner.set_message(words.tone, words.text, words.actions, decides=words.decides)
        self._arrange()

    def _keep_still(self, by: int) -> None:
        """A message came or went: what is under the pointer stays there."""
        if self.list.underMouse():
            bar = self.list.verticalScrollBar()
            QTimer.singleShot(0, lambda: bar.setValue(bar.value() + by))

    def jump(self, operation_id: OperationId) -> None:
        """Go to an operation, clearing a filter that hides it."""
        if self._model.row_of(operation_id) < 0:
            self.filter.leave()
        self.list.go_to(operation_id, open_it=True)
        self.list.setFocus()

    def _filter(self, listing: Listing) -> None:
        self._model.set_listing(listing)
        self.filter.show_found(self._model.rowCount(), self._model.rows_in_all)
        self.folders.follow(listing.folder)

    def _count(self) -> None:
        """Count again what the chips and the folders tell."""
        self.filter.show_counts(self._model.counts() if not self._model.running else Counter(), self._model.rows_in_all)
        self.filter.show_found(self._model.rowCount(), self._model.rows_in_all)
        self._folders_timer.start()

    def _count_folders(self) -> None:
        self.folders.show_model(self._model, may_drop=self.list.is_editable)

    def _leave_empty(self) -> None:
        if self.empty.why is Emptiness.NO_FILES:
            self.folder_requested.emit()
        else:
            self.filter.leave()

    def _to_the_list(self) -> None:
        if self._model.rowCount():
            self.list.setFocus()
            self.list.setCurrentIndex(self._model.index(0))

    def _arrange(self) -> None:
        if not self._model.rowCount():
            self.empty.show_why(Emptiness.NOTHING_FOUND if self._model.total else self._why, self._about)
        self._stack.setCurrentIndex(0 if self._model.rowCount() else 1)
        is_said_below = self._why is Emptiness.DRAFTING and not self._model.total
        for banner in self._banners:
            banner.setVisible(not is_said_below)
