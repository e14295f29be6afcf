"""Plans with commands, as bytes an engine takes."""

import json
from typing import Any


def plan_json(*steps: dict[str, Any]) -> bytes:
    return json.dumps({"title": "A plan", "steps": list(steps)}).encode()


def named(step: dict[str, Any], name: str, *blocked_by: str) -> dict[str, Any]:
    """The step under a name of its own, waiting for others."""
    return {**step, "id": name, "blocked_by": list(blocked_by)}
