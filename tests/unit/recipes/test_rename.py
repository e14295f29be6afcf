from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.recipes.rename import find_words
from tests.support.recipes import lay_out, outcome_of, written

PYTHON = '''"""About load."""
from api import load as load_all  # load it

@load.once
def load(load_now, unload):
    """load things"""
    return f"{load} load", api.load, "load"
'''


def test_names_of_the_program_are_renamed_and_words_about_it_are_not(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": PYTHON, "README.md": "call load\n"})
    outcome = outcome_of(tmp_path, "/rename-identifier load fetch")
    assert written(outcome)["a.py"].decode() == PYTHON.replace("import load ", "import fetch ").replace(
        "@load", "@fetch"
    ).replace("def load(", "def fetch(").replace("{load}", "{fetch}").replace("api.load", "api.fetch")
    assert "5 places in 1 file" in outcome.summary


def test_what_was_left_is_told_with_its_lines(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": PYTHON, "README.md": "call load\n", "notes.unknown": "load\n"})
    told = outcome_of(tmp_path, "/rename-identifier load fetch").summary
    assert "in prose, data and markup (--everywhere takes them, too): README.md:1\n" in told
    assert "in strings and comments (--everywhere takes them, too): a.py:1 and 4 more" in told
    assert "does not know (--everywhere takes them, too): notes.unknown:1" in told


def test_everywhere_takes_strings_comments_and_prose_too(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": PYTHON, "README.md": "call load\n", "notes.unknown": "load\n"})
    outcome = outcome_of(tmp_path, "/rename-identifier load fetch --everywhere")
    assert set(written(outcome)) == {"a.py", "README.md", "notes.unknown"}
    changed = written(outcome)["a.py"].decode()
    assert "load" not in changed.replace("load_all", "").replace("load_now", "").replace("unload", "")


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.js", "old(); $old(); old$; o.old; 'old'; // old\n", "new_(); $old(); old$; o.new_; 'old'; // old\n"),
        ("a.sh", 'old=1\necho "$old ${old}"\n', 'new_=1\necho "$new_ ${new_}"\n'),
        ("a.go", 'func old() { x := "old" } // old\n', 'func new_() { x := "old" } // old\n'),
        (
            "a.c",
            "#include <old.h>\nint old(void) { return old_2; }\n",
            "#include <old.h>\nint new_(void) { return old_2; }\n",
        ),
        ("a.rb", "def old; old?; end\n", "def new_; old?; end\n"),
        ("a.rs", 'fn old() { let s = "old"; r#"old"#; }\n', 'fn new_() { let s = "old"; r#"old"#; }\n'),
    ],
)
def test_each_language_has_its_own_rules(tmp_path: Path, name: str, before: str, after: str) -> None:
    lay_out(tmp_path, {name: before})
    assert written(outcome_of(tmp_path, "/rename-identifier old new_"))[name].decode() == after


def test_encoding_mark_and_line_endings_stay(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": b"\xef\xbb\xbfold = 1\r\nx = old"})
    assert written(outcome_of(tmp_path, "/rename-identifier old new")) == {"a.py": b"\xef\xbb\xbfnew = 1\r\nx = new"}


def test_a_name_that_is_already_used_is_pointed_out(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": "old = 1\nnew = 2\n", "b.py": "old\n"})
    assert "new was already used in a.py." in outcome_of(tmp_path, "/rename-identifier old new").summary


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("old-name new", "OLD is not an identifier"),
        ("old 9x", "NEW is not an identifier"),
        ("old api.new", "NEW is not an identifier"),
        ("old old", "are the same"),
        ("old class", "class is a keyword of Python"),
    ],
)
def test_a_name_that_cannot_be_one_is_refused(tmp_path: Path, text: str, said: str) -> None:
    lay_out(tmp_path, {"a.py": "old = 1\n"})
    with pytest.raises(BadInputError, match=said):
        outcome_of(tmp_path, f"/rename-identifier {text}")


@given(st.text("ab_ .$\n", max_size=60))
def test_only_whole_words_are_found(text: str) -> None:
    for place in find_words(text, "ab"):
        before, after = text[place - 1 : place] if place else "", text[place + 2 : place + 3]
        assert text[place : place + 2] == "ab"
        assert not (before + after).replace("$", "").replace(" ", "").replace(".", "").strip()
