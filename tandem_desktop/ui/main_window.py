"""What is in the window: places the panes, binds the keys, decides nothing."""

from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QSettings, Qt
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from tandem_desktop.domain.agents import OfferedCommand
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.orchestration.workroom import AgentsHere, Workroom
from tandem_desktop.ui.models.palette_model import PaletteItem
from tandem_desktop.ui.shell.actions import WindowAction, WindowActions, shown_keys
from tandem_desktop.ui.shell.command_palette import CommandPalette
from tandem_desktop.ui.shell.plans_rail import PlansRail
from tandem_desktop.ui.shell.status_line import StatusLine
from tandem_desktop.ui.shell.top_bar import TopBar
from tandem_desktop.ui.shell.welcome import Welcome
from tandem_desktop.ui.theme.stylesheet import install, set_role
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.widgets.toast import Toast
from tandem_desktop.ui.window_frame import SIZE, SMALLEST
from tandem_desktop.ui.workplace import Workplace

_THEMES = ("dark", "light", "high-contrast", "colour-blind-dark", "colour-blind-light")
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
    ) -> None:
        super().__init__()
        self._theme = theme
        self._open_workroom = open_workroom
        self._recipes = recipes
        self._settings = settings or QSettings()
        self.workplace: Workplace | None = None
        self.setObjectName("main-window")
        self.setWindowTitle("Tandem Desktop")
        self.setAcceptDrops(True)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self._wear_last_theme()
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
        self.toast = Toast(theme, self)
        self.palette = CommandPalette(theme, self)  # type: ignore[assignment,method-assign]  # the palette of commands
        self.actions_ = WindowActions(self)
        self.actions_.add(self._window_actions())
        self.top.palette_requested.connect(lambda: self.actions_.do("palette"))
        self.top.theme_requested.connect(lambda: self.actions_.do("theme"))
        self.top.workspace_requested.connect(lambda: self.actions_.do("open-folder"))
        self.top.plan_mode_chosen.connect(self._choose_mode)
        self.top.agent_chosen.connect(self._choose_agent)
        self.welcome.folder_requested.connect(lambda: self.actions_.do("open-folder"))
        self.welcome.folder_chosen.connect(lambda path: self.open_workspace(Path(path)))
        self.welcome.sample_requested.connect(self._open_sample)
        self.toast.requested.connect(lambda: self.actions_.do("undo"))
        self._restore_geometry()

    def open_workspace(self, root: Path | None) -> None:
        """Work on a folder; without one, the last one, or a choice."""
        chosen = root or self._last_workspace()
        if chosen is None:
            self.welcome.show_recent(self._recent())
            self._pages.setCurrentWidget(self.welcome)
            return
        try:
            workroom = self._open_workroom(chosen)
        except TandemError as error:
            self.welcome.show_problem(f"{error.message} {error.next}")
            self.welcome.show_recent(self._recent())
            self._pages.setCurrentWidget(self.welcome)
            return
        self._leave_workspace()
        self._enter(Workplace(self._theme, workroom, self))
        self._remember(workroom.engine.locations.workspace)

    def open_plan(self, plan_id: str) -> None:
        if self.workplace is not None:
            self.workplace.open_plan(PlanId(plan_id))

    def leave(self) -> None:
        """End what goes on behind the window."""
        self._leave_workspace()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._settings.setValue("geometry", self.window().saveGeometry())
        self._settings.setValue("splitter", self.splitter.saveState())
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.workplace is not None and event.oldSize().width() != event.size().width():
            self.rail.setVisible(event.size().width() >= self._theme.px(_RAIL_FROM))

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
        for widget in (self.rail, place.chat, place.panel):
            self.splitter.addWidget(widget)
        px = self._theme.px
        place.chat.setMinimumWidth(px(_CHAT_WIDTH))
        self.splitter.setSizes([px(216), px(452), px(772)])
        self.splitter.setStretchFactor(2, 1)
        self._pages.setCurrentWidget(self.splitter)
        self.rail.plan_chosen.connect(lambda plan: place.open_plan(PlanId(plan)))
        self.rail.new_requested.connect(place.new_plan)
        place.plan_shown.connect(self.rail.show_chosen)
        place.status_changed.connect(self.status.show_agent)
        place.disk_changed.connect(self.status.show_disk)
        place.drift_found.connect(self.status.show_drift)
        place.mode_changed.connect(self.top.show_mode)
        place.agents_found.connect(self._show_agents)
        place.failed.connect(self._tell_failure)
        place.said.connect(lambda words, tone: self.toast.say(words, tone=tone))
        place.attention_wanted.connect(self._want_attention)
        place.set_recipes(self._recipes())
        root = place.workroom.engine.locations.workspace
        self.top.show_workspace(root.name, str(root), _branch(root))
        self.setWindowTitle(f"{root.name} — Tandem Desktop")
        if (state := self._settings.value("splitter")) is not None:
            self.splitter.restoreState(state)
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

    def _window_actions(self) -> Iterator[WindowAction]:
        def here() -> bool:
            return self.workplace is not None

        def at(do: Callable[[Workplace], None]) -> Callable[[], None]:
            return lambda: do(self.workplace) if self.workplace is not None else None

        act = WindowAction
        yield act("palette", "Search commands and plans", "Window", ("Ctrl+Shift+P",), self._open_palette)
        yield act("open-folder", "Open a folder…", "Window", ("Ctrl+O",), self._choose_folder)
        yield act("theme", "Next theme", "Window", (), self._next_theme)
        yield act("zoom-in", "Larger", "Window", ("Ctrl+=", "Ctrl++"), lambda: self._zoom(0.1))
        yield act("zoom-out", "Smaller", "Window", ("Ctrl+-",), lambda: self._zoom(-0.1))
        yield act("zoom-reset", "Usual size", "Window", ("Ctrl+0",), lambda: self._zoom(None))
        yield act("rail", "Show or hide the plans", "Window", ("Ctrl+B",), self._toggle_rail, here)
        yield act("next-pane", "Next pane", "Window", ("F6",), self._next_pane, here)
        yield act("keys", "Keys", "Window", ("F1",), self._show_keys)
        yield act("new-plan", "New plan", "Plan", ("Ctrl+N",), at(Workplace.new_plan), here)
        yield act("mode", "Plan mode on or off", "Plan", (), at(lambda p: p.set_plan_mode(not p.plan_mode)), here)
        yield act(
            "implement",
            "Implement",
            "Plan",
            ("Ctrl+Shift+I",),
            at(lambda p: p.panel.request(EventKind.EXECUTE_PLAN)),
            here,
        )
        yield act(
            "rework",
            "Rework",
            "Plan",
            ("Ctrl+Shift+R",),
            at(lambda p: p.panel.request(EventKind.REQUEST_REVISION)),
            here,
        )
        yield act("cancel", "Cancel the plan", "Plan", (), at(lambda p: p.panel.request(EventKind.CANCEL)), here)
        yield act("undo", "Undo the last run", "Plan", ("Ctrl+Alt+U",), at(Workplace.undo_last), here)
        for number in range(1, 10):
            yield act(f"plan-{number}", f"Plan {number}", "Plan", (f"Ctrl+{number}",), self._opener(number), here)

    def _open_palette(self) -> None:
        items = [
            PaletteItem(action.title, action.group, shown_keys(action), action.do)
            for action in self.actions_
            if action.is_enabled() and not action.name.startswith("plan-")
        ]
        place = self.workplace
        for plan in place.plans.plans if place is not None else ():
            items.append(PaletteItem(plan.title, plan.plan_id, "", self._plan_opener(plan.plan_id)))
        self.palette.open(items, QApplication.focusWidget())  # type: ignore[attr-defined]

    def _show_keys(self) -> None:
        lines = [
            f"{shown_keys(each)}  {each.title}" for each in self.actions_ if each.keys and "plan-" not in each.name
        ]
        self.toast.say("   ·   ".join(lines), stays=20_000)

    def _choose_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, "Open a folder")
        if chosen:
            self.open_workspace(Path(chosen))

    def _open_sample(self) -> None:
        from tandem_desktop.ui.sample_workspace import make_sample

        self.open_workspace(make_sample())
        if self.workplace is not None:
            self.workplace.set_plan_mode(True)
            self.workplace.chat.composer.edit.setPlainText("/replace Hello Goodbye")

    def _choose_mode(self, plan_mode: bool) -> None:
        if self.workplace is not None:
            self.workplace.set_plan_mode(plan_mode)

    def _choose_agent(self, name: str) -> None:
        if self.workplace is not None:
            self.workplace.choose_agent(name)

    def _show_agents(self, found: tuple[AgentsHere, str]) -> None:
        here, chosen = found
        rows = [
            (each.profile.name, each.profile.title, "" if each.path is not None else each.profile.install)
            for each in here.agents
        ]
        self.top.show_agents(rows, chosen, here.confinement.words)
        title = next((title for name, title, _ in rows if name == chosen), chosen)
        self.status.show_agent("done", f"{title} ready · {'confined' if here.confinement.confined else 'not confined'}")

    def _tell_failure(self, error: TandemError) -> None:
        self.toast.say(" ".join(filter(None, (error.message, error.next))), tone="error", stays=0)

    def _want_attention(self, words: str) -> None:
        if not self.isActiveWindow():
            QApplication.alert(self.window())

    def _opener(self, number: int) -> Callable[[], None]:
        """Opens the plan at this place of the rail."""

        def open_it() -> None:
            plans = self.workplace.plans.plans if self.workplace is not None else ()
            if number <= len(plans):
                self.open_plan(plans[number - 1].plan_id)

        return open_it

    def _plan_opener(self, plan_id: str) -> Callable[[], None]:
        return lambda: self.open_plan(plan_id)

    def _next_theme(self) -> None:
        following = _THEMES[(_THEMES.index(self._theme.name) + 1) % len(_THEMES)]
        self._theme.set_theme(following)
        self._settings.setValue("theme", following)

    def _wear_last_theme(self) -> None:
        name = self._settings.value("theme")
        if name in _THEMES:
            self._theme.set_theme(name)
        else:
            self._theme.follow_system(True)
        zoom = self._settings.value("zoom")
        if zoom is not None:
            self._theme.set_zoom(float(zoom))

    def _zoom(self, step: float | None) -> None:
        self._theme.set_zoom(1.0 if step is None else self._theme.zoom + step)
        self._settings.setValue("zoom", self._theme.zoom)

    def _toggle_rail(self) -> None:
        self.rail.setVisible(not self.rail.isVisible())

    def _next_pane(self) -> None:
        place = self.workplace
        if place is None:
            return
        panes: list[tuple[QWidget, QWidget]] = [
            (self.rail, self.rail.list),
            (place.chat, place.chat.composer.edit),
            (place.panel, place.panel.operations.list),
        ]
        shown = [(pane, first) for pane, first in panes if first.isVisible()]
        focus = QApplication.focusWidget()
        at = next((n for n, (pane, _) in enumerate(shown) if focus and pane.isAncestorOf(focus)), -1)
        shown[(at + 1) % len(shown)][1].setFocus(Qt.FocusReason.TabFocusReason)

    def _restore_geometry(self) -> None:
        if (geometry := self._settings.value("geometry")) is not None:
            self.restoreGeometry(geometry)

    def _last_workspace(self) -> Path | None:
        recent = self._recent()
        return Path(recent[0]) if recent and Path(recent[0]).is_dir() else None

    def _recent(self) -> list[str]:
        found = self._settings.value("recent") or []
        return [found] if isinstance(found, str) else [str(each) for each in found]

    def _remember(self, workspace: Path) -> None:
        others = [each for each in self._recent() if each != str(workspace)]
        self._settings.setValue("recent", [str(workspace), *others][:10])


def _branch(root: Path) -> str:
    """The branch git is on, or nothing."""
    try:
        head = (root / ".git" / "HEAD").read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""
    return head.rpartition("refs/heads/")[2] if "refs/heads/" in head else head[:8]
