"""Turn whatever went wrong into a refusal with a sentence, and keep the evidence of a bug."""

import traceback
from datetime import UTC, datetime
from pathlib import Path

from tandem_desktop.domain.errors import StorageError, TandemError, UnexpectedError


def as_refusal(error: Exception) -> TandemError:
    """The error as one with a sentence, an exit code and a next step."""
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
    from tandem_desktop.storage import atomic
    from tandem_desktop.storage.locations import default_state_directory

    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    path = default_state_directory() / "logs" / f"bug-{moment}.log"
    try:
        atomic.make_directory(path.parent, mode=0o700)
        atomic.create(path, evidence.encode("utf-8", "backslashreplace"), mode=0o600)
    except OSError:
        return None
    return path
