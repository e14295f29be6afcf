"""Records every call of a function of tandem_desktop, on all threads, with what caused it."""

import contextvars
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, get_args

from PySide6.QtCore import SignalInstance

import tandem_desktop
from tandem_desktop.domain.events import TandemEvent

PACKAGE = Path(tandem_desktop.__file__).parent
_INLINED = frozenset({"<listcomp>", "<genexpr>", "<setcomp>", "<dictcomp>", "<module>"})
_DEFERRING = frozenset({"emit", "start", "singleShot"})
"""Calls of Qt after which another function is called later, by the event loop."""
_EVENTS = frozenset(get_args(get_args(TandemEvent)[0]))
SIGNAL = "<signal>"
"""The name of a function that stands for a signal which another signal is connected to."""

Moment = Callable[["Call"], bool]
"""Whether something is so after a call, or a part of it."""


@dataclass(eq=False)
class Call:
    """One call of a function. A coroutine is one call, however often it is resumed."""

    number: int
    frame: FrameType
    thread: int
    caller: "Call | None"
    """The function of tandem_desktop below it on the stack."""
    scheduler: "Call | None"
    """Without a caller: the call that scheduled it in asyncio or an executor."""
    handed: tuple[object, ...]
    """Values and futures among its arguments."""
    own: object
    """Its `self`."""

    @property
    def code(self) -> CodeType:
        return self.frame.f_code


@dataclass
class Recording:
    """The calls between a cause and its last moment."""

    running: contextvars.ContextVar[Call | None]
    moments: dict[str, Moment]
    calls: dict[int, Call] = field(default_factory=dict)
    """By the identity of their frames, which the calls keep alive."""
    deferrals: list[tuple[object, Call]] = field(default_factory=list)
    answers: list[tuple[object, Call]] = field(default_factory=list)
    """Values that were returned, in their order."""
    reached: dict[str, Call] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def files(self) -> set[str]:
        return {call.code.co_filename for call in self.calls.values()}

    def mark(self, name: str) -> None:
        """The moment is now, in the innermost running function."""
        call = self.running.get()
        if call is not None:
            self.reached.setdefault(name, call)

    def way_to(self, call: Call, seen: frozenset[Call] = frozenset()) -> list[Call]:
        """The chain of calls that led to `call`, from its first cause or from a call that was already seen."""
        way: list[Call] = []
        step: Call | None = call
        while step is not None:
            stack = list(_stack(step))
            publishing = self._publishing(stack)
            known = seen.union(_stack(publishing)) if publishing else seen
            way = [each for each in reversed(stack) if each not in known] + way
            step = publishing or (None if seen.intersection(stack) else self._cause(stack))
        return way

    def _publishing(self, stack: list[Call]) -> Call | None:
        """The call that put an event into the queue from which this stack took it, when it has returned."""
        events = [value for call in stack for value in call.handed if type(value) in _EVENTS]
        first = next((call for event in events[:1] for call in self._holders(event)), None)
        return None if first is None or first in stack or first.thread != stack[-1].thread else first

    def _cause(self, stack: list[Call]) -> Call | None:
        """What led to a stack of calls that begins in an event loop."""
        entry = stack[-1]
        return self._answer(entry) or entry.scheduler or self._hand_over(stack) or self._deferral(entry)

    def _answer(self, entry: Call) -> Call | None:
        """Of a future's callback: the call that made the answer, which others only returned."""
        done = [each for each in entry.handed if isinstance(each, Future) and each.done() and not each.cancelled()]
        if not done or entry.scheduler is None or done[0].exception() is not None:
            return None
        answer = done[0].result()
        return next((call for value, call in self.answers if value is answer), None) if _is_value(answer) else None

    def _hand_over(self, stack: list[Call]) -> Call | None:
        """The last call on another thread with a future or a value of that thread which this stack was given."""
        for call in reversed(stack):
            for value in call.handed:
                earlier = [each for each in self._holders(value) if each.number < stack[-1].number]
                elsewhere = [each for each in earlier if each.thread != call.thread]
                if elsewhere and (isinstance(value, Future) or earlier[0] is elsewhere[0]):
                    return elsewhere[-1]
        return None

    def _holders(self, value: object) -> list[Call]:
        """The calls that were given a value, in their order."""
        return [call for call in self.calls.values() if any(value is each for each in call.handed)]

    def _deferral(self, entry: Call) -> Call | None:
        """The last call on the same object that started a timer or emitted a signal."""
        before = [call for own, call in self.deferrals if own is entry.own and call.number < entry.number]
        return max(before, key=lambda call: call.number, default=None)


