"""The approval sheet."""

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePath

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from tandem_desktop.diff.text import visible_command, visible_name
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.review import Coverage, LockFileReview
from tandem_desktop.domain.runs import FailurePolicy
from tandem_desktop.review.attention import AttentionGroup, attention
from tandem_desktop.review.operation_view import OperationView, Totals
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n
from tandem_desktop.ui.plan import rehearsal_text, wording
from tandem_desktop.ui.plan.page_text import parallel_text, unheld_words
from tandem_desktop.ui.plan.sheets import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import Button, IconButton, LinkButton, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.decision_guard import EndWatch, WheelGuard
from tandem_desktop.ui.widgets.labels import plain_label, plain_tooltip

ROWS = 30
"""Files of a group with a link of their own; further ones are only named."""


class Acknowledgement(QFrame):
    """A card with a box to tick, for one operation or a group with equal hazards. Commands are shown in full."""

    ticked = Signal(bool)
    show_requested = Signal(object)

    def __init__(
        self,
        group: AttentionGroup,
        theme: Theme,
        workspace: str,
        beside: str = "",
        *,
        unopened: Collection[OperationId] = (),
    ) -> None:
        super().__init__()
        self.group, self._theme = group, theme
        first = group.views[0]
        operation = first.operation
        self.setProperty("role", "card-risk" if first.flags else "card-raised")
        self.setObjectName(f"acknowledgement-{operation.id}")
        self.box = QCheckBox()
        title = _title(group)
        self.box.setObjectName(f"acknowledge-{operation.id}")
        named = ", ".join(wording.title(view.operation) for view in group.views)
        self.box.setAccessibleName(f"{title}: {named}")
        self.box.toggled.connect(self.ticked)
        if not first.flags:
            self.box.hide()
        self._unopened = [view for view in group.views if view.operation.id in unopened]
        self.skipped: list[OperationId] = []
        words = QVBoxLayout()
        words.setSpacing(theme.px(4))
        if len(group.views) > 1:
            words.addWidget(plain_label(title, "heading", wrap=True))
            self._add_files(words)
        else:
            words.addLayout(self._beside_link(plain_label(title, "heading", wrap=True), first))
            for each in _details(first, workspace, beside):
                words.addWidget(each)
            for view in self._unopened:
                words.addLayout(self._say_unopened(view))
        self.box.setEnabled(not self._unopened)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(theme.px(10), theme.px(8), theme.px(12), theme.px(8))
        layout.setSpacing(theme.px(8))
        layout.addWidget(self.box, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(words, 1)

    @property
    def still_closed(self) -> int:
        """How many of its files have to be opened or skipped before it can be ticked."""
        return len(self._unopened) - len(self.skipped)

    @property
    def acknowledged(self) -> Iterator[str]:
        """Each flag of each operation, as `operation:flag`."""
        yield from (f"{view.operation.id}:{flag.value}" for view in self.group.views for flag in view.flags)

    def _add_files(self, words: QVBoxLayout) -> None:
        """Every file of the group, under the reason it is in it."""
        by_reason: dict[tuple[str, ...], list[OperationView]] = {}
        for view in self.group.views:
            reason = tuple(wording.flag_reason(view, flag) for flag in view.flags)
            by_reason.setdefault(reason, []).append(view)
        left = ROWS
        for reason, views in by_reason.items():
            words.addWidget(plain_label(" ".join(reason), "muted", wrap=True))
            for view in views[:left]:
                label = plain_label(wording.title(view.operation), "code", wrap=True)
                words.addLayout(self._beside_link(label, view))
                for note in view.notes:
                    words.addWidget(plain_label(note, "risk", wrap=True))
                if view in self._unopened:
                    words.addLayout(self._say_unopened(view))
            if further := views[left:]:
                text = "\n".join(wording.title(view.operation) for view in further)
                words.addWidget(plain_label(text, "code", wrap=True))
                for view in further:
                    if view in self._unopened:
                        words.addLayout(self._say_unopened(view))
            left = max(0, left - len(views))

    def _beside_link(self, label: QLabel, view: OperationView) -> QHBoxLayout:
        """A label with a link that shows the operation in the list."""
        operation = view.operation
        link = LinkButton(self._theme, tr("Show"), "text")
        link.setObjectName(f"show-{operation.id}")
        link.setAccessibleName(tr("Show {title}", title=wording.title(operation)))
        link.clicked.connect(lambda: self.show_requested.emit(operation.id))
        row = QHBoxLayout()
        row.addWidget(label, 1)
        row.addWidget(link, 0, Qt.AlignmentFlag.AlignTop)
        return row

    def _say_unopened(self, view: OperationView) -> QHBoxLayout:
        """Say that it was not opened; the box stays closed until it is, or until it is skipped by its name."""
        operation = view.operation
        name = wording.split_path(operation.to or operation.path or "")[1]
        said = plain_label(tr("Not opened yet: open it with Show, or skip it."), "risk", wrap=True)
        skip = LinkButton(self._theme, tr("Skip {name}", name=name), "text")
        skip.setObjectName(f"skip-{operation.id}")
        skip.setAccessibleName(tr("Approve {name} without opening it", name=name))

        def skipped() -> None:
            self.skipped.append(operation.id)
            said.setText(tr("Skipped: {name} was not opened.", name=name))
            self.box.setEnabled(not self.still_closed)
            if self.still_closed:
                self.focusNextChild()
            else:
                self.box.setFocus()
            skip.hide()
            self.ticked.emit(False)

        skip.clicked.connect(skipped)
        row = QHBoxLayout()
        row.addWidget(said, 1)
        row.addWidget(skip, 0, Qt.AlignmentFlag.AlignTop)
        return row


def _details(view: OperationView, workspace: str, beside: str) -> Iterator[QWidget]:
    """What one operation does, and why it is flagged."""
    operation = view.operation
    if operation.call is not None:
        command = plain_label("\n".join(visible_command(operation.call.text)), "code", wrap=True)
        command.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        yield command
        yield from _conditions(operation, workspace)
        if beside:
            yield plain_label(beside, "muted", wrap=True)
    else:
        yield plain_label(wording.title(operation), "code", wrap=True)
        if operation.recorded_from:
            yield plain_label(rehearsal_text.recorded_effect(operation), "muted", wrap=True)
        for flag in view.flags:
            yield plain_label(wording.flag_reason(view, flag), "muted", wrap=True)
    for note in view.notes:
        yield plain_label(note, "risk", wrap=True)


def _conditions(operation: StagedOperation, workspace: str) -> Iterator[QWidget]:
    """Labels for the environment and place of a command, or for who makes an external call."""
    call = operation.command_call
    if call is None:
        said = tr("The agent that asked will really call it, once, outside the workspace.")
        yield plain_label(said, "muted", wrap=True)
        return
    for name, value in call.env:
        given = tr("with {name}={value}", name=visible_name(name), value="\n".join(visible_command(value)))
        yield plain_label(given, "code-muted", wrap=True)
    where = wording.command_conditions(operation, workspace)
    yield plain_label(tr("Will really run {where}", where=where), "muted", wrap=True)


def _title(group: AttentionGroup) -> str:
    if not group.flags:
        return tr("Command, its changes in the workspace can be undone")
    return wording.group_title(group)


PAGE = 40
"""Cards created at a time; more are added when these are ticked."""
POLICIES = (
    (FailurePolicy.ROLLBACK, later("roll everything back")),
    (FailurePolicy.STOP, later("stop and leave what is done")),
    (FailurePolicy.CONTINUE, later("go on with what does not depend on it")),
)


class ApprovalSheet(Sheet):
    """Approves exactly the page it shows: it expires when the plan changes."""

    approved = Signal(str, str, object)
    """Plan id, the digest that was on screen, and the failure policy."""
    rework_requested = Signal()
    show_requested = Signal(object)

    def __init__(self, host: QWidget, theme: Theme, workspace: str) -> None:
        super().__init__(host, theme, "approval-sheet", tr("Implement"))
        self._root, self._workspace = workspace, visible_name(PurePath(workspace).name)
        self._page: PlanPage | None = None
        self._waiting: list[Acknowledgement] = []
        self._later: list[AttentionGroup] = []
        self._unopened: frozenset[OperationId] = frozenset()
        self._note_text = self._noted = ""
        self.offers_commit = False
        """Whether the workspace is in a git repository."""
        self.said = plain_label("", "muted", wrap=True)
        self.body.addWidget(self.said)
        self.warning = plain_label("", "risk", wrap=True)
        self.warning.setObjectName("approval-warning")
        self.body.addWidget(self.warning)
        self._add_facts()
        self._add_cards()
        self._add_notes()
        self._add_answers()

    def _add_facts(self) -> None:
        """The facts the approval binds."""
        theme = self._theme
        self._facts = QGridLayout()
        self._facts.setHorizontalSpacing(theme.px(24))
        self._facts.setVerticalSpacing(theme.px(6))
        self._facts.setColumnMinimumWidth(0, theme.px(118))
        self._facts.setColumnStretch(1, 1)
        self.body.addLayout(self._facts)
        self.commands, self.external_calls, self.recorded = (plain_label("", wrap=True) for _ in range(3))
        self.recorded.setObjectName("approval-recorded")
        self.unheld = plain_label("", "risk", wrap=True)
        self.unheld.setObjectName("approval-unheld")
        top, middle = Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignVCenter  # top: for values that may wrap
        rows = (
            (tr("Files"), top, self._files_row()),
            (tr("Commands"), top, _in_a_row(self.commands)),
            ("", top, _in_a_row(self.external_calls)),
            ("", middle, _in_a_row(self.recorded)),
            ("", middle, _in_a_row(self.unheld)),
            (tr("If something fails"), middle, self._policy_row()),
            (tr("Digest"), middle, self._digest_row()),
            ("", middle, self._commit_row()),
        )
        for number, (words, place, row) in enumerate(rows):
            if words:
                self._facts.addWidget(plain_label(words, "muted"), number, 0, place)
            self._facts.addLayout(row, number, 1)

    def _files_row(self) -> QHBoxLayout:
        self.files, self.kinds = plain_label(""), plain_label("", wrap=True)
        self.added, self.removed = plain_label("", "added"), plain_label("", "removed")
        row = QHBoxLayout()
        row.setSpacing(self._theme.px(6))
        for label in (self.files, self.added, self.removed):
            row.addWidget(label)
        row.addWidget(self.kinds, 1)
        return row

    def _policy_row(self) -> QHBoxLayout:
        self.policy = QComboBox()
        WheelGuard(self.policy)
        self.policy.setObjectName("approval-policy")
        self.policy.setAccessibleName(tr("If something fails"))
        for policy, words in POLICIES:
            self.policy.addItem(tr_marked(words), policy.value)
        row = _in_a_row(self.policy)
        row.addStretch(1)
        return row

    def _commit_row(self) -> QHBoxLayout:
        self.commit = QCheckBox(tr("Commit what it wrote when it has ended"))
        self.commit.setObjectName("approval-commit")
        self.commit.setAccessibleName(self.commit.text())
        self.commit.setToolTip(plain_tooltip(tr("Nothing else of yours, with the title of the plan as message")))
        return _in_a_row(self.commit)

    def _digest_row(self) -> QHBoxLayout:
        self.digest = plain_label("", "code")
        self.copy = IconButton(self._theme, "copy", tr("Copy the whole digest"), size=24)
        self.copy.clicked.connect(self._copy_digest)
        row = _in_a_row(self.digest, self.copy)
        row.addStretch(1)
        return row

    def _add_cards(self) -> None:
        """A card for every command and every group of flagged operations, the gravest first."""
        self._cards = QWidget()
        self._cards.setObjectName("approval-cards")
        self._cards.setProperty("role", "panel")
        self._list = QVBoxLayout(self._cards)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(self._theme.px(8))
        self._list.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._scroll = QScrollArea()
        self._scroll.setObjectName("approval-scroll")
        self._scroll.setAccessibleName(tr("Commands and flagged operations"))
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._cards)
        self._end = EndWatch(self._cards)
        self._end.changed.connect(self._count)
        self.body.addWidget(self._scroll, 1)

    def _add_notes(self) -> None:
        self.notes = QLineEdit()
        self.notes.setObjectName("approval-notes")
        self.notes.setAccessibleName(tr("Note, kept with the approval"))
        self.notes.setPlaceholderText(tr("Note, kept with the approval (optional)"))
        self.body.addWidget(self.notes)
        self.passed_on = plain_label("", "muted", wrap=True)
        self.body.addWidget(self.passed_on)

    def _add_answers(self) -> None:
        self.note = plain_label("", "muted", wrap=True)
        self.back = QuietButton(self._theme, tr("Back to review"))
        self.rework = Button(self._theme, tr("Request changes instead"))
        self.implement = PrimaryButton(self._theme, tr("Implement"))
        for name, button in (("back", self.back), ("rework", self.rework), ("implement", self.implement)):
            button.setObjectName(f"approval-{name}")
        self.back.clicked.connect(self.leave)
        self.rework.clicked.connect(self._ask_for_rework)
        self.implement.clicked.connect(self._approve)
        self.add_buttons(self.back, self.rework, self.implement, note=self.note)

    def ask(
        self,
        page: PlanPage,
        *,
        comments: int = 0,
        not_viewed: int = 0,
        coverage: Coverage | None = None,
        unopened: Collection[OperationId] = (),
        problems: Sequence[str] = (),
    ) -> None:
        """Open for exactly this page; operations `unopened` have to be opened first, or skipped by name.

        `problems` is what a rehearsal or checks found against it.
        """
        self._unopened = frozenset(unopened)
        if self._noted != page.version.plan_id:
            self.notes.clear()
        self._page, self._noted = page, page.version.plan_id
        self.title.setText(tr("Implement revision {revision}", revision=page.version.revision))
        self.said.setText(self._told(page))
        warnings = (*problems, *_unseen(not_viewed, coverage))
        self.warning.setText("\n".join(warnings))
        self.warning.setVisible(bool(warnings))
        self.said.setToolTip(plain_tooltip(visible_name(self._root)))
        self._show_facts(page)
        self.commit.setVisible(self.offers_commit and page.sums.files > 0)
        self.commit.setChecked(False)
        self.rework.setVisible(comments > 0)
        self._note_text = tr_n("{n} comment not sent yet", "{n} comments not sent yet", comments) if comments else ""
        self.passed_on.setText(
            tr_n(
                "Implement passes your comment on as a note.",
                "Implement passes your {n} comments on as notes.",
                comments,
            )
        )
        self.passed_on.setVisible(comments > 0)
        self._fill(page)
        self._count()  # the note takes height too
        self.open(self.back)

    @property
    def wants_commit(self) -> bool:
        return not self.commit.isHidden() and self.commit.isChecked()

    def _told(self, page: PlanPage) -> str:
        """What is approved."""
        totals = page.sums
        if totals.external_calls:
            return tr_n(
                "Exactly this will be written to {workspace}, and {n} call made outside it. Nothing else.",
                "Exactly this will be written to {workspace}, and {n} calls made outside it. Nothing else.",
                totals.external_calls,
                workspace=self._workspace,
            )
        if page.version.operations:
            return tr("Exactly this will be written to {workspace}. Nothing else.", workspace=self._workspace)
        return tr(
            "This plan is text: nothing is written now. Its agent carries it out, and what it changes comes to "
            "you as a new revision."
        )

    def _show_facts(self, page: PlanPage) -> None:
        """Files, commands, calls and the digest of this page."""
        totals = page.sums
        self.files.setText(f"{totals.files:,}" if totals.files else tr("none"))
        self.added.setText(f"+{totals.added:,}" if totals.added else "")
        self.removed.setText(f"−{totals.removed:,}" if totals.removed else "")
        kinds = wording.kind_counts(totals)
        steps = sum(count for kind, count in totals.kinds if not kind.spec.is_run)
        if steps > totals.files:  # some file is changed more than once
            kinds = tr("in {n} operations: {kinds}", n=f"{steps:,}", kinds=kinds)
        self.kinds.setText(f"· {kinds}" if kinds else "")
        instead = rehearsal_text.instead(page.version)
        self.recorded.setText(instead)
        self.recorded.setVisible(bool(instead))
        unheld = unheld_words(page.version)
        self.unheld.setText(unheld)
        self.unheld.setVisible(bool(unheld))
        self.commands.setText(_commands(page, totals))
        self.external_calls.setText(
            tr_n(
                "and {n} external call, which the agent makes once; it cannot be undone",
                "and {n} external calls, which the agent makes once each; they cannot be undone",
                totals.external_calls,
            )
        )
        self.external_calls.setVisible(totals.external_calls > 0)
        self.digest.setText(wording.long_digest(page.digest))
        self.digest.setToolTip(plain_tooltip(page.digest))

    @property
    def acknowledged(self) -> tuple[str, ...]:
        """What was ticked, as `operation:flag`."""
        ticked = (card for card in self._waiting if card.box.isChecked())
        return tuple(each for card in ticked for each in card.acknowledged)

    @property
    def lock_files(self) -> LockFileReview:
        """The lock files that install code: which were on screen, and which were skipped by name."""
        views = self._page.views if self._page is not None else ()
        paths = {view.operation.id: view.operation.to or view.operation.path or "" for view in views}
        skipped = {paths[each] for card in self._waiting if card.box.isChecked() for each in card.skipped}
        unopened = {paths[each] for each in self._unopened}
        opened = {paths[view.operation.id] for view in views if view.must_be_opened} - unopened
        return LockFileReview(opened=tuple(sorted(opened)), skipped=tuple(sorted(skipped)))

    def expire(self) -> None:
        """The plan changed: disable the approval."""
        if self.isHidden():
            return
        self._page = None
        self.said.setText(tr("The plan changed while you were looking. Go back and look at what is new."))
        self.said.setProperty("role", "risk")
        self.said.style().polish(self.said)
        self.note.setText("")
        self.guard.decides(self.implement, False)

    def fit(self) -> None:
        """The list takes what it needs and scrolls where the window is too small."""
        self._scroll.setVisible(self._list.count() > 0)
        self._scroll.setFixedHeight(0)
        super().fit()
        self.body.activate()
        width, bar = self._scroll.width(), self._scroll.verticalScrollBar().sizeHint().width()
        wanted = max(0, self._list.totalHeightForWidth(width))
        height = min(wanted, max(self._theme.px(96), self.room_left()))
        self._scroll.setFixedHeight(height)
        # An unneeded scroll bar would take width and so become necessary.
        bars = Qt.ScrollBarPolicy
        # Without anything to scroll it would be an invisible stop of the Tab key.
        self._scroll.setFocusPolicy(Qt.FocusPolicy.StrongFocus if wanted > height else Qt.FocusPolicy.NoFocus)
        self._scroll.setVerticalScrollBarPolicy(bars.ScrollBarAsNeeded if wanted > height else bars.ScrollBarAlwaysOff)
        # Wrapped labels need more height at less width; keep the scrolled page from shrinking them.
        narrowed = width - (bar if wanted > height else 0)
        for card in self._cards.findChildren(Acknowledgement):
            card.setMinimumHeight(card.heightForWidth(narrowed))
        super().fit()

    def _fill(self, page: PlanPage) -> None:
        while (item := self._list.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.setParent(None)
                widget.deleteLater()
        self._waiting = []
        self.said.setProperty("role", "muted")
        self.said.style().polish(self.said)
        unflagged = (view for view in page.views if view.operation.is_run and not view.flags)
        self._later = [*attention(page.views), *(AttentionGroup((view,)) for view in unflagged)]
        self._next_cards()

    def _next_cards(self) -> None:
        assert self._page is not None
        now, self._later = self._later[:PAGE], self._later[PAGE:]
        for group in now:
            beside = parallel_text(group.views[0], self._page)
            card = Acknowledgement(group, self._theme, self._workspace, beside, unopened=self._unopened)
            card.show_requested.connect(self._show)
            if group.flags:
                card.ticked.connect(self._count)
                self._waiting.append(card)
            self._list.addWidget(card)
        self._end.look_again()

    def _count(self) -> None:
        if self._page is None:
            return
        open_cards = [card for card in self._waiting if not card.box.isChecked()]
        while not open_cards and self._later:
            self._next_cards()
            self.fit()
            open_cards = [card for card in self._waiting if not card.box.isChecked()]
        left = len(open_cards) + len(self._later)
        words = tr_n("Tick the box to go on", "Tick all {n} boxes to go on", left) if left else ""
        if closed := sum(card.still_closed for card in open_cards):
            told = tr_n("Open or skip {n} file first", "Open or skip {n} files first", closed)
            words = f"{told} · {words}"
        has_seen = self._end.has_seen or not self._list.count()
        if not left and not has_seen:
            words = tr("Scroll to the end to go on")
        self.note.setText(" · ".join(each for each in (words, self._note_text) if each))
        self.guard.decides(self.implement, left == 0 and has_seen)

    def _approve(self) -> None:
        page = self._page
        if page is None:
            return
        self.shut()
        self.approved.emit(page.version.plan_id, page.digest, FailurePolicy(self.policy.currentData()))

    def _ask_for_rework(self) -> None:
        self.shut()
        self.rework_requested.emit()

    def _show(self, operation_id: OperationId) -> None:
        self.leave()
        self.show_requested.emit(operation_id)

    def _copy_digest(self) -> None:
        if self._page is not None:
            QApplication.clipboard().setText(self._page.digest)


def _unseen(not_viewed: int, coverage: Coverage | None) -> Iterator[str]:
    """What of the plan was not on screen."""
    if not_viewed:
        yield tr_n("{n} operation not viewed yet.", "{n} operations not viewed yet.", not_viewed)
    if coverage is not None and not coverage.is_complete:
        yield wording.coverage_words(coverage)


def _commands(page: PlanPage, totals: Totals) -> str:
    if not totals.commands:
        return tr("none")
    places = [at for at, view in enumerate(page.views) if view.operation.command_call is not None]
    last_file = max((at for at, view in enumerate(page.views) if not view.operation.is_run), default=-1)
    together = len(page.beside)
    commands = tr_n("{n} command", "{n} commands", totals.commands)
    told = tr("{commands}, in between the file changes", commands=commands)
    if places[0] > last_file:
        files = tr_n("{n} file change", "{n} file changes", sum(not view.operation.is_run for view in page.views))
        told = tr("{commands}, after {files}", commands=commands, files=files) if last_file >= 0 else commands
    if not together:
        return told
    every = together == totals.commands
    return tr("{told}; all side by side", told=told) if every else tr("{told}; {n} side by side", told=told, n=together)


def _in_a_row(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    for widget in widgets:
        row.addWidget(widget)
    return row
