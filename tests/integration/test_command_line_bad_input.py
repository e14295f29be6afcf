"""Bad input gets a sentence, the right exit code and a next step, and nothing is lost."""

import errno
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.app.main import main
from tandem_desktop.storage import atomic, syscalls
from tandem_desktop.storage.workspace import Workspace
from tests.support.command_line import CommandLine, Said, a_workspace, bash, edit, write
from tests.support.tree_walker import walk

FILES = {"notes.txt": "one\ntwo\ntwo\n", "src/app.py": "print()\n"}


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path, FILES), capsys)


def refused(said: Said, code: int) -> dict[str, Any]:
    """The error of a refusal: one JSON object, and the same sentence with a next step on stderr."""
    assert said.code == code, said.out + said.err
    error = said.data["error"]
    assert set(error) == {"kind", "message", "path", "step", "next"}
    assert error["message"].strip().endswith((".", "?"))
    assert error["next"]
    assert "Traceback" not in said.err
    assert said.err.startswith("tandem: ")
    assert "\nNext: " in said.err
    return dict(error)


def step(tool: str, **args: Any) -> dict[str, Any]:
    return {"description": "d", "tool": tool, "args": args}


MALFORMED = {
    "not json": b"{",
    "empty": b"",
    "a list": b"[]",
    "no steps": b'{"title": "t"}',
    "binary": bytes(range(256)),
    "utf-16": '{"title": "t"}'.encode("utf-16"),
    "unknown key": b'{"title": "t", "steps": [], "sudo": true}',
    "twice the same key": b'{"title": "t", "title": "u", "steps": []}',
    "deep": b"[" * 100_000,
    "NaN": b'{"title": NaN, "steps": []}',
}


