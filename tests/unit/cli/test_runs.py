"""A run is found by the digits a person types, and never guessed."""

import pytest

from tandem_desktop.cli.runs import resolve_run
from tandem_desktop.domain.errors import RunNotFoundError

RUNS = ["RUN-11112222", "RUN-1111abcd", "RUN-beefbeef"]


@pytest.mark.parametrize("text", ["RUN-beefbeef", "beefbeef", "beef", "RUN-BEEF", "run-beef", " beef "])
def test_a_run_is_found_by_its_first_digits(text: str) -> None:
    assert resolve_run(text, RUNS) == "RUN-beefbeef"


@pytest.mark.parametrize("text", ["1111", "bee", "", "../x", "RUN-", "0000", "beefbeef0"])
def test_what_fits_none_or_several_is_refused(text: str) -> None:
    with pytest.raises(RunNotFoundError):
        resolve_run(text, RUNS)
