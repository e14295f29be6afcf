"""The conflict resolution sheet."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from tandem_desktop.diff.text import ends_without_newline, split_lines, visible, visible_name
from tandem_desktop.diff.three_way import Lines, Meeting, Region, Stretch, aligned, three_way
from tandem_desktop.review.conflicts import Choice, Conflict, FileModes, Resolution, Take
from tandem_desktop.services.rebases import ThreeSides
from tandem_desktop.ui.diff.loader import DiffLoader
from tandem_desktop.ui.diff.view import DiffView
from tandem_desktop.ui.editor import EditableText
from tandem_desktop.ui.i18n import later, tr, tr_marked, tr_n, tr_table
from tandem_desktop.ui.merge.view import MergeColours, ThreeWayView
from tandem_desktop.ui.plan.row_diff import DiffSource
from tandem_desktop.ui.plan.sheets import Sheet, Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import PLAIN, PRIMARY, Button, LinkButton, PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.inputs import CodeEdit
from tandem_desktop.ui.widgets.labels import announce, plain_label


@dataclass(frozen=True, slots=True)
class Answers:
    """One `Resolution` per answered path. Immutable."""

    by_path: Mapping[str, Resolution] = field(default_factory=dict)

    def of(self, conflict: Conflict) -> Resolution:
        """The answer for a path; an answer to an older conflict does not count."""
        said = self.by_path.get(conflict.path)
        return said if said is not None and said.seen == conflict.seen else _unanswered(conflict)

    def choice(self, conflict: Conflict, region: int) -> Choice | None:
        return self.of(conflict).regions.get(region)

    def with_region(self, conflict: Conflict, region: int, choice: Choice) -> "Answers":
        said = self.of(conflict)
        return self._with(replace(said, regions={**said.regions, region: choice}))

    def with_whole(self, conflict: Conflict, take: Take) -> "Answers":
        return self._with(replace(self.of(conflict), whole=take))

    def with_mode(self, conflict: Conflict, take: Take) -> "Answers":
        return self._with(replace(self.of(conflict), mode=take))

    def resolutions(self, conflicts: tuple[Conflict, ...]) -> tuple[Resolution, ...]:
        """The resolutions of these conflicts; unanswered paths are left out."""
        said = (self.of(conflict) for conflict in conflicts)
        return tuple(each for each in said if each.whole is not None or each.regions or each.mode is not None)

    def open_regions(self, conflict: Conflict) -> tuple[int, ...]:
        said = self.of(conflict).regions
        return tuple(region.n for region in conflict.regions if region.n not in said)

    def is_complete(self, conflict: Conflict) -> bool:
        """Whether the path is fully resolved."""
        said = self.of(conflict)
        if conflict.modes is not None and conflict.mode(said) is None:
            return False
        if conflict.regions:
            return conflict.resolved(said) is not None
        return conflict.modes is not None or said.whole in conflict.ways

    def _with(self, resolution: Resolution) -> "Answers":
        return Answers({**self.by_path, resolution.path: resolution})


def merged_so_far(conflict: Conflict, answers: Answers) -> bytes:
    """The content with the answers applied; open regions are as on disk."""
    assert conflict.lines is not None
    said = answers.of(conflict)
    filled = {region.n: said.regions.get(region.n, Take.DISK) for region in conflict.regions}
    content = conflict.resolved(replace(said, regions=filled))
    assert content is not None
    return content


def _unanswered(conflict: Conflict) -> Resolution:
    return Resolution(conflict.path, seen=conflict.seen)


WORDS = tr_table(
    {
        Take.DISK: "Take disk",
        Take.PROPOSED: "Take proposed",
        Take.DISK_FIRST: "Disk, then proposed",
        Take.PROPOSED_FIRST: "Proposed, then disk",
    }
)
KEYS = {"1": Take.DISK, "2": Take.PROPOSED, "3": Take.DISK_FIRST, "4": Take.PROPOSED_FIRST}
_SUGGESTED = later("A suggestion, found by likeness. Nothing is taken before you keep it.")
_OWN = later("Your own lines for this conflict")
_EDITOR_HEIGHT = 110


class MergeChoices(QWidget):
    """Shows the answer of one region and emits changes; stores none."""

    chosen = Signal(object)
    """A `Choice`."""
    stepped = Signal(int)
    """To the next conflict or the one before."""
    left = Signal()
    """Editing has ended; the focus can go elsewhere."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._region: Region | None = None
        self._choice: Choice | None = None
        self._suggestion: bytes | None = None
        self.setObjectName("merge-choices")
        self.about = plain_label("", "section")
        self._takes = {take: Button(theme, WORDS[take], key) for key, take in KEYS.items()}
        for take, button in self._takes.items():
            button.setObjectName(f"merge-take-{take.value}")
            button.clicked.connect(lambda _checked=False, take=take: self.chosen.emit(take))
        self.own = Button(theme, tr("Write it…"), "e")
        self.own.setObjectName("merge-own")
        self.own.clicked.connect(self.write_own)
        self.suggestion = LinkButton(theme, tr("Look at a suggestion…"))
        self.suggestion.setObjectName("merge-suggestion")
        self.suggestion.clicked.connect(self._look_at_suggestion)
        for button in (*self._takes.values(), self.own):
            button.set_compact()
        self.before, self.after = QuietButton(theme, "‹"), QuietButton(theme, "›")
        for button, step, words in ((self.before, -1, tr("Conflict before")), (self.after, 1, tr("Next conflict"))):
            button.setObjectName(f"merge-step-{'next' if step > 0 else 'previous'}")
            button.setAccessibleName(words)
            button.set_compact()
            button.clicked.connect(lambda _checked=False, step=step: self.stepped.emit(step))
        top = QHBoxLayout()
        Spacing(theme, top)
        top.addWidget(self.before)
        top.addWidget(self.about)
        top.addWidget(self.after)
        top.addStretch(1)
        top.addWidget(self.suggestion)
        row = QHBoxLayout()
        Spacing(theme, row)
        for button in (*self._takes.values(), self.own):
            row.addWidget(button)
        row.addStretch(1)
        self._writing = QWidget()
        self._hint = plain_label("", "muted", wrap=True)
        self.editor = CodeEdit(theme, "merge-editor", tr("Your own lines"))
        self.editor.setFixedHeight(theme.px(_EDITOR_HEIGHT))
        self.editor.sent.connect(self._keep_own)
        self.editor.left.connect(self._stop_writing)
        keep, discard = Button(theme, tr("Keep these lines"), "Ctrl+⏎"), QuietButton(theme, tr("Discard"), "Esc")
        keep.setObjectName("merge-own-keep")
        discard.setObjectName("merge-own-discard")
        keep.clicked.connect(self._keep_own)
        discard.clicked.connect(self._stop_writing)
        foot = QHBoxLayout()
        Spacing(theme, foot)
        foot.addWidget(self._hint, 1)
        for button in (discard, keep):
            button.set_compact()
            foot.addWidget(button)
        writing = QVBoxLayout(self._writing)
        Spacing(theme, writing, between=6)
        writing.addWidget(self.editor)
        writing.addLayout(foot)
        layout = QVBoxLayout(self)
        Spacing(theme, layout, between=6)
        layout.addLayout(top)
        layout.addLayout(row)
        layout.addWidget(self._writing)
        self._writing.hide()

    def show_region(self, region: Region, of: int, choice: Choice | None, suggestion: bytes | None) -> None:
        if region != self._region:
            self._writing.hide()
        self._region, self._choice, self._suggestion = region, choice, suggestion
        self.about.setText(tr("Conflict {number} of {of}", number=region.n, of=of))
        for step in (self.before, self.after):
            step.setVisible(of > 1)
        is_text = self._editable(region.disk) is not None and self._editable(region.proposed) is not None
        for take, button in self._takes.items():
            button.set_look(PRIMARY if choice is take else PLAIN)
            button.setVisible(is_text or take in (Take.DISK, Take.PROPOSED))
        self.own.set_look(PRIMARY if isinstance(choice, bytes) else PLAIN)
        self.own.setVisible(is_text)
        self.suggestion.setVisible(suggestion is not None)

    def key(self, letter: str) -> bool:
        """Handle a key forwarded by the three-way view."""
        if letter in KEYS and self._takes[KEYS[letter]].isVisible():
            self.chosen.emit(KEYS[letter])
        elif letter == "e" and self.own.isVisible():
            self.write_own()
        elif letter in "np" and self.after.isVisible():
            self.stepped.emit(1 if letter == "n" else -1)
        else:
            return False
        return True

    def write_own(self) -> None:
        """Edit the stored text, or both sides one after the other."""
        region = self._region
        if region is not None:
            kept = self._choice if isinstance(self._choice, bytes) else b"".join((*region.disk, *region.proposed))
            self._write(kept, tr_marked(_OWN))

    def _look_at_suggestion(self) -> None:
        if self._suggestion is not None:
            self._write(self._suggestion, tr_marked(_SUGGESTED))

    def _write(self, content: bytes, hint: str) -> None:
        known = EditableText.of(content)
        if known is None:
            return
        self._hint.setText(hint)
        self.editor.setPlainText(known.text.removesuffix("\n"))
        self._writing.show()
        self.editor.setFocus()

    def _keep_own(self) -> None:
        region = self._region
        if region is None:
            return
        newline = b"\r\n" if any(line.endswith(b"\r\n") for line in (*region.disk, *region.proposed)) else b"\n"
        typed = self.editor.text
        content = typed.encode().replace(b"\n", newline)
        is_end = _is_open(region.disk) and _is_open(region.proposed)
        self._stop_writing()
        self.chosen.emit(content + newline if typed and not is_end else content)

    def _stop_writing(self) -> None:
        self._writing.hide()
        self.left.emit()

    def _editable(self, lines: Lines) -> EditableText | None:
        return EditableText.of(b"".join(lines))


