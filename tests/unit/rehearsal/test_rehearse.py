"""A rehearsal shows what a plan does, says what it cannot know, and leaves nothing behind."""

import json
import os
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import UserAbortError
from tandem_desktop.domain.events import CommandRehearsed, CommandSaid, TandemEvent
from tandem_desktop.domain.ids import OperationId
from tandem_desktop.execution.commands import RunControl
from tandem_desktop.rehearsal.results import Rehearsal, RehearsedCommand
from tandem_desktop.services.engine import Engine
from tandem_desktop.shadow import factory
from tandem_desktop.shadow.landlock import landlock_missing
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tests.support.command_line import bash, edit, write
from tests.support.rehearsals import named, plan_json
from tests.support.tree_walker import walk

pytestmark = pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    (folder / ".ssh").mkdir(parents=True)
    (folder / ".ssh" / "id").write_text("a key\n")
    (folder / ".profile").write_text("hello\n")
    monkeypatch.setenv("HOME", str(folder))
    return folder


@pytest.fixture
def root(tmp_path: Path, home: Path) -> Path:
    folder = tmp_path / "ws"
    (folder / "d").mkdir(parents=True)
    (folder / "a.txt").write_text("one\ntwo\n")
    (folder / "d" / "x").write_text("x\n")
    return folder


@pytest.fixture
def engine(root: Path) -> Iterator[Engine]:
    built = build_engine(root)
    yield built
    built.close()


def rehearse(engine: Engine, *steps: dict[str, object], **options: bool) -> Rehearsal:
    version = engine.proposals.propose(plan_json(*steps))
    return engine.rehearsals.rehearse(version.plan_id, **{"once": True, **options})  # type: ignore[arg-type]


def only(engine: Engine, command: str, **options: bool) -> RehearsedCommand:
    (found,) = rehearse(engine, bash(command), **options).commands
    return found


def stages(engine: Engine) -> list[str]:
    return sorted(each.name for each in engine.locations.shadows.glob("rehearsal-*"))


def test_end_of_a_rehearsal_does_not_wait_for_what_others_write_on_the_disk(engine: Engine) -> None:
    found = only(engine, 'grep " $PWD overlay " /proc/mounts')
    assert "volatile" in found.output


def test_each_step_sees_what_the_ones_before_it_did_and_the_workspace_sees_nothing(engine: Engine, root: Path) -> None:
    before = walk(root)
    found = rehearse(
        engine,
        write("new.txt", "new\n"),
        bash("cat new.txt && sed -i s/one/ONE/ a.txt && echo made > d/y"),
        edit("d/x", "x", "z"),
        bash("cat d/x a.txt d/y"),
    )
    assert [command.output for command in found.commands] == ["new\n", "z\nONE\ntwo\nmade\n"]
    assert [[change.path for change in command.effects] for command in found.commands] == [["a.txt", "d/y"], []]
    assert all(command.is_previewable for command in found.commands)
    assert walk(root) == before
    assert stages(engine) == []


@pytest.mark.parametrize(("network", "words"), [(False, "there is no network"), (True, "the network is open")])
def test_whether_there_is_a_network_is_told_as_it_is(engine: Engine, network: bool, words: str) -> None:
    assert words in rehearse(engine, bash("true"), network=network).confinement


def test_both_sides_of_an_effect_can_be_shown(engine: Engine) -> None:
    found = rehearse(engine, bash("sed -i s/one/ONE/ a.txt"))
    (view,) = engine.rehearsals.effects(found)[found.commands[0].id].views
    assert [line.raw for hunk in view.hunks for line in hunk.lines if line.kind == "+"] == [b"ONE\n"]


def test_tandems_own_folder_is_not_there_for_a_command(engine: Engine) -> None:
    assert only(engine, "ls -A").output == "a.txt\nd\n"


def test_a_command_that_failed_leaves_nothing_for_the_next(engine: Engine) -> None:
    found = rehearse(engine, bash("rm -r d; echo gone > a.txt; exit 3"), bash("cat a.txt d/x"))
    failed, after = found.commands
    assert (failed.exit_code, failed.error) == (3, "ended with exit code 3")
    assert [change.path for change in failed.effects] == ["a.txt", "d", "d/x"]
    assert after.output == "one\ntwo\nx\n"


def test_what_waits_for_a_failed_command_is_not_run(engine: Engine) -> None:
    found = rehearse(engine, named(bash("false"), "first"), named(bash("touch late"), "late", "first"))
    assert [command.exit_code for command in found.commands] == [1, None]
    assert found.commands[1].doubts == ("it was not run: It needs first, which failed",)


def test_an_operation_that_a_command_pulls_the_ground_from_is_named(engine: Engine) -> None:
    found = rehearse(engine, bash("echo other > a.txt"), edit("a.txt", "two", "TWO"))
    assert [(problem.step, problem.reason) for problem in found.problems] == [
        ("s2", "a.txt has other content than the plan was made for.")
    ]