@pytest.mark.parametrize("raw", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_plan_ends_with_2(tandem: CommandLine, raw: bytes) -> None:
    path = tandem.workspace.parent / "bad.json"
    path.write_bytes(raw)
    before = walk(tandem.workspace)
    refused(tandem("propose", str(path), "--json"), 2)
    assert walk(tandem.workspace) == before
    assert tandem.answer("list")["plans"] == []


STEPS: dict[str, tuple[list[dict[str, Any]], int, str | None]] = {
    "unknown tool": ([step("curl", url="x")], 2, "s1"),
    "missing argument": ([step("write", path="a")], 2, "s1"),
    "wrong type": ([step("write", path=7, content="x")], 2, "s1"),
    "duplicate ids": ([write("a", "x", id="one"), write("b", "x", id="one")], 2, "one"),
    "cycle": ([write("a", "x", id="a", blocked_by=["b"]), write("b", "x", id="b", blocked_by=["a"])], 2, None),
    "old_string absent": ([edit("notes.txt", "four", "4")], 3, "s1"),
    "old_string ambiguous": ([edit("notes.txt", "two", "2")], 3, "s1"),
    "no-op": ([write("notes.txt", "one\ntwo\ntwo\n")], 3, "s1"),
    "missing file": ([step("delete", path="nowhere.txt")], 3, "s1"),
    "absolute path": ([write("/etc/passwd", "x")], 3, "s1"),
    "path above": ([write("../x", "x")], 3, "s1"),
    "path in .git": ([write(".git/hooks/pre-commit", "x")], 3, "s1"),
    "path in .tandem": ([write(".tandem/plans.json", "x")], 3, "s1"),
    "control character": ([write("a\x1b[31m", "x")], 3, "s1"),
    "reserved name": ([write("NUL", "x")], 3, "s1"),
    "long name": ([write("x" * 300, "x")], 3, "s1"),
    "through a link": ([write("link/x", "x")], 3, "s1"),
    "special file": ([write("pipe", "x")], 3, "s1"),
    "file as a folder": ([write("notes.txt/x", "x")], 3, "s1"),
    "move onto a file": ([step("move", path="notes.txt", to="src/app.py")], 3, "s1"),
    "huge sparse file": ([edit("sparse", "a", "b")], 3, "s1"),
}


@pytest.mark.parametrize(("steps", "code", "named"), STEPS.values(), ids=STEPS.keys())
def test_a_step_that_cannot_be_is_named_and_no_plan_is_made(
    tandem: CommandLine, steps: list[dict[str, Any]], code: int, named: str | None
) -> None:
    (tandem.workspace / "link").symlink_to("/tmp")
    os.mkfifo(tandem.workspace / "pipe")
    with (tandem.workspace / "sparse").open("wb") as file:
        file.truncate(1 << 40)
    error = refused(tandem("propose", tandem.write_plan(*steps), "--json"), code)
    if named:
        assert error["step"] == named
    assert "\x1b" not in tandem("propose", tandem.write_plan(*steps)).err
    assert tandem.answer("list")["plans"] == []


@pytest.mark.parametrize("bad", [step("curl", path="a"), step("write", path="a"), step("chmod", path="a", mode=7)])
def test_arguments_that_cannot_be_read_name_the_path_they_are_for(tandem: CommandLine, bad: dict[str, Any]) -> None:
    error = refused(tandem("propose", tandem.write_plan(write("fine", "x"), bad), "--json"), 2)
    assert (error["step"], error["path"]) == ("s2", "a")


CALLS: dict[str, tuple[tuple[str, ...], int]] = {
    "no such file": (("propose", "/nowhere/plan.json"), 2),
    "a folder": (("propose", "/"), 2),
    "a name with NUL": (("propose", "a\0b"), 2),
    "patch that is none": (("review", __file__), 3),
    "unknown plan": (("show", "PLAN-00000000"), 2),
    "no plan id": (("show", "../../etc"), 2),
    "unknown run": (("undo", "RUN-00000000"), 2),
    "odd run": (("undo", "../x"), 2),
    "nothing interrupted": (("recover", "--resume"), 2),
    "nothing interrupted of that name": (("recover", "RUN-00000000", "--rollback"), 2),
    "again without resume": (("recover", "--again"), 2),
    "two ways at once": (("recover", "--resume", "--rollback"), 2),
    "no digest": (("approve", "PLAN-00000000"), 2),
    "revision zero": (("restore", "PLAN-00000000", "0"), 2),
    "revision in words": (("compare", "PLAN-00000000", "one", "2"), 2),
    "unknown policy": (("apply", "PLAN-00000000", "--on-failure", "pray"), 2),
    "unknown option": (("list", "--everything"), 2),
    "shortened option": (("recover", "--roll"), 2),
    "unknown shell": (("completion", "tcsh"), 2),
    "no part": (("audit",), 2),
    "no display": (("gui",), 2),
    "no task": (("run",), 2),
    "empty task": (("run", "--task", " "), 2),
    "unknown agent": (("run", "--agent", "nobody", "--task", "x"), 2),
    "two agents": (("run", "--agent", "goose", "--agent-command", "x", "--task", "x"), 2),
    "no such variable": (("run", "--env", "SURELY_NOT_SET", "--task", "x"), 2),
    "no time": (("run", "--timeout", "0", "--task", "x"), 2),
    **{f"nothing named: {name}": ((name,), 2) for name in ("rebase", "rehearse", "export", "import")},
    **{f"no port: {port}": (("serve", "--port", port), 2) for port in ("65536", "-1", "http")},
}


@pytest.mark.parametrize(("words", "code"), CALLS.values(), ids=CALLS.keys())
def test_a_call_that_makes_no_sense_says_so(tandem: CommandLine, words: tuple[str, ...], code: int) -> None:
    refused(tandem(*words, "--json"), code)


def test_unknown_operations_hunks_and_revisions_of_a_plan_end_with_2(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("src/app.py", "print()", "print(1)"))["plan_id"]
    for words in (
        ("drop", plan_id, "s9"),
        ("drop", plan_id, "s1:7"),
        ("drop", plan_id, "s1:x"),
        ("restore", plan_id, "2"),
        ("compare", plan_id, "1", "2"),
        ("show", plan_id, "--revision", "5"),
    ):
        error = refused(tandem(*words, "--json"), 2)
        assert error["message"], words
    refused(tandem("drop", plan_id, "s1", "--json"), 3)  # nothing would be left
    assert tandem.answer("show", plan_id)["plan"]["revision"] == 1


def test_a_call_without_json_says_one_sentence_and_the_next_step(tandem: CommandLine) -> None:
    said = tandem("show", "PLAN-00000000")
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines()[1].startswith("Next: ")
    assert len(said.err.splitlines()) == 2


def test_a_near_miss_is_suggested(tandem: CommandLine) -> None:
    assert "did you mean 'approve'?" in tandem("aprove").err


@pytest.mark.parametrize("words", [("list",), ("propose", "-"), ("doctor",)])
def test_a_workspace_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"title": "t", "steps": []}')))
    code = main(["-C", str(tmp_path / "gone"), *words])
    captured = capsys.readouterr()
    assert code == (1 if words == ("doctor",) else 2)
    assert "gone" in captured.out + captured.err
    assert not (tmp_path / "gone").exists()


