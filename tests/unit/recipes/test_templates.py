import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError, OutsideWorkspaceError
from tandem_desktop.recipes.templates import bundled_templates
from tests.support.recipes import lay_out, outcome_of, written


@pytest.mark.parametrize("template", bundled_templates())
def test_every_bundled_template_is_filled_completely(tmp_path: Path, template: str) -> None:
    made = written(outcome_of(tmp_path, f'/new-from-template {template} "weather report"'))
    assert made
    for path, content in made.items():
        left = content.decode().replace("${{ ", "")
        assert "{{" not in path + left
        assert not path.startswith("dot-")
        if path.endswith(".toml"):
            tomllib.loads(left)


@pytest.mark.parametrize("template", ["python-module", "python-package"])
def test_the_tests_of_a_python_template_pass_at_once(tmp_path: Path, template: str) -> None:
    lay_out(tmp_path, written(outcome_of(tmp_path, f"/new-from-template {template} weather-report")))
    paths = ["-o", "pythonpath=. src"]
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *paths, "tests"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_a_folder_of_the_workspace_is_a_template_too(tmp_path: Path) -> None:
    files = {
        "kit/{{package}}/main.py": "class {{class}}:  # {{title}}, {{year}}\r\n",
        "kit/logo.bin": b"\0{{name}}",
        "kit/.gitignore": "*.tmp\n",
        "kit/x.tmp": "x",
    }
    lay_out(tmp_path, files)
    assert written(outcome_of(tmp_path, "/new-from-template kit my-thing")) == {
        "my-thing/my_thing/main.py": b"class MyThing:  # My Thing, 2026\r\n",
        "my-thing/logo.bin": b"\0{{name}}",
        "my-thing/.gitignore": b"*.tmp\n",
    }
    assert "lib/my_thing/main.py" in written(outcome_of(tmp_path, "/new-from-template kit my-thing --to lib"))


def test_nothing_is_written_over(tmp_path: Path) -> None:
    lay_out(tmp_path, {"README.md": "mine"})
    with pytest.raises(BadInputError, match=r"README\.md is there already"):
        outcome_of(tmp_path, "/new-from-template readme x")


def test_a_template_or_name_nobody_knows_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="neither a template") as refused:
        outcome_of(tmp_path, "/new-from-template castle x")
    assert "python-package" in refused.value.next
    with pytest.raises(BadInputError, match="cannot be a name"):
        outcome_of(tmp_path, "/new-from-template readme 9")
    with pytest.raises(OutsideWorkspaceError):
        outcome_of(tmp_path, "/new-from-template readme x --to ../elsewhere")
