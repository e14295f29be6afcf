"""Contents that the tests and the pictures of the diff share."""

AUTH_BEFORE = b'''from fastapi import APIRouter

from app.settings import Settings
from app.users import users

router = APIRouter()


class Login:
    """What a person sends."""

    email: str
    password: str


# Routes


@router.post("/login")
async def login(body: Login):
    user = await users.by_email(body.email)
    if user is None:
        raise Unauthorized()
    return user


@router.post("/logout")
async def logout():
    return None


def unused():
    return 1


def end():
    return 2
'''
AUTH_AFTER = (
    AUTH_BEFORE.replace(
        b"async def login(body: Login):",
        b"@limited(lambda s: s.login_rate)\nasync def login(body: Login, request: Request):",
    )
    .replace(b"if user is None:", b"if user is None or not user.active:")
    .replace(b"return 2", b"return 3")
)


def a_long_edit() -> tuple[bytes, bytes]:
    """Some hundred lines in functions, a few of them changed, far apart."""
    functions = [
        f'def number_{n}(value: int) -> int:\n    """Add {n} to it.\n\n    Over lines.\n    """\n'
        f"    return value + {n}\n\n"
        for n in range(60)
    ]
    before = "\n".join(functions)
    after = before.replace("return value + 3\n", "extra = 3\n    return value + extra\n")
    after = after.replace("value + 31\n", "value + 32\n").replace("value + 50\n", "value - 50\n")
    return before.encode(), after.encode()
