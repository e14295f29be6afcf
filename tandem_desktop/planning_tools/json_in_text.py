"""Find the JSON object in what a model said, with or without a fence around it."""

import json
from typing import Any

_DECODER = json.JSONDecoder()
_MOST_TRIED = 2000
"""Braces looked at; a text made of them is not worth more."""


def json_in(text: str) -> dict[str, Any] | None:
    """The last object that is not part of another; None where there is none."""
    found: dict[str, Any] | None = None
    place = text.find("{")
    for _ in range(_MOST_TRIED):
        if place < 0:
            break
        try:
            value, end = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            found = value if isinstance(value, dict) and value else found
        place = text.find("{", end)
    return found
