"""Read JSON from strangers: every oddity of the format becomes a sentence, none becomes a surprise."""

import codecs
import json
import math
import re
from typing import Any, NoReturn

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown

MAX_BYTES = 64 * 1024 * 1024
MAX_DEPTH = 100
MAX_DIGITS = 400

_NEXT = "Correct the plan and propose it again."
_SAVE = "Save it as UTF-8 without a byte order mark and propose it again."
_UTF16 = re.compile(rb"(?:\0[^\0]|[^\0]\0)", re.DOTALL)


def read_json(raw: bytes, *, max_bytes: int = MAX_BYTES) -> Any:
    """The document in `raw`.

    Raises:
        BadInputError: it is too large, not UTF-8, not JSON, or JSON that two readers could understand differently.
    """
    if len(raw) > max_bytes:
        raise BadInputError(
            f"The plan has {len(raw):,} bytes; the limit is {max_bytes:,}.", next="Split it into several plans."
        )
    text = _decoded(raw)
    if not text.strip():
        raise BadInputError("The plan is empty.", next="Hand in a JSON object with a title and steps.")
    try:
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_no_constant,
            parse_int=_whole_number,
            parse_float=_number,
        )
    except json.JSONDecodeError as error:
        raise BadInputError(
            f"The plan is not valid JSON: {error.msg} at line {error.lineno}, column {error.colno}.", next=_NEXT
        ) from None
    except RecursionError:
        raise BadInputError("The plan is nested too deeply to be read.", next=_NEXT) from None


def check_loose_value(value: Any, where: str) -> None:
    """Refuse a value of free shape that could not be stored: too deep, or text that is not Unicode.

    Raises:
        BadInputError: with `where` as the place.
    """
    waiting: list[tuple[Any, int]] = [(value, 1)]
    while waiting:
        item, depth = waiting.pop()
        if depth > MAX_DEPTH:
            raise BadInputError(f"{where} is nested deeper than {MAX_DEPTH} levels.", next=_NEXT)
        if isinstance(item, dict):
            waiting.extend((part, depth + 1) for pair in item.items() for part in pair)
        elif isinstance(item, list):
            waiting.extend((part, depth + 1) for part in item)
        elif isinstance(item, str) and not _is_unicode(item):
            raise BadInputError(
                f"{where} contains half of a surrogate pair, which is not a character: {shown(item)!r}.", next=_NEXT
            )


def _decoded(raw: bytes) -> str:
    if raw.startswith(codecs.BOM_UTF8):
        raise BadInputError("The plan begins with a byte order mark.", next=_SAVE)
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_BE)) or _UTF16.match(raw):
        raise BadInputError("The plan is in UTF-16 or UTF-32, not UTF-8.", next=_SAVE)
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInputError(f"The plan is not UTF-8: byte {error.start} cannot be read.", next=_SAVE) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]  # add answers None
        raise BadInputError(f"The plan has the key {shown(twice)!r} twice in one object.", next="Keep one of the two.")
    return found


def _no_constant(name: str) -> NoReturn:
    raise BadInputError(f"The plan contains {name}, which is not a number in JSON.", next=_NEXT)


def _whole_number(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise BadInputError(f"The plan contains a number with {len(digits):,} digits.", next=_NEXT)
    return int(digits)


def _number(digits: str) -> float:
    value = float(digits) if len(digits) <= MAX_DIGITS else math.inf
    if not math.isfinite(value):
        raise BadInputError(f"The plan contains the number {digits[:20]}, which is too large or too long.", next=_NEXT)
    return value


def _is_unicode(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
