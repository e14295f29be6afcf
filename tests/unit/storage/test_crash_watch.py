"""A window that was struck down is noticed by the next one, with where it was; one that ended well leaves nothing."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tandem_desktop.storage.logs import CrashWatch

STORY = """
import ctypes, os, signal, sys
from pathlib import Path
from tandem_desktop.storage.logs import CrashWatch
watch = CrashWatch(Path(sys.argv[1]))
watch.begin()
def deep_inside():
    os.kill(os.getpid(), getattr(signal, sys.argv[2]))
deep_inside()
"""


def struck_down(folder: Path, how: str) -> None:
    ended = subprocess.run([sys.executable, "-c", STORY, str(folder), how], capture_output=True, check=False)
    assert ended.returncode == -getattr(signal, how)


@pytest.mark.parametrize(("how", "told"), [("SIGSEGV", "deep_inside"), ("SIGABRT", "deep_inside"), ("SIGKILL", "")])
def test_next_window_finds_the_report_of_one_that_was_struck_down(tmp_path: Path, how: str, told: str) -> None:
    struck_down(tmp_path, how)
    watch = CrashWatch(tmp_path)
    (report,) = watch.begin()
    assert told in report.read_text()
    assert report.name.startswith("crash-")
    watch.end()
    again = CrashWatch(tmp_path)
    assert again.begin() == ()
    again.end()
    assert list(tmp_path.iterdir()) == [report]


def test_a_window_that_is_still_open_is_not_taken_for_one_that_ended(tmp_path: Path) -> None:
    first, second = CrashWatch(tmp_path), CrashWatch(tmp_path)
    assert first.begin() == ()
    assert second.begin() == ()
    second.end()
    first.end()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_keeps_no_window_from_opening(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("")
    watch = CrashWatch(tmp_path / "logs" / "deeper")
    assert watch.begin() == ()
    watch.end()
