import os
import stat
import subprocess
from pathlib import Path

import pytest

from tandem_desktop.domain.errors import OutsideWorkspaceError, ShadowError
from tandem_desktop.domain.operations import ABSENT, DirectoryState, SymlinkState
from tandem_desktop.shadow.workspace import UNSEEN, ShadowChange
from tests.support.builders import a_file
from tests.support.shadows import ShadowPlace


def test_every_kind_of_change_is_found_by_content_and_the_disk_keeps_what_it_has(place: ShadowPlace) -> None:
    place.put("changed.txt", "old\n")
    place.put("gone.txt", "gone\n")
    place.put("run.sh", "#!/bin/sh\n")
    place.put("kept.txt", "kept\n")
    before = place.disk()
    place.open().begin_turn()
    place.agent(
        "echo new > changed.txt; rm gone.txt; chmod 755 run.sh; ln -s kept.txt link;"
        "mkdir -p deep/er; echo ü > deep/er/ü.txt"
    )
    found = place.shadow.changes()
    assert found == (
        ShadowChange("changed.txt", a_file(b"old\n"), a_file(b"new\n"), drifted=False),
        ShadowChange("deep", ABSENT, DirectoryState(mode=0o755), drifted=False),
        ShadowChange("deep/er", ABSENT, DirectoryState(mode=0o755), drifted=False),
        ShadowChange("deep/er/ü.txt", ABSENT, a_file("ü\n".encode()), drifted=False),
        ShadowChange("gone.txt", a_file(b"gone\n"), ABSENT, drifted=False),
        ShadowChange("link", ABSENT, SymlinkState(target="kept.txt"), drifted=False),
        ShadowChange("run.sh", a_file(b"#!/bin/sh\n"), a_file(b"#!/bin/sh\n", mode=0o755), drifted=False),
    )
    assert place.disk() == before


def test_bytes_of_both_sides_are_in_the_object_store(place: ShadowPlace) -> None:
    place.put("a.txt", "old\n")
    place.open()
    place.agent("echo new > a.txt")
    change = place.changes()["a.txt"]
    assert change.before.type == change.after.type == "file"
    assert place.objects.read(change.before.sha256) == b"old\n"
    assert place.objects.read(change.after.sha256) == b"new\n"


def test_touching_or_rewriting_the_same_bytes_is_no_change(place: ShadowPlace) -> None:
    place.put("a.txt", "same\n")
    place.put("b.txt", "same\n")
    place.put("c/d.txt", "same\n")
    place.open()
    place.agent(
        "touch a.txt; echo same > b.txt; mv b.txt x; mv x b.txt; touch c; echo > new; rm new; cp -p a.txt t; mv t a.txt"
    )
    assert place.shadow.changes() == ()
    assert place.shadow.refused == ()


def test_a_folder_put_in_the_place_of_another_shows_what_is_gone_and_what_came(place: ShadowPlace) -> None:
    place.put("d/old.txt", "old\n")
    place.put("d/both.txt", "1\n")
    place.put("d/sub/deep.txt", "deep\n")
    place.open()
    place.agent("rm -rf d; mkdir d; echo 2 > d/both.txt; echo new > d/new.txt")
    found = {path: (change.before.type, change.after.type) for path, change in place.changes().items()}
    assert found == {
        "d/both.txt": ("file", "file"),
        "d/new.txt": ("absent", "file"),
        "d/old.txt": ("file", "absent"),
        "d/sub": ("dir", "absent"),
        "d/sub/deep.txt": ("file", "absent"),
    }


def test_a_renamed_folder_is_a_deletion_and_a_creation_of_everything_in_it(place: ShadowPlace) -> None:
    place.put("from/a.txt", "a\n")
    place.put("from/sub/b.txt", "b\n")
    place.open()
    place.agent("mv from to")
    found = {path: (change.before.type, change.after.type) for path, change in place.changes().items()}
    assert found == {
        "from": ("dir", "absent"),
        "from/a.txt": ("file", "absent"),
        "from/sub": ("dir", "absent"),
        "from/sub/b.txt": ("file", "absent"),
        "to": ("absent", "dir"),
        "to/a.txt": ("absent", "file"),
        "to/sub": ("absent", "dir"),
        "to/sub/b.txt": ("absent", "file"),
    }
    assert not any(change.drifted for change in place.changes().values())


