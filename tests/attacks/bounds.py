"""Attacks on time and memory: floods, files that grow under the reader, strangers that hold every connection."""

import asyncio
import contextlib
import os
import random
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tandem_desktop.api.app import Visitors
from tandem_desktop.cli.formatting import DiffLimit, documents, in_full
from tandem_desktop.diff import lines as line_diff
from tandem_desktop.diff.hunks import hunks, rebuild
from tandem_desktop.domain.agent_protocol import (
    AgentSaid,
    AgentUpdate,
    ProposedDiff,
    ToolCall,
    ToolCallChanged,
    ToolCallStatus,
    ToolKind,
)
from tandem_desktop.domain.errors import TandemError
from tandem_desktop.domain.ids import ToolCallId
from tandem_desktop.domain.operations import Absent, DirectoryState, FileState, SymlinkState
from tandem_desktop.planning_tools.server import MOST_STRANGERS, PlanningServerHost
from tandem_desktop.review.operation_view import view_operation
from tandem_desktop.sessions.record import MOST_OF_A_TURN, TranscriptLog
from tandem_desktop.sessions.turn import MOST_CALL_UPDATES, MOST_CALLED, MOST_SAID, TurnLimit
from tandem_desktop.staging.staging_store import MOST_NOTED, StagingStore
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace, read_exactly
from tests.attacks.attack import Attack, Outcome
from tests.support.builders import a_write
from tests.support.planning import SESSION, RecordingToolHandler
from tests.support.shadows import ShadowPlace

Run = Callable[[Path], Outcome]
MIB = 1024 * 1024


def _held(is_held: bool) -> Outcome:
    return Outcome.HELD if is_held else Outcome.BROKEN


# What one turn keeps.


def _said(size: int, count: int, *, thought: bool) -> Run:
    def run(folder: Path) -> Outcome:
        limit = TurnLimit()
        kept = [limit.kept(AgentSaid(text="w" * size, thought=thought)) for _ in range(count)]
        total = sum(len(each.text) for each in kept if isinstance(each, AgentSaid))
        is_counted = limit.left_out == max(0, size * count - MOST_SAID)
        return _held(total <= MOST_SAID + 100 and is_counted and bool(limit.sentence) is bool(limit.left_out))

    return run


def _called(make: Callable[[int], ToolCall], count: int) -> Run:
    def run(folder: Path) -> Outcome:
        limit = TurnLimit()
        kept: list[AgentUpdate | None] = [limit.kept(ToolCallChanged(call=make(number))) for number in range(count)]
        passed = [each.call for each in kept if isinstance(each, ToolCallChanged)]
        total = sum(call.weight for call in passed)
        shown = {(call.id, call.title) for call in passed}
        is_told = len(passed) == MOST_CALL_UPDATES or len(shown) == count
        return _held(
            total <= MOST_CALLED + 2000 * len(passed) and is_told and limit.left_out > 0 and bool(limit.sentence)
        )

    return run


def _noted(make: Callable[[int], ToolCall], count: int) -> Run:
    """What is staged keeps the calls, not all of their output."""

    def run(folder: Path) -> Outcome:
        store = StagingStore(folder / "staging.jsonl")
        for number in range(count):
            store.note_call(make(number))
        calls = store.activity.calls
        return _held(len(calls) == count and sum(call.weight for call in calls) <= MOST_NOTED + 2000 * count)

    return run


def _a_call(number: int, **fields: Any) -> ToolCall:
    return ToolCall(
        id=ToolCallId(f"c{number}"), title="Read", kind=ToolKind.READ, status=ToolCallStatus.COMPLETED, **fields
    )


_CALLS: dict[str, Callable[[int], ToolCall]] = {
    "output": lambda number: _a_call(number, output="o" * MIB),
    "arguments": lambda number: _a_call(number, arguments={"content": "a" * MIB}),
    "diffs": lambda number: _a_call(number, diffs=(ProposedDiff("a", "o" * MIB, "n" * MIB),)),
}


