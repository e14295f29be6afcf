"""A pasted picture goes to an agent that can see it, and is refused in words by one that cannot."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtGui import QGuiApplication, QImage

from tests.support.agent_scripts import Steps
from tests.support.agents_on_path import put_on_path
from tests.ui.window.driver import Person

SEES = {"agentCapabilities": {"promptCapabilities": {"image": True}}}


def talk(window: Person) -> None:
    image = QImage(6, 4, QImage.Format.Format_RGB32)
    image.fill(0)
    QGuiApplication.clipboard().setImage(image)
    window.click("composer-text")
    window.place.chat.composer.edit.paste()
    window.type("What is this")
    window.click("composer-send")
    window.wait(lambda: not window.place.turns.is_any)


def prompts(window: Person) -> list[list[dict[str, Any]]]:
    """The content of every message that went over the wire."""
    record = window.place.background.engine.locations.sessions / window.place.session_id / "transcript.jsonl"
    frames = [json.loads(json.loads(line)["msg"]) for line in record.read_text().splitlines()]
    return [frame["params"]["prompt"] for frame in frames if frame.get("method") == "session/prompt"]


def test_picture_goes_with_the_message_to_an_agent_that_sees_pictures(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    put_on_path(programs, "opencode", {"initialize": SEES, "turns": [[Steps(workspace).say("A black picture.")]]})
    window = open_window("opencode")
    talk(window)
    (blocks,) = prompts(window)
    assert [block["type"] for block in blocks] == ["text", "image"]
    assert blocks[1]["mimeType"] == "image/png"
    assert QImage.fromData(base64.b64decode(blocks[1]["data"])).width() == 6


def test_agent_that_cannot_see_pictures_is_sent_nothing_and_the_reason_is_said(
    open_window: Callable[..., Person], programs: Path, workspace: Path
) -> None:
    put_on_path(programs, "opencode", {"turns": [[Steps(workspace).say("never")]]})
    window = open_window("opencode")
    talk(window)
    said = [entry.text for entry in window.place.background.chat.entries(window.place.session_id)]
    assert any("cannot see pictures" in text for text in (*said, window.window.toast.text))
    assert prompts(window) == []
