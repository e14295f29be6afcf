"""Any prefix of a journal is a prefix of its records; anything else that is wrong with it is told."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem_desktop.domain.errors import JournalError
from tandem_desktop.execution.journal import Journal, read_journal
from tandem_desktop.storage import syscalls

RECORDS = [{"type": "begin", "n": 1}, {"type": "intent", "text": "ünï \udcae"}, {"type": "done"}, {"type": "end"}]


@pytest.fixture
def written(memory_path: Path) -> Path:
    path = memory_path / "RUN-0badcafe.open"
    journal = Journal.create(path)
    for record in RECORDS:
        journal.append(record)
    journal.close()
    return path


def test_records_are_read_back_in_order(written: Path) -> None:
    assert list(read_journal(written)) == RECORDS


def test_journal_cut_at_every_byte_loads_to_a_prefix_and_can_be_continued(written: Path) -> None:
    whole = written.read_bytes()
    lengths = set()
    for length in range(len(whole) + 1):
        written.write_bytes(whole[:length])
        journal, records = Journal.reopen(written)
        assert list(records) == RECORDS[: len(records)]
        journal.append({"type": "again"})
        journal.close()
        assert list(read_journal(written)) == [*RECORDS[: len(records)], {"type": "again"}]
        lengths.add(len(records))
    assert lengths == {0, 1, 2, 3, 4}


def test_tail_of_zeros_left_by_a_power_cut_is_cut_off(written: Path) -> None:
    whole = written.read_bytes()
    written.write_bytes(whole + bytes(100))
    assert list(read_journal(written)) == RECORDS


@settings(max_examples=200)
@given(data=st.data())
def test_flipped_bit_before_the_last_record_is_never_taken_for_a_torn_tail(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.getbasetemp() / "flipped.open"
    path.unlink(missing_ok=True)
    journal = Journal.create(path)
    for record in RECORDS[:3]:
        journal.append(record)
    last = path.stat().st_size
    journal.append(RECORDS[3])
    journal.close()
    whole = bytearray(path.read_bytes())
    position = data.draw(st.integers(0, last - 1))
    whole[position] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(whole)
    with pytest.raises(JournalError, match=r"damaged|newer version"):
        read_journal(path)


def test_journal_of_a_newer_version_is_not_guessed_at(written: Path) -> None:
    written.write_bytes(written.read_bytes().replace(b"TANDEM-JOURNAL-1", b"TANDEM-JOURNAL-2"))
    with pytest.raises(JournalError, match="newer version"):
        read_journal(written)


def test_nothing_is_appended_after_a_failed_sync(memory_path: Path) -> None:
    journal = Journal.create(memory_path / "RUN-0badcafe.open")

    def refuse(call: str, what: str) -> None:
        if call == "fsync":
            raise OSError(5, "Input/output error")

    with syscalls.gated(refuse), pytest.raises(OSError, match="Input/output"):
        journal.append({"type": "begin"})
    with pytest.raises(JournalError, match="nothing more is added"):
        journal.append({"type": "done"})
    journal.close()


def test_two_journals_of_one_name_are_refused(written: Path) -> None:
    with pytest.raises(FileExistsError):
        Journal.create(written)
