"""Asks the questions of an agent on the terminal."""

import contextlib
import os
import queue
import select
import sys
import termios
import threading
from collections.abc import Callable
from typing import Any

from tandem_desktop.cli.console import Console, Line, Piece, Span, Tone
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.ids import RequestId, SessionId
from tandem_desktop.domain.questions import AgentQuestion, FieldKind, QuestionAction, QuestionField

Answer = Callable[[SessionId, RequestId, QuestionAction, dict[str, Any]], bool]
"""Hands over an answer; False when the question is no longer open."""
_LOOK_S = 0.2
_CHUNK = 4096
_YES, _NO = ("y", "yes"), ("n", "no")


class TerminalQuestions:
    """Asks on stderr and reads lines from standard input, one question after the other, on a thread of its own.

    A question that is withdrawn meanwhile is left; the end of the input declines.
    """

    def __init__(self, console: Console, answer: Answer) -> None:
        self._console = console
        self._answer = answer
        self._asked: queue.Queue[tuple[SessionId, AgentQuestion]] = queue.Queue()
        self._open: set[RequestId] = set()
        self._buffer = b""
        self._worker: threading.Thread | None = None

    def ask(self, session_id: SessionId, question: AgentQuestion) -> None:
        """Ask a question; returns at once."""
        self._open.add(question.id)
        self._asked.put((session_id, question))
        if self._worker is None:
            # A daemon: a person who never answers must not keep the call from ending.
            self._worker = threading.Thread(target=self._work, name="terminal-questions", daemon=True)
            self._worker.start()

    def withdraw(self, question_id: RequestId) -> None:
        """The question has ended."""
        self._open.discard(question_id)

    def _work(self) -> None:
        while True:
            session_id, question = self._asked.get()
            self._forget_typed()
            try:
                values = self._values(question)
                self._answer(session_id, question.id, QuestionAction.ACCEPT, values)
            except _DeclinedError:
                self._answer(session_id, question.id, QuestionAction.DECLINE, {})
            except _WithdrawnError:
                self._say("The agent no longer waits for the answer.")

    def _forget_typed(self) -> None:
        """What was typed before a question was on screen is no answer to it."""
        self._buffer = b""
        with contextlib.suppress(termios.error, OSError, ValueError):
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)

    def _values(self, question: AgentQuestion) -> dict[str, Any]:
        while True:
            self._say((Span("? ", Tone.STRONG), f"{question.agent or 'The agent'} asks:"))
            for line in question.message.splitlines():
                self._say((Span("  “", Tone.QUIET), line, Span("”", Tone.QUIET)))
            if question.url:
                self._say(("  ", Span(question.url, Tone.PLACE)))
                self._confirm(question, "Open it in your browser. y when you have opened it, n declines:")
                return {}
            values: dict[str, Any] = {}
            beside = {field.instead_of: field for field in question.fields if field.instead_of}
            for field in question.fields:
                if not field.instead_of:
                    values |= self._field(question, field, beside.get(field.name))
            try:
                question.checked(values)
            except BadInputError as error:
                self._say(error.message)
                continue
            if len(values) < 2 or self._confirm(question, "Send it? y sends, an empty line asks again, n declines:"):
                return values

    def _confirm(self, question: AgentQuestion, words: str) -> bool:
        while True:
            said = self._hear(question, words).lower()
            if said in _YES:
                return True
            if said in _NO:
                raise _DeclinedError
            if not said and not question.url:
                return False

    def _field(self, question: AgentQuestion, field: QuestionField, other: QuestionField | None) -> dict[str, Any]:
        if field.description:
            self._say(f"  {field.description}")
        for number, choice in enumerate(field.choices, start=1):
            more: tuple[Piece, ...] = (Span(f"  {choice.description}", Tone.QUIET),) if choice.description else ()
            self._say((Span(f"  {number}  ", Tone.STRONG), choice.label, *more))
        while True:
            said = self._hear(question, f"{field.label}, {_wanted(field, other)}:")
            value = field.default if not said else _parsed(field, said)
            if value is None and not said and not field.is_required:
                return {}
            if value is not None and not field.problem(value):
                return {field.name: value}
            if other is not None and said:
                return {other.name: said}
            self._say(f"{field.label} {field.problem(value if value is not None else said) or 'needs an answer'}.")

    def _hear(self, question: AgentQuestion, words: str) -> str:
        self._say((Span("? ", Tone.STRONG), words))
        while b"\n" not in self._buffer:
            if question.id not in self._open:
                raise _WithdrawnError
            try:
                ready, _, _ = select.select([sys.stdin], [], [], _LOOK_S)
                chunk = os.read(sys.stdin.fileno(), _CHUNK) if ready else None
            except (OSError, ValueError):  # the input is closed
                chunk = b""
            if chunk == b"":
                raise _DeclinedError
            self._buffer += chunk or b""
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode("utf-8", "replace").strip()

    def _say(self, line: Line) -> None:
        self._console.remark(line)


class _DeclinedError(Exception):
    """The person declined, or there is no more input."""


class _WithdrawnError(Exception):
    """The question has ended while it was asked."""


def _wanted(field: QuestionField, other: QuestionField | None) -> str:
    """What to type, as the end of a prompt."""
    empty = "" if field.is_required and field.default is None else "; an empty line leaves it out"
    if field.default is not None:
        empty = f"; an empty line takes {_shown(field)}"
    match field.kind:
        case FieldKind.CHOICE:
            return f"its number{' or words of your own' if other else ''}{empty}"
        case FieldKind.CHOICES:
            return f"numbers such as 1,2{' or words of your own' if other else ''}{empty}"
        case FieldKind.BOOLEAN:
            return f"y or n{empty}"
        case FieldKind.NUMBER | FieldKind.INTEGER:
            return f"a number{empty}"
    return f"your words{empty}"


def _shown(field: QuestionField) -> str:
    if isinstance(field.default, bool):
        return "y" if field.default else "n"
    return ", ".join(field.default) if isinstance(field.default, tuple) else str(field.default)


def _parsed(field: QuestionField, said: str) -> Any:
    """The value a line stands for; None when it stands for none."""
    match field.kind:
        case FieldKind.BOOLEAN:
            return True if said.lower() in _YES else False if said.lower() in _NO else None
        case FieldKind.NUMBER | FieldKind.INTEGER:
            return _number(said)
        case FieldKind.CHOICE:
            return _choice(field, said)
        case FieldKind.CHOICES:
            found = [_choice(field, part.strip()) for part in said.split(",")]
            return None if None in found else tuple(dict.fromkeys(found))
    return said


def _number(said: str) -> int | float | None:
    for read in (int, float):
        try:
            return read(said)
        except ValueError:
            continue
    return None


def _choice(field: QuestionField, said: str) -> str | None:
    """A choice by its number, its label or its value."""
    if said.isascii() and said.isdigit() and 1 <= int(said[:6]) <= len(field.choices):
        return field.choices[int(said[:6]) - 1].value
    return next((choice.value for choice in field.choices if said in (choice.label, choice.value)), None)
