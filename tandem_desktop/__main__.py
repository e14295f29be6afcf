"""Runs the tandem command with `python -m tandem_desktop`."""

import sys
from pathlib import Path

from tandem_desktop.app.main import main, main_window

if __name__ == "__main__":
    sys.exit(main_window() if Path(sys.argv[0]).stem == "tandem-desktop" else main())
