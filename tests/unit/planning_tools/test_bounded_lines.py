"""However the bytes arrive, lines come out whole, overlong ones are told of, and little is ever held."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.planning_tools.server import EDGE, OverlongLine, bounded_lines

LIMIT = 20


async def read(chunks: list[bytes], limit: int) -> list[bytes | OverlongLine]:
    reader = asyncio.StreamReader()
    found: list[bytes | OverlongLine] = []

    async def take() -> None:
        found.extend([line async for line in bounded_lines(reader, limit)])

    taking = asyncio.create_task(take())
    for chunk in chunks:
        reader.feed_data(chunk)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    reader.feed_eof()
    await taking
    return found


@given(st.lists(st.binary(max_size=60).map(lambda line: line.replace(b"\n", b"")), max_size=8), st.integers(1, 40))
def test_lines_come_whole_or_are_told_of_however_they_are_cut(lines: list[bytes], size: int) -> None:
    data = b"".join(line + b"\n" for line in lines)
    found = asyncio.run(read([data[at : at + size] for at in range(0, len(data), size)], LIMIT))
    assert len(found) == len(lines)
    for line, answer in zip(lines, found, strict=True):
        if len(line) > LIMIT:
            assert isinstance(answer, OverlongLine)
            assert answer.size == len(line)
            assert answer.head
            assert (line[: len(answer.head)], line[-len(answer.tail) :]) == (answer.head, answer.tail)
        else:
            assert answer == line


async def test_both_ends_of_a_huge_line_are_kept_and_the_next_line_is_read() -> None:
    huge = b"{" + b"x" * 1_000_000 + b"}"
    chunks = [huge[at : at + 10_000] for at in range(0, len(huge), 10_000)]
    found = await read([*chunks, b"\nnext\n"], 100_000)
    assert found[1:] == [b"next"]
    assert isinstance(found[0], OverlongLine)
    assert found[0].size == len(huge)
    assert (found[0].head[:2], found[0].tail[-2:]) == (b"{x", b"x}")
    assert len(found[0].head) + len(found[0].tail) <= 2 * EDGE


async def test_a_last_line_without_its_end_still_counts_unless_it_was_too_long() -> None:
    assert await read([b"a\nb"], LIMIT) == [b"a", b"b"]
    assert await read([b"a\n" + b"b" * 5000], LIMIT) == [b"a"]