def test_a_workspace_that_is_a_file_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("x")
    refused(CommandLine(tmp_path / "file", capsys)("list", "--json"), 2)


def test_a_folder_that_vanishes_under_the_feet_ends_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "here").rmdir()
    assert main(["list"]) == 2
    assert "Next: " in capsys.readouterr().err


def test_binary_on_standard_input_ends_with_2(tandem: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    for raw in (b"\x00\xff\xfe", os.urandom(4096)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))
        refused(tandem("propose", "-", "--json"), 2)


def test_a_closed_standard_input_ends_with_2(tandem: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    refused(tandem("propose", "-", "--json"), 2)


def test_a_binary_patch_is_refused_with_a_reason(tandem: CommandLine) -> None:
    patch = tandem.workspace.parent / "p.patch"
    patch.write_text(
        "diff --git a/x.png b/x.png\nnew file mode 100644\nindex 0000000..1111111\n"
        "Binary files /dev/null and b/x.png differ\n"
    )
    error = refused(tandem("review", str(patch), "--no-window", "--json"), 3)
    assert "binary" in error["message"].lower()


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC, errno.EACCES, errno.EIO, errno.EDQUOT])
def test_a_disk_that_refuses_ends_with_4_and_a_sentence(tandem: CommandLine, number: int) -> None:
    plan_id = tandem.propose(write("new.txt", "x"))["plan_id"]
    name = tandem.write_plan(write("another.txt", "x"))
    digest = tandem.answer("show", plan_id)["plan"]["digest"]

    def gate(call: str, what: str) -> None:
        raise OSError(number, os.strerror(number), what)

    for words in (("propose", name), ("approve", plan_id, "--digest", digest), ("cancel", plan_id)):
        with syscalls.gated(gate):
            error = refused(tandem(*words, "--json"), 4)
        assert os.strerror(number) in error["message"]
    assert tandem.answer("show", plan_id)["plan"]["status"] == "proposed"


def test_a_full_disk_during_a_run_leaves_the_tree_as_before(tandem: CommandLine) -> None:
    before = walk(tandem.workspace)
    plan = tandem.propose(write("a.txt", "x"), write("b.txt", "y"))
    tandem.approve(plan["plan_id"])

    def gate(call: str, what: str) -> None:
        if what == "b.txt":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), what)

    with syscalls.gated(gate):
        said = tandem("apply", plan["plan_id"], "--json")
    error = refused(said, 4)
    assert (error["step"], error["path"]) == ("s2", "b.txt")
    assert (said.data["status"], said.data["rolled_back"]) == ("failed", True)
    assert walk(tandem.workspace) == before


def damage_by_cutting(plan: Path) -> None:
    path = plan / "r001.json"
    path.write_bytes(path.read_bytes()[:40])


