"""What is new is told once after an update, from the changelog, and never the first time of all."""

from pathlib import Path

import pytest

from tandem_desktop import __version__
from tandem_desktop.storage.paths import CHANGELOG, resource
from tandem_desktop.ui.diagnostics import LAST_VERSION, UpdateNotes, notes_since

WRITTEN = """# Changelog

## [Unreleased]

- Not out yet.

## [0.10.0] - 2026-05-01

### Added

- Ten.

## [0.9.1] - 2026-04-01

- Nine point one.

## [0.9.0] - 2026-03-01

- Nine.
"""


def notes(state: Path, version: str) -> UpdateNotes:
    return UpdateNotes(state, version, WRITTEN)


def test_first_start_of_all_is_told_nothing_and_the_next_version_is(tmp_path: Path) -> None:
    assert not notes(tmp_path / "state", "0.9.1").has_come()
    updated = notes(tmp_path / "state", "0.10.0")
    assert updated.has_come()
    assert updated.text == "### Added\n\n- Ten."
    assert not notes(tmp_path / "state", "0.10.0").has_come()


def test_versions_that_were_skipped_are_told_too_and_those_before_are_not(tmp_path: Path) -> None:
    notes(tmp_path, "0.9.0").has_come()
    updated = notes(tmp_path, "0.10.0")
    assert updated.has_come()
    assert updated.text.splitlines()[-1] == "- Nine point one."
    assert "- Ten." in updated.text
    assert "- Nine.\n" not in updated.text


@pytest.mark.parametrize("before", ["0.10.0", "0.11.0", "\x00", ""], ids=["same", "newer", "unreadable", "empty"])
def test_a_version_that_is_not_newer_than_the_last_is_told_nothing(tmp_path: Path, before: str) -> None:
    (tmp_path / LAST_VERSION).write_text(before)
    assert not notes(tmp_path, "0.10.0").has_come()
    assert (tmp_path / LAST_VERSION).read_text() == "0.10.0"


def test_nothing_is_told_where_it_could_not_be_kept_that_it_was(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    assert not notes(tmp_path / "state", "0.10.0").has_come()


def test_a_version_that_is_not_out_yet_stands_under_unreleased() -> None:
    assert notes_since(WRITTEN, "0.11.0") == "- Not out yet."
    assert notes_since(WRITTEN, "0.9.0") == "- Nine."
    assert notes_since("# Changelog\n", "0.9.0") == ""


def test_changelog_of_this_version_is_found_and_says_something() -> None:
    assert notes_since(resource(CHANGELOG).read_text("utf-8"), __version__).startswith("### ")
