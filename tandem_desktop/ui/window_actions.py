"""What a person can ask of the window by name or key."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.ui.keys import keys_of
from tandem_desktop.ui.models.plans_model import PUT_AWAY
from tandem_desktop.ui.shell.actions import WindowAction
from tandem_desktop.ui.theme.tokens import THEMES
from tandem_desktop.ui.workplace import Workplace

if TYPE_CHECKING:
    from tandem_desktop.ui.main_window import MainWindow
    from tandem_desktop.ui.settings.settings_desk import SettingsDesk

_STEPS = (
    ("implement", "Implement", EventKind.EXECUTE_PLAN),
    ("rework", "Rework", EventKind.REQUEST_REVISION),
    ("cancel", "Cancel the plan", EventKind.CANCEL),
)


def window_actions(window: "MainWindow", settings: "SettingsDesk") -> Iterator[WindowAction]:
    """Every action of the window, in the order of the palette."""

    def here() -> bool:
        return window.workplace is not None

    def at(do: Callable[[Workplace], None]) -> Callable[[], None]:
        return lambda: do(window.workplace) if window.workplace is not None else None

    def act(
        name: str, title: str, group: str, do: Callable[[], None], when: Callable[[], bool] = lambda: True
    ) -> WindowAction:
        return WindowAction(name, title, group, keys_of(name), do, when)

    yield act("palette", "Search commands and plans", "Window", window.open_palette)
    yield act("open-folder", "Open a folder…", "Window", window.choose_folder)
    yield act("settings", "Settings…", "Window", window.show_settings)
    yield act("theme", "Next theme", "Window", settings.next_theme)
    for name in THEMES:
        title = f"Theme: {name.replace('-', ' ')}"
        yield act(f"theme-{name}", title, "Window", partial(settings.choose_theme, name))
    yield act("theme-system", "Theme: as the system", "Window", lambda: settings.choose_theme("system"))
    yield act("zoom-in", "Larger", "Window", lambda: window.zoom(0.1))
    yield act("zoom-out", "Smaller", "Window", lambda: window.zoom(-0.1))
    yield act("zoom-reset", "Usual size", "Window", lambda: window.zoom(None))
    yield act("rail", "Show or hide the plans", "Window", window.toggle_rail, here)
    yield act("next-pane", "Next pane", "Window", window.next_pane, here)
    yield act("keys", "Keys", "Window", window.show_keys)
    yield act("log", "Show the log", "Window", window.pages.show_log)
    yield act("record", "Show the record of this conversation", "Window", at(_show_record), here)
    markdown = "Open this conversation as Markdown"
    yield act("markdown", markdown, "Window", lambda: window.errands.open_as_markdown(), here)
    yield act("diagnostics", "Save diagnostics", "Window", window.pages.save_diagnostics)
    yield act("about", "About Tandem", "Window", window.show_about)
    yield act("news", "What is new in this version", "Window", window.pages.show_news)
    yield act("new-plan", "New plan", "Plan", at(Workplace.new_plan), here)
    away = at(lambda place: place.own.plans_wanted.emit(PUT_AWAY))
    yield act("put-away", "Show plans that were put away", "Plan", away, here)
    yield act("mode", "Plan mode on or off", "Plan", at(lambda p: p.set_plan_mode(not p.plan_mode)), here)
    for name, title, kind in _STEPS:
        yield act(name, title, "Plan", at(partial(_request, kind=kind)), here)
    tell = at(lambda place: place.own.inject_planning_tools())
    yield act("planning-tools", "Tell the agent how plans are made here", "Plan", tell, here)
    begin = {name: at(partial(_begin_command, command=name)) for name in ("perspectives", "template", "save-template")}
    yield act("perspectives", "Have three minds look at a task…", "Plan", begin["perspectives"], here)
    yield act("template", "New plan from a template…", "Plan", begin["template"], here)
    yield act("save-template", "Keep this plan as a template…", "Plan", begin["save-template"], here)
    yield act("tasks", "View tasks", "Plan", at(lambda place: place.panel.show_tasks()), here)
    yield act("graph", "View the graph of the plan", "Plan", at(lambda place: place.panel.show_graph()), here)
    yield act("rehearse", "Rehearse in a copy", "Plan", at(lambda p: p.panel.rehearsals.rehearse()), here)
    yield act("branch", "Branch from here, as an alternative", "Plan", at(lambda p: p.wishes.branch()), here)
    yield act("back", "Go back to your last message…", "Plan", at(lambda place: place.chat.ask_to_go_back()), here)
    yield act("undo", "Undo the last run", "Plan", at(lambda place: place.wishes.undo_last()), here)
    for number in range(1, 10):
        keys = (f"Ctrl+{number}",)
        yield WindowAction(f"plan-{number}", f"Plan {number}", "Plan", keys, partial(_open_nth, window, number), here)


def _open_nth(window: "MainWindow", number: int) -> None:
    """The plan at this place of the rail."""
    plans = window.workplace.plans.plans if window.workplace is not None else ()
    if number <= len(plans):
        window.open_plan(plans[number - 1].plan_id)


def _show_record(place: Workplace) -> None:
    place.chat.record_requested.emit()


def _begin_command(place: Workplace, command: str) -> None:
    place.chat.begin_command(command)


def _request(place: Workplace, kind: EventKind) -> None:
    place.panel.request(kind)