def test_a_file_in_the_place_of_a_folder_and_a_folder_in_the_place_of_a_file(place: ShadowPlace) -> None:
    place.put("folder/a.txt", "a\n")
    place.put("file", "b\n")
    place.open()
    place.agent("rm -rf folder; echo x > folder; rm file; mkdir file; echo y > file/z")
    found = {path: (change.before.type, change.after.type) for path, change in place.changes().items()}
    assert found == {
        "file": ("file", "dir"),
        "file/z": ("absent", "file"),
        "folder": ("dir", "file"),
        "folder/a.txt": ("file", "absent"),
    }


def test_an_edit_after_the_agents_first_write_survives_and_the_change_is_drifted(place: ShadowPlace) -> None:
    place.put("a.txt", "old\n")
    place.open().begin_turn()
    place.agent("echo agent > a.txt")
    place.put("a.txt", "person\n")
    change = place.changes()["a.txt"]
    assert (change.before, change.after, change.drifted) == (UNSEEN, a_file(b"agent\n"), True)
    assert (place.root / "a.txt").read_text() == "person\n"


def test_an_edit_after_the_base_was_noted_leaves_the_base_and_the_change_is_drifted(place: ShadowPlace) -> None:
    place.put("a.txt", "old\n")
    place.open().begin_turn()
    place.agent("echo agent > a.txt")
    place.shadow.note_bases()
    place.put("a.txt", "person\n")
    change = place.changes()["a.txt"]
    assert (change.before, change.after, change.drifted) == (a_file(b"old\n"), a_file(b"agent\n"), True)
    assert place.objects.read(a_file(b"old\n").sha256) == b"old\n"


def test_what_the_person_changed_before_the_agent_wrote_in_the_same_turn_is_drifted(place: ShadowPlace) -> None:
    place.put("a.txt", "old\n")
    place.open().begin_turn()
    place.put("a.txt", "person\n")
    place.agent("echo agent > a.txt")
    assert place.changes()["a.txt"].drifted


def test_a_file_both_make_and_a_file_the_person_deletes_meanwhile_are_drifted(place: ShadowPlace) -> None:
    place.put("deleted.txt", "old\n")
    place.open().begin_turn()
    place.agent("echo agent > new.txt; echo agent >> deleted.txt")
    place.put("new.txt", "person\n")
    (place.root / "deleted.txt").unlink()
    found = place.changes()
    assert found["new.txt"].drifted
    assert found["deleted.txt"].drifted


def test_the_same_edit_by_both_is_no_change(place: ShadowPlace) -> None:
    place.put("a.txt", "old\n")
    place.open().begin_turn()
    place.agent("echo same > a.txt")
    place.put("a.txt", "same\n")
    assert place.shadow.changes() == ()


def test_what_came_into_a_folder_the_agent_removed_is_not_removed_with_it(place: ShadowPlace) -> None:
    place.put("d/a.txt", "a\n")
    place.open().begin_turn()
    place.agent("rm -rf d")
    place.shadow.note_bases()
    place.put("d/later.txt", "person\n")
    place.shadow.begin_turn()
    found = place.changes()
    assert set(found) == {"d", "d/a.txt"}
    assert found["d"].drifted
    assert not found["d/a.txt"].drifted


def test_what_the_person_puts_into_a_folder_the_agent_made_as_well_is_not_taken_for_removed(place: ShadowPlace) -> None:
    place.open().begin_turn()
    place.agent("mkdir n; echo x > n/agent.txt")
    place.shadow.changes()
    place.put("n/person.txt", "person\n")
    place.shadow.begin_turn()
    assert set(place.changes()) == {"n/agent.txt"}
    place.shadow.refresh()
    assert place.agent("cat n/person.txt") == "person\n"
    assert set(place.changes()) == {"n/agent.txt"}


def test_what_both_put_into_a_folder_the_agent_emptied_is_drifted(place: ShadowPlace) -> None:
    place.put("d/a.txt", "a\n")
    place.open().begin_turn()
    place.agent("rm -rf d; mkdir d")
    place.shadow.note_bases()
    place.put("d/later.txt", "person\n")
    place.shadow.begin_turn()
    place.agent("echo agent > d/later.txt")
    change = place.changes()["d/later.txt"]
    assert (change.before, change.drifted) == (ABSENT, True)


