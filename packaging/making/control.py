"""Write what dpkg wants to know of the tree: control and the checksums.

`python packaging/making/control.py ROOT ARCHITECTURE GLIBC` writes ROOT/DEBIAN.
"""

import hashlib
import sys
from pathlib import Path

from tree import filled


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
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
