"""What a person can ask of the window by name or key."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from tandem_desktop.domain.plan_events import EventKind
from tandem_desktop.ui.keys import keys_of
from tandem_desktop.ui.models.plans_model import PUT_AWAY
from tandem_desktop.ui.settings.setting_words import choice
from tandem_desktop.ui.shell.actions import WindowAction
from tandem_desktop.ui.theme.tokens import THEMES
from tandem_desktop.ui.words import later, tr, tr_marked
from tandem_desktop.ui.workplace import Workplace

if TYPE_CHECKING:
    from tandem_desktop.ui.main_window import MainWindow
    from tandem_desktop.ui.settings.settings_desk import SettingsDesk

_STEPS = (
    ("implement", later("Implement"), EventKind.APPROVE),
    ("rework", later("Rework"), EventKind.REQUEST_REVISION),
    ("cancel", later("Cancel the plan"), EventKind.CANCEL),
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

    of_window, of_plan = tr("Window"), tr("Plan")
    yield act("palette", tr("Search commands and plans"), of_window, window.open_palette)
    yield act("open-folder", tr("Open a folder…"), of_window, window.choose_folder)
    yield act("settings", tr("Settings…"), of_window, window.show_settings)
    yield act("theme", tr("Next theme"), of_window, settings.next_theme)
    for name in THEMES:
        title = tr("Theme: {name}", name=choice(name).lower())
        yield act(f"theme-{name}", title, of_window, partial(settings.choose_theme, name))
    yield act("theme-system", tr("Theme: as the system"), of_window, lambda: settings.choose_theme("system"))
    yield act("zoom-in", tr("Larger"), of_window, lambda: window.zoom(0.1))
    yield act("zoom-out", tr("Smaller"), of_window, lambda: window.zoom(-0.1))
    yield act("zoom-reset", tr("Usual size"), of_window, lambda: window.zoom(None))
    yield act("rail", tr("Show or hide the plans"), of_window, window.toggle_rail, here)
    yield act("next-pane", tr("Next pane"), of_window, window.next_pane, here)
    yield act("keys", tr("Keys"), of_window, window.show_keys)
    yield act("log", tr("Show the log"), of_window, window.pages.show_log)
    yield act("record", tr("Show the record of this conversation"), of_window, at(_show_record), here)
    markdown = tr("Open this conversation as Markdown")
    yield act("markdown", markdown, of_window, lambda: window.errands.open_as_markdown(), here)
    yield act("diagnostics", tr("Save diagnostics"), of_window, window.pages.save_diagnostics)
    yield act("about", tr("About Tandem"), of_window, window.show_about)
    yield act("news", tr("What is new in this version"), of_window, window.pages.show_news)
    yield act("new-plan", tr("New plan"), of_plan, at(Workplace.new_plan), here)
    away = at(lambda place: place.own.plans_wanted.emit(tr_marked(PUT_AWAY)))
    yield act("put-away", tr("Show plans that were put away"), of_plan, away, here)
    yield act("mode", tr("Plan mode on or off"), of_plan, at(lambda p: p.set_plan_mode(not p.plan_mode)), here)
    for name, title, kind in _STEPS:
        yield act(name, tr_marked(title), of_plan, at(partial(_request, kind=kind)), here)
    tell = at(lambda place: place.own.inject_planning_tools())
    yield act("planning-tools", tr("Tell the agent how plans are made here"), of_plan, tell, here)
    begin = {name: at(partial(_begin_command, command=name)) for name in ("perspectives", "template", "save-template")}
    yield act("perspectives", tr("Have three minds look at a task…"), of_plan, begin["perspectives"], here)
    yield act("template", tr("New plan from a template…"), of_plan, begin["template"], here)
    yield act("save-template", tr("Keep this plan as a template…"), of_plan, begin["save-template"], here)
    yield act("tasks", tr("View tasks"), of_plan, at(lambda place: place.panel.show_tasks()), here)
    yield act("graph", tr("View the graph of the plan"), of_plan, at(lambda place: place.panel.show_graph()), here)
    yield act("rehearse", tr("Rehearse in a copy"), of_plan, at(lambda p: p.panel.rehearsals.rehearse()), here)
    yield act("branch", tr("Branch from here, as an alternative"), of_plan, at(lambda p: p.wishes.branch()), here)
    yield act("back", tr("Go back to your last message…"), of_plan, at(lambda place: place.chat.ask_to_go_back()), here)
    yield act("undo", tr("Undo the last run"), of_plan, at(lambda place: place.wishes.undo_last()), here)
    for number in range(1, 10):
        keys, title = (f"Ctrl+{number}",), tr("Plan {number}", number=number)
        yield WindowAction(f"plan-{number}", title, of_plan, keys, partial(_open_nth, window, number), here)


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
