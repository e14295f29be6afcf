"""From the start of the real command to its first picture, and to a plan on screen, next to a window with one label.

Each is a process of its own that ends at the picture in question; time is counted from before it is started.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks.rounds import measure, row
from tests.support.workplace import ROOT

BODIES = {
    "minimal": """
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
class Label(QLabel):
    def paintEvent(self, event):
        super().paintEvent(event)
        painted()
application = QApplication([])
window = QMainWindow()
window.setCentralWidget(Label("A window"))
window.resize(1440, 900)
window.show()
application.exec()
""",
    "frame": """
from tandem_desktop.app.main import main
import tandem_desktop.ui.window_frame as module
def paint(self, event, before=module.WindowFrame.paintEvent):
    before(self, event)
    painted()
module.WindowFrame.paintEvent = paint
main(["gui", sys.argv[1]])
""",
    "plan": """
from tandem_desktop.app.main import main
from importlib import import_module
import tandem_desktop.app.window as opening
def furnish(self, before=opening._Opening._furnish):
    module = import_module("tandem_desktop.ui.plan.operation_list")
    def paint(self, event, before=module.OperationList.paintEvent):
        before(self, event)
        if self.operations().total:
            painted()
    module.OperationList.paintEvent = paint
    before(self)
opening._Opening._furnish = furnish
main(["gui", sys.argv[1]])
""",
}
_START = """
import os, sys
def painted():
    os.write(1, b"painted")
    os._exit(0)
"""


def main(rounds: int = 9) -> None:
    print(f"First paint: from the start of the process, {rounds} rounds, shuffled")
    for name, figures in run(rounds):
        print(f"  {name:<38} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory(prefix="tandem-benchmark-") as name:
        folder = Path(name)
        workspace = _with_a_plan(folder)
        worked: dict[str, list[float]] = {name: [] for name in BODIES}
        turns = {name: _turn(name, folder, workspace, worked[name]) for name in BODIES}
        for turn in turns.values():
            turn()  # byte code and disk cache are there afterwards, for all alike
        for seconds in worked.values():
            seconds.clear()
        found = measure(turns, rounds)
        return [
            row("first picture", found["frame"], found["minimal"], "one label"),
            row("first picture, processor", worked["frame"], worked["minimal"], "one label"),
            row("a plan on screen", found["plan"], found["minimal"], "one label"),
            row("a plan on screen, processor", worked["plan"], worked["minimal"], "one label"),
        ]


def _turn(name: str, folder: Path, workspace: Path, worked: list[float]) -> Callable[[], float]:
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen"),
        "TANDEM_STATE_DIR": str(folder / "state"),
        "TANDEM_CONFIG_DIR": str(folder / "config"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        "PYTHONDONTWRITEBYTECODE": "",  # what is installed has byte code, whatever is set here
    }

    def turn() -> float:
        words = [sys.executable, "-c", _START + BODIES[name], str(workspace)]
        started = time.perf_counter()
        child = subprocess.Popen(words, stdout=subprocess.PIPE, cwd=ROOT, env=environment)
        assert child.stdout is not None
        said = child.stdout.read(7)
        taken = time.perf_counter() - started
        _, _, usage = os.wait4(child.pid, 0)
        child.returncode = 0
        child.stdout.close()
        assert said == b"painted", f"{name} showed nothing"
        worked.append(usage.ru_utime + usage.ru_stime)
        return taken

    return turn


def _with_a_plan(folder: Path) -> Path:
    """A small workspace with one plan that was on screen last."""
    from tandem_desktop.app.wiring import build_engine
    from tandem_desktop.ui.state import WindowState

    workspace = folder / "workspace"
    workspace.mkdir()
    (workspace / "app.py").write_text('def greet(name):\n    return "Hello " + name\n' * 40)
    engine = build_engine(workspace, state=folder / "state")
    args = {"path": "hello.txt", "content": "hello\n"}
    steps = [{"description": "Say hello", "tool": "write", "args": args}]
    steps.append({"description": "Try it", "tool": "bash", "args": {"command": "python app.py"}})
    version = engine.proposals.propose(json.dumps({"title": "A plan", "steps": steps}).encode())
    WindowState(engine.locations.state / "windows", engine.workspace.identity).put(
        plan=version.plan_id, session=version.session_id
    )
    engine.close()
    return workspace


if __name__ == "__main__":
    main()
