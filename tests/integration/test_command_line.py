"""The command line keeps its contract: calls, JSON keys and exit codes, from a proposal to its undo."""

import contextlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tandem_desktop.app.main import main
from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.ids import SessionId, new_plan_id, new_session_id
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.shadow.sandbox import bubblewrap_missing
from tandem_desktop.storage.clock import next_tick
from tests.support.command_line import CommandLine, a_workspace, bash, edit, killed_while_writing, write
from tests.support.tree_walker import walk

OPERATION_KEYS = {
    "id",
    "kind",
    "path",
    "to",
    "command",
    "added",
    "removed",
    "flags",
    "why",
    "notes",
    "must_be_opened",
    "task",
    "description",
}


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path), capsys)


def test_propose_answers_the_contract_and_touches_no_file(tandem: CommandLine) -> None:
    before = walk(tandem.workspace)
    plan = tandem.propose(edit("notes.txt", "two", "TWO"), write("run.sh", "#!/bin/sh\n"), bash("make"))
    assert set(plan) == {"plan_id", "session_id", "revision", "digest", "operations", "attention"}
    assert (plan["revision"], len(plan["digest"])) == (1, 64)
    assert all(set(operation) == OPERATION_KEYS for operation in plan["operations"])
    first, _, command = plan["operations"]
    assert (first["id"], first["kind"], first["path"], first["added"], first["removed"]) == (
        "s1",
        "modify",
        "notes.txt",
        1,
        1,
    )
    assert (command["kind"], command["path"], command["command"]) == ("command", None, "make")
    assert "runs-code" in command["flags"]
    assert command["why"]["runs-code"] == "This command runs when the plan is implemented."
    assert [(group["flags"][0], group["kind"], group["operations"]) for group in plan["attention"]] == [
        ("runs-code", "command", ["s3"])
    ]
    assert walk(tandem.workspace) == before


def test_propose_says_of_which_file_a_note_is(tandem: CommandLine) -> None:
    steps = [write("wide.txt", f"a{' ' * 500}b\n"), write("also.txt", f"a{' ' * 500}b\n"), bash(f"true{' ' * 40}; x")]
    told = tandem("propose", tandem.write_plan(*steps)).out
    assert "s1  wide.txt and 1 more: Line 1 has 500 blanks in a row" in told
    assert "s3: It has 40 blanks in a row" in told


def test_list_and_show_answer_the_contract(tandem: CommandLine) -> None:
    plan = tandem.propose(edit("notes.txt", "two", "TWO", rationale="shouting"), bash("make", env={"A": "1"}))
    (listed,) = tandem.answer("list")["plans"]
    assert {"plan_id", "title", "status", "revision", "digest", "updated_at"} <= set(listed)
    assert (listed["status"], listed["digest"]) == ("proposed", plan["digest"])
    assert datetime.fromisoformat(listed["updated_at"]).utcoffset() == timedelta(0)
    shown = tandem.answer("show", plan["plan_id"])
    assert set(shown) == {"plan", "operations", "attention"}
    assert shown["attention"] == plan["attention"]
    assert shown["plan"]["digest"] == plan["digest"]
    assert "hunks" not in shown["operations"][0]
    assert (shown["operations"][1]["env"], shown["operations"][1]["timeout_s"]) == ({"A": "1"}, 600)
    diff = tandem.answer("show", plan["plan_id"], "--diff")["operations"][0]["hunks"]
    assert [(hunk["n"], hunk["header"], hunk["added"], hunk["removed"]) for hunk in diff] == [
        (1, "@@ -1,3 +1,3 @@", 1, 1)
    ]
    assert [line["kind"] + line["text"] for line in diff[0]["lines"]] == [" one", "-two", "+TWO", " three"]


def test_a_plan_is_found_by_its_first_digits(tandem: CommandLine) -> None:
    plan_id = tandem.propose(write("a", "x"))["plan_id"]
    assert tandem.answer("show", plan_id[5:10])["plan"]["plan_id"] == plan_id
    assert tandem("show", "PLAN-00000000").code == 2


