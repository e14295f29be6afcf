"""What is left after any choice is what `git apply` makes of the hunks and lines that were kept."""

import json
import random
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.diff.hunks import Hunk, hunks
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.review.choices import Drop, choose
from tandem_desktop.staging.simulate import simulate_operations
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace
from tests.support.builders import a_write

CASES = 2_000
CREATIONS = 200
SEED = 11
OWN = OperationId("s1")


@dataclass(frozen=True)
class Case:
    """One file, its proposed version, and what a person leaves out of it."""

    name: str
    before: bytes
    after: bytes
    drop: Drop


def test_every_subset_of_hunks_and_lines_gives_what_git_apply_gives(tmp_path: Path, memory_path: Path) -> None:
    objects = ObjectStore(memory_path)
    cases = tuple(some_cases(random.Random(SEED)))
    for case in cases:
        (tmp_path / case.name).write_bytes(case.before)
    patch = b"".join(as_patch(case) for case in cases)
    subprocess.run(["git", "apply", "--recount", "-"], cwd=tmp_path, input=patch, check=True)
    wrong = [case for case in cases if chosen(case, objects) != (tmp_path / case.name).read_bytes()]
    assert (len(cases), wrong) == (CASES, [])


def test_files_that_are_applied_after_every_subset_was_left_out_are_what_git_apply_leaves(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    cases = tuple(some_cases(random.Random(SEED + 1)))
    for case in cases:
        for folder in (ours, theirs):
            folder.mkdir(exist_ok=True)
            (folder / case.name).write_bytes(case.before)
    patch = b"".join(as_patch(case) for case in cases)
    subprocess.run(["git", "apply", "--recount", "-"], cwd=theirs, input=patch, check=True)
    steps = [{"id": case.name, "description": "x", "tool": "write", "args": written(case)} for case in cases]
    engine = build_engine(ours, state=tmp_path / "state")
    plan = engine.proposals.propose(json.dumps({"title": "All", "steps": steps}).encode())
    drops = [replace(case.drop, operation=OperationId(case.name)) for case in cases]
    kept = engine.proposals.drop(plan.plan_id, drops)
    engine.decisions.approve(kept.plan_id, kept.approval_hash)
    assert engine.runs.apply(kept.plan_id).succeeded
    wrong = [case for case in cases if (ours / case.name).read_bytes() != (theirs / case.name).read_bytes()]
    assert (len(cases), wrong) == (CASES, [])


def test_edit_of_a_dropped_creation_is_always_flagged(tmp_path: Path, memory_path: Path) -> None:
    objects, draw = ObjectStore(memory_path), random.Random(SEED)
    with Workspace(tmp_path) as workspace:
        for n in range(CREATIONS):
            first, second = some_text(draw), some_text(draw)
            objects.put_all((first, second))
            operations = (
                a_write(f"n{n}", first + b"1\n", id="s1"),
                a_write(f"n{n}", second + b"2\n", before=first + b"1\n", id="s2"),
                a_write(f"other{n}", b"x\n", id="s3"),
            )
            left = choose(operations, [Drop(OWN)], objects).operations
            assert [problem.step for problem in simulate_operations(left, workspace)] == ["s2"]


def written(case: Case) -> dict[str, str]:
    return {"path": case.name, "content": case.after.decode()}


def some_cases(draw: random.Random) -> Iterator[Case]:
    made = 0
    while made < CASES:
        before = some_text(draw)
        after = edited(before, draw)
        shown = hunks(before, after)
        if not shown:
            continue
        if draw.random() < 0.3:
            before, after = before.removesuffix(b"\n"), after.removesuffix(b"\n")
            shown = hunks(before, after)
        drop = whole_hunks(shown, draw) if not before.endswith(b"\n") else single_lines(shown, draw)
        yield Case(f"f{made}", before, after, drop)
        made += 1


def some_text(draw: random.Random) -> bytes:
    return b"".join(
        b"%s %d\n" % (draw.choice((b"a", b"b", b"c")), draw.randrange(9)) for _ in range(draw.randint(1, 60))
    )


def edited(before: bytes, draw: random.Random) -> bytes:
    lines = before.splitlines(keepends=True)
    for _ in range(draw.randint(1, 6)):
        place = draw.randrange(len(lines) + 1)
        lines[place : place + draw.randrange(3)] = [b"new %d\n" % draw.randrange(99) for _ in range(draw.randrange(4))]
    return b"".join(lines)


def whole_hunks(shown: tuple[Hunk, ...], draw: random.Random) -> Drop:
    return Drop(OWN, hunks=tuple(hunk.n for hunk in shown if draw.random() < 0.5) or (shown[0].n,))


def single_lines(shown: tuple[Hunk, ...], draw: random.Random) -> Drop:
    """Numbers counted here from the header and the signs, as a reader would."""
    added, removed = [], []
    for hunk in shown:
        old, new = hunk.old_start, hunk.new_start
        for line in hunk.lines:
            if line.kind == "+" and draw.random() < 0.4:
                added.append(new)
            if line.kind == "-" and draw.random() < 0.4:
                removed.append(old)
            old += line.kind in " -"
            new += line.kind in " +"
    return Drop(OWN, added=tuple(added), removed=tuple(removed)) if added or removed else Drop(OWN, hunks=(1,))


def as_patch(case: Case) -> bytes:
    """The kept part of the change as a patch; nothing when all of it was left out."""
    body = []
    for hunk in hunks(case.before, case.after):
        lines = [] if hunk.n in case.drop.hunks else list(kept_lines(hunk, case.drop))
        if any(line[:1] != b" " for line in lines):
            body += [b"%s\n" % hunk.header.encode(), *lines]
    head = f"diff --git a/{case.name} b/{case.name}\n--- a/{case.name}\n+++ b/{case.name}\n".encode()
    return head + b"".join(body) if body else b""


def kept_lines(hunk: Hunk, drop: Drop) -> Iterator[bytes]:
    old, new = hunk.old_start, hunk.new_start
    for line in hunk.lines:
        end = b"\n\\ No newline at end of file\n" if line.no_newline else b""
        if line.kind == "-":
            yield (b" " if old in drop.removed else b"-") + line.raw + end
        elif line.kind == " " or new not in drop.added:
            yield line.kind.encode() + line.raw + end
        old += line.kind in " -"
        new += line.kind in " +"


def chosen(case: Case, objects: ObjectStore) -> bytes:
    objects.put_all((case.before, case.after))
    operations = (a_write("f", case.after, before=case.before, id="s1"), a_write("g", b"rest\n", id="s2"))
    left = choose(operations, [case.drop], objects)
    return next((data for data in left.contents), case.before)
