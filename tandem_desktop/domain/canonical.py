"""One way to write a value as bytes, so that equal things always have equal digests."""

import hashlib
import json
from typing import Any


def canonical(value: Any) -> bytes:
    """Sorted keys, UTF-8, no white space, no NaN."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def digest(domain: str, payload: bytes) -> str:
    """SHA-256 of `payload` under a domain, so that a digest of one thing is never one of another."""
    return hashlib.sha256(b"tandem:" + domain.encode() + b"\0" + payload).hexdigest()
