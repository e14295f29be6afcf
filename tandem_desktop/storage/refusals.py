"""Where the disk says no, Tandem says which path and what to do about it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tandem_desktop.domain.errors import StorageError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error of the system while writing `path` into a sentence.

    Raises:
        StorageError: the disk refused.
    """
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror or error}.",
            path=str(path),
            next="Check free space and permissions there, then try again.",
        ) from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn an error of the system while reading `path` into a sentence.

    Raises:
        StorageError: the disk refused.
    """
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{path} cannot be read: {error.strerror or error}.",
            path=str(path),
            next="Check its permissions, then try again.",
        ) from error