def test_workspace_and_json_may_stand_before_or_after_the_call(
    tandem: CommandLine, capsys: pytest.CaptureFixture[str]
) -> None:
    tandem.propose(write("a", "x"))
    there = str(tandem.workspace)
    answers = []
    for words in (["-C", there, "--json", "list"], ["list", "-C", there, "--json"], ["--json", "list", "-C", there]):
        assert main(words) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1] == answers[2]


def test_approve_apply_undo_redo_answer_the_contract(tandem: CommandLine) -> None:
    before = walk(tandem.workspace)["notes.txt"]
    plan = tandem.propose(edit("notes.txt", "two", "TWO"), write("new/file.txt", "x\n"))
    approved = tandem.answer("approve", plan["plan_id"], "--digest", plan["digest"][:12])
    assert set(approved) == {"plan_id", "revision", "digest", "expires_at", "lock_files"}
    applied = tandem.answer("apply", plan["plan_id"])
    assert {"run_id", "status", "rolled_back", "results"} <= set(applied)
    assert (applied["status"], applied["rolled_back"], applied["meanwhile"]) == ("completed", False, [])
    assert applied["results"] == [{"id": each, "status": "completed", "error": None} for each in ("s1", "s2")]
    assert (tandem.workspace / "notes.txt").read_text() == "one\nTWO\nthree\n"
    (run,) = tandem.answer("runs")["runs"]
    assert {"run_id", "plan_id", "revision", "status", "started_at", "ended_at", "undoable"} <= set(run)
    assert run["undoable"] is True
    preview = tandem.answer("undo", run["run_id"], "--preview")
    assert (sorted(preview["changed"]), preview["conflicts"]) == (["new", "new/file.txt", "notes.txt"], [])
    assert (tandem.workspace / "new/file.txt").exists()
    undone = tandem.answer("undo", run["run_id"][4:])
    assert {"run_id", "changed", "merged"} <= set(undone)
    assert sorted(undone["changed"]) == ["new", "new/file.txt", "notes.txt"]
    assert walk(tandem.workspace)["notes.txt"] == before
    assert not (tandem.workspace / "new").exists()
    assert tandem.answer("redo", run["run_id"])["run_id"].startswith("RUN-")
    assert (tandem.workspace / "new/file.txt").read_text() == "x\n"


def test_one_operation_can_be_taken_back(tandem: CommandLine) -> None:
    run = tandem.apply(edit("notes.txt", "two", "TWO"), write("b.txt", "x\n"))
    assert tandem.answer("undo", run["run_id"], "--op", "s1")["changed"] == ["notes.txt"]
    assert (tandem.workspace / "notes.txt").read_text() == "one\ntwo\nthree\n"
    assert (tandem.workspace / "b.txt").exists()


def test_drop_and_restore_make_revisions_and_end_an_approval(tandem: CommandLine) -> None:
    plan = tandem.propose(edit("notes.txt", "two", "TWO"), write("b.txt", "x\n"))
    tandem.approve(plan["plan_id"])
    dropped = tandem.answer("drop", plan["plan_id"], "s2")
    assert (dropped["revision"], [each["id"] for each in dropped["operations"]]) == (2, ["s1"])
    assert dropped["digest"] != plan["digest"]
    refused = tandem("apply", plan["plan_id"], "--json")
    assert (refused.code, refused.data["error"]["kind"]) == (3, "approval_missing")
    compared = tandem.answer("compare", plan["plan_id"], "1", "2")
    assert {"added", "removed", "changed", "reordered"} <= set(compared)
    assert [each["path"] for each in compared["removed"]] == ["b.txt"]
    restored = tandem.answer("restore", plan["plan_id"], "r1")
    assert (restored["revision"], len(restored["operations"])) == (3, 2)


def test_a_hunk_is_dropped_by_the_number_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "".join(f"{number}\n" for number in range(40))
    tandem = CommandLine(a_workspace(tmp_path, {"long.txt": text}), capsys)
    changed = text.replace("3\n", "three\n", 1).replace("35\n", "thirty-five\n")
    plan = tandem.propose(write("long.txt", changed))
    assert tandem.answer("drop", plan["plan_id"], "s1:1")["operations"][0]["added"] == 1
    tandem.approve(plan["plan_id"])
    tandem.answer("apply", plan["plan_id"])
    assert (tandem.workspace / "long.txt").read_text() == text.replace("35\n", "thirty-five\n")


