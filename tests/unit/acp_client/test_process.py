"""An agent's process leads its own group, dies with its parent, and leaves only its last words."""

import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tandem_desktop.acp_client.connection import SidecarLimits
from tandem_desktop.acp_client.process import SidecarProcess, StderrTail, end_marked
from tandem_desktop.domain.errors import SidecarLaunchError
from tandem_desktop.processes.child import Launch
from tests.support.patience import PATIENCE_S
from tests.support.sidecars import a_launch

ROOT = Path(__file__).resolve().parents[3]


def test_last_words_keep_the_last_lines() -> None:
    words = StderrTail(lines=3, size=1000)
    for number in range(10):
        words.add(f"line {number}\n".encode())
    assert words.lines() == ("line 7", "line 8", "line 9")
    assert words.total == 70


def test_last_words_keep_the_end_of_a_line_without_end() -> None:
    words = StderrTail(lines=3, size=10)
    for _ in range(100):
        words.add(b"x" * 100)
    words.add(b"the end")
    assert words.lines() == ("xxxthe end",)


def test_last_words_never_hold_more_bytes_than_allowed() -> None:
    words = StderrTail(lines=100, size=50)
    words.add(b"a" * 40 + b"\n" + b"b" * 40 + b"\n" + b"\xff\r\n")
    assert words.lines() == ("b" * 40, "\ufffd")


async def test_the_environment_is_all_the_process_gets() -> None:
    launch = Launch(
        argv=(sys.executable, "-c", "import os; print(sorted(os.environ))"), environment={"A": "1"}, cwd=Path("/")
    )
    process = await SidecarProcess.start(launch, SidecarLimits())
    output = await process.stdout.read()
    await process.end()
    assert b"HOME" not in output
    assert b"'A'" in output


async def test_the_process_leads_its_own_session() -> None:
    process = await SidecarProcess.start(a_launch("sleep", "600"), SidecarLimits(stop_grace_s=PATIENCE_S))
    assert os.getsid(process.pid) == process.pid
    await process.end()
    assert process.exit_code == -signal.SIGTERM


async def test_a_process_that_will_not_end_is_made_to() -> None:
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    process = await SidecarProcess.start(a_launch(sys.executable, "-c", stubborn), SidecarLimits(stop_grace_s=0.1))
    await process.stdout.readline()
    await process.end()
    assert process.exit_code == -signal.SIGKILL


async def test_a_process_in_a_namespace_of_its_own_takes_everything_with_it() -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed, so there is no namespace to end")
    sandbox = ("bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--unshare-pid", "--die-with-parent")
    marker = f"654{os.getpid()}"
    hidden = f"env -i setsid sleep {marker} >/dev/null 2>&1 & echo; exec sleep 600"
    process = await SidecarProcess.start(a_launch(*sandbox, "sh", "-c", hidden), SidecarLimits(stop_grace_s=0.5))
    await process.stdout.readline()
    await process.end()
    assert not [name for name in command_lines() if marker.encode() in name]


def command_lines() -> list[bytes]:
    lines = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError):
                lines.append((folder / "cmdline").read_bytes())
    return lines


async def test_an_empty_command_is_refused() -> None:
    with pytest.raises(SidecarLaunchError):
        await SidecarProcess.start(a_launch(""), SidecarLimits())


def test_only_what_carries_the_mark_is_killed() -> None:
    spared = subprocess.Popen(["sleep", "600"], env={"TANDEM_SIDECAR": "another"})
    marked = subprocess.Popen(["sleep", "600"], env={"TANDEM_SIDECAR": "this one"}, start_new_session=True)
    try:
        assert end_marked("this one") == 1
        assert marked.wait(10) == -signal.SIGKILL
        assert spared.poll() is None
    finally:
        spared.kill()
        spared.wait()


def test_the_agent_dies_when_its_parent_is_killed() -> None:
    program = (
        "import asyncio, sys\n"
        "from tandem_desktop.acp_client.process import SidecarProcess\n"
        "from tandem_desktop.acp_client.connection import SidecarLimits\n"
        "from tests.support.sidecars import a_launch\n"
        "async def main():\n"
        "    process = await SidecarProcess.start(a_launch('sleep', '600'), SidecarLimits())\n"
        "    print(process.pid, flush=True)\n"
        "    await process.wait()\n"
        "asyncio.run(main())\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout:
        pid = int(parent.stdout.readline())
    agent = os.pidfd_open(pid)
    # At once: the tie to us may not be made yet.
    parent.kill()
    parent.wait()
    try:
        assert select.select([agent], [], [], 20)[0]
    finally:
        os.close(agent)
