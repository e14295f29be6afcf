"""The row that names ignored files which are not part of the plan."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QSizePolicy, QWidget

from tandem_desktop.diff.text import visible
from tandem_desktop.domain.plan import IgnoredFiles, IgnoredFolder
from tandem_desktop.ui.i18n import tr, tr_n
from tandem_desktop.ui.plan.sheets import Spacing
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.buttons import LinkButton
from tandem_desktop.ui.widgets.labels import plain_label

_UNITS = ("B", "kB", "MB", "GB", "TB")


class IgnoredRow(QFrame):
    """Says how many there are and where; each folder can be ticked into the plan from its menu."""

    include_requested = Signal(str)
    """A glob of what is to be part of the plan."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._ignored: IgnoredFiles | None = None
        self.setObjectName("ignored-row")
        self.words = plain_label("", "muted", wrap=True, parent=self)
        self.words.setObjectName("ignored-words")
        self.words.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.choose = LinkButton(theme, tr("Include…"), "muted", self)
        self.choose.setObjectName("ignored-include")
        self.choose.clicked.connect(self._show_menu)
        row = QHBoxLayout(self)
        Spacing(theme, row, (12, 4, 12, 4), 8)
        row.addWidget(self.words, 1)
        row.addWidget(self.choose)
        self.hide()

    def show_ignored(self, ignored: IgnoredFiles | None, *, may_include: bool) -> None:
        """What the revision on screen leaves out; `may_include` while the plan can still be changed."""
        self._ignored = ignored
        self.setVisible(ignored is not None)
        self.choose.setVisible(may_include)
        if ignored is not None:
            words = sentence(ignored)
            self.words.setText(words)
            self.setAccessibleName(words)

    def menu(self) -> QMenu:
        """One entry to tick for each folder."""
        menu = QMenu(self)
        menu.setObjectName("ignored-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for folder in self._ignored.folders if self._ignored is not None else ():
            action = menu.addAction(_folder_words(folder).replace("&", "&&"))
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, glob=folder.glob: self.include_requested.emit(glob))
        return menu

    def _show_menu(self) -> None:
        self.menu().popup(self.choose.mapToGlobal(self.choose.rect().bottomLeft()))


def sentence(ignored: IgnoredFiles) -> str:
    """How many files are left out, and where the most of them are."""
    largest = max(ignored.folders, key=lambda each: each.count, default=None)
    others = len(ignored.folders) - 1
    if largest is None or largest.path == ".":
        return tr_n(
            "{n} ignored file is not part of the plan.", "{n} ignored files are not part of the plan.", ignored.count
        )
    folder = f"{visible(largest.path)}/"
    if others == 0:
        return tr_n(
            "{n} ignored file in {folder} is not part of the plan.",
            "{n} ignored files in {folder} are not part of the plan.",
            ignored.count,
            folder=folder,
        )
    where = tr_n("{folder} and {n} other folder", "{folder} and {n} other folders", others, folder=folder)
    return tr_n(
        "{n} ignored file in {folder} is not part of the plan.",
        "{n} ignored files in {folder} are not part of the plan.",
        ignored.count,
        folder=where,
    )


def _folder_words(folder: IgnoredFolder) -> str:
    name = tr("the workspace itself") if folder.path == "." else f"{visible(folder.path)}/"
    return f"{name}  {tr_n('{n} file', '{n} files', folder.count)}, {_size(folder.bytes)}"


def _size(count: int) -> str:
    size, unit = float(count), 0
    while size >= 1000 and unit < len(_UNITS) - 1:
        size, unit = size / 1000, unit + 1
    return f"{size:.0f} {_UNITS[unit]}" if unit == 0 or size >= 10 else f"{size:.1f} {_UNITS[unit]}"
