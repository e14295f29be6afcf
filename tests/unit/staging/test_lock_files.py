"""Which changes of a lock file install other code. The samples that do are in `tests/attacks/hidden_text.py`."""

import pytest

from tandem_desktop.cli.versions import may_list_packages
from tandem_desktop.diff import lock_lines
from tandem_desktop.domain.operations import StagedOperation, SymlinkState
from tandem_desktop.staging.hazards import Hazard, flags, reasons
from tandem_desktop.staging.lock_files import installs_code, is_lock_file
from tests.attacks.hidden_text import HASH, HEX, LOCKS, OTHER_HEX, npm
from tests.support.builders import a_delete, a_move, a_symlink

CARGO = (
    f'[[package]]\nname = "app"\nversion = "1.0.0"\n\n[[package]]\nname = "x"\nversion = "2.1.0"\nchecksum = "{HEX}"\n'
)
POETRY = f'[[package]]\nname = "x"\nfiles = [\n {{hash = "sha256:{HEX}"}},\n]\n[metadata]\ncontent-hash = "{HEX}"\n'
UV = (
    'version = 1\n[[package]]\nname = "app"\nversion = "1.0.0"\nsource = { editable = "." }\n\n'
    f'[[package]]\nname = "x"\nversion = "2.1.0"\nsdist = {{ hash = "sha256:{HEX}" }}\n'
)

YARN = f"x@1:\n  integrity {HASH}\n\n"


def test_a_package_that_goes_is_told_by_its_name_only_while_another_one_needs_it() -> None:
    held = f'\n[[package]]\nname = "y"\nversion = "1.0.0"\nchecksum = "{HEX}"\n'
    needs = CARGO.replace('version = "2.1.0"', 'version = "2.1.0"\ndependencies = [\n "y",\n]')
    told = "Cargo.lock says what is installed, and holds y to no version any more, which others need."
    assert installs_code("Cargo.lock", (needs + held).encode(), needs.encode()) == told
    assert installs_code("Cargo.lock", (CARGO + held).encode(), CARGO.encode()) == ""
    assert installs_code("Cargo.lock", (needs + held).encode(), CARGO.encode()) == ""


def _reversed(text: str, one: str, other: str) -> bytes:
    """The text with the last `one` as `other`."""
    start, _, end = text.rpartition(one)
    return f"{start}{other}{end}".encode()


@pytest.mark.parametrize(("path", "before", "after"), LOCKS.values(), ids=LOCKS.keys())
def test_another_source_or_checksum_is_told_with_the_name_of_the_file(path: str, before: bytes, after: bytes) -> None:
    told = installs_code(path, before or None, after)
    assert told.startswith(f"{path.rpartition('/')[2]} says what is installed")
    assert told.endswith(".")
    assert installs_code(path, after, after) == ""
    assert installs_code(path, before, None) == "", "one that is removed is flagged, and has nothing to be opened for"


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("package-lock.json", npm(), npm().replace(b'"version": "1.0.0"', b'"version": "1.0.1"')),
        ("package-lock.json", npm(), npm(license="MIT")),
        ("package-lock.json", npm(), npm(dev=True)),
        ("Cargo.lock", CARGO.encode(), CARGO.replace('"1.0.0"', '"1.0.1"').encode()),
        ("uv.lock", UV.encode(), UV.replace('"1.0.0"', '"1.0.1"').encode()),
        ("poetry.lock", POETRY.encode(), _reversed(POETRY, HEX, OTHER_HEX)),
        ("package-lock.json", npm(), npm().replace(b'"lockfileVersion": 3', b'"lockfileVersion": 4')),
        ("Podfile.lock", b"PODS:\n  - X (1.0)\nCOCOAPODS: 1.14.0\n", b"PODS:\n  - X (1.0)\nCOCOAPODS: 1.15.2\n"),
        ("empty.lock", b"", b"# held by a process\n"),
        ("requirements.txt", b"x==1\n", b"# pinned\nx==1\n"),
        ("yarn.lock", f"{YARN}y@1:\n  integrity {HASH}\n".encode(), YARN.encode()),
        ("src/app.py", b"url = 'https://a.example'\n", b"url = 'https://b.example'\n"),
    ],
    ids=[
        "own version",
        "licence",
        "dev",
        "own crate",
        "own project",
        "hash of itself",
        "newer format",
        "version of the tool",
        "comments alone",
        "comment",
        "a package less",
        "no lock file",
    ],
)
def test_what_installs_nothing_else_is_not_told(path: str, before: bytes, after: bytes) -> None:
    assert before != after
    assert installs_code(path, before, after) == ""


