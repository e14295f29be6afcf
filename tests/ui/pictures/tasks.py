"""Tasks and the graph in the panel, to be looked at: waiting, under way with a failure, without tasks, and many."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.ui.plan.panel import ExecutionPlanPanel
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.threads import Commands
from tests.support.builders import A_MOMENT
from tests.ui.plan.pages import a_page, source_of, the_operations
from tests.ui.tasks.work import four, many, scattered, six_under_way

_WIDE, _NARROW = (780, 820), (420, 760)


def pictures(app: QApplication, theme: Theme) -> Iterator[tuple[str, QWidget]]:
    with ThreadPoolExecutor(2) as executor:
        commands = Commands()
        for tab, name, page, size in _scenes():
            panel = ExecutionPlanPanel(
                theme,
                source_of({}, commands, executor),
                workspace="orders-api",
                now=lambda: A_MOMENT + timedelta(hours=2),
            )
            panel.resize(theme.px(size[0]), theme.px(size[1]))
            panel.show()
            panel.show_page(page)
            panel.tabs.show_tab(tab)
            app.processEvents()
            yield f"{tab}-{name}", panel
            panel.close()


def _scenes() -> Iterator[tuple[str, str, PlanPage, tuple[int, int]]]:
    yield "tasks", "waiting", four(), _WIDE
    yield "tasks", "under-way", six_under_way(), _WIDE
    yield "tasks", "narrow", six_under_way(), _NARROW
    yield "tasks", "suggested-order", scattered(), _WIDE
    yield "tasks", "none", a_page(*the_operations()[0]), _WIDE
    yield "tasks", "two-hundred", many(200), _WIDE
    yield "graph", "four", four(), _WIDE
    yield "graph", "under-way", six_under_way(), _WIDE
    yield "graph", "two-hundred", many(200), _WIDE
    yield "graph", "operations-alone", a_page(*the_operations()[0], status=PlanStatus.PROPOSED), _WIDE
