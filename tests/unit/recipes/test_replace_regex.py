from pathlib import Path

import pytest

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.recipes.bounded_regex import BoundedRegex
from tests.support.recipes import lay_out, outcome_of, written


def test_groups_are_carried_over_and_everything_else_stays(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.py": b"user_id = row_id\r\nkid = 1\r\n", "b.md": "user_id"})
    outcome = outcome_of(tmp_path, r'/replace-regex "\b(\w+)_id\b" "\1_key" --in *.py')
    assert written(outcome) == {"a.py": b"user_key = row_key\r\nkid = 1\r\n"}
    assert "2 places in 1 file" in outcome.summary


def test_the_ends_of_lines_are_found_in_files_with_either_ending(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": b"one;\r\ntwo;\r\n", "b.txt": b"one;\ntwo;\n"})
    outcome = outcome_of(tmp_path, '/replace-regex ";$" ""')
    assert written(outcome) == {"a.txt": b"one\r\ntwo\r\n", "b.txt": b"one\ntwo\n"}


def test_a_match_that_becomes_itself_is_no_change(tmp_path: Path) -> None:
    lay_out(tmp_path, {"a.txt": "abc"})
    assert outcome_of(tmp_path, r"/replace-regex (b) \1").edits == ()


def test_a_pattern_that_does_not_end_is_ended_and_named() -> None:
    with BoundedRegex(r"(a+)+$", "x", 0, per_file_s=0.5) as regex:
        with pytest.raises(BadInputError, match=r"did not end within 0\.5 s at src/app\.py") as refused:
            regex.substitute("a" * 64 + "b", "src/app.py")
        process = regex._child
    assert "simpler" in refused.value.next
    assert process.returncode is not None


@pytest.mark.parametrize(
    ("pattern", "replacement", "said"),
    [("(", "x", "unterminated"), ("a", r"\2", "invalid group reference"), ("a", r"\g<no>", "unknown group")],
)
def test_a_pattern_or_replacement_nobody_understands_is_refused_in_words(
    tmp_path: Path, pattern: str, replacement: str, said: str
) -> None:
    with pytest.raises(BadInputError, match=said):
        outcome_of(tmp_path, f'/replace-regex "{pattern}" "{replacement}"')


def test_many_and_long_texts_go_through_one_worker(tmp_path: Path) -> None:
    line = "word é\u2028 😀 tab\t\n"
    lay_out(tmp_path, {f"{number}.txt": line * 5000 for number in range(30)})
    outcome = outcome_of(tmp_path, "/replace-regex word WORD")
    assert len(outcome.edits) == 30
    assert written(outcome)["7.txt"].decode() == line.replace("word", "WORD") * 5000


def test_a_folder_with_modules_of_its_own_cannot_get_into_the_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay_out(tmp_path, {"json.py": "raise SystemExit('mine')", "re.py": "raise SystemExit('mine')", "a.txt": "x"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert written(outcome_of(tmp_path, "/replace-regex x y --in a.txt")) == {"a.txt": b"y"}
