"""Opens the window."""

import gc
import logging
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tandem_desktop import __version__
from tandem_desktop.domain.errors import BadInputError, NotInstalledError
from tandem_desktop.storage.paths import resource

if TYPE_CHECKING:
    from PySide6.QtGui import QIcon
    from PySide6.QtWidgets import QApplication

    from tandem_desktop.background import Background
    from tandem_desktop.domain.agent_protocol import OfferedCommand
    from tandem_desktop.sessions.launch import InstalledAgents
    from tandem_desktop.sessions.manager import Person
    from tandem_desktop.storage.logs import CrashWatch, LogFile
    from tandem_desktop.ui.main_window import MainWindow
    from tandem_desktop.ui.threads import Uncaught
    from tandem_desktop.ui.window_frame import WindowFrame


APPLICATION = "Tandem Desktop"
_HEAVY = ("tandem_desktop.ui.main_window", "tandem_desktop.app.wiring", "tandem_desktop.recipes.catalog")
"""Everything the window needs after its first picture."""
_SOON_NEEDED = ("markdown_it", "tomlkit")
"""What the first reply and the first choice of a setting need, which take long to import."""
_DONE = object()
_TURN_S = 0.0005
"""How long another thread keeps Python to itself while the window wants it: ten times less than is usual."""


def open_window(root: Path | None, plan: str | None = None, words: str = "") -> int:
    """Show the window until it is closed; `plan` is looked at first, `words` are said first.

    Raises:
        BadInputError: there is no display, or the libraries of the window are not installed.
    """
    check_display()
    gc.disable()  # nothing that is imported goes away again; see `stay_awake`
    application = make_application()
    from tandem_desktop.ui.shell.notifier import SignalHandler
    from tandem_desktop.ui.window_frame import WindowFrame

    frame = WindowFrame(root.name if root is not None else "")
    opening = _Opening(frame, root, plan, words)
    SignalHandler(application)
    frame.once_painted(opening.begin)
    frame.show()
    code = application.exec()
    opening.leave()
    return code


class _Opening:
    """From an empty frame to a window at work: modules are imported beside the GUI thread, which stays awake."""

    def __init__(self, frame: "WindowFrame", root: Path | None, plan: str | None, words: str) -> None:
        self._frame, self._root, self._plan, self._words = frame, root, plan, words
        self._importing = threading.Thread(target=self._import, name="opening")
        self._window: MainWindow | None = None
        self._log_file: LogFile | None = None
        self._crashes: CrashWatch | None = None
        self._steps: Iterator[None] = iter(())

    def begin(self) -> None:
        self._importing.start()

    def leave(self) -> None:
        """End what goes on behind the window; an import under way is waited for, it cannot be cut off."""
        if self._importing.is_alive():
            self._importing.join()
        if self._window is not None:
            self._window.leave()
        if self._log_file is not None:
            self._log_file.leave()
        if self._crashes is not None:
            self._crashes.end()

    def _import(self) -> None:
        from PySide6.QtCore import QTimer

        try:
            for name in _HEAVY:
                import_module(name)
            for name in import_module("tandem_desktop.app.wiring").SERVICE_MODULES:
                import_module(name)
            read_ahead()
        except Exception:  # noqa: S110 - the GUI thread imports it again, and says there what is wrong
            pass
        QTimer.singleShot(0, self._frame, self._furnish)

    def _furnish(self) -> None:
        self._steps = self._furnished()
        self._go_on()

    def _go_on(self) -> None:
        """One step now, the rest once the window has handled its input."""
        from PySide6.QtCore import QTimer

        if next(self._steps, _DONE) is not _DONE:
            QTimer.singleShot(0, self._frame, self._go_on)

    def _furnished(self) -> Iterator[None]:
        from tandem_desktop.storage.logs import CrashWatch
        from tandem_desktop.ui.main_window import MainWindow
        from tandem_desktop.ui.theme.theme import Theme

        self._log_file = keep_a_log()
        self._crashes = CrashWatch(self._log_file.folder)
        reports = self._crashes.begin()
        window = self._window = MainWindow(
            Theme(self._frame),
            open_background,
            recipes=load_recipes,
            look_for_agents=look_for_agents,
            log_file=self._log_file,
        )
        tell_what_nobody_caught(window)
        self._frame.setWindowIcon(application_icon())
        self._frame.take(window)
        yield from window.open_in_steps(self._root)
        if self._plan is not None:
            window.open_plan(self._plan)
        if reports:
            window.toast.say(_after_a_crash(reports[-1]), tone="risk", stays=0)
        if self._words:
            window.toast.say(self._words, tone="error", stays=0)
        if not reports and not self._words:  # otherwise it is told the next time
            window.pages.tell_update()
        stay_awake()


def read_ahead() -> None:
    """Make what the first widgets would otherwise wait for: each type of Qt is made when it is first used, and all of
    them when a widget of unknown type is handed out; the table of look-alikes is read with the first sentence.
    """
    from PySide6 import QtCore, QtGui, QtWidgets

    from tandem_desktop.diff.text import visible_sentence

    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
    visible_sentence("\u0430")  # a letter that looks like another one