def _transcript(frame: bytes, count: int, between: bytes = b"") -> Run:
    def run(folder: Path) -> Outcome:
        path = folder / "transcript.jsonl"
        log = TranscriptLog(path)
        log.keep("sent", b'{"jsonrpc":"2.0","id":1,"method":"session/prompt"}')
        for _ in range(count):
            log.keep("received", frame)
            if between:
                log.keep("sent", between)
            log.flush()
        log.close()
        is_told = b"messages were left out" in path.read_bytes()[-4096:]
        return _held(path.stat().st_size < MOST_OF_A_TURN + 2 * MIB and is_told)

    return run


# Files that are another thing while they are read.


@contextlib.contextmanager
def _flipping(flip: Callable[[int], None]) -> Iterator[None]:
    stopped = threading.Event()

    def work() -> None:
        number = 0
        while not stopped.is_set():
            number += 1
            with contextlib.suppress(OSError):
                flip(number)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        thread.join()


def _sparse(path: Path, size: int) -> Path:
    with path.open("wb") as file:
        file.truncate(size)
    return path


def _looked(prepare: Callable[[Path], Callable[[int], None]], looks: int = 300) -> Run:
    """Every look is a state of one moment or a sentence; never another exception, never more than the limit."""

    def run(folder: Path) -> Outcome:
        root = folder / "project"
        root.mkdir()
        flip = prepare(root)
        with Workspace(root, max_file_bytes=8 * MIB) as workspace, _flipping(flip):
            for number in range(looks):
                workspace.forget_directories()
                try:
                    if number % 2:
                        state = workspace.state("a/b")
                    else:
                        state, data = workspace._look("a/b", keep=True)
                        if data is not None and len(data) > 8 * MIB:
                            return Outcome.BROKEN
                except TandemError as refusal:
                    if not refusal.message:
                        return Outcome.BROKEN
                    continue
                if not isinstance(state, Absent | FileState | SymlinkState | DirectoryState):
                    return Outcome.BROKEN
        return Outcome.HELD

    return run


def _small_and_huge(root: Path) -> Callable[[int], None]:
    (root / "a").mkdir()
    small, huge = _sparse(root / "small", 1), _sparse(root / "huge", 3 * 1024 * MIB)

    def flip(number: int) -> None:
        os.link(small if number % 2 else huge, root / "a" / "next")
        (root / "a" / "next").replace(root / "a" / "b")

    return flip


def _growing(root: Path) -> Callable[[int], None]:
    (root / "a").mkdir()
    path = _sparse(root / "a" / "b", 1)
    return lambda number: os.truncate(path, 1 if number % 2 else 3 * 1024 * MIB)


def _file_and_link(root: Path) -> Callable[[int], None]:
    (root / "a").mkdir()

    def flip(number: int) -> None:
        place = root / "a" / "next"
        place.write_bytes(b"x") if number % 2 else place.symlink_to("/etc/passwd")
        place.replace(root / "a" / "b")

    return flip


def _file_and_pipe(root: Path) -> Callable[[int], None]:
    (root / "a").mkdir()

    def flip(number: int) -> None:
        place = root / "a" / "next"
        place.write_bytes(b"x") if number % 2 else os.mkfifo(place)
        place.replace(root / "a" / "b")

    return flip


def _folder_and_file(root: Path) -> Callable[[int], None]:
    def flip(number: int) -> None:
        place = root / "a"
        if number % 2:
            place.unlink(missing_ok=True)
            place.mkdir()
            (place / "b").write_bytes(b"x")
        else:
            (place / "b").unlink()
            place.rmdir()
            place.write_bytes(b"file")

    return flip


def _shadow_that_flips(kind: str) -> Run:
    """Folders turn into files while the shadow is read; what stands still is found all the same."""

    def run(folder: Path) -> Outcome:
        place = ShadowPlace(folder, "copy")
        place.put("notes.txt", "one\n")
        shadow = place.open()
        try:
            shadow.begin_turn()
            (shadow.place / "good.txt").write_text("good\n")
            flip = {"folder": _folder_and_file, "link": _file_and_link, "size": _growing}[kind](shadow.place)
            with _flipping(flip):
                for _ in range(15):
                    try:
                        found = {change.path for change in shadow.changes()}
                    except TandemError:
                        return Outcome.BROKEN
                    if "good.txt" not in found:
                        return Outcome.BROKEN
        finally:
            place.close()
        return Outcome.HELD

    return run


