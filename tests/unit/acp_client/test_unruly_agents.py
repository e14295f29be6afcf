"""Whatever an agent does, every request it makes is answered once, nothing is left waiting, and nothing hangs."""

import asyncio
import contextlib
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.acp_client.client import SidecarManager
from tandem_desktop.acp_client.connection import Direction
from tandem_desktop.domain.agent_protocol import AgentSaid, PermissionRequest, PermissionVerdict
from tandem_desktop.domain.errors import SidecarError, SidecarExitedError, SidecarLaunchError
from tests.support.agents.replay_agent import ReplayAgent
from tests.support.agents.unruly_agent import UnrulyAgent
from tests.support.patience import PATIENCE_S
from tests.support.played_agents import a_played_manager
from tests.support.sidecars import QUICK, WORKSPACE, NotingClient, a_manager, a_replay, an_agent
from tests.support.transcripts import FROM_AGENT, messages

PROCESSES_AT_ONCE = 4
PLAYED_AT_ONCE = 32
MakeManager = Callable[..., SidecarManager]


class Tally:
    """What came of many lives, and every rule that was broken in one of them."""

    def __init__(self) -> None:
        self.lives = self.requests = self.answers = self.refusals = self.deaths = 0
        self.problems: list[str] = []

    def add(self, log: "FrameLog", client: NotingClient, *, died: bool, life: str) -> None:
        self.lives += 1
        self.deaths += died
        self.requests += sum(log.requests.values())
        self.answers += sum(log.answers.values())
        self.refusals += log.refusals
        if client.waiting:
            log.wrong.append("a decision is still waited for")
        log.check_notes(client)
        self.problems += [f"{life}: {problem}" for problem in log.wrong]

    def check(self) -> None:
        print(
            f"{self.lives:,} lives, {self.deaths:,} deaths, {self.requests:,} requests, {self.answers:,} answers, "
            f"{self.refusals:,} refused without an id, {len(self.problems)} problems"
        )
        assert self.problems == []
        # No door leads from here to the disk: what an agent writes is what the client was given.
        assert not Path(WORKSPACE).exists()


