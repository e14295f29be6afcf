"""Stores session records and transcripts."""

import contextlib
import json
import os
import threading
from pathlib import Path
from typing import Any

from pydantic_core import ValidationError

from tandem_desktop.domain.base import Field, Frozen
from tandem_desktop.domain.errors import BadInputError, PlanDamagedError
from tandem_desktop.domain.ids import PlanId, RunId, SessionId
from tandem_desktop.storage import atomic, syscalls

RECORD = "session.json"
STAGING = "staging.jsonl"
TRANSCRIPT = "transcript.jsonl"
ADVICE = "advice"


class SessionFacts(Frozen):
    """One session: which agent, in which workspace, and what it has been told."""

    id: SessionId
    agent: str
    command: tuple[str, ...] = ()
    """The words of an agent that has no profile of its own."""
    workspace: str
    task: str = ""
    title: str = ""
    """What the agent calls the conversation."""
    agent_session: str = ""
    """The agent's own name for its conversation, to go on with it after a restart."""
    options: dict[str, str] = Field(default_factory=dict)
    """What the person chose of the agent, such as its model, by the agent's names."""
    takes_over: PlanId | None = None
    """A plan that was there before the agent, until its work is in the agent's shadow."""
    told_runs: tuple[RunId, ...] = ()
    told_plan: tuple[str, str, int, int] | None = None
    """Plan, status, revision and rejections the agent was last told."""


class SessionRecord:
    """The folder of one session."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def staging(self) -> Path:
        """Where `StagingStore` keeps what the session has staged."""
        return self.folder / STAGING

    @property
    def transcript(self) -> Path:
        """Where the messages of the session are written down."""
        return self.folder / TRANSCRIPT

    def advice(self, role: str) -> Path:
        """The transcript of the advisor asked in this role."""
        return self.folder / ADVICE / f"{role}.jsonl"

    def advice_kept(self) -> dict[str, Path]:
        """The roles that were asked, and their transcripts."""
        return {file.stem: file for file in sorted((self.folder / ADVICE).glob("*.jsonl"))}

    def exists(self) -> bool:
        return (self.folder / RECORD).is_file()

    def save(self, facts: SessionFacts) -> None:
        atomic.make_directory(self.folder, mode=0o700)
        atomic.replace(self.folder / RECORD, facts.model_dump_json(indent=1).encode(), mode=0o600)

    def update(self, **facts: Any) -> None:
        """Change some of the facts."""
        self.save(self.load().model_copy(update=facts))

    def load(self) -> SessionFacts:
        """Raises BadInputError where there is no such session, PlanDamagedError where it cannot be read."""
        path = self.folder / RECORD
        if not self.exists():
            raise BadInputError(f"There is no session {self.folder.name}.", next="Start one: tandem run --agent NAME")
        try:
            return SessionFacts.model_validate_json(path.read_bytes())
        except ValidationError:
            raise PlanDamagedError(
                f"The record of the session {path} cannot be read.", path=str(path), next="Start a new session."
            ) from None


MOST_WAITING = 64 * 1024 * 1024
"""Bytes that may wait for a slow disk; beyond them messages are left out, and the log says how many."""
MOST_OF_A_TURN = 32 * 1024 * 1024
"""Bytes of messages that are kept of one turn; the log says how many messages were left out."""
_PROMPT, _METHOD_WITHIN = b'"session/prompt"', 256
"""What a turn begins with, and where in the message it stands."""
_NOTE = "note"


class TranscriptLog:
    """One file, appended to. `keep` is safe from any thread and returns at once."""

    def __init__(self, path: Path, most_waiting: int = MOST_WAITING) -> None:
        self._path = path
        self._most_waiting = most_waiting
        self._lock = threading.Lock()
        self._waiting: list[tuple[str, bytes]] = []
        self._waiting_bytes = 0
        self._left_out = 0
        self._of_turn = 0
        self._too_many = 0
        self._is_writing = False
        self._is_closed = False
        from concurrent.futures import ThreadPoolExecutor

        self._writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="transcript")

    def keep(self, direction: str, frame: bytes) -> None:
        """Queue a message for the transcript file. It is left out, and counted, if too much is waiting."""
        with self._lock:
            if self._is_closed:
                return
            if _PROMPT in frame[:_METHOD_WITHIN]:
                self._end_of_turn()
            self._of_turn += len(frame)
            if self._of_turn > MOST_OF_A_TURN:
                self._too_many += 1
            elif self._waiting_bytes + len(frame) > self._most_waiting:
                self._left_out += 1
            else:
                self._waiting.append((direction, frame))
                self._waiting_bytes += len(frame)
            if not self._is_writing:
                self._is_writing = True
                self._writer.submit(self._write_all)

    def flush(self) -> None:
        """Return when all that was kept so far is in the file."""
        with self._lock:
            last = None if self._is_closed else self._writer.submit(_nothing)
        if last is not None:
            last.result()

    def close(self) -> None:
        """Write what is left, and end the thread."""
        with self._lock:
            self._end_of_turn()
            self._is_closed = True
            if self._waiting and not self._is_writing:
                self._is_writing = True
                self._writer.submit(self._write_all)
        self._writer.shutdown(wait=True)

    def _end_of_turn(self) -> None:
        if self._too_many:
            words = f"{self._too_many} messages were left out: one turn had more than {MOST_OF_A_TURN:,} bytes of them."
            self._waiting.append((_NOTE, words.encode()))
        self._of_turn = self._too_many = 0

    def _write_all(self) -> None:
        while True:
            with self._lock:
                batch, self._waiting, self._waiting_bytes = self._waiting, [], 0
                left_out, self._left_out = self._left_out, 0
                if not batch and not left_out:
                    self._is_writing = False
                    return
            lines = [_line(direction, frame.decode("utf-8", "replace")) for direction, frame in batch]
            if left_out:
                lines.append(_line(_NOTE, f"{left_out} messages were left out: the disk was too slow."))
            with contextlib.suppress(OSError):  # the conversation does not end with a full disk
                self._append(b"".join(lines))

    def _append(self, data: bytes) -> None:
        fd = syscalls.open_appending(str(self._path))
        try:
            syscalls.write(fd, data)
        finally:
            os.close(fd)


def _line(direction: str, message: str) -> bytes:
    line = json.dumps({"dir": direction, "msg": message}, ensure_ascii=False)
    return f"{line}\n".encode("utf-8", "surrogatepass")


def _nothing() -> None:
    """What is submitted last is done last."""
