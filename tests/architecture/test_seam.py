"""Nothing changes the disk behind the seam: mutating calls are written in `storage/syscalls.py` and nowhere else."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENGINE = sorted((ROOT / "tandem_desktop").rglob("*.py"))
SEAM = ROOT / "tandem_desktop" / "storage" / "syscalls.py"

OS_CALLS = frozenset(
    {
        "chmod",
        "chown",
        "copy_file_range",
        "fchmod",
        "fchown",
        "fdatasync",
        "fsync",
        "ftruncate",
        "lchown",
        "link",
        "makedirs",
        "mkdir",
        "mkfifo",
        "mknod",
        "pwrite",
        "pwritev",
        "remove",
        "removedirs",
        "removexattr",
        "rename",
        "renames",
        "replace",
        "rmdir",
        "sendfile",
        "setxattr",
        "splice",
        "symlink",
        "sync",
        "truncate",
        "unlink",
        "utime",
        "writev",
    }
)
SHUTIL_CALLS = frozenset(
    {"chown", "copy", "copy2", "copyfile", "copyfileobj", "copymode", "copystat", "copytree", "move", "rmtree"}
)
PATH_METHODS = frozenset(
    {"hardlink_to", "lchmod", "rmdir", "symlink_to", "touch", "unlink", "write_bytes", "write_text"}
)
WRITING_FLAGS = frozenset({"O_APPEND", "O_CREAT", "O_RDWR", "O_TMPFILE", "O_TRUNC", "O_WRONLY"})


def trespasses(source: str) -> Iterator[str]:
    """Every place that could change the disk by itself, as `line: name`."""
    for node in ast.walk(ast.parse(source)):
        name = _mutating_call(node) if isinstance(node, ast.Call) else _writing_flag(node)
        if name:
            yield f"{getattr(node, 'lineno', 0)}: {name}"


def _mutating_call(call: ast.Call) -> str | None:
    if isinstance(call.func, ast.Name):
        return "open for writing" if call.func.id == "open" and _opens_for_writing(call.args[1:2], call) else None
    if not isinstance(call.func, ast.Attribute):
        return None
    owner = call.func.value.id if isinstance(call.func.value, ast.Name) else ""
    name = call.func.attr
    if owner == "syscalls":
        return None
    if (owner == "os" and name in OS_CALLS) or (owner == "shutil" and name in SHUTIL_CALLS):
        return f"{owner}.{name}"
    if owner == "os" and name in {"open", "fdopen"}:
        return None  # judged by its flags, wherever they are spelled
    if name in PATH_METHODS:
        return f".{name}"
    return ".open for writing" if name == "open" and _opens_for_writing(call.args[:1], call) else None


def _opens_for_writing(mode: list[ast.expr], call: ast.Call) -> bool:
    spelled = [*mode, *(keyword.value for keyword in call.keywords if keyword.arg == "mode")]
    return any(isinstance(word, ast.Constant) and set(str(word.value)) & set("wax+") for word in spelled)


def _writing_flag(node: ast.AST) -> str | None:
    return f"os.{node.attr}" if isinstance(node, ast.Attribute) and node.attr in WRITING_FLAGS else None


def test_only_the_seam_changes_the_disk() -> None:
    # The selftest builds throw-away trees of its own, and must share no code with the engine it judges.
    # The supervisor of system calls carries out those of an agent, in a process that is no part of the engine.
    apart = ("selftest", "shadow/call_supervisor.py")
    modules = [path for path in ENGINE if path != SEAM and not any(each in path.as_posix() for each in apart)]
    found = [
        f"{module.relative_to(ROOT)}:{place}"
        for module in modules
        for place in trespasses(module.read_text(encoding="utf-8"))
    ]
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "os.rename(a, b)",
        "os.unlink(a, dir_fd=d)",
        "shutil.rmtree(a)",
        "path.write_text('x')",
        "(a / b).unlink()",
        "open(a, 'wb')",
        "open(a, mode='a')",
        "path.open('r+')",
        "os.open(a, os.O_CREAT | os.O_EXCL)",
        "flags = os.O_RDWR",
    ],
)
def test_a_call_behind_the_seam_is_seen(line: str) -> None:
    assert list(trespasses(line)) != []


@pytest.mark.parametrize(
    "line",
    ["open(a, 'rb')", "path.read_text()", "os.open(a, os.O_RDONLY)", "syscalls.unlink(a)", "shutil.which('git')"],
)
def test_reading_and_the_seam_itself_are_free(line: str) -> None:
    assert list(trespasses(line)) == []