def test_what_the_person_puts_where_both_made_a_folder_of_a_file_is_not_taken_for_removed(place: ShadowPlace) -> None:
    place.put("f", "file\n")
    place.open().begin_turn()
    place.agent("rm f; mkdir f; echo x > f/agent.txt")
    place.shadow.note_bases()
    (place.root / "f").unlink()
    place.put("f/person.txt", "person\n")
    place.shadow.begin_turn()
    assert "f/person.txt" not in place.changes()


def test_a_path_the_agent_left_alone_again_has_the_base_of_the_turn_it_is_changed_in(overlay: ShadowPlace) -> None:
    overlay.open().begin_turn()
    overlay.agent("echo x > a.txt")
    overlay.shadow.note_bases()
    overlay.agent("rm a.txt")
    overlay.put("a.txt", "person\n")
    overlay.shadow.begin_turn()
    overlay.agent("cat a.txt; echo agent > a.txt")
    assert overlay.changes()["a.txt"] == ShadowChange("a.txt", a_file(b"person\n"), a_file(b"agent\n"), drifted=False)


def test_refresh_shows_later_edits_where_the_agent_changed_nothing(place: ShadowPlace) -> None:
    place.put("settled.txt", "1\n")
    place.put("mine.txt", "1\n")
    place.put("plain.txt", "1\n")
    place.put("gone.txt", "1\n")
    place.open().begin_turn()
    place.agent("touch settled.txt gone.txt; echo agent > mine.txt")
    place.shadow.changes()
    for name in ("settled.txt", "mine.txt", "plain.txt", "new/er.txt"):
        place.put(name, "2\n")
    (place.root / "gone.txt").unlink()
    place.shadow.refresh()
    place.shadow.begin_turn()
    seen = place.agent("cat settled.txt mine.txt plain.txt new/er.txt; ls gone.txt")
    assert seen.startswith("2\nagent\n2\n2\n")
    assert "No such file" in seen
    found = place.changes()
    assert set(found) == {"mine.txt"}
    assert (found["mine.txt"].before, found["mine.txt"].drifted) == (a_file(b"1\n"), True)


def test_settled_paths_equal_the_disk_and_are_no_changes_any_more(place: ShadowPlace) -> None:
    place.put("a.txt", "old\n")
    place.put("d/b.txt", "b\n")
    place.open().begin_turn()
    place.agent("echo agent > a.txt; rm -rf d; mkdir -p n/m; echo x > n/m/x; ln -s a.txt l")
    before = place.disk()
    place.shadow.settle(place.changes())
    assert place.shadow.changes() == ()
    assert place.agent("cat a.txt d/b.txt; ls") == "old\nb\na.txt\nd\n"
    assert place.disk() == before


def test_after_a_run_the_base_is_what_the_run_left(place: ShadowPlace) -> None:
    place.put("a.txt", "old\n")
    place.put("gone.txt", "x\n")
    place.open().begin_turn()
    place.agent("echo one > a.txt; rm gone.txt; echo n > new.txt")
    paths = tuple(place.changes())
    place.put("a.txt", "one\n")
    place.put("new.txt", "n\n")
    (place.root / "gone.txt").unlink()
    place.shadow.settle(paths)
    assert place.shadow.changes() == ()
    place.agent("echo two > a.txt; echo m > new.txt")
    found = place.changes()
    assert found["a.txt"] == ShadowChange("a.txt", a_file(b"one\n"), a_file(b"two\n"), drifted=False)
    assert found["new.txt"] == ShadowChange("new.txt", a_file(b"n\n"), a_file(b"m\n"), drifted=False)


def test_what_the_person_brings_back_after_a_deletion_ran_is_seen_after_refresh(place: ShadowPlace) -> None:
    place.put("d/a.txt", "a\n")
    place.open().begin_turn()
    place.agent("rm -rf d")
    paths = tuple(place.changes())
    (place.root / "d/a.txt").unlink()
    (place.root / "d").rmdir()
    place.shadow.settle(paths)
    place.put("d/a.txt", "again\n")
    place.put("d/b.txt", "more\n")
    place.shadow.refresh()
    assert place.agent("cat d/a.txt d/b.txt") == "again\nmore\n"
    assert place.shadow.changes() == ()


def test_opened_again_it_has_what_the_agent_did_and_what_it_saw(place: ShadowPlace) -> None:
    place.put("a.txt", "old\n")
    place.open().begin_turn()
    place.agent("echo agent > a.txt; echo n > new.txt")
    place.shadow.changes()
    place.put("a.txt", "person\n")
    place.reopen()
    found = place.changes()
    assert found["a.txt"] == ShadowChange("a.txt", a_file(b"old\n"), a_file(b"agent\n"), drifted=True)
    assert found["new.txt"].after == a_file(b"n\n")
    assert place.agent("cat a.txt") == "agent\n"


