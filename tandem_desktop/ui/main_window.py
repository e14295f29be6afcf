"""What is in the window: places the panes, binds the keys, decides nothing."""

import logging
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPoint, QRect, QSettings, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from tandem_desktop.domain.agents import OfferedCommand
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.orchestration.agents_here import AgentsHere
from tandem_desktop.orchestration.workroom import Workroom
from tandem_desktop.sidecar.profiles import BUILT_IN
from tandem_desktop.storage.locations import default_state_directory
from tandem_desktop.storage.logbook import LOGS, Logbook
from tandem_desktop.ui.chat_errands import ChatErrands
from tandem_desktop.ui.commands import Commands
from tandem_desktop.ui.home_path import from_home
from tandem_desktop.ui.models.palette_model import PaletteItem
from tandem_desktop.ui.plan_shelf import PlanShelf
from tandem_desktop.ui.quiet_pool import QuietPool
from tandem_desktop.ui.settings.settings_desk import SettingsDesk
from tandem_desktop.ui.shell.actions import WindowActions, shown_keys
from tandem_desktop.ui.shell.agent_words import readiness, what_it_needs
from tandem_desktop.ui.shell.branch import BranchWatch
from tandem_desktop.ui.shell.command_palette import CommandPalette
from tandem_desktop.ui.shell.notifier import FreedesktopMessages, Notifier, TrayMessages
from tandem_desktop.ui.shell.plans_rail import PlansRail
from tandem_desktop.ui.shell.status_line import StatusLine
from tandem_desktop.ui.shell.top_bar import TopBar
from tandem_desktop.ui.shell.welcome import Welcome
from tandem_desktop.ui.shell.window_memory import WindowMemory
from tandem_desktop.ui.theme.stylesheet import install, set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.toast import Toast
from tandem_desktop.ui.window_actions import window_actions
from tandem_desktop.ui.window_frame import SIZE, SMALLEST
from tandem_desktop.ui.window_pages import WindowPages
from tandem_desktop.ui.words import tr
from tandem_desktop.ui.workplace import Workplace

_log = logging.getLogger(__name__)
_CHAT_WIDTH = 440
_RAIL_FROM = 1080
"""Below this width the plans make room; Ctrl+B brings them back."""


