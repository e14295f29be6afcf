"""Lists the conversations of a workspace that are kept on disk."""

import json
import os
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, NamedTuple

from tandem_desktop.domain.agent_protocol import EntryKind, ToolCallStatus
from tandem_desktop.domain.ids import SESSION_ID, SessionId
from tandem_desktop.services.chat_log import CHAT, STOPPED
from tandem_desktop.sessions.record import RECORD

_READ = 64 * 1024
"""Bytes of a chat log that are read from either end."""


class ConversationEnd(StrEnum):
    """How the last turn of a conversation ended."""

    ANSWERED = "answered"
    FAILED = "failed"
    STOPPED = "stopped"
    CUT_OFF = "cut off"
    """There is no end on record: the program ended before the agent did."""


class Conversation(NamedTuple):
    """One line of the list."""

    session_id: SessionId
    title: str
    """What the agent calls it, or the person's first message."""
    agent: str
    at: datetime
    end: ConversationEnd = ConversationEnd.ANSWERED


_Seen = tuple[int, int, int]


class StoredConversations:
    """Reads the folders of sessions; one that did not change since is not read again. Works in a thread."""

    def __init__(self, sessions: Path, workspace: Path) -> None:
        self._sessions = sessions
        self._workspace = str(workspace)
        self._known: dict[str, tuple[_Seen, Conversation | None]] = {}

    def listing(self) -> tuple[Conversation, ...]:
        """The conversations of this workspace in which a person said something, newest first."""
        try:
            names = [name for name in os.listdir(self._sessions) if SESSION_ID.fullmatch(name)]
        except OSError:
            return ()
        known: dict[str, tuple[_Seen, Conversation | None]] = {}
        for name in names:
            folder = self._sessions / name
            if (seen := _signature(folder)) is not None:
                before = self._known.get(name)
                known[name] = before if before is not None and before[0] == seen else (seen, self._read(folder))
        self._known = known
        found = [conversation for _, conversation in known.values() if conversation is not None]
        return tuple(sorted(found, key=lambda each: each.at, reverse=True))

    def _read(self, folder: Path) -> Conversation | None:
        try:
            facts = json.loads((folder / RECORD).read_bytes())
            head, tail = _ends(folder / CHAT)
        except (OSError, ValueError):
            return None
        if not isinstance(facts, dict) or facts.get("workspace") != self._workspace:
            return None
        first = next((entry for entry in head if entry["kind"] == EntryKind.PERSON and entry.get("text")), None)
        if first is None:
            return None
        last = max(tail or head, key=lambda entry: int(entry["number"]))
        at = datetime.fromisoformat(last["at"])
        at = at if at.tzinfo else at.replace(tzinfo=UTC)
        title = facts.get("title")
        named = title if isinstance(title, str) and title else first["text"]
        return Conversation(SessionId(folder.name), named, str(facts.get("agent", "")), at, _end(last))


def _signature(folder: Path) -> _Seen | None:
    try:
        chat, record = (folder / CHAT).stat(), (folder / RECORD).stat()
    except OSError:
        return None
    return chat.st_mtime_ns, chat.st_size, record.st_mtime_ns


def _ends(chat: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The entries at the beginning and at the end of a chat log, as they were written."""
    with chat.open("rb") as file:
        head = file.read(_READ)
        size = os.fstat(file.fileno()).st_size
        file.seek(max(size - _READ, 0))
        tail = file.read()
    return _entries(head), _entries(tail)


def _entries(data: bytes) -> list[dict[str, Any]]:
    found = []
    for line in data.splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # cut at the edge, or by a crash
        if isinstance(entry, dict) and {"number", "kind", "at"} <= entry.keys():
            found.append(entry)
    return found


def _end(last: dict[str, Any]) -> ConversationEnd:
    kind, call = last["kind"], last.get("call") or {}
    if kind == EntryKind.PROBLEM:
        return ConversationEnd.FAILED
    if kind == EntryKind.NOTE and last.get("text") == STOPPED:
        return ConversationEnd.STOPPED
    is_open = kind in (EntryKind.QUESTION, EntryKind.ELICITATION) and not last.get("answer")
    if is_open or kind == EntryKind.PERSON or call.get("status") == ToolCallStatus.IN_PROGRESS:
        return ConversationEnd.CUT_OFF
    return ConversationEnd.ANSWERED


_MOST_SAID = 12_000
_SPEAKERS = {EntryKind.PERSON: "The person", EntryKind.AGENT: "You"}


def said_in(folder: Path) -> str:
    """What the person and the agent said last in a session, for an agent that does not have it any more."""
    try:
        _, tail = _ends(folder / CHAT)
    except OSError:
        return ""
    entries = {entry["number"]: entry for entry in tail if entry["kind"] in _SPEAKERS and not entry.get("set_aside")}
    lines = [f"{_SPEAKERS[entry['kind']]}: {entry.get('text', '').strip()}" for entry in entries.values()]
    return "\n".join(lines)[-_MOST_SAID:]
