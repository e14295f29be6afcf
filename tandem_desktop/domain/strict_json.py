"""Finds JSON that two readers could understand differently."""

import json
from collections.abc import Iterable
from typing import Any

from tandem_desktop.domain.paths import shown


class RepeatedKeyError(ValueError):
    """A key stands twice in one object: one reader takes the first value, another the last."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For `object_pairs_hook`: the object, if no key stands twice in it.

    Raises:
        RepeatedKeyError: one does.
    """
    found = dict(pairs)
    if len(found) != len(pairs):
        raise RepeatedKeyError(_repeated(key for key, _ in pairs))
    return found


def ambiguity(data: bytes) -> str | None:
    """Why a document that another reader took for JSON is not clear, as a clause; None if it is."""
    try:
        json.loads(
            data, object_pairs_hook=unique_keys, parse_int=_anything, parse_float=_anything, parse_constant=_anything
        )
    except RepeatedKeyError as found:
        return f"the key {shown(found.key)!r} is there twice in one object"
    except (ValueError, RecursionError):
        return "it is JSON that not every reader understands"
    return None


def _repeated(keys: Iterable[str]) -> str:
    seen: set[str] = set()
    for key in keys:
        if key in seen:
            return key
        seen.add(key)
    raise AssertionError("no key is repeated")


def _anything(digits: str) -> int:
    """Numbers are not looked at here, whatever their length."""
    return 0