def test_an_update_of_a_package_is_told_because_it_installs_other_code() -> None:
    after = npm(version="1.3.1", resolved="https://registry.npmjs.org/x/-/x-1.3.1.tgz", integrity=HASH[:-3] + "C==")
    assert installs_code("package-lock.json", npm(), after) == (
        "package-lock.json says what is installed: 1 checksum is new, 1 source is new."
    )


def test_a_host_that_was_not_there_before_is_named() -> None:
    told = installs_code("package-lock.json", npm(), npm(resolved="https://evil.example/x.tgz"))
    assert "packages come from evil.example, where none came from before" in told


@pytest.mark.parametrize("name", ["Cargo.lock", "web/yarn.lock", "requirements/dev.txt", "a/b/go.sum", "GEMFILE.LOCK"])
def test_a_lock_file_is_known_by_its_name_at_any_depth(name: str) -> None:
    assert is_lock_file(name)
    assert not is_lock_file(f"{name}.md")


@pytest.mark.parametrize(
    "name",
    [
        "Packages/packages-lock.json",
        "Scarb.lock",
        "requirements-dev.lock",
        "lazy-lock.json",
        "Gemfile.next.lock",
        "conda-linux-64.lock",
        "vendir.lock.yml",
        "jsonnetfile.lock.json",
        ".opentofu.lock.hcl",
        "esy.lock/index.json",
        "x.opam.locked",
        "nix/sources.json",
    ],
)
def test_a_lock_file_no_list_names_is_known_by_its_kind(name: str) -> None:
    assert is_lock_file(name)
    assert installs_code(name, b"", b'url = "https://evil.example/x.tgz"\n')


@pytest.mark.parametrize("line", [b"evil>1\n", b"evil @ ./x.whl\n"])
def test_a_requirement_without_source_and_checksum_is_told(line: bytes) -> None:
    assert installs_code("requirements.txt", b"x==1\n", b"x==1\n" + line)
    assert not installs_code("requirements.txt", b"x==1\n" + line, b"x==1\n")


@pytest.mark.parametrize(
    "operation",
    [
        a_delete("web/yarn.lock", YARN.encode()),
        a_move("web/yarn.lock", "web/old", YARN.encode()),
        a_symlink("web/yarn.lock", "old"),
    ],
    ids=["deleted", "moved", "a link"],
)
def test_a_lock_file_that_is_no_longer_there_is_flagged(operation: StagedOperation) -> None:
    before = None if isinstance(operation.after, SymlinkState) else YARN.encode()
    assert Hazard.RUNS_CODE in flags(operation, before, before if operation.to else None)
    assert "no longer what holds packages" in reasons(operation, before, None)[Hazard.RUNS_CODE].why


def test_a_file_that_only_has_the_name_of_a_lock_file_may_go() -> None:
    assert flags(a_delete("tests/index.lock", b"12345\n"), b"12345\n", None) == ()


def test_every_file_that_is_read_as_a_list_of_packages_is_one_that_may_list_them() -> None:
    requirements = ("requirements.txt", "requirements/dev.txt", "a/dev_requirements.txt", "Constraints-3.12.txt")
    for name in (*lock_lines._READERS, *requirements):
        assert lock_lines.reader_of(name) is not None
        assert may_list_packages(name), name
    assert not may_list_packages("hello.txt")


@pytest.mark.parametrize(
    "path", ["UV.LOCK", "a/b/package-lock.json", "npins/sources.json", "uv.lock.", "pylock.dev.toml"]
)
def test_a_lock_file_is_known_in_any_spelling_that_a_disk_takes_for_its_name(path: str) -> None:
    assert is_lock_file(path)


@pytest.mark.parametrize("path", ["sources.json", "uv.lock.py", "package-lock.json/readme.md", "locks.txt"])
def test_a_name_that_only_resembles_one_is_no_lock_file(path: str) -> None:
    assert not is_lock_file(path)