def _read_beyond(size: int, more: int) -> Run:
    def run(folder: Path) -> Outcome:
        path = folder / "file"
        path.write_bytes(b"x" * (size + more))
        fd = os.open(path, os.O_RDONLY)
        try:
            data = read_exactly(fd, size)
            return _held((data is None) is (more != 0) and os.lseek(fd, 0, os.SEEK_CUR) <= size + 1)
        finally:
            os.close(fd)

    return run


# Diffs.


def _compared(make: Callable[[random.Random], bytes]) -> Run:
    """However little two files have in common, the comparison ends, and its hunks rebuild the file."""

    def run(folder: Path) -> Outcome:
        chance = random.Random(7)
        before, after = make(chance), make(chance)
        budget = line_diff.SearchBudget(3)
        taken = sum(budget.take() for _ in range(100))
        return _held(taken == 3 and rebuild(before, hunks(before, after)) == after)

    return run


def _shown(before: bytes, after: bytes, told: str, most_lines: int = 5_100) -> Run:
    def run(folder: Path) -> Outcome:
        objects = ObjectStore(folder / "objects")
        (folder / "objects").mkdir()
        objects.put_all((before, after))
        limit = DiffLimit(whole=False)
        operation = a_write("file", after, before=before)
        view = view_operation(operation, objects, commands_captured=False, most_bytes=limit.most_bytes)
        lines = list(in_full(view, documents(view, objects), limit=limit, whole="tandem show P --diff --whole"))
        text = "\n".join(str(line) for line in lines)
        return _held(len(lines) < most_lines and told in text)

    return run


def _many_operations(folder: Path) -> Outcome:
    """Many diffs, each below the limit of one."""
    limit = DiffLimit(whole=False)
    found = hunks(b"", b"x\n" * 4_000)
    total = sum(sum(len(hunk.lines) for hunk in limit.of(found)[0]) for _ in range(1_000))
    return _held(total <= 50_000)


# Strangers.


class _Connection:
    def __init__(self) -> None:
        self.is_open = True

    def abort(self) -> None:
        self.is_open = False


def _visitors(strangers: int, *, first: bool) -> Run:
    def run(folder: Path) -> Outcome:
        visitors = Visitors(64, 4)
        own = _Connection()
        crowd = [_Connection() for _ in range(strangers)]
        if first:
            visitors.arrive(("127.0.0.1", 1), own)
            if not visitors.welcome(("127.0.0.1", 1)):
                return Outcome.BROKEN
        for number, each in enumerate(crowd):
            visitors.arrive(("127.0.0.1", 1000 + number), each)
        if not first:
            visitors.arrive(("127.0.0.1", 1), own)
        is_in = visitors.welcome(("127.0.0.1", 1)) and own.is_open
        return _held(is_in and sum(each.is_open for each in crowd) <= 64)

    return run


def _known_beyond_the_limit(folder: Path) -> Outcome:
    visitors = Visitors(64, 4)
    for number in range(10):
        visitors.arrive(("127.0.0.1", number), _Connection())
    let_in = [visitors.welcome(("127.0.0.1", number)) for number in range(10)]
    visitors.leave(("127.0.0.1", 0))
    return _held(let_in == [True] * 4 + [False] * 6 and visitors.welcome(("127.0.0.1", 9)))


def _planning_strangers(count: int, words: bytes) -> Run:
    def run(folder: Path) -> Outcome:
        return asyncio.run(_with_strangers(folder, count, words))

    return run


async def _with_strangers(folder: Path, count: int, words: bytes) -> Outcome:
    host = PlanningServerHost(folder)
    await host.start()
    crowd: list[socket.socket] = []
    try:
        definition = host.open_session(SESSION, RecordingToolHandler(), plan_mode=lambda: True)
        token = next(value for name, value in definition.env.items() if name.endswith("TOKEN"))
        for _ in range(count):
            stranger = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            stranger.setblocking(False)
            crowd.append(stranger)
            await asyncio.get_running_loop().sock_connect(stranger, str(host.socket_path))
            await asyncio.sleep(0)
            with contextlib.suppress(OSError):  # pushed out already, or not let in yet
                await asyncio.get_running_loop().sock_sendall(stranger, words)
        reader, writer = await asyncio.open_unix_connection(str(host.socket_path))
        ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
        writer.write(f"{token} {SESSION}\n".encode() + ping)
        async with asyncio.timeout(30):
            answer = await reader.readline()
        writer.close()
        await writer.wait_closed()
        return _held(b'"result"' in answer)
    finally:
        for stranger in crowd:
            stranger.close()
        await host.close()


