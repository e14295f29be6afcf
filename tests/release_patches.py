"""Count the acknowledgements that real release patches ask for: `python -m tests.release_patches FOLDER | OLD NEW …`.

FOLDER holds source archives or unpacked folders, two neighbouring versions of each project (`name-1.0.tar.gz`,
`name-1.1.tgz`). Each pair is compared by `git diff --no-index`, the patch goes through `tandem review` on the older
version, and what the approval sheet would ask to be ticked is counted. A patch cannot hold binary files: they count as
the one group that they would be. Nothing is downloaded.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

_ENDS = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip")
_VERSION = re.compile(r"^(?P<name>.+?)-v?(?P<version>\d[\w.+-]*?)(?:\.tar\.\w+|\.tgz|\.zip)?$")
MOST = 3
"""Acknowledgements on median that a release may ask for."""


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.release_patches", description=__doc__.split("\n")[0])
    parser.add_argument("places", nargs="+", type=Path, help="a folder of archives, or pairs: older newer …")
    parser.add_argument("--groups", action="store_true", help="name each group that is asked for")
    given = parser.parse_args()
    is_folder_of_releases = len(given.places) == 1
    pairs = list(_paired(given.places[0])) if is_folder_of_releases else list(_in_twos(given.places))
    counts = []
    for old, new in pairs:
        answer, binaries = review(old, new)
        counts.append(len(answer["attention"]) + bool(binaries))
        total = len(answer["operations"]) + binaries
        print(f"{counts[-1]:>3}  of {total:>5} operations  {old.name} → {new.name}", flush=True)
        if given.groups:
            _print_groups(answer, binaries)
    median = statistics.median(counts)
    print(f"median {median:g} of {len(counts)} releases (at most {MOST})")
    return 0 if median <= MOST else 1


def review(old: Path, new: Path) -> tuple[dict[str, Any], int]:
    """What `tandem review` says of the difference, and how many binary files are not part of it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        patch, binaries = make_patch(old, new, folder)
        private = {name: str(folder / name) for name in ("TANDEM_STATE_DIR", "TANDEM_CONFIG_DIR")}
        program = [
            sys.executable,
            "-m",
            "tandem_desktop",
            "-C",
            str(folder / "old"),
            "review",
            "-",
            "--no-window",
            "--json",
        ]
        told = subprocess.run(program, input=patch, env={**os.environ, **private}, capture_output=True, check=False)
        if told.returncode:
            raise SystemExit(f"{old.name} → {new.name}: {told.stdout.decode()}{told.stderr.decode()}")
        return json.loads(told.stdout), binaries


def make_patch(old: Path, new: Path, folder: Path) -> tuple[bytes, int]:
    """Unpack both into `folder`: the patch from its `old` to the newer one, and the number of binary files left out."""
    _unpack(old, folder / "old")
    _unpack(new, folder / "new")
    neutral = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "diff", "--no-index", "--no-color", "--find-renames", "old", "new"]
    patch = subprocess.run(command, cwd=folder, env=neutral, capture_output=True, check=False).stdout
    sections = re.split(rb"(?m)^(?=diff --git )", patch)
    texts = [each for each in sections if not re.search(rb"(?m)^Binary files ", each)]
    patch = b"".join(texts)
    patch = re.sub(rb"(?m)^(diff --git )a/old/(.*) b/new/(.*)$", rb"\1a/\2 b/\3", patch)
    patch = re.sub(rb"(?m)^(--- a/)old/", rb"\1", re.sub(rb"(?m)^(\+\+\+ b/)new/", rb"\1", patch))
    patch = re.sub(rb"(?m)^((?:rename|copy) from )old/", rb"\1", patch)
    patch = re.sub(rb"(?m)^((?:rename|copy) to )new/", rb"\1", patch)
    # A file that comes or goes is named by the folder that has it, on both sides.
    patch = re.sub(rb"(?m)^(diff --git )a/(old|new)/(.*) b/\2/\3$", rb"\1a/\3 b/\3", patch)
    patch = re.sub(rb"(?m)^(--- a/|\+\+\+ b/)(?:old|new)/", rb"\1", patch)
    return patch, len(sections) - len(texts)


def _print_groups(answer: dict[str, Any], binaries: int) -> None:
    operations = {each["id"]: each for each in answer["operations"]}
    for group in answer["attention"]:
        print(f"       {' '.join(group['flags'])} {group['kind']}")
        for each in map(operations.__getitem__, group["operations"]):
            print(f"         {each['kind']} {each['to'] or each['path']}  {' '.join(each['why'].values())}")
    if binaries:
        print(f"       binary ({binaries})")


def _paired(folder: Path) -> Iterator[tuple[Path, Path]]:
    """Neighbouring versions of each project in the folder."""
    projects: dict[str, list[tuple[list[int], Path]]] = {}
    for place in sorted(folder.iterdir()):
        if (found := _VERSION.match(place.name)) is not None:
            version = [int(number) for number in re.findall(r"\d+", found["version"])]
            projects.setdefault(found["name"].lower(), []).append((version, place))
    for releases in projects.values():
        yield from pairwise(place for _, place in sorted(releases))


def _in_twos(places: list[Path]) -> Iterator[tuple[Path, Path]]:
    if len(places) % 2:
        raise SystemExit("Name an older and a newer one of each project.")
    yield from zip(places[::2], places[1::2], strict=True)


def _unpack(place: Path, to: Path) -> None:
    """The project itself, without the folder of its name around it."""
    if place.is_dir():
        shutil.copytree(place, to, symlinks=True)
        return
    around = to.with_name(f"{to.name}-unpacked")
    if place.suffix == ".zip":
        with zipfile.ZipFile(place) as archive:
            archive.extractall(around)
    elif place.name.endswith(_ENDS):
        with tarfile.open(place) as archive:
            archive.extractall(around, filter="data")
    else:
        raise SystemExit(f"{place} is neither a folder nor an archive ({', '.join(_ENDS)}).")
    inside = list(around.iterdir())
    (inside[0] if len(inside) == 1 and inside[0].is_dir() else around).rename(to)


if __name__ == "__main__":
    sys.exit(main())
