"""The session bus of the desktop is used; none is started."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.processes.child import prevent_autolaunch


@pytest.fixture
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A runtime directory with a listening bus."""
    monkeypatch.chdir(tmp_path)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("bus")
        yield tmp_path


def test_without_a_session_bus_none_is_started(tmp_path: Path) -> None:
    environment = {"XDG_RUNTIME_DIR": str(tmp_path)}
    prevent_autolaunch(environment)
    assert environment["DBUS_SESSION_BUS_ADDRESS"] == "disabled:"


def test_without_a_runtime_directory_no_session_bus_is_started() -> None:
    environment: dict[str, str] = {}
    prevent_autolaunch(environment)
    assert environment == {"DBUS_SESSION_BUS_ADDRESS": "disabled:"}


def test_a_request_to_start_a_session_bus_is_refused(runtime: Path) -> None:
    environment = {"DBUS_SESSION_BUS_ADDRESS": "autolaunch:", "XDG_RUNTIME_DIR": str(runtime)}
    prevent_autolaunch(environment)
    assert environment["DBUS_SESSION_BUS_ADDRESS"] == "disabled:"


def test_a_file_in_the_place_of_the_bus_is_no_bus(tmp_path: Path) -> None:
    (tmp_path / "bus").write_text("")
    environment = {"XDG_RUNTIME_DIR": str(tmp_path)}
    prevent_autolaunch(environment)
    assert environment["DBUS_SESSION_BUS_ADDRESS"] == "disabled:"


def test_the_bus_in_the_runtime_directory_stays_in_use(runtime: Path) -> None:
    environment = {"XDG_RUNTIME_DIR": str(runtime)}
    prevent_autolaunch(environment)
    assert environment == {"XDG_RUNTIME_DIR": str(runtime)}


def test_a_named_session_bus_stays_in_use() -> None:
    environment = {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus"}
    prevent_autolaunch(environment)
    assert environment == {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/user/1000/bus"}
