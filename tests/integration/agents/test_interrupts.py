"""Ctrl-C while an agent works: the call ends with its exit code, the agent is gone, and nothing is left."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_runs import AgentPlace, write_by_client
from tests.support.shadows import wait_until

ROOT = Path(__file__).resolve().parents[3]
STUBBORN = 'trap "" TERM INT HUP; (trap "" TERM INT HUP; while :; do sleep 1; done) & touch "$HOME/busy"; wait'


def interrupted(place: AgentPlace, number: signal.Signals) -> tuple[int, dict[str, Any], str]:
    """A run that is stopped while a stubborn agent works: exit code, answer and remarks."""
    steps = [write_by_client(place.root / "new.txt", "new\n"), {"do": "shell", "script": STUBBORN}]
    words = ["-C", str(place.root), "run", "--json", "--task", "Do it.", *place.scripted(steps)]
    process = subprocess.Popen(
        [sys.executable, "-m", "tandem_desktop", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until((place.state / "agents" / "custom" / "home" / "busy").exists, 60)
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    return process.returncode, json.loads(out), err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_interrupted_ends_its_agent_and_leaves_the_workspace_alone(
    place: AgentPlace, number: signal.Signals
) -> None:
    before = place.sight()
    code, data, remarks = interrupted(place, number)
    assert (code, data["error"]["kind"]) == (4, "aborted")
    assert data["error"]["next"]
    assert data["error"]["message"] in remarks
    place.assert_nothing_left()
    assert place.sight() == before


def test_what_an_interrupted_agent_had_done_is_still_in_its_session(place: AgentPlace) -> None:
    _, data, _ = interrupted(place, signal.SIGINT)
    done = place.scripted([{"do": "say", "text": "Done."}])
    plan = place.plan(*done, "--session", data["session_id"], task="Go on.")
    assert [each["path"] for each in plan["operations"]] == ["new.txt"]
