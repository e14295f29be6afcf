"""A screen of its own: real keys and clicks go in through the X server, and what is painted can be looked at."""

import os
import shutil
import struct
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.support.patience import PATIENCE_S

SIZE = (1440, 900)
"""Of the window, at the upper left corner."""
_SCREEN = (SIZE[0] + 80, SIZE[1] + 80)
"""Larger than the window, which leaves room for the frame that a window manager would draw."""
TOOLS = {"Xvfb": "xvfb", "xdotool": "xdotool"}
_KEY_DELAY_MS = 8
_WIDE, _HIGH = 40, 8
"""A filled button has at least so many unbroken pixels in a row, in so many rows."""


@dataclass(frozen=True)
class Box:
    """A place on the screen."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def middle(self) -> tuple[int, int]:
        return (self.left + self.right) // 2, (self.top + self.bottom) // 2


class Display:
    """One X server without a window manager. Its frame buffer is a file, so looking needs no tool."""

    def __init__(self, name: str, frame: Path) -> None:
        self.name = name
        self._frame = frame

    def press(self, *keys: str) -> None:
        """Keys by their X names, such as `ctrl+Return`."""
        self._xdotool("key", "--clearmodifiers", "--delay", str(_KEY_DELAY_MS), *keys)

    def type(self, text: str) -> None:
        self._xdotool("type", "--delay", str(_KEY_DELAY_MS), "--", text)

    def click(self, x: int, y: int) -> None:
        self._xdotool("mousemove", "--sync", str(x), str(y), "click", "1")

    def has_window(self, title: str) -> bool:
        """Whether a window of this title is shown; it gets the keyboard, as nobody else gives it."""
        words = ["search", "--onlyvisible", "--name", title, "windowfocus"]
        return self._xdotool(*words, may_fail=True) == 0

    def filled(self, color: str) -> list[Box]:
        """Where the screen is filled with exactly this colour, as wide as a button; left to right."""
        width, height, stride, pixels = self._pixels()
        needle = _pixel(color) * _WIDE
        found: list[Box] = []
        rows: list[int] = []
        for y in range(height):
            line = pixels[y * stride : y * stride + width * 4]
            for left, right in _runs(line, needle):
                near = [n for n, box in enumerate(found) if _touches(box, left, right, y)]
                if near:
                    box = found[near[0]]
                    found[near[0]] = Box(min(box.left, left), box.top, max(box.right, right), y)
                    rows[near[0]] += 1
                else:
                    found.append(Box(left, y, right, y))
                    rows.append(1)
        return sorted((box for box, many in zip(found, rows, strict=True) if many >= _HIGH), key=lambda box: box.left)

    def shows(self, colors: tuple[str, ...], area: Box) -> bool:
        """Whether a pixel of one of these colours is anywhere in the area."""
        _, _, stride, pixels = self._pixels()
        wanted = [_pixel(color) for color in colors]
        lines = (pixels[y * stride + area.left * 4 : y * stride + area.right * 4] for y in range(area.top, area.bottom))
        return any(line[at : at + 4] in wanted for line in lines for at in range(0, len(line), 4))

    def pixel(self, x: int, y: int) -> bytes:
        """Blue, green and red at one place; quick enough to be asked all the time."""
        with self._frame.open("rb") as frame:
            header = struct.unpack(">25I", frame.read(100))
            frame.seek(header[0] + header[19] * 12 + y * header[12] + x * 4)
            return frame.read(3)

    def keep(self, path: Path) -> None:
        """Save what is on the screen as a picture."""
        width, height, stride, pixels = self._pixels()
        QImage(pixels, width, height, stride, QImage.Format.Format_RGB32).save(str(path))

    def _pixels(self) -> tuple[int, int, int, bytes]:
        """Width, height, bytes per line and the pixels, each blue, green, red and a byte that says nothing."""
        data = self._frame.read_bytes()
        header = struct.unpack(">25I", data[:100])
        start, width, height, stride, colors = header[0], header[4], header[5], header[12], header[19]
        pixels = bytearray(data[start + colors * 12 :][: stride * height])
        pixels[3::4] = bytes(len(pixels) // 4)
        return width, height, stride, bytes(pixels)

    def _xdotool(self, *words: str, may_fail: bool = False) -> int:
        ended = subprocess.run(
            ["xdotool", *words],
            env={**os.environ, "DISPLAY": self.name},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert may_fail or ended.returncode == 0, ended.stderr
        return ended.returncode


@contextmanager
def a_display(folder: Path) -> Iterator[Display]:
    """A display with a number nobody else uses; skips, in words, where there can be none."""
    missing = [package for tool, package in TOOLS.items() if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"no screen of its own: install {' and '.join(missing)}")
    reading, writing = os.pipe()
    words = ["Xvfb", "-displayfd", str(writing), "-screen", "0", "x".join(map(str, (*_SCREEN, 24)))]
    server = subprocess.Popen(
        [*words, "-nolisten", "tcp", "-fbdir", str(folder)],
        pass_fds=(writing,),
        env={"PATH": os.environ["PATH"]},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    try:
        with os.fdopen(reading) as numbers:
            number = numbers.readline().strip()
        assert number, "Xvfb ended before it had a display"
        yield Display(f":{number}", folder / "Xvfb_screen0")
    finally:
        server.terminate()
        server.wait(PATIENCE_S)


def wait_for(what: str, until: Callable[[], bool]) -> None:
    """Look again until it is so; `what` says what never came."""
    end = time.monotonic() + PATIENCE_S
    while not until():
        assert time.monotonic() < end, f"waited in vain: {what}"
        time.sleep(0.1)


def _pixel(color: str) -> bytes:
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return bytes((blue, green, red, 0))


def _runs(line: bytes, needle: bytes) -> Iterator[tuple[int, int]]:
    pixel, at = needle[:4], 0
    while (at := line.find(needle, at)) >= 0:
        at += -at % 4  # a match across pixels is taken up at the next whole one
        end = at
        while line[end : end + 4] == pixel:
            end += 4
        if end - at >= len(needle) - 4:
            yield at // 4, end // 4
        at = end + 4


def _touches(box: Box, left: int, right: int, y: int) -> bool:
    return left < box.right and right > box.left and y - box.bottom <= _HIGH * 4