def test_a_shadow_is_opened_once_at_a_time(place: ShadowPlace) -> None:
    place.open()
    with pytest.raises(ShadowError, match="open in another"):
        ShadowPlace.open(place)


def test_discard_leaves_nothing(place: ShadowPlace) -> None:
    place.put("a.txt", "old\n")
    place.open()
    place.agent("mkdir d; echo x > d/x; chmod 0 d; rm a.txt")
    place.shadow.discard()
    assert list((place.state / "shadows").iterdir()) == []


def test_changes_under_git_are_a_warning_and_tandems_own_folder_is_nothing_at_all(place: ShadowPlace) -> None:
    place.put("a.txt", "a\n")
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one"]):
        subprocess.run(["git", *command], cwd=place.root, check=True)
    place.put(".tandem/plans/x", "secret\n")
    place.open()
    place.agent("echo hook > .git/hooks/pre-commit; touch .git/config; mkdir -p sub/.git; echo x > sub/.git/y")
    assert set(place.changes()) == {"sub"}
    changes, _ = place.shadow.git_sides()
    assert [change.path for change in changes] == [".git/hooks/pre-commit", "sub/.git", "sub/.git/y"]
    assert "cannot" not in place.agent("git log --oneline; git status --short")


def test_what_cannot_be_staged_is_named_with_its_reason(place: ShadowPlace) -> None:
    place.open()
    place.agent(
        "mkfifo pipe; truncate -s 40M huge.bin; echo ok > fine;"
        "touch \"$(printf 'con\\001trol')\" \"$(printf 'bad\\377name')\""
    )
    assert set(place.changes()) == {"fine"}
    reasons = dict(place.shadow.refused)
    assert "special file" in reasons["pipe"]
    assert "limit" in reasons["huge.bin"]
    assert len(reasons) == 4


def test_the_client_reads_and_writes_what_the_agent_sees(place: ShadowPlace) -> None:
    place.put("run.sh", "old\n", 0o755)
    place.open()
    place.agent("echo hello > from_agent.txt")
    assert place.shadow.read("from_agent.txt") == b"hello\n"
    place.shadow.write("run.sh", b"new\n")
    place.shadow.write("deep/er/new.txt", b"x\n")
    assert place.agent("cat run.sh deep/er/new.txt; stat -c %a run.sh") == "new\nx\n755\n"
    assert place.changes()["run.sh"] == ShadowChange(
        "run.sh", a_file(b"old\n", mode=0o755), a_file(b"new\n", mode=0o755), drifted=False
    )
    place.shadow.remove("deep")
    place.shadow.remove("deep")
    assert [name for name in place.shadow.children(".") if name != ".tandem"] == ["from_agent.txt", "run.sh"]
    assert set(place.changes()) == {"from_agent.txt", "run.sh"}


@pytest.mark.parametrize("path", ["../out.txt", "/etc/passwd", ".git/config", ".tandem/x", "out/a.txt", "link.txt"])
def test_the_client_leads_nobody_out_of_the_shadow(place: ShadowPlace, tmp_path: Path, path: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_text("untouched\n")
    place.open()
    place.agent(f"ln -s '{outside}' out; ln -s '{outside}/a.txt' link.txt")
    with pytest.raises(OutsideWorkspaceError):
        place.shadow.write(path, b"x")
    assert (outside / "a.txt").read_text() == "untouched\n"


def test_the_base_is_noted_before_the_client_writes(place: ShadowPlace) -> None:
    place.put("a.txt", "old\n")
    place.open().begin_turn()
    place.shadow.write("a.txt", b"agent\n")
    place.put("a.txt", "person\n")
    change = place.changes()["a.txt"]
    assert (change.before, change.drifted) == (a_file(b"old\n"), True)


def test_read_only_files_and_folders_keep_their_modes(place: ShadowPlace) -> None:
    place.put("locked/a.txt", "a\n", 0o444)
    (place.root / "locked").chmod(0o555)
    place.open()
    assert place.shadow.state("locked") == DirectoryState(mode=0o555)
    assert stat.S_IMODE(os.stat(place.root / "locked").st_mode) == 0o555
    assert place.shadow.changes() == ()
    (place.root / "locked").chmod(0o755)
