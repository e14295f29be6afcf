"""Real agents for the tests, in a folder that git ignores: `python -m tests.support.npm_agents [NAME…]`.

The command installs them by npm, and those of PyPI by uv, which also finds or fetches the Python they need. Tests only
look for what is installed; a test whose agent is missing is skipped, and the end of a run says how many were and what
is missing.
"""

import json
import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.support.agent_runs import AgentPlace
from tests.support.scripted_model import ScriptedModel

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".agents"
NOT_INSTALLED = " is not installed: python -m tests.support.npm_agents "
_INSTALL_TIMEOUT_S = 600
_FETCH_TIMEOUT_MS = 20_000
_PYTHON = ">=3.12,<3.14"


@dataclass(frozen=True)
class RealAgent:
    """Where an agent comes from, and what leads it to the scripted model (`{url}`, or `{openai_url}` with `/v1`)."""

    package: str
    version: str
    beside: tuple[str, ...] = ()
    """Packages it needs besides."""
    from_pypi: bool = False
    """Whether it comes from PyPI, for a Python newer than 3.11."""
    newer_node: bool = False
    """Whether it needs a Node newer than 20."""
    profile: str = ""
    """The profile it is run with, where that has another name."""
    env: Mapping[str, str] = field(default_factory=dict)
    home: Mapping[str, str] = field(default_factory=dict)
    """Files that a person who uses it has in their home."""
    needs_account: bool = False
    """Whether it opens no session without an account of its maker's."""


def _opencode_settings() -> str:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": "{openai_url}", "apiKey": "x"},
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
    return json.dumps(settings)


_CODEX_SETTINGS = """\
model = "gpt-5.5"
model_provider = "scripted"
[model_providers.scripted]
name = "Scripted"
base_url = "{openai_url}"
wire_api = "responses"
"""
"""A provider of the person's own, which needs no login."""
_KIMI_SETTINGS = """\
default_model = "scripted"
telemetry = false
[providers.scripted]
type = "openai"
base_url = "{openai_url}"
api_key = "x"
[models.scripted]
provider = "scripted"
model = "fake-1"
max_context_size = 100000
"""


def _pi_models() -> str:
    provider = {
        "baseUrl": "{openai_url}",
        "api": "openai-completions",
        "apiKey": "x",
        "models": [{"id": "fake-1"}],
    }
    return json.dumps({"providers": {"scripted": provider}})


_PI_SETTINGS = json.dumps({"defaultProvider": "scripted", "defaultModel": "fake-1"})
_VIBE_SETTINGS = """\
active_model = "scripted"
[[providers]]
name = "scripted"
api_base = "{openai_url}"
api_key_env_var = ""
[[models]]
name = "fake-1"
provider = "scripted"
alias = "scripted"
"""


def _openhands_settings() -> str:
    llm = {"model": "openai/fake-1", "api_key": "x", "base_url": "{openai_url}", "usage_id": "agent"}
    tools = [{"name": name, "params": {}} for name in ("terminal", "file_editor")]
    return json.dumps({"kind": "Agent", "llm": llm, "tools": tools})


def _cline_providers() -> str:
    settings = {"provider": "openai-compatible", "apiKey": "x", "model": "fake-1", "baseUrl": "{openai_url}"}
    provider = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    last = "openai-compatible"
    return json.dumps({"version": 1, "lastUsedProvider": last, "modes": {}, "providers": {last: provider}})


