"""Attacks on the gate that every source of plans goes through: plan files, agents, bundles, records of a clone."""
# ruff: noqa: E501 - messages stand as they go over the wire

import asyncio
import contextlib
import functools
import json
import multiprocessing
import os
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path, PurePosixPath
from typing import Any

from tandem_desktop.acp_client.connection import LineTransport, SidecarLimits
from tandem_desktop.api.app import read_request
from tandem_desktop.api.schema import (
    ApprovalRequest,
    PlanRequest,
)
from tandem_desktop.domain.approval import ApprovalHash, canonical
from tandem_desktop.domain.errors import BadInputError, NotApprovableError, PlanDamagedError, TandemError
from tandem_desktop.domain.ids import PlanId, SessionId
from tandem_desktop.domain.operations import PathChange, StagedOperation
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.questions import AgentQuestion, QuestionAction
from tandem_desktop.domain.review import LockFileReview
from tandem_desktop.domain.runs import RunStatus
from tandem_desktop.sessions.questions import AgentQuestions
from tandem_desktop.staging.segments import Segment, staged_operations
from tests.attacks.attack import Attack, Outcome, an_engine
from tests.attacks.hidden_text import LOCKS
from tests.support.builders import A_MOMENT, a_version
from tests.support.bundle_mutations import sealed
from tests.support.planning import RecordingToolHandler, tools_on
from tests.support.shadows import ShadowPlace

Json = dict[str, Any]
Spoil = Callable[[list[Json]], None]

FILES = {"notes.txt": b"one\n", "run.sh": b"#!/bin/sh\n", "gone.txt": b"gone\n"}
STEPS = (
    ("write", {"path": "new.txt", "content": "new\n"}),
    ("mkdir", {"path": "folder"}),
    ("symlink", {"path": "link", "target": "notes.txt"}),
    ("chmod", {"path": "run.sh", "mode": "0755"}),
    ("edit", {"path": "notes.txt", "old_string": "one", "new_string": "two"}),
    ("delete", {"path": "gone.txt"}),
    ("bash", {"command": "true"}),
)
WRITE, MKDIR, LINK, CHMOD, EDIT, DELETE, BASH = range(len(STEPS))

FILE_MODES = (0o4755, 0o2755, 0o1755, 0o6777, 0o7777, 0o777, 0o666, 0o646, 0o002, 0o000, 0o200, 0o377)
FOLDER_MODES = (0o4755, 0o2775, 0o1777, 0o7777, 0o777, 0o757, 0o000, 0o300, 0o400)
TARGETS = {
    "newline": "a\nb",
    "escape": "a\x1b[2Kb",
    "c1 control": "a\x9bb",
    "line separator": "a\u2028b",
    "right to left override": "a\u202egpj.exe",
    "isolate": "a\u2067b",
    "zero width space": "a\u200bb",
    "zero width joiner": "a\u200db",
    "byte order mark": "\ufeffa",
    "tag letters": "a\U000e0041b",
    "hangul filler": "a\u3164b",
    "variation selector": "a\ufe0fb",
    "nothing": "",
    "too long": "a" * 5000,
}
PATHS = (
    "../out",
    "/etc/cron.d/x",
    ".git/hooks/pre-commit",
    ".tandem/plans/x",
    "a/../../b",
    "a\u202eb",
    "a\nb",
    "~/x",
    "",
)


def _plan_json() -> bytes:
    steps = [{"description": tool, "tool": tool, "args": args} for tool, args in STEPS]
    return json.dumps({"title": "Honest", "steps": steps}).encode()


@functools.cache
def _honest() -> Path:
    """A workspace with an honest plan in it, and its state, made once and copied for each attack."""
    folder = Path(tempfile.mkdtemp(prefix="tandem-gates-"))
    (folder / "project").mkdir()
    for name, data in FILES.items():
        (folder / "project" / name).write_bytes(data)
        (folder / "project" / name).chmod(0o644)
    with an_engine(folder) as engine:
        engine.proposals.propose(_plan_json())
    return folder


def _tree(folder: Path) -> dict[str, tuple[int, bytes]]:
    found = {}
    for path in sorted((folder / "project").rglob("*")):
        inside = path.relative_to(folder / "project")
        if inside.parts[0] != ".tandem":
            info = path.lstat()
            data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else b""
            found[str(inside)] = (info.st_mode, data)
    return found


