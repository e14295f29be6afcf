"""What runs a program that is a script: the interpreter its first line names, or the one that `env` finds."""

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_LONGEST_LINE = 256
_MOST_SCRIPTS = 5
"""Both as the kernel has them: the rest of a first line is not read, and no script is run by a script without end."""
_BEGINNING = 4096
_FAR_AWAY = re.compile(rb"#!/bin/sh\n'''exec' (.+) \"\$0\" \"\$@\"\n")
"""How installers of Python packages write a first line that would be too long, or has a space in it."""
_TO_SPLIT = re.compile(r"(?:-[iv0]*S|--split-string=?)\s*")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """What has to be there for a program to start."""

    name: str
    path: Path | None
    """Where it was found; None where it is not."""


def interpreters(argv: Sequence[str], search_path: str) -> Iterator[Interpreter]:
    """What runs `argv`, then what runs that; nothing for a program that runs by itself.

    Where it is not certain what will be looked for, only what was found is told.
    """
    words = tuple(argv)
    for _ in range(2 * _MOST_SCRIPTS):  # each of them may ask `env`
        by_env = Path(words[0]).name == "env"
        called = _called_by_env(words[1:]) if by_env else (*_first_line(Path(words[0])), *words)
        if not called or called == words:
            return
        found = _found(called[0], search_path)
        is_certain = not by_env or called == words[1:]
        if found is not None or is_certain:
            yield Interpreter(called[0], found)
        if found is None:
            return
        words = (str(found), *called[1:])


def missing_interpreter(argv: Sequence[str], search_path: str) -> str:
    """The first of them that is not there, by its name; empty where nothing is missing."""
    return next((each.name for each in interpreters(argv, search_path) if each.path is None), "")


def _first_line(program: Path) -> tuple[str, ...]:
    """The words of a script's first line: what runs it, and at most one word for that."""
    try:
        with program.open("rb") as file:
            beginning = file.read(_BEGINNING)
    except OSError:  # it may be run by whoever may not read it
        return ()
    far = _FAR_AWAY.match(beginning)
    named = _split(os.fsdecode(far.group(1))) if far else []
    if named and named[0].startswith("/") and shutil.which(named[0]):
        return (named[0],)
    if not beginning.startswith(b"#!"):
        return ()
    line = os.fsdecode(beginning[2:_LONGEST_LINE].partition(b"\n")[0]).strip(" \t")
    return tuple(re.split(r"[ \t]+", line, maxsplit=1)) if line.startswith("/") else ()


def _called_by_env(words: Sequence[str]) -> tuple[str, ...]:
    """The program `env` is to find, with its words: behind options and assignments."""
    left = list(words)
    while left and (left[0].startswith("-") or "=" in left[0]):
        word = left.pop(0)
        to_split = _TO_SPLIT.match(word)
        if to_split:
            left = [*_split(word[to_split.end() :]), *left]
    return tuple(left)


def _split(words: str) -> list[str]:
    try:
        return shlex.split(words)
    except ValueError:
        return []


def _found(name: str, search_path: str) -> Path | None:
    """Only in absolute folders: what lies in the current one, perhaps a workspace, is another in the sandbox."""
    folders = [each for each in search_path.split(os.pathsep) if each.startswith("/")]
    found = shutil.which(name, path=os.pathsep.join(folders))
    return Path(found) if found else None
