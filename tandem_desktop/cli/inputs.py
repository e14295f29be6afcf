"""Read what a person hands in, a file or standard input, and say plainly what is wrong with it."""

import sys
from pathlib import Path

from tandem_desktop.cli.console import Console
from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.paths import shown

MAX_BYTES = 64 * 1024 * 1024
STANDARD_INPUT = "-"


def read_input(name: str, what: str, console: Console, limit: int = MAX_BYTES) -> bytes:
    """The bytes of `name`, at most `limit`: as many as any plan may have, unless said otherwise.

    Raises:
        BadInputError: there is no such file, it cannot be read, or it is too large.
    """
    try:
        data = _standard_input(what, console, limit) if name == STANDARD_INPUT else _file(name, limit)
    except OSError as error:
        raise BadInputError(
            f"{shown(name)} cannot be read: {error.strerror or error}.",
            path=name,
            next=f"Name a file that holds {what}, or - for standard input.",
        ) from error
    except ValueError as error:  # a name with a NUL in it
        raise BadInputError(f"{shown(name)} is no file name: {error}.", path=name, next="Name another file.") from error
    if len(data) > limit:
        raise BadInputError(
            f"{shown(name)} has more than {limit:,} bytes.", path=name, next="Split it into several plans."
        )
    return data


def _file(name: str, limit: int) -> bytes:
    with Path(name).open("rb") as file:
        return file.read(limit + 1)


def _standard_input(what: str, console: Console, limit: int) -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise BadInputError("Standard input is closed.", next=f"Name a file that holds {what}.")
    if sys.stdin.isatty():
        console.remark(f"Reading {what} from the terminal; end it with Ctrl-D.")
    return sys.stdin.buffer.read(limit + 1)
