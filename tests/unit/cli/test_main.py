"""Times and counts read the same for scripts everywhere, and well for people."""

from datetime import UTC, datetime, timedelta, timezone

from tandem_desktop.cli.main import count, utc
from tandem_desktop.domain.errors import BadInputError

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_times_are_iso_8601_in_utc() -> None:
    assert utc(NOW.astimezone(timezone(timedelta(hours=5)))) == "2026-01-02T03:04:05+00:00"
    assert utc(None) is None


def test_counts_are_grammatical() -> None:
    assert [count(number, "path") for number in (0, 1, 2)] == ["0 paths", "1 path", "2 paths"]


def test_an_error_has_exactly_the_keys_of_the_contract() -> None:
    error = BadInputError("No.", path="a", step="s1", next="Do it.")
    assert error.as_object() == {"kind": "bad_input", "message": "No.", "path": "a", "step": "s1", "next": "Do it."}
