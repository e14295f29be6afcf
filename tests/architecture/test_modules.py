"""Each module says why it exists and tells one story."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted((ROOT / "tandem_desktop").rglob("*.py"))
MOST_LINES = 800


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_module_opens_with_why_it_exists_and_stays_readable(module: Path) -> None:
    source = module.read_text(encoding="utf-8")
    tree = ast.parse(source)
    if tree.body or module.name != "__init__.py":
        assert (ast.get_docstring(tree) or "").strip(), "opens with one sentence that says why it exists"
    assert len(source.splitlines()) <= MOST_LINES, "tells two stories: make it two modules"
