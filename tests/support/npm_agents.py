"""Real agents for the tests, in a folder that git ignores: `python -m tests.support.npm_agents [NAME…]`.

The command installs them by npm. Tests only look for what is installed; a test whose agent is missing is skipped, and
the end of a run says how many were and what is missing.
"""

import json
import os
import shutil
import subprocess
import sys
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
NOT_INSTALLED = " is not installed: python -m tests.support.npm_agents "
_INSTALL_TIMEOUT_S = 600
_FETCH_TIMEOUT_MS = 20_000


def main(names: list[str]) -> int:
    """Install the named agents, or all of them; 1 when one cannot be had."""
    reasons = [reason for name in names or list(PACKAGES) if (reason := install(name))]
    for reason in reasons:
        print(reason, file=sys.stderr)
    return 1 if reasons else 0


def require(name: str, place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the agent on PATH and let it speak with `model`; skip where it is not installed."""
    require_installed(name)
    monkeypatch.setenv("PATH", search_path(name))
    if name == "opencode":
        _settle_opencode(place, model)
    if name == "codex":
        _settle_codex(place, model)
    for variable, value in _chosen_model(name, model).items():
        monkeypatch.setenv(variable, value)


def require_installed(name: str) -> None:
    """Skip where the agent is not installed."""
    if not _is_installed(name):
        package, version = PACKAGES[name]
        pytest.skip(f"{package} {version}{NOT_INSTALLED}{name}")


def install(name: str) -> str:
    """Install it unless it is there; empty, or the reason why it is not."""
    if _is_installed(name):
        return ""
    package, version = PACKAGES[name]
    npm = shutil.which("npm")
    if npm is None:
        return f"{package} cannot be installed: npm is missing"
    folder = _folder(name)
    # Two processes may come here at once: each installs for itself, and the first to finish is kept.
    trial = folder.with_name(f"{folder.name}.{os.getpid()}")
    trial.mkdir(parents=True, exist_ok=True)
    command = [npm, "install", "--no-audit", "--no-fund", "--fetch-retries=0", f"--fetch-timeout={_FETCH_TIMEOUT_MS}"]
    command += ["--prefix", str(trial), f"{package}@{version}"]
    try:
        ended = subprocess.run(
            command, capture_output=True, text=True, timeout=_INSTALL_TIMEOUT_S, check=False, cwd=trial
        )
        if ended.returncode:
            return f"{package} cannot be installed: {_first_error(ended.stderr)}"
        (trial / "ready").touch()
        if not folder.exists():
            trial.rename(folder)
    except subprocess.TimeoutExpired:
        return f"{package} cannot be installed: npm took longer than {_INSTALL_TIMEOUT_S} seconds"
    finally:
        shutil.rmtree(trial, ignore_errors=True)
    return ""


def _is_installed(name: str) -> bool:
    return (_folder(name) / "ready").exists()


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
        "gemini": {"GOOGLE_GEMINI_BASE_URL": model.url, "GEMINI_API_KEY": "x", "GEMINI_MODEL": "gemini-2.5-flash"},
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


def _settle_codex(place: AgentPlace, model: ScriptedModel) -> None:
    """A provider of the person's own, which needs no login."""
    lines = (
        'model = "gpt-5.5"',
        'model_provider = "scripted"',
        "[model_providers.scripted]",
        'name = "Scripted"',
        f'base_url = "{model.openai_url}"',
        'wire_api = "responses"',
    )
    folder = place.person / ".codex"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("\n".join((*lines, "")))


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("npm warn")]
    return lines[0] if lines else "npm gave no reason"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
