"""Work in threads outlives the cancelling of its caller."""

import asyncio
import threading

import pytest

from tandem_desktop.processes.threads import done_in_thread, made_in_thread


@pytest.mark.parametrize("times", [1, 3])
async def test_what_is_made_while_its_caller_is_cancelled_is_given_back(times: int) -> None:
    may_go_on, begun = threading.Event(), threading.Event()
    given_back: list[str] = []

    def make() -> str:
        begun.set()
        may_go_on.wait()
        return "made"

    caller = asyncio.create_task(made_in_thread(make, given_back.append))
    await asyncio.to_thread(begun.wait)
    for _ in range(times):
        caller.cancel()
        await asyncio.sleep(0)
    may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert given_back == ["made"]


async def test_failure_to_make_gives_nothing_back() -> None:
    def fail() -> str:
        raise OSError("no room")

    given_back: list[str] = []
    with pytest.raises(OSError, match="no room"):
        await made_in_thread(fail, given_back.append)
    assert given_back == []


async def test_caller_that_is_cancelled_waits_for_the_end_of_its_work() -> None:
    may_go_on, begun = threading.Event(), threading.Event()
    done: list[str] = []

    def work() -> None:
        begun.set()
        may_go_on.wait()
        done.append("done")

    caller = asyncio.create_task(done_in_thread(work))
    await asyncio.to_thread(begun.wait)
    caller.cancel()
    await asyncio.sleep(0)
    assert not caller.done()
    may_go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert done == ["done"]
