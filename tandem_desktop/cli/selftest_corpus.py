"""Generate workspaces and plans for them: every seed always gives the same one."""

from dataclasses import dataclass
from typing import Any

from tandem_desktop.cli.selftest_expectation import Expectation, Node, Tree
from tandem_desktop.cli.selftest_material import CONTENTS, NAMES, Material
from tandem_desktop.cli.selftest_steps import KINDS, StepMaker

_LARGE = "large.dat"
_LARGE_EVERY, _LARGE_AT = 50, 7
"""A few large files are enough, and take their time."""
_COMMAND_KINDS = ("command", "quiet command")
_FILE_MODES = (0o644, 0o644, 0o600, 0o640, 0o664, 0o755, 0o444)
_FOLDER_MODES = (0o755, 0o755, 0o700, 0o750)


@dataclass(frozen=True, slots=True)
class Case:
    """One plan and the workspace it is for."""

    seed: int
    tree: Tree
    plan: dict[str, Any]
    kinds: frozenset[str]
    """What is special about it, such as `crlf` or `delete directory`."""


def a_case(seed: int) -> Case:
    """The case of this seed. Each kind of step has its turn; the rest is drawn."""
    material = Material(seed)
    tree = _a_tree(material, seed)
    maker = StepMaker(material, Expectation(tree))
    if seed % _LARGE_EVERY == _LARGE_AT:
        maker.act_on(_LARGE)
    drawn = material.random.choices([kind for kind in KINDS if kind not in _COMMAND_KINDS], k=4)
    for kind in material.random.sample([_whose_turn(seed), *drawn[: seed % 5]], k=1 + seed % 5):
        maker.add(kind)
    if all(step["tool"] == "read" for step in maker.steps):
        maker.add("write new")
    plan = {"title": f"Self-test {seed}", "summary": "Generated.", "steps": maker.steps}
    return Case(seed, tree, plan, frozenset(material.kinds))


def runs_a_command(seed: int) -> bool:
    """Whether the plan of this seed runs a command; told without making it."""
    return _whose_turn(seed) in _COMMAND_KINDS


def _whose_turn(seed: int) -> str:
    return list(KINDS)[seed % len(KINDS)]


def _a_tree(material: Material, seed: int) -> Tree:
    model = Expectation({})
    draw = material.random
    names, contents = list(NAMES), list(CONTENTS)
    folders = [""]
    for position in range(3):
        folder = _below(draw.choice(folders), material.name("plain" if position else names[seed % len(names)]))
        model.put(folder, ("dir", draw.choice(_FOLDER_MODES), b""))
        folders.append(folder)
    for position in range(draw.randint(6, 12)):
        path = _below(draw.choice(folders), material.name())
        model.put(
            path, ("file", draw.choice(_FILE_MODES), material.content(contents[(seed + position) % len(contents)]))
        )
    for kind, path, node in _specials(material, model):
        model.put(_below(draw.choice(folders), path) if kind != "ignored file" else path, node)
        material.kinds.add(kind)
    if seed % _LARGE_EVERY == _LARGE_AT:
        model.put(_LARGE, ("file", 0o644, material.five_megabytes()))
    if any(mode & 0o100 for kind, mode, _ in model.nodes.values() if kind == "file"):
        material.kinds.add("exec bit")
    return model.nodes


def _specials(material: Material, model: Expectation) -> list[tuple[str, str, Node]]:
    """What a tree may have besides files and the folders above them."""
    draw = material.random
    name = material.name
    specials: list[tuple[str, str, Node]] = [
        ("empty directory", name(), ("dir", 0o755, b"")),
        ("link to a file", name(), ("link", 0, draw.choice(sorted(model.nodes)).encode())),
        ("link to a directory", name(), ("link", 0, b".")),
        ("dangling link", name(), ("link", 0, "nowhere/at all — naïve".encode())),
        ("ignored file", f"ignored/{name('plain')}", ("file", 0o644, material.content("binary"))),
        ("ignored file", f"{name('plain')}.log", ("file", 0o644, material.content("text"))),
    ]
    chosen = draw.sample(specials, k=4)
    if any(kind == "ignored file" for kind, _, _ in chosen):
        model.put(".gitignore", ("file", 0o644, b"*.log\nignored/\n"))
    return chosen


def _below(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
