"""Publishes or reverts one prepared step by a single rename."""

import errno
import os
from collections.abc import Mapping

from tandem_desktop.domain.errors import OperationError, TandemError
from tandem_desktop.domain.operations import ABSENT, Absent, DirectoryState, FileState, NodeState
from tandem_desktop.execution.scratch_dir import Metadata, RunScratchDir, remove_node
from tandem_desktop.execution.steps import Action, Step
from tandem_desktop.storage import syscalls
from tandem_desktop.storage.workspace import StatSignature, Workspace, look_at, stat_signature

_NO_EXCHANGE = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)
_MANY = 16
"""Above this number, syncing the whole file system is cheaper."""
_NODE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Publisher:
    """Exchange nodes between the scratch dir and the workspace, and check what comes back."""

    def __init__(
        self, workspace: Workspace, scratch_dir: RunScratchDir, signatures: dict[str, StatSignature] | None = None
    ) -> None:
        self._workspace = workspace
        self._scratch_dir = scratch_dir
        self._first_sights = signatures or {}
        self._signatures = dict(self._first_sights)
        """Stat signatures of files that were read or prepared."""
        self._signatures_before: dict[int, StatSignature | None] = {}
        self.touched_folders: set[str] = set()
        self._changed_modes: set[str] = set()

    def publish(self, step: Step) -> None:
        """Publish the step.

        Raises:
            OperationError: the path is not in the state that was approved, or the disk refused; nothing changed.
        """
        try:
            _DO[step.action](self, step)
        except OSError as error:
            raise _refused(step, error) from error
        self._note(step)
        self._remember(step)

    def take_back(self, step: Step, metadata: Metadata, *, trusted: bool) -> None:
        """Undo a published step; `trusted` skips the check of the node in the scratch dir."""
        inverse = invert(step)
        try:
            if inverse.needs_preparation and not (trusted and step.action is not Action.RMDIR):
                found = look_at(self._scratch_dir.fd, step.name, step.path, keep=False)[0]
                if found != inverse.after:
                    self._scratch_dir.replace(inverse, metadata)
            _DO[inverse.action](self, inverse)
        except OSError as error:
            raise _refused(inverse, error) from error
        self._note(inverse)
        self._recall(step)

    def first_not_restored(self, before: Mapping[str, NodeState]) -> str | None:
        """The first path that is not restored: not the original file, and not equal to it."""
        self._workspace.forget_directories()
        for path, state in before.items():
            seen = self._first_sights.get(path)
            if not self._workspace.is_as_seen(path, seen) and not self._workspace.has(
                path, state, at_hand=self._scratch_dir.at_hand
            ):
                return path
        return None

    def give_back(self, steps: tuple[Step, ...]) -> None:
        """Move nodes that no step put into the scratch dir back: edits that were taken out just before a crash."""
        for step in steps:
            if step.action not in (Action.SWAP, Action.REMOVE):
                continue
            resting = self._came_out(step.name, step)
            # Before publishing, the scratch dir may hold a partial after-image; afterwards only the replaced node.
            is_published = self._workspace.peek(step.path, keep=False)[0] == step.after
            if not is_published or resting in (ABSENT, step.before):
                continue
            dir_fd, name = self._workspace.parent(step.path)
            if step.action is Action.SWAP:
                syscalls.exchange(step.name, name, self._scratch_dir.fd, dir_fd)
            else:
                self._move(step.name, name, self._scratch_dir.fd, dir_fd)
            self._note(step)
        self.sync()

    def sync(self) -> None:
        """Make every published name durable, and every mode that was changed in place."""
        if not self.touched_folders:
            return
        if self._are_many() or not self._sync_modes():
            syscalls.sync_filesystem(self._scratch_dir.fd)
        else:
            for folder in sorted(self.touched_folders):
                if folder and not self._workspace.is_directory(folder):
                    continue
                syscalls.sync(self._workspace.directory(folder))
            syscalls.sync(self._scratch_dir.fd)
        self.touched_folders.clear()
        self._changed_modes.clear()

    def _are_many(self) -> bool:
        return self._scratch_dir.is_for_many or len(self.touched_folders) + len(self._changed_modes) > _MANY

    def _sync_modes(self) -> bool:
        """Sync each node whose mode was changed in place; returns whether all could be opened."""
        for path in sorted(self._changed_modes):
            try:
                dir_fd, name = self._workspace.parent(path)
                fd = os.open(name, _NODE, dir_fd=dir_fd)
            except (OSError, TandemError):
                return False
            try:
                syscalls.sync(fd)
            finally:
                os.close(fd)
        return True

    def _put(self, step: Step) -> None:
        dir_fd, name = self._workspace.parent(step.path)
        try:
            syscalls.rename_new(step.name, name, self._scratch_dir.fd, dir_fd)
        except OSError as error:
            if error.errno not in _NO_EXCHANGE:
                raise
            self._put_without_flags(step, dir_fd, name)

    def _put_without_flags(self, step: Step, dir_fd: int, name: str) -> None:
        if isinstance(step.after, DirectoryState):
            syscalls.rename(step.name, name, self._scratch_dir.fd, dir_fd)
            return
        syscalls.link(step.name, name, self._scratch_dir.fd, dir_fd)
        syscalls.unlink(step.name, self._scratch_dir.fd)

    def _swap(self, step: Step) -> None:
        dir_fd, name = self._workspace.parent(step.path)
        scratch_dir, own = self._scratch_dir.fd, step.name
        try:
            syscalls.exchange(own, name, scratch_dir, dir_fd)
        except OSError as error:
            if error.errno not in _NO_EXCHANGE:
                raise
            self._swap_without_exchange(step, dir_fd, name)
            return
        if self._is_known(scratch_dir, own, step):
            return
        found = self._came_out(own, step)
        if found != step.before:
            syscalls.exchange(own, name, scratch_dir, dir_fd)
            raise _unexpected(step, found)

    def _swap_without_exchange(self, step: Step, dir_fd: int, name: str) -> None:
        found = _found(dir_fd, name, step)
        if found != step.before:
            raise _unexpected(step, found)
        scratch_dir, own, kept = self._scratch_dir.fd, step.name, f"{step.name}.kept"
        syscalls.link(name, kept, dir_fd, scratch_dir)
        syscalls.rename(own, name, scratch_dir, dir_fd)
        syscalls.rename(kept, own, scratch_dir, scratch_dir)

    def _remove(self, step: Step) -> None:
        dir_fd, name = self._workspace.parent(step.path)
        scratch_dir, own = self._scratch_dir.fd, step.name
        try:
            self._move(name, own, dir_fd, scratch_dir)
        except FileExistsError:
            # A leftover of a run that was cut off; what it held is in the object store.
            remove_node(scratch_dir, own)
            self._move(name, own, dir_fd, scratch_dir)
        if self._is_known(scratch_dir, own, step):
            return
        found = self._came_out(own, step)
        if found != step.before:
            self._move(own, name, scratch_dir, dir_fd)
            raise _unexpected(step, found)

    def _rename(self, step: Step) -> None:
        assert step.to is not None
        from_fd, name = self._workspace.parent(step.path)
        to_fd, new_name = self._workspace.parent(step.to)
        self._move(name, new_name, from_fd, to_fd)
        if self._is_known(to_fd, new_name, step):
            return
        found = _found(to_fd, new_name, step)
        if found != step.before:
            self._move(new_name, name, to_fd, from_fd)
            raise _unexpected(step, found)

    def _move(self, name: str, new_name: str, from_fd: int, to_fd: int) -> None:
        try:
            syscalls.rename_new(name, new_name, from_fd, to_fd)
        except OSError as error:
            if error.errno not in _NO_EXCHANGE:
                raise
            syscalls.link(name, new_name, from_fd, to_fd)
            syscalls.unlink(name, from_fd)

    def _chmod(self, step: Step) -> None:
        dir_fd, name = self._workspace.parent(step.path)
        fd = os.open(name, _NODE, dir_fd=dir_fd)
        try:
            found = look_at(dir_fd, name, step.path, keep=False)[0]
            if found != step.before:
                raise _unexpected(step, found)
            assert isinstance(step.after, FileState | DirectoryState)
            syscalls.chmod(fd, step.after.mode)
        finally:
            os.close(fd)

    def _rmdir(self, step: Step) -> None:
        dir_fd, name = self._workspace.parent(step.path)
        found = look_at(dir_fd, name, step.path, keep=False)[0]
        if found != step.before:
            raise _unexpected(step, found)
        syscalls.rmdir(name, dir_fd)
        self._workspace.forget_directory(step.path)

    def _remember(self, step: Step) -> None:
        """Stat signatures of the file in place now and of the one it replaced."""
        signature = self._signatures.pop(step.path, None)
        self._signatures_before[step.n] = signature
        if step.to is None:
            signature = self._scratch_dir.signature(step)
        if signature is not None:
            self._signatures[step.to or step.path] = signature

    def _recall(self, step: Step) -> None:
        self._signatures.pop(step.to or step.path, None)
        signature = self._signatures_before.pop(step.n, None)
        if signature is not None:
            self._signatures[step.path] = signature

    def _is_known(self, dir_fd: int, name: str, step: Step) -> bool:
        """True if the replaced node is the file that was read before the run, or that the run itself wrote."""
        signature = self._signatures.get(step.path)
        return (
            signature is not None and stat_signature(os.stat(name, dir_fd=dir_fd, follow_symlinks=False)) == signature
        )

    def _came_out(self, own: str, step: Step) -> NodeState | None:
        return _found(self._scratch_dir.fd, own, step)

    def _note(self, step: Step) -> None:
        self.touched_folders.add(step.path.rpartition("/")[0])
        if step.to is not None:
            self.touched_folders.add(step.to.rpartition("/")[0])
        if step.action is Action.CHMOD:
            self._changed_modes.add(step.path)
        elif step.path in self._changed_modes:
            self._changed_modes.discard(step.path)
            self._changed_modes.update(filter(None, (step.to,)))


