"""What runs a script is found the way the kernel and `env` find it."""

import os
import sys
from pathlib import Path

import pytest

from tandem_desktop.processes.child import interpreters
from tests.support.temporary import make_program

ENV = "/usr/bin/env"


def running(*argv: object, path: Path | None = None) -> list[tuple[str, str | None]]:
    found = interpreters([str(word) for word in argv], str(path or "/nowhere"))
    return [(each.name, str(each.path) if each.path else None) for each in found]


def named(*places: object) -> list[tuple[str, str | None]]:
    return [(str(place), str(place)) for place in places]


@pytest.mark.parametrize("words", ["", " -u", "\t-S -E x"])
def test_what_the_first_line_names_runs_a_script(tmp_path: Path, words: str) -> None:
    python = make_program(tmp_path / "bin/python")
    script = make_program(tmp_path / "agent", f"#! {python}{words}")
    assert running(script, "--acp") == named(python)


def test_a_program_that_is_no_script_runs_by_itself(tmp_path: Path) -> None:
    assert running(Path(sys.executable).resolve(), "-m", "agent") == []
    assert running(tmp_path / "gone") == []


@pytest.mark.parametrize("words", ["node", "-S node --harmony", "-vSnode", "-S NODE_ENV=x node", "--split-string=node"])
def test_env_finds_it_on_the_search_path(tmp_path: Path, words: str) -> None:
    node = make_program(tmp_path / "nvm/bin/node")
    script = make_program(tmp_path / "agent", f"#!{ENV} {words}")
    assert running(script, path=node.parent) == [(ENV, ENV), ("node", str(node))]


def test_env_in_the_command_itself_is_followed(tmp_path: Path) -> None:
    python = make_program(tmp_path / "bin/python")
    make_program(tmp_path / "agents/agent", f"#!{python}")
    found = running(ENV, "A=b", "agent", "--acp", path=tmp_path / "agents")
    assert found == [("agent", str(tmp_path / "agents/agent")), *named(python)]


def test_a_script_may_be_run_by_a_script(tmp_path: Path) -> None:
    python = make_program(tmp_path / "python")
    wrapper = make_program(tmp_path / "wrapper", f"#!{python} -I")
    assert running(make_program(tmp_path / "agent", f"#!{wrapper}")) == named(wrapper, python)


@pytest.mark.parametrize("quote", ["", '"', "'"])
def test_a_first_line_too_long_for_the_kernel_is_read_as_installers_write_it(tmp_path: Path, quote: str) -> None:
    python = make_program(tmp_path / ("with space" if quote else "far") / ("d" * 200) / "python")
    text = f"'''exec' {quote}{python}{quote} \"$0\" \"$@\"\n' '''\nimport this\n"
    assert running(make_program(tmp_path / "agent", "#!/bin/sh", text)) == named(python)


def test_a_first_line_made_out_when_it_runs_is_left_to_the_shell(tmp_path: Path) -> None:
    text = """'''exec' "$(dirname -- "$(realpath -- "$0")")"/'python' "$0" "$@"\n' '''\n"""
    found = running(make_program(tmp_path / "agent", "#!/bin/sh", text))
    assert found[0] == ("/bin/sh", "/bin/sh")


def test_an_interpreter_that_is_gone_is_told(tmp_path: Path) -> None:
    gone = str(tmp_path / "venv/bin/python")
    assert running(make_program(tmp_path / "one", f"#!{gone}")) == [(gone, None)]
    assert running(make_program(tmp_path / "two", f"#!{ENV} node")) == [(ENV, ENV), ("node", None)]


def test_where_it_is_not_certain_what_env_looks_for_nothing_is_called_missing(tmp_path: Path) -> None:
    assert running(ENV, "-u", "NAME", "agent") == []
    assert running(ENV, f"PATH={tmp_path}", "agent") == []


def test_a_script_that_is_run_by_itself_is_not_followed_for_ever(tmp_path: Path) -> None:
    script = tmp_path / "agent"
    make_program(script, f"#!{script}")
    assert len(running(script)) <= 10


def test_nothing_is_looked_for_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_program(tmp_path / "node")
    monkeypatch.chdir(tmp_path)
    found = interpreters([ENV, "node"], os.pathsep.join(["", ".", "/nowhere"]))
    assert [each.path for each in found] == [None]
