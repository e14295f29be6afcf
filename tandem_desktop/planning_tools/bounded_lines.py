"""Read lines from a stranger without ever holding more than a fixed number of bytes."""

from asyncio import StreamReader
from collections.abc import AsyncIterator
from dataclasses import dataclass

CHUNK = 64 * 1024
EDGE = 512
"""How much of both ends of an overlong line is kept, to find out what it was about."""


@dataclass(frozen=True, slots=True)
class OverlongLine:
    """A line that was skipped."""

    size: int
    head: bytes
    tail: bytes


async def bounded_lines(reader: StreamReader, limit: int) -> AsyncIterator[bytes | OverlongLine]:
    """Every line without its end; one longer than `limit` is skipped and only told of. The last may lack its end."""
    held = bytearray()
    skipped = 0
    head = b""
    while data := await reader.read(CHUNK):
        *ended, rest = data.split(b"\n")
        for piece in ended:
            held += piece
            size = skipped + len(held)
            if size > limit:
                yield OverlongLine(size, head or bytes(held[:EDGE]), bytes(held[-EDGE:]))
            else:
                yield bytes(held)
            held.clear()
            skipped, head = 0, b""
        held += rest
        if skipped + len(held) > limit:
            head = head or bytes(held[:EDGE])
            skipped += max(0, len(held) - EDGE)
            del held[:-EDGE]
    if held and not skipped:
        yield bytes(held)
