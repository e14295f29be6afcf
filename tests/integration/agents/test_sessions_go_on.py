"""A session goes on: the agent hears what the person decided and what is on disk, and its shadow agrees with that."""

from typing import Any

import pytest

from tests.support.agent_runs import AgentPlace, ask, kinds_and_paths, write_by_client


@pytest.fixture(autouse=True)
def staged_commands(place: AgentPlace) -> None:
    """Commands are put into the plan."""
    place.choose(commands_while_planning="stage")


def two_files_and_a_command(place: AgentPlace) -> tuple[str, ...]:
    steps = [
        write_by_client(place.root / "app.py", "x = 2\n", 1),
        write_by_client(place.root / "new.txt", "new\n", 2),
        ask("execute", 3, rawInput={"command": "echo ran > ran.txt"}),
    ]
    return place.scripted(steps)


@pytest.fixture
def planned(place: AgentPlace) -> dict[str, Any]:
    return place.plan(*two_files_and_a_command(place))


def go_on(place: AgentPlace, plan: dict[str, Any], *steps: dict[str, Any]) -> dict[str, Any]:
    """The next turn of the session, with an agent that does so much more."""
    said = {"do": "say", "text": "Yes."}
    return place.plan(*place.scripted([*steps, said]), "--session", plan["session_id"], task="Go on.")


def stderr_tail(place: AgentPlace, plan: dict[str, Any]) -> str:
    return place.prompts(plan["session_id"])[-1]


def operation_at(plan: dict[str, Any], path: str) -> str:
    return next(str(each["id"]) for each in plan["operations"] if each["path"] == path)


def test_a_dropped_change_is_as_on_disk_again_and_the_agent_is_told(place: AgentPlace, planned: dict[str, Any]) -> None:
    place.tandem.answer("drop", planned["plan_id"], operation_at(planned, "app.py"))
    plan = go_on(place, planned)
    assert plan["plan_id"] == planned["plan_id"]
    assert kinds_and_paths(plan) == [("create", "new.txt"), ("command", "echo ran > ran.txt")]
    assert place.shadow_tree(plan["session_id"])["app.py"] == (place.root / "app.py").read_bytes()
    words = stderr_tail(place, plan)
    assert "left out by the person" in words
    assert "app.py" in words
    assert "Go on." in words


def test_a_dropped_command_does_not_come_back(place: AgentPlace, planned: dict[str, Any]) -> None:
    [command] = [each["id"] for each in planned["operations"] if each["kind"] == "command"]
    place.tandem.answer("drop", planned["plan_id"], command)
    plan = go_on(place, planned)
    assert kinds_and_paths(plan) == [("modify", "app.py"), ("create", "new.txt")]
    assert "echo ran" in stderr_tail(place, plan)


def test_a_change_left_out_of_an_applied_plan_does_not_come_back(place: AgentPlace, planned: dict[str, Any]) -> None:
    dropped = place.tandem.answer("drop", planned["plan_id"], operation_at(planned, "new.txt"))
    place.approve_and_apply(dropped)
    plan = go_on(place, planned, write_by_client(place.root / "third.txt", "3\n", 4))
    assert kinds_and_paths(plan) == [("create", "third.txt")]
    assert "new.txt: left out by the person" in stderr_tail(place, plan)


def test_words_a_plan_was_sent_back_with_reach_the_agent_though_the_person_changed_it_since(
    place: AgentPlace, planned: dict[str, Any]
) -> None:
    plan_id = planned["plan_id"]
    place.tandem.answer("reject", plan_id, "--feedback", "Say why.")
    place.tandem.answer("drop", plan_id, operation_at(planned, "app.py"))
    place.tandem.answer("reject", plan_id, "--feedback", "Be brief.")
    place.tandem.answer("restore", plan_id, "1")
    plan = go_on(place, planned, write_by_client(place.root / "third.txt", "3\n", 4))
    words = stderr_tail(place, plan)
    assert words.index("denied: Say why.") < words.index("denied: Be brief.")
    go_on(place, plan)
    assert "denied" not in stderr_tail(place, plan).rpartition("Tools here")[2]


