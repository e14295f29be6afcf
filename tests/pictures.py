"""Pictures of every pane and of the whole window on its way: `python -m tests.pictures DIR [PANE[:THEME]…]`.

Panes are drawn in the dark and the light theme; the whole window is driven by clicks and keys over a real workspace, on
its way (`window`) and into every state it can be in (`states`), and through review in depth (`depth`).
"""

import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import importlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.ui.theme.style import install
from tandem_desktop.ui.theme.theme import Theme

PANES = ("widgets", "diff", "chat", "plan", "tasks", "window", "states", "depth")
THEMES = ("dark", "light")


def main(words: list[str]) -> int:
    if not words:
        print(__doc__)
        return 2
    folder, wanted = Path(words[0]), words[1:] or list(PANES)
    folder.mkdir(parents=True, exist_ok=True)
    alone = [pane.partition(":") for pane in wanted]
    if len(alone) > 1 or not alone[0][1]:
        # Each in a process of its own: Qt does not outlive a few hundred windows in one.
        names = [f"{pane}:{name}" for pane, _, theme in alone for name in ((theme,) if theme else THEMES)]
        calls = [[sys.executable, "-m", "tests.pictures", str(folder), name] for name in names]
        return max(subprocess.run(call, check=False).returncode for call in calls)
    application = QApplication.instance() or QApplication([])
    assert isinstance(application, QApplication)
    with tempfile.TemporaryDirectory(prefix="tandem-pictures-") as scratch:
        os.environ["TANDEM_STATE_DIR"] = f"{scratch}/state"
        os.environ["TANDEM_CONFIG_DIR"] = f"{scratch}/config"
        pane, _, name = wanted[0].partition(":")
        for path in taken(application, pane, name, folder):
            print(path)
    return 0


def taken(application: QApplication, pane: str, name: str, folder: Path) -> Iterator[Path]:
    module = importlib.import_module(f"tests.ui.pictures.{pane}")
    theme = Theme(name=name)
    install(application, theme)
    for title, widget in module.pictures(application, theme):
        path = folder / f"{title}-{name}.png"
        save(application, widget, path)
        yield path


def save(application: QApplication, widget: QWidget, path: Path) -> None:
    if not widget.isVisible():
        widget.show()
    application.processEvents()
    widget.grab().save(str(path))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
