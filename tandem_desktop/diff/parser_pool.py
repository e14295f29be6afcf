"""Asks processes of its own to parse source code."""

import json
import logging
import os
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import MappingProxyType
from typing import IO, Any, TypeVar

from tandem_desktop.diff.hunk_classes import ChangeClass, ChangedLines, Span, is_within
from tandem_desktop.diff.names import NameRole
from tandem_desktop.diff.proofs import is_likely
from tandem_desktop.diff.syntax import LONGEST, grammar_of
from tandem_desktop.processes.child import scrubbed_environment
from tandem_desktop.processes.own_program import own_module

_PER_FILE_S = 5.0
_START_S = 20.0
_MOST_WORKERS = 4
_BYTES_PER_WORKER = 300_000
"""A process is started for so many, as far as there are cores: starting one takes as long as parsing them."""
_MOST_FAILURES = 3
"""A worker that fails so often in one batch is not started again."""
_log = logging.getLogger(__name__)
_Answer = TypeVar("_Answer")
NO_ANSWER: Mapping[ChangedLines, ChangeClass] = MappingProxyType({})
"""What is proved of a file on which the parser failed; the next time it may not."""


@dataclass(frozen=True, slots=True)
class ProofJob:
    """A file, and the changes of it that may be mechanical."""

    path: str
    before: bytes
    after: bytes
    changes: tuple[ChangedLines, ...]
    renames: tuple[tuple[bytes, bytes], ...] = ()
    """Old and new names that are proved for the whole plan."""

    @property
    def is_worth_parsing(self) -> bool:
        return bool(self.renames) or is_likely(self.path, self.before, self.after, self.changes)