@pytest.mark.parametrize(
    ("command", "doubt"),
    [
        ("python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80), 1)\" || true", "the network"),
        ("python3 -c \"import socket; socket.create_connection(('127.0.0.1', 9), 1)\" || true", "the network"),
        ("sleep 60 > /dev/null 2>&1 & disown", "left processes running"),
        ("echo more >> ~/.profile", "outside the workspace"),
        ("rm ~/.profile", "outside the workspace"),
        ("mkfifo pipe", "special file"),
        ("echo $(date +%F) > today", "the date or the time"),
    ],
)
def test_what_cannot_be_known_is_said(engine: Engine, command: str, doubt: str) -> None:
    found = only(engine, command)
    assert not found.is_previewable
    assert any(doubt in each for each in found.doubts), found


def test_a_service_the_command_starts_for_itself_is_no_reason_for_doubt(engine: Engine) -> None:
    server = "import socket; s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname())"
    assert only(engine, f'python3 -c "{server}"').doubts == ()


def test_what_a_command_wrote_at_home_it_finds_again_and_the_person_does_not(engine: Engine, home: Path) -> None:
    found = rehearse(
        engine, bash("echo more >> ~/.profile; mkdir ~/.cache; echo c > ~/.cache/c"), bash("cat ~/.profile")
    )
    assert found.commands[1].output == "hello\nmore\n"
    assert (home / ".profile").read_text() == "hello\n"
    assert not (home / ".cache").exists()
    assert found.commands[0].outside == (f"{home}/.cache/c", f"{home}/.profile")


def test_a_cache_at_home_is_no_reason_for_doubt(engine: Engine) -> None:
    assert only(engine, "mkdir -p ~/.cache && echo c > ~/.cache/c && echo d > made").doubts == ()


def test_keys_and_tandems_state_cannot_be_read(engine: Engine) -> None:
    state = engine.locations.state
    found = only(engine, f"ls -A ~/.ssh; cat ~/.ssh/id; ls {state}; cat {state}/objects/*/*")
    assert found.exit_code == 1
    assert found.output.splitlines() == [
        f"cat: {Path.home()}/.ssh/id: No such file or directory",
        "shadows",
        f"cat: '{state}/objects/*/*': No such file or directory",
    ]


def test_a_command_over_its_time_is_ended_and_in_doubt(engine: Engine) -> None:
    (found,) = rehearse(engine, bash("echo begun; sleep 60", timeout_s=5)).commands
    assert found.output == "begun\n"
    assert "longer than 5 s" in found.doubts[0]


def test_a_command_with_chance_in_it_is_played_again_and_found_out(engine: Engine) -> None:
    found = rehearse(
        engine,
        bash("echo $$ > pid"),
        bash("head -c 8 /dev/urandom > random"),
        bash("echo steady > steady; git init -q repo; git -C repo add .; ln -s steady link"),
        bash("wc -c < random > size; cat pid > copy"),
        once=False,
    )
    assert [command.is_previewable for command in found.commands] == [False, False, True, False]
    assert found.commands[0].doubts == ("it came out differently when it was run again: pid",)
    assert found.commands[3].doubts == ("it came out differently when it was run again: copy",)


def test_what_builds_on_a_command_in_doubt_is_in_doubt_too(engine: Engine) -> None:
    ask = "python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80), 1)\" || echo none > answer"
    found = rehearse(engine, bash(ask), bash("cat answer > copy"), bash("echo apart > apart"), once=False)
    assert [command.is_previewable for command in found.commands] == [False, False, True]


def test_after_a_failure_for_lack_of_network_nothing_is_sure(engine: Engine) -> None:
    ask = "python3 -c \"import socket; socket.create_connection(('192.0.2.1', 80), 1)\""
    found = rehearse(engine, bash(ask), bash("echo apart > apart"))
    assert found.commands[1].doubts == ("it follows s1, which failed here and may not fail in a run",)


def test_a_rehearsal_that_is_stopped_leaves_nothing(engine: Engine, root: Path) -> None:
    version = engine.proposals.propose(plan_json(bash("echo started; sleep 600; touch late")))
    before = walk(root)
    control = RunControl()
    engine.events.subscribe(lambda event: control.abort() if isinstance(event, CommandSaid) else None)
    with pytest.raises(UserAbortError):
        engine.rehearsals.rehearse(version.plan_id, control=control)
    assert walk(root) == before
    assert stages(engine) == []


def test_a_stage_left_by_a_kill_is_swept_and_one_in_use_is_not(engine: Engine) -> None:
    abandoned = engine.locations.shadows / "rehearsal-0123456789abcdef"
    (abandoned / "upper").mkdir(parents=True)
    version = engine.proposals.propose(plan_json(bash("echo here")))
    seen: list[list[str]] = []

    def meanwhile(event: TandemEvent) -> None:
        if isinstance(event, CommandSaid) and not seen:
            seen.append(stages(engine))
            other = build_engine(engine.workspace.path)
            worker = threading.Thread(target=lambda: other.rehearsals.rehearse(version.plan_id, once=True))
            worker.start()
            worker.join()
            seen.append(stages(engine))
            other.close()

    engine.events.subscribe(meanwhile)
    engine.rehearsals.rehearse(version.plan_id, once=True)
    assert len(seen[0]) == 1
    assert abandoned.name not in seen[0]
    assert seen[1] == seen[0]


