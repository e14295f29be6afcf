from pathlib import Path

import pytest

from tandem_desktop.builtin_agent import tools
from tandem_desktop.builtin_agent.conversation import instructions
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.storage.workspace import Workspace
from tests.support.recipes import lay_out


def test_a_long_file_is_read_in_stretches_that_say_how_to_go_on(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": "\r\n".join(str(n) for n in range(1, 11))})
    with Workspace(tmp_path) as tree:
        assert tools.read_lines(tree, "a.txt", 3, 2) == "3\n4\n[lines 3 to 4 of 10; go on with first=5]"
        assert tools.read_lines(tree, "a.txt", 9, 50) == "9\n10"


def test_names_are_listed_without_what_git_ignores(tmp_path: Path) -> None:
    lay_out(tmp_path, {".gitignore": "*.log\n", "a/b/c.py": "x", "a/d.log": "x", "a/e.py": "x", ".git/config": "x"})
    with Workspace(tmp_path) as tree:
        assert tools.list_folder(tree, "") == ".gitignore\na/"
        assert tools.list_folder(tree, "a") == "b/\ne.py"
        assert tools.find_files(tree, "*.py", "") == "a/b/c.py\na/e.py"
        assert tools.find_files(tree, "*.rs", "") == "No file matches *.rs."


def test_lines_are_found_with_their_numbers_and_many_are_cut(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": "x\nY = 1\n", "b.bin": b"Y\0", "many/c.txt": "Z\n" * 5000, "many/d.txt": "Z\n" * 5000})
    lay_out(tmp_path, {f"many/{n}.txt": "Z\n" * 300 for n in range(5)})
    with Workspace(tmp_path) as tree:
        assert tools.find_lines(tree, "y =", (), ignores_case=True) == "a.py:2:Y = 1"
        assert tools.find_lines(tree, "Z", (), ignores_case=False).endswith("[more than 500; narrow the search]")
        with pytest.raises(BadInputError, match="cannot be understood"):
            tools.find_lines(tree, "(", (), ignores_case=False)


@pytest.mark.parametrize(("path", "said"), [("no.txt", "does not exist"), ("d", "is no file"), ("b", "binary file")])
def test_what_is_no_text_file_is_said(tmp_path: Path, path: str, said: str) -> None:
    lay_out(tmp_path, {"d/x": "", "b": b"\0"})
    with Workspace(tmp_path) as tree, pytest.raises(BadInputError, match=said):
        tools.read_text(tree, path)


@pytest.mark.req("S2-32")
def test_the_instructions_of_a_project_are_named_and_a_link_out_of_it_is_not_followed(tmp_path: Path) -> None:
    lay_out(tmp_path, {"ws/AGENTS.md": "Be brief.\n", "secret.md": "secret"})
    (tmp_path / "ws" / "CLAUDE.md").symlink_to("../secret.md")
    with Workspace(tmp_path / "ws") as tree:
        told = instructions(tree, "/ws")
    assert "(AGENTS.md)\n\nBe brief." in told
    assert "secret" not in told
    assert "{{" not in told
