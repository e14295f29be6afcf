"""Opens the window on a plan, and waits for what a person decides about it there."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from tandem_desktop.domain.plan import PlanMeta
from tandem_desktop.domain.plan_states import PlanStatus, has_ended
from tandem_desktop.processes.own_program import own_command

_LOOK_S = 0.4
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
_RUN_ENDED = frozenset({PlanStatus.COMPLETED, PlanStatus.FAILED, PlanStatus.UNDONE})

OpenWindow = Callable[[Path, str], "subprocess.Popen[bytes] | None"]
"""Opens a window on a plan of a workspace; None where there is no display."""


def open_window(root: Path, plan_id: str) -> "subprocess.Popen[bytes] | None":
    """A window in a process of its own, which stays when the editor ends."""
    has_display = not sys.platform.startswith("linux") or any(os.environ.get(name) for name in _DISPLAYS)
    if not has_display or find_spec("PySide6") is None:
        return None
    return subprocess.Popen(
        own_command("-C", str(root), "gui", "--plan", plan_id),
        cwd=root,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def is_decided(meta: PlanMeta) -> bool:
    """Whether nothing of a plan waits any longer: it was carried out, or it will never be."""
    return meta.status in _RUN_ENDED or has_ended(meta.status)


async def wait_for_decision(window: "subprocess.Popen[bytes]", read: Callable[[], PlanMeta]) -> PlanMeta:
    """The record of the plan once it is decided, or once the window was closed."""
    while True:
        is_closed = window.poll() is not None
        meta = await asyncio.to_thread(read)
        if is_closed or is_decided(meta):
            return meta
        await asyncio.sleep(_LOOK_S)