def make_newer(plan: Path) -> None:
    for path in plan.glob("*.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99, "future": True}))


def lose_the_revision(plan: Path) -> None:
    (plan / "r001.json").unlink()


def change_an_effect(plan: Path) -> None:
    path = plan / "r001.json"
    path.write_text(path.read_text().replace("new.txt", "old.txt"))


@pytest.mark.parametrize(
    ("damage", "kind"),
    [
        (damage_by_cutting, "plan_damaged"),
        (make_newer, "plan_damaged"),
        (lose_the_revision, "plan_damaged"),
        (change_an_effect, "approval_drift"),
    ],
)
def test_a_plan_file_that_was_damaged_or_altered_is_never_applied(
    tandem: CommandLine, damage: Callable[[Path], None], kind: str
) -> None:
    plan = tandem.propose(write("new.txt", "x"))
    tandem.approve(plan["plan_id"])
    damage(tandem.workspace / ".tandem" / "plans" / plan["plan_id"])
    error = refused(tandem("apply", plan["plan_id"], "--json"), 3)
    assert error["kind"] == kind
    assert not (tandem.workspace / "new.txt").exists()
    assert not (tandem.workspace / "old.txt").exists()


def test_list_names_a_damaged_plan_and_shows_the_others(tandem: CommandLine) -> None:
    good, bad = tandem.propose(write("a", "x")), tandem.propose(write("b", "x"))
    (tandem.workspace / ".tandem" / "plans" / bad["plan_id"] / "meta.json").write_text("{")
    listed = tandem.answer("list")
    assert [plan["plan_id"] for plan in listed["plans"]] == [good["plan_id"]]
    assert [each["plan_id"] for each in listed["damaged"]] == [bad["plan_id"]]
    assert bad["plan_id"] in tandem("list").out
    assert tandem("doctor").code == 1


def test_a_second_run_at_the_same_time_is_refused_as_busy(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a", "x"))
    tandem.approve(plan["plan_id"])
    state = Path(os.environ["TANDEM_STATE_DIR"])
    with Workspace(tandem.workspace) as workspace, atomic.held(state / "locks" / f"{workspace.identity.key}.lock"):
        assert refused(tandem("apply", plan["plan_id"], "--json"), 3)["kind"] == "busy"
    assert tandem.answer("apply", plan["plan_id"])["status"] == "completed"


def test_a_command_that_hangs_is_ended_and_the_tree_is_as_before(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a", "x"), bash("sleep 60", timeout_s=1))
    tandem.approve(plan["plan_id"])
    error = refused(tandem("apply", plan["plan_id"], "--json"), 4)
    assert (error["step"], "longer than 1 s" in error["message"]) == ("s2", True)
    assert not (tandem.workspace / "a").exists()


def test_a_command_that_floods_or_wants_a_terminal_does_no_harm(tandem: CommandLine) -> None:
    plan = tandem.propose(bash("head -c 20000000 /dev/zero | tr '\\0' x; read answer; test -t 0 || echo no terminal"))
    tandem.approve(plan["plan_id"])
    said = tandem("apply", plan["plan_id"])
    assert said.code == 0
    assert "no terminal" in said.err


def test_a_bug_is_called_a_bug_and_its_trace_is_kept(
    tandem: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TANDEM_STATE_DIR", str(tmp_path / "state"))

    def surprise(self: Workspace, root: Path) -> None:
        raise RuntimeError("nobody foresaw this")

    plan = tandem.write_plan(write("a.txt", "a\n"))
    monkeypatch.setattr(Workspace, "__init__", surprise)
    error = refused(tandem("propose", plan, "--json"), 1)
    assert "This is a bug in Tandem" in error["message"]
    (log,) = (tmp_path / "state" / "logs").iterdir()
    assert str(log) in error["next"]
    assert "RuntimeError: nobody foresaw this" in log.read_text()
