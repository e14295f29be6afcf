"""What must be quick imports nothing heavy: the version, the calls that only look, and the window's first picture."""

import json
import os
import subprocess
import sys
from pathlib import Path

import tandem_desktop

ROOT = Path(__file__).resolve().parents[2]

ASK = """
import sys

before = set(sys.modules)
sys.argv = ["tandem", *sys.argv[1:]]
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
    *("PySide6", "asyncio", "diff_match_patch", "frontmatter", "pydantic", "shiboken6", "unidiff", "yaml"),
    *("h11", "starlette", "uvicorn"),
}


def test_version_is_told_without_importing_anything_heavy() -> None:
    assert tandem_desktop.__version__ in answered_lightly("--version")


def test_help_is_shown_without_importing_anything_heavy() -> None:
    assert "approve PLAN" in answered_lightly("--help")


def answered_lightly(word: str) -> str:
    ended = subprocess.run([sys.executable, "-c", ASK, word], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    loaded = {name.partition(".")[0] for name in ended.stderr.split()}
    assert "tandem_desktop" in loaded
    assert loaded & (HEAVY | NOT_FOR_PLANS) == set()
    return ended.stdout


CALL = """
import sys

from tandem_desktop.app.main import main

file, *words = sys.argv[1:]
code = main(words)
with open(file, "w", encoding="utf-8") as loaded:
    loaded.write(" ".join(sys.modules))
sys.exit(code)
"""

NOT_FOR_PLANS = {
    *("PySide6", "shiboken6", "markdown_it", "watchfiles"),
    *("acp", "anyio", "asyncio", "mcp", "mcp_types", "pydantic_ai"),
    *("h11", "starlette", "uvicorn"),
    *("keyring", "pygments", "tomlkit"),
}

PLAN = {
    "title": "Say hello",
    "steps": [{"description": "Greet", "tool": "write", "args": {"path": "hello.txt", "content": "Hello!\n"}}],
}


def call_and_modules(folder: Path, *words: str) -> tuple[str, set[str]]:
    """What a call of the program prints, and the packages it has loaded by then."""
    state = {name: str(folder / name) for name in ("TANDEM_STATE_DIR", "TANDEM_CONFIG_DIR")}
    ended = subprocess.run(
        [sys.executable, "-c", CALL, str(folder / "loaded"), *words],
        cwd=folder / "project",
        env={**os.environ, "PYTHONPATH": str(ROOT), **state},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout, {name.partition(".")[0] for name in modules_loaded(folder)}


def modules_loaded(folder: Path) -> list[str]:
    """Every module that the last call had loaded at its end."""
    return (folder / "loaded").read_text("utf-8").split()


def test_plans_are_proposed_listed_shown_and_approved_without_importing_what_others_need(
    tmp_path: Path,
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")

    def light(*words: str) -> str:
        printed, loaded = call_and_modules(tmp_path, *words)
        assert "tandem_desktop" in loaded
        assert loaded & NOT_FOR_PLANS == set(), words
        return printed

    proposed = json.loads(light("--json", "propose", str(tmp_path / "plan.json")))
    light("list")
    light("show", proposed["plan_id"], "--diff")
    light("approve", proposed["plan_id"], "--digest", proposed["digest"])


def test_a_list_of_plans_imports_few_modules_and_no_library(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")
    call_and_modules(tmp_path, "propose", str(tmp_path / "plan.json"))
    call_and_modules(tmp_path, "list")  # reads the new record, and keeps its line in the index
    printed, loaded = call_and_modules(tmp_path, "list")
    assert "Say hello" in printed
    assert len([name for name in modules_loaded(tmp_path) if name.startswith("tandem_desktop")]) <= 60
    assert loaded & (HEAVY | NOT_FOR_PLANS | {"tomllib"}) == set()


NOT_FOR_READING = {"concurrent", "ctypes", "frontmatter", "pydantic", "selectors", "socket", "subprocess", "yaml"}
"""What a call that reads records, or decides on one, has no use for."""


def own_modules(folder: Path) -> list[str]:
    return [name for name in modules_loaded(folder) if name.startswith("tandem_desktop.")]


def test_showing_a_plan_imports_nothing_of_agents_checks_and_rehearsals(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")
    proposed = json.loads(call_and_modules(tmp_path, "--json", "propose", str(tmp_path / "plan.json"))[0])
    _, loaded = call_and_modules(tmp_path, "show", proposed["plan_id"])
    assert loaded & NOT_FOR_READING == set()
    assert len(own_modules(tmp_path)) <= 85
    parts = {name.split(".")[1] for name in own_modules(tmp_path)}
    assert parts & {"acp_client", "advisors", "checks", "leash", "recipes", "rehearsal", "shadow"} == set()


def test_runs_are_listed_and_plans_are_approved_without_importing_what_carries_them_out(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")
    proposed = json.loads(call_and_modules(tmp_path, "--json", "propose", str(tmp_path / "plan.json"))[0])
    for most, words in (
        (85, ("runs",)),
        (102, ("approve", proposed["plan_id"], "--digest", proposed["digest"])),
    ):
        _, loaded = call_and_modules(tmp_path, *words)
        own = own_modules(tmp_path)
        assert loaded & (NOT_FOR_READING - {"ctypes"}) == set(), words
        assert len(own) <= most, words
        assert {name.removeprefix("tandem_desktop.") for name in own}.isdisjoint(
            {"execution.executor", "execution.publisher", "execution.recovery", "execution.run", "execution.undo"}
        )


def test_a_plan_without_commands_is_applied_and_undone_without_importing_sandboxes(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")
    proposed = json.loads(call_and_modules(tmp_path, "--json", "propose", str(tmp_path / "plan.json"))[0])
    call_and_modules(tmp_path, "approve", proposed["plan_id"], "--digest", proposed["digest"])
    applied = json.loads(call_and_modules(tmp_path, "--json", "apply", proposed["plan_id"])[0])
    unused = NOT_FOR_READING - {"concurrent", "ctypes", "selectors", "subprocess"}  # an undo asks git
    for words in (("undo", applied["run_id"]), ("redo", applied["run_id"])):
        _, loaded = call_and_modules(tmp_path, *words)
        assert loaded & unused == set(), words
        assert {name.split(".")[1] for name in own_modules(tmp_path)} & {"checks", "leash", "shadow"} == set()


BUILD_WHAT_LIVES_ON = """
import sys
from importlib import import_module
from pathlib import Path

from tandem_desktop.app.wiring import SERVICE_MODULES, build_engine

for name in SERVICE_MODULES:
    import_module(name)
before = set(sys.modules)
build_engine(Path(sys.argv[1]), state=Path(sys.argv[2]), lives_on=True).close()
print(*(name for name in sorted(set(sys.modules) - before) if name.startswith("tandem_desktop")))
"""


def test_the_engine_of_a_window_is_built_from_modules_that_were_imported_ahead(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    words = [sys.executable, "-c", BUILD_WHAT_LIVES_ON, str(tmp_path / "project"), str(tmp_path / "state")]
    ended = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.split() == []


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
