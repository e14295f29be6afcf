"""Converts exceptions and disk errors to Tandem errors and keeps bug reports."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from tandem_desktop.domain.errors import StorageError, TandemError, UnexpectedError


def as_refusal(error: Exception) -> TandemError:
    """Convert an exception to an error with a message, an exit code and a next step."""
    if isinstance(error, TandemError):
        return error
    if isinstance(error, OSError) and error.errno is not None:
        return _disk_said_no(error)
    return _bug(error)


def _disk_said_no(error: OSError) -> StorageError:
    path = error.filename if isinstance(error.filename, str) else None
    where = f"{path}: " if path else "The system refused: "
    return StorageError(
        f"{where}{error.strerror}.",
        path=path,
        next="Check free space and permissions there, then try again; tandem doctor looks for more.",
    )


def _bug(error: Exception) -> UnexpectedError:
    evidence = "".join(traceback.format_exception(error))
    log = _keep(evidence)
    where = f"The details are in {log}" if log else f"The details could not be saved:\n{evidence}"
    return UnexpectedError(
        f"This is a bug in Tandem ({type(error).__name__}: {error}).",
        path=str(log) if log else None,
        next=f"{where}. Check your workspace with: tandem doctor",
    )


def _keep(evidence: str) -> Path | None:
    from tandem_desktop.storage import atomic as storage_atomic
    from tandem_desktop.storage.paths import default_state_directory

    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    path = default_state_directory() / "logs" / f"bug-{moment}.log"
    try:
        storage_atomic.make_directory(path.parent, mode=0o700)
        storage_atomic.create(path, evidence.encode("utf-8", "backslashreplace"), mode=0o600)
    except OSError:
        return None
    return path


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Convert an OSError while writing `path` to a StorageError.

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
    """Convert an OSError while reading `path` to a StorageError.

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
