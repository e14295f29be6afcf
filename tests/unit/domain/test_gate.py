"""What no plan may contain is refused by one check, whatever the other fields say."""

import json
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.operations import DirectoryState, FileState, first_misfit, misfit, unfit_mode
from tandem_desktop.domain.paths import is_text, unfit_target
from tandem_desktop.domain.strict_json import ambiguity
from tests.support.builders import a_chmod, a_file, a_mkdir, a_move, a_symlink, a_write

BEYOND = stat.S_ISUID | stat.S_ISGID | stat.S_ISVTX | stat.S_IWOTH


@given(st.integers(0, 0o7777))
def test_a_new_file_or_folder_has_no_mode_beyond_0775_and_can_be_read_by_its_owner(mode: int) -> None:
    is_fit = not mode & BEYOND
    assert (misfit(a_write(mode=mode)) is None) is (is_fit and bool(mode & 0o400))
    folder = a_mkdir().model_copy(update={"after": DirectoryState(mode=mode)})
    assert (misfit(folder) is None) is (is_fit and mode & 0o500 == 0o500)


@given(st.integers(0, 0o7777), st.integers(0, 0o7777))
def test_a_mode_that_was_there_may_stay_and_no_other_bad_one_may_come(before: int, after: int) -> None:
    operation = a_write(before=b"old\n", before_mode=before, mode=after)
    assert (misfit(operation) is None) is (before == after or unfit_mode(after, directory=False) is None)
    if before != after:
        assert (misfit(a_chmod(mode=after, before_mode=before)) is None) is (unfit_mode(after, directory=False) is None)


def test_a_moved_file_keeps_whatever_mode_it_has() -> None:
    state = a_file(mode=0o4777)
    assert misfit(a_move("a", "b").model_copy(update={"base": state, "after": state})) is None


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("", "is empty"),
        ("é" * 2048, "is longer than 4095 bytes"),
        ("a\ud800", "contains half of a surrogate pair: it is not valid UTF-8"),
        ("a\x07é", "contains a control character, ⟨U+0007⟩"),
        ("a\u202eé", "contains an invisible character, ⟨U+202E⟩"),
        ("é" * 2047 + "a", None),
        ("../a b/ä", None),
    ],
    ids=["empty", "long", "surrogate", "control", "invisible", "longest", "plain"],
)
def test_the_reason_against_a_target_of_a_link_is_named(target: str, reason: str | None) -> None:
    assert unfit_target(target) == reason


@given(st.text(min_size=1, max_size=30))
def test_a_link_is_given_only_targets_that_a_person_can_read(target: str) -> None:
    is_refused = misfit(a_symlink().model_copy(update={"after": a_symlink(target=target).after})) is not None
    assert is_refused is (unfit_target(target) is not None)
    if not is_refused:
        assert is_text(target)
        assert target.encode().decode() == target
        assert "\u202e" not in target
        assert not any(ord(character) < 0x20 for character in target)


def test_two_operations_of_one_id_and_bytes_of_two_sizes_do_not_fit_together() -> None:
    assert first_misfit((a_write("a", id="s1"), a_write("b", id="s1"))) == ("s1", "another operation has the same id")
    other = a_write("b", id="s2")
    assert isinstance(other.after, FileState)
    lying = other.model_copy(update={"after": other.after.model_copy(update={"size": 1})})
    found = first_misfit((a_write("a", id="s1"), lying))
    assert found is not None
    assert found[0] == "s2"
    assert first_misfit((a_write("a", id="s1"), other)) is None


KEYS = st.sampled_from(["a", "b", "path", "é", "a b", ""])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.lists(st.tuples(KEYS, inner), max_size=4).map(tuple),
    max_leaves=12,
)


def written(value: object) -> tuple[str, bool]:
    """JSON in which objects are given as pairs, and whether a key stands twice in one of them."""
    if isinstance(value, tuple):
        parts = [(key, *written(each)) for key, each in value]
        text = ",".join(f"{json.dumps(key)}:{inner}" for key, inner, _ in parts)
        twice = len({key for key, *_ in parts}) != len(parts)
        return f"{{{text}}}", twice or any(each for *_, each in parts)
    if isinstance(value, list):
        found = [written(each) for each in value]
        return f"[{','.join(text for text, _ in found)}]", any(twice for _, twice in found)
    return json.dumps(value), False


@given(VALUES)
def test_a_key_that_stands_twice_is_found_at_any_depth_and_nothing_else_is_refused(value: object) -> None:
    text, twice = written(value)
    assert (ambiguity(text.encode()) is not None) is twice


HIDDEN = ('{"n": ' + "9" * 6000 + ', "a": 1, "a": 2}', '{"a": 1e999, "a": 1}', '{"a":1,"\u0061":2}')


@pytest.mark.parametrize("text", HIDDEN, ids=["huge", "infinite", "escaped"])
def test_no_number_or_spelling_hides_a_key_that_stands_twice(text: str) -> None:
    assert ambiguity(text.encode()) == "the key 'a' is there twice in one object"
