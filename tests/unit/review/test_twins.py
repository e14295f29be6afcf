"""New names beside names that they can be taken for."""

import pytest

from tandem_desktop.review.twins import twins
from tests.attacks.look_alikes import TWINS
from tests.support.builders import a_move, a_write

NOTHING: tuple[str, ...] = ()


@pytest.mark.parametrize(("there", "made"), TWINS.values(), ids=TWINS.keys())
def test_a_new_name_that_looks_like_one_beside_it_is_found_with_that_one(there: str, made: str) -> None:
    assert twins([a_write(f"src/{made}", b"", id="s1")], lambda path: (there,)) == {"s1": f"src/{there}"}


def test_a_change_of_a_file_that_is_there_already_is_no_twin() -> None:
    change = a_write("src/uti1s.py", b"2", before=b"1")
    assert twins([change], lambda path: ("uti1s.py", "utils.py")) == {}


def test_a_rename_of_a_file_to_another_spelling_of_itself_is_no_twin() -> None:
    assert twins([a_move("src/readme.md", "src/README.md")], lambda path: ("readme.md",)) == {}


@pytest.mark.parametrize(
    "names", [("1.svg", "l.svg"), ("a.py", "b.py"), ("отчёт.md", "отчет.md"), ("main.py", "main.pyi")]
)
def test_names_that_are_told_apart_are_no_twins(names: tuple[str, str]) -> None:
    made = [a_write(f"src/{name}", b"", id=f"s{number}") for number, name in enumerate(names)]
    assert twins(made, lambda path: NOTHING) == {}
