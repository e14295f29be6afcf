"""The project of the guide's pictures: a small service whose logins are to be limited, and the agent that does it."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

from tests.support.agent_scripts import Step, Steps
from tests.support.command_line import bash, edit, write
from tests.ui.pictures.stage import Stage

TASK = "Limit login to 5 attempts a minute per address, with a test."
TITLE = "Limit login attempts"
TEST = "python3 -B -m unittest -q"
LOGIN = '''"""Log in, and out again."""

from orders.users import find_user
from orders.sessions import new_session


def login(name, password, address):
    account = find_user(name)
    if not account.knows(password):
        raise PermissionError(name)
    return new_session(account)


def logout(session):
    session.forget()
'''
LIMITED = LOGIN.replace(
    "from orders.sessions import new_session\n",
    "from orders.ratelimit import Bucket\nfrom orders.sessions import new_session\n\nATTEMPTS = Bucket(rate=5)\n",
).replace("    account =", "    ATTEMPTS.take(address)\n    account =", 1)
LIMITER = '''"""At most so many attempts a minute."""

from collections import defaultdict
from time import monotonic


class Bucket:
    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._taken: dict[str, list[float]] = defaultdict(list)

    def take(self, address: str) -> None:
        now = monotonic()
        recent = [then for then in self._taken[address] if now - then < 60]
        if len(recent) >= self._rate:
            raise PermissionError("too many attempts, wait a minute")
        self._taken[address] = [*recent, now]
'''
CHECK = """import unittest

from orders.ratelimit import Bucket


class Limit(unittest.TestCase):
    def test_sixth_attempt_is_refused(self) -> None:
        bucket = Bucket(rate=5)
        for _ in range(5):
            bucket.take("192.0.2.7")
        with self.assertRaises(PermissionError):
            bucket.take("192.0.2.7")
"""
_FILES = {
    "README.md": "# orders-api\n\nTakes orders, once somebody is logged in.\n",
    "orders/__init__.py": "",
    "orders/users.py": "def find_user(name):\n    return None\n",
    "orders/sessions.py": "def new_session(account):\n    return str(id(account))\n",
    "orders/login.py": LOGIN,
    "orders/settings.py": 'SITE = "orders.example.org"\nLANGUAGE = "en"\n',
    "tests/__init__.py": "",
}


def furnish(stage: Stage) -> None:
    """The service in the place of the sample."""
    shutil.rmtree(stage.workspace)
    for name, text in _FILES.items():
        path = stage.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "main", stage.workspace], check=True)


def run(command: str, words: str) -> dict[str, Any]:
    return {**bash(command), "description": words}


def steps_of() -> tuple[dict[str, Any], ...]:
    """The same work as a plan in steps."""
    return (
        write("orders/ratelimit.py", LIMITER, description="Count the attempts of each address"),
        edit(
            "orders/login.py",
            "    account =",
            "    ATTEMPTS.take(address)\n    account =",
            description="Ask before looking up the account",
        ),
        write("tests/test_ratelimit.py", CHECK, description="Prove that the sixth attempt is refused"),
        run(TEST, "Run the tests"),
    )


def the_turn(workspace: Path) -> list[Step]:
    """What the agent does when it is asked to limit logins."""
    steps = Steps(workspace)
    written = (("orders/ratelimit.py", LIMITER), ("orders/login.py", LIMITED), ("tests/test_ratelimit.py", CHECK))
    script: list[Step] = [
        steps.say("I read `orders/login.py` and its callers. Attempts are counted per address, in memory.\n\n")
    ]
    for number, (path, text) in enumerate(written, start=1):
        call = f"call-{number}"
        old = LOGIN if path == "orders/login.py" else None
        script += [steps.ask_to_write(call, path, text, old), steps.write(path, text), steps.ended(call)]
    script += [steps.ask_to_run("call-4", TEST)]
    said = "The limit is in place: five attempts a minute per address, the sixth is refused. The tests run last."
    return [*script, steps.say(said)]
