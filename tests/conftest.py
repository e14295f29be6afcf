"""What every test may rely on: a private state folder, a neutral git, and one steady hypothesis profile."""

import itertools
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.support.requirements_plugin", "tests.support.agents_summary"]

# Set before Qt is loaded: no test uses the session bus of the person who runs it.
os.environ["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
os.environ.pop("XDG_RUNTIME_DIR", None)

# The default run is a gate, so it draws the same examples every time; `--hypothesis-profile=wide` goes looking.
settings.register_profile(
    "tandem", deadline=None, derandomize=True, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("wide", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("tandem")

TESTS = Path(__file__).parent
UI = TESTS / "ui"
LONG = (TESTS / "screens", TESTS / "attacks", TESTS / "integration", UI / "window")
PERSON = {"GIT_AUTHOR_NAME": "A Person", "GIT_AUTHOR_EMAIL": "person@example.org"}
COMMITTER = {"GIT_COMMITTER_NAME": "A Person", "GIT_COMMITTER_EMAIL": "person@example.org"}


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deal the files with long tests to all parallel workers, to be run first.

    A worker begins with a stretch of the list of its own; one long test at the end of it would keep the others waiting.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    longest_first = sorted(files, key=lambda path: not any(folder in path.parents for folder in LONG))
    dealt = [path for worker in range(workers) for path in longest_first[worker::workers]]
    if workers > 1:
        items[:] = [item for path in dealt for item in files[path]]


@pytest.fixture(scope="session")
def state_folder_names(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """One fresh name per test; the folder appears only when Tandem makes it, outside every `tmp_path`."""
    base = tmp_path_factory.mktemp("state")
    return (str(base / str(number)) for number in itertools.count())


@pytest.fixture(autouse=True)
def apart_from_this_machine(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, state_folder_names: Iterator[str]
) -> None:
    """No test reads or writes the state, the settings or the git configuration of the person who runs it.

    Only tests of the window may open one.
    """
    if UI not in request.path.parents:
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
            monkeypatch.delenv(name, raising=False)
    state = next(state_folder_names)
    monkeypatch.setenv("TANDEM_STATE_DIR", state)
    monkeypatch.delenv("TANDEM_LOG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", f"{state}-config")
    # A name nobody else has: git replaces this file when it is told to write to it.
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", f"{state}-gitconfig")
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name, value in {**PERSON, **COMMITTER}.items():
        monkeypatch.setenv(name, value)


@pytest.fixture(scope="session")
def memory_base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder in memory where there is one: a test of order and content need not wait for a disk."""
    shared = Path("/dev/shm")
    if not os.access(shared, os.W_OK):
        yield tmp_path_factory.mktemp("memory")
        return
    folder = Path(tempfile.mkdtemp(prefix="tandem-test-", dir=shared))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def memory_path(memory_base: Path) -> Iterator[Path]:
    """Like `tmp_path`, in memory."""
    folder = Path(tempfile.mkdtemp(dir=memory_base))
    yield folder
    shutil.rmtree(folder, ignore_errors=True)
