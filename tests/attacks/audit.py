"""Attacks on the audit log: each leaves less, more or something else in it than happened."""

import functools
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tandem_desktop.approval.audit_log import AuditLog
from tandem_desktop.approval.store import ApprovalStore
from tandem_desktop.domain.approval import digest
from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.ids import PlanId
from tandem_desktop.services.engine import Engine
from tests.attacks.attack import Attack, Outcome, an_engine

_APPROVED = 2
"""When a plan was approved and not applied yet, in the history."""
EARLIER = datetime(2026, 1, 1, tzinfo=UTC)


class Forged(Frozen):
    """A record that nothing stands behind."""

    plan_id: str = "PLAN-0badcafe"


def _approved(engine: Engine, name: str) -> PlanId:
    step = {"description": "d", "tool": "write", "args": {"path": name, "content": name}}
    version = engine.proposals.propose(json.dumps({"title": name, "steps": [step]}).encode())
    engine.decisions.approve(version.plan_id, version.approval_hash)
    return version.plan_id


@functools.cache
def _history() -> tuple[Path, ...]:
    """The folders after 0 and 1 applied plans, with a second one approved, and at the end.

    That is after the second was applied and undone, with an approval that waits.
    """
    base = Path(tempfile.mkdtemp(prefix="tandem-audit-"))
    (base / "now" / "project").mkdir(parents=True)
    kept: list[Path] = []

    def keep() -> None:
        kept.append(base / str(len(kept)))
        shutil.copytree(base / "now", kept[-1], symlinks=True)

    with an_engine(base / "now"):
        keep()
    with an_engine(base / "now") as engine:
        engine.runs.apply(_approved(engine, "file1.txt"))
    keep()
    with an_engine(base / "now") as engine:
        plan_id = _approved(engine, "file2.txt")
    keep()
    with an_engine(base / "now") as engine:
        engine.runs.apply(plan_id)
        engine.runs.undo(engine.runs.runs()[0].record.run_id)
        _approved(engine, "waits")
    keep()
    return tuple(kept)


class Scene:
    """A state folder with a history, and the same one at earlier times."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(_history()[-1], folder, symlinks=True, dirs_exist_ok=True)
        self.state = folder / "state"
        self.log = self.state / "audit.jsonl"
        self.head = self.state / "audit.jsonl.head"
        self.approvals = self.state / "approvals"
        self.count = self.approvals / "audit-count"

    def lines(self) -> list[bytes]:
        return self.log.read_bytes().splitlines(keepends=True)

    def put_back(self, number: int, *places: Path) -> None:
        """Put files and folders back as they were earlier."""
        for place in places:
            earlier = _history()[number] / place.relative_to(self.folder)
            if place.is_dir():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
            if earlier.is_dir():
                shutil.copytree(earlier, place, symlinks=True)
            elif earlier.exists():
                shutil.copy2(earlier, place)

    def append(self) -> None:
        key = ApprovalStore(self.approvals).key
        AuditLog(self.log, key).append("forged", EARLIER + timedelta(days=1), Forged())


Tamper = Callable[[Scene], None]


def _removed(*names: str) -> Tamper:
    def tamper(scene: Scene) -> None:
        for name in names:
            getattr(scene, name).unlink()

    return tamper


def _without_line(number: int) -> Tamper:
    def tamper(scene: Scene) -> None:
        lines = scene.lines()
        del lines[number]
        scene.log.write_bytes(b"".join(lines))

    return tamper


def _cut(number: int) -> Tamper:
    return lambda scene: scene.log.write_bytes(b"".join(scene.lines()[:number]))


def _rewritten(old: bytes, new: bytes) -> Tamper:
    def tamper(scene: Scene) -> None:
        data = scene.log.read_bytes()
        assert old in data
        scene.log.write_bytes(data.replace(old, new, 1))

    return tamper


def _rechained(number: int, old: bytes, new: bytes) -> Tamper:
    """Change a record and make every hash after it anew, and the head if the key is at hand."""

    def tamper(scene: Scene) -> None:
        lines = scene.lines()
        assert old in lines[number]
        lines[number] = lines[number].replace(old, new, 1)
        previous = ""
        for place in range(number, len(lines)):
            rest = lines[place].partition(b'",')[2]
            if previous:
                begin, _, end = rest.rpartition(b'"previous":"')
                rest = begin + b'"previous":"' + previous.encode() + end[64:]
            previous = digest("audit:1", rest)
            lines[place] = b'{"hash":"' + previous.encode() + b'",' + rest
        scene.log.write_bytes(b"".join(lines))

    return tamper


def _earlier(number: int, *names: str, then_append: bool = False) -> Tamper:
    def tamper(scene: Scene) -> None:
        scene.put_back(number, *(getattr(scene, name) for name in names))
        if then_append:
            scene.append()

    return tamper


def _empty(scene: Scene) -> None:
    scene.log.write_bytes(b"")
    scene.head.unlink()


def _new_chain(scene: Scene) -> None:
    """Everything about the log gone, and a new one begun with the right key."""
    for place in (scene.log, scene.head, scene.count):
        place.unlink()
    scene.append()


def _swapped(scene: Scene) -> None:
    lines = scene.lines()
    lines[1], lines[2] = lines[2], lines[1]
    scene.log.write_bytes(b"".join(lines))


def _doubled(scene: Scene) -> None:
    lines = scene.lines()
    scene.log.write_bytes(b"".join([*lines, lines[-1]]))


def _inserted(scene: Scene) -> None:
    lines = scene.lines()
    scene.log.write_bytes(b"".join([lines[0], lines[0], *lines[1:]]))


def _linked_elsewhere(scene: Scene) -> None:
    scene.log.unlink()
    scene.log.symlink_to("/dev/null")
    scene.head.unlink()


def _piped_head(scene: Scene) -> None:
    scene.head.unlink()
    os.mkfifo(scene.head)


def _unsigned_head(scene: Scene) -> None:
    fields = json.loads(scene.head.read_bytes())
    scene.head.write_text(json.dumps({**fields, "count": fields["count"] - 1}))


def _whole_state(scene: Scene) -> None:
    """The whole state folder as it was before: only the runs in the workspace know better."""
    scene.put_back(1, scene.state)


def _all_but_approvals(scene: Scene) -> None:
    """All as it was when a plan was approved: the used approval and the runs in the workspace know better."""
    scene.put_back(_APPROVED, scene.log, scene.head, scene.count, scene.state / "journal")
    for standing in scene.approvals.glob("PLAN-*.json"):
        standing.unlink()


def _only_used(scene: Scene) -> None:
    """The same, and the workspace's runs put back as well: only the used approval knows better."""
    _all_but_approvals(scene)
    scene.put_back(_APPROVED, scene.folder / "project")


