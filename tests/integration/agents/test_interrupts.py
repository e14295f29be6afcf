"""Ctrl-C while an agent works: the call ends with its exit code, the agent is gone, its work waits to be finished."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_runs import AgentPlace, write_by_client
from tests.support.patience import PATIENCE_S
from tests.support.shadows import wait_until

ROOT = Path(__file__).resolve().parents[3]
STUBBORN = 'trap "" TERM INT HUP; (trap "" TERM INT HUP; while :; do sleep 1; done) & touch "$HOME/busy"; wait'


@contextmanager
def at_work(place: AgentPlace) -> Iterator["subprocess.Popen[str]"]:
    """A call whose stubborn agent has written a file and does not stop by itself."""
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
        wait_until(lambda: place.in_custom_home("busy") is not None)
        yield process
    finally:
        process.kill()
        process.wait()


def interrupted(place: AgentPlace, number: signal.Signals) -> tuple[int, dict[str, Any], str]:
    """A run that is stopped while its agent works: exit code, answer and remarks."""
    with at_work(place) as process:
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_S)
    return process.returncode, json.loads(out), err


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        pytest.param(signal.SIGINT, marks=pytest.mark.exhaustive),  # the next test sends it as well
        pytest.param(signal.SIGHUP, marks=pytest.mark.exhaustive),
    ],
)
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


def test_what_an_interrupted_agent_had_done_is_kept_and_cannot_be_approved_until_it_is_finished(
    place: AgentPlace,
) -> None:
    _, data, _ = interrupted(place, signal.SIGINT)
    plan_id, session = data["plan_id"], data["session_id"]
    assert [each["path"] for each in data["operations"]] == ["new.txt"]
    assert data["incomplete"]
    assert "kept" in data["error"]["message"]
    assert f"run --session {session}" in data["error"]["next"]
    refused = place.tandem("approve", plan_id, "--digest", data["digest"], "--json")
    assert (refused.code, refused.data["error"]["kind"]) == (3, "not_approvable")
    assert session in refused.data["error"]["next"]

    done = place.scripted([{"do": "say", "text": "Done."}])
    plan = place.plan(*done, "--session", session, task="Go on.")
    assert (plan["plan_id"], plan["incomplete"]) == (plan_id, "")
    assert [each["path"] for each in plan["operations"]] == ["new.txt"]
    place.tandem.answer("approve", plan_id, "--digest", plan["digest"])


def test_a_second_signal_ends_the_agent_at_once(place: AgentPlace) -> None:
    before = place.sight()
    with at_work(place) as process:
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        while "once more" not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, json.loads(out)["error"]["kind"]) == (4, "aborted")
    place.assert_nothing_left()
    assert place.sight() == before


def test_a_session_that_is_busy_elsewhere_is_refused(place: AgentPlace) -> None:
    with at_work(place) as process:
        (session,) = (path.name for path in (place.state / "sessions").iterdir())
        record = (place.state / "sessions" / session / "session.json").read_bytes()
        said = place.run("--agent", "built-in", "--session", session)
        assert (said.code, said.data["error"]["kind"]) == (3, "busy")
        assert "busy" in said.data["error"]["message"]
        assert said.data["error"]["next"]
        assert (place.state / "sessions" / session / "session.json").read_bytes() == record
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE_S)