_DO = {
    Action.PUT: Publisher._put,
    Action.SWAP: Publisher._swap,
    Action.REMOVE: Publisher._remove,
    Action.RENAME: Publisher._rename,
    Action.CHMOD: Publisher._chmod,
    Action.RMDIR: Publisher._rmdir,
}


def invert(step: Step) -> Step:
    """The inverse of this step, with the same number in the scratch dir."""
    if step.action is Action.RENAME:
        assert step.to is not None
        return Step(step.n, step.operation, Action.RENAME, step.to, step.after, step.before, step.path)
    action = step.action
    if action is Action.PUT:
        action = Action.RMDIR if isinstance(step.after, DirectoryState) else Action.REMOVE
    elif action in (Action.REMOVE, Action.RMDIR):
        action = Action.PUT
    return Step(step.n, step.operation, action, step.path, step.after, step.before)


def _found(dir_fd: int, name: str, step: Step) -> NodeState | None:
    """The state of a node; None for one that no plan can contain, such as a pipe, or that cannot be read."""
    try:
        return look_at(dir_fd, name, step.path, keep=False)[0]
    except TandemError:
        return None


def _refused(step: Step, error: OSError) -> OperationError:
    if error.errno == errno.EEXIST:
        return OperationError(
            f"{step.to or step.path} appeared during the run, so it was not overwritten.",
            path=step.to or step.path,
            step=step.operation,
            next="Look at the file, then make the plan again.",
        )
    if error.errno == errno.ENOTEMPTY:
        return OperationError(
            f"The folder {step.path} is not empty.",
            path=step.path,
            step=step.operation,
            next="Look at what is in it, then make the plan again.",
        )
    return OperationError(
        f"{step.path}: {step.action.value} failed: {error.strerror} ({errno.errorcode.get(error.errno or 0, '?')}).",
        path=step.path,
        step=step.operation,
        next="Make room or mend the permissions, then apply again.",
    )


def _unexpected(step: Step, found: NodeState | None) -> OperationError:
    was = "gone" if isinstance(found, Absent) else "changed"
    return OperationError(
        f"{step.path} was {was} by someone else while the plan ran; it was left as it is.",
        path=step.path,
        step=step.operation,
        next="Look at the file, then make the plan again.",
    )
