import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.storage import logs
from tandem_desktop.storage.logs import LOG_FILE, LogFile

_log = logging.getLogger("tandem_desktop.some.module")


@pytest.fixture
def book(tmp_path: Path) -> Iterator[LogFile]:
    made = LogFile(tmp_path / "logs")
    made.listen()
    yield made
    made.leave()


def test_what_is_logged_is_kept_in_memory_and_in_a_file_of_ones_own(book: LogFile) -> None:
    _log.info("Opened %s.", "it")
    _log.debug("not worth keeping")
    assert [(line.level, line.text) for line in book.lines] == [("info", "Opened it.")]
    path = book.folder / LOG_FILE
    assert path.read_text().endswith("info    module: Opened it.\n")
    assert (path.stat().st_mode & 0o777, book.folder.stat().st_mode & 0o777) == (0o600, 0o700)


def test_log_never_grows_beyond_two_files_of_a_limit(book: LogFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "_LARGEST", 200)
    for number in range(40):
        _log.info("line %d", number)
    kept = {path.name: path.stat().st_size for path in book.folder.iterdir()}
    assert set(kept) <= {LOG_FILE, "tandem.old.log"}
    assert sum(kept.values()) < 600
    assert len(book.lines) == 40


def test_log_that_cannot_be_written_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("not a folder")
    book = LogFile(tmp_path / "logs")
    book.listen()
    try:
        _log.warning("Still here.")
        assert [line.text for line in book.lines] == ["Still here."]
    finally:
        book.leave()


def test_lines_of_an_earlier_start_are_kept_before_those_of_this_one(tmp_path: Path) -> None:
    first = LogFile(tmp_path)
    first.listen()
    logging.getLogger("tandem_desktop.client").warning("The agent was killed.\nIts last line.")
    first.leave()
    second = LogFile(tmp_path)
    second.listen()
    logging.getLogger("tandem_desktop.client").warning("Started again.")
    second.leave()
    assert [line.text for line in second.lines] == ["The agent was killed.\nIts last line.", "Started again."]