def _decided(folder: Path, plan_id: PlanId | None, digest: str) -> Outcome:
    """Look at the plan, approve it and apply it, as a person would; held if one of these says no in a sentence."""
    before = _tree(folder)
    try:
        with an_engine(folder) as engine:
            assert plan_id is not None
            engine.view(engine.plans.revision(plan_id))
            engine.decisions.approve(plan_id, digest)
            ended = engine.runs.apply(plan_id)
            if ended.record.status is RunStatus.COMPLETED:
                return Outcome.BROKEN
    except TandemError as refusal:
        is_told = bool(refusal.message and refusal.next)
        with an_engine(folder) as engine:
            is_free = not engine.runs.interrupted()
        return Outcome.HELD if is_told and is_free and _tree(folder) == before else Outcome.BROKEN
    return Outcome.BROKEN


def _clone(spoil: Spoil) -> Callable[[Path], Outcome]:
    """A record that came with the workspace, with digests that fit."""

    def run(folder: Path) -> Outcome:
        shutil.copytree(_honest() / "project", folder / "project", symlinks=True)
        shutil.copytree(_honest() / "state", folder / "state", symlinks=True)
        plan = next((folder / "project" / ".tandem" / "plans").glob("PLAN-*"))
        record = json.loads((plan / "r001.json").read_bytes())
        spoil(record["operations"])
        digest = _digest(record)
        (plan / "r001.json").write_text(json.dumps({**record, "approval_hash": digest}))
        meta = json.loads((plan / "meta.json").read_bytes())
        (plan / "meta.json").write_text(json.dumps({**meta, "digest": digest}))
        return _decided(folder, PlanId(plan.name), digest)

    return run


KEPT = ("index.json", "sessions/*", "PLAN-*/meta.json", "PLAN-*/r001.json", "PLAN-*/r001.md", "PLAN-*/.lock")
KEPT_OF_RUNS = ("RUN-*/meta.json", "RUN-*/results.json", "RUN-*/operations.json", "RUN-*/steps.jsonl")
INSTEAD: dict[str, Callable[[Path], object]] = {
    "a link to a device without end": lambda place: place.symlink_to("/dev/zero"),
    "a pipe": os.mkfifo,
    "three gigabytes": lambda place: _sparse(place),
    "a folder": lambda place: place.mkdir(),
}
_PATIENCE_S = 30


def _sparse(place: Path) -> None:
    with place.open("wb") as file:
        file.truncate(3 << 30)


def _something_else() -> Iterator[Attack]:
    """Each file of a clone's `.tandem` as something else: nothing waits for it, or reads without end."""
    places = [f"plans/{each}" for each in KEPT] + [f"runs/{each}" for each in KEPT_OF_RUNS]
    for place in places:
        for what, put in INSTEAD.items():
            run = functools.partial(_in_time, functools.partial(_looked_through, place, put))
            yield Attack(f"kept-{place}-{what}", f"in a clone {place} is {what}", run)


def _in_time(look: Callable[[Path], object], folder: Path) -> Outcome:
    """In a process of its own, with little memory and time."""
    process = multiprocessing.get_context("fork").Process(target=_with_little_memory, args=(look, folder))
    process.start()
    process.join(_PATIENCE_S)
    is_over = process.exitcode == 0
    process.kill()
    process.join()
    return Outcome.HELD if is_over else Outcome.BROKEN


def _with_little_memory(look: Callable[[Path], object], folder: Path) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    look(folder)
    os._exit(0)  # the locks and threads of the test belong to its own process


def _looked_through(place: str, put: Callable[[Path], object], folder: Path) -> None:
    shutil.copytree(_honest() / "project", folder / "project", symlinks=True)
    shutil.copytree(_honest() / "state", folder / "state", symlinks=True)
    plan = PlanId(next((folder / "project" / ".tandem" / "plans").glob("PLAN-*")).name)
    with an_engine(folder) as engine:
        session = engine.plans.revision(plan).session_id
        other = engine.proposals.propose(_plan_json())
        engine.decisions.approve(other.plan_id, other.approval_hash)
        engine.runs.apply(other.plan_id)
    for each in [*(folder / "project" / ".tandem").glob(place)]:
        each.unlink()
        put(each)
    if place == "plans/index.json" and not (named := folder / "project" / ".tandem" / place).exists():
        put(named)
    with an_engine(folder) as engine:
        looks: tuple[Callable[[], object], ...] = (
            engine.listing,
            lambda: engine.plans.revision(plan),
            lambda: engine.plans.edited_page(plan, 1),
            lambda: engine.plans.plan_of(session),
            engine.runs.runs,
            engine.audit_check.verify,
            lambda: engine.proposals.propose(_plan_json()),
        )
        for look in looks:
            with contextlib.suppress(TandemError):
                look()


