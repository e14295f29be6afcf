"""The `tandem` command with a gate that only counts: `python -m tests.support.gated_command FILE WORDS…`.

What passed the seam is written to FILE as JSON when the command has ended.
"""

import json
import sys
from pathlib import Path

from tandem_desktop.app.main import main
from tandem_desktop.storage import syscalls

if __name__ == "__main__":
    seen: list[str] = []
    with syscalls.gated(lambda call, what: seen.append(call)):
        code = main(sys.argv[2:])
    Path(sys.argv[1]).write_text(json.dumps(seen), encoding="utf-8")
    sys.exit(code)
