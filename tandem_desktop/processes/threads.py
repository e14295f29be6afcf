"""Work in a thread whose outcome is not lost when its caller is cancelled."""

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial
from typing import TypeVar

_Made = TypeVar("_Made")


async def made_in_thread(make: Callable[[], _Made], give_back: Callable[[_Made], None]) -> _Made:
    """What `make` makes in a thread; if the caller is cancelled meanwhile, it is given back."""
    making = _begun(make)
    try:
        return await asyncio.shield(making)
    except asyncio.CancelledError:
        await _ended(making)
        if making.exception() is None:
            await done_in_thread(partial(give_back, making.result()))
        raise


async def done_in_thread(work: Callable[[], None]) -> None:
    """Do `work` in a thread; a caller that is cancelled meanwhile waits for its end."""
    doing = _begun(work)
    try:
        await asyncio.shield(doing)
    except asyncio.CancelledError:
        await _ended(doing)
        raise


def _begun(work: Callable[[], _Made]) -> asyncio.Future[_Made]:
    # A future of the executor and not a task: the engine's end cancels every task.
    return asyncio.get_running_loop().run_in_executor(None, work)


async def _ended(work: asyncio.Future[_Made]) -> None:
    """Wait for the end, however often the caller is cancelled."""
    while not work.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait((work,))