OTHER_PLACES = ("../out", "../../../../out", "/tmp/out", "a/b", ".", "..", "", "a\0b", "~", "x" * 300)


def _clone_with(name: str, **fields: Any) -> Callable[[Path], Outcome]:
    """A record of a clone whose own fields lead elsewhere, or cannot be: it is damage, and the others are listed."""

    def run(folder: Path) -> Outcome:
        shutil.copytree(_honest() / "project", folder / "project", symlinks=True)
        shutil.copytree(_honest() / "state", folder / "state", symlinks=True)
        plan = next((folder / "project" / ".tandem" / "plans").glob("PLAN-*"))
        record = json.loads((plan / name).read_bytes())
        (plan / name).write_text(json.dumps({**record, **fields}))
        before = {path for path in folder.rglob("*") if path.name != "index.json"}
        with an_engine(folder) as engine:
            if name == "meta.json" and [each.plan_id for each in engine.listing().damaged] != [plan.name]:
                return Outcome.BROKEN
            try:
                engine.plans.revision(PlanId(plan.name)) if name == "r001.json" else engine.plans.meta(
                    PlanId(plan.name)
                )
            except PlanDamagedError as refusal:
                made = {path for path in folder.rglob("*") if path.name != "index.json"} - before
                return Outcome.HELD if refusal.next and not any(path.is_file() for path in made) else Outcome.BROKEN
        return Outcome.BROKEN

    return run


def _clone_attacks() -> Iterator[Attack]:
    for number, session in enumerate(OTHER_PLACES):
        for name in ("meta.json", "r001.json"):
            run = _clone_with(name, session_id=session)
            yield Attack(
                f"session-{number}-{name}", f"record of a clone: {name} with the session {session[:20]!r}", run
            )
    for field, value in (("revision", -1), ("revision", 0), ("version", -1), ("revision", "1"), ("version", 1.0)):
        run = _clone_with("meta.json", **{field: value})
        yield Attack(f"meta-{field}-{value!r}", f"record of a clone: {field} is {value!r}", run)


def _digest(record: Json) -> str:
    try:
        return ApprovalHash.of(PlanVersion.model_validate(record)).combined_hash
    except ValueError:
        return "0" * 64


@functools.cache
def _bundle() -> bytes:
    with an_engine(_honest()) as engine:
        return engine.bundles.export(engine.listing().plans[0].plan_id)


def _imported(spoil: Spoil) -> Callable[[Path], Outcome]:
    """A bundle with digests, counts and a seal that fit."""

    def run(folder: Path) -> Outcome:
        lines = _bundle().splitlines()[:-1]
        revision = json.loads(lines[2])["revision"]
        spoil(revision["operations"])
        digest = _digest(revision)
        lines[2] = canonical({"revision": {**revision, "approval_hash": digest}})
        manifest = json.loads(lines[0])["bundle"]
        lines[0] = canonical({"bundle": {**manifest, "digest": digest}})
        (folder / "project").mkdir()
        for name, data in FILES.items():
            (folder / "project" / name).write_bytes(data)
        with an_engine(folder) as engine:
            try:
                taken = engine.bundles.take_in(sealed(b"".join(line + b"\n" for line in lines)))
            except TandemError as refusal:
                is_empty = not engine.listing().plans
                return Outcome.HELD if refusal.next and is_empty else Outcome.BROKEN
        return _decided(folder, taken.version.plan_id, digest)

    return run


def _set(index: int, **after: Any) -> Spoil:
    def spoil(operations: list[Json]) -> None:
        operations[index]["after"].update(after)

    return spoil


def _field(index: int, **fields: Any) -> Spoil:
    def spoil(operations: list[Json]) -> None:
        operations[index].update(fields)

    return spoil


def _resized(by: int) -> Spoil:
    def spoil(operations: list[Json]) -> None:
        operations[WRITE]["after"]["size"] = max(0, operations[WRITE]["after"]["size"] + by)

    return spoil


def _retyped(index: int, field: str, other: Callable[[Any], Any]) -> Spoil:
    def spoil(operations: list[Json]) -> None:
        operations[index]["after"][field] = other(operations[index]["after"][field])

    return spoil


def _base_resized(operations: list[Json]) -> None:
    operations[EDIT]["base"]["size"] += 1