def test_output_and_outcomes_are_told_while_it_goes_on(engine: Engine) -> None:
    heard: list[TandemEvent] = []
    engine.events.subscribe(heard.append)
    rehearse(engine, bash("printf 'gr\\xc3'; sleep 0.2; printf '\\xbcn'; touch made"), bash("exit 4"))
    assert "".join(event.text for event in heard if isinstance(event, CommandSaid)) == "grün"
    ends = [event for event in heard if isinstance(event, CommandRehearsed)]
    assert [(event.operation_id, event.exit_code, event.effects) for event in ends] == [("s1", 0, 1), ("s2", 4, 0)]
    assert isinstance(heard[-1], CommandRehearsed)


def test_where_there_is_no_overlay_a_copy_does(engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factory, "_why_no_overlay", lambda workspace: "not today")
    before = walk(root)
    found = only(engine, "sed -i s/one/ONE/ a.txt; rm -r d; mkdir -p e/f; ls -A")
    assert found.output == "a.txt\ne\n"
    assert [change.path for change in found.effects] == ["a.txt", "d", "d/x", "e", "e/f"]
    assert found.doubts == ()
    assert not only(engine, "touch ~/x").is_previewable
    assert walk(root) == before


def test_where_nothing_can_hold_a_command_back_it_is_not_run(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(factory, "_why_no_overlay", lambda workspace: "not today")
    monkeypatch.setattr("tandem_desktop.shadow.sandbox.bubblewrap_missing", lambda: "bubblewrap is missing")
    monkeypatch.setattr("tandem_desktop.shadow.sandbox.landlock_missing", lambda: "there is no Landlock")
    found = only(engine, f"touch {root}/escaped")
    assert found.exit_code is None
    assert "nothing here could hold it back" in found.doubts[0].lower()
    assert not (root / "escaped").exists()


def test_where_only_landlock_could_hold_a_command_back_it_is_not_run_either(
    engine: Engine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if missing := landlock_missing():
        pytest.skip(missing)
    monkeypatch.setattr(factory, "_why_no_overlay", lambda workspace: "not today")
    monkeypatch.setattr("tandem_desktop.shadow.sandbox.bubblewrap_missing", lambda: "bubblewrap is missing")
    found = only(engine, f"touch {root}/escaped")
    assert found.exit_code is None
    assert "it would not find the shadow in the workspace's place" in found.doubts[0].lower()
    assert not (root / "escaped").exists()


def test_special_bits_and_owners_of_the_workspace_stay(engine: Engine, root: Path) -> None:
    marks = [(each, os.lstat(each)) for each in sorted(root.rglob("*")) if ".tandem" not in each.parts]
    rehearse(engine, write("d/n", "n\n"), bash("chmod -R 777 . ; touch a.txt; rm -rf d"))
    for place, info in marks:
        now = os.lstat(place)
        assert (now.st_mode, now.st_mtime_ns, now.st_ctime_ns, now.st_ino) == (
            info.st_mode,
            info.st_mtime_ns,
            info.st_ctime_ns,
            info.st_ino,
        )
        assert not stat.S_IMODE(now.st_mode) & stat.S_ISUID


def test_operations_are_named_after_their_command(engine: Engine) -> None:
    found = rehearse(engine, named(bash("mv a.txt b.txt; echo n > n"), "go"))
    views = engine.rehearsals.effects(found)[OperationId("go")].views
    assert [(view.operation.id, view.operation.kind.value) for view in views] == [("go.1", "move"), ("go.2", "create")]


def test_what_hangs_on_the_hour_or_the_day_is_in_doubt_and_a_named_moment_is_not(engine: Engine) -> None:
    by_the_clock = (
        "date +%H > hour.txt",
        "date -u +%Y > year.txt",
        "bash -c 'date -u +%A' > weekday.txt",
        "printf '%(%j)T' -1 > day-of-the-year.txt",
        """python3 -c 'import time; open("h", "w").write(time.strftime("%I %p"))'""",
    )
    named_moments = ("date -u -d 2020-02-02 +%A > then.txt; date -u -r a.txt +%Y > written.txt", "cp a.txt b.txt")
    found = rehearse(engine, *map(bash, (*by_the_clock, *named_moments)), once=False)
    assert [command.is_previewable for command in found.commands] == [False] * 5 + [True] * 2
    assert all("differently when it was run again" in command.doubts[0] for command in found.commands[:5])


def test_a_command_that_a_run_starts_beside_another_is_not_claimed_to_see_what_that_one_did(engine: Engine) -> None:
    tasks = [{"id": name, "subject": name} for name in ("one", "two")]
    steps = [
        {**bash("echo new > new.txt"), "task": "one"},
        {**bash("cat new.txt > seen.txt 2>/dev/null; true"), "task": "two"},
    ]
    version = engine.proposals.propose(json.dumps({"title": "Both", "tasks": tasks, "steps": steps}).encode())
    first, second = engine.rehearsals.rehearse(version.plan_id, once=True).commands
    assert first.is_previewable
    assert second.doubts == ("a run starts it beside s1, whose changes it saw here",)
