"""A hundred pairs of revisions made by known steps: compare finds those steps, all of them and nothing else."""

import random
from dataclasses import dataclass, field

import pytest

from tandem_desktop.domain.ids import OperationId
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.review.compare import compare
from tests.support.builders import a_chmod, a_command, a_delete, a_move, a_symlink, a_version, a_write

PAIRS = 100


@dataclass
class Item:
    """One identity: how it looks in the older revision and in the newer one, nothing where it is missing."""

    old: tuple[StagedOperation, ...] = ()
    new: tuple[StagedOperation, ...] = ()
    changed: bool = False
    reordered: bool = False


@dataclass
class Pair:
    """Two lists of operations, and the truth about them as names of operations in the newer one."""

    old: list[StagedOperation] = field(default_factory=list)
    new: list[StagedOperation] = field(default_factory=list)
    truth: dict[str, set[str]] = field(default_factory=dict)


def a_pair(seed: int) -> Pair:
    chance = random.Random(seed)
    items = [_item(chance, number) for number in range(chance.randint(6, 24))]
    order = _moved_about(chance, items)
    pair = Pair(truth={"added": set(), "removed": set(), "changed": set(), "reordered": set()})
    for number, operation in enumerate((each for item in items for each in item.old), start=1):
        pair.old.append(operation.model_copy(update={"id": OperationId(f"s{number}"), "description": "the old words"}))
    names = iter(range(1, 1000))
    for item in order:
        for operation in item.new:
            name = f"step-{next(names)}"  # not one id is kept: they say nothing about identity
            pair.new.append(operation.model_copy(update={"id": OperationId(name), "description": "other words"}))
            _note(pair.truth, item, name)
    place = 0
    for item in items:
        for _ in item.old:
            place += 1
            if not item.new:
                pair.truth["removed"].add(f"s{place}")
    return pair


def _note(truth: dict[str, set[str]], item: Item, name: str) -> None:
    if not item.old:
        truth["added"].add(name)
    if item.changed:
        truth["changed"].add(name)
    if item.reordered:
        truth["reordered"].add(name)


def _item(chance: random.Random, number: int) -> Item:
    path, mark = f"dir{number % 3}/file{number}.py", f"{number}".encode()
    plain = chance.choice(
        [
            a_write(path, b"new " + mark, before=b"old " + mark),
            a_write(path, b"made " + mark),
            a_delete(path, b"old " + mark),
            a_chmod(path, 0o755, content=b"old " + mark),
            a_symlink(path, f"target{number}"),
            a_command(f"make part{number}"),
        ]
    )
    match chance.choice(["same", "same", "same", "added", "removed", "changed", "renamed"]):
        case "added":
            return Item(new=(plain,))
        case "removed":
            return Item(old=(plain,))
        case "changed":
            return Item(*_differently(chance, plain, path, mark), changed=True)
        case "renamed":
            return _renamed(chance, path, mark)
        case _:
            return Item((plain,), (plain,))


def _differently(
    chance: random.Random, plain: StagedOperation, path: str, mark: bytes
) -> tuple[tuple[StagedOperation, ...], tuple[StagedOperation, ...]]:
    """The same identity with another effect: other bytes, another mode, another kind, another time limit."""
    if plain.call is not None:
        return (plain,), (a_command(plain.call.command, timeout_s=7),)
    other = [
        a_write(path, b"otherwise " + mark, before=b"old " + mark),
        a_write(path, b"new " + mark, before=b"old " + mark, mode=0o755),
        a_write(path, b"new " + mark, before=b"another base " + mark),
    ]
    return (plain,), (chance.choice(other),)


def _renamed(chance: random.Random, path: str, mark: bytes) -> Item:
    """A file that is moved and then edited, to another name in the newer revision; or a new file under another name."""
    if chance.random() < 0.5:
        return Item((a_write(path, b"made " + mark),), (a_write(f"{path}.renamed", b"made " + mark),), changed=True)

    def to(name: str) -> tuple[StagedOperation, ...]:
        return (a_move(path, name, b"old " + mark), a_write(name, b"new " + mark, before=b"old " + mark))

    return Item(to(f"{path}.one"), to(f"{path}.two"), changed=True)


def _moved_about(chance: random.Random, items: list[Item]) -> list[Item]:
    """Among every four single operations that stay, one may go three places on: then only it was moved."""
    staying = [item for item in items if len(item.old) == len(item.new) == 1]
    order = list(items)
    for start in range(0, len(staying) - 3, 4):
        if chance.random() < 0.5:
            first, last = staying[start], staying[start + 3]
            order.remove(first)
            order.insert(order.index(last) + 1, first)
            first.reordered = True
    return order


@pytest.mark.parametrize("seed", range(PAIRS))
def test_compare_finds_exactly_what_was_done(seed: int) -> None:
    pair = a_pair(seed)
    found = compare(a_version(*pair.old), a_version(*pair.new, parent=1))
    assert {part: {each.id for each in getattr(found, part)} for part in pair.truth} == pair.truth


def test_pairs_hold_every_kind_of_difference() -> None:
    counted = {part: sum(len(a_pair(seed).truth[part]) for seed in range(PAIRS)) for part in a_pair(0).truth}
    assert min(counted.values()) > 50