def _after_a_crash(report: Path) -> str:
    from tandem_desktop.ui.editor import from_home
    from tandem_desktop.ui.i18n import tr

    return tr(
        "Tandem ended unexpectedly the last time. Plans, drafts and runs are as they were. "
        "Details, which were sent nowhere: {report}",
        report=from_home(report),
    )


def keep_a_log() -> "LogFile":
    """Everything that is logged in this process."""
    from tandem_desktop.storage.logs import LOGS, LogFile
    from tandem_desktop.storage.paths import default_state_directory

    log_file = LogFile(default_state_directory() / LOGS)
    log_file.listen()
    logging.getLogger("tandem_desktop").info("Tandem %s has opened a window.", __version__)
    return log_file


def tell_what_nobody_caught(window: "MainWindow") -> "Uncaught":
    """Show uncaught errors in the window without ending it."""
    from tandem_desktop.ui.i18n import tr
    from tandem_desktop.ui.threads import Uncaught

    def tell(fault: str) -> None:
        words = tr("Something went wrong inside of Tandem ({fault}). The log says more.", fault=fault)
        if not window.toast.isVisible() or window.toast.text != words:  # an error in every paint is shown once
            window.toast.say(words, tone="error", action=tr("Open the log"), do=window.pages.show_log, stays=0)

    uncaught = Uncaught(window)
    uncaught.happened.connect(tell)
    uncaught.listen()
    return uncaught


def stay_awake() -> None:
    """See to it that a window which has opened is not held up by what goes on behind it.

    Some hundred thousand objects are there once everything is imported and built, and Python's collector would go
    through all of them whenever enough was added, for long enough to be felt: what stays for as long as the window is
    never looked at again, and what comes later less often. And each time the window's thread comes back from Qt it
    waits for a busy engine to let go of Python, which it does only when its turn is over: turns are made short.
    """
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    gc.enable()
    sys.setswitchinterval(_TURN_S)
    threading.Thread(target=lambda: [*map(import_module, _SOON_NEEDED)], name="reading ahead").start()


def check_display() -> None:
    """Raises BadInputError where no window can be shown."""
    try:
        import PySide6  # noqa: F401 - only whether it is there
    except ImportError:
        raise NotInstalledError(
            "The window", "gui", otherwise="The command line needs no window: tandem --help"
        ) from None
    has_display = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    if sys.platform.startswith("linux") and not has_display:
        raise BadInputError(
            "There is no display to show a window on.",
            next="Start it from a desktop, or use the command line: tandem --help",
        )


def make_application() -> "QApplication":
    """The one application of the process, in the language of the person."""
    from PySide6.QtWidgets import QApplication

    from tandem_desktop.processes.child import prevent_autolaunch
    from tandem_desktop.ui.i18n import speak_the_language

    prevent_autolaunch(os.environ)
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName(APPLICATION)
    application.setApplicationDisplayName(APPLICATION)
    application.setOrganizationName("tandem-desktop")
    application.setDesktopFileName("tandem-desktop")
    speak_the_language(application)
    return application


def application_icon() -> "QIcon":
    """Two overlapping rings. Not needed for the first picture, so it is not drawn before it."""
    from PySide6.QtGui import QIcon

    return QIcon(str(resource("icons/application/tandem-desktop.svg")))


def load_recipes() -> "tuple[OfferedCommand, ...]":
    """What the built-in agent can do without a model, as commands to type."""
    from datetime import UTC, datetime

    from tandem_desktop.domain.agent_protocol import OfferedCommand
    from tandem_desktop.recipes.catalog import Catalog

    catalog = Catalog(lambda: datetime.now(UTC))
    return tuple(OfferedCommand(name=each.name, description=each.description, hint=each.hint) for each in catalog)


def look_for_agents() -> "InstalledAgents":
    """Which agents are here, with their versions, for the first page."""
    from tandem_desktop.sessions.launch import find_agents
    from tandem_desktop.settings_io import SETTINGS_FILE, config_directory, load_settings
    from tandem_desktop.storage.paths import default_state_directory

    settings = load_settings(config_directory() / SETTINGS_FILE).settings
    return find_agents(
        default_state_directory() / "shadows", settings.agent_command, network=settings.network, ask_versions=True
    )


def open_background(root: Path, *, person: "Person | None" = None, hosts: Sequence[str] = ()) -> "Background":
    """Everything behind a window or an editor on `root`; every agent may reach `hosts` too."""
    from tandem_desktop.app.wiring import build_engine
    from tandem_desktop.background import Background
    from tandem_desktop.services.engine_thread import EngineThread
    from tandem_desktop.sessions.manager import AgentSessions, Person
    from tandem_desktop.sessions.network import allowing
    from tandem_desktop.settings_io import SETTINGS_FILE, WORKSPACE_FILE, config_directory, load_settings
    from tandem_desktop.storage.paths import TANDEM_DIRECTORY

    loaded = load_settings(config_directory() / SETTINGS_FILE, root / TANDEM_DIRECTORY / WORKSPACE_FILE)
    engine = build_engine(root, lives_on=True, settings=loaded.settings)
    settings = allowing(loaded.settings, hosts)
    sessions = AgentSessions(engine, settings, engine.clock, person=person or Person(is_there=True))
    return Background(engine, sessions, EngineThread())