@pytest.mark.req("S3-16")
def test_the_second_rework_hands_over_the_first_feedback_too(place: AgentPlace, planned: dict[str, Any]) -> None:
    place.tandem.answer("reject", planned["plan_id"], "--feedback", "Call it other.txt.")
    plan = go_on(place, planned, write_by_client(place.root / "other.txt", "new\n", 4))
    place.tandem.answer("reject", planned["plan_id"], "--feedback", "And say why.")
    go_on(place, plan, write_by_client(place.root / "why.txt", "because\n", 5))
    last = place.prompts(planned["session_id"])[-1]
    assert last.index("denied: And say why.") < last.index("1. Call it other.txt.")


def test_notes_of_an_approval_that_led_to_no_run_reach_the_agent_with_the_run_that_came(
    place: AgentPlace, planned: dict[str, Any]
) -> None:
    tandem, plan_id = place.tandem, planned["plan_id"]
    tandem.answer("comment", plan_id, operation_at(planned, "app.py"), "Why two?")
    notes = ("--comments-as-notes", "--notes", "Mind the tests.")
    tandem.answer("approve", plan_id, "--digest", planned["digest"], *notes)
    (place.root / "app.py").write_text("x = 2\n")
    assert tandem("apply", plan_id).code != 0
    tandem.answer("drop", plan_id, operation_at(planned, "app.py"))
    again = tandem.answer("show", plan_id)["plan"]["digest"]
    tandem.answer("approve", plan_id, "--digest", again, "--notes", "And be brief.")
    tandem.answer("apply", plan_id)
    go_on(place, planned, write_by_client(place.root / "third.txt", "3\n", 4))
    words = stderr_tail(place, planned)
    assert words.index("Mind the tests.") < words.index("Why two?") < words.index("And be brief.")


@pytest.mark.req("S1-09")
def test_a_rejection_reaches_the_agent_as_denied_and_the_answer_is_a_new_revision(
    place: AgentPlace, planned: dict[str, Any]
) -> None:
    place.tandem.answer("reject", planned["plan_id"], "--feedback", "Call it other.txt.")
    plan = go_on(place, planned, write_by_client(place.root / "other.txt", "new\n", 4))
    assert "denied: Call it other.txt." in stderr_tail(place, plan)
    assert "You are still in Plan mode" in stderr_tail(place, plan)
    assert (plan["plan_id"], plan["revision"]) == (planned["plan_id"], planned["revision"] + 1)
    assert place.tandem.answer("show", plan["plan_id"])["plan"]["origin"] == "rework"
    place.approve_and_apply(plan)
    assert (place.root / "other.txt").read_text() == "new\n"


@pytest.mark.req("S0-78")
def test_after_a_run_the_agent_is_told_what_is_on_disk_and_plans_anew(
    place: AgentPlace, planned: dict[str, Any]
) -> None:
    place.approve_and_apply(planned)
    plan = go_on(place, planned, write_by_client(place.root / "third.txt", "3\n", 4))
    words = stderr_tail(place, plan)
    assert "The approved plan was applied and checked on disk." in words
    for line in ("modify app.py: completed", "create new.txt: completed", "run `echo ran > ran.txt`: completed"):
        assert line in words
    assert plan["plan_id"] != planned["plan_id"]
    assert kinds_and_paths(plan) == [("create", "third.txt")]
    assert place.shadow_tree(plan["session_id"])["ran.txt"] == b"ran\n"


@pytest.mark.req("S0-78")
def test_after_a_run_that_failed_the_agent_is_told_that_all_was_rolled_back(place: AgentPlace) -> None:
    steps = [write_by_client(place.root / "new.txt", "new\n"), ask("execute", 2, rawInput={"command": "exit 7"})]
    plan = place.plan(*place.scripted(steps))
    place.tandem.answer("approve", plan["plan_id"], "--digest", plan["digest"])
    assert place.tandem("apply", plan["plan_id"], "--json").code == 4
    after = place.run(*place.scripted([{"do": "say", "text": "Yes."}]), "--session", plan["session_id"], task="Go on.")
    words = stderr_tail(place, plan)
    assert "Everything was rolled back" in words
    assert "exit code 7" in words
    assert after.data["session_id"] == plan["session_id"]
    assert not (place.root / "new.txt").exists()