def _moved_with_other_size(operations: list[Json]) -> None:
    twin = json.loads(json.dumps(operations[EDIT]))
    twin.update(id="s90", path="twin.txt", kind="create", base={"type": "absent"})
    twin["after"]["size"] += 7
    operations.append(twin)


def _called(**call: Any) -> Spoil:
    def spoil(operations: list[Json]) -> None:
        operations[BASH]["call"].update(call)

    return spoil


def _spoiled() -> Iterator[tuple[str, str, Spoil]]:
    for mode in FILE_MODES:
        yield f"file-mode-{mode:04o}", f"a new file of mode {mode:04o}", _set(WRITE, mode=mode)
    for mode in (0o4755, 0o2755, 0o777, 0o7777):
        yield f"chmod-{mode:04o}", f"a change of mode to {mode:04o}", _set(CHMOD, mode=mode)
        yield f"edit-{mode:04o}", f"an edit that also sets the mode {mode:04o}", _set(EDIT, mode=mode)
    for mode in FOLDER_MODES:
        yield f"folder-mode-{mode:04o}", f"a new folder of mode {mode:04o}", _set(MKDIR, mode=mode)
    for name, target in TARGETS.items():
        yield f"target-{name.replace(' ', '-')}", f"a link to a target with {name}", _set(LINK, target=target)
    for by in (1, -1, 1_000_000, -4):
        yield f"size{by:+}", f"a size that is {by:+} bytes off the stored bytes", _resized(by)
    yield "base-size", "a base of a wrong size", _base_resized
    yield "two-sizes", "the same bytes with two sizes", _moved_with_other_size
    for kind, other in (("text", str), ("fraction", float), ("padded-text", " {} ".format), ("truth", bool)):
        yield f"size-{kind}", f"a size that is no whole number but a {kind}", _retyped(WRITE, "size", other)
        yield f"mode-{kind}", f"a mode that is no whole number but a {kind}", _retyped(CHMOD, "mode", other)
    yield "timeout-text", "a time limit that is a text", _called(timeout_s="600")
    yield "timeout-fraction", "a time limit that is a fraction", _called(timeout_s=600.0)
    yield "blocked-by-text", "a list of waits that is an object", _field(BASH, blocked_by={"s1": 1})
    yield "env-object", "variables that are an object", _called(env={"A": "b"})
    yield "staged-at-number", "a moment that is a number", _field(WRITE, staged_at=0)
    yield "same-id", "two operations with the same id", _field(MKDIR, id="s1")
    for number, path in enumerate(PATHS):
        yield f"path-{number}", f"the path {path!r}", _field(WRITE, path=path)
    yield "hidden-id", "an id with a hidden character", _field(WRITE, id="s\u200b1")
    yield "long-id", "an id of 10,000 letters", _field(WRITE, id="s" * 10_000)
    yield "other-kind", "a deletion that writes", _field(WRITE, kind="delete")
    yield "folder-as-file", "a folder called a new file", _field(MKDIR, kind="create")
    yield "waits-for-nothing", "an operation that waits for one that is not there", _field(WRITE, blocked_by=["s99"])
    yield "command-outside", "a command in a folder outside", _called(cwd="../..")
    yield (
        "command-variable",
        "a command with a variable of no proper name",
        _called(env=[["BASH_FUNC_x%%", "() { :; }"]]),
    )
    yield "command-nul", "a command with NUL in it", _called(command="true\0; rm -rf ~")
    yield "command-path", "a command that also names a path", _field(BASH, path="notes.txt")
    yield "no-after", "a change of mode to nothing", _field(CHMOD, after={"type": "absent"})


def _proposed(tool: str, **args: Any) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        (folder / "project").mkdir()
        for name, data in FILES.items():
            (folder / "project" / name).write_bytes(data)
        before = _tree(folder)
        plan = {"title": "T", "steps": [{"description": "d", "tool": tool, "args": args}]}
        with an_engine(folder) as engine:
            try:
                engine.proposals.propose(json.dumps(plan).encode())
            except TandemError as refusal:
                is_empty = not engine.listing().plans and _tree(folder) == before
                return Outcome.HELD if refusal.next and is_empty else Outcome.BROKEN
        return Outcome.BROKEN

    return run


def _plan_file_attacks() -> Iterator[Attack]:
    for mode in (*FILE_MODES, 0o1777):
        text = f"{mode:04o}"
        yield Attack(
            f"plan-file-mode-{text}",
            f"plan file: write with mode {text}",
            _proposed("write", path="a", content="", mode=text),
        )
        yield Attack(f"plan-chmod-{text}", f"plan file: chmod to {text}", _proposed("chmod", path="run.sh", mode=text))
    for name, target in TARGETS.items():
        run = _proposed("symlink", path="link", target=target)
        yield Attack(f"plan-target-{name.replace(' ', '-')}", f"plan file: a link to a target with {name}", run)


