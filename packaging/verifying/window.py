"""The installed window on a real screen: keys and clicks take a plan from a question to an undone run."""

import subprocess
from dataclasses import dataclass
from pathlib import Path

from machine import Machine

from tests.screens.display import a_display
from tests.screens.started import Started

FILES = {"app.py": "x = 1\nprint(x)\n", "README.md": "A project\n"}


@dataclass(frozen=True)
class Place:
    """Where the facts of the installed window are found."""

    tandem: Machine
    state: Path


def drive(machine: Machine, pictures: Path) -> str:
    """Plan, Implement, Undo, in the window that `tandem-desktop` opens; pictures of each step are kept."""
    machine.lay_out(FILES)
    machine.must("mkdir", "-p", ".config/tandem-desktop")
    machine.must("tee", ".config/tandem-desktop/Tandem Desktop.conf", given="[General]\ntheme=dark\n")
    pictures.mkdir(parents=True, exist_ok=True)
    said = pictures / "said.txt"
    with a_display(pictures) as display, said.open("wb") as log:
        process = subprocess.Popen(
            machine.words("env", f"DISPLAY={display.name}", "tandem-desktop", "/home/person/project"),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
        place = Place(machine, machine.home / ".local" / "state" / "tandem-desktop")
        app = Started(display, place)  # type: ignore[arg-type]  # it asks for a state folder and the command line alone
        try:
            _plan_implement_undo(machine, app, process, said, pictures)
        finally:
            display.keep(pictures / "last.png")
            machine.end(process)
    words = said.read_text(encoding="utf-8", errors="replace")
    assert "Traceback" not in words, words
    return "planned, implemented and undone by keys and clicks"


def _plan_implement_undo(
    machine: Machine, app: Started, process: "subprocess.Popen[bytes]", said: Path, pictures: Path
) -> None:
    app.wait_until_ready(process, said)
    app.say("/replace print shout")
    app.wait_for_plan("proposed")
    assert machine.read("app.py") == FILES["app.py"], "nothing may be written before it is approved"
    app.wait_for_button("Execute plan", lambda buttons: buttons[-1].right > app.width * 0.9)
    app.display.keep(pictures / "1-review.png")
    app.click_last_button()
    app.wait_for_button("Implement in the sheet", lambda buttons: len(buttons) == 1)
    app.display.keep(pictures / "2-approval.png")
    app.click_last_button()
    app.wait_for_plan("completed")
    assert machine.read("app.py") == "x = 1\nshout(x)\n", "what was approved must be on disk"
    app.display.keep(pictures / "3-implemented.png")
    app.display.press("ctrl+alt+u")
    app.wait_for_button("Undo in the sheet", lambda buttons: len(buttons) == 1)
    app.click_last_button()
    app.wait_for_run("undone")
    assert machine.read("app.py") == FILES["app.py"], "what was undone must be as before"
    app.display.keep(pictures / "4-undone.png")
