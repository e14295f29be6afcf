"""Asks git questions with a neutral configuration: nothing that a repository configures is started.

A repository's own configuration names programs: a file system monitor, hooks, filters, a pager, an external diff, the
other end of a partial clone. Only calls that read are made, and each with all of that switched off.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tandem_desktop.domain.errors import GitError
from tandem_desktop.processes.child import find_program, scrubbed_environment

_READING = frozenset(
    {"cat-file", "check-ignore", "config", "for-each-ref", "ls-files", "merge-base", "rev-list", "rev-parse"}
)
"""None of these runs a filter, a hook or a diff driver."""
_TIMEOUT_S = 120.0
_SWITCHED_OFF = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.alternateRefsCommand=true",
    "core.pager=cat",
    "core.askPass=true",
    "core.sshCommand=false",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "submodule.recurse=false",
)
_ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}


@dataclass(frozen=True, slots=True)
class GitAnswer:
    """What git said."""

    exit_code: int
    output: bytes
    problem: str

    @property
    def succeeded(self) -> bool:
        return self.exit_code == 0


def run_git(
    arguments: Sequence[str],
    cwd: Path,
    *,
    git_directory: Path | None = None,
    data: bytes = b"",
    alternates: Path | None = None,
    settings: Sequence[str] = (),
) -> GitAnswer:
    """Let git read the repository around `cwd`, or exactly the one at `git_directory`.

    `alternates` is a folder of further objects. `settings` are added to the neutral ones, as `name=value`.

    Raises:
        GitError: there is no git, the repository belongs to another user, or git did not come to an end.
    """
    if arguments[0] not in _READING:
        raise ValueError(f"git {arguments[0]} is not among the calls that only read")
    program = find_program("git", outside=cwd)
    if program is None:
        raise GitError("git was not found.", next="Install git, then try again.")
    refuse_foreign(git_directory or cwd)
    switched = [word for each in (*_SWITCHED_OFF, *settings) for word in ("-c", each)]
    place = [f"--git-dir={git_directory}"] if git_directory is not None else []
    try:
        ended = subprocess.run(
            [program, "--no-pager", *switched, *place, *arguments],
            cwd=cwd,
            env=_environment(alternates),
            input=data,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = "it took too long" if isinstance(error, subprocess.TimeoutExpired) else error.strerror
        raise GitError(
            f"git could not read the repository at {git_directory or cwd}: {reason}.",
            path=str(git_directory or cwd),
            next="Try git there yourself, then try again.",
        ) from error
    return GitAnswer(ended.returncode, ended.stdout, ended.stderr.decode("utf-8", "replace").strip())


def global_excludes(workspace: Path) -> tuple[str, ...]:
    """The setting that names the person's own ignore file, where their global configuration has one."""
    program = find_program("git", outside=workspace)
    found = _global_excludes(program, os.environ.get("HOME", "")) if program is not None else ""
    return (f"core.excludesFile={found}",) if found else ()


@cache
def _global_excludes(program: str, home: str) -> str:
    environment = {**_environment(None)}
    del environment["GIT_CONFIG_GLOBAL"]
    try:
        asked = subprocess.run(
            [program, "config", "--global", "--path", "--get", "core.excludesFile"],
            cwd="/",
            env=environment,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return os.fsdecode(asked.stdout).rstrip("\n") if asked.returncode == 0 else ""


def _environment(alternates: Path | None) -> Mapping[str, str]:
    found = scrubbed_environment(_ENVIRONMENT)
    return {**found, "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(alternates)} if alternates is not None else found


def refuse_foreign(place: Path) -> None:
    """What another user has put into a repository is not for this one to start or to believe.

    git has this check too, but not for a git directory that is named to it, nor in every version.
    """
    for each in (place, place / ".git", place / "HEAD"):
        try:
            owner = each.lstat().st_uid
        except OSError:
            continue
        if owner != os.geteuid():
            raise GitError(
                f"The repository at {place} belongs to another user, so git is not asked about it.",
                path=str(place),
                next="Work as the user it belongs to, or make it yours with chown.",
            )