def _agent(work: Callable[[Path], None], *, told: bytes, kept: bool = True) -> Callable[[Path], Outcome]:
    """An agent leaves something in its shadow. What was good beside it must still be staged, and a warning said."""

    def run(folder: Path) -> Outcome:
        place = ShadowPlace(folder, "copy")
        place.put("notes.txt", "one\n")
        os.symlink(b"caf\xe9", os.fsencode(place.root / "old link"))  # noqa: PTH211 - bytes that are no text
        shadow = place.open()
        try:
            shadow.begin_turn()
            (shadow.place / "good.txt").write_text("good\n")
            work(shadow.place)
            changes = tuple(PathChange(path=c.path, before=c.before, after=c.after) for c in shadow.changes())
            staged = staged_operations([Segment(changes=changes)], A_MOMENT)
            said = [f"{path}: {reason}" for path, reason in shadow.refused] + list(staged.warnings)
        finally:
            place.close()
        is_good = any(operation.path == "good.txt" for operation in staged.operations)
        is_said = any(told.decode() in line for line in said) and all(line.encode() for line in said)
        is_fit = _is_fit(staged.operations)
        return (Outcome.FLAGGED if kept else Outcome.HELD) if is_good and is_said and is_fit else Outcome.BROKEN

    return run


def _is_fit(operations: tuple[StagedOperation, ...]) -> bool:
    """Whether a revision of these operations can be written down and read again."""
    version = a_version(*operations)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "project").mkdir()
        with an_engine(Path(folder)) as engine:
            engine.locations.prepare_workspace()
            saved = engine.plans.create_plan(version)
        with an_engine(Path(folder)) as engine:
            return engine.plans.revision(saved.plan_id) == saved


def _linked(target: bytes) -> Callable[[Path], None]:
    return lambda place: os.symlink(target, os.fsencode(place / "link"))  # noqa: PTH211 - bytes that are no text


def _with_mode(mode: int, *, folder: bool) -> Callable[[Path], None]:
    def work(place: Path) -> None:
        path = place / "bad"
        path.mkdir() if folder else path.write_text("bad\n")
        path.chmod(mode)

    return work


def _named(name: bytes) -> Callable[[Path], None]:
    def work(place: Path) -> None:
        with open(os.path.join(os.fsencode(place), name), "wb") as file:
            file.write(b"x")

    return work


def _removed(place: Path) -> None:
    (place / "old link").unlink()


def _agent_attacks() -> Iterator[Attack]:
    for number, target in enumerate((b"caf\xe9", b"\xff\xfe", b"a/\x80/b", b"\xed\xa0\x80", b"\xc3")):
        run = _agent(_linked(target), told=b"link", kept=False)
        yield Attack(f"agent-target-bytes-{number}", f"agent: a link to {target!r}, which is not UTF-8", run)
    yield Attack(
        "agent-removes-link",
        "agent: removes a link whose target is not UTF-8",
        _agent(_removed, told=b"old link", kept=False),
    )
    for name, target_text in TARGETS.items():
        if target_text and len(target_text) < 4096:
            run = _agent(_linked(target_text.encode()), told=b"link", kept=False)
            yield Attack(f"agent-target-{name.replace(' ', '-')}", f"agent: a link to a target with {name}", run)
    for name_bytes in (b"caf\xe9.txt", b"\xff", b"a\nb", "a\u202eb".encode(), b"a\x1bb", "\u200b.txt".encode()):
        run = _agent(_named(name_bytes), told=b"U+", kept=False)
        yield Attack(f"agent-name-{name_bytes.hex()}", f"agent: a file named {name_bytes!r}", run)
    for mode in (0o4755, 0o2755, 0o1755, 0o777, 0o666):
        run = _agent(_with_mode(mode, folder=False), told=f"{mode:04o}".encode())
        yield Attack(f"agent-file-mode-{mode:04o}", f"agent: a file of mode {mode:04o}", run)
    for mode in (0o1700, 0o2711, 0o703):
        run = _agent(_with_mode(mode, folder=True), told=f"{mode:04o}".encode())
        yield Attack(f"agent-folder-mode-{mode:04o}", f"agent: a folder of mode {mode:04o}", run)


