"""The layers hold: who may know whom, and where Qt may not be."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

IMPORT_EVERYTHING_WITHOUT_QT = """
import importlib, pkgutil, sys

class NoQt:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"PySide6", "shiboken6"}:
            raise ImportError(f"{name} is blocked: the core works without Qt")

sys.meta_path.insert(0, NoQt())
import tandem_desktop

def refuse(name):
    raise ImportError(name)

names = [
    module.name
    for module in pkgutil.walk_packages(tandem_desktop.__path__, "tandem_desktop.", onerror=refuse)
    if not module.name.startswith("tandem_desktop.ui") and not module.name.endswith("__main__")
]
for name in names:
    importlib.import_module(name)
sys.stdout.write(chr(10).join(names))
"""

CHECK_CONTRACTS = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"


def run_python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.req("S3-01")
def test_every_core_module_imports_in_a_fresh_interpreter_where_qt_is_blocked() -> None:
    ended = run_python(IMPORT_EVERYTHING_WITHOUT_QT, ROOT)
    assert ended.returncode == 0, ended.stderr
    assert {"tandem_desktop.domain.plan", "tandem_desktop.storage.syscalls"} <= set(ended.stdout.split())


def test_the_story_only_points_one_way() -> None:
    ended = run_python(CHECK_CONTRACTS, ROOT)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("domain/knows_too_much.py", "import tandem_desktop.storage", "The story only points one way"),
        ("staging/knows_too_much.py", "import tandem_desktop.plans", "The story only points one way"),
        ("execution/knows_too_much.py", "import PySide6", "Qt stays in the UI"),
        ("domain/knows_too_much.py", "import subprocess", "The domain touches nothing"),
        ("surprise/__init__.py", "", "The story only points one way"),
    ],
    ids=["upwards", "sideways", "Qt in the core", "a process in the domain", "a package without a place"],
)
def test_a_module_that_knows_too_much_breaks_a_contract(tmp_path: Path, module: str, line: str, contract: str) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "tandem_desktop", tmp_path / "tandem_desktop", ignore=shutil.ignore_patterns("__pycache__"))
    trespasser = tmp_path / "tandem_desktop" / module
    trespasser.parent.mkdir(exist_ok=True)
    trespasser.write_text(f"{line}\n")
    ended = run_python(CHECK_CONTRACTS, tmp_path)
    assert ended.returncode == 1
    assert f"{contract} BROKEN" in " ".join(ended.stdout.split())
