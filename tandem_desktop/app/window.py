"""Open the window: the application, its theme, and a workroom for the workspace."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tandem_desktop.domain.errors import BadInputError

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication

    from tandem_desktop.domain.agents import OfferedCommand
    from tandem_desktop.orchestration.workroom import Workroom
    from tandem_desktop.ui.main_window import MainWindow

APPLICATION = "Tandem Desktop"


def open_window(root: Path | None, plan: str | None = None) -> int:
    """Show the window until it is closed; `plan` is looked at first.

    Raises:
        BadInputError: there is no display, or the libraries of the window are not installed.
    """
    check_display()
    application = make_application()
    window = show_window(application, root)
    if plan is not None:
        window.open_plan(plan)
    code = application.exec()
    window.leave()
    return code


def check_display() -> None:
    """Raises BadInputError where no window can be shown."""
    try:
        import PySide6  # noqa: F401 - only whether it is there
    except ImportError:
        raise BadInputError(
            "The window is not installed here.",
            next="Install it with: pip install 'tandem-desktop[gui]'. The command line needs no window: tandem --help",
        ) from None
    has_display = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    if sys.platform.startswith("linux") and not has_display:
        raise BadInputError(
            "There is no display to show a window on.",
            next="Start it from a desktop, or use the command line: tandem --help",
        )


def make_application() -> "QApplication":
    """The one application of the process."""
    from PySide6.QtWidgets import QApplication

    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName(APPLICATION)
    application.setApplicationDisplayName(APPLICATION)
    application.setOrganizationName("tandem-desktop")
    application.setDesktopFileName("tandem-desktop")
    return application


def show_window(application: "QApplication", root: Path | None) -> "MainWindow":
    """The window on a workspace, or on the choice of one."""
    from tandem_desktop.ui.main_window import MainWindow
    from tandem_desktop.ui.theme.theme import Theme

    theme = Theme(application)
    window = MainWindow(theme, open_workroom, recipes=load_recipes)
    window.show()
    window.open_workspace(root)
    return window


def load_recipes() -> "tuple[OfferedCommand, ...]":
    """What the built-in agent can do without a model, as commands to type."""
    from datetime import UTC, datetime

    from tandem_desktop.agent.recipes.catalog import Catalog
    from tandem_desktop.domain.agents import OfferedCommand

    catalog = Catalog(lambda: datetime.now(UTC))
    return tuple(OfferedCommand(name=each.name, description=each.description, hint=each.hint) for each in catalog)


def open_workroom(root: Path) -> "Workroom":
    """Everything behind a window on `root`."""
    from tandem_desktop.app.wiring import build_engine
    from tandem_desktop.orchestration.agent_sessions import AgentSessions
    from tandem_desktop.orchestration.engine_thread import EngineThread
    from tandem_desktop.orchestration.workroom import Workroom
    from tandem_desktop.settings.load import SETTINGS_FILE, WORKSPACE_FILE, config_directory, load_settings
    from tandem_desktop.storage.locations import TANDEM_DIRECTORY

    loaded = load_settings(config_directory() / SETTINGS_FILE, root / TANDEM_DIRECTORY / WORKSPACE_FILE)
    engine = build_engine(root, lives_on=True, settings=loaded.settings)
    sessions = AgentSessions(engine, loaded.settings, engine.clock)
    return Workroom(engine, sessions, EngineThread())
