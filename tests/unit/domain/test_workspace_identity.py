"""Which workspace is which, before and after a restart."""

import pytest

from tandem_desktop.domain.approval import WorkspaceIdentity

HOME = WorkspaceIdentity(real_path="/home/person/project", device=7, inode=42)


def test_journals_are_found_again_when_the_disk_has_another_number_after_a_restart() -> None:
    restarted = HOME.model_copy(update={"device": 8})
    assert restarted.journal_key == HOME.journal_key
    assert restarted.key != HOME.key


@pytest.mark.parametrize("change", [{"real_path": "/home/person/copy"}, {"inode": 43}])
def test_journals_of_another_folder_are_not_mistaken_for_ones_own(change: dict[str, str | int]) -> None:
    assert HOME.model_copy(update=change).journal_key != HOME.journal_key
