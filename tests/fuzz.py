"""Hand spoiled input to every reader of foreign bytes: `python -m tests.fuzz [--count N] [--seed S] [READER …]`.

Frames are recorded messages of real agents, spoiled, from an agent played in this process; each request that can be
answered must be answered once, and the conversation goes on or ends with an error of ours. Editors send such frames
to `tandem acp` while a plan waits: none of them may apply it. Both are cut at every byte as well: a turn that was cut
ends in words, and a plan is applied only by the whole answer. Plans, bundles and patches are read; patches are applied
in memory. Anything but a value or a refusal in words is a crash; more than a few seconds for one input is a hang. What
went wrong is printed with the seed that brings it back.
"""

import argparse
import asyncio
import copy
import json
import logging
import multiprocessing
import os
import random
import re
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

from tandem_desktop.acp_client.connection import Direction
from tandem_desktop.diff.patch import apply_patch, parse_patch
from tandem_desktop.domain.errors import SidecarError, TandemError
from tandem_desktop.domain.strict_json import ambiguity
from tandem_desktop.plans import bundle
from tandem_desktop.staging.plan_json import parse_plan
from tests.support.bundle_mutations import CARELESS, HOSTILE, RESEALED
from tests.support.editors import SESSION, Frames, a_plan, served
from tests.support.played_agents import a_played_manager
from tests.support.sidecars import QUICK, NotingClient
from tests.support.transcripts import FROM_AGENT, messages
from tests.support.travelling import a_travelling_plan

LONGEST_S = 20
FRAMES_A_TURN = 250
TURNS_A_LIFE = 4
RECORDED = ("oc_seq_allow", "goose_seq_allow", "claude_seq_allow", "builtin_parallel", "claude_planmode")
_ASKED = re.compile(rb'"id": "(f\d+)"')
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1.5, 2**63, 10**40, "", "x" * 300, [], {}, [[]], {"a": {}}, "\0", "\u202e", "\ud800"),
    *("../outside", "/etc/passwd", "a/../b", "C:\\x", "session", "allow_once", "end_turn", "2.0"),
)
PLAN = {
    "title": "Rename",
    "summary": "Do it.\n",
    "tasks": [{"id": "t1", "subject": "One"}, {"id": "t2", "subject": "Two", "blocked_by": ["t1"]}],
    "steps": [
        {"tool": "write", "args": {"path": "src/a.py", "content": "x = 1\n"}, "description": "New.", "task": "t1"},
        {"tool": "edit", "args": {"path": "b.txt", "old_string": "one", "new_string": "two"}, "description": "Change."},
        {"tool": "bash", "args": {"command": "make test"}, "description": "Check.", "task": "t2"},
        {"tool": "delete", "args": {"path": "c.txt"}, "description": "Away."},
    ],
}
_ASKED = re.compile(rb'"(f[0-9]+)"')
BEFORE = b"".join(b"line %d\n" % number for number in range(40))
PATCH = b"""\
diff --git a/f.txt b/f.txt
index 1111111..2222222 100644
--- a/f.txt
+++ b/f.txt
@@ -3,3 +3,4 @@ line 1
 line 2
-line 3
+line three
+more
 line 4
@@ -20,2 +21,1 @@
 line 19
-line 20
diff --git a/old b/new
similarity index 100%
rename from old
rename to new
diff --git a/x b/x
new file mode 100755
--- /dev/null
+++ b/x
@@ -0,0 +1 @@
+hello
\\ No newline at end of file
"""


