"""Whatever an agent does, every request it makes is answered once, nothing is left waiting, and nothing hangs."""

import asyncio
import contextlib
import json
import random
from collections import Counter
from typing import Any

import pytest

from tandem_desktop.domain.agents import PermissionRequest, Verdict
from tandem_desktop.domain.errors import SidecarError, SidecarExitedError, SidecarLaunchError
from tandem_desktop.sidecar.connection import Direction
from tandem_desktop.sidecar.sidecar_manager import SidecarManager
from tests.support.sidecars import PATIENCE_S, QUICK, NotingClient, a_manager, a_replay, an_agent
from tests.support.transcripts import FROM_AGENT, messages

SIDE_BY_SIDE = 4


class FrameLog:
    """Every message of one life of an agent, and whether the answers fit."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.refusals = 0
        self.wrong: list[str] = []

    def __call__(self, direction: Direction, data: bytes) -> None:
        message = json.loads(data)
        number = message.get("id")
        if direction is Direction.RECEIVED and "method" in message and "id" in message:
            self.requests[json.dumps(number)] += 1
        elif direction is Direction.SENT and "method" not in message:
            if number is None:
                self.refusals += 1
                return
            self.answers[json.dumps(number)] += 1
            if self.answers[json.dumps(number)] > self.requests[json.dumps(number)]:
                self.wrong.append(f"{number!r} was answered more often than it was asked")

    def check_answers(self) -> None:
        asked, answered = sum(self.requests.values()), sum(self.answers.values()) + self.refusals
        if asked != answered:
            self.wrong.append(f"{asked} requests, {answered} answers: {self.requests} {self.answers} {self.refusals}")
        self.wrong += [f"{number} was never answered" for number in self.requests if self.is_missing(number)]

    def is_missing(self, number: str) -> bool:
        return _usable(number) and not self.answers[number]


def _usable(number: str) -> bool:
    value = json.loads(number)
    return isinstance(value, int | str) and not isinstance(value, bool)


async def one_life(seed: int) -> list[str]:
    """Talk to the agent this seed makes until it has said all, or is dead; what went wrong."""
    generator = random.Random(seed)

    async def decide(request: PermissionRequest) -> Verdict:
        draw = generator.random()
        if draw < 0.3:
            await asyncio.Event().wait()
        if draw < 0.5:
            await asyncio.sleep(0)
        return generator.choice(list(Verdict))

    client, log = NotingClient(decide), FrameLog()
    manager = a_manager(an_agent("unruly_agent", str(seed)), client, limits=QUICK, on_frame=log, asking_mode="ask")
    try:
        async with asyncio.timeout(PATIENCE_S):
            await converse(manager, generator)
            # Before the end, which answers whatever is still open.
            log.check_answers()
    except (SidecarExitedError, SidecarLaunchError):
        pass
    except TimeoutError:
        log.wrong.append("it hung")
    finally:
        await manager.stop()
    if client.waiting:
        log.wrong.append("a decision is still waited for")
    return [f"seed {seed}: {problem}" for problem in log.wrong]


async def converse(manager: SidecarManager, generator: random.Random) -> None:
    await manager.start()
    sessions = [await manager.new_session() for _ in range(2)]
    for _ in range(generator.randrange(1, 4)):
        session = generator.choice(sessions)
        turn = asyncio.create_task(manager.prompt(session.id, "go"))
        await cancel_sometime(manager, session.id, turn, generator)
        await turn
    for session in sessions:
        await manager.prompt(session.id, "report")


async def cancel_sometime(
    manager: SidecarManager, session_id: Any, turn: "asyncio.Task[Any]", generator: random.Random
) -> None:
    """Give the turn a moment, then end it: an unruly agent does not always do so by itself."""
    await asyncio.wait({turn}, timeout=generator.choice((0.0, 0.02, 0.05)))
    with contextlib.suppress(SidecarError):
        await manager.cancel(session_id)


async def live(seeds: range) -> None:
    problems: list[str] = []
    waiting = iter(seeds)

    async def work() -> None:
        for seed in waiting:
            problems.extend(await one_life(seed))

    await asyncio.gather(*(work() for _ in range(SIDE_BY_SIDE)))
    assert problems == []


async def test_every_request_of_an_unruly_agent_is_answered_once() -> None:
    await live(range(300))


@pytest.mark.exhaustive
async def test_every_request_of_ten_thousand_unruly_agents_is_answered_once() -> None:
    await live(range(10_000, 20_000))


async def cut(name: str, byte: int) -> list[str]:
    """Replay a session that ends with this byte; what went wrong."""
    client, log = NotingClient(), FrameLog()
    manager = a_manager(a_replay(name, byte), client, on_frame=log)
    outcome = "went on"
    try:
        async with asyncio.timeout(PATIENCE_S):
            await manager.start()
            session = await manager.new_session()
            await manager.prompt(session.id, "go")
    except SidecarError as error:
        outcome = error.kind
    except TimeoutError:
        outcome = "hung"
    finally:
        await manager.stop()
    problems = list(log.wrong)
    if outcome not in ("agent_launch", "agent_exited"):
        problems.append(f"{name} cut at byte {byte}: {outcome}")
    return problems


def length(name: str) -> int:
    return sum(len(json.dumps(message)) + 1 for direction, message in messages(name) if direction == FROM_AGENT)


async def cuts(places: list[tuple[str, int]]) -> None:
    problems: list[str] = []
    waiting = iter(places)

    async def work() -> None:
        for name, byte in waiting:
            problems.extend(await cut(name, byte))

    await asyncio.gather(*(work() for _ in range(SIDE_BY_SIDE)))
    assert problems == []


def places_in(name: str, count: int, seed: int = 20) -> list[tuple[str, int]]:
    # The last line answers the turn: a cut behind it finds nobody waiting.
    last = len(json.dumps([message for direction, message in messages(name) if direction == FROM_AGENT][-1])) + 1
    return [(name, byte) for byte in random.Random(seed).sample(range(1, length(name) - last), count)]


async def test_an_agent_that_dies_at_any_byte_ends_the_turn_with_an_error() -> None:
    await cuts([place for name in ("oc_seq_allow", "goose_seq_allow") for place in places_in(name, 25)])


@pytest.mark.exhaustive
async def test_an_agent_that_dies_at_each_of_many_bytes_ends_the_turn_with_an_error() -> None:
    for name in ("oc_seq_allow", "goose_seq_allow", "claude_seq_allow", "builtin_parallel"):
        await cuts(places_in(name, 2_000))
