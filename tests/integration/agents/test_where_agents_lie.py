"""An agent is started from wherever it lies, and sees no more for it."""

import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.sidecars import AGENTS

SCRIPT = '{"turns": [[{"do": "shell", "script": "ls -a %s > seen.txt 2>&1; exit 0"}]]}'


@pytest.fixture
def temporary() -> Iterator[Path]:
    """A folder of its own among the temporary files, which are hidden from agents."""
    folder = Path(tempfile.mkdtemp(prefix="tandem-agent-", dir="/tmp"))
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("linked", [False, True])
def test_a_program_among_the_temporary_files_is_shown_to_itself_alone(
    place: AgentPlace, temporary: Path, linked: bool
) -> None:
    script = temporary / "agent.py"
    shutil.copyfile(AGENTS / "scripted_agent.py", script)
    python = temporary / "bin" / "python" if linked else Path(sys.executable)
    if linked:
        python.parent.mkdir()
        python.symlink_to(sys.executable)
    other = Path(tempfile.mkdtemp(prefix="tandem-other-", dir="/tmp"))
    try:
        command = [str(python), "-S", "-E", str(script), SCRIPT % "/tmp"]
        plan = place.plan("--agent-command", shlex.join(command))
    finally:
        other.rmdir()
    assert kinds_and_paths(plan) == [("create", "seen.txt")]
    seen = place.shadow_tree(plan["session_id"])["seen.txt"].decode().split()
    assert temporary.name in seen
    assert other.name not in seen


def test_an_agent_beside_the_workspace_does_not_uncover_what_is_hidden(place: AgentPlace) -> None:
    """Its folder holds the workspace and the state as well; they stay what they are to it."""
    steps = {"do": "shell", "script": f"ls -A {shlex.quote(str(place.state))} > seen.txt; touch .tandem/x"}
    plan = place.plan(*place.scripted([steps]))
    assert place.shadow_tree(plan["session_id"])["seen.txt"].split() in ([b"agents"], [b"agents", b"sockets"])
    assert plan["confined"]
