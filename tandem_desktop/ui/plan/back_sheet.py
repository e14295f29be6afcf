"""Back to an earlier point of the conversation: what would be undone and set aside, before anything is."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from tandem_desktop.orchestration.restore_points import PointPreview, Restoring
from tandem_desktop.staging.text import visible
from tandem_desktop.ui.plan.sheet import Sheet
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.button import PrimaryButton, QuietButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.widgets.segmented import Segmented
from tandem_desktop.ui.words import later, tr, tr_marked, tr_n

_NAMED, _QUOTED = 12, 80
_NO_FILES = later("No run after this point is left to undo; the files are as they were.")


class BackSheet(Sheet):
    """Files only, conversation only, or both. Nothing is deleted: runs are undone, entries set aside."""

    confirmed = Signal(int, object)
    """The entry, and what goes back: `Restoring`."""

    def __init__(self, host: QWidget, theme: Theme) -> None:
        super().__init__(host, theme, "back-sheet", tr("Go back"))
        self._entry = 0
        self._preview = PointPreview(None, 0)
        self.what = Segmented(
            theme,
            (
                (Restoring.BOTH.value, tr("Files and conversation")),
                (Restoring.FILES.value, tr("Files only")),
                (Restoring.CHAT.value, tr("Conversation only")),
            ),
            tr("Go back"),
        )
        self.what.chosen.connect(lambda _key: self._tell())
        self.files, self.chat = plain_label("", wrap=True), plain_label("", wrap=True)
        self.files.setObjectName("back-files")
        self.chat.setObjectName("back-chat")
        for widget in (self.what, self.files, self.chat):
            self.body.addWidget(widget)
        self.back = QuietButton(theme, tr("Stay here"))
        self.back.setObjectName("back-stay")
        self.back.clicked.connect(self.leave)
        self.go = PrimaryButton(theme, tr("Go back"))
        self.go.setObjectName("back-go")
        self.go.clicked.connect(self._go)
        self.add_buttons(self.back, self.go)

    def ask(self, entry: int, words: str, preview: PointPreview) -> None:
        self._entry, self._preview = entry, preview
        said = visible(" ".join(words.split()))
        quoted = said[:_QUOTED] + ("…" if len(said) > _QUOTED else "")
        self.title.setText(tr("Go back to “{message}”", message=quoted))
        self.what.set_current(Restoring.BOTH.value)
        self.open(self.back)
        self._tell()

    def _tell(self) -> None:
        what = Restoring(self.what.current)
        files = self._preview.files
        moves_files, moves_chat = what is not Restoring.CHAT, what is not Restoring.FILES
        self.files.setText(self._about_files() if moves_files else tr("The files stay as they are."))
        aside = tr_n(
            "{n} entry after this message will be set aside: folded, not deleted. The agent still remembers.",
            "{n} entries after this message will be set aside: folded, not deleted. The agent still remembers.",
            self._preview.entries,
        )
        self.chat.setText(aside if moves_chat else tr("The conversation stays as it is."))
        has_conflict = files is not None and bool(files.undoing.conflicts)
        does_something = (moves_files and files is not None) or (moves_chat and self._preview.entries > 0)
        self.decides(self.go, does_something and not (moves_files and has_conflict))
        self.fit()

    def _about_files(self) -> str:
        files = self._preview.files
        if files is None:
            return tr_marked(_NO_FILES)
        if files.undoing.conflicts:
            named = "\n".join(f"· {visible(path)}  {visible(why)}" for path, why in files.undoing.conflicts[:_NAMED])
            return f"{tr('Later edits are in the way, so the files cannot go back:')}\n{named}"
        paths = [change.path for change in files.undoing.changes]
        lines = [
            tr_n(
                "{n} run will be undone, with {paths}:",
                "{n} runs will be undone, with {paths}:",
                len(files.runs),
                paths=tr_n("{n} path", "{n} paths", len(paths)),
            )
        ]
        for path in paths[:_NAMED]:
            is_merged = path in files.undoing.merged
            lines.append(f"· {visible(path)}  {tr('keeps your later edits')}" if is_merged else f"· {visible(path)}")
        if len(paths) > _NAMED:
            lines.append(tr("… and {n} more", n=f"{len(paths) - _NAMED:,}"))
        return "\n".join(lines)

    def _go(self) -> None:
        self.shut()
        self.confirmed.emit(self._entry, Restoring(self.what.current))
