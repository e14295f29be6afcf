"""Asking for the version costs nothing: `tandem --version` answers before anything heavy is imported."""

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

HEAVY = {"PySide6", "asyncio", "diff_match_patch", "frontmatter", "pydantic", "pygit2", "shiboken6", "unidiff", "yaml"}


def test_version_is_told_without_importing_anything_heavy() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", ASK_FOR_THE_VERSION], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert tandem_desktop.__version__ in ended.stdout
    loaded = {name.partition(".")[0] for name in ended.stderr.split()}
    assert "tandem_desktop" in loaded
    assert loaded & HEAVY == set()
