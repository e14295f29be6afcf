"""Reads the workspace by directory descriptor and follows no links."""

import contextlib
import errno
import hashlib
import os
import stat
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from types import TracebackType

from tandem_desktop.domain.approval import WorkspaceIdentity
from tandem_desktop.domain.errors import OutsideWorkspaceError, StorageError
from tandem_desktop.domain.operations import ABSENT, Absent, DirectoryState, FileState, NodeState, SymlinkState
from tandem_desktop.domain.paths import is_text, shown
from tandem_desktop.storage.paths import opened_workspace

StatSignature = tuple[int, int, int, int]
"""Inode, size, mode and the time of the last change."""

_SETTLED_NS = 20_000_000
"""The coarsest tick of a file system's clock; a younger time does not prove that nothing was written since."""
_SECOND_NS = 1_000_000_000
_COARSE_NS = 2 * _SECOND_NS
"""The tick where times are kept in whole seconds, or in every other one."""

stat_signature: Callable[[os.stat_result], StatSignature] = attrgetter("st_ino", "st_size", "st_mode", "st_mtime_ns")


def is_settled(signature: StatSignature, at_ns: int) -> bool:
    """True if a change after `at_ns` is sure to change the signature."""
    modified_ns = signature[3]
    return modified_ns + (_SETTLED_NS if modified_ns % _SECOND_NS else _COARSE_NS) < at_ns


class StatSignatures(dict[str, StatSignature]):
    """Stat signatures of files that were read, by path."""

    def __init__(self) -> None:
        super().__init__()
        self.plain: set[str] = set()
        """Paths of files with the attributes of a new file: owned by this user, without extended attributes."""


MAX_FILE_BYTES = 32 * 1024 * 1024
MAX_EFFECT_BYTES = 1024 * 1024 * 1024
"""The largest file that can be captured as an effect of a command."""
_DIRECTORY = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_OPEN_DIRECTORIES = 128
_STREAMED_FROM = 4 * 1024 * 1024
_PART_BYTES = 1 << 20
AtHand = Callable[[str], bytes | None]
"""Returns the bytes of a digest if they are in memory."""


class _OpenDirectories(OrderedDict[str, int]):
    """Descriptors by path, closed with their owner."""

    def forget(self) -> None:
        while self:
            os.close(self.popitem()[1])

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self.forget()


class _Own(threading.local):
    """Per-thread descriptors."""

    def __init__(self) -> None:
        self.directories = _OpenDirectories()


