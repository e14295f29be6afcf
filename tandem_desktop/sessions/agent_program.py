"""Remembers the program of an agent, and says when it is another one than at the last start."""

import contextlib
import hashlib
import os
from pathlib import Path

from pydantic_core import ValidationError

from tandem_desktop.acp_client.profiles import BUILT_IN
from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.base import Frozen
from tandem_desktop.sessions.launch import program
from tandem_desktop.storage import atomic
from tandem_desktop.storage.errors import writing

RECORD = "program.json"
ADVISOR_RECORD = "advisor-program.json"
"""Starts to advise are remembered apart: the session that plans afterwards says a change as well."""
_PART_BYTES = 1 << 20
_SHORT = 12


class ProgramFile(Frozen):
    """A file that an agent consists of; the signature tells whether it must be read again."""

    path: str
    sha256: str
    signature: tuple[int, int, int, int]


class ProgramRecord(Frozen):
    """What an agent was started from."""

    files: tuple[ProgramFile, ...]
    version: str = ""
    """As the agent said it at its last start."""


class AgentProgram:
    """The program of one agent: the file that is started, and the files its command names.

    Libraries that the program loads are not looked at.
    """

    def __init__(self, folder: Path, title: str, argv: tuple[str, ...], record: str = RECORD) -> None:
        """`folder` is the agent's own in the state folder, beside its home, where it cannot write."""
        self._file = folder / record
        self._title = title
        self._argv = argv
        self._record: ProgramRecord | None = None

    @classmethod
    def of(cls, profile: AgentProfile, home: Path, record: str = RECORD) -> "AgentProgram":
        """What is remembered of an agent; nothing of the built-in one, which is Tandem itself."""
        argv = () if profile.name == BUILT_IN else program(profile)
        return cls(home.parent, profile.title, argv, record)

    def look(self) -> str:
        """What differs from the last start, as a sentence; empty where nothing does, and at the first start."""
        before = self._load()
        files = tuple(_file(path, before) for path in self._paths())
        found = tuple(each for each in files if each is not None)
        self._record = ProgramRecord(files=found, version=before.version if before is not None else "")
        return "" if before is None else self._difference(before, found)

    @property
    def is_new(self) -> bool:
        """Whether it was never started as it was at the last look: some then set up their home."""
        before = self._load()
        return self._record is not None and (before is None or before.files != self._record.files)

    def started(self, version: str) -> str:
        """Remember what was started and the version it told; a sentence where only the version is another."""
        before, record = self._load(), self._record
        if record is None:
            return ""
        now = record.model_copy(update={"version": version})
        if now != before:
            with contextlib.suppress(OSError), writing(self._file):
                atomic.make_directory(self._file.parent, mode=0o700)
                atomic.replace(self._file, now.model_dump_json(indent=1).encode() + b"\n", mode=0o600, durable=False)
        if before is None or before.files != record.files or version == before.version or not before.version:
            return ""
        return f"{self._title} says it is version {version or 'unknown'}; at its last start it was {before.version}."

    def _paths(self) -> tuple[Path, ...]:
        named = (Path(word) for word in self._argv if word.startswith("/"))
        return tuple(dict.fromkeys(path.resolve() for path in named if _is_file(path)))

    def _difference(self, before: ProgramRecord, now: tuple[ProgramFile, ...]) -> str:
        version = f" (version {before.version} then)" if before.version else ""
        advice = "If you did not update or move it, stop here and look at it."
        known = {each.path: each for each in before.files}
        other = next((each for each in now if each.path in known and known[each.path].sha256 != each.sha256), None)
        if other is not None:
            was = known[other.path].sha256
            return (
                f"{self._title} is another program than at its last start{version}: {other.path} has the SHA-256 "
                f"{other.sha256[:_SHORT]}…, and had {was[:_SHORT]}…. {advice}"
            )
        if [each.path for each in now] != [each.path for each in before.files]:
            places = ", ".join(each.path for each in now) or "nowhere"
            were = ", ".join(each.path for each in before.files) or "nowhere"
            return f"{self._title} is started from {places}; at its last start{version} it was {were}. {advice}"
        return ""

    def _load(self) -> ProgramRecord | None:
        try:
            return ProgramRecord.model_validate_json(self._file.read_bytes())
        except (OSError, ValidationError):
            return None


def _file(path: Path, before: ProgramRecord | None) -> ProgramFile | None:
    """The file as it is now; one with the signature it had is not read again."""
    try:
        info = path.stat()
        signature = (info.st_ino, info.st_size, info.st_mtime_ns, info.st_ctime_ns)
        known = next((each for each in before.files if each.path == str(path)), None) if before is not None else None
        if known is not None and known.signature == signature:
            return known
        whole = hashlib.sha256()
        with path.open("rb") as file:
            while part := file.read(_PART_BYTES):
                whole.update(part)
    except OSError:
        return None
    return ProgramFile(path=os.fsdecode(os.fsencode(path)), sha256=whole.hexdigest(), signature=signature)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
