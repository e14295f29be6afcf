"""Drift cases made from a seed: files, a plan, what a person did meanwhile, and the truth about all of it.

The generator knows which lines each side changes, so the truth needs no diff. What a clean merge must come to is asked
of `git merge-file`; nothing of Tandem's own is used here.
"""

import random
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WORDS = [
    "apple",
    "birch",
    "cedar",
    "dune",
    "ember",
    "fjord",
    "grove",
    "heath",
    "inlet",
    "juniper",
    "kelp",
    "larch",
    "moss",
    "north",
    "oak",
    "pine",
    "quartz",
    "reed",
]


@dataclass
class DriftCase:
    """One workspace, its plan, and what must be found."""

    files: dict[str, str] = field(default_factory=dict)
    steps: list[dict[str, Any]] = field(default_factory=list)
    meanwhile: list[tuple[str, str, Any]] = field(default_factory=list)
    """(path, what, value): `write`, `delete`, `mode`, `link`."""
    drifted: dict[str, str] = field(default_factory=dict)
    conflicts: set[str] = field(default_factory=set)
    merges: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    """Final path → base, disk, proposed, for every file both sides changed apart."""
    finally_there: dict[str, str | None] = field(default_factory=dict)
    """Other paths: what must be there when a clean plan has run; None for nothing."""

    def expected(self, folder: Path) -> dict[str, str | None]:
        merged = {path: git_merge_file(folder, *sides) for path, sides in self.merges.items()}
        return {**self.finally_there, **merged}


def a_drift_case(seed: int) -> DriftCase:
    """Even seeds keep both sides apart throughout; odd ones let them meet at least once."""
    chance = random.Random(seed)
    case = DriftCase()
    makers = [_edited, _edited, _edited_twice, _moved, _deleted, _created, _chmod, _untouched, _command, _unrelated]
    for number in range(chance.randint(3, 7)):
        chance.choice(makers)(case, chance, f"{chance.choice(WORDS)}-{number}.txt", False)
    if seed % 2:
        meeting = [_edited, _edited_twice, _moved, _deleted, _created, _chmod]
        chance.choice(meeting)(case, chance, f"folder/{chance.choice(WORDS)}-meeting.txt", True)
    _edited(case, chance, "always.txt", False)
    chance.shuffle(case.meanwhile)
    return case


