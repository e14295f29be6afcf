"""Changes that people recorded in public histories: what a plan for the same task would hold.

The clones lie in the folder `git` beside the releases (`tests/benchmarks/releases.py`), as bare repositories:
`git clone --bare ADDRESS ~/.cache/tandem-releases/git/NAME`. Which commits are taken is a rule, not a choice: of
each kind of task the newest of each repository in turn whose subject names it.
"""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from tests.benchmarks.releases import cache

KINDS = {
    "format": re.compile(
        r"\b(?:re)?format|\bblack\b|\bruff\b|\bprettier\b|\blint|\bcode ?style|\bpyupgrade\b|\bgofmt\b", re.I
    ),
    "rename": re.compile(r"\brenam", re.I),
    "move": re.compile(r"\bmov(?:e|ed|ing)\b|\bextract|\bsplit|\brelocat|\breorgani[sz]e", re.I),
    "comments": re.compile(r"\bcomments?\b|\bdocstrings?\b|\btypos?\b|\bcopyright|\blicen[sc]e header", re.I),
    "refactoring": re.compile(r"\brefactor|\bclean(?:s|ed)? ?up|\bsimplif", re.I),
    "behaviour": re.compile(r"\b(?:fix|add|support|implement)(?:s|es|ed)?\b", re.I),
}
_NEWEST = 6_000
_LINES = range(20, 4_001)
_FILES = range(1, 151)


@dataclass(frozen=True)
class Commit:
    """What one commit changed: path, content before and after; None where there is no file."""

    name: str
    kind: str
    files: tuple[tuple[str, bytes | None, bytes | None], ...]


def commits(count: int) -> Iterator[Commit]:
    """As many of each kind, of all repositories in turn; the next kind goes on with the next repository."""
    repositories = sorted(path for path in (cache() / "git").glob("*") if (path / "HEAD").is_file())
    taken: set[str] = set()
    each_kind = count // len(KINDS)
    for number, kind in enumerate(KINDS):
        left = each_kind
        at = number * each_kind % max(1, len(repositories))
        streams = [_of_kind(path, kind) for path in (*repositories[at:], *repositories[:at])]
        for commit in (each for turn in zip_longest(*streams) for each in turn if each is not None):
            if not left:
                break
            if commit.name not in taken:
                taken.add(commit.name)
                left -= 1
                yield commit


def _of_kind(repository: Path, kind: str) -> Iterator[Commit]:
    """The newest commits of a repository whose subject names a kind of task, and no kind before it."""
    log = _git(repository, "log", "--no-merges", f"-{_NEWEST}", "--format=%H %s").decode("utf-8", "replace")
    for line in log.splitlines():
        identity, _, subject = line.partition(" ")
        named = next((each for each, pattern in KINDS.items() if pattern.search(subject)), None)
        if named == kind and _is_fit(repository, identity):
            files = tuple(_files(repository, identity))
            if len(files) in _FILES:
                yield Commit(f"{repository.name} {identity[:10]} {subject[:50]}", kind, files)


def _is_fit(repository: Path, identity: str) -> bool:
    """Whether it is large enough to be worth a measure, and not too large; not if the clone lacks some of it."""
    try:
        counts = _git(repository, "show", "--format=", "--numstat", "--no-renames", identity).decode("utf-8", "replace")
    except subprocess.CalledProcessError:
        return False
    numbers = [int(each) for line in counts.splitlines() for each in line.split("\t")[:2] if each.isdigit()]
    return sum(numbers) in _LINES


def _files(repository: Path, identity: str) -> Iterator[tuple[str, bytes | None, bytes | None]]:
    raw = _git(repository, "diff-tree", "-r", "-z", "--no-renames", "--no-commit-id", identity).split(b"\0")
    for told, path in zip(raw[::2], raw[1::2], strict=False):
        modes, blobs = told[1:].split()[:2], told[1:].split()[2:4]
        if any(mode not in (b"100644", b"100755", b"000000") for mode in modes):
            continue
        sides = [_git(repository, "cat-file", "blob", blob.decode()) if int(blob, 16) else None for blob in blobs]
        if not any(side is not None and b"\0" in side for side in sides):
            yield path.decode("utf-8", "replace"), sides[0], sides[1]


def _git(repository: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=True).stdout
