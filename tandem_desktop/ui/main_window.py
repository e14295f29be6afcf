"""The main window, its actions and pages."""

import logging
import os
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, QRect, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from tandem_desktop.acp_client.profiles import BUILT_IN
from tandem_desktop.background import Background
from tandem_desktop.diff.text import visible_line
from tandem_desktop.domain.agent_protocol import OfferedCommand
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.plan_states import EventKind
from tandem_desktop.sessions.launch import InstalledAgents
from tandem_desktop.settings import Settings
from tandem_desktop.storage import atomic
from tandem_desktop.storage.logs import LOGS, LogFile
from tandem_desktop.storage.paths import default_state_directory
from tandem_desktop.ui.editor import from_home
from tandem_desktop.ui.i18n import later, tr, tr_marked
from tandem_desktop.ui.keys import keys_of
from tandem_desktop.ui.models.keys import PaletteItem
from tandem_desktop.ui.models.plans import ARCHIVED
from tandem_desktop.ui.plan_text import error_words
from tandem_desktop.ui.settings.controller import SettingsController
from tandem_desktop.ui.settings.sheet import choice
from tandem_desktop.ui.shell.notifier import FreedesktopMessages, Notifier, TrayMessages
from tandem_desktop.ui.shell.palette import CommandPalette, WindowAction, WindowActions, shown_keys
from tandem_desktop.ui.shell.pane_layout import CHAT_WIDTH, PaneLayout
from tandem_desktop.ui.shell.plans_rail import PlanListMenu, PlansRail
from tandem_desktop.ui.shell.top_bar import StatusLine, TopBar
from tandem_desktop.ui.shell.welcome import Welcome, make_sample, readiness, what_it_needs
from tandem_desktop.ui.state import BranchWatch, WindowMemory
from tandem_desktop.ui.theme.style import install, set_role
from tandem_desktop.ui.theme.theme import THEMES, Theme
from tandem_desktop.ui.threads import Commands, DaemonPool
from tandem_desktop.ui.turn_controller import ChatActions
from tandem_desktop.ui.widgets.decision_guard import FocusKeeper
from tandem_desktop.ui.widgets.toast import Toast
from tandem_desktop.ui.window_frame import SIZE, SMALLEST
from tandem_desktop.ui.workspace_controller import WorkspaceController

if TYPE_CHECKING:
    from tandem_desktop.ui.diagnostics import UpdateNotes
    from tandem_desktop.ui.shell.sheets import AboutSheet, KeysSheet, LogSheet, NewsSheet


_STEPS = (
    ("implement", later("Implement"), EventKind.APPROVE),
    ("rework", later("Rework"), EventKind.REQUEST_REVISION),
    ("cancel", later("Cancel the plan"), EventKind.CANCEL),
)


