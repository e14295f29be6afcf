"""Tests for reading Python without a parser."""

import argparse
import ast
import asyncio.base_events
import inspect
import io
import textwrap
import tokenize
import typing
from types import ModuleType

import pytest

from tandem_desktop.diff.hunk_classes import ChangedLines, changed_lines
from tandem_desktop.diff.hunks import hunks
from tandem_desktop.diff.parser_pool import ParserPool
from tandem_desktop.diff.proofs import prove
from tandem_desktop.diff.python_text import read_python, windows


@pytest.mark.parametrize("module", [argparse, asyncio.base_events, ast, inspect, textwrap, tokenize, typing])
def test_it_finds_the_comments_and_strings_that_python_finds(module: ModuleType) -> None:
    content = inspect.getsource(module).encode()
    starts = [0]
    for line in io.BytesIO(content):
        starts.append(starts[-1] + len(line))
    found: dict[int, list[str]] = {tokenize.COMMENT: [], tokenize.STRING: []}
    for token in tokenize.tokenize(io.BytesIO(content).readline):
        if token.type in found:
            found[token.type].append(token.string.lstrip("rbufRBUF"))

    text = read_python(content)

    assert text is not None
    assert [content[start:end].decode() for start, end in text.comments] == found[tokenize.COMMENT]
    assert [content[start:end].decode() for start, end in text.strings] == found[tokenize.STRING]


@pytest.mark.parametrize(
    "content",
    [
        b'a = f"{b["c"]}"\n',
        b'a = f"{\'}\' + b["c"]}"\n',
        b'a = f"""{ f\'\'\'{"""b"""}\'\'\' }"""\n',
        b'a = rf"{b["c"]}"\n',
        b"a = 'b\n",
        b'a = """b\n',
        b"# a\rb = 1\n",
    ],
)
def test_it_says_nothing_where_versions_of_python_see_other_ends_of_strings(content: bytes) -> None:
    assert read_python(content) is None


@pytest.mark.parametrize(
    "content", [b"a = f'{b[\"c\"]}'\n", b'a = f"{b:>{c}} {{}}"\n', b'a = f"""{b}\n{c!r}"""\n', b'a = ""\n']
)
def test_it_knows_the_end_of_plain_formatted_strings(content: bytes) -> None:
    text = read_python(content)

    assert text is not None
    assert len(text.strings) == 1


_METHODS = "".join(
    f"    def method{number}(self):\n        return [{number},\n            1]\n\n" for number in range(40)
)


def test_changes_far_from_each_other_are_looked_at_by_their_definitions() -> None:
    before = f"class A:\n{_METHODS}".encode()
    after = before.replace(b"[3,\n            1]", b"[3, 1]").replace(b"[30,\n            1]", b"[30, 2]")
    changes = [*changed_lines(hunks(before, after))]

    found = windows(before, after, changes)

    assert [len(window.after.splitlines()) for window in found] == [5, 5]
    assert [lines.new for lines, _ in prove("a.py", before, after, changes)] == [(changes[0].new)]


def test_a_definition_within_a_string_begins_nothing() -> None:
    lines = ("TEXT = '''\n", "def a():\n", "    b = 1\n", "\n", "def c():\n", "    pass\n", "'''\n")
    before = "".join(lines).encode()
    after = before.replace(b"b = 1\n\n", b"b  =  1\n")
    changes = [*changed_lines(hunks(before, after))]

    assert [window.after for window in windows(before, after, changes)] == [after]
    assert prove("a.py", before, after, changes) == ()


def test_lines_that_end_a_definition_are_no_part_of_it() -> None:
    before = (
        b"class A:\n    def b(self):\n        return 1\n\n    c = [\n  1,\n  2]\n\n    def d(self):\n        return 1\n"
    )
    after = before.replace(b"[\n  1,\n  2]", b"[1, 2]")
    changes = [*changed_lines(hunks(before, after))]

    assert prove("a.py", before, after, changes) == tuple((each, "format") for each in changes)


def test_a_backslash_above_a_definition_is_seen() -> None:
    before = b"a = 1\nb = \\\ndef c():\n    d = (1,\n         2)\n"
    after = before.replace(b"(1,\n         2)", b"(1, 2)")

    assert windows(before, after, [ChangedLines(1, (3, 5), (3, 4))])[0].shift == (0, 0)


def test_the_definitions_of_many_large_files_are_found_by_one_parser() -> None:
    content = f"class A:\n{_METHODS * 30}".encode()

    found = ParserPool().definitions([("a.py", content)] * 12)

    assert [len(each) for each in found] == [1_201] * 12
