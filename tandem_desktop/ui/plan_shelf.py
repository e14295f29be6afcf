"""What a person does with the list of plans itself: other names, and plans put away; the plans know nothing of it."""

from PySide6.QtCore import QObject

from tandem_desktop.ui.models.plans_model import PlansModel
from tandem_desktop.ui.shell.name_sheet import NameSheet
from tandem_desktop.ui.shell.plans_rail import PlansRail
from tandem_desktop.ui.theme.theme import Theme
from tandem_desktop.ui.window_state import WindowState

_NAMES, _AWAY = "names", "put_away"


class PlanShelf(QObject):
    """Kept with the window's other memories of the workspace; nothing is moved or deleted."""

    def __init__(self, theme: Theme, state: WindowState, model: PlansModel, rail: PlansRail) -> None:
        super().__init__(rail)
        self._theme, self._state, self._model, self._rail = theme, state, model, rail
        self._sheet: NameSheet | None = None
        rail.rename_requested.connect(self._rename)
        rail.put_away_requested.connect(self._put_away)
        self._tell()

    def _rename(self, plan_id: str, name: str) -> None:
        if self._sheet is None:
            self._sheet = NameSheet(self._rail.window(), self._theme)
        self._sheet.ask(name, lambda chosen: self._keep(_NAMES, plan_id, chosen))

    def _put_away(self, plan_id: str, away: bool) -> None:
        self._keep(_AWAY, plan_id, away)

    def _keep(self, table: str, plan_id: str, value: object) -> None:
        self._state.put_of(table, plan_id, value)
        self._tell()

    def _tell(self) -> None:
        names, away = (self._state.get(table) for table in (_NAMES, _AWAY))
        self._model.set_own(
            {str(plan): str(name) for plan, name in names.items()} if isinstance(names, dict) else {},
            frozenset(map(str, away)) if isinstance(away, dict) else frozenset(),
        )