class FrameLog:
    """Every message of one life of an agent, and whether the answers fit."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.refusals = 0
        self.permissions: set[str] = set()
        """Requests for permission in a session that is known, each of which the client has to hear of once."""
        self._known: set[str] = set()
        self.wrong: list[str] = []

    def __call__(self, direction: Direction, data: bytes) -> None:
        message = json.loads(data)
        number = message.get("id")
        if direction is Direction.RECEIVED and "method" in message and "id" in message:
            self.requests[json.dumps(number)] += 1
            self._count_permission(message)
        elif direction is Direction.SENT and message.get("method") in ("session/set_mode", "session/prompt"):
            self._known.add(message["params"]["sessionId"])
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

    def _count_permission(self, message: Any) -> None:
        params = message["params"]
        if message["method"] != "session/request_permission" or "toolCallId" not in params["toolCall"]:
            return
        if isinstance(params["sessionId"], str) and params["sessionId"] in self._known:
            self.permissions.add(json.dumps(message["id"]))

    def check_notes(self, client: NotingClient) -> None:
        """Also of an agent that died: it can no longer be answered, but what became of its request is on record."""
        noted = Counter(request.id for request in client.requests)
        noted.update(request.id for request, reason in client.turned_away_because if reason)
        for number in self.permissions:
            if _usable(number) and self.requests[number] == 1 and noted[str(json.loads(number))] != 1:
                self.wrong.append(f"{number} is on record {noted[str(json.loads(number))]} times")

    def is_missing(self, number: str) -> bool:
        return _usable(number) and not self.answers[number]


def _usable(number: str) -> bool:
    value = json.loads(number)
    return isinstance(value, int | str) and not isinstance(value, bool)


async def one_life(make_manager: MakeManager, seed: int, tally: Tally) -> None:
    """Talk to the agent this seed makes until it has said all, or is dead."""
    generator = random.Random(seed)

    async def decide(request: PermissionRequest) -> PermissionVerdict:
        draw = generator.random()
        if draw < 0.3:
            await asyncio.Event().wait()
        if draw < 0.5:
            await asyncio.sleep(0)
        return generator.choice(list(PermissionVerdict))

    client, log = NotingClient(decide), FrameLog()
    manager = make_manager(client=client, limits=QUICK, on_frame=log, asking_mode="ask")
    died = False
    try:
        async with asyncio.timeout(PATIENCE_S):
            await converse(manager, generator)
            # Before the end, which answers whatever is still open.
            log.check_answers()
    except (SidecarExitedError, SidecarLaunchError):
        died = True
    except TimeoutError:
        log.wrong.append("it hung")
    finally:
        await manager.stop()
    tally.add(log, client, died=died, life=f"seed {seed}")


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


async def cut(make_manager: MakeManager, life: str, tally: Tally) -> None:
    """Talk to an agent that dies with a certain byte."""
    client, log = NotingClient(), FrameLog()
    manager = make_manager(client=client, on_frame=log)
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
    if outcome not in ("agent_launch", "agent_exited"):
        log.wrong.append(outcome)
    tally.add(log, client, died=True, life=life)


async def side_by_side(lives: Iterable[Callable[[Tally], Any]], at_once: int) -> Tally:
    tally = Tally()
    waiting = iter(lives)

    async def work() -> None:
        for live in waiting:
            await live(tally)

    await asyncio.gather(*(work() for _ in range(at_once)))
    return tally


def a_life(seed: int) -> Callable[[Tally], Any]:
    """In a process of its own."""
    return lambda tally: one_life(partial(a_manager, an_agent("unruly_agent", str(seed))), seed, tally)


def a_played_life(seed: int) -> Callable[[Tally], Any]:
    return lambda tally: one_life(partial(a_played_manager, partial(UnrulyAgent, seed)), seed, tally)


def a_cut(name: str, byte: int) -> Callable[[Tally], Any]:
    """In a process of its own."""
    return lambda tally: cut(partial(a_manager, a_replay(name, byte)), f"{name} cut at byte {byte}", tally)


def a_played_cut(name: str, byte: int) -> Callable[[Tally], Any]:
    life = f"{name} cut at byte {byte}"
    return lambda tally: cut(partial(a_played_manager, partial(ReplayAgent, messages(name), byte)), life, tally)


def places_in(name: str) -> range:
    """Every byte with which a recorded agent can die before its turn is over."""
    sent = [len(json.dumps(message)) + 1 for direction, message in messages(name) if direction == FROM_AGENT]
    # The last line answers the turn: a cut behind it finds nobody waiting.
    return range(1, sum(sent[:-1]))


async def test_every_request_of_an_unruly_agent_is_answered_once() -> None:
    (await side_by_side((a_life(seed) for seed in range(60)), PROCESSES_AT_ONCE)).check()


async def test_every_request_of_an_unruly_agent_played_here_is_answered_once() -> None:
    (await side_by_side((a_played_life(seed) for seed in range(60, 400)), PLAYED_AT_ONCE)).check()


async def test_an_agent_that_dies_at_any_byte_ends_the_turn_with_an_error() -> None:
    generator = random.Random(20)
    names = ("oc_seq_allow", "goose_seq_allow")
    chosen = [a_cut(name, byte) for name in names for byte in generator.sample(places_in(name), 25)]
    (await side_by_side(chosen, PROCESSES_AT_ONCE)).check()


async def test_an_agent_played_here_that_dies_at_any_byte_ends_the_turn_with_an_error() -> None:
    generator = random.Random(21)
    names = ("oc_seq_allow", "goose_seq_allow", "claude_seq_allow", "builtin_parallel")
    chosen = [a_played_cut(name, byte) for name in names for byte in generator.sample(places_in(name), 50)]
    (await side_by_side(chosen, PLAYED_AT_ONCE)).check()


@pytest.mark.exhaustive
async def test_every_request_of_ten_thousand_unruly_agents_is_answered_once() -> None:
    (await side_by_side((a_played_life(seed) for seed in range(10_000, 20_000)), PLAYED_AT_ONCE)).check()


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["oc_seq_allow", "goose_seq_allow", "claude_seq_allow", "builtin_parallel"])
async def test_an_agent_that_dies_at_each_byte_of_its_session_ends_the_turn_with_an_error(name: str) -> None:
    (await side_by_side((a_played_cut(name, byte) for byte in places_in(name)), PLAYED_AT_ONCE)).check()


async def test_words_that_arrive_together_are_one_update_and_keep_their_place_among_others() -> None:
    def update(**facts: Any) -> bytes:
        params = {"sessionId": "s", "update": facts}
        return json.dumps({"jsonrpc": "2.0", "method": "session/update", "params": params}).encode() + b"\n"

    def piece(text: str, kind: str = "agent_message_chunk") -> bytes:
        return update(sessionUpdate=kind, content={"type": "text", "text": text})

    class InPieces:
        """Says everything at once, in small pieces."""

        def __init__(self, put: Callable[[bytes], object], die: Callable[[int], object]) -> None:
            self._put = put

        def hear(self, line: bytes) -> None:
            message = json.loads(line)
            results = {"initialize": {"protocolVersion": 1}, "session/new": {"sessionId": "s"}}
            result = results.get(message["method"], {"stopReason": "end_turn"})
            said = b""
            if message["method"] == "session/prompt":
                call = update(sessionUpdate="tool_call", toolCallId="c", title="Look", kind="read", status="pending")
                thought = piece("hm", "agent_thought_chunk")
                said = piece("a") * 500 + thought + call + piece("b") * 300
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
            self._put(said + json.dumps(answer).encode() + b"\n")

    client = NotingClient()
    manager = a_played_manager(InPieces, client, limits=QUICK)
    await manager.start()
    try:
        session = await manager.new_session()
        await manager.prompt(session.id, "go")
    finally:
        await manager.stop()
    said = [each.text if isinstance(each, AgentSaid) else each.type for _, each in client.updates]
    kinds = [kind for kind, _ in groupby(each[0] for each in said)]
    assert (kinds, "".join(said).count("b"), len(said) < 40) == (["a", "h", "t", "b"], 300, True)
