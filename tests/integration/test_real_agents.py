"""Real agents, driven by a scripted model through their profiles, ask before they act and go on when refused."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.acp_client.client import SidecarManager
from tandem_desktop.acp_client.profiles import find_agent, profile_named
from tandem_desktop.domain.agent_protocol import PermissionRequest, PermissionVerdict, StopReason, ToolKind
from tandem_desktop.processes.child import Launch, scrubbed_environment
from tests.support.npm_agents import require_installed, search_path
from tests.support.scripted_model import ScriptedModel
from tests.support.sidecars import NotingClient

PATIENCE_S = 240
"""A first start on a busy machine is slow."""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "app.py").write_text("x = 1\nprint(x)\n")
    return folder


def opencode_settings(model: ScriptedModel) -> dict[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": model.openai_url, "apiKey": "x"},
        "models": {"s": {"name": "S", "tool_call": True, "limit": {"context": 100000, "output": 8000}}},
    }
    settings = {"model": "scripted/s", "small_model": "scripted/s", "provider": {"scripted": provider}}
    return {"opencode.json": json.dumps(settings)}


def a_real_manager(
    name: str, model: ScriptedModel, client: NotingClient, workspace: Path, home: Path, frames: list[Any]
) -> SidecarManager:
    profile = profile_named(name)
    require_installed(name)
    path = search_path(name)
    found = find_agent(profile, {"PATH": path}, ask_version=False)
    home.mkdir()
    additions = {"HOME": str(home), "PATH": path, **profile.set_env}
    if name == "opencode":
        folder = home / ".config" / "opencode"
        folder.mkdir(parents=True)
        for file, text in opencode_settings(model).items():
            (folder / file).write_text(text)
        additions["OPENCODE_DISABLE_MODELS_FETCH"] = "1"
    else:
        additions |= {"GOOSE_PROVIDER": "openai", "GOOSE_MODEL": "s", "OPENAI_HOST": model.url, "OPENAI_API_KEY": "x"}
    return SidecarManager(
        profile.model_copy(update={"start_timeout_s": 120.0}),
        Launch(argv=found.command, environment=scrubbed_environment(additions), cwd=workspace),
        client,
        workspace=str(workspace),
        on_frame=lambda direction, data: frames.append((direction, json.loads(data))),
    )


async def refuse(request: PermissionRequest) -> PermissionVerdict:
    return PermissionVerdict.REJECT


async def converse(manager: SidecarManager, workspace: Path) -> StopReason:
    async with asyncio.timeout(PATIENCE_S):
        try:
            await manager.start()
            session = await manager.new_session()
            return await manager.prompt(session.id, f"[[scenario:seq]] [[cwd:{workspace}]]")
        finally:
            await manager.stop()


@pytest.mark.agents
@pytest.mark.parametrize("name", ["opencode", "goose"])
async def test_a_real_agent_asks_for_edits_and_commands_and_goes_on_when_refused(
    name: str, workspace: Path, tmp_path: Path
) -> None:
    client, frames = NotingClient(refuse), []
    with ScriptedModel() as model:
        manager = a_real_manager(name, model, client, workspace, tmp_path / "home", frames)
        assert await converse(manager, workspace) is StopReason.END_TURN
    asked = [request.call for request in client.requests]
    assert [call.command for call in asked if call.kind is ToolKind.EXECUTE] == ["echo hi > made_by_bash.txt"]
    assert {call.paths for call in asked if call.kind is ToolKind.EDIT} >= {("app.py",)}
    assert "Finished" in client.text
    assert sorted(path.name for path in workspace.iterdir()) == ["app.py"]
    assert (workspace / "app.py").read_text() == "x = 1\nprint(x)\n"


@pytest.mark.agents
async def test_opencode_asks_even_where_the_workspace_would_have_it_not_ask(workspace: Path, tmp_path: Path) -> None:
    allow_all = {"permission": {"edit": "allow", "bash": "allow"}}
    (workspace / "opencode.json").write_text(json.dumps(allow_all))
    client, frames = NotingClient(refuse), []
    with ScriptedModel() as model:
        manager = a_real_manager("opencode", model, client, workspace, tmp_path / "home", frames)
        assert await converse(manager, workspace) is StopReason.END_TURN
    assert [request.call.tool for request in client.requests] == ["write", "edit", "bash"]
    assert sorted(path.name for path in workspace.iterdir()) == ["app.py", "opencode.json"]
