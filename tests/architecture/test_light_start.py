"""What must be quick imports nothing heavy: the version is told, and the window has its first picture, without it."""

import os
import subprocess
import sys
from pathlib import Path

import tandem_desktop

ROOT = Path(__file__).resolve().parents[2]

ASK_FOR_THE_VERSION = """
import sys

before = set(sys.modules)
sys.argv = ["tandem", "--version"]
from tandem_desktop.app.main import main

try:
    code = main()
except SystemExit as leaving:
    code = leaving.code
sys.stdout.flush()
sys.stderr.write(" ".join(sorted(set(sys.modules) - before)))
sys.exit(code)
"""

HEAVY = {
    *("PySide6", "asyncio", "diff_match_patch", "frontmatter", "pydantic", "pygit2", "shiboken6", "unidiff", "yaml"),
    *("h11", "starlette", "uvicorn"),
}


def test_version_is_told_without_importing_anything_heavy() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ASK_FOR_THE_VERSION], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert tandem_desktop.__version__ in ended.stdout
    loaded = {name.partition(".")[0] for name in ended.stderr.split()}
    assert "tandem_desktop" in loaded
    assert loaded & HEAVY == set()


SHOW_THE_FRAME = """
import sys

from PySide6.QtWidgets import QApplication

import tandem_desktop.ui.window_frame as module

def paint(self, event, before=module.WindowFrame.paintEvent):
    before(self, event)
    sys.stderr.write(" ".join(sorted(sys.modules)))
    sys.stderr.flush()
    QApplication.quit()

module.WindowFrame.paintEvent = paint
module.WindowFrame.once_painted = lambda self, begin: None
from tandem_desktop.app.main import main

sys.exit(main(["gui", "."]))
"""


def test_window_has_its_first_picture_before_anything_heavy_is_imported() -> None:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    ended = subprocess.run(
        [sys.executable, "-c", SHOW_THE_FRAME], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    loaded = {name.partition(".")[0] for name in ended.stderr.split()}
    assert "PySide6" in loaded
    assert loaded & (HEAVY - {"PySide6", "shiboken6"} | {"markdown_it", "pygments"}) == set()
