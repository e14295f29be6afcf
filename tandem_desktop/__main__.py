"""`python -m tandem_desktop` is the `tandem` command."""

import sys

from tandem_desktop.app.main import main

if __name__ == "__main__":
    sys.exit(main())
