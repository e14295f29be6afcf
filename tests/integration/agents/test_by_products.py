"""Ignored files that an agent leaves are counted, kept for its next turn, and written only when a person wants them."""

import json

import pytest

from tests.support.agent_runs import AgentPlace, ask, kinds_and_paths

INSTALL = (
    "echo 'print(2)' >> app.py; mkdir -p node_modules/a dist;"
    " echo 1 > node_modules/a/x; echo 2 > dist/b; echo 3 > c.log"
)


def shell(script: str) -> dict[str, str]:
    return {"do": "shell", "script": script}


@pytest.fixture
def ignoring(place: AgentPlace) -> AgentPlace:
    place.put(".gitignore", "node_modules/\ndist/\n*.log\n.env\n")
    place.put(".env", "KEY=1\n")
    place.use_git()
    return place


def counted(found: dict) -> dict[str, int]:
    return {each["path"]: each["count"] for each in found["folders"]}


def test_plan_holds_the_real_change_and_counts_the_rest(ignoring):
    plan = ignoring.plan(*ignoring.scripted([shell(INSTALL + "; echo KEY=2 > .env")]))
    assert kinds_and_paths(plan) == [("modify", ".env"), ("modify", "app.py")]
    assert plan["ignored"] == {
        "count": 3,
        "bytes": 6,
        "folders": [
            {"path": ".", "glob": "*", "count": 1, "bytes": 2},
            {"path": "dist", "glob": "dist", "count": 1, "bytes": 2},
            {"path": "node_modules", "glob": "node_modules", "count": 1, "bytes": 2},
        ],
        "is_at_least": False,
    }
    shown = ignoring.tandem.answer("show", plan["plan_id"])
    assert shown["plan"]["ignored"] == plan["ignored"]
    assert shown["plan"]["digest"] == plan["digest"]
    assert "3 ignored files are not part of the plan." in ignoring.tandem("show", plan["plan_id"]).out
    before = ignoring.files()
    run = ignoring.approve_and_apply(plan)
    assert set(ignoring.files()) == set(before)
    ignoring.tandem.answer("undo", run)
    assert ignoring.files() == before


def test_folded_files_are_there_for_the_next_turn_of_the_agent(ignoring):
    plan = ignoring.plan(*ignoring.scripted([shell(INSTALL)]))
    looking = ignoring.scripted([shell("cat node_modules/a/x dist/b c.log > seen.txt")])
    again = ignoring.plan(*looking, "--session", plan["session_id"])
    assert kinds_and_paths(again) == [("modify", "app.py"), ("create", "seen.txt")]
    assert ignoring.shadow_tree(plan["session_id"])["seen.txt"] == b"1\n2\n3\n"
    assert again["ignored"] == plan["ignored"]


def test_folder_that_a_person_takes_in_is_written_and_undone(ignoring):
    plan = ignoring.plan(*ignoring.scripted([shell(INSTALL)]))
    before = ignoring.files()
    included = ignoring.tandem.answer("include", plan["plan_id"], "dist", "*.log")
    assert included["revision"] == 2
    assert included["digest"] != plan["digest"]
    assert kinds_and_paths(included) == [("modify", "app.py"), ("create", "c.log"), ("create", "dist/b")]
    shown = ignoring.tandem.answer("show", plan["plan_id"])
    assert counted(shown["plan"]["ignored"]) == {"node_modules": 1}
    assert shown["plan"]["origin"] == "person"
    run = ignoring.approve_and_apply(included)
    assert ignoring.files()["dist/b"] == b"2\n"
    assert "node_modules/a/x" not in ignoring.files()
    ignoring.tandem.answer("undo", run)
    assert ignoring.files() == before


def test_what_was_taken_in_stays_in_the_plan_when_the_agent_goes_on(ignoring):
    first = ignoring.plan(*ignoring.scripted([shell(INSTALL)]))
    ignoring.tandem.answer("include", first["plan_id"], "dist")
    again = ignoring.plan(*ignoring.scripted([shell("echo more >> app.py")]), "--session", first["session_id"])
    assert kinds_and_paths(again) == [("modify", "app.py"), ("create", "dist/b")]
    assert again["revision"] == 3
    taken_out = next(each["id"] for each in again["operations"] if each["path"] == "dist/b")
    ignoring.tandem.answer("drop", first["plan_id"], taken_out)
    last = ignoring.plan(*ignoring.scripted([shell("echo most >> app.py")]), "--session", first["session_id"])
    assert kinds_and_paths(last) == [("modify", "app.py")]


def test_run_can_take_files_in_from_the_start(ignoring):
    plan = ignoring.plan(*ignoring.scripted([shell(INSTALL)]), "--include", "node_modules", "--include", "dist/*")
    assert {path for _, path in kinds_and_paths(plan)} == {"app.py", "dist/b", "node_modules/a/x"}
    assert counted(plan["ignored"]) == {".": 1}


def test_glob_that_fits_nothing_is_refused_with_the_folders_there_are(ignoring):
    plan = ignoring.plan(*ignoring.scripted([shell(INSTALL)]))
    said = ignoring.tandem("include", plan["plan_id"], "vendor")
    assert said.code != 0
    assert "No ignored file of the plan fits vendor." in said.err
    assert "dist, node_modules" in said.err
    assert ignoring.tandem.answer("show", plan["plan_id"])["plan"]["revision"] == 1
    ignoring.plan(*ignoring.scripted([shell("echo x >> app.py")]), "--session", plan["session_id"])


def test_plan_without_an_agent_leaves_nothing_out(ignoring):
    step = {"description": "x", "tool": "write", "args": {"path": "dist/b", "content": "x"}}
    plan = ignoring.tandem.propose(step)
    assert kinds_and_paths(plan) == [("create", "dist/b")]
    assert "No agent left ignored files" in ignoring.tandem("include", plan["plan_id"], "dist").err


def test_effects_of_a_command_that_ran_in_the_shadow_are_folded_too(ignoring):
    ignoring.choose(commands_while_planning="run")
    command = "mkdir -p node_modules; echo 1 > node_modules/x; echo 'x = 2' > app.py"
    asked = ask("execute", rawInput={"command": command})
    plan = ignoring.plan(*ignoring.scripted([asked, {**shell(command), "if_allowed": asked["id"]}]))
    assert ("modify", "app.py") in kinds_and_paths(plan)
    assert "node_modules/x" not in json.dumps(plan["operations"])


def test_agents_own_ignore_file_hides_nothing(ignoring):
    plan = ignoring.plan(*ignoring.scripted([shell("echo '*' > .gitignore; echo x > hidden.py")]))
    assert kinds_and_paths(plan) == [("modify", ".gitignore"), ("create", "hidden.py")]


def test_turn_that_left_only_ignored_files_says_so(ignoring):
    said = ignoring.run(*ignoring.scripted([shell("mkdir dist; echo x > dist/a")]))
    assert said.code != 0
    assert "changed nothing but what git ignores" in said.data["error"]["message"]
    assert "1 ignored file in dist/ is not part of the plan." in said.data["error"]["message"]
    again = ignoring.plan(
        *ignoring.scripted([shell("true")]), "--session", said.data["session_id"], "--include", "dist"
    )
    assert kinds_and_paths(again) == [("create", "dist/a")]
