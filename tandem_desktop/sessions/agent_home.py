"""Writes what an agent needs into its private home, through no link.

The agent can put anything there, so the next start may find a link in place of a folder. Everything is opened by
descriptor, one component at a time.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from tandem_desktop.domain.agent_protocol import AgentProfile
from tandem_desktop.domain.errors import OutsideWorkspaceError, SidecarLaunchError, StorageError
from tandem_desktop.policy.prompts import opencode_plan_agent
from tandem_desktop.shadow.tree import Tree
from tandem_desktop.storage import atomic

_SECRET = 0o600


def furnish_home(profile: AgentProfile, person_home: Path, home: Path) -> None:
    """Copy newer log-ins of the person, and write the plan agent's file if the profile has one.

    Raises:
        SidecarLaunchError: the agent left a link or a special file where a file of Tandem's belongs.
    """
    atomic.make_directory(home, mode=0o700)
    with _opened(home) as tree:
        for name in profile.credentials:
            with _refusing(profile, home, name):
                _copy(person_home / name, tree, name)
        if profile.plan_agent_file is not None:
            with _refusing(profile, home, profile.plan_agent_file):
                text = opencode_plan_agent(_model_named_in(tree, profile.model_file))
                tree.check_writable(profile.plan_agent_file)
                tree.write(profile.plan_agent_file, text.encode(), _SECRET)


@contextmanager
def _opened(home: Path) -> Iterator[Tree]:
    tree = Tree(os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC))
    try:
        yield tree
    finally:
        tree.close()


def _copy(source: Path, tree: Tree, name: str) -> None:
    """The agent works with copies: what it does to them stays in its own home."""
    if not source.is_file():
        return
    tree.check_writable(name)
    copied_ns = tree.modified_ns(name)
    if copied_ns is None or copied_ns < source.stat().st_mtime_ns:
        tree.write(name, source.read_bytes(), _SECRET)


def _model_named_in(tree: Tree, name: str | None) -> str:
    if name is None:
        return ""
    try:
        data = tree.load(name, keep=True)[1]
        found = json.loads(data or b"")
    except (OutsideWorkspaceError, StorageError, ValueError):
        return ""
    model = found.get("model") if isinstance(found, dict) else None
    return model if isinstance(model, str) else ""


@contextmanager
def _refusing(profile: AgentProfile, home: Path, name: str) -> Iterator[None]:
    try:
        yield
    except (OutsideWorkspaceError, StorageError) as refusal:
        _refuse(profile, home / (refusal.path or name), refusal)


def _refuse(profile: AgentProfile, place: Path, reason: Exception) -> NoReturn:
    what = "a symbolic link" if place.is_symlink() else "not what Tandem left there"
    raise SidecarLaunchError(
        f"{profile.title} was not started: {place}, in its private home, is {what}, and Tandem writes nothing through "
        "it. The agent made it.",
        next=f"Look at it, then remove it: rm {place}",
    ) from reason