_CLAUDE = {"ANTHROPIC_BASE_URL": "{url}", "ANTHROPIC_API_KEY": "x"}
_QWEN = {"OPENAI_BASE_URL": "{openai_url}", "OPENAI_API_KEY": "x", "OPENAI_MODEL": "fake-1"}
REAL_AGENTS = {
    "opencode": RealAgent("opencode-ai", "1.18.33", home={".config/opencode/opencode.json": _opencode_settings()}),
    "goose": RealAgent(
        "@aaif/goose",
        "0.20.1",
        env={"GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "fake-1", "OPENAI_HOST": "{url}", "OPENAI_API_KEY": "x"},
    ),
    "claude": RealAgent("@agentclientprotocol/claude-agent-acp", "0.49.0", env=_CLAUDE),
    "claude-newest": RealAgent(
        "@agentclientprotocol/claude-agent-acp", "0.99.1", newer_node=True, profile="claude", env=_CLAUDE
    ),
    "qwen": RealAgent("@qwen-code/qwen-code", "0.15.10", env=_QWEN),
    "qwen-newest": RealAgent("@qwen-code/qwen-code", "0.24.4", newer_node=True, profile="qwen", env=_QWEN),
    "gemini": RealAgent(
        "@google/gemini-cli",
        "0.61.0",
        env={"GOOGLE_GEMINI_BASE_URL": "{url}", "GEMINI_API_KEY": "x", "GEMINI_MODEL": "gemini-2.5-flash"},
    ),
    "codex": RealAgent("@agentclientprotocol/codex-acp", "2.6.0", home={".codex/config.toml": _CODEX_SETTINGS}),
    "copilot": RealAgent(
        "@github/copilot",
        "1.0.102",
        env={"COPILOT_PROVIDER_BASE_URL": "{openai_url}", "COPILOT_PROVIDER_API_KEY": "x", "COPILOT_MODEL": "fake-1"},
    ),
    "kimi": RealAgent(
        "@moonshot-ai/kimi-code", "2.1.0", newer_node=True, home={".kimi-code/config.toml": _KIMI_SETTINGS}
    ),
    "pi": RealAgent(
        "pi-acp",
        "0.0.34",
        beside=("@earendil-works/pi-coding-agent@0.87.1",),
        newer_node=True,
        home={".pi/agent/models.json": _pi_models(), ".pi/agent/settings.json": _PI_SETTINGS},
    ),
    "vibe": RealAgent(
        "mistral-vibe",
        "3.0.2",
        from_pypi=True,
        home={".vibe/config.toml": _VIBE_SETTINGS},
    ),
    "deepagents": RealAgent(
        "deepagents-code",
        "0.1.88",
        from_pypi=True,
        env={"OPENAI_BASE_URL": "{openai_url}", "OPENAI_API_KEY": "x"},
    ),
    "cline": RealAgent(
        "cline",
        "3.0.65",
        env={"CLINE_PROVIDER": "openai-compatible", "CLINE_API_KEY": "x", "CLINE_MODEL": "fake-1"},
        home={".cline/data/settings/providers.json": _cline_providers()},
    ),
    "openhands": RealAgent(
        "openhands",
        "1.16.0",
        from_pypi=True,
        home={".openhands/agent_settings.json": _openhands_settings()},
    ),
    "kilo": RealAgent("@kilocode/cli", "7.7.7", home={".config/kilo/kilo.json": _opencode_settings()}),
    "fast-agent": RealAgent(
        "fast-agent-mcp",
        "0.10.46",
        from_pypi=True,
        env={"FAST_AGENT_MODEL": "generic.fake-1", "GENERIC_BASE_URL": "{openai_url}", "GENERIC_API_KEY": "x"},
    ),
    "droid": RealAgent("droid", "0.215.0", needs_account=True),
    "auggie": RealAgent("@augmentcode/auggie", "0.36.0", needs_account=True),
    "qoder": RealAgent("@qoder-ai/qodercli", "1.1.52", needs_account=True),
}
NODE = RealAgent("node", "24.21.0")


def main(names: list[str]) -> int:
    """Install the named agents, or all of them; 1 when one cannot be had."""
    reasons = [reason for name in names or list(REAL_AGENTS) if (reason := install(name))]
    for reason in reasons:
        print(reason, file=sys.stderr)
    return 1 if reasons else 0


def require(name: str, place: AgentPlace, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> str:
    """Put the agent on PATH and let it speak with `model`; skip where it is not installed. The name of its profile."""
    require_installed(name)
    agent = REAL_AGENTS[name]
    monkeypatch.setenv("PATH", search_path(name))
    for variable, value in agent.env.items():
        monkeypatch.setenv(variable, _led_to(model, value))
    for file, text in agent.home.items():
        path = place.person / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_led_to(model, text))
    return agent.profile or name


def require_installed(name: str) -> None:
    """Skip where the agent is not installed."""
    agent = REAL_AGENTS[name]
    if not all(_is_installed(each) for each in _parts(agent)):
        pytest.skip(f"{agent.package} {agent.version}{NOT_INSTALLED}{name}")


def install(name: str) -> str:
    """Install it unless it is there; empty, or the reason why it is not."""
    return next((reason for each in _parts(REAL_AGENTS[name]) if (reason := _installed(each))), "")


def search_path(name: str) -> str:
    """A PATH on which the installed agent is found first."""
    folders = [str(_folder(each) / _programs(each)) for each in _parts(REAL_AGENTS[name])]
    return os.pathsep.join((*folders, os.environ["PATH"]))


def _installed(agent: RealAgent) -> str:
    if _is_installed(agent):
        return ""
    folder = _folder(agent)
    # Two processes may come here at once: each installs for itself, and the first to finish is kept.
    trial = folder.with_name(f"{folder.name}.{os.getpid()}")
    trial.mkdir(parents=True, exist_ok=True)
    try:
        if reason := _by_uv(agent, trial) if agent.from_pypi else _by_npm(agent, trial):
            return f"{agent.package} cannot be installed: {reason}"
        (trial / "ready").touch()
        if not folder.exists():
            trial.rename(folder)
    finally:
        shutil.rmtree(trial, ignore_errors=True)
    return ""


def _by_npm(agent: RealAgent, trial: Path) -> str:
    npm = shutil.which("npm")
    if npm is None:
        return "npm is missing"
    command = [npm, "install", "--no-audit", "--no-fund", "--fetch-retries=0", f"--fetch-timeout={_FETCH_TIMEOUT_MS}"]
    return _ran([*command, "--prefix", str(trial), f"{agent.package}@{agent.version}", *agent.beside], trial)


def _by_uv(agent: RealAgent, trial: Path) -> str:
    uv = FOLDER / "uv" / "bin" / "uv"
    if not uv.exists():
        venv.create(FOLDER / "uv", with_pip=True)
        if reason := _ran([str(uv.with_name("pip")), "install", "-q", "uv"], trial):
            return reason
    making = [str(uv), "venv", "--quiet", "--relocatable", "--python", _PYTHON, str(trial)]
    packages = [f"{agent.package}=={agent.version}", *agent.beside]
    return _ran([*making, "--allow-existing"], trial) or _ran(
        [
            str(uv),
            "pip",
            "install",
            "--quiet",
            "--compile-bytecode",
            "--python",
            str(trial / "bin" / "python"),
            *packages,
        ],
        trial,
    )


def _ran(command: list[str], folder: Path) -> str:
    """Empty, or why the command did not do it."""
    found = os.pathsep.join((*map(str, FOLDER.glob("python-*/bin")), os.environ["PATH"]))
    environment = {**os.environ, "PATH": found, "UV_PYTHON_INSTALL_DIR": str(FOLDER / "python")}
    try:
        ended = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_INSTALL_TIMEOUT_S,
            check=False,
            cwd=folder,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        return f"{Path(command[0]).name} took longer than {_INSTALL_TIMEOUT_S} seconds"
    return _first_error(ended.stderr) if ended.returncode else ""


def _parts(agent: RealAgent) -> tuple[RealAgent, ...]:
    return (agent, NODE) if agent.newer_node else (agent,)


def _programs(agent: RealAgent) -> str:
    return "bin" if agent.from_pypi else "node_modules/.bin"


def _is_installed(agent: RealAgent) -> bool:
    return (_folder(agent) / "ready").exists()


def _folder(agent: RealAgent) -> Path:
    name = next((name for name, each in REAL_AGENTS.items() if each is agent), agent.package)
    return FOLDER / f"{name}-{agent.version}"


def _led_to(model: ScriptedModel, text: str) -> str:
    return text.replace("{openai_url}", model.openai_url).replace("{url}", model.url)


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("npm warn")]
    return lines[0] if lines else "it gave no reason"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