def window_actions(window: "MainWindow", settings: "SettingsController") -> Iterator[WindowAction]:
    """All actions of the window, in the order of the palette."""

    def here() -> bool:
        return window.controller is not None

    def at(do: Callable[[WorkspaceController], None]) -> Callable[[], None]:
        return lambda: do(window.controller) if window.controller is not None else None

    def talking(do: Callable[[WorkspaceController], None]) -> Callable[[WorkspaceController], None]:
        """With the conversation on screen."""

        def shown(place: WorkspaceController) -> None:
            window.panes.show_chat()
            do(place)

        return shown

    def act(
        name: str, title: str, group: str, do: Callable[[], None], when: Callable[[], bool] = lambda: True
    ) -> WindowAction:
        return WindowAction(name, title, group, keys_of(name), do, when)

    of_window, of_plan = tr("Window"), tr("Plan")
    yield act("palette", tr("Search commands and plans"), of_window, window.open_palette)
    yield act("open-folder", tr("Open a folder…"), of_window, window.choose_folder)
    yield act("review-patch", tr("Review a patch…"), of_window, window.review_patch)
    yield act("settings", tr("Settings…"), of_window, window.show_settings)
    yield act("model", tr("Model…"), of_window, settings.show_model)
    yield act("agent-command", tr("Your agents…"), of_window, settings.show_agents)
    yield act("theme", tr("Light or dark"), of_window, settings.toggle_theme)
    for name in THEMES:
        title = tr("Theme: {name}", name=choice(name).lower())
        yield act(f"theme-{name}", title, of_window, partial(settings.choose_theme, name))
    yield act("theme-system", tr("Theme: as the system"), of_window, lambda: settings.choose_theme("system"))
    yield act("zoom-in", tr("Larger"), of_window, lambda: window.zoom(0.1))
    yield act("zoom-out", tr("Smaller"), of_window, lambda: window.zoom(-0.1))
    yield act("zoom-reset", tr("Usual size"), of_window, lambda: window.zoom(None))
    yield act("review", tr("Review: the plan alone, or all panes"), of_window, window.panes.toggle_review, here)
    yield act("rail", tr("Show or hide the conversations"), of_window, window.panes.toggle_rail, here)
    yield act("chat", tr("Show or hide the chat"), of_window, window.panes.toggle_chat, here)
    yield act("next-pane", tr("Next pane"), of_window, window.next_pane, here)
    yield act("keys", tr("Keys"), of_window, window.show_keys)
    yield act("log", tr("Show the log"), of_window, window.pages.show_log)
    yield act("record", tr("Show the record of this conversation"), of_window, at(_show_record), here)
    markdown = tr("Open this conversation as Markdown")
    yield act("markdown", markdown, of_window, lambda: window.chat_actions.open_as_markdown(), here)
    yield act("diagnostics", tr("Save diagnostics"), of_window, window.pages.save_diagnostics)
    yield act("about", tr("About Tandem"), of_window, window.show_about)
    yield act("news", tr("What is new in this version"), of_window, window.pages.show_news)
    yield act("new-plan", tr("New plan"), of_plan, at(talking(WorkspaceController.new_plan)), here)
    archived = at(lambda place: place.own.plans_wanted.emit(tr_marked(ARCHIVED)))
    yield act("archived", tr("Show archived"), of_plan, archived, here)
    yield act("mode", tr("Plan mode on or off"), of_plan, at(lambda p: p.set_plan_mode(not p.plan_mode)), here)
    for name, title, kind in _STEPS:
        yield act(name, tr_marked(title), of_plan, at(partial(_request, kind=kind)), partial(_may, window, kind))
    may_approve = partial(_may, window, EventKind.APPROVE)
    tell = at(lambda place: place.own.inject_planning_tools())
    yield act("planning-tools", tr("Resend planning instructions"), of_plan, tell, here)
    begun = ("perspectives", "orchestrate", "template", "save-template")
    begin = {name: at(talking(partial(_begin_command, command=name))) for name in begun}
    yield act("perspectives", tr("Get second opinions…"), of_plan, begin["perspectives"], here)
    yield act("orchestrate", tr("Take a task to its end…"), of_plan, begin["orchestrate"], here)
    yield act("template", tr("New plan from a template…"), of_plan, begin["template"], here)
    yield act("save-template", tr("Save as template…"), of_plan, begin["save-template"], here)
    yield act(
        "tasks", tr("View tasks"), of_plan, at(lambda place: place.panel.show_tasks()), partial(_has, window, "tasks")
    )
    graph = at(lambda place: place.panel.show_graph())
    yield act("graph", tr("View the graph of the plan"), of_plan, graph, partial(_has, window, "graph"))
    yield act("rehearse", tr("Rehearse in a copy"), of_plan, at(lambda p: p.panel.rehearsals.rehearse()), may_approve)
    yield act("branch", tr("Duplicate as alternative"), of_plan, at(lambda p: p.plan_controller.branch()), here)
    yield act("back", tr("Go back to your last message…"), of_plan, at(lambda place: place.chat.ask_to_go_back()), here)
    yield act("undo", tr("Undo the last run"), of_plan, at(lambda place: place.plan_controller.undo_last()), here)
    yield act("commit", tr("Commit the last run…"), of_plan, at(lambda p: p.plan_controller.commit_last()), here)
    yield act("share", tr("Share this plan"), of_plan, at(lambda p: p.plan_controller.sharing.share()), here)
    yield act("fetch", tr("Fetch shared plans"), of_plan, at(lambda p: p.plan_controller.sharing.fetch()), here)
    settle = at(lambda place: place.panel.settle_requested.emit())
    yield act("settle", tr("Resume or roll back the interrupted run…"), of_plan, settle, window.has_interrupted)
    for number in range(1, 10):
        keys, title = (f"Ctrl+{number}",), tr("Plan {number}", number=number)
        yield WindowAction(f"plan-{number}", title, of_plan, keys, partial(_open_nth, window, number), here)