# Keys that stand twice, at every door and depth.


def _http(
    shape: type[Any], honest: Json, key: str, *, escaped: bool = False, alias: str = ""
) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        text = json.dumps(honest)[:-1]
        name = alias or (f"\\u{ord(key[0]):04x}{key[1:]}" if escaped else key)
        body = f'{text}, "{name}": {json.dumps(honest[key])}}}'.encode()
        read_request(shape, json.dumps(honest).encode())
        try:
            read_request(shape, body)
        except BadInputError as refusal:
            return Outcome.HELD if (alias or key) in refusal.message else Outcome.BROKEN
        return Outcome.BROKEN

    return run


_REQUESTS: tuple[tuple[type[Any], Json], ...] = (
    (ApprovalRequest, {"sessionId": "SES-1", "planId": "PLAN-0badcafe", "approved": False, "reason": "no"}),
    (PlanRequest, {"task": "do it"}),
)


def _http_attacks() -> Iterator[Attack]:
    for shape, honest in _REQUESTS:
        for key in honest:
            what = f"HTTP API: {key} twice in {shape.__name__}"
            yield Attack(f"http-{shape.__name__}-{key}", what, _http(shape, honest, key))
            yield Attack(
                f"http-{shape.__name__}-{key}-escaped", f"{what}, once escaped", _http(shape, honest, key, escaped=True)
            )
    both = _http(*_REQUESTS[0], "planId", alias="plan_id")
    yield Attack("http-both-spellings", "HTTP API: planId and plan_id in one request", both)


def _acp(line: bytes, *, key: str, serves: bool = False) -> Callable[[Path], Outcome]:
    """The message is refused with a sentence that names the key, and the next one is served."""

    def run(folder: Path) -> Outcome:
        served, noticed, written = asyncio.run(_talk(line))
        is_told = any(key in answer.get("error", {}).get("message", "") for answer in written)
        goes_on = served == ["99"]
        return Outcome.HELD if is_told and goes_on and not noticed else Outcome.BROKEN

    return run


async def _talk(line: bytes) -> tuple[list[str], list[str], list[Json]]:
    served: list[str] = []
    noticed: list[str] = []

    async def answer(number: str, method: str, params: Any) -> Json:
        served.append(number)
        return {}

    reader = asyncio.StreamReader()
    reader.feed_data(line + b'\n{"jsonrpc":"2.0","id":99,"method":"fs/read_text_file","params":{}}\n')
    reader.feed_eof()
    near, far = os.pipe()
    loop = asyncio.get_running_loop()
    pipe, flow = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, os.fdopen(far, "wb"))
    writer = asyncio.StreamWriter(pipe, flow, None, loop)
    transport = LineTransport(
        reader, writer, SidecarLimits(), answer=answer, notice=lambda method, params: noticed.append(method)
    )
    answers: list[Json] = []
    while (message := await transport.receive()) is not None:
        answers.append(message)
    while transport.open_requests:
        await asyncio.sleep(0)
    await transport.close()
    writer.close()
    await asyncio.sleep(0)
    with os.fdopen(near, "rb") as pipe_end:
        written = [json.loads(each) for each in pipe_end.read().splitlines()]
    return served, noticed, [*answers, *written]


_ACP = {
    "id": (b'{"jsonrpc":"2.0","id":1,"id":2,"method":"fs/write_text_file","params":{}}', "id"),
    "method": (b'{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","method":"fs/write_text_file"}', "method"),
    "path": (b'{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"path":"a","path":"b"}}', "path"),
    "path-escaped": (
        b'{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"path":"a","p\\u0061th":"b"}}',
        "path",
    ),
    "spaced": (b'{ "jsonrpc": "2.0", "id": 1, "method": "x", "params": { "path": "a", "path": "b" } }', "path"),
    "in-a-list": (
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"options":[{"optionId":"a","optionId":"b"}]}}',
        "optionId",
    ),
    "tool-call": (
        b'{"jsonrpc":"2.0","id":1,"method":"session/request_permission","params":{"toolCall":{},"toolCall":{"title":"x"}}}',
        "toolCall",
    ),
    "notice": (b'{"jsonrpc":"2.0","method":"session/update","params":{"update":{"title":"a","title":"b"}}}', "title"),
    "answer": (
        b'{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"},"result":{"stopReason":"refusal"}}',
        "result",
    ),
    "answer-nested": (
        b'{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn","stopReason":"refusal"}}',
        "stopReason",
    ),
    "after-a-huge-number": (
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":' + b"9" * 4200 + b',"path":"a","path":"b"}}',
        "path",
    ),
    "deep": (
        b'{"jsonrpc":"2.0","id":1,"method":"x","params":' + b'{"a":' * 150 + b'{"b":1,"b":2}' + b"}" * 150 + b"}",
        "b",
    ),
}