class Workspace:
    """Read the tree and provide directory descriptors; nothing else opens a target.

    Thread-safe: each thread has its own descriptors, so that none closes one in use by another.
    """

    def __init__(self, root: Path, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        self._max_file_bytes = max_file_bytes
        self._own = _Own()
        self.path, self.root_fd = opened_workspace(root)
        info = os.fstat(self.root_fd)
        self._device = info.st_dev
        self.identity = WorkspaceIdentity(real_path=str(self.path), device=info.st_dev, inode=info.st_ino)

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.forget_directories()
        if self.root_fd >= 0:
            os.close(self.root_fd)
            self.root_fd = -1

    def check_identity(self) -> None:
        """Refuse to go on when the path now leads to another directory.

        Raises:
            StorageError: it was renamed, unmounted or replaced.
        """
        try:
            info = os.stat(self.path)
        except OSError as error:
            reason = error.strerror or "gone"
        else:
            if (info.st_dev, info.st_ino) == (self.identity.device, self.identity.inode):
                return
            reason = "another folder is there now"
        raise StorageError(
            f"The workspace {self.path} is not the folder it was: {reason}.",
            path=str(self.path),
            next="Put the folder back, then try again.",
        )

    def parent(self, path: str) -> tuple[int, str]:
        """The descriptor of the directory that holds `path`, and the last name.

        Raises:
            OutsideWorkspaceError: a component is a link, a mount or not a directory.
            FileNotFoundError: a parent is missing.
        """
        folder, _, name = path.rpartition("/")
        known = self._own.directories
        fd = known.get(folder)
        if fd is None:
            return self.directory(folder), name
        known.move_to_end(folder)
        return fd, name

    def directory(self, path: str) -> int:
        """A descriptor for a directory, kept for the next caller."""
        if not path:
            return self.root_fd
        known = self._own.directories
        fd = known.get(path)
        if fd is not None:
            known.move_to_end(path)
            return fd
        above, _, name = path.rpartition("/")
        fd = self._open_directory(self.directory(above), name, path)
        known[path] = fd
        if len(known) > _OPEN_DIRECTORIES:
            os.close(known.popitem(last=False)[1])
        return fd

    def forget_directories(self) -> None:
        """Drop the descriptors; the next look walks again from the root."""
        self._own.directories.forget()

    def forget_directory(self, path: str) -> None:
        """Drop one descriptor, because the folder behind it is gone."""
        fd = self._own.directories.pop(path, None)
        if fd is not None:
            os.close(fd)

    def state(self, path: str) -> NodeState:
        """The state of `path`, which may be absent.

        Raises:
            OutsideWorkspaceError: a link or mount is in the way, or it is a special file.
            StorageError: it is too large or unreadable.
        """
        return self._look(path, keep=False)[0]

    def read(self, path: str) -> bytes:
        """The bytes of the file at `path`."""
        state, data = self._look(path, keep=True)
        if data is None:
            raise StorageError(f"{path} is not a file ({state.type}).", path=path, next="Look at it, then try again.")
        return data

    def load(
        self, path: str, *, keep: bool = True, max_bytes: int = MAX_EFFECT_BYTES
    ) -> tuple[NodeState, bytes | None]:
        """State and, for a file, its bytes, from one read; also files of sizes that only a command can leave."""
        return self._look(path, keep=keep, max_bytes=max_bytes)

    def peek(self, path: str, *, keep: bool = True) -> tuple[NodeState | None, bytes | None]:
        """Like `load`, but never raises.

        A path below something that is no folder is absent, and an unreadable one is None.
        """
        try:
            return self.load(path, keep=keep)
        except OutsideWorkspaceError as error:
            return (None if error.path == path else ABSENT), None
        except StorageError:
            return None, None

    def has(
        self, path: str, state: NodeState, signatures: StatSignatures | None = None, at_hand: AtHand | None = None
    ) -> bool:
        """True if `path` is in exactly this state; the stat signatures of matching files are recorded.

        Bytes in memory are compared with those read, which is as safe as a digest and faster.
        """
        if not isinstance(state, FileState) or state.size > _STREAMED_FROM:
            if isinstance(state, Absent) and self._is_plainly_absent(path):
                return True
            return self.peek(path, keep=False)[0] == state
        try:
            dir_fd, name = self.parent(path)
            fd = os.open(name, _FILE, dir_fd=dir_fd)
        except (OSError, OutsideWorkspaceError, StorageError):
            return False
        try:
            info = os.fstat(fd)
            if info.st_size != state.size or info.st_mode != stat.S_IFREG | state.mode:
                return False
            data = os.read(fd, state.size + 1)
            is_plain = signatures is not None and _is_plain(fd, info)
        except OSError:
            return False
        finally:
            os.close(fd)
        expected = at_hand(state.sha256) if at_hand is not None else None
        if data != expected and hashlib.sha256(data).hexdigest() != state.sha256:
            return False
        if signatures is not None:
            signature = stat_signature(info)
            if is_settled(signature, time.time_ns()):
                signatures[path] = signature
            if is_plain:
                signatures.plain.add(path)
        return True

    def _is_plainly_absent(self, path: str) -> bool:
        try:
            dir_fd, name = self.parent(path)
            os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
        except FileNotFoundError:
            return True
        except (OSError, OutsideWorkspaceError, StorageError):
            pass  # the full check determines what it is
        return False

    def is_as_seen(self, path: str, signature: StatSignature | None) -> bool:
        """True if the file at `path` still has the recorded stat signature."""
        if signature is None:
            return False
        try:
            dir_fd, name = self.parent(path)
            return stat_signature(os.stat(name, dir_fd=dir_fd, follow_symlinks=False)) == signature
        except (OSError, OutsideWorkspaceError, StorageError):
            return False

    def children(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted."""
        try:
            fd = self.directory("" if path in ("", ".") else path)
            return tuple(sorted(os.listdir(fd)))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise _unreadable(path, error) from error

    def changed_at(self, path: str) -> int:
        """The change time of the node at `path` in nanoseconds; 0 if it is absent."""
        times = self.times(path)
        return times[1] if times else 0

    def times(self, path: str) -> tuple[int, int] | None:
        """The modification and change times of the node at `path` in nanoseconds."""
        try:
            dir_fd, name = self.parent(path)
            info = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
        except (OSError, OutsideWorkspaceError, StorageError):
            return None
        return info.st_mtime_ns, info.st_ctime_ns

    def is_directory(self, path: str) -> bool:
        if path in ("", "."):
            return True
        try:
            fd, name = self.parent(path)
            return stat.S_ISDIR(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode)
        except (OSError, OutsideWorkspaceError, StorageError):
            return False

    def _look(self, path: str, *, keep: bool, max_bytes: int | None = None) -> tuple[NodeState, bytes | None]:
        try:
            dir_fd, name = self.parent(path)
        except FileNotFoundError:
            return ABSENT, None
        limit = max_bytes or self._max_file_bytes
        return look_at(dir_fd, name, path, keep=keep, max_bytes=limit, device=self._device)

    def _open_directory(self, dir_fd: int, name: str, path: str) -> int:
        try:
            fd = os.open(name, _DIRECTORY, dir_fd=dir_fd)
        except OSError as error:
            if error.errno == errno.ENOENT:
                raise
            if error.errno in (errno.ELOOP, errno.ENOTDIR):
                raise _not_a_directory(dir_fd, name, path) from None
            raise _unreadable(path, error) from error
        if os.fstat(fd).st_dev != self._device:
            os.close(fd)
            raise OutsideWorkspaceError(
                f"{path} is another file system mounted inside the workspace.",
                path=path,
                next="Open that folder as its own workspace.",
            )
        return fd


def look_at(
    dir_fd: int, name: str, path: str, *, keep: bool, max_bytes: int | None = None, device: int | None = None
) -> tuple[NodeState, bytes | None]:
    """The state of one name in an open directory, and its bytes when asked."""
    try:
        info = os.stat(name, dir_fd=dir_fd, follow_symlinks=False)
    except FileNotFoundError:
        return ABSENT, None
    except OSError as error:
        raise _unreadable(path, error) from error
    kind = stat.S_IFMT(info.st_mode)
    if kind == stat.S_IFLNK:
        return _read_link(dir_fd, name, path), None
    if kind == stat.S_IFDIR:
        if device is not None and info.st_dev != device:
            raise OutsideWorkspaceError(
                f"{path} is another file system mounted inside the workspace.",
                path=path,
                next="Open that folder as its own workspace.",
            )
        return DirectoryState(mode=stat.S_IMODE(info.st_mode)), None
    if kind != stat.S_IFREG:
        raise OutsideWorkspaceError(
            f"{path} is a special file ({_special(info.st_mode)}); Tandem only works with files, links and folders.",
            path=path,
            next="Leave it out of the plan.",
        )
    return _read_file(dir_fd, name, path, keep=keep, max_bytes=max_bytes)


def _read_link(dir_fd: int, name: str, path: str) -> SymlinkState:
    try:
        target = os.readlink(name, dir_fd=dir_fd)
    except OSError as error:  # it is no link any more
        raise _unreadable(path, error) from error
    if not is_text(target):
        raise StorageError(
            f"{path} is a link whose target is not valid UTF-8 ({shown(target)!r}), so it cannot be recorded.",
            path=path,
            next="Leave the link out of the plan, or give it another target by hand.",
        )
    return SymlinkState(target=target)


def _read_file(
    dir_fd: int, name: str, path: str, *, keep: bool, max_bytes: int | None
) -> tuple[NodeState, bytes | None]:
    """Read a file once. What was opened counts, not what the name was before, and no more is read than its size."""
    try:
        fd = os.open(name, _FILE, dir_fd=dir_fd)
    except FileNotFoundError:
        return ABSENT, None
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        info = os.fstat(fd)
        if not stat.S_ISREG(info.st_mode):
            raise _changing(path)
        if max_bytes is not None and info.st_size > max_bytes:
            raise StorageError(
                f"{path} is {info.st_size:,} bytes; the limit is {max_bytes:,}.",
                path=path,
                next="Change it by hand, or with a command in the plan.",
            )
        if info.st_size > _STREAMED_FROM and not keep:
            return _hashed_in_parts(fd, info, path), None
        data = read_exactly(fd, info.st_size)
    except OSError as error:
        raise _unreadable(path, error) from error
    finally:
        os.close(fd)
    if data is None:
        raise _changing(path)
    state = FileState.model_construct(
        type="file", sha256=hashlib.sha256(data).hexdigest(), size=len(data), mode=stat.S_IMODE(info.st_mode)
    )
    return state, data if keep else None


def read_exactly(fd: int, size: int) -> bytes | None:
    """The bytes of an open file that has this size; None if it has another one by now. Never reads more."""
    data = os.read(fd, size + 1)
    if len(data) < size:
        parts = [data]
        left = size - len(data)
        while left >= 0 and (part := os.read(fd, min(left + 1, _PART_BYTES))):
            parts.append(part)
            left -= len(part)
        data = b"".join(parts)
    return data if len(data) == size else None


def _is_plain(fd: int, info: os.stat_result) -> bool:
    try:
        return info.st_uid == os.geteuid() and info.st_gid == os.getegid() and not os.listxattr(fd)
    except (OSError, AttributeError):  # not supported by this file system
        return False


def _hashed_in_parts(fd: int, info: os.stat_result, path: str) -> FileState:
    whole, left = hashlib.sha256(), info.st_size
    while left >= 0 and (part := os.read(fd, min(left + 1, _PART_BYTES))):
        whole.update(part)
        left -= len(part)
    if left:
        raise _changing(path)
    return FileState(sha256=whole.hexdigest(), size=info.st_size, mode=stat.S_IMODE(info.st_mode))


def _changing(path: str) -> StorageError:
    return StorageError(
        f"{path} changed while it was read.", path=path, next="Wait until nothing writes to it, then try again."
    )


def _not_a_directory(dir_fd: int, name: str, path: str) -> OutsideWorkspaceError:
    try:
        is_link = stat.S_ISLNK(os.stat(name, dir_fd=dir_fd, follow_symlinks=False).st_mode)
    except OSError:  # it changes while it is looked at
        is_link = False
    what = "a symbolic link" if is_link else "not a folder"
    return OutsideWorkspaceError(
        f"{path} is {what}; Tandem does not write through it.", path=path, next="Name the real path instead."
    )


def _unreadable(path: str, error: OSError) -> StorageError:
    return StorageError(
        f"{path} cannot be read: {error.strerror}.", path=path, next="Check its permissions, then try again."
    )


def _special(mode: int) -> str:
    names = {stat.S_IFIFO: "pipe", stat.S_IFSOCK: "socket", stat.S_IFBLK: "device", stat.S_IFCHR: "device"}
    return names.get(stat.S_IFMT(mode), "unknown")