def git_merge_file(folder: Path, base: str, disk: str, proposed: str) -> str:
    names = []
    for name, text in (("disk", disk), ("base", base), ("proposed", proposed)):
        (folder / name).write_bytes(text.encode())
        names.append(str(folder / name))
    done = subprocess.run(["git", "merge-file", "-p", *names], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr or "the generator let both sides meet"
    return done.stdout.decode()


def step(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"description": "Do it", "tool": tool, "args": arguments}


def _lines(chance: random.Random) -> list[str]:
    """Lines no two of which are equal, so that everybody sees the same changes."""
    return [f"{number} {chance.choice(WORDS)} {chance.choice(WORDS)}\n" for number in range(chance.randint(24, 60))]


def _changed(chance: random.Random, lines: list[str], places: list[int], who: str) -> str:
    """Each place is replaced, gets a line before it, or, by the plan, is deleted: two deletions would agree."""
    pieces = list(lines)
    for place in places:
        made = f"{who} {place} {chance.choice(WORDS)}\n"
        pieces[place] = chance.choice([made, made + lines[place], made + made.upper(), "" if who == "plan" else made])
    return "".join(pieces)


def _sides(chance: random.Random, lines: list[str], meet: bool) -> tuple[list[int], list[int]]:
    """Places of the plan and of the person: at least three lines apart, or one of them the same."""
    slots = list(range(1, len(lines) - 1, 4))
    chance.shuffle(slots)
    plan, person = slots[: chance.randint(1, 3)], slots[3 : 3 + chance.randint(1, 2)]
    return plan, [*person, plan[0]] if meet else person


def _edited(case: DriftCase, chance: random.Random, path: str, meet: bool) -> None:
    lines = _lines(chance)
    ours, theirs = _sides(chance, lines, meet)
    base, proposed = "".join(lines), _changed(chance, lines, ours, "plan")
    disk = _changed(chance, lines, theirs, "person")
    case.files[path] = base
    case.steps.append(step("write", path=path, content=proposed))
    _drifts(case, path, "write", disk, "modified")
    _settle(case, path, path, (base, disk, proposed), meet)


def _edited_twice(case: DriftCase, chance: random.Random, path: str, meet: bool) -> None:
    lines = _lines(chance)
    ours, theirs = _sides(chance, lines, meet)
    base, once = "".join(lines), _changed(chance, lines, ours, "plan")
    proposed = once + f"the end, {chance.choice(WORDS)}\n"
    disk = _changed(chance, lines, theirs, "person")
    case.files[path] = base
    case.steps += [step("write", path=path, content=once), step("write", path=path, content=proposed)]
    _drifts(case, path, "write", disk, "modified")
    _settle(case, path, path, (base, disk, proposed), meet)


def _moved(case: DriftCase, chance: random.Random, path: str, meet: bool) -> None:
    lines = _lines(chance)
    ours, theirs = _sides(chance, lines, meet)
    base, proposed = "".join(lines), _changed(chance, lines, ours, "plan")
    disk = _changed(chance, lines, theirs, "person")
    to = f"moved/{path}"
    case.files[path] = base
    case.steps += [step("move", path=path, to=to), step("write", path=to, content=proposed)]
    _drifts(case, path, "write", disk, "modified")
    _settle(case, path, to, (base, disk, proposed), meet)
    case.finally_there[path] = None


def _deleted(case: DriftCase, chance: random.Random, path: str, meet: bool) -> None:
    case.files[path] = base = "".join(_lines(chance))
    case.steps.append(step("delete", path=path))
    case.finally_there[path] = None
    if meet:
        _drifts(case, path, "write", base + "more\n", "modified")
        case.conflicts.add(path)
    elif chance.random() < 0.5:  # gone already; something is left to do elsewhere
        _drifts(case, path, "delete", None, "deleted")
        _created(case, chance, f"beside-{path}", False)


def _created(case: DriftCase, chance: random.Random, path: str, meet: bool) -> None:
    case.steps.append(step("write", path=path, content=(text := "".join(_lines(chance)))))
    case.finally_there[path] = text
    if meet:
        _drifts(case, path, "write", "mine\n", "created")
        case.conflicts.add(path)


def _chmod(case: DriftCase, chance: random.Random, path: str, meet: bool) -> None:
    case.files[path] = base = "".join(_lines(chance))
    case.steps.append(step("chmod", path=path, mode="0755"))
    case.finally_there[path] = base
    if meet:
        _drifts(case, path, "mode", 0o600, "mode")
        case.conflicts.add(path)
    elif chance.random() < 0.5:
        _drifts(case, path, "write", base + "more\n", "modified")
        case.finally_there[path] = base + "more\n"


def _untouched(case: DriftCase, chance: random.Random, path: str, meet: bool) -> None:
    case.files[path] = "".join(_lines(chance))
    case.steps.append(step("write", path=path, content="new\n"))
    case.finally_there[path] = "new\n"


def _command(case: DriftCase, chance: random.Random, path: str, meet: bool) -> None:
    case.steps.append(step("bash", command=f"printf made > by-{path}"))


def _unrelated(case: DriftCase, chance: random.Random, path: str, meet: bool) -> None:
    """A file the plan does not name: what happens to it is no drift."""
    case.files[path] = "".join(_lines(chance))
    case.meanwhile.append((path, *chance.choice([("write", "other\n"), ("delete", None), ("mode", 0o600)])))


def _drifts(case: DriftCase, path: str, what: str, value: Any, change: str) -> None:
    case.meanwhile.append((path, what, value))
    case.drifted[path] = change


def _settle(case: DriftCase, path: str, end: str, sides: tuple[str, str, str], meet: bool) -> None:
    if meet:
        case.conflicts.add(path)
    else:
        case.merges[end] = sides
