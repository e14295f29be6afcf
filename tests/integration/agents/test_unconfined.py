"""After a turn of an agent that nothing holds back, Tandem says what changed on disk, and claims nothing else."""

import shlex
from collections.abc import Iterator

import pytest

from tandem_desktop.shadow import sandbox
from tests.support.agent_runs import AgentPlace

CLAIM = "no file has been touched"


@pytest.fixture
def unconfined(place: AgentPlace, monkeypatch: pytest.MonkeyPatch) -> Iterator[AgentPlace]:
    """A machine without bubblewrap and without Landlock."""
    monkeypatch.setattr(sandbox, "landlock_missing", lambda: "this kernel has no Landlock")
    monkeypatch.setattr(sandbox, "find_program", lambda name, **_: None if name == "bwrap" else f"/usr/bin/{name}")
    sandbox.bubblewrap_missing.cache_clear()
    yield place
    sandbox.bubblewrap_missing.cache_clear()


def script(place: AgentPlace, words: str) -> tuple[str, ...]:
    root = shlex.quote(str(place.root))
    return place.scripted([{"do": "shell", "script": f"R={root}; echo staged > new.txt; {words}"}])


def test_what_it_changed_on_disk_itself_is_named_on_the_plan(unconfined: AgentPlace) -> None:
    unconfined.put("keep.txt", "kept\n")
    unconfined.put("gone.txt", "going\n")
    words = 'echo evil >> "$R/app.py"; rm "$R/gone.txt"; mkdir "$R/d"; echo x > "$R/d/x"'
    plan = unconfined.plan(*script(unconfined, words))
    assert not plan["confined"]
    named = [each.split(" changed on disk")[0] for each in plan["warnings"] if " changed on disk" in each]
    assert named == ["app.py", "d", "d/x", "gone.txt"]
    shown = unconfined.tandem.answer("show", plan["plan_id"])["plan"]
    assert shown["changed_on_disk"] == named
    assert [each["path"] for each in plan["operations"]] == ["new.txt"]


def test_no_call_claims_that_no_file_was_touched_when_one_was(unconfined: AgentPlace) -> None:
    call = ("run", "--task", "Do it.", *script(unconfined, 'echo evil >> "$R/app.py"'))
    said = unconfined.tandem(*call).out
    assert CLAIM not in said
    assert "1 path changed on disk while the agent was not confined" in said


def test_where_nothing_of_the_workspace_changed_only_that_is_claimed(unconfined: AgentPlace) -> None:
    said = unconfined.tandem("run", "--task", "Do it.", *script(unconfined, "true")).out
    assert CLAIM not in said
    assert (
        "no file of the workspace changed during it. The agent was not confined; other places were not looked" in said
    )


def test_of_a_confined_agent_it_is_claimed_as_before(place: AgentPlace) -> None:
    if missing := sandbox.bubblewrap_missing():
        pytest.skip(missing)
    said = place.tandem("run", "--task", "Do it.", *script(place, "true")).out
    assert CLAIM in said
