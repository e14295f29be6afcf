"""Asks a provider which models it has, and a model for one word; a process of its own, as the agent is one."""

import asyncio
import json
import os
import sys
import time
import urllib.error
import urllib.request
from typing import Any

from tandem_desktop.builtin_agent.model_errors import address_of, model_error
from tandem_desktop.builtin_agent.models import ModelChoice, build_model, chosen_model
from tandem_desktop.domain.errors import BadInputError, TandemError

LIST, ASK = "--list-models", "--try-model"
_TIMEOUT_S = 30.0
_MOST_BYTES = 8 * 1024 * 1024
_MOST_ANSWER = 200


def main(what: str) -> int:
    """Print one JSON object: the models, or the answer and its time, or the problem and what to do."""
    try:
        choice = chosen_model(os.environ)
        if choice is None:
            raise BadInputError("No model is named.", next="Choose a provider first.")
        found = _listed(choice) if what == LIST else asyncio.run(_answered(choice))
    except TandemError as error:
        found = {"problem": error.message, "next": error.next}
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


def _listed(choice: ModelChoice) -> dict[str, Any]:
    """Raises ModelError."""
    base = address_of(choice).rstrip("/")
    is_anthropic = choice.provider == "anthropic"
    if not base.startswith(("http://", "https://")):
        raise BadInputError(f"{base} is no address.", next="It begins with http:// or https://.")
    key = choice.key or ""
    headers = {"x-api-key": key, "anthropic-version": "2023-06-01"} if is_anthropic else {}
    if key and not is_anthropic:
        headers["Authorization"] = f"Bearer {key}"
    url = f"{base}/v1/models?limit=1000" if is_anthropic else f"{base}/models"
    try:
        asked = urllib.request.Request(url, headers=headers)  # noqa: S310 - the scheme is checked above
        with urllib.request.urlopen(asked, timeout=_TIMEOUT_S) as answer:  # noqa: S310 - likewise
            names = _names(json.loads(answer.read(_MOST_BYTES)))
    except urllib.error.HTTPError as refusal:
        refusal.status_code, refusal.body = refusal.code, refusal.read(_MOST_BYTES)  # type: ignore[attr-defined]  # as the model's library names them
        raise model_error(refusal, choice) from refusal
    except (OSError, ValueError) as error:
        raise model_error(error, choice) from error
    return {"models": names}


def _names(found: object) -> list[str]:
    """Of `{"data": [{"id": …}]}`, the shape of every provider."""
    rows = found.get("data") if isinstance(found, dict) else None
    names = [row.get("id") for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return sorted({name.removeprefix("models/") for name in names if isinstance(name, str) and name})


async def _answered(choice: ModelChoice) -> dict[str, Any]:
    """Raises ModelError."""
    from pydantic_ai import Agent
    from pydantic_ai.exceptions import AgentRunError, UserError

    agent = Agent(build_model(choice))
    begun = time.monotonic()
    try:
        result = await asyncio.wait_for(agent.run("Answer with the one word: ready"), _TIMEOUT_S)
    except TimeoutError as error:
        slow = OSError(0, f"no answer within {_TIMEOUT_S:g} seconds")
        raise model_error(slow, choice) from error
    except (AgentRunError, UserError, OSError) as error:
        raise model_error(error, choice) from error
    return {"answer": str(result.output).strip()[:_MOST_ANSWER], "seconds": round(time.monotonic() - begun, 1)}
