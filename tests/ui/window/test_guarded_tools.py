"""Tools a workspace guards act through a plan or not at all; at first a guard may only say what it would have done."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tandem_desktop.domain.events import PermissionAnswered, PermissionAsked, TandemEvent
from tests.support.agent_scripts import OPTIONS, Steps
from tests.support.agents_on_path import put_on_path
from tests.support.command_line import CommandLine
from tests.ui.window.driver import Person


def an_agent_that_sends_mail(programs: Path, workspace: Path) -> None:
    call = {"toolCallId": "c1", "status": "pending", "kind": "other", "title": "gmail_send", "rawInput": {"to": "all"}}
    asks = {"do": "request", "id": 1, "method": "session/request_permission"}
    turn = [{**asks, "params": {"toolCall": call, "options": OPTIONS}}, Steps(workspace).say("Done.")]
    put_on_path(programs, "opencode", {"turns": [turn]})


@pytest.mark.req("S3-33", "S3-34", "S3-35", "S3-39", "S3-55")
@pytest.mark.parametrize("only_logged", [False, True])
def test_a_guarded_tool_is_refused_with_the_way_to_a_plan_or_where_the_guard_only_logs_asked_about_as_ever(
    open_window: Callable[..., Person],
    programs: Path,
    workspace: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    only_logged: bool,
) -> None:
    an_agent_that_sends_mail(programs, workspace)
    (workspace / ".tandem").mkdir()
    (workspace / ".tandem" / "plans.json").write_text(json.dumps({"guardedTools": ["gmail_send"]}))
    (tmp_path / "config").mkdir()
    settings = f'agent = "opencode"\nguarded_tools_only_logged = {str(only_logged).lower()}\n'
    (tmp_path / "config" / "settings.toml").write_text(settings)
    window = open_window()
    heard: list[TandemEvent] = []
    window.place.background.events.subscribe(heard.append)
    window.click("segmented-mode-immediate")
    window.type_into_composer("tell everybody")

    def answered() -> list[str]:
        return [event.reason for event in heard if isinstance(event, PermissionAnswered)]

    if only_logged:
        window.wait(lambda: any(isinstance(event, PermissionAsked) for event in heard))
        assert answered() == []
    else:
        window.wait(lambda: bool(answered()))
        words = "'gmail_send' is guarded: it may only be used through a plan. Propose one with plan_propose."
        assert answered() == [words]
        assert not any(isinstance(event, PermissionAsked) for event in heard)
    window.place.turns.stop()
    window.wait(lambda: not window.place.turns.is_any)
    counts = window.place.background.engine.guarded_calls.counts()
    assert counts == ({"gmail_send": 1} if only_logged else {})
    tandem = CommandLine(workspace, capsys)
    (call,) = tandem.answer("audit", "guard")["calls"]
    assert (call["tool"], call["blocked"], call["title"]) == ("gmail_send", not only_logged, "gmail_send")
    assert (call["session_id"], call["plan_mode"]) == (window.place.session_id, False)
    assert f"gmail_send  {'would have been ' if only_logged else ''}blocked" in tandem("audit", "guard").out