class ParserPool:
    """Starts as many workers as a batch needs; a file on which one fails has no answer.

    Within `with pool:` workers are kept for the next batch; none is left behind after it.
    """

    def __init__(
        self, per_file_s: float = _PER_FILE_S, command: Sequence[str] | None = None, start_s: float = _START_S
    ) -> None:
        self._per_file_s, self._start_s = per_file_s, start_s
        self._command = command or worker_command()
        self._lock = threading.Lock()
        self._users = 0
        self._idle: list[_Worker] = []

    def __enter__(self) -> "ParserPool":
        with self._lock:
            self._users += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            ended = [] if self._users else self._idle
            self._idle = self._idle if self._users else []
        for worker in ended:
            worker.end()

    def _taken(self) -> "_Worker":
        with self._lock:
            return self._idle.pop() if self._idle else _Worker(self._command, self._start_s)

    def _give_back(self, worker: "_Worker") -> None:
        with self._lock:
            if self._users:
                worker.failures = 0
                self._idle.append(worker)
                return
        worker.end()

    def prove(
        self, jobs: Sequence[ProofJob], until: float = float("inf")
    ) -> list[Mapping[ChangedLines, ChangeClass] | None]:
        """What is proved of each file; None for what was not asked by `until`, of the monotonic clock."""
        questions = [
            _Question(
                {
                    "what": "prove",
                    "path": job.path,
                    "changes": [_numbers(each) for each in job.changes],
                    "renames": {old.decode(): new.decode() for old, new in job.renames},
                },
                (job.before, job.after),
            )
            for job in jobs
        ]

        def read(number: int, answer: list[Any]) -> Mapping[ChangedLines, ChangeClass]:
            found = {
                ChangedLines(int(hunk), (int(a), int(b)), (int(c), int(d))): ChangeClass(kind)
                for hunk, a, b, c, d, kind in answer
            }
            return found if is_within(jobs[number].changes, found) else {}

        return self._ask_all(questions, read, lambda: NO_ANSWER, until)

    def definitions(self, files: Sequence[tuple[str, bytes]], until: float = float("inf")) -> list[Mapping[Span, str]]:
        """Lines of each definition of each file, with the name of the class it is in."""
        known = [grammar_of(path) is not None and len(content) <= LONGEST for path, content in files]
        asked = [number for number, is_known in enumerate(known) if is_known]
        questions = [
            _Question({"what": "definitions", "path": files[number][0]}, (files[number][1],)) for number in asked
        ]

        def read(_: int, answer: list[Any]) -> Mapping[Span, str]:
            return {(int(start), int(end)): str(name) for start, end, name in answer}

        found: list[Mapping[Span, str] | None] = self._ask_all(questions, read, dict, until)
        answers = dict(zip(asked, found, strict=True))
        return [answers.get(number) or {} for number in range(len(files))]

    def roles(
        self, names: Sequence[tuple[str, bytes, bytes]], until: float = float("inf")
    ) -> list[Mapping[NameRole, str]]:
        """The roles of a name in a file, by path, content and name; opaque where there is no answer."""
        questions = [
            _Question({"what": "roles", "path": path, "name": name.decode()}, (content,))
            for path, content, name in names
        ]

        def read(_: int, answer: list[Any]) -> Mapping[NameRole, str]:
            return {NameRole(role): str(module) for role, module in answer}

        opaque = {NameRole.OPAQUE: ""}
        found: list[Mapping[NameRole, str] | None] = self._ask_all(questions, read, lambda: opaque, until)
        return [opaque if each is None else each for each in found]

    def _ask_all(
        self,
        questions: "list[_Question]",
        read: Callable[[int, list[Any]], _Answer],
        nothing: Callable[[], _Answer],
        until: float,
    ) -> list[_Answer | None]:
        """The answers, `nothing` where there was none, None where nobody was asked."""
        found: list[_Answer | None] = [None for _ in questions]
        # The smallest first: most files have their answer when the time is over.
        waiting = sorted(range(len(questions)), key=lambda number: -questions[number].size)
        lock = threading.Lock()

        def work() -> None:
            worker = self._taken()
            try:
                while time.monotonic() < until and worker.failures < _MOST_FAILURES:
                    with lock:
                        if not waiting:
                            return
                        number = waiting.pop()
                    answer = worker.ask(questions[number], self._per_file_s)
                    found[number] = nothing()
                    if answer is not None:
                        with suppress(ValueError, TypeError, IndexError, KeyError):
                            found[number] = read(number, answer)
            finally:
                self._give_back(worker)

        size = sum(question.size for question in questions)
        wanted = min(len(questions), os.cpu_count() or 1, _MOST_WORKERS, 1 + size // _BYTES_PER_WORKER)
        threads = [threading.Thread(target=work, name="parser", daemon=True) for _ in range(wanted)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return found


@dataclass(frozen=True, slots=True)
class _Question:
    about: Mapping[str, Any]
    contents: tuple[bytes, ...]

    @property
    def size(self) -> int:
        return sum(map(len, self.contents))

    @property
    def raw(self) -> bytes:
        line = json.dumps({**self.about, "sizes": [len(content) for content in self.contents]})
        return b"".join((line.encode(), b"\n", *self.contents))


class _Worker:
    """One process; started again after it failed."""

    def __init__(self, command: Sequence[str], start_s: float) -> None:
        self._command, self._start_s = command, start_s
        self._child: subprocess.Popen[bytes] | None = None
        self.failures = 0

    def ask(self, question: _Question, limit_s: float) -> list[Any] | None:
        """The answer; None if the process ended, or did not answer in time."""
        is_new = self._child is None
        child = self._child = self._child or self._start()
        answer = _exchange(child, question.raw, limit_s + (self._start_s if is_new else 0))
        if answer is None:
            self.failures += 1
            _log.info("a parser gave no answer for %s", question.about["path"])
            self.end()
            return None
        return answer

    def _start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            self._command,
            env=scrubbed_environment(),
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def end(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                with suppress(BrokenPipeError):
                    pipe.close() if pipe is not None else None


def _exchange(child: "subprocess.Popen[bytes]", asking: bytes, limit_s: float) -> list[Any] | None:
    assert child.stdin is not None
    assert child.stdout is not None
    pipes: tuple[IO[bytes], IO[bytes]] = (child.stdin, child.stdout)
    for pipe in pipes:
        os.set_blocking(pipe.fileno(), False)
    deadline, left, read = time.monotonic() + limit_s, memoryview(asking), b""
    with selectors.DefaultSelector() as selector:
        selector.register(pipes[0], selectors.EVENT_WRITE)
        selector.register(pipes[1], selectors.EVENT_READ)
        while not read.endswith(b"\n"):
            remaining = deadline - time.monotonic()
            ready = selector.select(remaining) if remaining > 0 else ()
            if not ready:
                return None
            for key, _ in ready:
                try:
                    if key.fileobj is pipes[0]:
                        left = left[os.write(pipes[0].fileno(), left) :]
                        if not left:
                            selector.unregister(pipes[0])
                    else:
                        part = os.read(pipes[1].fileno(), 1 << 20)
                        if not part:
                            return None
                        read += part
                except BrokenPipeError:
                    return None
    try:
        answer = json.loads(read)
    except ValueError:
        return None
    return answer if isinstance(answer, list) else None


def _numbers(change: ChangedLines) -> list[int]:
    return [change.hunk, *change.old, *change.new]


def worker_command() -> Sequence[str]:
    """How a worker is started."""
    return own_module("tandem_desktop.diff.proof_worker", frozen=("agent", "--proof-worker"))
