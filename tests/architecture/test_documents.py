"""The documents say what is there: when to plan, why, with whom, and how others join in."""

import re
import tomllib
from pathlib import Path

import pytest

from tandem_desktop.domain.base import Frozen
from tandem_desktop.domain.tasks import TaskPriority
from tandem_desktop.policy.qualification import qualify
from tandem_desktop.services.generator import ROLE
from tandem_desktop.settings import AdvisorChoice, Settings
from tandem_desktop.staging.steps import STEP_TYPES, BashStep, PlanInput, TaskInput

ROOT = Path(__file__).resolve().parents[2]
WHEN, WHY, API = (
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("when-to-plan", "motivation", "api")
)


def section(text: str, title: str) -> str:
    """What stands below a heading, up to the next of its kind."""
    return text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.req("S3-43", "S3-38")
def test_the_examples_of_when_to_plan_are_answered_as_tandem_answers_them() -> None:
    rows = re.findall(r'^\| "(.+?)" \| (yes|no) \|', section(WHEN, "A decision in four questions"), flags=re.MULTILINE)
    assert len(rows) > 5
    assert [(words, qualify(words).plan_required) for words, _ in rows] == [
        (words, said == "yes") for words, said in rows
    ]


@pytest.mark.req("S3-43")
def test_the_reasons_name_failures_alternatives_and_limits() -> None:
    for failure in (
        "planning too little",
        "Planning too much",
        "A crash in the middle of a plan",
        "Plans that pile up",
    ):
        assert failure in section(WHY, "What goes wrong without it")
    assert section(WHY, "Compared with what is there").count("\n|") > 5
    assert "does not undo what left the workspace" in section(WHY, "What Tandem does not do")


@pytest.mark.req("S3-47")
def test_every_role_prompt_that_is_named_is_there() -> None:
    named = re.findall(r"`([a-z_/]+\.md)`", section(WHEN, "Role prompts"))
    assert {"perspectives/chapo.md", "generator.md", "reflector.md"} <= set(named)
    assert [name for name in named if not (ROOT / "resources" / "prompts" / name).is_file()] == []


@pytest.mark.req("S3-47")
def test_the_example_for_a_gateway_names_calls_there_are() -> None:
    paths = re.findall(r"`(/[a-z/]+)`", section(WHEN, "From other programs"))
    assert paths
    assert [path for path in paths if path not in API] == []


@pytest.mark.req("S3-53")
def test_the_choice_of_models_can_be_made_as_it_is_written() -> None:
    lines = re.findall(r"`(advisors\.\w+ = \{.+?\})`", section(WHEN, "Which model for what"))
    assert [Settings.model_validate(tomllib.loads(line)).advisors for line in lines] == [
        {"koda": AdvisorChoice(agent="opencode", model="anthropic/claude-sonnet-4-5")}
    ]
    assert f"`advisors.{ROLE}`" in WHEN
    assert "follow-up of a plan whose steps are exact" in WHEN


@pytest.mark.req("S3-50")
def test_the_first_words_about_tandem_are_plans_that_are_approved_and_taken_back() -> None:
    opening = (ROOT / "README.md").read_text(encoding="utf-8").split("\n![", 1)[0]
    for word in ("approve", "plan", "digest", "journal", "take it back"):
        assert word in opening


def test_every_module_the_architecture_names_is_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", text))
    assert len(named) > 50
    assert sorted(n for n in named if not any((ROOT / top / n).is_file() for top in ("tandem_desktop", "."))) == []


def fields_of(title: str) -> dict[str, bool]:
    """The fields a table of the plan format names, each with whether it is needed."""
    text = (ROOT / "docs" / "plan-format.md").read_text(encoding="utf-8")
    return {
        name: needed == "yes"
        for name, needed in re.findall(r"^\| `(\w+)` \|.*\| (yes|) ?\|$", section(text, title), re.M)
    }


@pytest.mark.parametrize(
    ("title", "model"),
    [("The plan", PlanInput), ("A step", BashStep), ("A task", TaskInput)],
    ids=["plan", "step", "task"],
)
def test_plan_format_names_every_field_and_whether_it_is_needed(title: str, model: type[Frozen]) -> None:
    assert fields_of(title) == {name: field.is_required() for name, field in model.model_fields.items()}


def test_plan_format_names_every_tool_with_its_arguments() -> None:
    text = (ROOT / "docs" / "plan-format.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", section(text, "The tools"), re.MULTILINE))
    told = {tool: set(re.findall(r"`(\w+)`", words)) for tool, words in rows.items()}
    assert told == {tool: set(step.model_fields["args"].annotation.model_fields) for tool, step in STEP_TYPES.items()}
    for priority in TaskPriority:
        assert f"`{priority}`" in section(text, "A task")


_NAMED_TEST = re.compile(r"`(tests/[\w./]+|test_\w+\.py)[^`]*`|python -m (tests[\w.]+)")


@pytest.mark.parametrize("document", ["security", "testing", "agents", "performance"])
def test_every_test_that_a_document_names_is_there(document: str) -> None:
    text = (ROOT / "docs" / f"{document}.md").read_text(encoding="utf-8")
    named = {path or module.replace(".", "/") for path, module in _NAMED_TEST.findall(text)}
    names = {path.name for path in (ROOT / "tests").rglob("*.py")}
    assert [each for each in sorted(named) if not _is_there(each) and each not in names] == []
    assert named


def _is_there(named: str) -> bool:
    place = ROOT / named
    return place.is_file() or place.with_suffix(".py").is_file() or any(place.glob("*.py"))


def test_every_promise_of_security_names_a_test_that_runs() -> None:
    table = section((ROOT / "docs" / "security.md").read_text(encoding="utf-8"), "Each promise and its test")
    rows = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) >= 25
    for promise, held_by in rows:
        files = [ROOT / each for each in re.findall(r"`(tests/[\w/.]+)`", held_by)]
        modules = re.findall(r"`python -m (tests\.\w+)`", held_by)
        assert files or modules, promise
        for file in files:
            found = [*file.rglob("test_*.py")] if file.is_dir() else [file]
            texts = [each.read_text(encoding="utf-8") for each in found]
            assert any(re.search(r"^(?:async )?def test_|^ATTACKS\b", text, re.MULTILINE) for text in texts), promise
