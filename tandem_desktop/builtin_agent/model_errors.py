"""What a model's refusal or silence means, in a sentence with a remedy."""

import json
import os
from collections.abc import Iterator
from typing import Any

from tandem_desktop.builtin_agent.models import ANTHROPIC_ADDRESS, OLLAMA_ADDRESS, OPENAI_ADDRESS, ModelChoice
from tandem_desktop.domain.errors import ModelError

_USUAL = {"anthropic": ANTHROPIC_ADDRESS, "openai": OPENAI_ADDRESS, "ollama": OLLAMA_ADDRESS}
_MOST_WORDS = 300
_BAD_GATEWAY, _UNREACHED = 502, " cannot be reached: "
_CHECK_KEY = "Check the key of the model."
_BY_STATUS = {
    400: ("did not understand the request", "Choose another model."),
    401: ("refused the key", _CHECK_KEY),
    402: ("wants to be paid first", "Look at your account with this provider."),
    403: ("refused the key", _CHECK_KEY),
    404: ("does not know the model {name}", "Choose another model, or check the address."),
    429: ("has had too many requests, or your quota is used up", "Wait a moment, then try again."),
}


def address_of(choice: ModelChoice) -> str:
    """Where the model is served."""
    return choice.address or _USUAL.get(choice.provider, choice.provider)


def model_error(error: BaseException, choice: ModelChoice) -> ModelError:
    """Why the model did not answer, without the key."""
    address = address_of(choice)
    status = next((found for each in _chain(error) if (found := _status(each))), 0)
    if status:
        body = next((each.body for each in _chain(error) if getattr(each, "body", None)), None)
        usual = ("failed", "Try again in a moment.") if status >= 500 else ("refused", "Look at the model's settings.")
        what, then = _BY_STATUS.get(status, usual)
        said = _sentence(body)
        if status == _BAD_GATEWAY and _UNREACHED in said:  # the proxy of the agent's network says why
            return _no_connection(choice, said.partition(_UNREACHED)[2])
        words = f"{address} {what.format(name=choice.name)} ({status})" + (f": {said}" if said else ".")
        return ModelError(choice.redacted(words), next=then)
    if _is_of_the_network(error):
        cause = _last_cause(error)
        return _no_connection(choice, cause)
    return ModelError(choice.redacted(f"{address} gave no usable answer: {_ended(str(error))}"), next="Try again.")


def _no_connection(choice: ModelChoice, cause: str) -> ModelError:
    words = f"No connection to {address_of(choice)}" + (f": {cause}" if cause else ".")
    return ModelError(choice.redacted(words), next="Check the address, and whether the server runs.")


def _status(error: BaseException) -> int:
    found = getattr(error, "status_code", None)
    return found if isinstance(found, int) else 0


def _chain(error: BaseException) -> Iterator[Any]:
    """The error and what led to it, the outermost first."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = seen.__cause__ or seen.__context__


def _is_of_the_network(error: BaseException) -> bool:
    names = " ".join(type(each).__name__ for each in _chain(error))
    return any(isinstance(each, OSError) for each in _chain(error)) or "Connect" in names or "Timeout" in names


def _last_cause(error: BaseException) -> str:
    """The innermost reason that says something."""
    for each in reversed(tuple(_chain(error))):
        words = _of_system(each) if isinstance(each, OSError) else str(each)
        if words and "All connection attempts failed" not in words:
            return _ended(words)
    return ""


def _of_system(error: OSError) -> str:
    """What the system calls it; asyncio writes its own words over that."""
    return os.strerror(error.errno) if error.errno and error.errno > 0 else error.strerror or str(error)


def _sentence(body: object) -> str:
    """What the provider said, out of whatever it wrapped that into."""
    found: Any = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except ValueError:
            return "" if found.lstrip().startswith("<") else _ended(found)  # a page for a browser says nothing here
    while isinstance(found, dict):
        found = next((found[name] for name in ("error", "message", "detail", "details") if found.get(name)), "")
    return _ended(found) if isinstance(found, str) else ""


def _ended(words: str) -> str:
    words = " ".join(words.split())[:_MOST_WORDS]
    return words if not words or words.endswith((".", "!", "?")) else f"{words}."
