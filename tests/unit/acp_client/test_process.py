"""An agent's process leads its own group, dies with its parent, and leaves only its last words."""

import asyncio
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
from tests.support.shadows import is_running, wait_until
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


@pytest.mark.parametrize("steps", range(2, 7))
async def test_start_that_is_cancelled_at_any_step_ends_with_all_that_was_started(steps: int, tmp_path: Path) -> None:
    place = tmp_path / "pid"
    child = f"setsid sh -c 'echo $$ > {place}.new && mv {place}.new {place}; exec sleep 600' & wait"
    starting = asyncio.create_task(
        SidecarProcess.start(a_launch("sh", "-c", child), SidecarLimits(close_grace_s=0.1, stop_grace_s=0.1))
    )
    for _ in range(steps):
        await asyncio.sleep(0)
    wait_until(place.exists)  # the loop stands meanwhile, so the start is where it was
    starting.cancel()
    async with asyncio.timeout(PATIENCE_S):
        with contextlib.suppress(asyncio.CancelledError):
            await (await starting).end()
    assert not is_running(int(place.read_text()))


async def test_the_process_leads_its_own_session() -> None:
    process = await SidecarProcess.start(
        a_launch("sleep", "600"), SidecarLimits(close_grace_s=0.1, stop_grace_s=PATIENCE_S)
    )
    assert os.getsid(process.pid) == process.pid
    await process.end()
    assert process.exit_code == -signal.SIGTERM


async def test_a_process_that_ends_with_its_input_gets_no_signal() -> None:
    limits = SidecarLimits(close_grace_s=PATIENCE_S)
    process = await SidecarProcess.start(a_launch("sh", "-c", "cat; exit 3"), limits)
    await process.end()
    assert process.exit_code == 3


async def test_a_process_that_will_not_end_is_made_to() -> None:
    stubborn = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    process = await SidecarProcess.start(
        a_launch(sys.executable, "-c", stubborn), SidecarLimits(close_grace_s=0.1, stop_grace_s=0.1)
    )
    await process.stdout.readline()
    await process.end()
    assert process.exit_code == -signal.SIGKILL


async def test_a_process_in_a_namespace_of_its_own_takes_everything_with_it() -> None:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed, so there is no namespace to end")
    sandbox = ("bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--unshare-pid", "--die-with-parent")
    marker = f"654{os.getpid()}"
    hidden = f"env -i setsid sleep {marker} >/dev/null 2>&1 & echo; exec sleep 600"
    process = await SidecarProcess.start(
        a_launch(*sandbox, "sh", "-c", hidden), SidecarLimits(close_grace_s=0.1, stop_grace_s=0.5)
    )
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


_DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 100)
        with open(sys.argv[1] + ".new", "w") as file:
            file.write(str(os.getpid()))
        os.rename(sys.argv[1] + ".new", sys.argv[1])
        os.execve("/bin/sleep", ["sleep", "600"], {})
    os._exit(0)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
print("ready", flush=True)
{then}
"""
"""A daemon: of another session, without an environment, and no longer a child of what started it."""


def _daemon(then: str, note: Path) -> Launch:
    script = _DAEMON.replace("{then}", then)
    return Launch((sys.executable, "-S", "-E", "-c", script, str(note)), {"PATH": os.defpath}, note.parent)


@pytest.mark.parametrize("then", ["time.sleep(600)", "pass"], ids=["the agent is ended", "the agent ends"])
async def test_a_daemon_of_an_unconfined_agent_does_not_outlive_it(tmp_path: Path, then: str) -> None:
    note = tmp_path / "pid"
    process = await SidecarProcess.start(_daemon(then, note), SidecarLimits(close_grace_s=0.1, stop_grace_s=0.2))
    assert await process.stdout.readline() == b"ready\n"
    pid = int(note.read_text())
    if then == "pass":
        await process.wait()
    else:
        assert is_running(pid)
    await process.end()
    wait_until(lambda: not is_running(pid))


async def test_the_exit_code_of_an_unconfined_agent_is_its_own(tmp_path: Path) -> None:
    for script, code in (("exit 7", 7), ("kill -9 $$", -signal.SIGKILL), ("kill -TERM $$", -signal.SIGTERM)):
        launch = Launch(("/bin/sh", "-c", script), {"PATH": os.defpath}, tmp_path)
        process = await SidecarProcess.start(launch, SidecarLimits())
        await process.wait()
        await process.end()
        assert process.exit_code == code


def test_a_daemon_of_an_unconfined_agent_dies_when_tandem_is_killed(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    script = """
import asyncio, os, sys
from pathlib import Path
from tandem_desktop.acp_client.connection import SidecarLimits
from tandem_desktop.acp_client.process import SidecarProcess
from tests.unit.acp_client.test_process import _daemon

async def main():
    process = await SidecarProcess.start(_daemon("time.sleep(600)", Path(sys.argv[1])), SidecarLimits())
    await process.stdout.readline()
    print("ready", flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""
    child = subprocess.Popen([sys.executable, "-c", script, str(note)], stdout=subprocess.PIPE, cwd=ROOT)
    with child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        pid = int(note.read_text())
        assert is_running(pid)
        child.kill()
    wait_until(lambda: not is_running(pid))


def test_only_what_carries_the_mark_is_killed() -> None:
    spared = subprocess.Popen(["sleep", "600"], env={"TANDEM_SIDECAR": "another"})
    marked = subprocess.Popen(["sleep", "600"], env={"TANDEM_SIDECAR": "this one"}, start_new_session=True)
    # A process shows its environment a moment after it has been started.
    wait_until(lambda: b"this one" in Path(f"/proc/{marked.pid}/environ").read_bytes())
    try:
        assert end_marked("this one") == 1
        assert marked.wait(10) == -signal.SIGKILL
        assert spared.poll() is None
    finally:
        for each in (spared, marked):
            each.kill()
            each.wait()


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
