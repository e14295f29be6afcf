"""The rule of `python -m tests.walks` for functions that only pass on."""

from pathlib import Path

from tests.walks.passing_on import passing_on

SOURCE = '''
def handed_on(a, b):
    """One call."""
    return other(a, b.c, (1, *a), key=lambda: a)


async def awaited(a):
    await other(wrapped(a))


def made_for_its_effect(self):
    self.changed.emit()


given = lambda a: other(a)


def computes(a):
    return other(a + 1)


def decides(a):
    if a:
        other(a)


def does_two_things(a):
    other(a)
    return other(a)


def gives(a):
    return a
'''


def test_a_function_whose_body_is_one_call_with_what_it_has_only_passes_on(tmp_path: Path) -> None:
    path = tmp_path / "source.py"
    path.write_text(SOURCE)
    names = {name for _, name in passing_on(path)}
    assert names == {"handed_on", "awaited", "made_for_its_effect", "<lambda>"}