class HungError(Exception):
    """One input took too long."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Spoiled input for every reader.")
    parser.add_argument("--count", type=int, default=20_000, help="how many inputs each reader gets (20,000)")
    parser.add_argument("--seed", type=int, default=1, help="where the random numbers begin (1)")
    parser.add_argument("readers", nargs="*", metavar="READER", help=f"one of: {', '.join(READERS)}")
    options = parser.parse_args()
    if unknown := sorted(set(options.readers) - set(READERS)):
        parser.error(f"unknown: {', '.join(unknown)}")
    logging.getLogger("tandem_desktop").setLevel(logging.ERROR)  # a refused message is a line of the log
    workers = os.cpu_count() or 1
    is_clean = True
    with multiprocessing.get_context("fork").Pool(workers) as pool:
        for reader in options.readers or READERS:
            started = time.monotonic()
            share = -(-options.count // workers)
            parts = pool.map(partial(_run, reader, share), [options.seed * 1_000 + worker for worker in range(workers)])
            counts: Counter[str] = sum((part[0] for part in parts), Counter())
            wrong = [line for part in parts for line in part[1]]
            listed = ", ".join(f"{number:,} {what}" for what, number in sorted(counts.items()))
            print(f"{reader}: {listed}; {len(wrong)} wrong; {time.monotonic() - started:.0f} s", flush=True)
            for line in wrong[:20]:
                print(f"  {line}")
            is_clean &= not wrong
    return 0 if is_clean else 1


def _run(reader: str, count: int, seed: int) -> tuple[Counter[str], list[str]]:
    return READERS[reader](count, seed)


# Frames


class SpoilingAgent:
    """Opens a session properly, then says spoiled messages and ends the turn."""

    def __init__(self, chance: random.Random, put: Callable[[bytes], object], die: Callable[[int], object]) -> None:
        self._chance = chance
        self._put = put
        self._next_id = 0
        self.said = 0

    def hear(self, line: bytes) -> None:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            self._answer(number, {"protocolVersion": 1})
        elif method == "session/new":
            self._answer(number, {"sessionId": "s"})
        elif method == "session/prompt":
            for _ in range(FRAMES_A_TURN):
                self._put(self._spoiled())
                self.said += 1
            self._answer(number, {"stopReason": "end_turn"})
        elif method is not None and number is not None:
            self._answer(number, {})

    def _spoiled(self) -> bytes:
        message = json.loads(self._chance.choice(_recorded()))
        if "id" in message:
            self._next_id += 1
            message["id"] = f"f{self._next_id}"
        if isinstance(message.get("params"), dict) and "sessionId" in message["params"]:
            message["params"]["sessionId"] = "s"
        for _ in range(self._chance.choice((0, 1, 1, 2, 4))):
            _spoil_value(self._chance, message)
        data = json.dumps(message).encode()
        if self._chance.random() < 0.15:
            data = _spoil_bytes(self._chance, data)
        return data.replace(b"\n", b" ") + b"\n"

    def _answer(self, number: Any, result: dict[str, Any]) -> None:
        self._put(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}).encode() + b"\n")


class Answers:
    """Counts what was asked and what was answered.

    A request whose id cannot be used (still open, given twice, no id at all) is refused without an id, as is a notice
    that could be read in two ways: each counts as one answer.
    """

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()
        self._answered: Counter[str] = Counter()

    def __call__(self, direction: Direction, data: bytes) -> None:
        message = json.loads(data)
        number = json.dumps(message.get("id"))
        if direction is Direction.SENT and "method" not in message:
            self._answered[number] += 1
        elif direction is Direction.RECEIVED and "method" in message and ("id" in message or ambiguity(data)):
            self._asked[number] += 1

    def problems(self) -> list[str]:
        asked, answered = self._asked.total(), self._answered.total()
        found = [] if asked == answered else [f"{asked} requests, {answered} answers"]
        for number, times in self._answered.items():
            if number != "null" and times > self._asked[number]:
                found.append(f"{number} asked {self._asked[number]} times, answered {times}")
        return found


def fuzz_frames(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    life = 0
    while counts["frames"] < count:
        life_seed = seed * 1_000_000 + life
        life += 1
        agents: list[SpoilingAgent] = []
        outcome = asyncio.run(_life(life_seed, agents))
        counts["frames"] += sum(agent.said for agent in agents)
        counts["conversations"] += 1
        wrong += [f"life {life_seed}: {problem}" for problem in outcome]
    return counts, wrong


async def _life(seed: int, agents: list[SpoilingAgent]) -> list[str]:
    def made(put: Callable[[bytes], object], die: Callable[[int], object]) -> SpoilingAgent:
        agents.append(SpoilingAgent(random.Random(seed), put, die))
        return agents[-1]

    answers = Answers()
    manager = a_played_manager(made, NotingClient(), on_frame=answers, limits=QUICK)
    problems: list[str] = []
    try:
        async with asyncio.timeout(LONGEST_S * TURNS_A_LIFE):
            await manager.start()
            session = await manager.new_session()
            for _ in range(TURNS_A_LIFE):
                await manager.prompt(session.id, "go")
            await asyncio.sleep(0)
            problems += answers.problems()
    except SidecarError:
        pass  # ended in words
    except TimeoutError:
        problems.append("hung")
    except Exception as error:
        problems.append(f"crashed: {error!r}")
    finally:
        await manager.stop()
    return problems


# Editors


def fuzz_editors(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Spoiled frames of an editor, with a plan that waits: nothing of them may apply it, each request is answered."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    life = 0
    while counts["frames"] < count:
        life_seed = seed * 1_000_000 + life
        life += 1
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TANDEM_STATE_DIR"] = str(Path(folder) / "state")
            root = Path(folder) / "ws"
            root.mkdir()
            (root / "a.txt").write_text("one\n")
            plan = a_plan(root)
            try:
                problems = asyncio.run(_editor_life(random.Random(life_seed), root, plan))
            except Exception as error:
                problems = [f"crashed: {error!r}"]
            if (root / "a.txt").read_text() != "one\n":
                problems.append("the plan was applied")
        counts["frames"] += FRAMES_A_TURN
        counts["conversations"] += 1
        wrong += [f"life {life_seed}: {problem}" for problem in problems]
    return counts, wrong


async def _editor_life(chance: random.Random, root: Path, plan: str) -> list[str]:
    """One editor; the last thing it asks is in order, and must be answered."""
    prompt = {"sessionId": SESSION, "prompt": [{"type": "text", "text": f"/plans {plan}"}]}
    opened = {"cwd": str(root), "sessionId": SESSION, "mcpServers": []}
    known: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}}},
        {"id": 1, "method": "session/load", "params": opened},
        {"id": 1, "method": "session/resume", "params": opened},
        {"id": 1, "method": "session/list", "params": {"cwd": str(root)}},
        {"id": 1, "method": "session/prompt", "params": prompt},
        {
            "id": 1,
            "method": "session/set_config_option",
            "params": {"sessionId": SESSION, "configId": "m", "value": "x"},
        },
        {"id": 1, "method": "session/close", "params": {"sessionId": SESSION}},
        {"method": "session/cancel", "params": {"sessionId": SESSION}},
        {"id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "review"}}},
        {"id": 0, "error": {"code": -32601, "message": "no"}},
    ]
    problems: list[str] = []
    asked: Counter[str] = Counter()
    async with asyncio.timeout(LONGEST_S * TURNS_A_LIFE), served() as frames:
        hearing = asyncio.create_task(_hear_all(frames))
        for number in range(FRAMES_A_TURN):
            message = {"jsonrpc": "2.0", **copy.deepcopy(chance.choice(known))}
            message["id"] = chance.randrange(20) if "method" not in message else f"f{number}"
            if message.get("method") == "session/cancel":
                del message["id"]
            for _ in range(chance.choice((0, 0, 1, 2))):
                _spoil_value(chance, message)
            data = json.dumps(message).encode()
            data = (_spoil_bytes(chance, data) if chance.random() < 0.1 else data).replace(b"\n", b" ")
            asked.update(found.decode() for found in _ASKED.findall(data))
            frames.put(data + b"\n")
            if number % 25 == 0:
                await asyncio.sleep(0.01)
        for number in range(3):  # whatever still waits is withdrawn, so that the last request is served
            frames.send({"method": "session/cancel", "params": {"sessionId": SESSION}})
            await asyncio.sleep(0.02 * number)
        frames.send({"id": "last", "method": "session/list", "params": {"cwd": str(root)}})
        while not any(each.get("id") == "last" for each in frames.heard):
            if hearing.done():
                return ["it ended before the last request"]
            await asyncio.sleep(0.01)
        given = [str(each.get("id")) for each in frames.heard if "method" not in each]
        answers = Counter(number for number in given if number.startswith("f"))  # another id may have come twice
        problems += [
            f"{number} asked {asked[number]} times, answered {times}"
            for number, times in answers.items()
            if times > max(asked[number], 1)  # spoiling may make one id of another
        ]
        hearing.cancel()
        await asyncio.gather(hearing, return_exceptions=True)
    return problems


async def _hear_all(frames: Frames) -> None:
    while await frames.hear() is not None:
        pass


@cache
def _recorded() -> list[str]:
    return [json.dumps(message) for name in RECORDED for way, message in messages(name) if way == FROM_AGENT]


# Cuts


class CutAgent:
    """Opens a session, says recorded messages and ends the turn, and dies after so many bytes of all that."""

    def __init__(self, left: int, put: Callable[[bytes], object], die: Callable[[int], object]) -> None:
        self._left = left
        self._put_all = put
        self._die = die
        self.said = 0

    def hear(self, line: bytes) -> None:
        message = json.loads(line)
        method, number = message.get("method"), message.get("id")
        if method == "initialize":
            self._put({"id": number, "result": {"protocolVersion": 1}})
        elif method == "session/new":
            self._put({"id": number, "result": {"sessionId": "s"}})
        elif method == "session/prompt":
            for each, said in enumerate(_each_kind()):
                self._put({**said, "id": f"f{each}"} if "id" in said else said)
            self._put({"id": number, "result": {"stopReason": "end_turn"}})
        elif method is not None and number is not None:
            self._put({"id": number, "result": {}})

    def _put(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"
        self.said += len(data)
        kept = data[: self._left]
        self._left -= len(kept)
        self._put_all(kept)
        if len(kept) < len(data):
            self._die(0)


@cache
def _each_kind() -> list[dict[str, Any]]:
    """One recorded message of each kind, in the session of the test."""
    found: dict[str, dict[str, Any]] = {}
    for text in _recorded():
        message = json.loads(text)
        params = message.get("params")
        if isinstance(params, dict) and "sessionId" in params and "method" in message:
            params["sessionId"] = "s"
            kind = str(params["update"].get("sessionUpdate")) if "update" in params else ""
            found.setdefault(f"{message['method']} {kind}", message)
    return list(found.values())


def fuzz_cuts(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Both ends of the wire, cut at every byte; the number of places is what it is, and `count` is not looked at."""
    workers, worker = os.cpu_count() or 1, seed % 1_000
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    whole, _ = asyncio.run(_cut_agent(1 << 40))
    for place in range(worker, whole, workers):
        problem = asyncio.run(_cut_agent(place))[1]
        wrong += [f"agent, byte {place}: {problem}"] if problem else []
        counts["cuts of an agent"] += 1
    for place in range(worker, len(b"".join(_editor_says("PLAN-00000000", ""))) + 1, workers):
        problem = _cut_editor(place)
        wrong += [f"editor, byte {place}: {problem}"] if problem else []
        counts["cuts of an editor"] += 1
    return counts, wrong


