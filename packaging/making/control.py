"""Write what dpkg wants to know of the tree: control, the checksums, and what it runs besides.

`python packaging/making/control.py ROOT ARCHITECTURE GLIBC` writes ROOT/DEBIAN.
"""

import hashlib
import shutil
import sys
from pathlib import Path

from tree import LINUX, filled

_SCRIPTS = ("postinst", "prerm", "postrm")


def main(words: list[str]) -> int:
    if len(words) != 3:
        print(__doc__)
        return 2
    root, architecture, glibc = Path(words[0]), words[1], words[2]
    files = sorted(path for path in (root / "usr").rglob("*") if path.is_file() and not path.is_symlink())
    sums = [f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(root)}" for path in files]
    target = root / "DEBIAN"
    target.mkdir(exist_ok=True)
    size = sum(path.stat().st_size for path in files) // 1024
    control = filled("control.in", ARCHITECTURE=architecture, GLIBC=glibc, SIZE=size)
    for name, text in {"control": control, "md5sums": "\n".join(sums) + "\n"}.items():
        (target / name).write_text(text, encoding="utf-8")
        (target / name).chmod(0o644)
    for name in (*_SCRIPTS, "triggers"):
        shutil.copyfile(LINUX / name, target / name)
        (target / name).chmod(0o755 if name in _SCRIPTS else 0o644)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
