"""The D-Bus session bus: used where the desktop runs one, never started."""

import stat
from collections.abc import MutableMapping
from pathlib import Path

ADDRESS = "DBUS_SESSION_BUS_ADDRESS"
RUNTIME_DIRECTORY = "XDG_RUNTIME_DIR"
DISABLED = "disabled:"
"""An address that libdbus, GLib and jeepney refuse at once."""


def prevent_autolaunch(environment: MutableMapping[str, str]) -> None:
    """Disable the session bus where none is running. Call it before Qt connects to the bus.

    Without an address and without a bus in the runtime directory libdbus starts `dbus-launch` where dbus-x11 is
    installed. The daemon has no desktop services behind it, outlives the window and keeps the window's environment.
    """
    address = environment.get(ADDRESS, "")
    if address.startswith("autolaunch:") or (not address and not _has_user_bus(environment)):
        environment[ADDRESS] = DISABLED


def _has_user_bus(environment: MutableMapping[str, str]) -> bool:
    directory = environment.get(RUNTIME_DIRECTORY)
    if not directory:
        return False
    try:
        return stat.S_ISSOCK(Path(directory, "bus").stat().st_mode)
    except OSError:
        return False