def _rank_in_palette(action: WindowAction) -> int:
    """What is done with plans first, the many themes last."""
    return 2 if action.name.startswith("theme-") else 0 if action.group == tr("Plan") else 1


def _may(window: "MainWindow", kind: EventKind) -> bool:
    """Whether the plan on screen takes this step."""
    place = window.controller
    return place is not None and place.panel.machine.can(kind)


def _has(window: "MainWindow", tab: str) -> bool:
    """Whether the plan on screen has something in this tab."""
    return window.controller is not None and window.controller.panel.tabs.has(tab)


def _open_nth(window: "MainWindow", number: int) -> None:
    """Open the conversation at this position of the list."""
    place = window.controller
    if place is not None and number <= len(place.plans.entries):
        place.open_entry(place.plans.entries[number - 1].key)


def _show_record(place: WorkspaceController) -> None:
    place.chat.record_requested.emit()


def _begin_command(place: WorkspaceController, command: str) -> None:
    place.chat.begin_command(command)


def _request(place: WorkspaceController, kind: EventKind) -> None:
    place.panel.request(kind)


class WindowPages(QObject):
    """Opens the about, keys, log and news pages; each is imported on first use."""

    said = Signal(str, str)
    """A message and its tone."""
    updated = Signal(str)
    """First start of a newer version: its number."""

    def __init__(self, host: QWidget, theme: Theme, log_file: LogFile) -> None:
        super().__init__(host)
        self._host, self._theme, self._log_file = host, theme, log_file
        self._keys: KeysSheet | None = None
        self._log: LogSheet | None = None
        self._about: AboutSheet | None = None
        self._notes: UpdateNotes | None = None
        self._news: NewsSheet | None = None

    def show_keys(self, *, letters: bool, changes: Mapping[str, str]) -> None:
        if self._keys is None:
            from tandem_desktop.ui.shell.sheets import KeysSheet

            self._keys = KeysSheet(self._host, self._theme)
        self._keys.show_keys(letters=letters, changes=changes)

    def show_log(self) -> None:
        if self._log is None:
            from tandem_desktop.ui.shell.sheets import LogSheet

            self._log = LogSheet(self._host, self._theme, self._log_file)
            self._log.said.connect(self.said)
        self._log.show_log()

    def save_diagnostics(self) -> None:
        """Write redacted diagnostics beside the log, for the user to check before sending."""
        from tandem_desktop.settings_io import SETTINGS_FILE, config_directory
        from tandem_desktop.ui.about import about_facts
        from tandem_desktop.ui.diagnostics import blacked_out, diagnostics

        file = self._log_file.folder / "diagnostics.txt"
        try:
            chosen = config_directory() / SETTINGS_FILE
            settings = chosen.read_text("utf-8", "replace") if chosen.is_file() else ""
            text = diagnostics(about_facts(((later("Log"), self._log_file.folder),)), settings, self._log_file.lines)
            atomic.make_directory(self._log_file.folder, mode=0o700)
            atomic.replace(file, blacked_out(text, Path.home(), os.environ).encode("utf-8", "replace"), mode=0o600)
        except OSError as error:
            words = tr("Diagnostics could not be written to {file}: {reason}.", file=file, reason=error.strerror)
            self.said.emit(words, "risk")
            return
        self.said.emit(
            tr("Saved {file}. Keys and passwords are blacked out; look through it before you pass it on.", file=file),
            "ok",
        )

    def show_about(self, workspace: Path | None) -> None:
        """Show the about page, with the workspace's folders if one is open."""
        from tandem_desktop.processes.own_program import own_papers
        from tandem_desktop.settings_io import SETTINGS_FILE, config_directory
        from tandem_desktop.storage.paths import TANDEM_DIRECTORY
        from tandem_desktop.ui.about import about_facts
        from tandem_desktop.ui.shell.sheets import AboutSheet

        if self._about is not None:
            self._about.deleteLater()
        places = [(later("State"), default_state_directory()), (later("Log"), self._log_file.folder)]
        places.append((later("Settings"), config_directory() / SETTINGS_FILE))
        if workspace is not None:
            places.append((later("Plans here"), workspace / TANDEM_DIRECTORY))
        if (documents := own_papers()) is not None:
            places.append((later("Documents, licences"), documents))
        self._about = AboutSheet(self._host, self._theme, about_facts(tuple(places)))
        self._about.said.connect(self.said)
        self._about.diagnostics_requested.connect(self.save_diagnostics)
        self._about.news_requested.connect(self.show_news)
        self._about.show_about()

    def tell_update(self) -> None:
        """Emit `updated` once after each update."""
        if self.notes.has_come():
            self.updated.emit(self.notes.version)

    def show_news(self) -> None:
        from tandem_desktop.ui.shell.sheets import NewsSheet

        if self._about is not None:
            self._about.shut()
        if self._news is not None:
            self._news.deleteLater()
        self._news = NewsSheet(self._host, self._theme, self.notes.version, self.notes.text)
        self._news.show_news()

    @property
    def notes(self) -> "UpdateNotes":
        if self._notes is None:
            from tandem_desktop.ui.diagnostics import UpdateNotes

            self._notes = UpdateNotes(default_state_directory())
        return self._notes


