"""A folder without leave to write, for whoever runs the tests."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def read_only(folder: Path) -> Iterator[bool]:
    """Make the folder read-only; yields whether that was possible. For root only a mount can say so."""
    if os.geteuid() != 0:
        folder.chmod(0o555)
        yield True
        folder.chmod(0o755)
        return
    mounted = 0
    for words in (("--bind", str(folder), str(folder)), ("-o", "remount,ro,bind", str(folder))):
        mounted += subprocess.run(["mount", *words], capture_output=True, check=False).returncode == 0
    yield mounted == 2
    if mounted:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
