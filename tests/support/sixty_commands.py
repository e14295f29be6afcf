"""Sixty commands as agents write them, a workspace for them, and what each really does to it, found out by doing it."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.support.tree_walker import Node, walk

RUFF = f"{shlex.quote(sys.executable)} -m ruff"

FILES = {
    "README.md": "# A project\n\nalpha text\nxylophone\n",
    "src/app.py": "def main( ):\n    return 1\n",
    "src/util.py": "def helper():\n    return 'alpha'\n",
    "data/names.txt": "gamma\nalpha\nbeta\nalpha\n",
    "data/table.csv": "id,name\n1,one\n2,two\n3,three\n",
    "data/config.json": '{"name": "alpha", "list": [1, 2, 3]}\n',
    "docs/guide.md": "# Guide\n\nfirst\nsecond\n",
    "scripts/run.sh": "#!/bin/sh\necho run\n",
    "with space.txt": "a name with a space\n",
    "notes/über.txt": "ümläut\n",
    "old.txt": "old\ntext\n",
    "debug.log": "noise\n",
    "build/out.o": "object\n",
    ".gitignore": "build/\n*.log\n",
    "fix.patch": "--- a/old.txt\n+++ b/old.txt\n@@ -1,2 +1,2 @@\n-old\n+new\n text\n",
    "fix2.patch": "--- a/docs/guide.md\n+++ b/docs/guide.md\n@@ -3,2 +3,3 @@\n first\n second\n+third\n",
}

SIXTY = (
    "sed -i 's/alpha/ALPHA/' data/names.txt",
    "sed -i -e '1d' -e 's/one/ONE/' data/table.csv",
    "echo 'a new line' >> README.md",
    "printf 'one\\ntwo\\n' > made.txt",
    ": > emptied.txt",
    "cat > heredoc.txt <<'EOF'\nline $HOME\nend\nEOF",
    "cat >> README.md <<EOF\nhome is $HOME\nEOF",
    "git apply fix2.patch",
    "patch -s -p1 < fix.patch",
    "mv made.txt renamed.txt",
    "mv docs manual",
    "cp README.md README.bak",
    "cp -r src src2",
    "cp -p scripts/run.sh scripts/copy.sh",
    "rm README.bak",
    "rm -r src2",
    "mkdir -p a/b/c",
    "mkdir -m 700 private",
    "rmdir a/b/c",
    "ln -s README.md readme-link",
    "ln -sfn manual/guide.md readme-link",
    "ln README.md hard.md",
    "chmod +x src/app.py",
    "chmod 600 data/config.json",
    "chmod -R g+w manual",
    "touch touched.txt",
    "touch README.md",
    "truncate -s 10 data/table.csv",
    "echo tee | tee data/tee.txt > /dev/null",
    "sort -o data/names.txt data/names.txt",
    "sort -u data/names.txt > data/unique.txt",
    "awk '{print NR\": \"$0}' data/names.txt > data/numbered.txt",
    "tr 'a-z' 'A-Z' < README.md > UPPER.md",
    "head -n 2 README.md > head.tmp && mv head.tmp README.md",
    "find . -name '*.log' -delete",
    "find src -name '*.py' -exec sed -i 's/return/return  /' {} +",
    "grep -rl --include='*.md' Guide . | sort | xargs -r sed -i 's/Guide/Handbook/'",
    "python3 -c \"import pathlib; p = pathlib.Path('src/util.py'); p.write_text(p.read_text().upper())\"",
    "python3 - <<'EOF'\nimport json\nc = json.load(open('data/config.json'))\nc['more'] = True\n"
    "json.dump(c, open('data/config.json', 'w'))\nEOF",
    "python3 -m json.tool data/config.json > data/pretty.json",
    f"{RUFF} format -q --no-cache src/app.py",
    "git add README.md heredoc.txt",
    "git mv old.txt older.txt",
    "git rm -qf fix.patch",
    "git config core.pager cat && git tag first",
    "git checkout -q -- scripts/run.sh data/table.csv",
    "tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf archive.tar data",
    "mkdir unpacked && tar -xf archive.tar -C unpacked",
    "gzip -kn UPPER.md && gunzip -c UPPER.md.gz > again.md",
    "split -l 1 data/names.txt part-",
    'for each in part-*; do mv "$each" "$each.txt"; done',
    "rm -rf build && install -D -m 755 scripts/run.sh bin/run",
    "dd if=/dev/zero of=zeros.bin bs=1k count=4 status=none",
    "sha256sum README.md UPPER.md > sums.txt; base64 README.md > base64.txt",
    "perl -pi -e 's/alpha/omega/' README.md src/util.py",
    't=$(mktemp) && sort README.md > "$t" && cat "$t" > sorted.md && rm "$t"',
    "(cd notes && cat über.txt '../with space.txt' > 'both of them.txt' && rm über.txt)",
    "rm touched.txt && ln -s nowhere touched.txt; unlink readme-link; mkdir readme-link",
    "git -c user.name=A -c user.email=a@b.c commit -qm 'a commit has a time in it'",
    "date > stamp.txt",
)
"""The last two cannot be predicted by anybody, and have to say so."""
TWELVE = (0, 2, 5, 8, 10, 11, 17, 23, 34, 37, 41, 59)


class Done(NamedTuple):
    """What happened to one path."""

    kind: str
    after: Node | None


def fill(root: Path) -> None:
    """The workspace, with a git repository around it."""
    for name, text in FILES.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    (root / "scripts/run.sh").chmod(0o755)
    identity = ("-c", "user.name=A", "-c", "user.email=a@b.c")
    for words in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "begin")):
        subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


def really_do(root: Path, commands: tuple[str, ...]) -> list[dict[str, Done]]:
    """Run the commands in the workspace itself, one after the other, and walk the tree around each."""
    names = ("HOME", "PATH", "LANG", "LC_ALL", "TMPDIR")
    environment = {name: os.environ[name] for name in names if name in os.environ} | {"TERM": "dumb"}
    bash = shutil.which("bash") or "/bin/bash"
    found = []
    before = walk(root)
    for command in commands:
        argv = [bash, "--noprofile", "--norc", "-c", command]
        subprocess.run(argv, cwd=root, env=environment, check=True, capture_output=True, stdin=subprocess.DEVNULL)
        after = walk(root)
        found.append(_between(before, after))
        before = after
    return found


def _between(before: dict[str, Node], after: dict[str, Node]) -> dict[str, Done]:
    done = {}
    for path in before.keys() | after.keys():
        old, new = before.get(path), after.get(path)
        if old != new:
            done[path] = Done(_kind(old, new), new)
    return done


def _kind(old: Node | None, new: Node | None) -> str:
    if new is None:
        return "delete"
    if old is not None and old[0] == new[0] and new[0] != "link":
        return "chmod" if old[2] == new[2] else "modify"
    if new[0] == "file":
        return "create" if old is None else "modify"
    return {"link": "symlink", "folder": "mkdir"}[new[0]]
