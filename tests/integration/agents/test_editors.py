"""An editor talks to `tandem acp`, which runs an agent in a shadow: real processes, the protocol's own client."""

import asyncio
import json
from pathlib import Path
from typing import Any

import acp
import pytest

from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace
from tests.support.editors import NONE, editor
from tests.support.scripted_model import ScriptedModel

BEFORE = "x = 1\nprint(x)\n"


def write(text: str, path: str = "app.py") -> list[dict[str, Any]]:
    """The steps of a turn that writes a file without asking."""
    script = f"mkdir -p $(dirname {path}); printf '{text}' > {path}"
    return [{"do": "say", "text": "Working."}, {"do": "shell", "script": script}, {"do": "say", "text": "Done."}]


def agent(place: AgentPlace, *turns: list[dict[str, Any]]) -> tuple[str, ...]:
    return place.scripted(*turns)


def on_disk(place: AgentPlace) -> str:
    return (place.root / "app.py").read_text()


async def test_nothing_is_written_before_the_answer_and_apply_writes_just_what_was_shown(place: AgentPlace) -> None:
    async with editor(place.root, agent(place, write("x = 2\\n")), "apply") as client:
        client.on_request = lambda: seen.append(on_disk(place))
        seen: list[str] = []
        assert await client.say("Make it two.") == "end_turn"
        assert seen == [BEFORE]
        assert client.asked[0]["options"] == ["apply", "review", "change", "discard"]
        assert client.diffs() == {"app.py": (BEFORE, "x = 2\n")}
        assert on_disk(place) == "x = 2\n"
        assert "Working.Done." in client.said
        assert await client.say("/undo") == "end_turn"
        assert on_disk(place) == BEFORE
    assert client.process.returncode == 0


async def test_discard_writes_nothing_and_ends_the_plan(place: AgentPlace) -> None:
    async with editor(place.root, agent(place, write("x = 2\\n")), "discard") as client:
        assert await client.say("Make it two.") == "end_turn"
    assert on_disk(place) == BEFORE
    [plan] = place.tandem.answer("list")["plans"]
    assert plan["status"] == "cancelled"


async def test_a_request_for_changes_takes_the_next_message_and_revises_the_same_plan(place: AgentPlace) -> None:
    turns = (write("x = 2\\n"), write("x = 3\\n"))
    async with editor(place.root, agent(place, *turns), "change", "apply") as client:
        await client.say("Make it two.")
        assert "your next message revises the plan" in client.said
        assert on_disk(place) == BEFORE
        await client.say("Three, please.")
    first, second = (each["toolCall"]["rawInput"] for each in client.asked)
    assert first["plan"] == second["plan"]
    assert (first["revision"], second["revision"]) == (1, 2)
    assert client.diffs() == {"app.py": (BEFORE, "x = 3\n")}
    assert on_disk(place) == "x = 3\n"
    assert "denied: Three, please." in "\n".join(place.prompts(client.session_id))


@pytest.mark.parametrize("path", [".github/workflows/ci.yml", "AGENTS.md", "conftest.py"])
async def test_what_the_window_has_a_person_acknowledge_cannot_be_applied_by_a_click(
    place: AgentPlace, path: str
) -> None:
    async with editor(place.root, agent(place, write("on: push\\n", path)), "apply") as client:
        await client.say("Add it.")
    assert client.asked[0]["options"] == ["review", "change", "discard"]
    assert "must be acknowledged" in json.dumps(client.asked[0]["toolCall"]["content"])
    assert not (place.root / path).exists()
    [plan] = place.tandem.answer("list")["plans"]
    assert plan["status"] == "proposed"


async def test_many_files_are_listed_and_not_applied_by_a_click(place: AgentPlace) -> None:
    many = [{"do": "shell", "script": "for i in $(seq 30); do echo $i > file$i.txt; done"}]
    async with editor(place.root, agent(place, many), "apply") as client:
        await client.say("Thirty.")
    assert client.asked[0]["options"] == ["review", "change", "discard"]
    assert client.diffs() == {}
    assert "file30.txt" in json.dumps(client.asked[0]["toolCall"]["content"])
    assert not list(place.root.glob("file*.txt"))


async def test_review_without_a_display_says_what_to_type_and_leaves_the_plan(place: AgentPlace) -> None:
    async with editor(place.root, agent(place, write("x = 2\\n")), "review") as client:
        await client.say("Make it two.")
    assert f"tandem -C {place.root} show PLAN-" in client.said
    assert on_disk(place) == BEFORE


async def test_a_second_prompt_is_refused_and_a_cancel_leaves_the_plan_waiting(place: AgentPlace) -> None:
    async with editor(place.root, agent(place, write("x = 2\\n"))) as client:
        client.may_answer.clear()
        turn = asyncio.create_task(client.say("Make it two."))
        await client.is_asked.wait()
        with pytest.raises(acp.RequestError, match="still answering"):
            await client.say("And three.")
        await client.connection.cancel(session_id=client.session_id)
        assert await turn == "cancelled"
        client.answers = ["apply"]
        client.may_answer.set()
        await client.say("/plans")  # the late answer was read before this
        assert on_disk(place) == BEFORE
        assert "proposed" in client.said