async def _cut_agent(place: int) -> tuple[int, str]:
    """How much the agent said, and what was wrong."""
    agents: list[CutAgent] = []

    def made(put: Callable[[bytes], object], die: Callable[[int], object]) -> CutAgent:
        agents.append(CutAgent(place, put, die))
        return agents[-1]

    manager = a_played_manager(made, NotingClient(), limits=QUICK)
    is_whole, problem = False, ""
    try:
        async with asyncio.timeout(LONGEST_S):
            await manager.start()
            session = await manager.new_session()
            await manager.prompt(session.id, "go")
            is_whole = True
    except SidecarError:
        pass  # ended in words
    except TimeoutError:
        problem = "hung"
    except Exception as error:
        problem = f"crashed: {error!r}"
    finally:
        await manager.stop()
    said = agents[0].said
    # The line end of the last answer is not needed to read it.
    return said, problem or ("the turn ended although it was cut" if is_whole and place < said - 1 else "")


def _editor_says(plan: str, root: str) -> list[bytes]:
    """What an editor sends until a plan is applied; it waits for an answer, or for the request, before each."""
    prompt = {"sessionId": SESSION, "prompt": [{"type": "text", "text": f"/plans {plan}"}]}
    said: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"protocolVersion": 1, "clientCapabilities": {}}},
        {"id": 2, "method": "session/load", "params": {"cwd": root, "sessionId": SESSION, "mcpServers": []}},
        {"id": 3, "method": "session/prompt", "params": prompt},
        {"id": 0, "result": {"outcome": {"outcome": "selected", "optionId": "apply"}}},
    ]
    return [json.dumps({"jsonrpc": "2.0", **each}).encode() + b"\n" for each in said]


