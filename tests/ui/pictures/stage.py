"""A place for a picture: a workspace of its own, agents that do what they are told, and a person at the window."""

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import Any, Self

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QWidget

from tandem_desktop.app.main import main
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.storage.paths import resource
from tandem_desktop.ui.diagnostics import LAST_VERSION
from tests.support.agents_on_path import put_on_path, searched
from tests.support.patience import PATIENCE_S
from tests.ui.window.driver import Person

ROOT = Path(__file__).resolve().parents[3]
AGENT = "opencode"


class Patience:
    """What a `UserGate` needs of pytest-qt, without a test."""

    def addWidget(self, widget: QWidget) -> None:
        widget.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)

    @contextmanager
    def waitActive(self, widget: QWidget) -> Iterator[None]:
        yield
        self.waitUntil(widget.isActiveWindow)

    def waitUntil(self, until: Callable[[], bool], timeout: int = 0) -> None:
        end = time.monotonic() + PATIENCE_S
        while not until():
            QApplication.processEvents()
            assert time.monotonic() < end, "the window did not get there"


class Stage:
    """One scene, in a home of its own that goes away with it: pictures speak of the product, and of no machine."""

    def __init__(self, theme: str) -> None:
        self._theme = theme
        self._home = Path(tempfile.mkdtemp(prefix="tandem-scene-"))
        self._state, self._config = self._home / ".local/state/tandem-desktop", self._home / ".config/tandem-desktop"
        self._programs = self._home / ".local/bin"
        self._state.mkdir(parents=True, mode=0o700)
        self._config.mkdir(parents=True)
        self.workspace = self._home / "projects" / "orders-api"
        shutil.copytree(resource("sample/workspace"), self.workspace, symlinks=True)
        self.gate = self._home / "gate"
        self.person: Person | None = None
        self._before = dict(os.environ)
        os.environ["HOME"] = str(self._home)
        os.environ["TANDEM_STATE_DIR"] = str(self._state)
        os.environ["TANDEM_CONFIG_DIR"] = str(self._config)
        os.environ["PATH"] = searched(self._programs)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.gate.touch()
        if self.person is not None:
            self.person.leave()
        os.environ.clear()
        os.environ.update(self._before)
        shutil.rmtree(self._home, ignore_errors=True)

    def open(self) -> Person:
        """The window on the workspace."""
        assert self.person is None
        settings = self._state / "window.ini"
        self.person = Person(Patience(), self.workspace, settings, self._theme)  # type: ignore[arg-type]  # as much as it uses
        return self.person

    def use_agent(self, script: dict[str, Any]) -> None:
        """From now on the agent in use does what the script says."""
        put_on_path(self._programs, AGENT, script)
        (self._config / "settings.toml").write_text(f'agent = "{AGENT}"\n')

    def was_here(self, version: str) -> None:
        """The version whose window was opened last."""
        (self._state / LAST_VERSION).write_text(version)

    def tandem(self, *words: str) -> dict[str, Any]:
        """Call the command line beside the window."""
        said = io.StringIO()
        with redirect_stdout(said):
            code = main(["-C", str(self.workspace), *words, "--json"])
        assert code == 0, said.getvalue()
        answer: dict[str, Any] = json.loads(said.getvalue())
        return answer

    def propose(self, title: str, *steps: dict[str, Any], **fields: Any) -> dict[str, Any]:
        path = self._home / "plan.json"
        path.write_text(json.dumps({"title": title, "steps": list(steps), **fields}))
        return self.tandem("propose", str(path))

    def open_on_plan(self) -> Person:
        """The window with the first plan of the list on screen."""
        person = self.open()
        person.wait(lambda: bool(person.place.plans.plans))
        person.press(Qt.Key.Key_1, Qt.KeyboardModifier.ControlModifier)
        person.wait(lambda: person.status is not None)
        return person

    def ask(self, text: str, *, plan_mode: bool = True) -> Person:
        """Open the window and say something; the agent is at work when this returns."""
        person = self.open()
        if not plan_mode:
            person.click("segmented-mode-immediate")
        person.click("composer-text")
        person.type(f"{text} ")
        person.click("composer-send")
        return person

    def implement(self, person: Person) -> None:
        person.click("plan-action-approve")
        person.wait(lambda: person.sees("approval-back"))
        for box in [each for each in person.window.findChildren(QCheckBox) if each.isVisible()]:
            person.click(box.objectName())
        person.wait(lambda: person.sees("approval-implement"))
        person.click("approval-implement")

    def killed_while_writing(self, name: str, *words: str) -> None:
        """A call of the command line that is killed just before it publishes a file."""
        call = ["-C", str(self.workspace), *words]
        code = f"from tests.support.command_line import killed_while_writing as k; k({name!r}, {call!r})"
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)

    def is_status(self, person: Person, status: PlanStatus) -> bool:
        return person.status is status and not person.place.turns.is_any

    def settle(self) -> None:
        settle()


def settle() -> None:
    """Let colours and diffs arrive that come from other threads."""
    end = time.monotonic() + 0.8
    while time.monotonic() < end:
        QApplication.processEvents()
