"""`tandem drift`, `tandem rebase` and `tandem compare --diff`, as a person or a script calls them."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import InvalidTransitionError
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.review.choices import Drop
from tests.support.command_line import CommandLine, a_workspace, edit, write

LINES = "".join(f"line {n}\n" for n in range(1, 11))


@pytest.fixture
def tandem(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(a_workspace(tmp_path, {"a.txt": LINES, "b.txt": LINES}), capsys)


def edited(tandem: CommandLine, name: str, n: int, text: str) -> None:
    path = tandem.workspace / name
    path.write_text(path.read_text().replace(f"line {n}\n", text))


def test_rebase_saves_a_revision_that_applies_and_keeps_both_changes(tandem: CommandLine) -> None:
    plan = tandem.propose(edit("a.txt", "line 2\n", "TWO\n"), edit("b.txt", "line 1\n", "ONE\n"))
    tandem.approve(plan["plan_id"])
    edited(tandem, "a.txt", 9, "nine\n")
    rebased = tandem.answer("rebase", plan["plan_id"])
    assert rebased.keys() == plan.keys()
    assert rebased["revision"] == 2
    shown = tandem.answer("show", plan["plan_id"])["plan"]
    assert (shown["origin"], shown["status"], shown["parent_revision"]) == ("rebase", "proposed", 1)
    assert tandem.answer("drift", plan["plan_id"]) == {"drifted": []}
    assert tandem("apply", plan["plan_id"]).code == 3  # the approval was for the revision before
    tandem.approve(plan["plan_id"])
    run = tandem.answer("apply", plan["plan_id"])["run_id"]
    expected = LINES.replace("line 2\n", "TWO\n").replace("line 9\n", "nine\n")
    assert (tandem.workspace / "a.txt").read_text() == expected
    tandem.answer("undo", run)
    assert (tandem.workspace / "a.txt").read_text() == LINES.replace("line 9\n", "nine\n")


def test_conflict_is_refused_with_every_side_and_nothing_is_saved(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("a.txt", "line 5\n", "FIVE\n"), edit("b.txt", "line 1\n", "ONE\n"))["plan_id"]
    edited(tandem, "a.txt", 5, "five\n")
    edited(tandem, "b.txt", 9, "nine\n")
    refused = tandem("rebase", plan_id, "--json")
    assert (refused.code, refused.data["error"]["kind"], refused.data["error"]["path"]) == (
        3,
        "rebase_conflict",
        "a.txt",
    )
    [conflict] = refused.data["conflicts"]
    assert (conflict["path"], conflict["change"], conflict["operations"]) == ("a.txt", "modified", ["s1"])
    [region] = conflict["regions"]
    assert (region["base"], region["disk"], region["proposed"]) == (["line 5"], ["five"], ["FIVE"])
    assert region["at"] == {"base": 5, "disk": 5, "proposed": 5}
    assert tandem.answer("show", plan_id)["plan"]["latest_revision"] == 1
    assert {each["path"] for each in tandem.answer("drift", plan_id)["drifted"]} == {"a.txt", "b.txt"}


def test_conflict_is_shown_to_a_person_with_both_sides(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("a.txt", "line 5\n", "line five\n"))["plan_id"]
    edited(tandem, "a.txt", 5, "the line 5\n")
    said = tandem("rebase", plan_id)
    assert said.code == 3
    for words in ("region 1", "disk │ the line 5", "proposed │ line five", "perhaps │ the line five"):
        assert words in said.out
    assert "--take disk|proposed PATH" in said.err


@pytest.mark.parametrize(
    ("words", "fifth"),
    [
        (("--take", "disk", "a.txt"), "five\n"),
        (("--take", "proposed", "a.txt"), "FIVE\n"),
        (("--take", "disk-then-proposed", "a.txt:1"), "five\nFIVE\n"),
        (("--take", "proposed-then-disk", "a.txt:1"), "FIVE\nfive\n"),
    ],
)
def test_conflict_is_resolved_by_taking_a_side(tandem: CommandLine, words: tuple[str, ...], fifth: str) -> None:
    proposed = LINES.replace("line 1\n", "ONE\n").replace("line 5\n", "FIVE\n")
    plan_id = tandem.propose(write("a.txt", proposed))["plan_id"]
    edited(tandem, "a.txt", 5, "five\n")
    edited(tandem, "a.txt", 9, "nine\n")
    assert tandem.answer("rebase", plan_id, *words)["revision"] == 2
    tandem.approve(plan_id)
    tandem.answer("apply", plan_id)
    expected = LINES.replace("line 1\n", "ONE\n").replace("line 5\n", fifth).replace("line 9\n", "nine\n")
    assert (tandem.workspace / "a.txt").read_text() == expected


def test_conflict_is_resolved_by_a_file_of_ones_own(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("a.txt", "line 5\n", "FIVE\n"))["plan_id"]
    edited(tandem, "a.txt", 5, "five\n")
    own = tandem.workspace.parent / "own"
    own.write_text("mine\n")
    tandem.answer("rebase", plan_id, "--resolved", str(own), "a.txt")
    tandem.approve(plan_id)
    tandem.answer("apply", plan_id)
    assert (tandem.workspace / "a.txt").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--take", "both", "a.txt"), "no way to resolve"),
        (("--take", "disk", "b.txt"), "b.txt is not in conflict"),
        (("--take", "disk", "a.txt:2"), "there is no region 2"),
    ],
)
def test_answer_to_no_question_is_refused(tandem: CommandLine, words: tuple[str, ...], message: str) -> None:
    plan_id = tandem.propose(edit("a.txt", "line 5\n", "FIVE\n"))["plan_id"]
    edited(tandem, "a.txt", 5, "five\n")
    refused = tandem("rebase", plan_id, *words, "--json")
    assert refused.code == 2
    assert message in refused.data["error"]["message"]
    assert tandem.answer("show", plan_id)["plan"]["latest_revision"] == 1


def test_side_that_cannot_be_taken_is_named(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("a.txt", "line 5\n", "FIVE\n"), write("c.txt", "c\n"))["plan_id"]
    (tandem.workspace / "a.txt").unlink()
    (tandem.workspace / "a.txt").symlink_to("b.txt")
    refused = tandem("rebase", plan_id, "--take", "proposed", "a.txt", "--json")
    assert (refused.code, "you can take disk" in refused.data["error"]["message"]) == (2, True)
    left = tandem.answer("rebase", plan_id, "--take", "disk", "a.txt")
    assert [each["path"] for each in left["operations"]] == ["c.txt"]


def test_plan_that_has_not_drifted_stays_as_it_was_with_its_approval(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("a.txt", "line 5\n", "FIVE\n"))["plan_id"]
    tandem.approve(plan_id)
    assert tandem.answer("rebase", plan_id)["revision"] == 1
    assert "Nothing has drifted" in tandem("rebase", plan_id).out
    assert tandem.answer("apply", plan_id)["status"] == "completed"


def test_plan_whose_work_is_done_already_is_refused(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("a.txt", "line 5\n", "FIVE\n"))["plan_id"]
    edited(tandem, "a.txt", 5, "FIVE\n")
    refused = tandem("rebase", plan_id, "--json")
    assert (refused.code, refused.data["error"]["kind"]) == (3, "step_refused")
    assert "Nothing would be left" in refused.data["error"]["message"]


@pytest.mark.req("S3-31")
def test_third_rejection_needs_a_person_who_may_still_go_back_or_approve(tandem: CommandLine) -> None:
    plan_id = tandem.propose(edit("a.txt", "line 5\n", "FIVE\n"))["plan_id"]
    statuses = []
    for number in (1, 2, 3):
        statuses.append(tandem.answer("reject", plan_id, "--feedback", f"no {number}")["status"])
        if number < 3:
            tandem.answer("restore", plan_id, "1")
    assert statuses == ["rejected", "rejected", "needs_review"]
    assert tandem.answer("show", plan_id)["plan"]["status"] == "needs_review"
    tandem.approve(plan_id)
    assert tandem.answer("apply", plan_id)["status"] == "completed"


def test_drift_tells_when_it_happened(tandem: CommandLine) -> None:
    plan_id = tandem.propose(
        edit("a.txt", "line 5\n", "FIVE\n"),
        edit("b.txt", "line 5\n", "FIVE\n"),
        write("c.txt", "c\n"),
        write("d.txt", ""),
    )["plan_id"]
    began = datetime.now(UTC)
    edited(tandem, "a.txt", 1, "one\n")
    later = began + timedelta(hours=1)
    os.utime(tandem.workspace / "a.txt", (later.timestamp(), later.timestamp()))
    (tandem.workspace / "b.txt").unlink()
    (tandem.workspace / "c.txt").write_text("mine\n")
    os.utime(tandem.workspace / "c.txt", (0, 0))  # as if it had been unpacked with its old time
    found = {each["path"]: each for each in tandem.answer("drift", plan_id)["drifted"]}
    assert datetime.fromisoformat(found["a.txt"]["at"]) == datetime.fromtimestamp(later.timestamp(), UTC)
    assert found["b.txt"]["at"] is None
    assert abs(datetime.fromisoformat(found["c.txt"]["at"]) - began) < timedelta(minutes=10)
    assert "d.txt" not in found


def test_compare_shows_how_the_results_of_two_revisions_differ(tandem: CommandLine) -> None:
    plan_id = tandem.propose(write("a.txt", LINES.replace("line 1\n", "ONE\n").replace("line 10\n", "TEN\n")))[
        "plan_id"
    ]
    tandem.answer("drop", plan_id, "s1:1")
    plain = tandem.answer("compare", plan_id, "1", "2")
    assert "hunks" not in plain["changed"][0]
    [changed] = tandem.answer("compare", plan_id, "1", "2", "--diff")["changed"]
    lines = [(line["kind"], line["text"]) for hunk in changed["hunks"] for line in hunk["lines"] if line["kind"] != " "]
    assert lines == [("-", "ONE"), ("+", "line 1")]
    said = tandem("compare", plan_id, "1", "2", "--diff").out
    assert "-ONE" in said
    assert "+line 1" in said


@pytest.mark.parametrize("end", ["cancelled", "superseded"])
def test_a_plan_that_ended_for_good_takes_no_comment_no_drop_and_no_rebase(tandem: CommandLine, end: str) -> None:
    plan = tandem.propose(edit("a.txt", "line 2\n", "TWO\n"), edit("b.txt", "line 1\n", "ONE\n"))
    name = plan["plan_id"]
    if end == "cancelled":
        tandem.answer("cancel", name)
    else:
        other = tandem.answer("branch", name)["plan_id"]
        tandem.answer("drop", other, "s2")
        tandem.approve(other)
        tandem.answer("apply", other)
    edited(tandem, "a.txt", 9, "nine\n")
    before = tandem.answer("show", name)
    assert before["plan"]["status"] == end
    for words in (("comment", name, "s1", "why?"), ("drop", name, "s2"), ("rebase", name), ("restore", name, "1")):
        said = tandem(*words, "--json")
        assert (said.code, said.data["error"]["kind"]) == (3, "invalid_transition"), words
    assert tandem.answer("show", name) == before
    assert tandem.answer("comments", name)["comments"] == []


def test_the_engine_refuses_to_change_a_plan_that_ended(tandem: CommandLine) -> None:
    name = PlanId(tandem.propose(edit("a.txt", "line 2\n", "TWO\n"), edit("b.txt", "line 1\n", "ONE\n"))["plan_id"])
    tandem.answer("cancel", name)
    edited(tandem, "a.txt", 9, "nine\n")
    engine = build_engine(tandem.workspace)
    changes: tuple[Callable[[], object], ...] = (
        lambda: engine.commenting.add(name, "why?", OperationId("s1")),
        lambda: engine.proposals.drop(name, [Drop.parse("s2")]),
        lambda: engine.rebases.rebase(name),
    )
    for change in changes:
        with pytest.raises(InvalidTransitionError, match="cancelled"):
            change()
    assert engine.plans.latest_revision(name) == 1
    engine.close()