def _mcp(arguments: bytes, *, key: str) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        handler = RecordingToolHandler()
        answers = asyncio.run(_call_tool(handler, arguments))
        is_told = any(key in each.get("error", {}).get("message", "") for each in answers)
        goes_on = any(each.get("id") == 99 and "result" in each for each in answers)
        return Outcome.HELD if is_told and goes_on and not handler.calls else Outcome.BROKEN

    return run


async def _call_tool(handler: RecordingToolHandler, line: bytes) -> list[Json]:
    import socket

    from tandem_desktop.planning_tools.mcp import McpService

    ours, theirs = socket.socketpair()
    reader, writer = await asyncio.open_connection(sock=ours)
    service = asyncio.create_task(McpService(tools_on(handler), reader, writer, 1 << 20).serve())
    near, far = await asyncio.open_connection(sock=theirs)
    greeting = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    far.write(json.dumps({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": greeting}).encode() + b"\n")
    await near.readline()
    far.write(b'{"jsonrpc":"2.0","method":"notifications/initialized"}\n' + line + b"\n")
    far.write(b'{"jsonrpc":"2.0","id":99,"method":"tools/list"}\n')
    answers: list[Json] = []
    async with asyncio.timeout(30):
        while not any(each.get("id") == 99 for each in answers):
            answers.append(json.loads(await near.readline()))
    far.close()
    await service
    writer.close()
    for each in (far, writer):
        with contextlib.suppress(ConnectionError):
            await each.wait_closed()
    return answers


_STEP = b'"steps":[{"description":"d","tool":"write","args":{"path":"a","content":"x"}}]'
_CALL = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"plan_propose","arguments":{%s}}}'
_MCP = {
    "path": (
        _CALL
        % b'"title":"T","steps":[{"description":"d","tool":"write","args":{"path":"a","path":"b","content":"x"}}]',
        "path",
    ),
    "title": (_CALL % (b'"title":"T","title":"U",' + _STEP), "title"),
    "arguments": (
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"plan_list","arguments":{},"arguments":{"a":1}}}',
        "arguments",
    ),
    "name": (
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"plan_list","name":"plan_propose","arguments":{}}}',
        "name",
    ),
    "id": (b'{"jsonrpc":"2.0","id":7,"id":8,"method":"tools/call","params":{"name":"plan_list","arguments":{}}}', "id"),
    "method": (
        b'{"jsonrpc":"2.0","id":7,"method":"ping","method":"tools/call","params":{"name":"plan_list","arguments":{}}}',
        "method",
    ),
    "escaped": (_CALL % (b'"title":"T","titl\\u0065":"U",' + _STEP), "title"),
}


def _plan_keys() -> Iterator[Attack]:
    for name, text in {
        "top": b'{"title":"a","title":"b","steps":[]}',
        "args": b'{"title":"a","steps":[{"description":"d","tool":"write","args":{"path":"a","path":"b","content":""}}]}',
        "context": b'{"title":"a","context":{"x":{"y":1,"y":2}},"steps":[]}',
    }.items():

        def run(folder: Path, text: bytes = text) -> Outcome:
            (folder / "project").mkdir()
            with an_engine(folder) as engine:
                try:
                    engine.proposals.propose(text)
                except BadInputError as refusal:
                    return Outcome.HELD if "twice" in refusal.message else Outcome.BROKEN
            return Outcome.BROKEN

        yield Attack(f"plan-key-{name}", f"plan file: a key twice, {name}", run)


