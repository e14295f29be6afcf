"""A folder opens as a workspace and a patch as a plan for its project; what does not fit is told in the window."""

from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.cli.main import run_command_line

PATCH = "--- a/app.py\n+++ b/app.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"


class Windows:
    """Remembers what it was asked to show."""

    def __init__(self) -> None:
        self.shown: list[tuple[Path | None, str | None, str]] = []

    def __call__(self, root: Path | None, plan: str | None, words: str) -> int:
        self.shown.append((root, plan, words))
        return 0


def serve_nothing(*words: object) -> None:
    raise AssertionError("nothing is served here")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "project" / "mail").mkdir()
    (tmp_path / "project" / "app.py").write_text("x = 1\n")
    return tmp_path / "project"


def opened(path: Path) -> tuple[Path | None, str | None, str]:
    windows = Windows()
    assert run_command_line(["gui", str(path)], build_engine, windows, serve_nothing, serve_nothing) == 0
    (found,) = windows.shown
    return found


def test_a_folder_is_the_workspace(project: Path) -> None:
    assert opened(project) == (project, None, "")


def test_a_patch_becomes_a_plan_for_the_project_it_lies_in(project: Path) -> None:
    patch = project / "mail" / "fix.patch"
    patch.write_text(PATCH)
    root, plan, words = opened(patch)
    assert (root, words) == (project, "")
    engine = build_engine(project)
    (made,) = engine.plans.list().plans
    assert made.plan_id == plan
    assert (project / "app.py").read_text() == "x = 1\n"


def test_a_patch_that_does_not_fit_is_told_in_the_window(project: Path) -> None:
    patch = project / "fix.patch"
    patch.write_text(PATCH.replace("-x = 1", "-x = 9"))
    root, plan, words = opened(patch)
    assert (root, plan) == (project, None)
    assert words.startswith("fix.patch: ")


def test_a_patch_outside_any_project_is_for_its_own_folder_if_it_fits_there(tmp_path: Path) -> None:
    (tmp_path / "loose").mkdir()
    patch = tmp_path / "loose" / "fix.patch"
    patch.write_text(PATCH)
    root, plan, words = opened(patch)
    assert (root, plan) == (None, None)
    assert "fix.patch lies in no project" in words
    assert "tandem -C PROJECT review fix.patch" in words
    (tmp_path / "loose" / "app.py").write_text("x = 1\n")
    root, plan, words = opened(patch)
    assert (root, words) == (tmp_path / "loose", "")
    assert plan is not None
