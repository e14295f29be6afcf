"""The Checks part of the plan header: what tests, types and linters say about the revision on screen."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from tandem_desktop.checks.catalog import CheckList
from tandem_desktop.checks.evidence import Counted, Evidence, PlacedDiagnostic
from tandem_desktop.diff.text import visible, visible_command, visible_name
from tandem_desktop.domain.events import AffectedTestsFinished, CheckFinished, ChecksStarted, TandemEvent
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.paths import ROOT
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.services.checks import OfferedChecks
from tandem_desktop.services.needed import NeededParts
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.models.operations import LineMark, StagedOperationsModel
from tandem_desktop.ui.plan.operation_content import CodeBox
from tandem_desktop.ui.plan.page_text import OPEN
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banners import Banner
from tandem_desktop.ui.widgets.buttons import LinkButton
from tandem_desktop.ui.widgets.decision_guard import DecisionGuard
from tandem_desktop.ui.widgets.labels import plain_label, plain_tooltip

_PATH = Qt.ItemDataRole.UserRole
_OLDER = Qt.ItemDataRole.UserRole + 1
_MOST_LISTED = 500
_ROWS_IN_SIGHT = 6
_LINES_IN_SIGHT = 8


@dataclass(frozen=True, slots=True)
class ChecksState:
    """What is known about the checks of the revision on screen."""

    offered: OfferedChecks | None = None
    evidence: Evidence | None = None
    done: int = 0
    total: int = 0
    affected: tuple[int, int] | None = None
    """How many of the tests that the plan touches passed and failed, before all have run."""
    is_running: bool = False
    may_ask_for_needed: bool = False
    """Whether the plan has several parts, of which one could be left out."""
    needed: NeededParts | None = None
    refusal: str = ""
    """Why there is nothing to run or no result, as a sentence."""


@dataclass(frozen=True, slots=True)
class ListedLine:
    """One line of the list under the summary."""

    text: str
    token: str = "text"
    path: str = ""
    is_older: bool = False
    """Opens the messages that were there before."""


class ChecksPart(QWidget):
    """A line with the result, and under it a list of new failures and new messages.

    Commands that are not accepted yet are offered in one line and shown whole when asked for. The button that accepts
    them works when all of them were on screen.
    """

    requested = Signal(str)
    """`run-checks`, `stop-checks`, `find-needed` or `shrink`."""
    accepted = Signal(str)
    """The digest of the list of commands that was on screen."""
    path_requested = Signal(str)
    """Show the operation on this path."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._state = ChecksState()
        self._is_held_back = False
        self._is_open = False
        self._shows_older = False
        self._shows_commands = False
        self._drawn = ""
        """The digest of the list whose commands are on screen."""
        self.setObjectName("plan-checks")
        self.line = Banner(theme, "info")
        self.line.setObjectName("checks-line")
        self.line.requested.connect(self._asked)
        self.accept = LinkButton(theme, tr("Accept and run"))
        self.accept.setObjectName("banner-accept-checks")
        self.accept.clicked.connect(lambda: self.accepted.emit(self._drawn))
        self.accept.hide()
        self.line.add_before_actions(self.accept)
        self.guard = DecisionGuard(self)
        self.guard.decides(self.accept, False)
        self.commands: CodeBox | None = None
        self._unseen = plain_label(tr("Scroll to the end of the commands to accept them"), "small", wrap=True)
        self._unseen.setObjectName("checks-unseen")
        self._unseen.hide()
        self.list = QListWidget()
        self.list.setObjectName("checks-list")
        self.list.setAccessibleName(tr("Checks"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setUniformItemSizes(True)
        self.list.itemActivated.connect(self._chosen)
        self.list.itemClicked.connect(self._chosen)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=2)
        layout.addWidget(self.line)
        layout.addWidget(self._unseen)
        layout.addWidget(self.list)
        self._layout = layout
        theme.changed.connect(self._restyle)
        self.hide()

    def show_state(self, state: ChecksState) -> None:
        """Show the state; hidden while there is nothing to say."""
        before, self._state = self._state, state
        if (before.evidence, before.offered, before.needed) != (state.evidence, state.offered, state.needed):
            self._is_open = state.needed is not None
            self._shows_older = False
        self._offer(state)
        message = self._message(state)
        self.setVisible(message is not None and not self._is_held_back)
        if message is not None:
            tone, text, actions = message
            if (tone, text) != (self.line.property("tone"), self.line.text) or before != state:
                self.line.setProperty("tone", tone)
                self.line.set_message(tone, text, actions)
        self._show_list()

    def hold_back(self, holds: bool) -> None:
        """Offer nothing while the plan runs."""
        self._is_held_back = holds
        self.show_state(self._state)

    @property
    def listed(self) -> tuple[str, ...]:
        """The lines of the list that are shown."""
        return tuple(self.list.item(row).text() for row in range(self.list.count())) if self._is_open else ()

    def _message(self, state: ChecksState) -> tuple[str, str, tuple[tuple[str, str], ...]] | None:
        again = ("run-checks", tr("Run again"))
        if state.is_running:
            text = tr("Leaving out each part in turn, to see whether a check notices…")
            if state.total:
                text = tr("Checks: {done} of {total} done.", done=state.done, total=state.total)
            if state.affected is not None:
                passed, failed = state.affected
                ahead = tr(
                    "Tests that the plan touches: {passed} passed, {failed} failed.", passed=passed, failed=failed
                )
                text = f"{text} {ahead}"
            return "info", text, (("stop-checks", tr("Stop")),)
        if state.refusal and state.evidence is None:
            return "risk", state.refusal, (again,)
        if state.evidence is not None:
            details = (("details", tr("Hide") if self._is_open else tr("Details")),)
            has_lines = any(True for _ in _evidence_lines(state.evidence, shows_older=False))
            more = self._about_needed(state)
            text = " ".join(filter(None, (summary(state.evidence), more[0])))
            return _tone(state.evidence), text, (*(details if has_lines else ()), *more[1], again)
        if state.offered is None or not state.offered.list.checks:
            return None
        if not state.offered.is_accepted:
            text = tr("Checks have not run.")
            return "quiet", text, () if self._shows_commands else (("show-commands", tr("Show commands…")),)
        return "quiet", tr("The checks have not run for this revision."), (("run-checks", tr("Run checks")),)

    def _about_needed(self, state: ChecksState) -> tuple[str, tuple[tuple[str, str], ...]]:
        """What is known of parts that nothing notices, and what can be done about them."""
        if state.refusal:
            return f"· {state.refusal}", ()
        if state.needed is None:
            return "", (("find-needed", tr("What is needed?")),) if state.may_ask_for_needed else ()
        strays = len(state.needed.strays)
        if not strays:
            return f"· {tr('A check notices each part.')}", ()
        told = tr_n("Nothing notices {n} part.", "Nothing notices {n} parts.", strays)
        return f"· {told}", (("shrink", tr("Shrink to what is needed")),)

    def _offer(self, state: ChecksState) -> None:
        """Show the commands to be accepted; another list than the one on screen waits and has to be read anew."""
        if state.offered is not None and state.offered.is_accepted:
            self._shows_commands = False
        shown = state.offered if self._shows_commands and _is_undecided(state) else None
        self._draw(shown.list if shown is not None else None)

    def _draw(self, found: CheckList | None) -> None:
        digest = found.digest if found is not None else ""
        if digest == self._drawn:
            return
        self._drawn = digest
        if self.commands is not None:
            self._layout.removeWidget(self.commands)
            self.commands.hide()
            self.commands.deleteLater()
            self.commands = None
        if found is not None:
            box = self.commands = CodeBox(self._theme, tr("Commands of the checks"), most_lines=_LINES_IN_SIGHT)
            box.setObjectName("checks-commands")
            box.setPlainText("\n".join(command_lines(found)))
            box.all_seen.connect(self._may_accept)
            box.verticalScrollBar().rangeChanged.connect(self._may_accept)
            self._layout.insertWidget(self._layout.indexOf(self._unseen), box)
        self.accept.setVisible(found is not None)
        self.guard.hold()
        self._may_accept()

    def _may_accept(self) -> None:
        box = self.commands
        is_seen = box is not None and box.is_seen
        self.guard.decides(self.accept, is_seen)
        self._unseen.setVisible(box is not None and not is_seen and box.verticalScrollBar().maximum() > 0)

    def _restyle(self) -> None:
        if self.commands is not None:
            self._draw(None)
            self._offer(self._state)
        self._show_list()

    def _show_list(self) -> None:
        lines = list(self._lines()) if self._is_open else []
        self.list.clear()
        for line in lines[:_MOST_LISTED]:
            item = QListWidgetItem(line.text)
            item.setToolTip(plain_tooltip(line.text))
            item.setForeground(self._theme.color(line.token))
            item.setFont(self._theme.code_font())
            item.setData(_PATH, line.path)
            item.setData(_OLDER, line.is_older)
            self.list.addItem(item)
        self.list.setVisible(bool(lines))
        height = self.list.sizeHintForRow(0) if lines else 0
        self.list.setFixedHeight(height * min(len(lines), _ROWS_IN_SIGHT) + self._theme.px(4))

    def _lines(self) -> Iterator[ListedLine]:
        state = self._state
        if state.evidence is not None:
            yield from _needed_lines(state.needed)
            yield from _evidence_lines(state.evidence, shows_older=self._shows_older)

    def _asked(self, key: str) -> None:
        if key in ("details", "show-commands"):
            if key == "details":
                self._is_open = not self._is_open
            else:
                self._shows_commands = True
            self.show_state(self._state)
            message = self._message(self._state)
            if message is not None:
                self.line.set_message(*message)
            if self.commands is not None:
                self.commands.setFocus()
        else:
            self.requested.emit(key)

    def _chosen(self, item: QListWidgetItem) -> None:
        if item.data(_OLDER):
            self._shows_older = True
            self._show_list()
        elif path := item.data(_PATH):
            self.path_requested.emit(path)


def summary(evidence: Evidence) -> str:
    """`3 fixed · 1 new failure · 0 new type errors`."""
    return " · ".join(_counted(number, what) for number, what in evidence.counts())


def _counted(number: int, what: Counted) -> str:
    match what:
        case "fixed":
            return tr("{n} fixed", n=number)
        case "new failure":
            return tr_n("{n} new failure", "{n} new failures", number)
        case "new type error":
            return tr_n("{n} new type error", "{n} new type errors", number)
        case "new lint error":
            return tr_n("{n} new lint error", "{n} new lint errors", number)
        case "new warning":
            return tr_n("{n} new warning", "{n} new warnings", number)
        case "new note":
            return tr_n("{n} new note", "{n} new notes", number)
        case "check without a whole result":
            return tr_n("{n} check without a whole result", "{n} checks without a whole result", number)


def _tone(evidence: Evidence) -> str:
    if evidence.is_worse:
        return "error"
    return "risk" if any(check.problem or check.gone for check in evidence.checks) else "ok"


def _is_undecided(state: ChecksState) -> bool:
    """Whether the commands wait to be accepted."""
    if state.evidence is not None or state.is_running or state.refusal or state.offered is None:
        return False
    return bool(state.offered.list.checks) and not state.offered.is_accepted


def command_lines(found: CheckList) -> Iterator[str]:
    """What a person accepts, whole: each command, where it runs, and what it starts in turn."""
    for check in found.checks:
        first, *more = visible_command(check.command)
        yield f"$ {first}"
        yield from (f"> {line}" for line in more)
        if check.cwd != ROOT:
            yield f"  {tr('in {folder}', folder=visible_name(check.cwd))}"
        if check.runs:
            yield from (f"→ {line}" for line in visible_command(check.runs))
        if check.affected:
            first, *more = visible_command(check.affected)
            yield tr("and ahead of it, for the tests that a plan touches:")
            yield f"$ {first}"
            yield from (f"> {line}" for line in more)


def _evidence_lines(evidence: Evidence, *, shows_older: bool) -> Iterator[ListedLine]:
    for check in evidence.checks:
        for name in check.new_failures:
            yield ListedLine(tr("new failure: {name}", name=visible(name)), "removed_ink")
    for each in evidence.diagnostics:
        if each.new:
            token = "removed_ink" if each.severity == "error" else "risk"
            yield ListedLine(_diagnostic_text(each), token, each.path)
    for check in evidence.checks:
        if check.problem:
            yield ListedLine(f"{check.name}: {visible(check.problem)}", "risk")
        for note in dict.fromkeys((*check.before.notes, *check.after.notes)):
            yield ListedLine(f"{check.name}: {visible(note)}", "risk")
        for name in check.gone:
            yield ListedLine(tr("no longer run: {name}", name=visible(name)), "risk")
        for name in check.fixed:
            yield ListedLine(tr("fixed: {name}", name=visible(name)), "added_ink")
    older = [each for each in evidence.diagnostics if not each.new]
    if older and not shows_older:
        text = tr_n("{n} message that was there before…", "{n} messages that were there before…", len(older))
        yield ListedLine(text, "muted", is_older=True)
    elif older:
        yield from (ListedLine(_diagnostic_text(each), "muted", each.path) for each in older)


def _needed_lines(needed: NeededParts | None) -> Iterator[ListedLine]:
    if needed is None or not needed.strays:
        return
    for part in needed.strays:
        hunk = tr(", change {n}", n=part.hunk) if part.hunk else ""
        yield ListedLine(tr("nothing notices: {place}", place=f"{visible_name(part.place)}{hunk}"), "risk", part.place)
    if needed.without_result:
        names = ", ".join(map(visible_name, needed.without_result))
        yield ListedLine(tr("not asked, without a whole result with the plan: {names}", names=names), "risk")
    yield ListedLine(
        tr("This says where to look, not what is right: what no check covers is noticed by nothing."), "muted"
    )


def _diagnostic_text(each: PlacedDiagnostic) -> str:
    place = f"{visible_name(each.path)}:{each.line}" if each.line else visible_name(each.path)
    return f"{place}  {visible(each.code)}  {visible(each.message)}"


class ChecksController(QObject):
    """Follows the checks of the revision on screen, and marks new messages on their lines."""

    state_wanted = Signal(object)
    """A `PlanVersion` came on screen; answered by `show_known` or `refuse`."""
    run_requested = Signal(str, int, str, bool)
    """Plan id, revision, the digest of a list to accept first (or nothing), and whether stored results are ignored;
    answered by `finish`, `refuse` or `stopped`."""
    stop_requested = Signal()
    needed_requested = Signal(str, int)
    """Plan id and revision; answered by `show_needed`, `refuse` or `stopped`."""
    shrink_requested = Signal(object)
    """`NeededParts` to be made a revision of."""
    failing_changed = Signal()
    """Other files than before have a new failure or message: what is read first changes."""

    def __init__(self, part: ChecksPart, model: StagedOperationsModel, parent: QObject) -> None:
        super().__init__(parent)
        self._part = part
        self._model = model
        self._page: PlanPage | None = None
        self._key: tuple[object, ...] = ()
        self._state = ChecksState()
        self._before_needed = ChecksState()
        """What is shown again when a search for needed parts, or a run, has ended without a result."""
        self.failing_paths: frozenset[str] = frozenset()
        """The files of the revision on screen that a new failure or message is about."""
        part.requested.connect(self._asked)
        part.accepted.connect(lambda digest: self.run(accept=digest))

    def show_page(self, page: PlanPage | None) -> None:
        """Another page; what is known about the same revision on the same files stays."""
        if page is None or page.meta.status not in OPEN or not page.version.operations:
            self._page, self._key = None, ()
            self._tell(ChecksState())
            return
        self._page = page
        key = (page.version.plan_id, page.version.revision, page.drifted)
        if key != self._key:
            self._key = key
            self._tell(ChecksState())
            self.state_wanted.emit(page.version)
        else:
            self._mark()

    @property
    def failure(self) -> str:
        """What the checks found against the revision on screen; empty if nothing."""
        evidence = self._state.evidence
        return tr("Checks: {summary}.", summary=summary(evidence)) if evidence is not None and evidence.is_worse else ""

    @property
    def shown_digest(self) -> str:
        """The digest of the evidence that is on screen; empty if there is none."""
        evidence = self._state.evidence if not self._state.is_running else None
        return evidence.digest if evidence is not None and not self._part.isHidden() else ""

    def show_known(
        self, version: PlanVersion, offered: OfferedChecks, evidence: Evidence | None, *, runs: bool
    ) -> None:
        """What is stored; with `runs`, an accepted list without a result is run at once."""
        if not self._is_shown(version.plan_id, version.revision):
            return
        self._tell(ChecksState(offered=offered, evidence=evidence))
        if runs and evidence is None and offered.is_accepted and offered.list.checks:
            self.run()

    def run(self, *, accept: str = "", again: bool = False) -> None:
        page = self._page
        if page is None or self._state.is_running:
            return
        total = 2 * len(self._state.offered.list.checks) if self._state.offered is not None else 0
        self._before_needed = ChecksState(offered=self._state.offered)
        self._tell(ChecksState(offered=self._state.offered, is_running=True, total=total))
        self.run_requested.emit(page.version.plan_id, page.version.revision, accept, again)

    def follow(self, event: TandemEvent) -> None:
        if not isinstance(event, ChecksStarted | CheckFinished | AffectedTestsFinished):
            return
        if not self._is_shown(event.plan_id, event.revision) or not self._state.is_running:
            return
        if isinstance(event, AffectedTestsFinished):
            passed, failed = self._state.affected or (0, 0)
            self._tell(replace(self._state, affected=(passed + event.passed, failed + event.failed)))
        else:
            done = event.done if isinstance(event, CheckFinished) else 0
            self._tell(replace(self._state, done=done, total=event.total))

    def finish(self, plan_id: PlanId, revision: int, offered: OfferedChecks, evidence: Evidence) -> None:
        if self._is_shown(plan_id, revision):
            self._tell(ChecksState(offered=offered, evidence=evidence))

    def refuse(self, plan_id: str, revision: int, sentence: str) -> None:
        """They could not be run, or their list cannot be read."""
        if self._is_shown(plan_id, revision):
            evidence = self._before_needed.evidence  # still holds, where it was a search that ended without a result
            self._tell(ChecksState(offered=self._state.offered, evidence=evidence, refusal=sentence))

    def look_again(self, plan_id: str, revision: int) -> None:
        """Their list is another one than was accepted: show what is there now."""
        if self._page is not None and self._is_shown(plan_id, revision):
            self._tell(ChecksState())
            self.state_wanted.emit(self._page.version)

    def show_needed(self, needed: NeededParts) -> None:
        if self._is_shown(needed.plan_id, needed.revision):
            self._tell(replace(self._before_needed, needed=needed))

    def stopped(self, plan_id: str, revision: int) -> None:
        if self._is_shown(plan_id, revision):
            self._tell(replace(self._before_needed, is_running=False))

    def _is_shown(self, plan_id: str, revision: int) -> bool:
        page = self._page
        return page is not None and (page.version.plan_id, page.version.revision) == (plan_id, revision)

    def _asked(self, key: str) -> None:
        match key:
            case "stop-checks":
                self.stop_requested.emit()
            case "find-needed" if self._page is not None:
                version = self._page.version
                self._before_needed = self._state
                self._tell(replace(self._state, is_running=True, refusal="", done=0, total=0))
                self.needed_requested.emit(version.plan_id, version.revision)
            case "shrink" if self._state.needed is not None:
                self.shrink_requested.emit(self._state.needed)
            case "run-checks":
                self.run(again=self._state.evidence is not None)

    def _tell(self, state: ChecksState) -> None:
        state = replace(state, may_ask_for_needed=self._page is not None and _has_parts(self._page))
        self._state = state
        self._part.show_state(state)
        self._mark()
        if state.evidence is not None or not state.is_running:  # what was known stays until it is known better
            failing = state.evidence.failing_paths if state.evidence is not None else frozenset[str]()
            if failing != self.failing_paths:
                self.failing_paths = failing
                self.failing_changed.emit()

    def _mark(self) -> None:
        page, evidence = self._page, self._state.evidence
        self._model.set_line_marks(_marks(page, evidence) if page is not None and evidence is not None else {})


def _has_parts(page: PlanPage) -> bool:
    return sum(max(1, len(view.hunks)) for view in page.views) > 1


def _marks(page: PlanPage, evidence: Evidence) -> Mapping[OperationId, Mapping[int, LineMark]]:
    """New messages by operation and line; of several operations on a path the last one has the final file."""
    last = {each.to or each.path: each.id for each in page.version.operations if each.path is not None}
    found: dict[OperationId, dict[int, LineMark]] = {}
    for each in evidence.diagnostics:
        if each.new and each.line and each.path in last:
            lines = found.setdefault(last[each.path], {})
            known = lines.get(each.line)
            text = f"{visible(each.code)}  {visible(each.message)}".strip()
            is_error = each.severity == "error" or (known is not None and known.is_error)
            lines[each.line] = LineMark(f"{known.text}\n{text}" if known else text, is_error)
    return found
