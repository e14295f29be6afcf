"""Which words stand in files of a workspace that a plan does not change."""

from pathlib import Path

from tandem_desktop.review.mentions import words_elsewhere
from tandem_desktop.storage.workspace import Workspace

WORDS = frozenset({b"helper", b"adder"})


def test_whole_words_of_other_files_are_found(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.py").write_text("from b import helper\n")
    (tmp_path / "b.py").write_text("adder = 1\n")
    (tmp_path / "c.txt").write_text("adders and my_adder\n")

    with Workspace(tmp_path) as workspace:
        assert words_elsewhere(workspace, WORDS, frozenset({"b.py"})) == {b"helper"}
        assert words_elsewhere(workspace, WORDS, frozenset({"b.py", "lib/a.py"})) == frozenset()


def test_packages_and_other_programs_are_left_out(tmp_path: Path) -> None:
    for folder in ("node_modules", ".git"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "a.js").write_text("helper\n")

    with Workspace(tmp_path) as workspace:
        assert words_elsewhere(workspace, WORDS, frozenset()) == frozenset()
