"""Converts errors to HTTP responses."""

from typing import Any

from starlette.responses import JSONResponse

from tandem_desktop.domain.errors import (
    BadInputError,
    PlanNotFoundError,
    RunNotFoundError,
    StorageError,
    TandemError,
    UnexpectedError,
)

CONFLICT = 409
_STATUS: tuple[tuple[type[TandemError], int], ...] = (
    (PlanNotFoundError, 404),
    (RunNotFoundError, 404),
    (BadInputError, 422),
    (StorageError, 503),
    (UnexpectedError, 500),
)

EVERYWHERE = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}


class RequestRefusedError(TandemError):
    """The request itself cannot be answered: who asks, from where, or in which form."""

    kind = "request_refused"
    exit_code = 2

    def __init__(self, status: int, message: str, *, next: str = "", headers: dict[str, str] | None = None) -> None:  # noqa: A002 - as in TandemError
        super().__init__(message, next=next)
        self.status = status
        self.headers = headers or {}


def status_of(error: TandemError) -> int:
    """What is not the fault of the request's form is a conflict with how things stand."""
    if isinstance(error, RequestRefusedError):
        return error.status
    return next((status for kind, status in _STATUS if isinstance(error, kind)), CONFLICT)


def refusal(error: TandemError) -> JSONResponse:
    """The answer; the connection ends with it, so that nothing of a bad request is read on."""
    own = error.headers if isinstance(error, RequestRefusedError) else {}
    headers = {**EVERYWHERE, "Connection": "close", **own}
    return JSONResponse(error_line(error), status_code=status_of(error), headers=headers)


def error_line(error: TandemError) -> dict[str, Any]:
    return {"error": error.as_object()}
