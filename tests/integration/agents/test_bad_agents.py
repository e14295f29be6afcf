"""Every way an agent can fail `tandem run`: the exit code, the error, its last words, and an untouched workspace."""

from typing import Any

import pytest

from tests.support.agent_runs import AgentPlace, ask, kinds_and_paths, write_by_client
from tests.support.command_line import Said

MIB = 1024 * 1024


@pytest.fixture
def untouched(place: AgentPlace) -> Any:
    """The place; whatever the test did, the workspace is as it was."""
    before = place.sight()
    yield place
    assert place.sight() == before


def refusal(said: Said, code: int, kind: str) -> dict[str, Any]:
    """The error of a call that must fail so, with something to do next."""
    assert (said.code, said.data["error"]["kind"]) == (code, kind), said.out + said.err
    error: dict[str, Any] = said.data["error"]
    assert error["next"]
    assert f"tandem: {error['message']}" in said.err
    return error


def test_an_agent_that_is_not_installed_is_named_with_how_to_install_it(
    untouched: AgentPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    error = refusal(untouched.run("--agent", "vibe"), 4, "agent_launch")
    assert "Mistral Vibe is not installed" in error["message"]
    assert "install" in error["next"].lower()


@pytest.mark.req("S3-18")
def test_without_the_agent_plans_are_still_made_and_decided(place: AgentPlace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    step = {"description": "Write", "tool": "write", "args": {"path": "a.txt", "content": "a\n"}}
    plan, other = (place.tandem.propose(step) for _ in range(2))
    refusal(place.run("--agent", "vibe", "--session", plan["session_id"]), 4, "agent_launch")
    place.tandem.answer("reject", other["plan_id"], "--feedback", "Later.")
    place.approve_and_apply(plan)
    assert {each["status"] for each in place.tandem.answer("list")["plans"]} == {"completed", "rejected"}


def test_a_command_that_does_not_exist_is_named(untouched: AgentPlace) -> None:
    error = refusal(untouched.run("--agent-command", "no-such-agent --acp"), 4, "agent_launch")
    assert "no-such-agent" in error["message"]


@pytest.mark.parametrize(
    ("words", "kind", "named"),
    [
        (("--agent", "nobody"), "bad_input", "No agent is called nobody."),
        (("--agent-command", ""), "bad_input", "empty"),
        (("--agent-command", "'open"), "bad_input", "cannot be read"),
        (("--agent", "goose", "--agent-command", "x"), "usage", "exclude each other"),
        (("--env", "=x"), "usage", "names no variable"),
        (("--env", "NOT_SET_ANYWHERE"), "usage", "no such variable"),
        (("--session", "SES-00000000"), "bad_input", "no session"),
        (("--session", "../../etc"), "bad_input", "no session"),
    ],
)
def test_words_that_make_no_sense_are_refused_before_anything_starts(
    untouched: AgentPlace, words: tuple[str, ...], kind: str, named: str
) -> None:
    assert named in refusal(untouched.run(*words), 2, kind)["message"]


def test_an_empty_task_is_refused(untouched: AgentPlace) -> None:
    refusal(untouched.run(*untouched.scripted([]), task="  "), 2, "usage")


def test_an_agent_that_exits_at_once_leaves_its_last_words(untouched: AgentPlace) -> None:
    start = [{"do": "stderr", "text": "no such model\nbye\n"}, {"do": "exit", "code": 3}]
    said = untouched.run(*untouched.scripted(start=start))
    assert "exit code 3" in refusal(said, 4, "agent_launch")["message"]
    assert said.data["stderr"] == ["no such model", "bye"]
    assert said.data["session_id"]


def test_noise_on_the_output_is_passed_over(untouched: AgentPlace) -> None:
    noise = [{"do": "raw", "text": "Welcome to the agent!\n[]\n\xff\xfe\n"}]
    steps = [*noise, write_by_client(untouched.root / "new.txt", "new\n"), *noise]
    plan = untouched.plan(*untouched.scripted(steps, start=noise, sessions=noise))
    assert kinds_and_paths(plan) == [("create", "new.txt")]


def test_an_agent_that_speaks_another_version_is_told_apart(untouched: AgentPlace) -> None:
    error = refusal(untouched.run(*untouched.scripted(initialize={"protocolVersion": 7})), 4, "agent_protocol")
    assert "version 7" in error["message"]


def test_an_agent_that_hangs_in_the_greeting_is_given_up_when_the_time_is_over(untouched: AgentPlace) -> None:
    start = [{"do": "stderr", "text": "thinking\n"}, {"do": "sleep", "seconds": 600}]
    said = untouched.run(*untouched.scripted(start=start), "--timeout", "1.5")
    assert "1.5 seconds" in refusal(said, 4, "agent_timeout")["message"]
    assert said.data["stderr"] == ["thinking"]


@pytest.mark.parametrize("where", ["sessions", "turns"])
def test_an_agent_that_hangs_later_is_stopped_when_the_time_is_over(untouched: AgentPlace, where: str) -> None:
    hang = (
        {"sessions": [{"do": "sleep", "seconds": 600}]}
        if where == "sessions"
        else {"turns": [[{"do": "await_cancel"}]]}
    )
    said = untouched.run(*untouched.agent("scripted_agent", hang), "--timeout", "2")
    assert "2 seconds" in refusal(said, 4, "agent_timeout")["message"]


def test_an_agent_that_wants_a_login_says_which(untouched: AgentPlace) -> None:
    ways = [{"id": "browser", "name": "Sign in"}]
    errors = {"session/new": {"code": -32000, "message": "Authentication required"}}
    said = untouched.run(*untouched.scripted(initialize={"authMethods": ways}, errors=errors))
    error = refusal(said, 4, "agent_login")
    assert "Authentication required" in error["message"]
    assert "Sign in" in error["message"]


def test_a_flood_of_noise_ends_the_agent(untouched: AgentPlace) -> None:
    flood = {"do": "flood", "line": "noise\n", "bytes": MIB}
    refusal(untouched.run(*untouched.scripted([flood, {"do": "never"}])), 4, "agent_protocol")


def test_a_flood_on_the_error_output_does_not_stop_the_work(untouched: AgentPlace) -> None:
    flood = {"do": "flood", "to": "stderr", "line": "complaint\n", "bytes": 4 * MIB}
    plan = untouched.plan(*untouched.scripted([flood, write_by_client(untouched.root / "new.txt", "new\n")]))
    assert kinds_and_paths(plan) == [("create", "new.txt")]


def test_a_message_of_seventeen_megabytes_ends_the_agent(untouched: AgentPlace) -> None:
    said = untouched.run(*untouched.scripted([{"do": "message", "bytes": 17 * MIB}]))
    error = refusal(said, 4, "agent_protocol")
    assert "bytes" in error["message"]
    assert len(said.out) < MIB


@pytest.mark.parametrize("path", ["/etc/hostname", "{root}/../outside/file", "{root}/.tandem/plans/x"])
def test_a_path_outside_the_workspace_is_refused_and_the_turn_goes_on(untouched: AgentPlace, path: str) -> None:
    target = path.format(root=untouched.root)
    read = {"do": "request", "id": "r", "method": "fs/read_text_file", "params": {"path": target}}
    write = {"do": "request", "id": "w", "method": "fs/write_text_file", "params": {"path": target, "content": "x"}}
    said = untouched.run(*untouched.scripted([read, write, {"do": "say", "text": "went on"}]))
    assert said.data["said"] == "went on"
    answers = untouched.messages(said.data["session_id"])
    assert [answers[name].get("error", {}).get("code") is not None for name in ("r", "w")] == [True, True]
    refusal(said, 4, "agent")


def test_an_option_is_chosen_by_what_it_means_and_never_for_always(untouched: AgentPlace) -> None:
    options = [
        {"optionId": "yes", "name": "Allow", "kind": "reject_once"},
        {"optionId": "always", "name": "Reject", "kind": "allow_always"},
        {"optionId": "no", "name": "Reject", "kind": "allow_once"},
    ]
    edit = ask("edit", 1, locations=[{"path": str(untouched.root / "new.txt")}])
    command = ask("execute", 2, rawInput={"command": "make"})
    for step in (edit, command):
        step["params"]["options"] = options
    untouched.choose(commands_while_planning="stage")
    plan = untouched.plan(*untouched.scripted([edit, command], []))
    answers = untouched.messages(plan["session_id"])
    chosen = [answers[name]["result"]["outcome"]["optionId"] for name in ("ask-1", "ask-2")]
    assert chosen == ["no", "yes"]
    assert kinds_and_paths(plan) == [("command", "make")]


def test_only_lasting_permission_on_offer_is_not_taken(untouched: AgentPlace) -> None:
    edit = ask("edit", 1, locations=[{"path": str(untouched.root / "new.txt")}])
    edit["params"]["options"] = [{"optionId": "always", "name": "Allow", "kind": "allow_always"}]
    said = untouched.run(*untouched.scripted([edit]))
    assert untouched.messages(said.data["session_id"])["ask-1"]["result"]["outcome"] == {"outcome": "cancelled"}


@pytest.mark.parametrize(
    ("failing", "words", "kind"),
    [
        ({"do": "flood", "line": "noise\n", "bytes": MIB}, (), "agent_protocol"),
        ({"do": "message", "bytes": 17 * MIB}, (), "agent_protocol"),
        ({"do": "sleep", "seconds": 600}, ("--timeout", "2"), "agent_timeout"),
    ],
    ids=["flood", "large message", "hang"],
)
def test_what_an_agent_did_before_it_failed_is_kept_with_its_last_words_and_cannot_be_approved(
    untouched: AgentPlace, failing: dict[str, Any], words: tuple[str, ...], kind: str
) -> None:
    place = untouched
    stderr_tail = {"do": "stderr", "text": "out of luck\n"}
    steps = [write_by_client(place.root / "one.txt", "1\n"), stderr_tail, failing, {"do": "never"}]
    said = place.run(*place.scripted(steps), *words)
    refusal(said, 4, kind)
    assert said.data["stderr"] == ["out of luck"]
    assert kinds_and_paths(said.data) == [("create", "one.txt")]
    assert said.data["incomplete"]
    refused = place.tandem("approve", said.data["plan_id"], "--digest", said.data["digest"], "--json")
    assert said.data["session_id"] in refusal(refused, 3, "not_approvable")["next"]


def test_an_agent_that_crashes_leaves_its_work_to_be_finished_and_not_to_be_approved(untouched: AgentPlace) -> None:
    place = untouched
    first = [
        write_by_client(place.root / "one.txt", "1\n"),
        {"do": "stderr", "text": "oh\n"},
        {"do": "exit", "code": 9},
    ]
    said = place.run(*place.scripted(first))
    assert "exit code 9" in refusal(said, 4, "agent_exited")["message"]
    assert said.data["stderr"] == ["oh"]
    assert "exit code 9" in said.data["incomplete"]
    assert kinds_and_paths(said.data) == [("create", "one.txt")]
    plan_id, digest, session = (said.data[name] for name in ("plan_id", "digest", "session_id"))
    refused = place.tandem("approve", plan_id, "--digest", digest, "--json")
    error = refusal(refused, 3, "not_approvable")
    assert session in error["next"]

    second = place.scripted([write_by_client(place.root / "two.txt", "2\n")])
    plan = place.plan(*second, "--session", session, task="Go on.")
    assert (plan["plan_id"], plan["revision"], plan["incomplete"]) == (plan_id, said.data["revision"] + 1, "")
    assert kinds_and_paths(plan) == [("create", "one.txt"), ("create", "two.txt")]
    place.tandem.answer("approve", plan_id, "--digest", plan["digest"])