def _all() -> Iterator[Attack]:
    for size, count in ((MIB, 64), (10, 1_000), (MOST_SAID, 2), (MOST_SAID + 1, 1), (100_000, 400)):
        for thought in (False, True):
            kind = "thoughts" if thought else "words"
            yield Attack(
                f"flood-{kind}-{size}x{count}", f"{count} pieces of {size} {kind}", _said(size, count, thought=thought)
            )
    for name, make in _CALLS.items():
        yield Attack(f"flood-calls-{name}", f"tool calls with a megabyte of {name} each", _called(make, 40))
        yield Attack(f"flood-staged-{name}", f"staged calls with a megabyte of {name} each", _noted(make, 40))
    many = _called(lambda number: _a_call(number, output="o" * 2_000), 25_000)
    yield Attack("flood-calls-many", "more tool calls than are kept", many)
    yield Attack("flood-transcript", "a transcript of 100 MB in one turn", _transcript(b"x" * MIB, 100))
    answered = _transcript(b"x" * MIB, 60, between=b'{"jsonrpc":"2.0","id":5,"result":{}}')
    yield Attack("flood-transcript-answers", "a flood between requests that are answered", answered)
    for name, prepare in {
        "small-and-huge": _small_and_huge,
        "growing": _growing,
        "file-and-link": _file_and_link,
        "file-and-pipe": _file_and_pipe,
        "folder-and-file": _folder_and_file,
    }.items():
        yield Attack(f"race-{name}", f"{name.replace('-', ' ')} while it is read", _looked(prepare))
    for kind in ("folder", "link", "size"):
        yield Attack(f"race-shadow-{kind}", f"a {kind} that flips while the shadow is read", _shadow_that_flips(kind))
    for size, more in ((0, 0), (0, 1), (10, 1), (10, 5_000_000), (MIB, 1), (MIB, 0)):
        yield Attack(f"read-{size}+{more}", f"a file of {size} bytes that has {more} more", _read_beyond(size, more))
    for name, make_bytes in {
        "few-lines": lambda chance: b"".join(chance.choice((b"a\n", b"b\n", b"{\n", b"}\n")) for _ in range(60_000)),
        "binary": lambda chance: chance.randbytes(300_000),
        "one-line": lambda chance: bytes([chance.randrange(97, 122)]) * 1_000_000,
        "empty-lines": lambda chance: b"\n" * chance.randrange(100_000),
    }.items():
        yield Attack(f"diff-{name}", f"two files of {name.replace('-', ' ')}", _compared(make_bytes))
    binary = random.Random(1).randbytes(3 * MIB)
    text = b"".join(b"line %d\n" % number for number in range(300_000))
    yield Attack("show-binary", "a binary file of 3 MB", _shown(binary, binary[::-1], "binary"))
    yield Attack("show-huge", "a text of 3 MB", _shown(text, text.replace(b"line", b"word"), "--whole"))
    cut = _shown(b"", b"x\n" * 50_000, "45,000 more lines")
    yield Attack("show-many-lines", "50,000 added lines", cut)
    yield Attack("show-many-operations", "a thousand diffs of 4,000 lines", _many_operations)
    for strangers in (64, 65, 300, 5_000):
        for first in (True, False):
            when = "before" if first else "after"
            what = f"{strangers} strangers at the API, the client {when} them"
            yield Attack(f"api-strangers-{strangers}-{when}", what, _visitors(strangers, first=first))
    yield Attack("api-known", "more clients with the token than there is room for", _known_beyond_the_limit)
    for count in (MOST_STRANGERS, MOST_STRANGERS + 36, 300):
        for name, words in {"silent": b"", "half": b"half a greeting", "wrong": b"wrong token\n"}.items():
            what = f"{count} {name} strangers at the planning tools"
            yield Attack(f"mcp-strangers-{count}-{name}", what, _planning_strangers(count, words))


ATTACKS: list[Attack] = list(_all())
