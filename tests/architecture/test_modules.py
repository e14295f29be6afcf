"""Each module says what it is for and has one subject; each class has a name of its own."""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "tandem_desktop").rglob("*.py"))
MOST_LINES = 800


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_module_opens_with_what_it_is_for_and_stays_readable(module: Path) -> None:
    source = module.read_text(encoding="utf-8")
    tree = ast.parse(source)
    if tree.body or module.name != "__init__.py":
        assert (ast.get_docstring(tree) or "").strip(), "opens with one sentence that says what it is for"
    assert len(source.splitlines()) <= MOST_LINES, "has two subjects: make it two modules"


def test_every_class_has_a_name_of_its_own() -> None:
    places = defaultdict(list)
    for module in MODULES:
        for node in ast.parse(module.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(module.relative_to(ROOT).as_posix())
    assert {name: where for name, where in places.items() if len(where) > 1} == {}
