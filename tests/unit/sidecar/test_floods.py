"""An agent that floods costs little memory, whatever it floods, and never a hang."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.sidecar.limits import MIB

ROOT = Path(__file__).resolve().parents[3]
MOST_GROWTH = 128 * MIB


def flooded(how: str, size: int, limit_s: float = 60) -> dict[str, Any]:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.support.flooded", how, str(size)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=limit_s,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    result: dict[str, Any] = json.loads(ended.stdout)
    print(f"{how}, {size:,}: memory grew by {result['grew'] / MIB:.1f} MiB, ended with {result['ended']}")
    return result


ENDINGS = [
    ("stdout", "agent_protocol"),
    ("noise", "agent_protocol"),
    ("stderr", "end_turn"),
    ("stderr-line", "end_turn"),
]


@pytest.mark.parametrize(("how", "ending"), ENDINGS)
def test_a_flood_is_met_in_little_memory(how: str, ending: str) -> None:
    result = flooded(how, 64 * MIB)
    assert result["ended"] == ending
    assert result["grew"] < MOST_GROWTH


def test_a_flood_of_requests_is_answered_in_little_memory() -> None:
    result = flooded("requests", 5_000)
    assert result["ended"] == "end_turn"
    assert result["grew"] < MOST_GROWTH


@pytest.mark.exhaustive
@pytest.mark.parametrize(("how", "ending"), ENDINGS)
def test_a_flood_of_a_gigabyte_is_met_in_little_memory(how: str, ending: str) -> None:
    result = flooded(how, 1024 * MIB, limit_s=300)
    assert result["ended"] == ending
    assert result["grew"] < MOST_GROWTH


@pytest.mark.exhaustive
def test_a_hundred_thousand_requests_are_answered_in_little_memory() -> None:
    result = flooded("requests", 100_000, limit_s=600)
    assert result["ended"] == "end_turn"
    assert result["grew"] < MOST_GROWTH
