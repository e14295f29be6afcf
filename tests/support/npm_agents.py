"""Real agents for the tests: installed once, by npm, into a folder of the checkout that git ignores."""

import functools
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.agent_runs import AgentPlace
from tests.support.scripted_model import ScriptedModel

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".agents"
PACKAGES = {
    "opencode": ("opencode-ai", "1.18.33"),
    "goose": ("@aaif/goose", "0.20.1"),
    "claude": ("@agentclientprotocol/claude-agent-acp", "0.49.0"),
    "qwen": ("@qwen-code/qwen-code", "0.15.10"),
    "gemini": ("@google/gemini-cli", "0.61.0"),
    "codex": ("@agentclientprotocol/codex-acp", "2.6.0"),
}
PATIENCE_S = 600


def require(name: str, place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the agent on PATH and let it speak with `model`, or skip and say why it cannot be had."""
    why_not = installed(name)
    if why_not:
        pytest.skip(why_not)
    monkeypatch.setenv("PATH", search_path(name))
    if name == "opencode":
        _settle_opencode(place, model)
    for variable, value in _chosen_model(name, model).items():
        monkeypatch.setenv(variable, value)


@functools.cache
def installed(name: str) -> str:
    """Install it unless it is there; empty, or the reason why it is not."""
    package, version = PACKAGES[name]
    folder = _folder(name)
    ready = folder / "ready"
    if ready.exists():
        return ""
    npm = shutil.which("npm")
    if npm is None:
        return f"{package} cannot be installed: npm is missing"
    # Two test processes may come here at once: each installs for itself, and the first to finish is kept.
    trial = folder.with_name(f"{folder.name}.{os.getpid()}")
    trial.mkdir(parents=True, exist_ok=True)
    words = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(trial), f"{package}@{version}"]
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE_S, check=False, cwd=trial)
        if ended.returncode:
            return f"{package} cannot be installed: {_first_line(ended.stderr)}"
        (trial / "ready").touch()
        if not folder.exists():
            trial.rename(folder)
    except subprocess.TimeoutExpired:
        return f"{package} cannot be installed: npm took longer than {PATIENCE_S} seconds"
    finally:
        shutil.rmtree(trial, ignore_errors=True)
    return ""


def search_path(name: str) -> str:
    """A PATH on which the installed agent is found first."""
    return f"{_folder(name) / 'node_modules' / '.bin'}{os.pathsep}{os.environ['PATH']}"


def _folder(name: str) -> Path:
    return FOLDER / f"{name}-{PACKAGES[name][1]}"


def _chosen_model(name: str, model: ScriptedModel) -> dict[str, str]:
    """The variables that lead an agent to the model."""
    return {
        "goose": {
            "GOOSE_PROVIDER": "openai",
            "GOOSE_MODEL": "fake-1",
            "OPENAI_HOST": model.url,
            "OPENAI_API_KEY": "x",
        },
        "claude": {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "x"},
        "qwen": {"OPENAI_BASE_URL": model.openai_url, "OPENAI_API_KEY": "x", "OPENAI_MODEL": "fake-1"},
        "gemini": {"GEMINI_API_KEY": "x"},
        "codex": {"OPENAI_BASE_URL": model.openai_url, "OPENAI_API_KEY": "x"},
    }.get(name, {})


def _settle_opencode(place: AgentPlace, model: ScriptedModel) -> None:
    """What a person who uses it has in their home."""
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": model.openai_url, "apiKey": "x"},
        "models": {"fake-1": {"name": "Fake 1", "tool_call": True, "limit": {"context": 100000, "output": 8000}}},
    }
    settings = {
        "model": "fake/fake-1",
        "small_model": "fake/fake-1",
        "autoupdate": False,
        "share": "disabled",
        "enabled_providers": ["fake"],
        "provider": {"fake": provider},
    }
    folder = place.person / ".config" / "opencode"
    folder.mkdir(parents=True)
    (folder / "opencode.json").write_text(json.dumps(settings))


def _first_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0] if lines else "npm gave no reason"
