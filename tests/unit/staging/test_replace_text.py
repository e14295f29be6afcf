import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.errors import StepRefusedError
from tandem_desktop.staging.simulate import replaced


class TooLargeError(Exception):
    pass


def test_the_size_is_asked_about_before_a_huge_result_is_made():
    asked = []

    def refuse(size: int) -> None:
        asked.append(size)
        raise TooLargeError

    with pytest.raises(TooLargeError):
        replaced(b"a" * 50_000, path="f", old="a", new="b" * 1_000_000, replace_all=True, check_size=refuse)
    assert asked == [50_000 * 1_000_000]


@given(st.text("ab\r\n", max_size=12), st.text("ab\r\n", min_size=1, max_size=3), st.text("abü", max_size=3))
def test_replacing_bytes_is_replacing_text(text, old, new):
    places = sum(text.startswith(old, start) for start in range(len(text)))
    arguments = {"path": "f", "old": old, "new": new, "check_size": lambda size: None}
    if places == 0 or old == new:
        with pytest.raises(StepRefusedError):
            replaced(text.encode(), replace_all=True, **arguments)
        return
    assert replaced(text.encode(), replace_all=True, **arguments) == text.replace(old, new).encode()
    if places == 1:
        assert replaced(text.encode(), replace_all=False, **arguments) == text.replace(old, new).encode()
    else:
        with pytest.raises(StepRefusedError, match="times"):
            replaced(text.encode(), replace_all=False, **arguments)
