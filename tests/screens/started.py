"""Tandem as a person starts it: a process of its own with a window on a display, known by what it shows and keeps."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tandem_desktop.ui.theme.theme import load_tokens
from tests.screens.display import SIZE, Box, Display, wait_for
from tests.support.agent_runs import AgentPlace
from tests.support.patience import PATIENCE_S

_STATUS_BAR = 28


class Started:
    """The running window. Facts come from the screen, the workspace, the state folder and `tandem` itself."""

    width = SIZE[0]

    def __init__(self, display: Display, place: AgentPlace) -> None:
        self.display = display
        self._place = place
        self._tokens = load_tokens("dark")

    def say(self, text: str) -> None:
        """Type into the composer, which has the keyboard; Escape closes what completes, Return sends."""
        self.display.type(text)
        self.display.press("Escape", "Return")

    def wait_until_ready(self, process: "subprocess.Popen[bytes]", said: Path) -> None:
        """Until there is a window and its agent can be asked; skips where Qt cannot open one on any display."""
        width, height = SIZE
        bar = Box(0, height - _STATUS_BAR, width // 2, height)
        green = (self._tokens.ok, self._tokens.added_strong)

        def is_ready() -> bool:
            if process.poll() is not None:
                if "Qt platform plugin" in said.read_text():
                    pytest.skip(f"Qt lacks a library here: {said.read_text().strip().splitlines()[0]}")
                raise AssertionError(f"the window ended: {said.read_text()}")
            return self.display.has_window("Tandem Desktop") and self.display.shows(green, bar)

        wait_for("a green light in the status bar", is_ready)

    def wait_for_button(self, what: str, is_it: Callable[[list[Box]], bool]) -> None:
        """Until the filled buttons on screen are such as `is_it` wants; never none."""
        wait_for(what, lambda: bool(self._buttons()) and is_it(self._buttons()))

    def click_last_button(self) -> None:
        """The filled button furthest to the right."""
        self.display.click(*self._buttons()[-1].middle)

    def wait_for_plan(self, status: str) -> str:
        """Until the newest plan is in this state; its id."""
        wait_for(f"a plan that is {status}", lambda: [each["status"] for each in self._plans()[:1]] == [status])
        return str(self._plans()[0]["plan_id"])

    def wait_for_run(self, status: str) -> None:
        wait_for(f"a run that is {status}", lambda: status in [each["status"] for each in self._runs()])

    def _plans(self) -> list[dict[str, object]]:
        return list(self._place.tandem.answer("list")["plans"])

    def _runs(self) -> list[dict[str, object]]:
        return list(self._place.tandem.answer("runs")["runs"])

    def _buttons(self) -> list[Box]:
        tokens = self._tokens
        return self.display.filled(tokens.accent) + self.display.filled(tokens.accent_hover)


@contextmanager
def started(display: Display, place: AgentPlace) -> Iterator[Started]:
    """`tandem gui` on the workspace, for somebody who once chose the dark theme."""
    chosen = place.base / "config" / "tandem-desktop" / "Tandem Desktop.conf"
    chosen.parent.mkdir(parents=True)
    chosen.write_text("[General]\ntheme=dark\n")
    environment = {**os.environ, "DISPLAY": display.name, "XDG_CONFIG_HOME": str(place.base / "config")}
    # No session bus, and nothing that says so: where dbus-x11 is installed Qt would start one.
    environment.pop("DBUS_SESSION_BUS_ADDRESS")
    said = place.base / "said"
    with said.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "tandem_desktop", "gui", str(place.root)],
            env={**environment, "QT_QPA_PLATFORM": "xcb"},
            cwd=place.base,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        app = Started(display, place)
        app.wait_until_ready(process, said)
        yield app
    except BaseException:
        display.keep(place.base / "last-look.png")
        raise
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
    assert "Traceback" not in said.read_text(), said.read_text()
