"""The files of a git directory are read as git reads them."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.git_files import (
    GitPart,
    appended_log,
    commit_parents,
    git_path,
    index_entries,
    index_objects,
    loose_object,
    packed_refs,
    ref_value,
    same_entries,
    short,
    title_of_ref,
    without_refs,
)

ONE, TWO = "1" * 40, "2" * 40
PACKED = f"# pack-refs with: peeled fully-peeled sorted \n{ONE} refs/heads/main\n{TWO} refs/tags/v1\n^{ONE}\n".encode()


@pytest.mark.parametrize(
    ("path", "repository", "area", "part"),
    [
        (".git/refs/heads/main", ".git", "", GitPart.REF),
        (".git/objects/ab/cd", ".git", "", GitPart.OBJECT),
        (".git/lfs/objects/ab/cd", ".git", "", GitPart.OBJECT),
        (".git/packed-refs", ".git", "", GitPart.PACKED),
        (".git/logs/HEAD", ".git", "", GitPart.LOG),
        (".git/info/refs", ".git", "", GitPart.STATE),
        (".git/info/exclude", ".git", "", GitPart.TEXT),
        (".git/hooks/pre-commit", ".git", "", GitPart.TEXT),
        (".git/ORIG_HEAD", ".git", "", GitPart.STATE),
        (".git", ".git", "", GitPart.FOLDER),
        ("a/b/.git/index", "a/b/.git", "", GitPart.INDEX),
        (".git/worktrees/w/HEAD", ".git", "worktrees/w", GitPart.HEAD),
        (".git/modules/libs/one/refs/heads/main", ".git/modules/libs/one", "", GitPart.REF),
        (".git/modules/libs/one/modules/two/HEAD", ".git/modules/libs/one/modules/two", "", GitPart.HEAD),
        ("store/refs/heads/main", "store", "", GitPart.REF),
        ("HEAD", "", "", GitPart.HEAD),
    ],
)
def test_a_path_is_known_by_where_it_lies_in_its_repository(
    path: str, repository: str, area: str, part: GitPart
) -> None:
    repositories = {".git/modules/libs/one", ".git/modules/libs/one/modules/two", "store", ""}
    found = git_path(path, repositories.__contains__)
    assert found is not None
    assert (found.repository, found.area, found.part) == (repository, area, part)


def test_a_folder_that_is_only_called_like_one_of_git_is_none() -> None:
    assert git_path("docs/refs/heads/main", lambda folder: False) is None


def test_packed_references_are_read_and_taken_out_with_what_they_peel_to() -> None:
    assert packed_refs(PACKED) == {"refs/heads/main": ONE, "refs/tags/v1": TWO}
    assert packed_refs(without_refs(PACKED, ["refs/tags/v1"])) == {"refs/heads/main": ONE}
    assert b"^" not in without_refs(PACKED, ["refs/tags/v1"])
    assert without_refs(PACKED, []) == PACKED


def test_values_and_names_are_told_as_people_say_them() -> None:
    assert ref_value(b"ref:  refs/heads/main\n") == "ref: refs/heads/main"
    assert short("ref: refs/heads/main") == "main"
    assert short(ONE) == "1111111"
    assert title_of_ref("refs/remotes/origin/x") == "remote branch origin/x"
    assert title_of_ref("refs/stash") == "stash"


def test_only_lines_that_were_added_to_a_log_count() -> None:
    line = f"{ONE} {TWO} A <a@b> 1 +0000\tcommit: x\n".encode()
    assert appended_log(None, line) == [(ONE, TWO)]
    assert appended_log(line, line + line) == [(ONE, TWO)]
    assert appended_log(line, b"") == []


@pytest.mark.parametrize("version", [2, 3, 4])
@pytest.mark.parametrize("kind", ["sha1", "sha256"])
def test_an_index_of_every_version_lists_what_git_lists(tmp_path: Path, version: int, kind: str) -> None:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True, text=True).stdout

    git("init", "-q", f"--object-format={kind}")
    git("config", "index.version", str(version))
    for name in ("a.txt", "d/long-name-one.txt", "d/long-name-two.txt", "ü b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    git("add", "-A")
    git("commit", "-qm", "x")
    (tmp_path / "n.txt").write_text("n")
    git("add", "-N", "n.txt")
    git("update-index", f"--index-version={version}")
    data = (tmp_path / ".git" / "index").read_bytes()
    size = 20 if kind == "sha1" else 32
    listed = [line.split("\t") for line in git("ls-files", "-s", "-z").split("\0") if line]
    entries = index_entries(data, size)
    assert entries is not None
    assert {
        (f"{each.mode:06o} {each.object_id} {stage}", name.decode()) for (name, stage), each in entries.items()
    } == {(facts, name) for facts, name in listed}
    assert same_entries(data, data)
    assert index_objects(data, size) >= set(git("ls-tree", "-r", "--format=%(objectname)", "HEAD").split())


@given(st.binary(max_size=400))
def test_no_bytes_make_the_readers_fail(data: bytes) -> None:
    for reader in (packed_refs, ref_value, commit_parents, index_entries, index_objects):
        reader(data)
        if reader is index_entries:
            reader(b"DIRC\0\0\0\2\0\0\0\1" + data)
            reader(b"DIRC\0\0\0\4\0\0\0\2" + data)
    without_refs(data, ["refs/heads/main"])
    appended_log(None, data)


def test_a_file_of_a_loose_object_is_known_by_its_name() -> None:
    assert loose_object(f"objects/{ONE[:2]}/{ONE[2:]}") == ONE
    assert loose_object("objects/pack/pack-1.pack") is None
