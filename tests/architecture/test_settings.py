"""Every setting does something, and a test shows what."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tandem_desktop.settings import Settings

TESTS = Path(__file__).parents[1]


def test_the_effect_of_every_setting_is_shown_by_a_test() -> None:
    shown = {name for path in TESTS.rglob("test_*.py") for name in _shown_in(path)}
    assert set(Settings.model_fields) - shown == set()
    assert shown - set(Settings.model_fields) == set()


def _shown_in(path: Path) -> Iterator[str]:
    """The names in `@pytest.mark.setting(…)`."""
    source = path.read_text("utf-8")
    if "mark.setting(" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.setting":
            yield from (ast.literal_eval(each) for each in node.args)