class Tracer:
    """Installed before the first thread is started; records from `begin` to the last moment."""

    def __init__(self) -> None:
        self._recording: Recording | None = None
        self._is_product: dict[CodeType, bool] = {}
        self._prefix = f"{PACKAGE}/"

    def install(self) -> None:
        _carry_context_into_executors()
        _show_signals_that_emit_signals()
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def uninstall(self) -> None:
        threading.setprofile(None)
        sys.setprofile(None)

    def begin(self, **moments: Moment) -> Recording:
        """Record until the last of the moments. One is reached when its condition first holds after a call."""
        running: contextvars.ContextVar[Call | None] = contextvars.ContextVar("running", default=None)
        self._recording = Recording(running, moments)
        return self._recording

    def _profile(self, frame: FrameType, event: str, arg: Any) -> None:
        recording = self._recording
        if recording is None or not self._of_product(frame.f_code):
            return
        if event == "call":
            self._enter(recording, frame)
        elif event == "return":
            self._leave(recording, frame, arg)
        elif event == "c_call" and arg.__name__ in _DEFERRING:
            call = recording.calls.get(id(frame))
            if call is not None:
                recording.deferrals.append((frame.f_locals.get("self"), call))

    def _enter(self, recording: Recording, frame: FrameType) -> None:
        below = _below(recording, frame)
        if below is not None and self._look(recording, below):
            return
        with recording.lock:
            call = recording.calls.get(id(frame))
            if call is None:
                call = recording.calls[id(frame)] = Call(
                    number=len(recording.calls),
                    frame=frame,
                    thread=threading.get_ident(),
                    caller=below,
                    scheduler=None if below else recording.running.get(),
                    handed=tuple(_handed(frame)),
                    own=frame.f_locals.get("self"),
                )
        recording.running.set(call)

    def _leave(self, recording: Recording, frame: FrameType, answer: object) -> None:
        call = recording.calls.get(id(frame))
        if call is None:
            return
        if _is_value(answer):
            recording.answers.append((answer, call))
        self._look(recording, call)
        recording.running.set(_below(recording, frame) or call.scheduler)

    def _look(self, recording: Recording, call: Call) -> bool:
        """Note the moments that are reached in `call`; whether the last one is."""
        with recording.lock:
            for name, holds in recording.moments.items():
                if name not in recording.reached and self._holds(holds, call):
                    recording.reached[name] = call
            if list(recording.moments)[-1] in recording.reached:
                self._recording = None
        return self._recording is None

    def _holds(self, moment: Moment, call: Call) -> bool:
        sys.setprofile(None)
        try:
            return moment(call)
        finally:
            sys.setprofile(self._profile)

    def _of_product(self, code: CodeType) -> bool:
        known = self._is_product.get(code)
        if known is None:
            known = code.co_filename.startswith(self._prefix) and code.co_name not in _INLINED
            self._is_product[code] = known
        return known


def _below(recording: Recording, frame: FrameType) -> Call | None:
    below = frame.f_back
    while below is not None:
        call = recording.calls.get(id(below))
        if call is not None:
            return call
        below = below.f_back
    return None


def _stack(call: Call) -> Iterator[Call]:
    """The call, its caller, and so on."""
    step: Call | None = call
    while step is not None:
        yield step
        step = step.caller


def _handed(frame: FrameType) -> Iterator[object]:
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]:
        value = frame.f_locals.get(name)
        if name != "self" and (_is_value(value) or isinstance(value, Future)):
            yield value


def _is_value(value: object) -> bool:
    """Whether it is an object of the product, and not one that all share."""
    return type(value).__module__.startswith("tandem_desktop") and not isinstance(value, Enum | type)


def _carry_context_into_executors() -> None:
    """Executors do not carry the context of the submitting call, as asyncio does."""
    submit = ThreadPoolExecutor.submit

    def submit_in_context(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return submit(self, contextvars.copy_context().run, fn, *args, **kwargs)

    ThreadPoolExecutor.submit = submit_in_context  # type: ignore[method-assign,assignment]


def _show_signals_that_emit_signals() -> None:
    """Qt emits a signal that is connected to a signal without Python: let a function do it, which can be seen."""
    connect = SignalInstance.connect

    def connect_by_function(self: SignalInstance, receiver: Any, *rest: Any, **named: Any) -> Any:
        target = getattr(receiver, "__self__", receiver)
        if isinstance(target, SignalInstance):
            receiver = _forwarder(target, sys._getframe(1))
        return connect(self, receiver, *rest, **named)

    SignalInstance.connect = connect_by_function  # type: ignore[method-assign]


def _forwarder(target: SignalInstance, connecting: FrameType) -> Callable[..., None]:
    """A function that emits `target`; it lies where the connection is made."""
    name, _, types = str(target).removeprefix("<PySide6.QtCore.SignalInstance ").partition("(")
    count = len([each for each in types.rpartition(")")[0].split(",") if each])

    def forward(*values: object) -> None:
        target.emit(*values[:count])

    forward.__code__ = forward.__code__.replace(
        co_filename=connecting.f_code.co_filename,
        co_firstlineno=connecting.f_lineno,
        co_name=SIGNAL,
        co_qualname=f"signal {name}",
    )
    return forward
