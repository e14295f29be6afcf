"""An agent that floods costs little memory, whatever it floods, and never a hang."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tandem_desktop.acp_client.connection import MIB

ROOT = Path(__file__).resolve().parents[3]
MOST_GROWTH = 128 * MIB
ENDINGS = {
    "noise": "agent_protocol",
    "stderr": "end_turn",
    "stderr-line": "end_turn",
    "requests": "end_turn",
    "stdout": "agent_protocol",
}


def flood(limit_s: float, **sizes: int) -> None:
    """Meet each flood in a fresh process; each ends as it should and costs little."""
    words = [f"{how.replace('_', '-')}={size}" for how, size in sizes.items()]
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.flooded", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    for met in json.loads(ended.stdout):
        print(f"{met['how']}: memory grew by {met['grew'] / MIB:.1f} MiB, ended with {met['ended']}")
        assert met["ended"] == ENDINGS[met["how"]]
        assert met["grew"] < MOST_GROWTH


def test_a_flood_is_met_in_little_memory() -> None:
    size = 64 * MIB
    flood(120, noise=size, stderr=size, stderr_line=size, requests=2_000, stdout=size)


@pytest.mark.exhaustive
@pytest.mark.parametrize("how", ["noise", "stderr", "stderr_line", "stdout"])
def test_a_flood_of_a_gigabyte_is_met_in_little_memory(how: str) -> None:
    flood(600, **{how: 1024 * MIB})


@pytest.mark.exhaustive
def test_a_hundred_thousand_requests_are_answered_in_little_memory() -> None:
    flood(1200, requests=100_000)
