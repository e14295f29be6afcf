import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tandem_desktop.recipes.sources import SourceSelection, literal, source_paths
from tandem_desktop.storage.workspace import Workspace
from tests.support.recipes import lay_out

PATTERNS = st.lists(
    st.sampled_from(
        ["*.log", "!keep.log", "build/", "/top.txt", "a/**", "!a/b/", "**/deep", "#x", "d*", " ", "\\!odd"]
    ),
    max_size=4,
).map("\n".join)
FILES = ["top.txt", "x.log", "keep.log", "a/top.txt", "a/x.log", "a/b/keep.log", "a/deep", "build/x", "docs/d", "!odd"]


@given(PATTERNS, PATTERNS)
@example("*.log", "!keep.log")
@example("!keep.log", "*.log")
def test_what_git_ignores_is_not_source(tmp_path_factory: pytest.TempPathFactory, above: str, below: str) -> None:
    root = lay_out(tmp_path_factory.mktemp("ws"), dict.fromkeys(FILES, "x"))
    lay_out(root, {".gitignore": above, "a/.gitignore": below})
    git = ["git", "-c", "init.defaultBranch=main", "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True, env={**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null"})
    listed = subprocess.run(
        [*git, "ls-files", "-z", "--others", "--exclude-standard"], check=True, capture_output=True, text=True
    )
    with Workspace(root) as tree:
        assert sorted(source_paths(tree)) == sorted(listed.stdout.split("\0")[:-1])


def test_a_literal_pattern_means_one_path_however_odd(tmp_path: Path) -> None:
    odd = "we[i]rd *?! #name.txt"
    lay_out(tmp_path, {odd: "x", "weird.txt": "x", f"sub/{odd}": "x"})
    with Workspace(tmp_path) as tree:
        assert list(SourceSelection((literal(odd),)).paths(tree)) == [odd]


def test_a_walk_below_a_folder_knows_what_is_ignored_above_it(tmp_path: Path) -> None:
    lay_out(tmp_path, {".gitignore": "*.tmp\n", "src/a.py": "x", "src/b.tmp": "x", "c.py": "x"})
    with Workspace(tmp_path) as tree:
        assert list(source_paths(tree, "src")) == ["src/a.py"]
