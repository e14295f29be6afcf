"""The first page: who can plan here and what each needs, and a sample that keeps the whole promise."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from tandem_desktop.orchestration.agents_here import AgentsHere
from tandem_desktop.ui.home_path import from_home
from tandem_desktop.ui.shell.agent_row import AgentRow, RecipesRow
from tandem_desktop.ui.theme.stylesheet import set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.banner import Banner
from tandem_desktop.ui.widgets.link_button import LinkButton
from tandem_desktop.ui.widgets.plain_text import plain_label
from tandem_desktop.ui.words import later, tr, tr_marked, tr_n

_WIDTH = 760
_MOST_RECENT = 5
_PROMISE = later(
    "Choose who plans. Whoever it is works in a shadow of your project: nothing changes on disk until you say so."
)
_PRIVACY = later("No telemetry: agents talk to their own models, Tandem itself talks to nobody.")


class Welcome(QWidget):
    """Nothing is open yet."""

    folder_requested = Signal()
    folder_chosen = Signal(str)
    sample_requested = Signal()
    agent_chosen = Signal(str)
    """Work with this agent on the folder that is opened next."""
    copied = Signal(str)
    """What was put on the clipboard."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("welcome")
        set_role(self, "surface")
        self.problem = Banner(theme, "error", "", parent=self)
        self.problem.hide()
        self._recipes = RecipesRow(theme)
        self._recipes.pressed.connect(self.sample_requested)
        self.sample = self._recipes.button
        self._rows = QVBoxLayout()
        self._looked = plain_label(tr("Looking for agents on your PATH…"), "muted", wrap=True)
        self._looked.setObjectName("welcome-looked")
        self.folder = LinkButton(theme, tr("Open a folder"))
        self.folder.setObjectName("welcome-folder")
        self.folder.clicked.connect(self.folder_requested)
        self._recent_title = plain_label(tr("Recent"), "small")
        self._recent = QVBoxLayout()
        self._lay_out()
        self.show_recent(())

    def show_agents(self, here: AgentsHere) -> None:
        """What was found, those that can work at once first."""
        ready = sorted(here.agents, key=lambda each: (not each.can_start, each.path is None))
        self._show_rows(tuple(AgentRow(self._theme, each, here.confinement) for each in ready))
        looked = tr_n("Looked for {n} agent on your PATH.", "Looked for {n} agents on your PATH.", len(here.agents))
        self._looked.setText(f"{looked} {tr_marked(_PRIVACY)}")

    def show_recent(self, folders: Sequence[str]) -> None:
        _empty(self._recent)
        self._recent_title.setVisible(bool(folders))
        for path in folders[:_MOST_RECENT]:
            button = LinkButton(self._theme, from_home(path), ink="muted", parent=self)
            button.setObjectName("recent-folder")
            button.clicked.connect(lambda checked=False, chosen=path: self.folder_chosen.emit(chosen))
            self._recent.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)

    def show_problem(self, words: str) -> None:
        self.problem.set_message("error", words)
        self.problem.show()

    def _show_rows(self, rows: Sequence[AgentRow]) -> None:
        _empty(self._rows)
        for row in rows:
            row.pressed.connect(self.agent_chosen)
            row.copied.connect(self.copied)
            self._rows.addWidget(row)

    def _fit(self) -> None:
        self._holder.setMaximumWidth(self._theme.px(_WIDTH))

    def _lay_out(self) -> None:
        px = self._theme.px
        column = QVBoxLayout()
        column.setSpacing(px(10))
        column.addWidget(plain_label(tr("See it, approve it, get exactly that."), "display", wrap=True))
        column.addWidget(plain_label(tr_marked(_PROMISE), "muted", wrap=True))
        column.addSpacing(px(8))
        column.addWidget(self.problem)
        self._rows.setSpacing(px(10))
        column.addWidget(self._recipes)
        column.addLayout(self._rows)
        below = QHBoxLayout()
        below.addWidget(self._looked, 1)
        below.addWidget(self.folder, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(below)
        column.addWidget(self._recent_title)
        self._recent.setSpacing(px(2))
        column.addLayout(self._recent)
        self._holder = QWidget()
        self._holder.setLayout(column)
        self._fit()
        self._theme.changed.connect(self._fit)
        page = QWidget()
        set_role(page, "surface")
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(self._holder, 1000)
        across.addStretch(1)
        whole = QVBoxLayout(page)
        whole.setContentsMargins(px(24), px(24), px(24), px(24))
        whole.addStretch(1)
        whole.addLayout(across)
        whole.addStretch(1)
        scroll = QScrollArea()
        scroll.setObjectName("welcome-scroll")
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(page)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll)


def _empty(layout: QVBoxLayout) -> None:
    while (item := layout.takeAt(0)) is not None:
        if (old := item.widget()) is not None:
            old.hide()
            old.deleteLater()
