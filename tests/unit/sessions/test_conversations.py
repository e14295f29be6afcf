import json
from pathlib import Path

from tandem_desktop.sessions.conversations import ConversationEnd, StoredConversations


def session(sessions: Path, name: str, workspace: Path, *entries: dict[str, object]) -> None:
    folder = sessions / name
    folder.mkdir(parents=True)
    (folder / "session.json").write_text(json.dumps({"id": name, "agent": "opencode", "workspace": str(workspace)}))
    lines = [
        json.dumps({"number": number, "at": f"2026-05-04T15:00:0{number}+00:00", **entry})
        for number, entry in enumerate(entries, 1)
    ]
    (folder / "chat.jsonl").write_text("\n".join(lines) + "\n")


def person(text: str) -> dict[str, object]:
    return {"kind": "person", "text": text}


def test_only_conversations_of_this_workspace_are_listed_with_how_each_ended(tmp_path: Path) -> None:
    sessions, here = tmp_path / "sessions", tmp_path / "here"
    session(sessions, "SES-00000001", here, person("Ask"), {"kind": "agent", "text": "Answer"})
    session(sessions, "SES-00000002", here, person("Crash"), {"kind": "problem", "text": "It ended."})
    session(sessions, "SES-00000003", here, person("Stop"), {"kind": "note", "text": "Stopped."})
    session(sessions, "SES-00000004", here, person("Killed"))
    session(sessions, "SES-00000005", tmp_path / "elsewhere", person("Not ours"))
    (sessions / "SES-00000006").mkdir()
    found = {each.title: each.end for each in StoredConversations(sessions, here).listing()}
    assert found == {
        "Ask": ConversationEnd.ANSWERED,
        "Crash": ConversationEnd.FAILED,
        "Stop": ConversationEnd.STOPPED,
        "Killed": ConversationEnd.CUT_OFF,
    }


def test_conversation_is_listed_by_the_title_its_agent_gave_it(tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    session(sessions, "SES-00000001", tmp_path, person("Ask"), {"kind": "agent", "text": "Answer"})
    stored = StoredConversations(sessions, tmp_path)
    assert [each.title for each in stored.listing()] == ["Ask"]
    record = sessions / "SES-00000001" / "session.json"
    record.write_text(json.dumps({**json.loads(record.read_text()), "title": "A question"}))
    assert [each.title for each in stored.listing()] == ["A question"]


def test_conversation_that_goes_on_is_read_again(tmp_path: Path) -> None:
    sessions = tmp_path / "sessions"
    session(sessions, "SES-00000001", tmp_path, person("Ask"))
    stored = StoredConversations(sessions, tmp_path)
    assert [each.end for each in stored.listing()] == [ConversationEnd.CUT_OFF]
    with (sessions / "SES-00000001" / "chat.jsonl").open("a") as chat:
        chat.write(json.dumps({"number": 2, "kind": "agent", "at": "2026-05-04T16:00:00Z", "text": "Yes."}) + "\n")
        chat.write('{"number": 3, "kind": "person", "a')  # cut by a crash
    assert [each.end for each in stored.listing()] == [ConversationEnd.ANSWERED]
