"""A signature means that Tandem made the record, or it means nothing."""

from pathlib import Path

import pytest

from tandem_desktop.approval.store import StateKey
from tandem_desktop.domain.errors import StorageError
from tandem_desktop.storage import syscalls


def test_the_key_is_made_once_and_only_its_owner_can_read_it(tmp_path: Path) -> None:
    path = tmp_path / "state" / "approvals" / "key"
    code = StateKey(path).sign("a", b"payload")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert len(path.read_bytes()) == 32
    assert StateKey(path).sign("a", b"payload") == code


def test_a_code_holds_for_one_payload_in_one_domain_under_one_key(tmp_path: Path) -> None:
    key = StateKey(tmp_path / "key")
    code = key.sign("a", b"payload")
    assert key.is_signed("a", b"payload", code)
    assert not key.is_signed("b", b"payload", code)
    assert not key.is_signed("a", b"payloae", code)
    assert not key.is_signed("a", b"payload", code[:-1])
    assert not key.is_signed("a", b"payload", "")
    assert not key.is_signed("a", b"payload", "é\ud800")
    assert not StateKey(tmp_path / "other").is_signed("a", b"payload", code)


def test_of_two_processes_that_make_the_key_at_once_both_use_the_first(tmp_path: Path) -> None:
    path = tmp_path / "key"
    codes = []

    def another_is_first(call: str, what: str) -> None:
        if call == "linkat" and not codes:
            codes.append("about to be made")
            codes.append(StateKey(path).sign("a", b""))

    with syscalls.gated(another_is_first):
        assert StateKey(path).sign("a", b"") == codes[1]


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_a_file_that_is_no_key_is_refused_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(StorageError, match="not a key made by Tandem") as refusal:
        StateKey(path).sign("a", b"")
    assert refusal.value.path == str(path)
    assert "approved again" in refusal.value.next


def test_a_key_that_is_a_folder_or_a_link_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    with pytest.raises(StorageError, match="not a key"):
        StateKey(folder).sign("a", b"")
    real = tmp_path / "real"
    StateKey(real).sign("a", b"")
    (tmp_path / "link").symlink_to(real)
    with pytest.raises(StorageError, match="cannot be read"):
        StateKey(tmp_path / "link").sign("a", b"")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_key_others_may_read_proves_nothing(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "key"
    StateKey(path).sign("a", b"")
    path.chmod(mode)
    with pytest.raises(StorageError, match="can be read by others"):
        StateKey(path).sign("a", b"")
