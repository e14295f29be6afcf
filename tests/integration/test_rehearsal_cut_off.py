"""A rehearsal that is killed or interrupted leaves no process, no mount and no folder, and touches no file."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.command_line import CommandLine, a_workspace, bash, write
from tests.support.shadows import wait_until
from tests.support.tree_walker import walk

pytestmark = pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")

MARK = f"3141{os.getpid()}"
"""How long the command would sleep: a number by which its processes are known."""


def processes() -> list[int]:
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            words = (place / "cmdline").read_bytes()
        except OSError:
            continue
        if MARK.encode() in words and int(place.name) != os.getpid():
            found.append(int(place.name))
    return found


CUTS = [
    (signal.SIGKILL, -signal.SIGKILL),
    (signal.SIGINT, 4),
    pytest.param(signal.SIGTERM, 4, marks=pytest.mark.exhaustive),
]


@pytest.mark.parametrize(("number", "code"), CUTS)
def test_nothing_is_left_of_a_rehearsal_that_was_cut_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], number: signal.Signals, code: int
) -> None:
    tandem = CommandLine(a_workspace(tmp_path / "ws", {"a.txt": "a\n"}), capsys)
    plan = tandem.propose(write("made.txt", "made\n"), bash(f"rm a.txt; echo started; sleep {MARK}; echo late > late"))
    before = walk(tandem.workspace)
    argv = [sys.executable, "-m", "tandem_desktop", "-C", str(tandem.workspace), "rehearse", plan["plan_id"]]
    running = subprocess.Popen(argv, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert running.stderr is not None
    assert any("started" in line for line in running.stderr)
    assert processes()
    running.send_signal(number)
    assert running.wait(30) == code
    running.stderr.close()
    wait_until(lambda: not processes())
    assert walk(tandem.workspace) == before
    shadows = Path(os.environ["TANDEM_STATE_DIR"]) / "shadows"
    assert len(list(shadows.glob("rehearsal-*"))) == (1 if number is signal.SIGKILL else 0)
    assert str(shadows) not in Path("/proc/self/mounts").read_text()
    quick = tandem.propose(bash("true"))
    assert tandem.answer("rehearse", quick["plan_id"])["commands"][0]["exit_code"] == 0
    assert list(shadows.glob("rehearsal-*")) == []
