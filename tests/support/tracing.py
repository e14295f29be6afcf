"""A process seen from outside, by strace: every call that can change a disk, and faults put into any one of them."""

import codecs
import re
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

NAMED = ("mkdir", "rmdir", "unlink", "rename", "link", "symlink", "chmod", "chown", "lchown", "truncate", "creat")
NAMED_OTHERS = ("utime", "utimes", "mknod", "setxattr", "lsetxattr", "removexattr", "lremovexattr", "open")
AT = ("openat", "openat2", "mkdirat", "unlinkat", "renameat", "renameat2", "linkat", "symlinkat", "fchmodat")
AT_OTHERS = ("fchmodat2", "fchownat", "utimensat", "futimesat", "mknodat")
BY_DESCRIPTOR = ("write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "fallocate", "fsync", "fdatasync")
BY_DESCRIPTOR_OTHERS = ("syncfs", "sync_file_range", "fchmod", "fchown", "fsetxattr", "fremovexattr", "ioctl")
COPYING = ("copy_file_range", "sendfile", "splice", "mmap", "sync")
WATCHED = NAMED + NAMED_OTHERS + AT + AT_OTHERS + BY_DESCRIPTOR + BY_DESCRIPTOR_OTHERS + COPYING

KILLED = -9

_NAMES = {"rename": 2, "link": 2}

_LINE = re.compile(r"^(?P<pid>\d+) +(?P<name>\w+)\((?P<rest>.*)$")
_RESUMED = re.compile(r"^(?P<pid>\d+) +<\.\.\. (?P<name>\w+) resumed>(?P<rest>.*)$")
_TOKEN = re.compile(r'(?P<fd>AT_FDCWD|\d+)<(?P<place>(?:[^<>\\]|\\.)*)>|"(?P<text>(?:[^"\\]|\\.)*)"')
_RESULT = re.compile(r"\) += (?P<result>-?\d+|\?|0x[0-9a-f]+).*$")


@dataclass(frozen=True)
class Call:
    """One call that could have changed something."""

    name: str
    paths: tuple[str, ...]
    """Absolute, of the nodes or names it acts on."""
    relative: bool
    """Whether every name in it was a single name in a directory held by descriptor."""
    rest: str
    number: int
    """How many calls of this name its thread had made, this one included: what `when=` counts."""
    failed: bool
    thread: str

    @property
    def changes(self) -> bool:
        """Whether a call of this form can change a disk or make it durable."""
        if self.name in ("openat", "open", "openat2"):
            return any(flag in self.rest for flag in ("O_CREAT", "O_TRUNC", "O_TMPFILE", "O_WRONLY", "O_RDWR"))
        if self.name == "ioctl":
            return any(request in self.rest for request in ("SETFLAGS", "FICLONE", "FSSETXATTR"))
        return self.name != "mmap" or ("MAP_SHARED" in self.rest and "PROT_WRITE" in self.rest)

    def inside(self, *folders: Path) -> bool:
        """Whether one of its paths is in one of the folders, or is one of them."""
        return any(path == str(f) or path.startswith(f"{f}/") for path in self.paths for f in folders)


@cache
def why_not() -> str | None:
    """Why nothing can be traced here, in words; nothing when it can."""
    if shutil.which("strace") is None:
        return "strace is not installed, so the command cannot be seen or killed from outside"
    tried = subprocess.run(
        ["strace", "-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync", "true"],
        capture_output=True,
        text=True,
    )
    return f"strace may not trace here: {tried.stderr.strip()}" if tried.returncode else None


def _unaided(environment: dict[str, str]) -> dict[str, str]:
    """Without a preloaded library: the test run skips calls that wait for the disk by one."""
    return {name: value for name, value in environment.items() if name != "LD_PRELOAD"}


def record(command: list[str], environment: dict[str, str], at: Path, log: Path) -> tuple[int, list[Call]]:
    """Run a command to its end; its exit code and every watched call, in order."""
    watched = ",".join(f"?{name}" for name in WATCHED)
    tracer = ["strace", "-f", "-y", "-s", "1024", "-e", "signal=none", "-e", f"trace={watched}", "-o", str(log)]
    ended = subprocess.run([*tracer, *command], env=_unaided(environment), cwd=at, capture_output=True, text=True)
    return ended.returncode, read_trace(log.read_text(encoding="utf-8", errors="surrogateescape"), at)


def inject(command: list[str], environment: dict[str, str], at: Path, name: str, fault: str) -> tuple[int, str]:
    """Run a command with a fault, such as `signal=SIGKILL:when=7`, in its calls of one name; exit code and output."""
    # Stopping at the traced calls alone is quicker, but a signal is never delivered from such a stop.
    quicker = [] if fault.startswith("signal") else ["--seccomp-bpf"]
    tracer = ["strace", "-f", *quicker, "-o", "/dev/null", "-e", f"trace={name}", "-e", f"inject={name}:{fault}"]
    ended = subprocess.run([*tracer, *command], env=_unaided(environment), cwd=at, capture_output=True, text=True)
    return ended.returncode, ended.stdout + ended.stderr


def read_trace(text: str, at: Path) -> list[Call]:
    """The calls in what strace wrote."""
    calls: list[Call] = []
    counts: Counter[tuple[str, str]] = Counter()
    unfinished: dict[str, str] = {}
    for line in text.splitlines():
        if resumed := _RESUMED.match(line):
            line = unfinished.pop(resumed["pid"]) + resumed["rest"]
        elif line.endswith("<unfinished ...>"):
            unfinished[line.split()[0]] = line.removesuffix("<unfinished ...>").rstrip()
            continue
        if match := _LINE.match(line):
            counts[match["pid"], match["name"]] += 1
            calls.append(_call(match, counts[match["pid"], match["name"]], at))
    return calls


def _call(line: re.Match[str], number: int, at: Path) -> Call:
    name, rest = line["name"], line["rest"]
    result = _RESULT.search(rest)
    arguments = rest[: result.start()] if result else rest
    tokens = list(_TOKEN.finditer(arguments))
    paths: list[str] = []
    relative = name in AT + AT_OTHERS
    if name in BY_DESCRIPTOR + BY_DESCRIPTOR_OTHERS:
        paths = [_plain(tokens[0]["place"])] if tokens and tokens[0]["fd"] else []
    elif name in AT + AT_OTHERS:
        base = str(at)
        for token in tokens[1:] if name == "symlinkat" else tokens:
            if token["fd"]:
                base = _plain(token["place"])
                relative = relative and token["fd"] != "AT_FDCWD"
                continue
            own = _plain(token["text"])
            relative = relative and "/" not in own and own not in ("", ".", "..")
            paths.append(_joined(base, own))
    elif name in NAMED + NAMED_OTHERS:
        names = [_plain(token["text"]) for token in tokens if not token["fd"]]
        paths = [_joined(str(at), own) for own in (names[1:] if name == "symlink" else names[: _NAMES.get(name, 1)])]
    else:
        paths = [_plain(token["place"]) for token in tokens if token["fd"] and token["fd"] != "AT_FDCWD"]
    failed = result is not None and result["result"].startswith("-")
    return Call(name, tuple(paths), relative, rest, number, failed, line["pid"])


def _plain(text: str) -> str:
    """A name as Python spells it, out of strace's escapes."""
    raw = codecs.escape_decode(text.encode("utf-8", "surrogateescape"))[0]
    assert isinstance(raw, bytes)
    return raw.decode("utf-8", "surrogateescape")


def _joined(base: str, name: str) -> str:
    return name if name.startswith("/") else f"{base}/{name}"