def test_after_an_undo_the_agent_is_told_and_sees_the_files_as_they_are(
    place: AgentPlace, planned: dict[str, Any]
) -> None:
    run = place.approve_and_apply(planned)
    place.tandem.answer("undo", run)
    plan = go_on(place, planned, write_by_client(place.root / "third.txt", "3\n", 4))
    assert "The person undid what was applied." in stderr_tail(place, plan)
    assert kinds_and_paths(plan) == [("create", "third.txt")]
    assert place.shadow_tree(plan["session_id"])["app.py"] == (place.root / "app.py").read_bytes()


def test_each_piece_of_news_is_told_once(place: AgentPlace, planned: dict[str, Any]) -> None:
    place.approve_and_apply(planned)
    plan = go_on(place, planned, write_by_client(place.root / "third.txt", "3\n", 4))
    go_on(place, plan)
    assert "was applied" not in stderr_tail(place, plan)


def test_a_cancelled_plan_takes_its_shadow_with_it(place: AgentPlace, planned: dict[str, Any]) -> None:
    before = place.sight()
    assert place.shadow_folder(planned["session_id"]).is_dir()
    place.tandem.answer("cancel", planned["plan_id"])
    assert not place.shadow_folder(planned["session_id"]).exists()
    assert place.sight() == before
    plan = go_on(place, planned, write_by_client(place.root / "third.txt", "3\n", 4))
    assert "The person cancelled the plan." in stderr_tail(place, plan)
    assert kinds_and_paths(plan) == [("create", "third.txt")]


def test_what_the_person_changed_between_turns_is_what_the_agent_sees_next(
    place: AgentPlace, planned: dict[str, Any]
) -> None:
    place.put("notes.txt", "from the person\n")
    copy = {"do": "shell", "script": "cp notes.txt copied.txt"}
    plan = go_on(place, planned, copy)
    assert place.shadow_tree(plan["session_id"])["copied.txt"] == b"from the person\n"
    assert plan["warnings"] == []


def test_what_came_into_the_shadow_after_the_plan_was_made_is_staged_by_the_next_turn(
    place: AgentPlace, planned: dict[str, Any]
) -> None:
    with place.shadow(planned["session_id"]) as shadow:
        shadow.write("late.txt", b"late\n")
    shown = place.tandem.answer("show", planned["plan_id"])
    assert shown["plan"]["digest"] == planned["digest"]
    plan = go_on(place, planned)
    assert ("create", "late.txt") in kinds_and_paths(plan)
    assert plan["digest"] != planned["digest"]


def a_branch(place: AgentPlace) -> dict[str, Any]:
    steps = [
        {"description": "", "tool": "edit", "args": {"path": "app.py", "old_string": "x = 1", "new_string": "x = 2"}},
        {"description": "", "tool": "bash", "args": {"command": "echo ran > ran.txt"}},
        {"description": "", "tool": "write", "args": {"path": "new.txt", "content": "new\n"}},
    ]
    return place.tandem.answer("branch", place.tandem.propose(*steps, title="Count")["plan_id"])


def test_an_agent_on_a_branch_begins_where_the_branch_is(place: AgentPlace) -> None:
    branch = a_branch(place)
    plan = go_on(place, branch, write_by_client(place.root / "more.txt", "more\n", 1))
    assert (plan["plan_id"], plan["revision"]) == (branch["plan_id"], 2)
    assert kinds_and_paths(plan) == [
        ("modify", "app.py"),
        ("command", "echo ran > ran.txt"),
        ("create", "more.txt"),
        ("create", "new.txt"),
    ]
    words = stderr_tail(place, plan)
    assert "You take over a plan: Count" in words
    assert "modify app.py" in words
    again = go_on(place, branch)
    assert again["digest"] == plan["digest"]
    assert "take over" not in stderr_tail(place, again)


def test_an_agent_on_a_branch_does_not_undo_what_the_person_did_since(place: AgentPlace) -> None:
    branch = a_branch(place)
    place.put("app.py", "x = 1\nprint(x, 'mine')\n")
    plan = go_on(place, branch)
    assert kinds_and_paths(plan) == [("command", "echo ran > ran.txt"), ("create", "new.txt")]
    words = stderr_tail(place, plan)
    assert "changed on disk since" in words[: words.index("modify app.py")]