def _cut_editor(place: int) -> str:
    """What was wrong with an editor that ends after so many bytes, the path of its folder counted as empty."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TANDEM_STATE_DIR"] = str(Path(folder) / "state")
        root = Path(folder) / "ws"
        root.mkdir()
        (root / "a.txt").write_text("one\n")
        said = _editor_says(a_plan(root), str(root))
        whole = len(b"".join(_editor_says("PLAN-00000000", "")))
        # What the path adds stands in the second message, and is sent whole.
        more = len(b"".join(said)) - whole
        cut = place + (more if place > len(said[0]) + len(said[1]) - more - 2 else 0)
        try:
            asyncio.run(_cut_editor_life(said, cut))
        except Exception as error:
            return f"crashed: {error!r}"
        text = (root / "a.txt").read_text()
        if text != "one\n" and cut < whole + more - 1:
            return "the plan was applied"
        return "the plan was not applied" if text != "two\n" and cut >= whole + more else ""


async def _cut_editor_life(said: list[bytes], left: int) -> None:
    async with asyncio.timeout(LONGEST_S), served() as frames:
        for number, data in enumerate(said, 1):
            frames.put(data[:left])
            if left < len(data):
                return
            left -= len(data)
            if number < len(said) - 1:
                await frames.hear_until(lambda each, number=number: each.get("id") == number)  # type: ignore[misc]
            elif number < len(said):
                asked = await frames.hear_until(lambda each: each.get("method") == "session/request_permission")
                assert asked["id"] == 0
            else:
                await frames.hear_until(lambda each: each.get("id") == 3)


# Plans, bundles, patches


def fuzz_plans(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    def spoiled(chance: random.Random) -> bytes:
        document = json.loads(json.dumps(PLAN))
        for _ in range(chance.choice((1, 1, 2, 4))):
            _spoil_value(chance, document)
        data = json.dumps(document).encode()
        return _spoil_bytes(chance, data) if chance.random() < 0.4 else data

    return _fuzzed(count, seed, spoiled, parse_plan)


def fuzz_bundles(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    with tempfile.TemporaryDirectory() as folder:
        whole = a_travelling_plan(Path(folder))

    def spoiled(chance: random.Random) -> bytes:
        return chance.choice((*RESEALED, *HOSTILE, *CARELESS[:-1]))(chance, whole)

    def read(data: bytes) -> None:
        bundle.check(bundle.decode(data))

    return _fuzzed(count, seed, spoiled, read)


def fuzz_patches(count: int, seed: int) -> tuple[Counter[str], list[str]]:
    def read(data: bytes) -> None:
        for patch in parse_patch(data):
            apply_patch(BEFORE if patch.path == "f.txt" else b"", patch)

    return _fuzzed(count, seed, lambda chance: _spoil_bytes(chance, PATCH), read)


def _fuzzed(
    count: int, seed: int, spoiled: Callable[[random.Random], bytes], read: Callable[[bytes], object]
) -> tuple[Counter[str], list[str]]:
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for number in range(count):
        data = spoiled(random.Random(seed * 10_000_000 + number))
        try:
            with _patience():
                read(data)
            counts["accepted"] += 1
        except TandemError as error:
            counts["refused"] += 1
            if not str(error).strip():
                wrong.append(f"seed {seed} input {number}: refused without a word")
        except HungError:
            wrong.append(f"seed {seed} input {number}: hung")
        except Exception as error:
            wrong.append(f"seed {seed} input {number}: crashed: {error!r}")
    return counts, wrong


@contextmanager
def _patience() -> Iterator[None]:
    def ring(number: int, frame: object) -> None:
        raise HungError

    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


# Spoiling


def _spoil_value(chance: random.Random, document: Any) -> None:
    """Change one value, key or length somewhere."""
    places = list(_containers(document))
    place = chance.choice(places)
    if not place:
        return
    key = chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
    draw = chance.random()
    if draw < 0.5:
        place[key] = _odd(chance)
    elif draw < 0.65:
        del place[key]
    elif draw < 0.8:
        other = chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
        place[key] = copy.deepcopy(place[other])
    elif draw < 0.9 and isinstance(place, dict):
        place[str(_odd(chance))] = _odd(chance)
    else:
        place[key] = [copy.deepcopy(place[key]) for _ in range(chance.choice((1, 3, 50)))]


def _odd(chance: random.Random) -> Any:
    return copy.deepcopy(chance.choice(ODD))


def _containers(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        yield value
        for each in value.values() if isinstance(value, dict) else value:
            yield from _containers(each)


def _spoil_bytes(chance: random.Random, data: bytes) -> bytes:
    for _ in range(chance.choice((1, 1, 2, 5))):
        if not data:
            return data
        at, draw = chance.randrange(len(data)), chance.random()
        if draw < 0.3:
            data = data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]
        elif draw < 0.5:
            data = data[:at] + data[at + chance.randrange(1, 30) :]
        elif draw < 0.7:
            data = data[:at] + chance.randbytes(chance.randrange(1, 12)) + data[at:]
        elif draw < 0.85:
            start = chance.randrange(len(data))
            data = data[:at] + data[start : start + chance.randrange(1, 80)] + data[at:]
        else:
            lines = data.splitlines(keepends=True)
            chance.shuffle(lines)
            data = b"".join(lines[: chance.randrange(1, len(lines) + 1)])
    return data


READERS: dict[str, Callable[[int, int], tuple[Counter[str], list[str]]]] = {
    "frames": fuzz_frames,
    "editors": fuzz_editors,
    "cuts": fuzz_cuts,
    "plans": fuzz_plans,
    "bundles": fuzz_bundles,
    "patches": fuzz_patches,
}


if __name__ == "__main__":
    sys.exit(main())