class MainWindow(QWidget):
    """One workspace at a time; without one it offers a choice. Stands by itself, or in a `WindowFrame`."""

    def __init__(
        self,
        theme: Theme,
        open_workroom: Callable[[Path], Workroom],
        recipes: Callable[[], tuple[OfferedCommand, ...]] = tuple,
        settings: QSettings | None = None,
        look_for_agents: Callable[[], AgentsHere] | None = None,
        logbook: Logbook | None = None,
    ) -> None:
        super().__init__()
        self._theme = theme
        self._open_workroom = open_workroom
        self._recipes = recipes
        self._look_for_agents = look_for_agents
        self._pool = QuietPool(1, thread_name_prefix="welcome")
        self._commands = Commands(self)
        self._wanted_agent = ""
        self._memory = WindowMemory(settings or QSettings(), theme)
        self.workplace: Workplace | None = None
        self.setObjectName("main-window")
        self.setWindowTitle("Tandem Desktop")
        self.setAcceptDrops(True)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._memory.wear_last_look()
        install(application, theme)
        self.top = TopBar(theme)
        self.status = StatusLine(theme)
        self.welcome = Welcome(theme)
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setObjectName("panes")
        self.splitter.setChildrenCollapsible(False)
        self._pages = QStackedWidget()
        self._pages.addWidget(self.welcome)
        self._pages.addWidget(self.splitter)
        self._lay_out()
        self.toast = Toast(theme, self, self._toast_area)
        self.palette = CommandPalette(theme, self)  # type: ignore[assignment,method-assign]  # the palette of commands
        self.pages = WindowPages(self, theme, logbook or Logbook(default_state_directory() / LOGS))
        self.pages.said.connect(lambda words, tone: self.toast.say(words, tone=tone))
        self.pages.updated.connect(self._tell_update)
        self.notifier = Notifier(self, (FreedesktopMessages(self), TrayMessages(self)))
        self.actions_ = WindowActions(self)
        self.settings = SettingsDesk(self, theme, self._memory, self.actions_, self.notifier)
        self.actions_.add(window_actions(self, self.settings))
        self.settings.said.connect(lambda words, tone: self.toast.say(words, tone=tone))
        self.settings.letters_chosen.connect(self._set_letters)
        self.settings.reopen_requested.connect(self._open_again)
        self.top.palette_requested.connect(lambda: self.actions_.do("palette"))
        self.top.theme_requested.connect(lambda: self.actions_.do("theme"))
        self.top.workspace_requested.connect(lambda: self.actions_.do("open-folder"))
        self.top.plan_mode_chosen.connect(self._choose_mode)
        self.top.agent_chosen.connect(self._choose_agent)
        self.welcome.folder_requested.connect(lambda: self.actions_.do("open-folder"))
        self.welcome.folder_chosen.connect(lambda path: self.open_workspace(Path(path)))
        self.welcome.sample_requested.connect(self._open_sample)
        self.welcome.agent_chosen.connect(self._open_with)
        self.welcome.copied.connect(lambda words: self.toast.say(tr("Copied: {words}", words=words), tone="ok"))
        self._memory.restore_place(self)

    def open_workspace(self, root: Path | None) -> None:
        """Work on a folder; without one, the last one, or a choice."""
        chosen = root or self._memory.last_workspace
        if chosen is None:
            self._show_welcome()
            return
        try:
            workroom = self._open_workroom(chosen)
        except TandemError as error:
            self.welcome.show_problem(f"{error.message} {error.next}")
            self._show_welcome()
            return
        self._leave_workspace()
        self._enter(Workplace(self._theme, workroom, self))
        self._memory.remember(workroom.engine.locations.workspace)

    def open_plan(self, plan_id: str) -> None:
        if self.workplace is not None:
            self.workplace.open_plan(PlanId(plan_id))

    def _look_at(self, place: Workplace, plan: str) -> None:
        """A message of the desktop may be pressed long after another workspace was opened."""
        if plan and self.workplace is place:
            place.open_plan(PlanId(plan))

    def leave(self) -> None:
        """End what goes on behind the window."""
        self.notifier.leave()
        self._leave_workspace()
        self._commands.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._memory.keep_place(self.window(), self.splitter)
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._make_room()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(Path(url.toLocalFile()).is_dir() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        for url in event.mimeData().urls():
            if Path(url.toLocalFile()).is_dir():
                self.open_workspace(Path(url.toLocalFile()))
                return

    def _lay_out(self) -> None:
        set_role(self, "surface")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top)
        column.addWidget(self._pages, 1)
        column.addWidget(self.status)
        self.setMinimumSize(*SMALLEST)
        self.resize(*SIZE)

    def _enter(self, place: Workplace) -> None:
        self.workplace = place
        self.rail = PlansRail(self._theme, place.plans)
        PlanShelf(self._theme, place.state, place.plans, self.rail)
        for widget in (self.rail, place.chat, place.panel):
            self.splitter.addWidget(widget)
        px = self._theme.px
        place.chat.setMinimumWidth(px(_CHAT_WIDTH))
        self.splitter.setSizes([px(216), px(452), px(772)])
        self.splitter.setStretchFactor(2, 1)
        self._pages.setCurrentWidget(self.splitter)
        self.rail.plan_chosen.connect(lambda plan: place.open_plan(PlanId(plan)))
        self.rail.new_requested.connect(place.new_plan)
        self.rail.way_back_requested.connect(place.wishes.take_back)
        place.plan_shown.connect(self.rail.show_chosen)
        place.status_changed.connect(self.status.show_agent)
        place.disk_changed.connect(self.status.show_disk)
        place.drift_found.connect(self.status.show_drift)
        place.encoding.found.connect(self.status.show_encoding)
        place.mode_changed.connect(self.top.show_mode)
        place.agents_found.connect(self._show_agents)
        place.own.plans_wanted.connect(self.rail.search.setText)
        self.errands = ChatErrands(self._theme, place.chat, place.workroom, lambda: place.session_id)
        place.chat.log_requested.connect(self.pages.show_log)
        self.errands.said.connect(lambda words, tone: self.toast.say(words, tone=tone))
        place.panel.perspectives.transcript_requested.connect(self.errands.open_advice)
        place.failed.connect(self._tell_failure)
        place.panel.operations.folder_requested.connect(lambda: self.actions_.do("open-folder"))
        place.said.connect(lambda words, tone: self.toast.say(words, tone=tone))
        place.attention_wanted.connect(
            lambda title, words, plan: self.notifier.tell(title, words, lambda: self._look_at(place, plan))
        )
        place.set_recipes(self._recipes())
        if self._wanted_agent:
            place.agents.choose(self._wanted_agent)
            self._wanted_agent = ""
        self.settings.wear(place.workroom.engine.settings)
        self.toast.give_way_to(place.panel.footer)
        root = place.workroom.engine.locations.workspace
        self._branch = BranchWatch(root, place)
        self._branch.changed.connect(self.top.show_branch)
        self.top.show_workspace(root.name, from_home(root), self._branch.branch)
        self.setWindowTitle(f"{root.name} — Tandem Desktop")
        self._memory.restore_panes(self.splitter)
        place.start()

    def _leave_workspace(self) -> None:
        place, self.workplace = self.workplace, None
        if place is None:
            return
        for position in reversed(range(self.splitter.count())):
            widget = self.splitter.widget(position)
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        place.close()
        place.deleteLater()

    def show_about(self) -> None:
        place = self.workplace
        self.pages.show_about(place.workroom.engine.locations.workspace if place is not None else None)

    def show_keys(self) -> None:
        worn = self.settings.worn
        self.pages.show_keys(letters=worn.single_letter_keys, changes=worn.keys)

    def show_settings(self) -> None:
        self.settings.show()

    def _set_letters(self, allowed: bool) -> None:
        if self.workplace is not None:
            self.workplace.panel.set_single_letters(allowed)

    def _open_again(self) -> None:
        """With the settings as they are now; an agent at work is not ended by that."""
        place = self.workplace
        if place is None:
            return
        if place.turns.is_any:
            self.toast.say(tr("An agent is at work. Stop it first, or open the workspace anew later."), tone="risk")
        else:
            self.open_workspace(place.workroom.engine.locations.workspace)

    def open_palette(self) -> None:
        items = [
            PaletteItem(action.title, action.group, shown_keys(action), action.do)
            for action in self.actions_
            if action.is_enabled() and not action.name.startswith("plan-")
        ]
        place = self.workplace
        for plan in place.plans.plans if place is not None else ():
            items.append(PaletteItem(plan.title, plan.plan_id, "", self._plan_opener(plan.plan_id)))
        self.palette.open(items, QApplication.focusWidget())  # type: ignore[attr-defined]

    def _toast_area(self) -> QRect:
        """At the foot of what the plan shows, above its buttons: the composer and every button stay free."""
        place = self.workplace
        if place is None:
            return self._pages.geometry()
        panel = place.panel
        below = panel.footer.height() if panel.footer.isVisible() else 0
        top_left = panel.mapTo(self, QPoint(0, 0))
        return QRect(top_left, panel.size()).adjusted(0, 0, 0, -below)

    def choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Open a folder"))
        if chosen:
            self.open_workspace(Path(chosen))

    def _show_welcome(self) -> None:
        self.top.show_no_workspace()
        self.status.show_agent("waiting", tr("Looking for agents…") if self._look_for_agents else tr("No agent yet"))
        self.welcome.show_recent(self._memory.recent)
        self._pages.setCurrentWidget(self.welcome)
        self.welcome.sample.setFocus(Qt.FocusReason.OtherFocusReason)
        if self._look_for_agents is not None:
            self._commands.run(self._pool.submit(self._look_for_agents), self._agents_found, self._tell_failure)

    def _agents_found(self, here: AgentsHere) -> None:
        self.welcome.show_agents(here)
        if self.workplace is None:
            self.status.show_agent(
                "done" if here.confinement.confined else "waiting",
                tr("Agents are {words}", words=here.confinement.words),
            )

    def _open_with(self, agent: str) -> None:
        """The person chose who plans; now the folder."""
        self._wanted_agent = agent
        self.choose_folder()

    def _open_sample(self) -> None:
        from tandem_desktop.ui.sample_workspace import make_sample

        self._wanted_agent = BUILT_IN  # whoever else is chosen: recipes are its own, and need no model
        self.open_workspace(make_sample())
        if self.workplace is not None:
            self.workplace.set_plan_mode(True)
            self.workplace.chat.composer.edit.setPlainText("/replace Hello Goodbye")

    def _choose_mode(self, plan_mode: bool) -> None:
        if self.workplace is not None:
            self.workplace.set_plan_mode(plan_mode)

    def _choose_agent(self, name: str) -> None:
        if self.workplace is not None:
            self.workplace.agents.choose(name)

    def _show_agents(self, found: tuple[AgentsHere, str]) -> None:
        here, chosen = found
        rows = [(each.profile.name, each.profile.title, what_it_needs(each)) for each in here.agents]
        self.top.show_agents(rows, chosen, here.confinement.words)
        in_use = next(each for each in here.agents if each.profile.name == chosen)
        self.status.show_agent(*readiness(in_use, here.confinement))

    def _tell_failure(self, error: TandemError) -> None:
        words = " ".join(filter(None, (error.message, error.next)))
        _log.warning("%s", words)
        self.toast.say(words, tone="error", action=tr("Log"), do=self.pages.show_log, stays=0)

    def _tell_update(self, version: str) -> None:
        words = tr("Tandem was updated to {version}.", version=version)
        self.toast.say(words, action=tr("What is new"), do=self.pages.show_news, stays=0)

    def _plan_opener(self, plan_id: str) -> Callable[[], None]:
        return lambda: self.open_plan(plan_id)

    def zoom(self, step: float | None) -> None:
        self._memory.zoom(step)
        self._make_room()

    def _make_room(self) -> None:
        if self.workplace is not None:
            self.rail.setVisible(self.width() >= self._theme.px(_RAIL_FROM))
            self.workplace.chat.setMinimumWidth(min(self._theme.px(_CHAT_WIDTH), self.width() * 9 // 20))

    def toggle_rail(self) -> None:
        self.rail.setVisible(not self.rail.isVisible())

    def next_pane(self) -> None:
        place = self.workplace
        if place is None:
            return
        panes: list[tuple[QWidget, QWidget]] = [
            (self.rail, self.rail.list),
            (place.chat, place.chat.composer.edit),
            (place.panel, place.panel.operations.list),
            (self.toast, self.toast.first),
        ]
        shown = [(pane, first) for pane, first in panes if first.isVisible()]
        focus = QApplication.focusWidget()
        at = next((n for n, (pane, _) in enumerate(shown) if focus and pane.isAncestorOf(focus)), -1)
        shown[(at + 1) % len(shown)][1].setFocus(Qt.FocusReason.TabFocusReason)
