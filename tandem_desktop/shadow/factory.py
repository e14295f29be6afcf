"""Opens a shadow: an overlay where possible, a copy otherwise."""

import os
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from tandem_desktop.domain.errors import ShadowBusyError, ShadowError
from tandem_desktop.shadow.copy import CopyShadow
from tandem_desktop.shadow.overlay import OverlayShadow, missing_tools
from tandem_desktop.shadow.sandbox import Confinement, bubblewrap_missing
from tandem_desktop.shadow.workspace import UNSEEN, ShadowChange, ShadowWorkspace
from tandem_desktop.storage import atomic
from tandem_desktop.storage.atomic import held_or_busy, remove_tree
from tandem_desktop.storage.errors import writing
from tandem_desktop.storage.objects import ObjectStore
from tandem_desktop.storage.workspace import Workspace

__all__ = ["UNSEEN", "Confinement", "ShadowChange", "ShadowWorkspace", "describe_confinement", "open_shadow"]


def open_shadow(
    workspace: Workspace,
    folder: Path,
    objects: ObjectStore,
    *,
    masked: tuple[Path, ...],
    kind: Literal["overlay", "copy"] | None = None,
    person_home: Path | None = None,
    outside: tuple[Path, ...] | None = None,
) -> ShadowWorkspace:
    """Open the shadow kept in `folder` with the agent's earlier changes, or create one.

    `masked` are places hidden from agents, including Tandem's state; the usual secret places under `person_home` are
    hidden too. `kind` forces one kind. A folder that already holds one kind is opened as that kind.

    With `outside` the shadow is for rehearsing commands: they see these places and may write them, but the changes are
    discarded; Tandem's own folder is hidden.

    Raises:
        ShadowBusyError: it is open elsewhere.
        ShadowError: it cannot be opened.
    """
    home = person_home or Path.home()
    with writing(folder), ExitStack() as undo:
        atomic.make_directory(folder, mode=0o700)
        if not undo.enter_context(held_or_busy(folder / "lock")):
            raise ShadowBusyError(
                f"The session is busy: its shadow {folder} is open in another process or window.",
                path=str(folder),
                next="Wait until it has ended there, or close it, then try again.",
            )
        shadow = _open(workspace, folder, objects, masked, home, kind or _kept(folder), outside)
        shadow.when_closed(undo.pop_all().close)
        return shadow


def describe_confinement(shadows: Path) -> Confinement:
    """The confinement of an agent with its shadow in `shadows`, determined by opening one.

    Raises:
        ShadowError, StorageError: there cannot be any shadow.
    """
    with writing(shadows):
        atomic.make_directory(shadows, mode=0o700)
        trial = Path(tempfile.mkdtemp(prefix="probe-", dir=shadows))
        try:
            atomic.make_directory(trial / "workspace")
            with Workspace(trial / "workspace") as workspace:
                shadow = open_shadow(workspace, trial / "shadow", ObjectStore(trial / "objects"), masked=())
                shadow.close()
                return shadow.confinement
        finally:
            remove_tree(trial)


def _open(
    workspace: Workspace,
    folder: Path,
    objects: ObjectStore,
    masked: tuple[Path, ...],
    home: Path,
    kind: Literal["overlay", "copy"] | None,
    outside: tuple[Path, ...] | None,
) -> ShadowWorkspace:
    why_not = _why_no_overlay(workspace.path)
    if kind == "overlay" and why_not:
        raise ShadowError(
            f"No overlay of {workspace.path} can be made: {why_not}.",
            path=str(workspace.path),
            next="Set that right, or discard this shadow.",
        )
    if kind != "copy" and not why_not:
        try:
            return OverlayShadow(workspace, folder, objects, masked, home, outside)
        except ShadowError as error:
            if kind == "overlay":
                raise
            why_not = error.message.rstrip(".")
    return CopyShadow(workspace, folder, objects, masked, home, "" if kind == "copy" else why_not)


def _kept(folder: Path) -> Literal["overlay", "copy"] | None:
    """The kind of shadow that already has changes in `folder`; the other kind would not see them."""
    if (folder / "tree").is_dir():
        return "copy"
    upper = folder / "upper"
    return "overlay" if upper.is_dir() and any(upper.iterdir()) else None


def _why_no_overlay(workspace: Path) -> str:
    """Reasons not to try an overlay; whether the kernel can mount one is only known by mounting."""
    if missing := missing_tools():
        return f"{', '.join(missing)} missing"
    if os.geteuid() == 0 and workspace.stat().st_uid != 0:
        # Inside, the agent is root without root's rights: it could write a copy owned by root, but not these files.
        return "the workspace belongs to another user than root"
    return bubblewrap_missing()
