"""An agent is told the truth about where it is and what it may do."""

from datetime import date
from pathlib import Path

import pytest

from tandem_desktop.policy.prompts import PromptComposer
from tandem_desktop.policy.tools import PLANNING_TOOLS
from tandem_desktop.settings import CommandsWhilePlanning
from tandem_desktop.storage.paths import PromptFiles
from tests.support.tools import READ_ONLY_TOOLS


def a_composer(cwd: str = "/home/me/project", **fields: object) -> PromptComposer:
    return PromptComposer(cwd=cwd, today=lambda: date(2026, 2, 3), system="Linux", **fields)  # type: ignore[arg-type]


@pytest.mark.req("S1-24")
def test_sections_go_into_the_template_and_every_placeholder_is_filled() -> None:
    text = a_composer().compose(plan_mode=True)
    for part in ("/home/me/project", "Linux", "2026-02-03", "do not assume that anything happened"):
        assert part in text
    assert "{{" not in text


@pytest.mark.req("S1-24")
def test_the_plan_mode_instructions_are_there_when_it_is_on_and_nothing_is_when_it_is_off() -> None:
    composer = a_composer()
    assert composer.plan_mode_text() in composer.compose(plan_mode=True)
    off = composer.compose(plan_mode=False)
    assert "PLANNING MODE" not in off
    assert "\n\n\n" not in off


@pytest.mark.req("S1-26c")
def test_planning_has_its_own_file_in_the_list_of_sections_and_nothing_is_put_behind_the_whole() -> None:
    composer = a_composer()
    head, text, tail = composer.compose(plan_mode=True).partition(composer.plan_mode_text().strip())
    assert all((head.strip(), text, tail.strip()))
    assert composer.compose(plan_mode=False) == f"{head.strip()}\n\n{tail.strip()}"


@pytest.mark.req("S1-02")
def test_turning_plan_mode_on_says_read_only_no_writing_before_approval_and_present_plan() -> None:
    text = a_composer(planning_tools=("present_plan",)).plan_mode_text()
    assert "READ-ONLY PLANNING MODE" in text
    assert "change nothing in the workspace until a plan is approved" in text
    assert "`present_plan`" in text


@pytest.mark.req("S1-25")
def test_the_plan_mode_instructions_name_disabled_and_available_tools_and_four_steps() -> None:
    own = ("read", "grep", "todo", "write", "bash")
    composer = a_composer(disabled_tools=("gmail_send",), own_tools=own, planning_tools=("present_plan",))
    text = composer.plan_mode_text()
    assert "DISABLED tools: gmail_send. A command you run works on your copy only" in text
    assert "give it to `plan_propose` as a `bash` step" in text
    assert "WRITE tools: write." in text
    assert "AVAILABLE tools: read, grep, todo, present_plan." in text
    for number in range(1, 5):
        assert f"\n{number}. " in text
    assert "\n5. " not in text


@pytest.mark.req("S1-25")
def test_an_agent_whose_tools_are_not_known_is_told_of_none_by_name_and_ends_with_its_plan() -> None:
    text = a_composer().plan_mode_text()
    assert "AVAILABLE tools: all that read and search." in text
    assert "1. End your turn with your detailed plan (Markdown)." in text
    for tool in (*READ_ONLY_TOOLS, *PLANNING_TOOLS):
        assert tool not in text


@pytest.mark.parametrize(
    ("commands", "said"),
    [
        ("stage", "is refused and has been queued for the plan"),
        ("run", "works on your copy only"),
        ("deny", "is refused: go on without it"),
    ],
)
def test_what_becomes_of_a_command_is_said_beforehand(commands: CommandsWhilePlanning, said: str) -> None:
    text = a_composer(commands=commands).plan_mode_text()
    assert said in text
    assert ("DISABLED tools: all that run commands" in text) == (commands != "run")


@pytest.mark.req("S1-24")
def test_another_placeholder_can_be_registered(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "system.md").write_text("Do: {{TASK}}. {{LATER}}")
    composer = a_composer(files=PromptFiles(lambda name: tmp_path / name))
    composer.register("TASK", lambda: "tidy up")
    assert composer.compose(plan_mode=True) == "Do: tidy up. {{LATER}}"


def test_a_folder_named_like_a_placeholder_is_not_filled_again() -> None:
    assert "/tmp/{{DATE}}" in a_composer("/tmp/{{DATE}}").compose(plan_mode=True)


@pytest.mark.req("S1-23")
def test_a_prompt_file_is_read_once_and_a_missing_one_is_empty(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    (tmp_path / "prompts" / "a.md").write_text("first\n")
    asked: list[str] = []

    def find(name: str) -> Path:
        asked.append(name)
        return tmp_path / name

    files = PromptFiles(find)
    assert (files.text("a.md"), files.text("b.md")) == ("first", "")
    (tmp_path / "prompts" / "a.md").write_text("second\n")
    assert (files.text("a.md"), files.text("b.md")) == ("first", "")
    assert asked == ["prompts/a.md", "prompts/b.md"]
