import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.recipes.recipe import WriteFile
from tandem_desktop.recipes.replace import ReplaceText
from tandem_desktop.storage.workspace import Workspace
from tests.support.recipes import lay_out, outcome_of, written


def test_every_file_that_holds_the_text_is_changed_and_counted(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": "one two one\n", "b/c.md": "one", "d.txt": "none"})
    outcome = outcome_of(tmp_path, "/replace one 1")
    assert written(outcome) == {"a.txt": b"1 two 1\n", "b/c.md": b"1", "d.txt": b"n1"}
    assert "4 places in 3 files" in outcome.summary


def test_nothing_on_disk_changes_until_somebody_makes_the_edits(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": "one"})
    outcome_of(tmp_path, "/replace one 1")
    assert (tmp_path / "a.txt").read_bytes() == b"one"


def test_the_text_is_not_a_pattern(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": "a.c abc \\1"})
    assert written(outcome_of(tmp_path, r"/replace a.c \1")) == {"a.txt": rb"\1 abc \1"}


def test_upper_and_lower_case_are_one_when_asked(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": "One oNE one"})
    assert written(outcome_of(tmp_path, "/replace one 1 --case-insensitive")) == {"a.txt": b"1 1 1"}


def test_only_files_that_match_the_globs_are_looked_at(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": "x", "src/b.py": "x", "src/t/c.py": "x", "d.md": "x"})
    assert set(written(outcome_of(tmp_path, "/replace x y --in *.py"))) == {"a.py", "src/b.py", "src/t/c.py"}
    assert set(written(outcome_of(tmp_path, "/replace x y --in src/ --in !src/t/"))) == {"src/b.py"}


def test_ignored_files_git_tandem_links_and_binaries_are_left_alone(tmp_path: Path) -> None:
    lay_out(
        tmp_path,
        {
            ".gitignore": "build/\n*.log\n",
            "build/a.txt": "Q",
            "b.log": "Q",
            ".git/config": "Q",
            ".tandem/plans/a": "Q",
            "pkg/.gitignore": "!keep.log\nlocal.txt\n",
            "pkg/keep.log": "Q",
            "pkg/local.txt": "Q",
            "image.bin": b"Q\0Q",
            "c.txt": "Q",
        },
    )
    (tmp_path / "link.txt").symlink_to("c.txt")
    (tmp_path / "linked").symlink_to("build")
    assert set(written(outcome_of(tmp_path, "/replace Q y"))) == {"c.txt", "pkg/keep.log"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a old\r\nb old\r\n", b"a new\r\nb new\r\n"),
        (b"\xef\xbb\xbfold", b"\xef\xbb\xbfnew"),
        (b"caf\xe9 old\n", b"caf\xe9 new\n"),
        ("\ufeffold é\r\n".encode("utf-16-le"), "\ufeffnew é\r\n".encode("utf-16-le")),
        ("\ufeffold\n".encode("utf-16-be"), "\ufeffnew\n".encode("utf-16-be")),
        (b"old\rold\nold\r\n", b"new\rnew\nnew\r\n"),
    ],
    ids=["crlf", "utf-8 with mark", "latin-1", "utf-16-le", "utf-16-be", "mixed endings"],
)
def test_encoding_marks_and_line_endings_stay_as_they_are(tmp_path: Path, before: bytes, after: bytes) -> None:
    lay_out(tmp_path, {"a.txt": before})
    assert written(outcome_of(tmp_path, "/replace old new")) == {"a.txt": after}


def test_text_over_several_lines_is_found_whatever_the_line_endings(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": b"1\r\n2\r\n3\r\n", "b.txt": b"1\n2\n3\n"})
    outcome = outcome_of(tmp_path, '/replace "1\n2" "1\n1.5\n2"')
    assert written(outcome) == {"a.txt": b"1\r\n1.5\r\n2\r\n3\r\n", "b.txt": b"1\n1.5\n2\n3\n"}


def test_a_file_whose_encoding_lacks_the_new_text_is_named_and_left(tmp_path: Path) -> None:
    lay_out(tmp_path, {"old.txt": b"caf\xe9 price", "new.txt": "café price"})
    outcome = outcome_of(tmp_path, "/replace price 5€")
    assert set(written(outcome)) == {"new.txt"}
    assert "encoding: old.txt" in outcome.summary


def test_a_large_text_file_is_named_and_left(tmp_path: Path) -> None:
    lay_out(tmp_path, {"large.txt": b"x\n" * (3 * 1024 * 1024), "a.txt": "x"})
    outcome = outcome_of(tmp_path, "/replace x y")
    assert set(written(outcome)) == {"a.txt"}
    assert "larger than 4 MiB: large.txt" in outcome.summary


@pytest.mark.parametrize(("text", "said"), [('"" x', "OLD is empty"), ("x x", "are the same")])
def test_text_that_would_change_nothing_or_everything_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(BadInputError, match=said):
        outcome_of(tmp_path, f"/replace {text}")


CONTENT = st.lists(
    st.sampled_from([b"ab", b"b", b"a", b"\n", b"\r\n", b"\r", b"\xc3\xa9", b" ", b"\t"]), max_size=40
).map(b"".join)
BEGINNING = st.sampled_from([b"", b"\xef\xbb\xbf"])


@given(BEGINNING, CONTENT, st.text("abX", min_size=1, max_size=3), st.text("XYab", max_size=4))
def test_bytes_outside_the_matches_never_change(
    tmp_path_factory: pytest.TempPathFactory, beginning: bytes, content: bytes, old: str, new: str
) -> None:
    if old == new:
        return
    before = beginning + content
    after = replaced_in(tmp_path_factory, before, old, new)
    assert after == before.replace(old.encode(), new.encode())


@given(CONTENT, st.sampled_from(["a", "ab"]))
def test_a_replacement_by_text_that_was_nowhere_is_taken_back_by_its_reverse(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, old: str
) -> None:
    there = replaced_in(tmp_path_factory, content, old, "QQ")
    assert replaced_in(tmp_path_factory, there, "QQ", old) == content


@given(CONTENT)
def test_as_many_places_are_reported_as_there_are(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    root = tmp_path_factory.mktemp("ws")
    (root / "a.txt").write_bytes(content)
    with Workspace(root) as tree:
        outcome = ReplaceText("a", "zz").run(tree)
    reported = re.search(r"(\d+) places? in", outcome.summary)
    assert int(reported[1] if reported else 0) == content.count(b"a")


def replaced_in(factory: pytest.TempPathFactory, content: bytes, old: str, new: str) -> bytes:
    root = factory.mktemp("ws")
    (root / "a.txt").write_bytes(content)
    with Workspace(root) as tree:
        edits = ReplaceText(old, new).run(tree).edits
    assert len(edits) <= 1
    return edits[0].data if edits and isinstance(edits[0], WriteFile) else content
