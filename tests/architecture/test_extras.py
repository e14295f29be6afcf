"""Without an extra, the rest of the program works, and the call that needs the extra names it."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = {
    "api": ("starlette", "uvicorn", "h11"),
    "mcp": ("mcp", "mcp_types", "anyio"),
    "agent": ("pydantic_ai", "anthropic", "openai"),
    "gui": ("PySide6", "shiboken6", "markdown_it", "watchfiles"),
}
PLAN = {
    "title": "Say hello",
    "steps": [{"description": "Greet", "tool": "write", "args": {"path": "hello.txt", "content": "Hello!\n"}}],
}

CALL_WITHOUT = """
import sys

missing, *words = sys.argv[1:]
sys.modules.update(dict.fromkeys(missing.split(","), None))  # as if it was not installed
from tandem_desktop.app.main import main

sys.exit(main(words))
"""


def call(folder: Path, missing: tuple[str, ...], *words: str) -> subprocess.CompletedProcess[str]:
    project = folder / "project"
    project.mkdir(exist_ok=True)
    state = {name: str(folder / name) for name in ("TANDEM_STATE_DIR", "TANDEM_CONFIG_DIR")}
    return subprocess.run(
        [sys.executable, "-c", CALL_WITHOUT, ",".join(missing), "-C", str(project), *words],
        env={**os.environ, "PYTHONPATH": str(ROOT), **state},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_plan_is_proposed_shown_approved_applied_and_undone_without_any_extra(tmp_path: Path) -> None:
    missing = tuple(module for extra in EXTRAS.values() for module in extra)
    (tmp_path / "plan.json").write_text(json.dumps(PLAN), encoding="utf-8")

    def answered(*words: str) -> dict[str, str]:
        ended = call(tmp_path, missing, "--json", *words)
        assert ended.returncode == 0, ended.stdout + ended.stderr
        answer: dict[str, str] = json.loads(ended.stdout)
        return answer

    proposed = answered("propose", str(tmp_path / "plan.json"))
    plan, digest = proposed["plan_id"], proposed["digest"]
    answered("list")
    answered("show", plan, "--diff")
    answered("approve", plan, "--digest", digest)
    run = answered("apply", plan)["run_id"]
    assert (tmp_path / "project" / "hello.txt").read_text(encoding="utf-8") == "Hello!\n"
    answered("undo", run)
    assert not (tmp_path / "project" / "hello.txt").exists()


@pytest.mark.parametrize(
    ("extra", "missing", "words"),
    [
        ("api", "starlette", ("serve",)),
        ("api", "uvicorn", ("serve",)),
        ("api", "h11", ("serve",)),
        ("mcp", "mcp", ("mcp",)),
        ("mcp", "mcp", ("run", "--task", '/replace "a" "b"')),
        ("gui", "PySide6", ("gui",)),
    ],
)
def test_a_call_that_needs_a_missing_extra_names_it_in_one_sentence(
    tmp_path: Path, extra: str, missing: str, words: tuple[str, ...]
) -> None:
    ended = call(tmp_path, (missing,), *words)
    assert ended.returncode == 2, ended.stdout + ended.stderr
    assert f'is not installed.\nNext: Install it with: pip install "tandem-desktop[{extra}]"' in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_core_asks_for_nothing_of_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = " ".join(project["dependencies"])
    assert not [name for name in ("mcp", "starlette", "uvicorn", "h11", "PySide6", "pydantic-ai") if name in core]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("packaging/lock", "--extra gui --extra agent --extra api"),
        ("packaging/locks/start.txt", "\nuvicorn=="),
        ("packaging/locks/build.txt", "\nuvicorn=="),
        ("packaging/verifying/verify.py", "[gui,agent,api]"),
        ("README.md", "[gui,agent,api]"),
    ],
)
def test_what_installs_the_program_installs_the_api_too(path: str, words: str) -> None:
    assert words in (ROOT / path).read_text(encoding="utf-8")
