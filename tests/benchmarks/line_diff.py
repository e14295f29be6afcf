"""How much processor time our hunks cost next to `git diff --patience`, and how many lines each calls changed.

Ours runs from two contents in memory to the finished hunks; git from two files to a written diff, its start included.
Real pairs are taken from the folder named by TANDEM_BENCH_PAIRS, as NAME.before and NAME.after.
"""

import os
import random
import resource
import statistics
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tandem_desktop.diff.hunks import hunks
from tandem_desktop.diff.text import split_lines

GIT = ("git", "diff", "--no-index", "--patience", "--text", "--no-ext-diff", "--no-textconv")
NEUTRAL = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_ATTR_NOSYSTEM": "1",
    "HOME": "/nonexistent",
}
SEED = 20


@dataclass
class Measured:
    """One pair and what was seen in each round, in seconds of processor time."""

    name: str
    before: bytes
    after: bytes
    ours: list[float] = field(default_factory=list)
    git: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        return [ours / git for ours, git in zip(self.ours, self.git, strict=True)]


def main(rounds: int = 9) -> None:
    print(f"Line diff: processor time of ours / git --patience, {rounds} rounds, interleaved and shuffled")
    for name, figures in run(rounds):
        print(f"  {name:<34} {figures}")


def run(rounds: int) -> list[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = [Measured(*pair) for pair in (*_made_pairs(), *_given_pairs())]
        for pair in pairs:
            (folder / f"{pair.name}.before").write_bytes(pair.before)
            (folder / f"{pair.name}.after").write_bytes(pair.after)
        generator = random.Random(SEED)
        for _ in range(rounds):
            turns = [(pair, engine) for pair in pairs for engine in ("ours", "git")]
            generator.shuffle(turns)
            for pair, engine in turns:
                if engine == "ours":
                    pair.ours.append(_time_ours(pair))
                else:
                    pair.git.append(_time_git(folder, pair))
        return [(pair.name, _figures(pair, folder)) for pair in pairs]


def _figures(pair: Measured, folder: Path) -> str:
    ratios = pair.ratios
    changed = sum(hunk.added + hunk.removed for hunk in hunks(pair.before, pair.after))
    return (
        f"{statistics.median(ratios):5.2f} [{min(ratios):.2f}-{max(ratios):.2f}]"
        f"   ours {statistics.median(pair.ours) * 1000:7.1f} ms   git {statistics.median(pair.git) * 1000:7.1f} ms"
        f"   changed lines {changed} / {_git_changed(folder, pair)}"
    )


def _time_ours(pair: Measured) -> float:
    started = time.process_time()
    hunks(pair.before, pair.after)
    return time.process_time() - started


def _time_git(folder: Path, pair: Measured) -> float:
    """Only the child is counted, not what it costs us to start it: the stricter reading."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    _git(folder, pair)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _git_changed(folder: Path, pair: Measured) -> int:
    counts = _git(folder, pair, "--numstat").split()
    return int(counts[0]) + int(counts[1])


def _git(folder: Path, pair: Measured, *options: str) -> bytes:
    command = [*GIT, *options, f"{pair.name}.before", f"{pair.name}.after"]
    environment = {"PATH": os.environ.get("PATH", os.defpath), **NEUTRAL}
    return subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.PIPE, check=False).stdout


def _made_pairs() -> Iterator[tuple[str, bytes, bytes]]:
    """Source files every Python has, with edits like those of a person or an agent."""
    library = Path(sysconfig.get_path("stdlib"))
    for name, rate in (("bisect.py", 0.03), ("argparse.py", 0.02), ("typing.py", 0.05), ("_pydecimal.py", 0.01)):
        content = (library / name).read_bytes()
        yield name.removesuffix(".py"), content, _edited(content, rate)
    everything: list[bytes] = []
    for path in sorted(library.glob("*.py")) + sorted(library.glob("[a-r]*/*.py")):
        everything.extend(split_lines(path.read_bytes()))
    large = b"".join(everything[:100_000])
    yield "library, 100k lines, 1 %", large, _edited(large, 0.01)
    yield "library, 100k lines, 20 %", large, _edited(large, 0.20)
    generator = random.Random(SEED)
    log = b"".join(
        b"2025-01-01T%02d:%02d:%02d host%d request %d took %d ms\n" % tuple(generator.randrange(n) for n in RANGES)
        for _ in range(300_000)
    )
    yield "log, 300k lines, 0.1 %", log, _edited(log, 0.001)


RANGES = (24, 60, 60, 9, 10_000, 500)


def _edited(content: bytes, rate: float) -> bytes:
    """A third of the edits removes, a third replaces, a third inserts; and one block moves."""
    generator = random.Random(SEED)
    lines: list[bytes] = []
    for line in split_lines(content):
        chance = generator.random() / rate
        if chance < 1 / 3:
            continue
        if chance < 2 / 3:
            lines.append(line.rstrip() + b"  # edited\n")
        else:
            lines.append(line)
        if 2 / 3 <= chance < 1:
            lines.append(b"        inserted = %d\n" % generator.randrange(1000))
    start, place = sorted(generator.randrange(len(lines)) for _ in range(2))
    block = lines[start : start + 25]
    return b"".join([*lines[:start], *lines[start + 25 : place], *block, *lines[max(place, start + 25) :]])


def _given_pairs() -> Iterator[tuple[str, bytes, bytes]]:
    folder = os.environ.get("TANDEM_BENCH_PAIRS")
    for before in sorted(Path(folder).glob("*.before")) if folder else ():
        yield before.stem, before.read_bytes(), before.with_suffix(".after").read_bytes()


if __name__ == "__main__":
    main()
