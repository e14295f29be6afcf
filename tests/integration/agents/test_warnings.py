"""What an agent did without asking, or may never do, is a warning on its plan."""

from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.git_histories import git


def test_a_command_that_ran_unasked_is_a_warning(place: AgentPlace) -> None:
    call = {"toolCallId": "c1", "title": "make", "kind": "execute", "rawInput": {"command": "make all"}}
    steps = [
        {"do": "update", "update": {"sessionUpdate": "tool_call", "status": "in_progress", **call}},
        {"do": "shell", "script": "echo built > built.txt"},
        {"do": "update", "update": {"sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed"}},
    ]
    place.choose(commands_while_planning="stage")
    plan = place.plan(*place.scripted(steps))
    assert kinds_and_paths(plan) == [("create", "built.txt")]
    assert plan["warnings"] == ["The agent ran a command without asking, in its shadow: make all"]
    assert place.tandem.answer("show", plan["plan_id"])["plan"]["warnings"] == plan["warnings"]
    assert f"! {plan['warnings'][0]}" in place.tandem("show", plan["plan_id"]).out


def test_a_change_of_git_is_a_warning_and_never_staged(place: AgentPlace) -> None:
    place.use_git()
    branch = (place.root / ".git" / "HEAD").read_text().strip().removeprefix("ref: refs/heads/")
    before = place.sight()
    script = "echo new > new.txt; git add new.txt; git -c user.name=a -c user.email=b commit -qm sneaky"
    plan = place.plan(*place.scripted([{"do": "shell", "script": script}]))
    assert kinds_and_paths(plan) == [("create", "new.txt")]
    assert plan["warnings"] == [
        f"The agent made 1 commit on {branch} in its shadow; commits are not part of the plan, its file changes are."
    ]
    assert place.sight() == before
    place.approve_and_apply(plan)
    after = place.sight()
    git = [path for path in before if "/.git/" in path]
    assert {path: after[path] for path in git} == {path: before[path] for path in git}


def test_what_the_person_commits_between_two_plans_is_not_said_of_the_agent(place: AgentPlace) -> None:
    place.use_git()
    look = "touch *; git update-index -q --refresh"  # the index is the agent's own from now on
    plan = place.plan(*place.scripted([{"do": "shell", "script": f"echo new > new.txt; {look}"}]))
    assert plan["warnings"] == []
    place.approve_and_apply(plan)
    name = ("-c", "user.name=a", "-c", "user.email=b")
    git(place.root, "add", ".")
    git(place.root, *name, "commit", "-qm", "new")
    words = place.scripted([{"do": "shell", "script": "echo more > more.txt"}])
    again = place.plan("--session", plan["session_id"], *words)
    assert kinds_and_paths(again) == [("create", "more.txt")]
    assert again["warnings"] == []


def test_a_file_in_the_git_folder_that_means_nothing_to_git_is_no_warning(place: AgentPlace) -> None:
    place.use_git()
    plan = place.plan(*place.scripted([{"do": "shell", "script": "echo new > new.txt; echo id > .git/note"}]))
    assert kinds_and_paths(plan) == [("create", "new.txt")]
    assert plan["warnings"] == []


def test_two_commits_of_an_agent_are_one_sentence_and_a_branch_another(place: AgentPlace) -> None:
    place.use_git()
    name = "git -c user.name=a -c user.email=b"
    script = f"for n in 1 2; do echo $n > n.txt; git add n.txt; {name} commit -qm $n; done; git tag v1; git status"
    plan = place.plan(*place.scripted([{"do": "shell", "script": script}]))
    commits, others = plan["warnings"]
    assert commits.startswith("The agent made 2 commits on ")
    assert commits.endswith(" in its shadow; commits are not part of the plan, its file changes are.")
    assert others.startswith("The agent changed the repository in its shadow, which is not part of the plan: tag v1 ")


def test_what_an_agent_writes_cannot_play_tricks_on_the_terminal(place: AgentPlace) -> None:
    trick = "make \x1b[2J\u202eall"
    call = {"toolCallId": "c1", "kind": "execute", "status": "completed", "rawInput": {"command": trick}}
    steps = [
        {"do": "update", "update": {"sessionUpdate": "tool_call", "title": trick, **call}},
        {"do": "say", "text": f"Done {trick}\n"},
        {"do": "shell", "script": "echo built > built.txt"},
    ]
    said = place.tandem("run", "--task", "Do it.", *place.scripted(steps))
    assert said.code == 0
    assert "Ran in the shadow" in said.out
    assert not {"\x1b", "\u202e"} & set(said.out + said.err)


def test_a_program_that_was_swapped_between_two_starts_is_said_and_is_a_warning(place: AgentPlace) -> None:
    words = place.scripted([{"do": "shell", "script": "echo new > new.txt"}])
    assert place.plan(*words)["warnings"] == []
    program = place.base / "scripted_agent.py"
    program.write_text(f"# swapped\n{program.read_text()}")
    said = place.run(*words)
    warning = said.data["warnings"][0]
    assert f": {program} has the SHA-256 " in warning
    assert f"! {warning}" in said.err


def test_a_link_to_bytes_that_are_no_text_is_a_warning_and_the_rest_is_staged(place: AgentPlace) -> None:
    script = "echo good > good.txt; ln -s \"$(printf 'caf\\351')\" bad; ln -s \"$(printf 'a\\342\\200\\256b')\" hidden"
    plan = place.plan(*place.scripted([{"do": "shell", "script": script}]))
    assert kinds_and_paths(plan) == [("create", "good.txt")]
    assert [warning.partition(" ")[0] for warning in plan["warnings"]] == ["bad", "hidden"]
    assert "not valid UTF-8" in plan["warnings"][0]
    assert "⟨U+202E⟩" in plan["warnings"][1]
    place.approve_and_apply(plan)


def test_what_no_plan_can_carry_is_told_where_there_is_no_plan(place: AgentPlace) -> None:
    said = place.run(*place.scripted([{"do": "shell", "script": "rm app.py; mkfifo app.py"}]))
    left = "app.py cannot be staged: app.py is a special file (pipe); Tandem only works with files, links and folders."
    assert said.code != 0
    assert said.data["warnings"] == [left]
    assert said.data["error"]["message"] == "The agent left nothing that can be part of a plan, and presented none."
    printed = place.tandem("run", *place.scripted([{"do": "shell", "script": "mkfifo pipe"}]), "--task", "Do it.")
    assert "! pipe cannot be staged" in printed.out