SOUND = acp.audio_block("UklGRg==", "audio/wav")
SHEET = acp.resource_block(acp.embedded_blob_resource("file:///tmp/sheet.bin", "AAEC", mime_type="application/x-sheet"))
TAKES_ALL = {"promptCapabilities": {"audio": True, "image": True, "embeddedContext": True}}


async def test_recordings_and_files_in_a_message_reach_an_agent_that_takes_them(place: AgentPlace) -> None:
    words = place.scripted(write("x = 2\\n"), initialize={"agentCapabilities": TAKES_ALL})
    async with editor(place.root, words, "discard") as client:
        await client.say("Listen.", SOUND, SHEET)
        session = client.session_id
    [blocks] = place.blocks(session)
    sent = [each for each in blocks if each["type"] != "text"]
    assert sent == [
        {"type": "audio", "data": "UklGRg==", "mimeType": "audio/wav"},
        {
            "type": "resource",
            "resource": {"blob": "AAEC", "mimeType": "application/x-sheet", "uri": "file:///tmp/sheet.bin"},
        },
    ]


@pytest.mark.parametrize(
    ("attached", "reason"), [(SOUND, "cannot hear recordings"), (SHEET, "takes no files in a message")]
)
async def test_what_an_agent_does_not_take_is_refused_in_words_and_nothing_is_sent(
    attached: Any, reason: str, place: AgentPlace
) -> None:
    async with editor(place.root, agent(place, write("x = 2\\n")), "apply") as client:
        with pytest.raises(acp.RequestError, match=reason):
            await client.say("Listen.", attached)
        assert place.blocks(client.session_id) == []
    assert on_disk(place) == BEFORE


@pytest.mark.agents
async def test_a_recording_sent_from_an_editor_reaches_the_model_of_gemini(
    place: AgentPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedModel() as model:
        npm_agents.require("gemini", place, model, monkeypatch)
        async with editor(place.root, ("--agent", "gemini"), "apply") as client:
            await client.say(f"Listen. [[scenario:edit]] [[cwd:{place.root}]]", SOUND)
    assert any("UklGRg==" in str(each.messages) for each in model.requests)
    assert on_disk(place) == BEFORE.replace("1", "42", 1)


async def test_an_editor_that_dies_loses_nothing_and_finds_its_session_again(place: AgentPlace) -> None:
    words = agent(place, write("x = 2\\n"))
    async with editor(place.root, words) as client:
        client.may_answer.clear()
        turn = asyncio.create_task(client.say("Make it two."))
        await client.is_asked.wait()
        client.process.kill()
        await client.process.wait()
        turn.cancel()
        await asyncio.gather(turn, return_exceptions=True)
    assert on_disk(place) == BEFORE
    async with editor(place.root, words, "apply", session=client.session_id) as again:
        listed = await again.connection.list_sessions(cwd=str(place.root))
        assert [each.session_id for each in listed.sessions] == [client.session_id]
        assert "Working.Done." in again.said
        [plan] = place.tandem.answer("list")["plans"]
        await again.say(f"/plans {plan['plan_id']}")
        assert on_disk(place) == "x = 2\n"


async def test_an_agent_that_fails_is_said_and_what_it_did_is_kept(place: AgentPlace) -> None:
    steps = [{"do": "shell", "script": "echo half > half.txt"}, {"do": "exit", "code": 3}]
    async with editor(place.root, agent(place, steps)) as client:
        with pytest.raises(acp.RequestError, match="ended"):
            await client.say("Go.")
        assert "marked as unfinished" in client.said
        assert not client.asked
    assert not (place.root / "half.txt").exists()


async def test_a_command_that_is_no_agent_is_refused_with_the_session(place: AgentPlace) -> None:
    with pytest.raises(acp.RequestError, match="ended with exit code 1"):
        async with editor(place.root, ("--", "/bin/false")):
            pass


@pytest.mark.agents
async def test_opencode_in_an_editor_writes_what_was_shown(place: AgentPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedModel() as model:
        npm_agents.require("opencode", place, model, monkeypatch)
        task = f"[[scenario:edit]] [[cwd:{place.root}]] Bump x."
        async with editor(place.root, ("--agent", "opencode"), NONE, "apply") as client:
            await client.say(task)
            assert on_disk(place) == BEFORE
            plan = client.asked[0]["toolCall"]["rawInput"]["plan"]
            await client.say(f"/plans {plan}")
        [(name, (before, after))] = client.diffs().items()
        assert (name, before) == ("app.py", BEFORE)
        assert Path(place.root / "app.py").read_text() == after != BEFORE


async def test_what_no_plan_can_carry_is_told_in_the_editor(place: AgentPlace) -> None:
    async with editor(place.root, agent(place, [{"do": "shell", "script": "mkfifo pipe"}])) as client:
        await client.say("Do it.")
    assert "⚠ pipe cannot be staged: pipe is a special file (pipe)" in client.said
    assert client.asked == []