def _is_open(lines: Lines) -> bool:
    """Whether they end a file without a newline."""
    return bool(lines) and ends_without_newline(lines[-1])


_SIDES = (Take.DISK, Take.PROPOSED)
_WORDS = tr_table({Take.DISK: "Leave it as it is on disk", Take.PROPOSED: "Do what the plan proposes"})


class WholeChoices(QWidget):
    """Two rows of two buttons, each shown only where it applies."""

    chosen = Signal(object)
    """A `Take` for the path."""
    mode_chosen = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("merge-whole")
        grid = QGridLayout(self)
        Spacing(theme, grid)
        self._file, self._mode = plain_label(tr("The file"), "muted"), plain_label(tr("Its permissions"), "muted")
        self._files: dict[Take, Button] = {}
        self._modes: dict[Take, Button] = {}
        for row, (label, buttons, name, told) in enumerate(
            (
                (self._file, self._files, "whole", self.chosen),
                (self._mode, self._modes, "mode", self.mode_chosen),
            )
        ):
            grid.addWidget(label, row, 0)
            for column, take in enumerate(_SIDES, start=1):
                button = buttons[take] = Button(theme, _WORDS[take])
                button.setObjectName(f"merge-{name}-{take.value}")
                button.set_compact()
                button.clicked.connect(lambda _checked=False, take=take, told=told: told.emit(take))
                grid.addWidget(button, row, column)
        grid.setColumnStretch(3, 1)

    def show_conflict(self, conflict: Conflict | None, said: Resolution | None, *, has_lines: bool) -> None:
        asks_file = conflict is not None and not has_lines and conflict.modes is None
        modes = conflict.modes if conflict is not None else None
        self.setVisible(asks_file or modes is not None)
        self._file.setVisible(asks_file)
        self._mode.setVisible(modes is not None)
        for take in _SIDES:
            self._files[take].setVisible(asks_file and conflict is not None and take in conflict.ways)
            self._files[take].set_look(PRIMARY if said is not None and said.whole is take else PLAIN)
            self._modes[take].setVisible(modes is not None)
            self._modes[take].set_look(PRIMARY if said is not None and said.mode is take else PLAIN)
            if modes is not None:
                self._modes[take].setText(_mode_words(modes, take))


