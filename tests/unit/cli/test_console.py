"""What is said beside the answer arrives, also when a signal comes while a line is being written."""

import io
import os
import signal
import sys
from types import FrameType

import pytest

from tandem_desktop.cli.console import Console


class InterruptedOnce(io.FileIO):
    """Raises a signal in the middle of the first write, as a person's Ctrl-C may come."""

    interrupts = True

    def write(self, data: object) -> int:
        written = super().write(data)  # type: ignore[arg-type]
        if self.interrupts:
            self.interrupts = False
            os.kill(os.getpid(), signal.SIGUSR1)
        return written


def test_a_remark_of_a_signal_handler_breaks_into_no_other_and_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    stream = io.TextIOWrapper(io.BufferedWriter(InterruptedOnce(writing, "w")), encoding="utf-8", line_buffering=True)
    monkeypatch.setattr(sys, "stderr", stream)
    console = Console(as_json=False)

    def said_by_handler(number: int, frame: FrameType | None) -> None:
        console.remark("Stopping.")

    before = signal.signal(signal.SIGUSR1, said_by_handler)
    try:
        console.remark("A line.")
    finally:
        signal.signal(signal.SIGUSR1, before)
    stream.close()
    with os.fdopen(reading) as pipe:
        assert sorted(pipe.read().splitlines()) == ["A line.", "Stopping."]