_log = logging.getLogger(__name__)


class MainWindow(QWidget):
    """Shows one workspace, or the welcome page. A top-level window, or the content of a `WindowFrame`."""

    def __init__(
        self,
        theme: Theme,
        open_background: Callable[[Path], Background],
        recipes: Callable[[], tuple[OfferedCommand, ...]] = tuple,
        settings: QSettings | None = None,
        look_for_agents: Callable[[], InstalledAgents] | None = None,
        log_file: LogFile | None = None,
    ) -> None:
        super().__init__()
        self._theme = theme
        self._open_background = open_background
        self._recipes = recipes
        self._look_for_agents = look_for_agents
        self._pool = DaemonPool(1, thread_name_prefix="welcome")
        self._commands = Commands(self)
        self._wanted_agent = ""
        stored = settings or QSettings()
        self._memory = WindowMemory(stored, theme)
        self.panes = PaneLayout(theme, stored, self)
        self.controller: WorkspaceController | None = None
        self._opening: Generator[None, None, None] | None = None
        """The steps of a folder that is being opened."""
        self.setObjectName("main-window")
        self.setWindowTitle("Tandem Desktop")
        self.setAcceptDrops(True)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._memory.apply_last_theme()
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
        self.pages = WindowPages(self, theme, log_file or LogFile(default_state_directory() / LOGS))
        self.pages.said.connect(lambda words, tone: self.toast.say(words, tone=tone))
        self.pages.updated.connect(self._tell_update)
        self.notifier = Notifier(self, (FreedesktopMessages(self), TrayMessages(self)))
        self.actions_ = WindowActions(self)
        self.settings = SettingsController(self, theme, self._memory, self.actions_, self.notifier)
        self.actions_.add(window_actions(self, self.settings))
        self.settings.said.connect(lambda words, tone: self.toast.say(words, tone=tone))
        self.settings.letters_chosen.connect(self._set_letters)
        self.settings.reopen_requested.connect(self._open_again)
        self.settings.models_chosen.connect(self._use_models)
        self.settings.agents_changed.connect(self._follow_agents)
        self.top.palette_requested.connect(lambda: self.actions_.do("palette"))
        self.top.theme_requested.connect(lambda: self.actions_.do("theme"))
        self.top.folder_requested.connect(lambda: self.actions_.do("open-folder"))
        self.top.folder_chosen.connect(lambda path: self.open_workspace(Path(path)))
        self.top.rail_requested.connect(lambda: self.actions_.do("rail"))
        self.top.chat_requested.connect(lambda: self.actions_.do("chat"))
        self.top.review_requested.connect(lambda: self.actions_.do("review"))
        self.panes.changed.connect(self._show_panes)
        self.top.plan_mode_chosen.connect(self._choose_mode)
        self.top.agent_chosen.connect(self._choose_agent)
        self.top.own_agents_requested.connect(self.settings.show_agents)
        self.welcome.folder_requested.connect(lambda: self.actions_.do("open-folder"))
        self.welcome.folder_chosen.connect(lambda path: self.open_workspace(Path(path)))
        self.welcome.patch_requested.connect(lambda: self.actions_.do("review-patch"))
        self.welcome.model_requested.connect(lambda: self.settings.show_model())
        self.welcome.command_requested.connect(self.settings.show_agents)
        self.welcome.sample_requested.connect(self._open_sample)
        self.welcome.agent_chosen.connect(self._open_with)
        self.welcome.copied.connect(lambda words: self.toast.say(tr("Copied: {words}", words=words), tone="ok"))
        self._memory.restore_place(self)

    def open_workspace(self, root: Path | None) -> None:
        """Open a folder; None opens the last one, or the welcome page."""
        for _ in self.open_in_steps(root):
            pass

    def open_in_steps(self, root: Path | None) -> Iterator[None]:
        """As `open_workspace`, in steps between which the window can handle its input."""
        if self._opening is not None:
            self._opening.close()
        steps = self._opening = self._open_in_steps(root)
        yield from steps
        if self._opening is steps:
            self._opening = None

    def _open_in_steps(self, root: Path | None) -> Generator[None, None, None]:
        chosen = root or self._memory.last_workspace
        if chosen is None:
            self._show_welcome()
            return
        try:
            background = self._open_background(chosen)
        except TandemError as error:
            self.welcome.show_problem(error_words(error))
            self._show_welcome()
            return
        self._leave_workspace()
        self._pages.setCurrentWidget(self.splitter)
        yield
        try:
            place = yield from WorkspaceController.in_steps(self._theme, background, self)
        except GeneratorExit:  # closed, or another folder was chosen meanwhile
            background.close()
            raise
        yield from self._enter(place)
        self._memory.remember(background.engine.locations.workspace)
        self.top.show_recent(self._memory.recent)

    def open_plan(self, plan_id: str) -> None:
        if self.controller is not None:
            self.controller.open_plan(PlanId(plan_id))

    def _look_at(self, place: WorkspaceController, key: str) -> None:
        """Open a plan or conversation from a notification, unless another workspace was opened since."""
        if key and self.controller is place:
            place.open_entry(key)

    def leave(self) -> None:
        """Close the workspace and stop its agents."""
        self.notifier.leave()
        if self._opening is not None:
            self._opening.close()
        self._leave_workspace()
        self._commands.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._memory.keep_place(self.window(), self.splitter)
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.panes.fit()

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

    def _enter(self, place: WorkspaceController) -> Iterator[None]:
        self.controller = place
        self.rail = PlansRail(self._theme, place.plans)
        PlanListMenu(self._theme, place.state, place.plans, self.rail, place.delete_conversation)
        for widget in (self.rail, place.chat, place.panel):
            self.splitter.addWidget(widget)
        panes = [(self.rail, self.rail.list), (place.chat, place.chat.composer.edit)]
        FocusKeeper([*panes, (place.panel, place.panel.operations.list)], self.top, place.panel)
        px = self._theme.px
        place.chat.setMinimumWidth(px(CHAT_WIDTH))
        self.splitter.setSizes([px(216), px(452), px(772)])
        self.splitter.setStretchFactor(2, 1)
        yield
        place.panel.sheets.enter_window()
        yield
        self.rail.plan_chosen.connect(place.open_entry)
        self.rail.conversation_chosen.connect(place.open_entry)
        self.rail.stop_requested.connect(lambda session: place.turns.stop(SessionId(session)))
        self.rail.new_requested.connect(lambda: self.actions_.do("new-plan"))
        self.rail.way_back_requested.connect(place.plan_controller.take_back)
        place.plan_shown.connect(self.rail.show_chosen)
        place.status_changed.connect(self.status.show_agent)
        place.disk_changed.connect(self.status.show_disk)
        place.drift_found.connect(self.status.show_drift)
        place.encoding.found.connect(self.status.show_encoding)
        self.status.show_encoding("")
        place.mode_changed.connect(self.top.show_mode)
        place.agents_found.connect(self._show_agents)
        place.agents.missed.connect(self._tell_missing_agent)
        place.own.plans_wanted.connect(self.rail.search.setText)
        self.chat_actions = ChatActions(self._theme, place.chat, place.background, lambda: place.session_id)
        place.chat.log_requested.connect(self.pages.show_log)
        place.chat.model_requested.connect(lambda: self.settings.show_model(place.chat.send_again))
        place.chat.composer.model_requested.connect(lambda: self.settings.show_model())
        place.turns.model_needed.connect(self.settings.show_model)
        self.chat_actions.said.connect(lambda words, tone: self.toast.say(words, tone=tone))
        place.panel.perspectives.transcript_requested.connect(self.chat_actions.open_advice)
        place.failed.connect(self._tell_failure)
        place.panel.operations.folder_requested.connect(lambda: self.actions_.do("open-folder"))
        place.said.connect(lambda words, tone: self.toast.say(words, tone=tone))
        place.attention_wanted.connect(lambda *_: QTimer.singleShot(0, self, lambda: self._show_waiting_card(place)))
        place.attention_wanted.connect(
            lambda title, words, plan: self.notifier.tell(title, words, lambda: self._look_at(place, plan))
        )
        place.set_recipes(self._recipes())
        if self._wanted_agent:
            place.agents.choose(self._wanted_agent)
            self._wanted_agent = ""
        self.settings.apply(place.background.engine.settings)
        self.toast.give_way_to(place.panel.footer)
        root = place.background.engine.locations.workspace
        self._branch = BranchWatch(root, place)
        self._branch.changed.connect(self.top.show_branch)
        self.top.show_workspace(root.name, from_home(root), self._branch.branch)
        self.setWindowTitle(f"{root.name} — Tandem Desktop")
        self._memory.restore_panes(self.splitter)
        self.status.show_agent("waiting", tr("Looking for agents…"))
        self.panes.enter(self.rail, place.chat, place.panel.operations.list)
        place.start()

    def _leave_workspace(self) -> None:
        place, self.controller = self.controller, None
        if place is None:
            return
        self.panes.leave()
        for position in reversed(range(self.splitter.count())):
            widget = self.splitter.widget(position)
            if widget is not None:
                widget.setParent(None)
                widget.deleteLater()
        place.close()
        place.deleteLater()

    def show_about(self) -> None:
        place = self.controller
        self.pages.show_about(place.background.engine.locations.workspace if place is not None else None)

    def show_keys(self) -> None:
        settings = self.settings.current
        self.pages.show_keys(letters=settings.single_letter_keys, changes=settings.keys)

    def show_settings(self) -> None:
        self.settings.show()

    def _set_letters(self, allowed: bool) -> None:
        if self.controller is not None:
            self.controller.panel.set_single_letters(allowed)

    def _open_again(self) -> None:
        """Reopen the workspace to apply changed settings, unless an agent is working."""
        place = self.controller
        if place is None:
            return
        if place.turns.is_any:
            self.toast.say(tr("An agent is at work. Stop it first, or open the workspace anew later."), tone="risk")
        else:
            self.open_workspace(place.background.engine.locations.workspace)

    def has_interrupted(self) -> bool:
        """Whether a run of this workspace was cut off and waits for a decision."""
        return self.controller is not None and self.controller.has_interrupted

    def open_palette(self) -> None:
        items = [
            PaletteItem(action.title, action.group, shown_keys(action), action.do)
            for action in sorted(self.actions_, key=_rank_in_palette)
            if action.is_enabled() and action.name != "palette" and not action.name.startswith("plan-")
        ]
        place = self.controller
        if place is not None:
            titles: dict[str, str] = {plan.plan_id: plan.title for plan in place.plans.plans}
            titles.update({row.key: row.name for row in place.plans.entries})
            for key, title in titles.items():
                items.append(PaletteItem(visible_line(title), key, "", partial(place.open_entry, key)))
        self.palette.open(items, QApplication.focusWidget())  # type: ignore[attr-defined]

    def _toast_area(self) -> QRect:
        """The bottom of the plan view, above its buttons: toasts cover neither the composer nor a button."""
        place = self.controller
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

    def review_patch(self) -> None:
        """Choose a patch, and the folder it is for where none is open; it becomes a plan."""
        name, _ = QFileDialog.getOpenFileName(self, tr("Review a patch"), "", tr("Patches (*.patch *.diff);;All (*)"))
        if not name:
            return
        if self.controller is None:
            words = tr("The folder the patch is for")
            folder = QFileDialog.getExistingDirectory(self, words, str(Path(name).parent))
            if not folder:
                return
            self.open_workspace(Path(folder))
        place = self.controller
        if place is not None:
            proposals = place.background.engine.proposals
            making = place.background.run(lambda: proposals.review_patch(Path(name).read_bytes()))
            self._commands.run(making, lambda made: place.open_plan(made.plan_id), self._tell_failure)

    def _show_welcome(self) -> None:
        self.top.show_no_workspace()
        self.top.show_recent(self._memory.recent)
        self.welcome.built_in.show_model(self.settings.model)
        self.status.show_agent("waiting", tr("Looking for agents…") if self._look_for_agents else tr("No agent yet"))
        self.welcome.show_recent(self._memory.recent)
        self._pages.setCurrentWidget(self.welcome)
        self.welcome.first.setFocus(Qt.FocusReason.OtherFocusReason)
        self._look()

    def _look(self) -> None:
        if self._look_for_agents is not None:
            self._commands.run(self._pool.submit(self._look_for_agents), self._agents_found, self._tell_failure)

    def _use_models(self, settings: Settings, with_new_key: str) -> None:
        self.welcome.built_in.show_model(self.settings.model)
        if self.controller is not None:
            self.controller.background.conversations.use_models(settings, with_new_key)
            self.controller.show_model(self.settings.model)

    def _follow_agents(self, command: str) -> None:
        if self.controller is not None:
            self.controller.agents.use_command(command)
        else:
            self._look()

    def _agents_found(self, here: InstalledAgents) -> None:
        self.welcome.show_agents(here)
        if self.controller is None:
            self.status.show_agent(
                "done" if here.confinement.confined else "waiting",
                tr("Agents are sandboxed")
                if here.confinement.confined
                else tr("Agents are {words}", words=here.confinement.description),
            )

    def _open_with(self, agent: str) -> None:
        """An agent was chosen on the welcome page; ask for the folder next."""
        self._wanted_agent = agent
        self.choose_folder()

    def _open_sample(self) -> None:
        self._wanted_agent = BUILT_IN  # always the built-in agent: the sample uses its recipes, which need no model
        self.open_workspace(make_sample())
        place = self.controller
        if place is not None:
            place.set_plan_mode(True)
            place.send_when_ready("/replace Hello Goodbye")

    def _choose_mode(self, plan_mode: bool) -> None:
        if self.controller is not None:
            self.controller.set_plan_mode(plan_mode)

    def _choose_agent(self, name: str) -> None:
        if self.controller is not None:
            self.controller.agents.choose(name)

    def _show_agents(self, found: tuple[InstalledAgents, str]) -> None:
        here, chosen = found
        rows = [(each.profile.name, each.profile.title, what_it_needs(each)) for each in here.agents]
        missing = [each.profile.name for each in here.agents if each.path is None]
        self.top.show_agents(rows, chosen, here.confinement, missing)
        in_use = next(each for each in here.agents if each.profile.name == chosen)
        self.status.show_agent(*readiness(in_use, here.confinement))

    def _tell_missing_agent(self, title: str) -> None:
        """The agent of the settings, or of the conversation, is not there: say who answers instead."""
        other = self.controller.agents.title if self.controller is not None else ""
        words = tr("{agent} is not installed here; messages go to {other}.", agent=title, other=other)
        self.toast.say(words, tone="risk", action=tr("Choose an agent"), do=self.top.offer_agents, stays=0)

    def _tell_failure(self, error: TandemError) -> None:
        words = error_words(error)
        _log.warning("%s", words)
        self.toast.say(words, tone="error", action=tr("Log"), do=self.pages.show_log, stays=0)

    def _tell_update(self, version: str) -> None:
        words = tr("Tandem was updated to {version}.", version=version)
        self.toast.say(words, action=tr("What is new"), do=self.pages.show_news, stays=0)

    def zoom(self, step: float | None) -> None:
        self._memory.zoom(step)
        self.panes.fit()

    def _show_waiting_card(self, place: WorkspaceController) -> None:
        """A card that waits for an answer is never hidden."""
        if place is self.controller and place.chat.transcript.waiting_card() is not None:
            self.panes.show_chat()

    def _show_panes(self) -> None:
        self.top.show_panes(rail=self.panes.shows_rail, chat=self.panes.shows_chat, is_review=self.panes.is_review)

    def next_pane(self) -> None:
        place = self.controller
        if place is None:
            return
        card = place.chat.transcript.waiting_card()
        panes: list[tuple[QWidget, QWidget]] = [
            (self.rail, self.rail.list),
            *([(card, card)] if card is not None else []),
            (place.chat, place.chat.composer.edit),
            (place.panel, place.panel.operations.list),
            (self.toast, self.toast.first),
        ]
        shown = [(pane, first) for pane, first in panes if first.isVisible()]
        focus = QApplication.focusWidget()
        at = next((n for n, (pane, _) in enumerate(shown) if focus and (focus is pane or pane.isAncestorOf(focus))), -1)
        shown[(at + 1) % len(shown)][1].setFocus(Qt.FocusReason.TabFocusReason)