def _mode_words(modes: FileModes, take: Take) -> str:
    mode = modes.disk if take is Take.DISK else modes.proposed
    side = tr("Take disk") if take is Take.DISK else tr("Take proposed")
    return f"{side}: {mode:04o}" if mode is not None else side


_WIDE, _MARGIN = 1320, 24
_NAME = 28
"""Characters of a path that the chooser of files shows."""


class MergeSheet(Sheet):
    """Shows the three sides of each path and collects resolutions. No conflict is resolved without the user."""

    path_wanted = Signal(str)
    """A path whose three sides are to be shown; answered by `show_sides`."""
    answered = Signal()
    """An answer changed; answered by `show_open`."""
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
        self.paths.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.paths.setMinimumContentsLength(_NAME)
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

    # Input

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
        """Show one path, and its conflict if it has one."""
        self._sides = sides
        if sides.conflict is not None:
            self._conflicts[sides.path] = sides.conflict
        self.paths.setCurrentIndex(self.paths.findData(sides.path))
        self.title.setText(tr("Merge {path}", path=visible_name(sides.path)))
        conflict = sides.conflict
        self.view.show_sides((sides.base, sides.disk, sides.proposed), _stretches(sides))
        self._colours.show(sides.path)
        self._region = next(iter(self.answers.open_regions(conflict)), 1) if conflict and conflict.regions else 0
        self._show_answers()
        self.view.go_to(self._region)

    def show_open(self, conflicts: Sequence[Conflict]) -> None:
        """The conflicts still open; an answer can lead to new ones."""
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
        self.guard.decides(self.save, not conflicts)
        self._name_paths()

    def resolutions(self) -> tuple[Resolution, ...]:
        return self.answers.resolutions(tuple(self._conflicts.values()))

    def fit(self) -> None:
        """As large as the window allows."""
        margin = self._theme.px(_MARGIN)
        width = min(self._theme.px(self._wide), self.width() - 2 * margin)
        self.card.setGeometry((self.width() - width) // 2, margin, width, self.height() - 2 * margin)

    # Answers

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

    # Display

    def _show_answers(self) -> None:
        sides, conflict = self._sides, self._conflict()
        if sides is None:
            return
        # A file deleted on disk has no lines to choose from.
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
            self.paths.setItemText(index, f"{visible_name(path)} · {state}")


def _stretches(sides: ThreeSides) -> tuple[Stretch, ...]:
    """Line by line if all three are text; otherwise the whole file is one region."""
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
            path=visible_name(sides.path),
            reason=visible(conflict.reason),
        )
    return tr(
        "{path} changed on disk after it was staged; both changes keep apart and fit together.",
        path=visible_name(sides.path),
    )
