"""Take a sample workspace through one whole change and back by the real commands, and check every claim on disk."""

import argparse
import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).resolve().parent.parent / "resources" / "sample"
TANDEM = Path(sys.executable).parent / "tandem"
Tree = dict[str, tuple[str, int, bytes]]


class TourError(Exception):
    """A step did not do what it promised; the message says which and how."""


class Tour:
    """One temporary folder holding the workspace and Tandem's own state, and the words said along the way."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "workspace"
        self._environment = {**os.environ, "TANDEM_STATE_DIR": str(folder / "state")}
        shutil.copytree(SAMPLE / "workspace", self.workspace, symlinks=True)
        shutil.copy(SAMPLE / "plan.json", folder / "plan.json")

    def tandem(self, *arguments: str) -> str:
        """Run the installed command in the workspace, showing it first."""
        say(f"\n    $ tandem {shlex.join(arguments)}")
        ended = subprocess.run(
            [TANDEM, *arguments],
            cwd=self.workspace,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if ended.returncode:
            raise TourError(f"`tandem {arguments[0]}` ended with {ended.returncode}:\n{ended.stdout}{ended.stderr}")
        return ended.stdout

    def answer(self, *arguments: str) -> dict[str, Any]:
        """The same, read as the one JSON object a script would read."""
        found = json.loads(self.tandem(*arguments, "--json"))
        assert isinstance(found, dict)
        return found

    def tree(self) -> Tree:
        """Every path with its type, permission bits and bytes; `.tandem` is Tandem's own notebook and stays out."""
        found: Tree = {}
        for path in sorted(self.workspace.rglob("*")):
            name = path.relative_to(self.workspace).as_posix()
            if name.split("/")[0] == ".tandem":
                continue
            info = path.lstat()
            if path.is_symlink():
                found[name] = ("link", 0, bytes(path.readlink()))
            elif path.is_dir():
                found[name] = ("directory", stat.S_IMODE(info.st_mode), b"")
            else:
                found[name] = ("file", stat.S_IMODE(info.st_mode), path.read_bytes())
        return found


def say(words: str) -> None:
    sys.stdout.write(words + "\n")
    sys.stdout.flush()


def check_same(before: Tree, after: Tree, when: str) -> None:
    if different := sorted(changed(before, after)):
        raise TourError(f"{when}, these paths differ from the beginning: {', '.join(different)}")


def changed(before: Tree, after: Tree) -> set[str]:
    return {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}


def take(tour: Tour) -> None:
    beginning = tour.tree()
    files = [name for name, (kind, _, _) in beginning.items() if kind == "file"]
    say(f"A small project of {len(files)} files: {', '.join(files)}")

    say("\n1. Propose. Steps from an agent (here: a file) become staged operations. Nothing is written yet.")
    proposed = tour.answer("propose", "../plan.json")
    plan, digest, operations = proposed["plan_id"], proposed["digest"], proposed["operations"]
    for operation in operations:
        arrow = f" -> {operation['to']}" if operation.get("to") else ""
        say(f"      {operation['kind']:<8} {operation.get('path') or operation.get('command')}{arrow}")
    check_same(beginning, tour.tree(), "After propose")
    say(f"    {plan} holds {len(operations)} operations; the project is untouched.")

    say("\n2. Show. This is exactly what would happen, line by line, and the digest of all of it.")
    shown = tour.tandem("show", plan, "--diff")
    say("\n".join(f"      {line}" for line in shown.splitlines()))

    say("\n3. Approve. A person names the digest they saw; anything else will be refused.")
    approved = tour.answer("approve", plan, "--digest", digest)
    if approved["digest"] != digest:
        raise TourError(f"approved {approved['digest']}, but {digest} was shown")
    check_same(beginning, tour.tree(), "After approve")
    say(f"    Approved until {approved['expires_at']}, for one run.")

    say("\n4. Apply. Tandem itself writes, under a journal: all of it, or nothing.")
    applied = tour.answer("apply", plan)
    run = applied["run_id"]
    if applied["status"] != "completed":
        raise TourError(f"the run ended as {applied['status']}: {applied['results']}")
    touched = changed(beginning, tour.tree())
    expected = {name for operation in operations for name in (operation["path"], operation.get("to")) if name}
    parents = {parent.as_posix() for name in expected for parent in Path(name).parents}
    if not expected <= touched <= expected | parents:
        raise TourError(f"the plan named {sorted(expected)}, but {sorted(touched)} changed")
    say(f"    {run} completed. On disk these paths changed, and no other: {', '.join(sorted(touched))}")

    say("\n5. Undo. The run is taken back: bytes, permissions, moves and deletions.")
    undone = tour.answer("undo", run)
    check_same(beginning, tour.tree(), "After undo")
    say(f"    {len(undone['changed'])} paths restored. The project equals the beginning, byte for byte.")


def main() -> int:
    parser = argparse.ArgumentParser(prog="packaging/start", description=__doc__)
    parser.add_argument("--keep", action="store_true", help="leave the sample workspace for a closer look")
    keep = parser.parse_args().keep
    folder = Path(tempfile.mkdtemp(prefix="tandem-tour-"))
    try:
        take(Tour(folder))
    except (TourError, OSError, ValueError, KeyError) as error:
        sys.stderr.write(f"\nThe tour stopped: {type(error).__name__}: {error}\n")
        return 1
    finally:
        if keep:
            say(f"\nKept: {folder} (workspace/ and state/; use TANDEM_STATE_DIR={folder / 'state'})")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    say("\nThat is the whole promise: see it, approve it, get exactly it, take it back.")
    say("The command is .venv/bin/tandem; `tandem --help` shows the rest.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