def _attack(tamper: Tamper) -> Callable[[Path], Outcome]:
    def run(folder: Path) -> Outcome:
        scene = Scene(folder)
        tamper(scene)
        with an_engine(folder) as engine:
            report = engine.audit_check.verify()
        if report.ok:
            is_whole = scene.log.read_bytes().startswith((_history()[-1] / "state" / scene.log.name).read_bytes())
            return (
                Outcome.HELD if is_whole else Outcome.FLAGGED if report.elsewhere or report.unbegun else Outcome.BROKEN
            )
        return Outcome.HELD if report.first_bad is not None or report.missing else Outcome.BROKEN

    return run


_TAMPERINGS: dict[str, tuple[str, Tamper]] = {
    "log-removed": ("the log removed", _removed("log")),
    "log-and-head-removed": ("the log and its head removed", _removed("log", "head")),
    "log-head-count-removed": ("the log, its head and the count removed", _removed("log", "head", "count")),
    "head-removed": ("the head removed", _removed("head")),
    "emptied": ("the log emptied and its head removed", _empty),
    "begun-anew": ("a new log begun in place of the old one, with the right key", _new_chain),
    "swapped": ("two records swapped", _swapped),
    "doubled": ("the last record twice", _doubled),
    "inserted": ("a record put in again", _inserted),
    "link": ("the log replaced by a link to nowhere", _linked_elsewhere),
    "head-pipe": ("a pipe in the place of the head", _piped_head),
    "head-lowered": ("a head with a lower count", _unsigned_head),
    "state-put-back": ("the whole state folder as it was before a run", _whole_state),
    "approvals-left": ("all of the state folder but the approvals as it was before a run", _all_but_approvals),
    "only-used": ("the same, and the workspace as well", _only_used),
    "approver": ("another approver in a record", _rewritten(b'"approved_by":"user"', b'"approved_by":"root"')),
    "kind": ("another kind of a record", _rewritten(b'"kind":"approved"', b'"kind":"approvee"')),
    "rechained": (
        "a record changed and the chain made anew",
        _rechained(1, b'"approved_by":"user"', b'"approved_by":"evil"'),
    ),
    "rechained-last": (
        "the last record changed and made anew",
        _rechained(-1, b'"kind":"approved"', b'"kind":"harmless"'),
    ),
}


def _all() -> Iterator[Attack]:
    for name, (what, tamper) in _TAMPERINGS.items():
        yield Attack(f"audit-{name}", what, _attack(tamper))
    for number in (0, 1, 2, 5, -1):
        yield Attack(f"audit-without-{number}", f"record {number} taken out", _attack(_without_line(number)))
    for number in (0, 1, 3, -1, -3):
        yield Attack(f"audit-cut-{number}", f"the log cut to its records up to {number}", _attack(_cut(number)))
    for number in (0, 1):
        for names in (("log",), ("head",), ("log", "head"), ("log", "head", "count"), ("log", "head", "approvals")):
            for then_append in (False, True):
                more = ", and written on" if then_append else ""
                what = f"{', '.join(names)} put back as after {number} runs{more}"
                identity = f"audit-back-{number}-{'-'.join(names)}{'-on' if then_append else ''}"
                yield Attack(identity, what, _attack(_earlier(number, *names, then_append=then_append)))


ATTACKS: list[Attack] = list(_all())
