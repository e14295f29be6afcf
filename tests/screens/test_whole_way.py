"""The started application on a real screen: real keys and clicks take a plan from a question to an undone run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.screens.display import Box, Display, a_display
from tests.screens.started import Started, started
from tests.support import npm_agents
from tests.support.agent_runs import AgentPlace, kinds_and_paths
from tests.support.scripted_model import ScriptedModel
from tests.support.tree_walker import Node, walk


@pytest.fixture
def display(tmp_path: Path) -> Iterator[Display]:
    with a_display(tmp_path) as found:
        yield found


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[AgentPlace]:
    found = AgentPlace(tmp_path, capsys, monkeypatch)
    yield found
    found.assert_nothing_left()


def files(tree: dict[str, Node]) -> dict[str, bytes]:
    return {name: node[2] for name, node in tree.items()}


def is_below_the_plan(button: Box, app: Started) -> bool:
    """Approve stands at the far right of the bar below the plan; a sheet is in the middle."""
    return button.right > app.width * 0.9


def wait_for_review(app: Started) -> None:
    app.wait_for_button("Approve below the plan", lambda buttons: is_below_the_plan(buttons[-1], app))


def wait_for_sheet(app: Started, what: str) -> None:
    """While a sheet is open everything else is dimmed, so what it would do is the one filled button."""
    app.wait_for_button(what, lambda buttons: len(buttons) == 1 and not is_below_the_plan(buttons[0], app))


@pytest.mark.req("S0-72")
def test_what_opencode_plans_reaches_the_disk_when_the_person_clicks_implement_and_leaves_it_on_undo(
    display: Display, place: AgentPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ScriptedModel() as model:
        npm_agents.require("opencode", place, model, monkeypatch)
        place.choose(agent="opencode")
        before = walk(place.root)
        with started(display, place) as app:
            app.say(f"Please do it. [[scenario:two-files]] [[cwd:{place.root}]]")
            plan = app.wait_for_plan("proposed")
            assert walk(place.root) == before
            shown = place.tandem.answer("show", plan)
            assert kinds_and_paths(shown) == [("modify", "app.py"), ("create", "hello.py")]
            wait_for_review(app)
            app.click_last_button()
            wait_for_sheet(app, "Implement in the sheet")
            app.click_last_button()
            app.wait_for_plan("completed")
            after = {**files(before), "app.py": b"x = 42\nprint(x)\n", "hello.py": b"print('hello')\n"}
            assert files(walk(place.root)) == after
            display.press("ctrl+alt+u")
            wait_for_sheet(app, "Undo in the sheet")
            app.click_last_button()
            app.wait_for_run("undone")
            assert walk(place.root) == before


@pytest.mark.req("S0-72")
def test_what_a_recipe_plans_is_implemented_and_undone_by_keys_alone(display: Display, place: AgentPlace) -> None:
    before = walk(place.root)
    with started(display, place) as app:
        app.say("/replace print shout")
        app.wait_for_plan("proposed")
        assert walk(place.root) == before
        wait_for_review(app)
        display.press("F6", "ctrl+Return")
        wait_for_sheet(app, "Implement in the sheet")
        display.press("Tab", "space")
        app.wait_for_plan("completed")
        assert files(walk(place.root)) == {**files(before), "app.py": b"x = 1\nshout(x)\n"}
        display.press("ctrl+alt+u")
        wait_for_sheet(app, "Undo in the sheet")
        display.press("Tab", "space")
        app.wait_for_run("undone")
        assert walk(place.root) == before
