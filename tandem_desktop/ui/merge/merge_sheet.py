"""The three sides of every path that drifted, what is said about each conflict, and what comes of it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from tandem_desktop.orchestration.rebases import ThreeSides
from tandem_desktop.review.conflicts import Choice, Conflict, Resolution, Take
from tandem_desktop.review.three_way import Meeting, Stretch, aligned, three_way
from tandem_desktop.staging.text import split_lines, visible
from tandem_desktop.ui.diff.diff_loader import DiffLoader
from tandem_desktop.ui.diff.diff_view import DiffView
from tandem_desktop.ui.merge.answers import Answers, merged_so_far
from tandem_desktop.ui.merge.merge_choices import WORDS, MergeChoices
from tandem_desktop.ui.merge.merge_colours import MergeColours
from tandem_desktop.ui.merge.three_way_view import ThreeWayView
from tandem_desktop.ui.merge.whole_choices import WholeChoices
from tandem_desktop.ui.plan.row_diff import DiffSource
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.plan.spacing import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.announce import announce
from tandem_desktop.ui.widgets.button import PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import tr, tr_n

_WIDE, _MARGIN = 1320, 24


class MergeSheet(Sheet):
    """Takes sides and conflicts in; gives answers out. Nothing is taken that the person did not choose."""

    path_wanted = Signal(str)
    """A path whose three sides are to be shown; answered by `show_sides`."""
    answered = Signal()
    """The person said something; what that comes to is told by `show_open`."""
    save_requested = Signal(object)
    """The `Resolution` of every path in conflict."""

    def __init__(self, host: QWidget, theme: Theme, source: DiffSource) -> None:
        super().__init__(host, theme, "merge-sheet", tr("Merge"), wide=_WIDE)
        self.answers = Answers()
        self._conflicts: dict[str, Conflict] = {}
        self._open: frozenset[str] = frozenset()
        self._sides: ThreeSides | None = None
        self._region = 0
        self.said = plain_label("", "muted", wrap=True)
        self.paths = QComboBox()
        self.paths.setObjectName("merge-paths")
        self.paths.setAccessibleName(tr("File"))
        self.paths.activated.connect(lambda _index: self.path_wanted.emit(self.paths.currentData()))
        self.view = ThreeWayView(theme)
        self.view.region_chosen.connect(self._go_to)
        self.view.key_pressed.connect(self._key)
        self._colours = MergeColours(self.view, source.commands, source.executor)
        self.choices = MergeChoices(theme)
        self.choices.chosen.connect(self._choose)
        self.choices.stepped.connect(self._step)
        self.choices.left.connect(self.view.setFocus)
        self.whole = WholeChoices(theme)
        self.whole.chosen.connect(self._choose_whole)
        self.whole.mode_chosen.connect(self._choose_mode)
        self.result_words = plain_label("", "section")
        self.result = DiffView(theme)
        self.result.setObjectName("merge-result")
        self.result.set_offers(set())
        self._loader = DiffLoader(self.result, source.commands, source.executor, self)
        top = QHBoxLayout()
        Spacing(theme, top, between=12)
        top.addWidget(self.said, 1)
        top.addWidget(self.paths)
        self.body.addLayout(top)
        self.body.addWidget(self.view, 5)
        self.body.addWidget(self.choices)
        self.body.addWidget(self.whole)
        self.body.addWidget(self.result_words)
        self.body.addWidget(self.result, 4)
        self.left_open = plain_label("", "risk", wrap=True)
        self.left_open.setObjectName("merge-left-open")
        self.back = QuietButton(theme, tr("Back to review"))
        self.back.setObjectName("merge-back")
        self.back.clicked.connect(self.leave)
        self.save = PrimaryButton(theme, tr("Save"))
        self.save.setObjectName("merge-save")
        self.save.clicked.connect(self._save)
        self.add_buttons(self.back, self.save, note=self.left_open)

    # Values in

    def ask(self, revision: int, paths: Sequence[str], conflicts: Sequence[Conflict], path: str) -> None:
        """Open for a plan whose latest revision is `revision`, at one of the paths that drifted."""
        self._conflicts = {conflict.path: conflict for conflict in conflicts}
        self.answers = Answers()
        self._sides = None
        self.choices.hide()
        self.whole.hide()
        self.save.setText(tr("Save as revision {revision}", revision=revision + 1))
        self.paths.clear()
        for each in dict.fromkeys((*self._conflicts, *paths)):
            self.paths.addItem("", each)
        self.paths.setVisible(self.paths.count() > 1)
        self.open(self.view)
        self.show_open(conflicts)
        self.path_wanted.emit(path if path in self._paths() else self.paths.itemData(0))

    def show_sides(self, sides: ThreeSides) -> None:
        """One path; its conflict, if it has one, is asked about below."""
        self._sides = sides
        if sides.conflict is not None:
            self._conflicts[sides.path] = sides.conflict
        self.paths.setCurrentIndex(self.paths.findData(sides.path))
        self.title.setText(tr("Merge {path}", path=visible(sides.path)))
        conflict = sides.conflict
        self.view.show_sides((sides.base, sides.disk, sides.proposed), _stretches(sides))
        self._colours.show(sides.path)
        self._region = next(iter(self.answers.open_regions(conflict)), 1) if conflict and conflict.regions else 0
        self._show_answers()
        self.view.go_to(self._region)

    def show_open(self, conflicts: Sequence[Conflict]) -> None:
        """What still waits for an answer; an answer may have raised a question that was not there before."""
        for conflict in conflicts:
            self._conflicts.setdefault(conflict.path, conflict)
            if conflict.path not in self._paths():
                self.paths.addItem("", conflict.path)
        self.paths.setVisible(self.paths.count() > 1)
        self._open = frozenset(conflict.path for conflict in conflicts)
        regions = sum(max(1, len(self.answers.open_regions(conflict))) for conflict in conflicts)
        self.left_open.setText(
            tr(
                "{conflicts} still open in {files}.",
                conflicts=tr_n("{n} conflict", "{n} conflicts", regions),
                files=tr_n("{n} file", "{n} files", len(conflicts)),
            )
            if conflicts
            else ""
        )
        self.decides(self.save, not conflicts)
        self._name_paths()

    def resolutions(self) -> tuple[Resolution, ...]:
        return self.answers.resolutions(tuple(self._conflicts.values()))

    def fit(self) -> None:
        """As large as the window allows: three contents want room."""
        margin = self._theme.px(_MARGIN)
        width = min(self._theme.px(self._wide), self.width() - 2 * margin)
        self.card.setGeometry((self.width() - width) // 2, margin, width, self.height() - 2 * margin)

    # What the person says

    def _conflict(self) -> Conflict | None:
        return self._conflicts.get(self._sides.path) if self._sides is not None and self._sides.conflict else None

    def _choose(self, choice: Choice) -> None:
        conflict = self._conflict()
        if conflict is None or not self._region:
            return
        was_open = self._region in self.answers.open_regions(conflict)
        self.answers = self.answers.with_region(conflict, self._region, choice)
        left = self.answers.open_regions(conflict)
        announce(
            self,
            tr(
                "Conflict {region}: {said}; {count} left open", region=self._region, said=_said(choice), count=len(left)
            ),
        )
        if was_open and left:
            self._region = next((n for n in left if n > self._region), left[0])
        self._show_answers()
        self.answered.emit()

    def _choose_whole(self, take: Take) -> None:
        if (conflict := self._conflict()) is not None:
            self.answers = self.answers.with_whole(conflict, take)
            self._show_answers()
            self.answered.emit()

    def _choose_mode(self, take: Take) -> None:
        if (conflict := self._conflict()) is not None:
            self.answers = self.answers.with_mode(conflict, take)
            self._show_answers()
            self.answered.emit()

    def _go_to(self, region: int) -> None:
        self._region = region
        self._show_answers()

    def _step(self, step: int) -> None:
        conflict = self._conflict()
        if conflict is not None and conflict.regions:
            self._go_to((self._region - 1 + step) % len(conflict.regions) + 1)

    def set_single_letters(self, allowed: bool) -> None:
        self._letters = self.result.single_letters = allowed

    _letters = True

    def _key(self, letter: str) -> None:
        if self._letters and self.choices.isVisible():
            self.choices.key(letter)

    def _save(self) -> None:
        self.save_requested.emit(self.resolutions())

    # What is shown

    def _show_answers(self) -> None:
        sides, conflict = self._sides, self._conflict()
        if sides is None:
            return
        # Of a file that is gone from the disk there are no lines to choose.
        regions = conflict.regions if conflict is not None and sides.disk is not None else ()
        said = self.answers.of(conflict) if conflict is not None else None
        self.choices.setVisible(bool(regions))
        if conflict is not None and regions:
            region = regions[self._region - 1]
            choice = self.answers.choice(conflict, region.n)
            self.choices.show_region(region, len(regions), choice, sides.suggestions[self._region - 1])
        self.whole.show_conflict(conflict, said, has_lines=bool(regions))
        states = {each.n: _said(said.regions.get(each.n)) for each in regions} if said is not None else {}
        self.view.show_states(states, self._region)
        self.said.setText(_about(sides, conflict))
        self._show_result(sides, conflict)
        self._name_paths()

    def _show_result(self, sides: ThreeSides, conflict: Conflict | None) -> None:
        result: bytes | None = None
        if conflict is not None and conflict.lines is not None and sides.disk is not None:
            result = merged_so_far(conflict, self.answers)
        elif conflict is None and None not in (sides.base, sides.disk, sides.proposed):
            result = three_way(sides.base or b"", sides.disk or b"", sides.proposed or b"").merged
        self.result.setVisible(result is not None)
        left = len(self.answers.open_regions(conflict)) if conflict is not None else 0
        self.result_words.setText(_result_words(left))
        self.result_words.setVisible(result is not None)
        if result is not None:
            self._loader.show(sides.path, sides.disk or b"", result)

    def _paths(self) -> list[str]:
        return [self.paths.itemData(index) for index in range(self.paths.count())]

    def _name_paths(self) -> None:
        for index, path in enumerate(self._paths()):
            conflict = self._conflicts.get(path)
            state = tr("merges cleanly")
            if conflict is not None:
                state = tr("in conflict") if path in self._open else tr("resolved")
            self.paths.setItemText(index, f"{visible(path)} · {state}")


def _stretches(sides: ThreeSides) -> tuple[Stretch, ...]:
    """Line by line where all three are texts; otherwise all of it is in question at once."""
    contents = [split_lines(each or b"") for each in (sides.base, sides.disk, sides.proposed)]
    if None not in (sides.base, sides.disk, sides.proposed):
        found = tuple(aligned(*contents))
        if sum(each.meeting is Meeting.CONFLICT for each in found) == len(sides.regions):
            return found
    base, disk, proposed = (range(len(each)) for each in contents)
    return (Stretch(Meeting.CONFLICT, base, disk, proposed, region=1 if sides.regions else 0),)


def _result_words(left: int) -> str:
    if not left:
        return tr("Result, from what is on disk to what the plan would leave")
    return tr_n(
        "Result, from what is on disk to what the plan would leave; {n} conflict still stands as on disk",
        "Result, from what is on disk to what the plan would leave; {n} conflicts still stand as on disk",
        left,
    )


def _said(choice: Choice | None) -> str:
    match choice:
        case None:
            return ""
        case bytes():
            return tr("your own lines")
        case Take():
            return WORDS[choice].lower()


def _about(sides: ThreeSides, conflict: Conflict | None) -> str:
    if conflict is not None:
        return tr(
            "{path} {reason}. Nothing is guessed: you say what stands.",
            path=visible(sides.path),
            reason=visible(conflict.reason),
        )
    return tr(
        "{path} changed on disk after it was staged; both changes keep apart and fit together.",
        path=visible(sides.path),
    )