def test_reject_and_cancel_end_what_they_should(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a", "x"))
    rejected = tandem.answer("reject", plan["plan_id"], "--feedback", "call it b")
    assert rejected["status"] == "rejected"
    assert tandem.answer("show", plan["plan_id"])["plan"]["rejections"][0]["feedback"] == "call it b"
    assert tandem.answer("cancel", plan["plan_id"])["status"] == "cancelled"
    assert tandem("approve", plan["plan_id"], "--digest", plan["digest"]).code == 3


def test_plan_that_is_rejected_without_a_word_is_cancelled_and_with_empty_words_stays(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a", "x"))
    refused = tandem("reject", plan["plan_id"], "--feedback", "")
    assert refused.code == 2
    assert f"tandem cancel {plan['plan_id']}" in refused.err
    assert tandem.answer("show", plan["plan_id"])["plan"]["status"] == "proposed"
    assert tandem.answer("reject", plan["plan_id"])["status"] == "cancelled"


def test_words_of_several_lines_a_plan_was_sent_back_with_are_shown_line_by_line(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a", "x"))
    tandem.answer("reject", plan["plan_id"], "--feedback", "Smaller.\nAnd a test.")
    shown = tandem("show", plan["plan_id"]).out.splitlines()
    assert shown[shown.index("Sent back at r1:") + 1 :][:2] == ["  │ Smaller.", "  │ And a test."]


def test_preview_of_an_undo_that_a_later_run_stands_against_names_the_way_to_undo_both(tandem: CommandLine) -> None:
    runs = []
    for text in ("first\n", "second\n"):
        plan = tandem.propose(write("notes.txt", text))
        tandem.approve(plan["plan_id"])
        runs.append(tandem.answer("apply", plan["plan_id"])["run_id"])
    assert "--with-later" in tandem("undo", runs[0], "--preview").out.splitlines()[-1]


@pytest.mark.req("S0-88")
def test_simulate_suggests_an_order_that_keeps_a_task_together_and_says_why(tandem: CommandLine) -> None:
    tasks = [{"id": "a", "subject": "Types"}, {"id": "b", "subject": "Tests"}]
    steps = [{**write(f"{name}.py", "x\n"), "task": task} for name, task in zip("wxyz", "abab", strict=True)]
    plan_id = tandem.propose(*steps, tasks=tasks)["plan_id"]
    suggested = tandem.answer("simulate", plan_id)["suggested_order"]
    assert suggested["order"] == ["s1", "s3", "s2", "s4"]
    assert suggested["reasons"][0] == "The 2 operations of “Types” stay together."
    assert "Suggested order: s1, s3, s2, s4." in tandem("simulate", plan_id).out


@pytest.mark.req("S2-22", "S2-24")
def test_show_names_the_most_urgent_task_that_waits_for_nothing_until_there_is_none(tandem: CommandLine) -> None:
    tasks = [
        {"id": "a", "subject": "Types"},
        {"id": "b", "subject": "Service", "priority": "critical", "blocked_by": ["a"]},
        {"id": "c", "subject": "Tests", "priority": "high"},
    ]
    plan_id = tandem.propose(*({**write(name, "x\n"), "task": name} for name in "abc"), tasks=tasks)["plan_id"]
    assert tandem.answer("show", plan_id)["plan"]["next_task"] == "c"
    tandem.approve(plan_id)
    tandem.answer("apply", plan_id)
    assert tandem.answer("show", plan_id)["plan"]["next_task"] is None


@pytest.mark.req("S1-06")
def test_the_text_of_the_plan_is_an_operation_of_it_where_the_setting_asks_for_it(
    tandem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.toml").write_text("plan_md = true\n")
    monkeypatch.setenv("TANDEM_CONFIG_DIR", str(tmp_path / "config"))
    before = walk(tandem.workspace)
    plan = tandem.propose(write("new.txt", "new\n"), title="A new file")
    assert [each["path"] for each in plan["operations"]] == ["PLAN.md", "new.txt"]
    tandem.approve(plan["plan_id"])
    run = tandem.answer("apply", plan["plan_id"])
    assert "# A new file" in (tandem.workspace / "PLAN.md").read_text()
    tandem.answer("undo", run["run_id"])
    assert walk(tandem.workspace) == before


@pytest.mark.req("S2-27")
@pytest.mark.skipif(bool(bubblewrap_missing()), reason="commands run in place here, each in its turn")
def test_show_says_which_commands_a_run_starts_side_by_side(tandem: CommandLine) -> None:
    tasks = [{"id": "a", "subject": "Build"}, {"id": "b", "subject": "Lint"}]
    plan_id = tandem.propose(*({**bash(f"echo {task}"), "task": task} for task in "ab"), tasks=tasks)["plan_id"]
    assert [each["beside"] for each in tandem.answer("show", plan_id)["operations"]] == [["s2"], ["s1"]]
    assert "side by side with s2, not seeing what the other changes" in tandem("show", plan_id).out


def test_drift_and_simulate_look_and_exit_with_0_whatever_they_find(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("notes.txt", "two", "TWO"))["plan_id"]
    assert tandem.answer("drift", plan_id) == {"drifted": []}
    assert tandem.answer("simulate", plan_id)["ok"] is True
    (tandem.workspace / "notes.txt").write_text("something else\n")
    [drifted] = tandem.answer("drift", plan_id)["drifted"]
    assert (drifted["path"], drifted["change"]) == ("notes.txt", "modified")
    simulated = tandem.answer("simulate", plan_id)
    assert (simulated["ok"], simulated["problems"][0]["step"]) == (False, "s1")
    tandem.approve(plan_id)
    refused = tandem("apply", plan_id, "--json")
    assert (refused.code, refused.data["error"]["kind"], refused.data["error"]["path"]) == (3, "drift", "notes.txt")


def test_a_wrong_digest_is_refused_with_3_and_nothing_is_approved(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a", "x"))
    for digest in ("0" * 64, plan["digest"][:11], "", "not hex at all"):
        refused = tandem("approve", plan["plan_id"], f"--digest={digest}", "--json")
        assert (refused.code, refused.data["error"]["kind"]) == (3, "approval_drift"), digest
    assert tandem("apply", plan["plan_id"]).code == 3
    assert not (tandem.workspace / "a").exists()


@pytest.mark.parametrize(("policy", "left"), [("rollback", False), ("stop", True), ("continue", True)])
def test_a_run_that_fails_ends_with_4_and_says_what_is_left(tandem: CommandLine, policy: str, left: bool) -> None:
    plan = tandem.propose(write("a.txt", "x"), bash("exit 7"), write("b.txt", "y"))
    tandem.approve(plan["plan_id"])
    said = tandem("apply", plan["plan_id"], "--on-failure", policy, "--json")
    assert said.code == 4
    assert {"error", "run_id", "status", "rolled_back", "results"} <= set(said.data)
    assert (said.data["status"], said.data["error"]["step"]) == ("failed", "s2")
    assert "exit code 7" in said.data["error"]["message"]
    assert (tandem.workspace / "a.txt").exists() is left
    assert (tandem.workspace / "b.txt").exists() is (policy == "continue")


def test_undo_never_overwrites_a_later_edit(tandem: CommandLine) -> None:
    run = tandem.apply(edit("notes.txt", "two", "TWO"))
    (tandem.workspace / "notes.txt").write_text("one\nmine\nthree\n")
    refused = tandem("undo", run["run_id"], "--json")
    assert (refused.code, refused.data["error"]["kind"]) == (3, "undo_conflict")
    assert refused.data["conflicts"][0]["path"] == "notes.txt"
    assert (tandem.workspace / "notes.txt").read_text() == "one\nmine\nthree\n"


def test_a_refusal_spells_out_a_name_that_looks_like_another(tandem: CommandLine) -> None:
    run = tandem.apply(write("m\u0430in.py", "x\n"))
    (tandem.workspace / "m\u0430in.py").write_text("mine\n")
    refused = tandem("undo", run["run_id"])
    assert refused.code == 3
    assert "m⟨U+0430⟩in.py" in refused.err
    assert "\u0430" not in refused.err


def test_undoing_one_operation_another_built_on_names_the_path_and_the_reason(tandem: CommandLine) -> None:
    run = tandem.apply(edit("notes.txt", "two", "TWO"), edit("notes.txt", "TWO", "Two"))
    refused = tandem("undo", run["run_id"], "--op", "s1", "--json")
    assert (refused.code, refused.data["error"]["kind"], refused.data["of"]) == (3, "undo_conflict", run["run_id"])
    assert refused.data["conflicts"] == [{"path": "notes.txt", "reason": "changed again by s2 in the same run"}]


def test_a_refusal_names_the_plan_in_the_call_to_type_next(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("notes.txt", "two", "TWO"))["plan_id"]
    for drop in ("s1:nothing", "s9", "s1:7", "s1"):
        following = tandem("drop", plan_id, drop, "--json").data["error"]["next"]
        assert plan_id in following, following
        assert "PLAN " not in following


def test_apply_tells_what_somebody_else_changed_meanwhile(tandem: CommandLine, tmp_path: Path) -> None:
    (tandem.workspace / "beside.txt").write_text("theirs")
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    plan = tandem.propose(write("a.txt", "x"), bash(f"cat {gate}"))
    tandem.approve(plan["plan_id"])

    def somebody() -> None:
        with gate.open("w"):  # opens when the command waits at the other end
            next_tick()
            (tandem.workspace / "beside.txt").write_text("edited")
            (tandem.workspace / "a.txt").write_text("edited")

    with ThreadPoolExecutor(1) as other:
        done = other.submit(somebody)
        said = tandem("apply", plan["plan_id"])
        done.result()
    assert said.code == 0, said.err
    assert "beside.txt was changed by something else during the run (modified)." in said.out
    (record,) = (tandem.workspace / ".tandem" / "runs").glob("*/meta.json")
    assert json.loads(record.read_text())["meanwhile"] == [
        {"path": "a.txt", "change": "modified"},
        {"path": "beside.txt", "change": "modified"},
    ]


def test_an_edit_beside_the_run_is_merged_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tandem = CommandLine(a_workspace(tmp_path, {"n.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n"}), capsys)
    run = tandem.apply(edit("n.txt", "2\n", "two\n"))
    (tandem.workspace / "n.txt").write_text("1\ntwo\n3\n4\n5\n6\n7\n8\nnine\n")
    assert tandem.answer("undo", run["run_id"])["merged"] == ["n.txt"]
    assert (tandem.workspace / "n.txt").read_text() == "1\n2\n3\n4\n5\n6\n7\n8\nnine\n"


@pytest.fixture
def cut_off(tandem: CommandLine) -> CommandLine:
    """A workspace whose run was killed in the middle of its work."""
    plan = tandem.propose(*(write(f"{name}.txt", name) for name in "abcdef"), bash("true"), write("last.txt", "z"))
    tandem.approve(plan["plan_id"])
    killed_while_writing("c.txt", ["-C", str(tandem.workspace), "apply", plan["plan_id"]])
    assert (tandem.workspace / "b.txt").exists()
    return tandem


def test_an_interrupted_run_stops_every_writing_call_with_5_until_it_is_settled(cut_off: CommandLine) -> None:
    (waiting,) = cut_off.answer("recover")["interrupted"]
    assert set(waiting) == {"run_id", "done", "total", "started_at"}
    assert waiting["total"] == 8
    plan_id = cut_off.answer("list")["plans"][0]["plan_id"]
    writing = (
        ("propose", cut_off.write_plan(write("x", "y"))),
        ("approve", plan_id, "--digest", "0" * 64),
        ("reject", plan_id, "--feedback", "no"),
        ("cancel", plan_id),
        ("drop", plan_id, "s1"),
        ("restore", plan_id, "1"),
        ("apply", plan_id),
        ("undo", waiting["run_id"]),
        ("redo", waiting["run_id"]),
    )
    for words in writing:
        said = cut_off(*words, "--json")
        assert (said.code, said.data["error"]["kind"]) == (5, "interrupted_run"), words
    for words in (("list",), ("show", plan_id, "--diff"), ("runs",), ("drift", plan_id), ("simulate", plan_id)):
        assert cut_off(*words).code == 0, words
    assert cut_off.answer("runs")["runs"][0]["status"] == "interrupted"


@pytest.mark.parametrize(
    ("way", "status", "rolled_back", "files"),
    [
        ("--rollback", "failed", True, set()),
        pytest.param("--cancel", "cancelled", True, set(), marks=pytest.mark.req("S3-56")),
        ("--resume", "completed", False, {*(f"{name}.txt" for name in "abcdef"), "last.txt"}),
    ],
)
def test_a_cut_off_run_is_settled_exactly(
    cut_off: CommandLine, way: str, status: str, rolled_back: bool, files: set[str]
) -> None:
    settled = cut_off.answer("recover", way)
    assert (settled["status"], settled["rolled_back"], settled["interrupted"]) == (status, rolled_back, [])
    assert len(settled["results"]) == 8
    assert {path.name for path in cut_off.workspace.glob("*.txt")} == files | {"notes.txt"}
    assert cut_off.answer("recover") == {"interrupted": []}


@pytest.mark.req("S3-56")
def test_cancelling_after_a_crash_ends_the_plan_and_keeps_what_is_done_where_the_policy_says_so(
    tandem: CommandLine,
) -> None:
    plan = tandem.propose(write("one.txt", "1\n"), bash("true"), write("two.txt", "2\n"))
    tandem.approve(plan["plan_id"])
    call = ["-C", str(tandem.workspace), "apply", plan["plan_id"], "--on-failure", "stop"]
    killed_while_writing("two.txt", call)
    settled = tandem.answer("recover", "--cancel")
    assert (settled["status"], settled["rolled_back"], settled["interrupted"]) == ("cancelled", False, [])
    assert tandem.answer("show", plan["plan_id"])["plan"]["status"] == "cancelled"
    assert (tandem.workspace / "one.txt").exists()
    tandem.answer("undo", settled["run_id"])
    assert not (tandem.workspace / "one.txt").exists()


def test_marking_failed_leaves_the_tree_and_it_can_still_be_undone(cut_off: CommandLine) -> None:
    there = {path.name for path in cut_off.workspace.iterdir()}
    settled = cut_off.answer("recover", "--mark-failed")
    assert (settled["status"], settled["rolled_back"]) == ("failed", False)
    assert {path.name for path in cut_off.workspace.iterdir()} == there
    cut_off.answer("undo", settled["run_id"])
    assert {path.name for path in cut_off.workspace.glob("*.txt")} == {"notes.txt"}


def test_a_patch_becomes_a_plan(tandem: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    patch = tandem.workspace.parent / "fix.patch"
    patch.write_text("--- a/notes.txt\n+++ b/notes.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")
    plan = tandem.answer("review", str(patch), "--no-window")
    assert [(each["kind"], each["path"], each["added"]) for each in plan["operations"]] == [("modify", "notes.txt", 1)]
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    said = tandem("review", str(patch))
    assert said.code == 0
    assert plan["plan_id"] not in said.out
    assert "no display" in said.err


def test_audit_verify_tells_a_whole_chain_from_a_broken_one(
    tandem: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("TANDEM_STATE_DIR", str(state))
    tandem.apply(write("a", "x"))
    whole = {"ok": True, "records": 3, "first_bad": None, "missing": [], "elsewhere": [], "unbegun": []}
    assert tandem.answer("audit", "verify") == whole
    log = state / "audit.jsonl"
    log.write_bytes(log.read_bytes().replace(b'"approved"', b'"accepted"', 1))
    broken = tandem("audit", "verify", "--json")
    assert (broken.code, broken.data["ok"], broken.data["first_bad"]) == (1, False, 2)


def test_audit_verify_names_the_run_whose_records_were_removed_with_the_log(
    tandem: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("TANDEM_STATE_DIR", str(state))
    run_id = tandem.apply(write("a", "x"))["run_id"]
    for name in ("audit.jsonl", "audit.jsonl.head", "approvals/audit-count"):
        (state / name).unlink()
    said = tandem("audit", "verify")
    assert said.code == 1
    assert f"The approval that {run_id} used has no record." in said.out
    assert f"{run_id} has ended and has no record." in said.out


def test_audit_verify_counts_missing_records_in_words_that_fit_the_number(
    tandem: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("TANDEM_STATE_DIR", str(state))
    plan_id = tandem.propose(write("a", "x"))["plan_id"]
    tandem.approve(plan_id)

    def without_log() -> str:
        for name in ("audit.jsonl", "audit.jsonl.head", "approvals/audit-count"):
            (state / name).unlink()
        return tandem("audit", "verify").out

    assert "1 record of what happened here is missing." in without_log()
    tandem.answer("apply", plan_id)
    assert "2 records of what happened here are missing." in without_log()


def test_every_answer_for_a_person_ends_with_what_to_do_next(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("notes.txt", "two", "TWO"), write("b", "x"))["plan_id"]
    digest = tandem.answer("show", plan_id)["plan"]["digest"]
    shown = tandem("show", plan_id, "--diff")
    assert shown.out.splitlines()[-1] == f"Next: tandem -C {tandem.workspace} approve {plan_id} --digest {digest}"
    for words in (
        ("list",),
        ("compare", plan_id, "1", "1"),
        ("drift", plan_id),
        ("simulate", plan_id),
        ("drop", plan_id, "s2"),
        ("restore", plan_id, "1"),
        ("reject", plan_id, "--feedback", "no"),
        ("restore", plan_id, "1"),
        ("runs",),
        ("recover",),
        ("audit", "verify"),
        ("doctor",),
    ):
        said = tandem(*words)
        assert said.code == 0, said.err
        assert said.out.splitlines()[-1].startswith("Next: "), words
    tandem.approve(plan_id)
    applied = tandem("apply", plan_id)
    run_id = applied.out.split()[0]
    assert applied.out.splitlines()[-1] == f"Next: Take it back with: tandem -C {tandem.workspace} undo {run_id}"
    assert tandem("undo", run_id, "--preview").out.splitlines()[-1].startswith("Next: tandem")


@pytest.mark.skipif(bool(bubblewrap_missing()), reason="nothing can be confined here")
def test_show_names_what_the_rehearsal_of_this_revision_found_and_when(tandem: CommandLine) -> None:
    plan = tandem.propose(bash("echo n > n.txt"), write("w", "w\n"))
    found = tandem.answer("rehearse", plan["plan_id"])
    shown = tandem.answer("show", plan["plan_id"])["rehearsal"]
    assert shown == {name: found[name] for name in shown}
    assert "changes 1 path" in tandem("show", plan["plan_id"]).out
    tandem.answer("drop", plan["plan_id"], "s2")
    assert "rehearsal" not in tandem.answer("show", plan["plan_id"])


TASKS = [{"id": "1", "subject": "Write it"}, {"id": "2", "subject": "Check it", "blocked_by": ["1"]}]


@pytest.mark.req("S2-13")
def test_show_says_which_task_an_operation_belongs_to_and_what_each_task_will_do(tandem: CommandLine) -> None:
    steps = write("a.txt", "x\n", task="1"), {**bash("true"), "task": "2"}, write("b.txt", "x\n")
    proposed = tandem.propose(*steps, tasks=TASKS)
    assert [each["task"] for each in proposed["operations"]] == ["1", "2", None]
    shown = tandem.answer("show", proposed["plan_id"])
    assert [each["task"] for each in shown["operations"]] == ["1", "2", None]
    first, second = shown["plan"]["tasks"]
    assert [each["operation_id"] for each in (*first["tools_to_execute"], *second["tools_to_execute"])] == ["s1", "s2"]
    assert first["created_at"] == second["created_at"]
    lines = tandem("show", proposed["plan_id"]).out.splitlines()
    assert lines[lines.index("s1  create a.txt  +1 -0") + 1] == "      task 1: Write it"
    assert sum("      task " in line for line in lines) == 2


@pytest.mark.req("S3-58")
def test_a_page_that_a_person_edited_is_named_and_kept_and_is_not_what_is_approved(tandem: CommandLine) -> None:
    plan = tandem.propose(write("a.txt", "x\n"))
    other = tandem.propose(write("b.txt", "x\n"))
    page = tandem.workspace / ".tandem" / "plans" / plan["plan_id"] / "r001.md"
    sentence = f"! {page} was edited by hand. It is a page for reading: what is approved and applied is r001.json."
    assert "edited by hand" not in tandem("show", plan["plan_id"]).out + tandem("list").out
    edited = page.read_text().replace("a.txt", "z.txt")
    page.write_text(edited)
    assert sentence in tandem("show", plan["plan_id"]).out
    assert sentence in tandem("list").out
    listed = {each["plan_id"]: each["edited_page"] for each in tandem.answer("list")["plans"]}
    assert listed == {plan["plan_id"]: str(page), other["plan_id"]: None}
    said = tandem("approve", plan["plan_id"], "--digest", plan["digest"])
    assert (said.code, sentence in said.out) == (0, True)
    kept = page.with_name("r001.edited.md")
    assert kept.read_text() == edited
    assert tandem.answer("show", plan["plan_id"])["plan"]["edited_page"] == str(kept)
    assert tandem.answer("apply", plan["plan_id"])["status"] == "completed"
    assert (tandem.workspace / "a.txt").exists()
    assert not (tandem.workspace / "z.txt").exists()


def test_a_page_without_a_seal_from_an_earlier_version_counts_as_edited_only_where_its_body_is(
    tandem: CommandLine,
) -> None:
    plan = tandem.propose(write("a.txt", "x\n"))
    page = tandem.workspace / ".tandem" / "plans" / plan["plan_id"] / "r001.md"
    lines = page.read_text().splitlines(keepends=True)
    page.write_text("".join(line for line in lines if not line.startswith("page_sha256")))
    assert tandem.answer("show", plan["plan_id"])["plan"]["edited_page"] is None
    page.write_text(page.read_text() + "And one thing more.\n")
    assert tandem.answer("show", plan["plan_id"])["plan"]["edited_page"] == str(page)


def a_text_plan(tandem: CommandLine, incomplete: str = "") -> str:
    with contextlib.closing(build_engine(tandem.workspace)) as engine:
        version = engine.proposals.stage(
            PlanVersion(
                id="text",
                plan_id=new_plan_id(),
                session_id=new_session_id(),
                title="Only words",
                content="# Only words\n\nThink about it.\n",
                incomplete=incomplete,
                created_at=engine.clock(),
            )
        )
    return version.plan_id


def test_a_text_plan_says_that_there_is_nothing_to_write_and_is_not_applied(tandem: CommandLine) -> None:
    plan_id = a_text_plan(tandem)
    digest = tandem.answer("show", plan_id)["plan"]["digest"]
    said = tandem("approve", plan_id, "--digest", digest)
    assert said.code == 0
    assert "It has no operations: it is text, there is nothing to write, and no run follows." in said.out
    assert "run --session SES-" in said.out.splitlines()[-1]
    assert "run --session SES-" in tandem("show", plan_id).out.splitlines()[-1]
    refused = tandem("apply", plan_id)
    assert refused.code == 3
    assert "has no operations: it is text, and there is nothing to write." in refused.err
    assert tandem.answer("runs")["runs"] == []
    assert tandem.answer("show", plan_id)["plan"]["status"] == "approved"


def test_a_plan_that_cannot_be_approved_does_not_advise_to_approve_it(tandem: CommandLine) -> None:
    plan_id = a_text_plan(tandem, incomplete="No plan in steps could be made.")
    last = tandem("show", plan_id).out.splitlines()[-1]
    assert "approve" not in last
    assert "Let the agent go on:" in last


@pytest.mark.req("S2-31")
def test_the_history_of_a_session_holds_its_past_plans_and_no_others(tandem: CommandLine) -> None:
    first = tandem.propose(write("a.txt", "x\n"))
    session = first["session_id"]
    tandem.propose(write("other.txt", "x\n"))
    tandem.answer("cancel", first["plan_id"])
    with contextlib.closing(build_engine(tandem.workspace)) as engine:
        plan = json.dumps({"title": "The next", "steps": [write("b.txt", "x\n")]}).encode()
        second = engine.proposals.propose(plan, session_id=SessionId(session))
    listed = tandem.answer("list", "--session", session)["plans"]
    assert [each["plan_id"] for each in listed] == [second.plan_id, first["plan_id"]]
    assert tandem("list", "--session", "SES-ffffffff").code == 2