def _record_keys() -> Iterator[Attack]:
    def forged(name: str, old: bytes, new: bytes) -> Callable[[Path], Outcome]:
        def run(folder: Path) -> Outcome:
            shutil.copytree(_honest() / "project", folder / "project", symlinks=True)
            shutil.copytree(_honest() / "state", folder / "state", symlinks=True)
            plan = next((folder / "project" / ".tandem" / "plans").glob("PLAN-*"))
            data = (plan / name).read_bytes()
            assert old in data
            (plan / name).write_bytes(data.replace(old, new, 1))
            with an_engine(folder) as engine:
                try:
                    engine.plans.meta(PlanId(plan.name))
                    engine.plans.revision(PlanId(plan.name))
                except PlanDamagedError as refusal:
                    return Outcome.HELD if "twice" in refusal.message else Outcome.BROKEN
            return Outcome.BROKEN

        return run

    yield Attack(
        "record-key-title",
        "record of a clone: the title twice",
        forged("r001.json", b'"title":', b'"title": "Harmless",\n "title":'),
    )
    yield Attack(
        "record-key-path",
        "record of a clone: a path twice",
        forged("r001.json", b'"path": "new.txt"', b'"path": "harmless.txt", "path": "new.txt"'),
    )
    yield Attack(
        "meta-key-status",
        "record of a clone: the status twice",
        forged("meta.json", b'"status":', b'"status": "draft",\n "status":'),
    )


def _unseen_lock(path: str, before: bytes, after: bytes, claimed: LockFileReview) -> Callable[[Path], Outcome]:
    """Approve a lock file that installs other code by its digest alone, or with a name that is not its own."""

    def run(folder: Path) -> Outcome:
        file = folder / "project" / path
        file.parent.mkdir(parents=True)
        file.write_bytes(before)
        step = {"tool": "write", "description": "w", "args": {"path": path, "content": after.decode()}}
        with an_engine(folder) as engine:
            version = engine.proposals.propose(json.dumps({"title": "Update", "steps": [step]}).encode())
            try:
                engine.decisions.approve(version.plan_id, version.approval_hash, lock_files=claimed)
            except NotApprovableError as refused:
                return Outcome.HELD if PurePosixPath(path).name in refused.message else Outcome.BROKEN
        return Outcome.BROKEN

    return run


def _lock_attacks() -> Iterator[Attack]:
    claims: tuple[tuple[str, Callable[[str], LockFileReview]], ...] = (
        ("digest alone", lambda path: LockFileReview()),
        ("another folder", lambda path: LockFileReview(skipped=(f"elsewhere/{path}", f"./{path}"))),
        ("other case", lambda path: LockFileReview(opened=(path.swapcase(),))),
    )
    for (name, (path, before, after)), (claim, claimed) in zip(LOCKS.items(), cycle(claims), strict=False):
        run = _unseen_lock(path, before, after, claimed(path))
        yield Attack(f"lock-{name.replace(' ', '-')}", f"{name}, {claim}", run)


def _completed_by_agent(answer: QuestionAction | None) -> Callable[[Path], Outcome]:
    """An agent says that an address is done with: before the person answered, or after they declined."""

    async def ask() -> Outcome:
        shown: list[AgentQuestion] = []
        completed: list[str] = []
        questions = AgentQuestions(SessionId("SES-1"), "Agent", ask=shown.append, completed=completed.append)
        asked = AgentQuestion(message="Log in", url="https://example.org/in", elicitation_id="e1")
        waiting = asyncio.create_task(questions.put(asked))
        while not shown:
            await asyncio.sleep(0)
        if answer is not None:
            questions.answer(shown[0].id, answer)
            await waiting
        questions.complete("e1")
        is_yes = (await waiting).action is QuestionAction.ACCEPT or bool(completed)
        return Outcome.BROKEN if is_yes else Outcome.HELD

    return lambda folder: asyncio.run(ask())


ATTACKS: list[Attack] = [
    *_lock_attacks(),
    Attack("question-complete-open", "elicitation/complete of an open question", _completed_by_agent(None)),
    Attack(
        "question-complete-declined",
        "elicitation/complete of a declined question",
        _completed_by_agent(QuestionAction.DECLINE),
    ),
    Attack(
        "question-complete-cancelled",
        "elicitation/complete of a dismissed question",
        _completed_by_agent(QuestionAction.CANCEL),
    ),
    *(Attack(f"clone-{name}", f"record of a clone: {what}", _clone(spoil)) for name, what, spoil in _spoiled()),
    *(Attack(f"bundle-{name}", f"bundle: {what}", _imported(spoil)) for name, what, spoil in _spoiled()),
    *_clone_attacks(),
    *_plan_file_attacks(),
    *_agent_attacks(),
    *_http_attacks(),
    *(
        Attack(f"acp-key-{name}", f"ACP: {key} twice ({name})", _acp(line, key=key))
        for name, (line, key) in _ACP.items()
    ),
    *(
        Attack(f"mcp-key-{name}", f"MCP: {key} twice ({name})", _mcp(line, key=key))
        for name, (line, key) in _MCP.items()
    ),
    *_plan_keys(),
    *_record_keys(),
    *_something_else(),
]
