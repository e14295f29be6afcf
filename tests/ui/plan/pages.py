"""Plan pages for tests and pictures: the rate limit of the orders-api, and whatever a test needs of it."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tandem_desktop.diff.hunks import hunks
from tandem_desktop.domain.approval import ApprovalHash
from tandem_desktop.domain.events import OperationStaged
from tandem_desktop.domain.operations import StagedOperation
from tandem_desktop.domain.plan_states import PlanStatus
from tandem_desktop.domain.runs import OperationResult
from tandem_desktop.review.drift import Drifted
from tandem_desktop.review.operation_view import OperationView, line_counts
from tandem_desktop.services.pages import PlanPage
from tandem_desktop.staging.hazards import flags
from tandem_desktop.ui.plan.row_diff import DiffSource
from tandem_desktop.ui.threads import Commands
from tests.support.builders import (
    SESSION_ID,
    a_chmod,
    a_command,
    a_delete,
    a_meta,
    a_mkdir,
    a_move,
    a_symlink,
    a_version,
    a_write,
)

AUTH_BEFORE = b"""from fastapi import APIRouter

from app.models import Login
from app.users import users

router = APIRouter()


class Unauthorized(Exception):
    pass


def check(password: str, known: str) -> bool:
    return password == known


# The one way in.
@router.post("/login")
async def login(body: Login):
    user = await users.by_email(body.email)
    if user is None:
        raise Unauthorized()
    if not check(body.password, user.password):
        raise Unauthorized()
    return {"token": user.token()}
"""
AUTH_AFTER = (
    AUTH_BEFORE.replace(b"async def login(body: Login):", b"async def login(body: Login, request: Request):")
    .replace(b'@router.post("/login")\n', b'@router.post("/login")\n@limited(lambda s: s.login_rate)\n')
    .replace(b"    if user is None:", b"    if user is None or not user.active:")
    .replace(b"import APIRouter\n", b"import APIRouter, Request\n")
    .replace(b"from app.models import Login\n", b"from app.models import Login\nfrom app.ratelimit import limited\n")
)
RATELIMIT = b"".join(b"line %d of the limiter\n" % number for number in range(61))
SETTINGS_BEFORE = b"class Settings:\n    name: str = 'orders'\n"
SETTINGS_AFTER = (
    SETTINGS_BEFORE + b"\n    login_rate: int = 5\n    login_window_s: int = 60\n    login_burst: int = 2\n"
)
TEST = b"".join(b"def test_%d(): assert limiter(%d)\n" % (number, number) for number in range(57))
THROTTLE = b"".join(b"old line %d\n" % number for number in range(32))

Contents = dict[str, tuple[bytes, bytes]]


def viewed(operation: StagedOperation, before: bytes = b"", after: bytes = b"") -> OperationView:
    """An operation as a reviewer sees it, with the flags it really gets."""
    old = before if operation.base.type == "file" else None
    new = after if operation.after.type == "file" else None
    shown = hunks(before, after) if before != after else ()
    return OperationView(operation, flags(operation, old, new), shown)


def a_staged(view: OperationView) -> OperationStaged:
    """The news of an operation while its agent drafts."""
    operation, counts = view.operation, line_counts(view) if view.hunks else (None, None)
    return OperationStaged(session_id=SESSION_ID, operation=operation, added=counts[0], removed=counts[1])


def a_page(
    *views: OperationView,
    status: PlanStatus = PlanStatus.PROPOSED,
    results: Sequence[OperationResult] = (),
    drifted: Sequence[Drifted] = (),
    latest: int | None = None,
    meta: dict[str, Any] | None = None,
    **fields: Any,
) -> PlanPage:
    version = a_version(*(view.operation for view in views), **{"title": "Rate-limit the login route", **fields})
    facts = {"revision": latest or version.revision, **(meta or {})}
    return PlanPage(
        version=version,
        meta=a_meta(version, status=status, **facts),
        digest=ApprovalHash.of(version).combined_hash,
        views=views,
        tasks=version.tasks,
        results=tuple(results),
        drifted=tuple(drifted),
    )


def the_operations() -> tuple[tuple[OperationView, ...], Contents]:
    """The operations of the target picture, with their contents by operation id."""
    limit = "A token bucket kept in the app state"
    made = [
        (a_write("app/ratelimit.py", RATELIMIT, id="s1", description=limit), b"", RATELIMIT),
        (
            a_write(
                "app/routes/auth.py",
                AUTH_AFTER,
                before=AUTH_BEFORE,
                id="s2",
                description="Apply the limiter to the login route",
            ),
            AUTH_BEFORE,
            AUTH_AFTER,
        ),
        (
            a_write("app/settings.py", SETTINGS_AFTER, before=SETTINGS_BEFORE, id="s3", description=""),
            SETTINGS_BEFORE,
            SETTINGS_AFTER,
        ),
        (a_write("tests/test_ratelimit.py", TEST, id="s4", description=""), b"", TEST),
        (
            a_command("pytest -q tests/test_auth.py tests/test_ratelimit.py", id="s5", timeout_s=120, description=""),
            b"",
            b"",
        ),
        (a_delete("app/old_throttle.py", THROTTLE, id="s6", description=""), THROTTLE, b""),
    ]
    views = tuple(viewed(operation, before, after) for operation, before, after in made)
    return views, {operation.id: (before, after) for operation, before, after in made}


def every_kind() -> tuple[tuple[OperationView, ...], Contents]:
    """One operation of each kind, and a file that is no text."""
    image = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
    made = [
        (a_write("app/new.py", b"a = 1\n", id="k1"), b"", b"a = 1\n"),
        (a_write("app/old.py", b"a = 2\n", before=b"a = 1\n", id="k2"), b"a = 1\n", b"a = 2\n"),
        (a_delete("app/gone.py", b"gone\n", id="k3"), b"gone\n", b""),
        (a_move("app/a.py", "app/b.py", b"same\n", id="k4"), b"same\n", b"same\n"),
        (a_chmod("run.sh", id="k5"), b"#!/bin/sh\n", b"#!/bin/sh\n"),
        (a_symlink("current", "../elsewhere", id="k6"), b"", b""),
        (a_mkdir("docs", id="k7"), b"", b""),
        (a_write("logo.png", image, id="k8"), b"", image),
        (a_command("cd app\nmake all", cwd="tools", env=(("MODE", "fast"),), id="k9", timeout_s=30), b"", b""),
    ]
    views = tuple(viewed(operation, before, after) for operation, before, after in made)
    return views, {operation.id: (before, after) for operation, before, after in made}


def many(count: int) -> tuple[OperationView, ...]:
    """As many edits, each of one line."""
    before, after = b"a = 1\n", b"a = 2\n"
    shown = hunks(before, after)
    return tuple(
        OperationView(a_write(f"src/p{number % 97}/file{number}.py", after, before=before, id=f"m{number}"), (), shown)
        for number in range(count)
    )


def source_of(contents: Contents, commands: Commands, executor: ThreadPoolExecutor) -> DiffSource:
    """Contents that arrive later, through the same crossing as in the window."""

    def load(view: OperationView, done: Callable[[bytes, bytes], None]) -> None:
        future: Future[tuple[bytes, bytes]] = executor.submit(contents.get, view.operation.id, (b"a = 1\n", b"a = 2\n"))
        commands.run(future, lambda both: done(*both))

    return DiffSource(load, commands, executor)
