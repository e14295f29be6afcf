"""What agents are offered: enough to plan, nothing to decide with, in a shape every model provider takes."""

import json
import re
from typing import Any

import pytest

from tandem_desktop.planning_tools.arguments import checked
from tandem_desktop.planning_tools.definitions import DEFINITIONS, ToolName, ToolPrompts
from tandem_desktop.staging.steps import STEP_TYPES

ALL = pytest.mark.parametrize("definition", DEFINITIONS.values(), ids=DEFINITIONS)


def names_in(schema: Any) -> set[str]:
    """Every property and every choice, at any depth."""
    if isinstance(schema, list):
        return set().union(*map(names_in, schema))
    if not isinstance(schema, dict):
        return set()
    found = {*schema.get("properties", {}), *map(str, schema.get("enum", ()))}
    return found.union(*(names_in(value) for value in schema.values()))


@pytest.mark.req("S3-15")
def test_no_tool_and_no_argument_decides_or_carries_out() -> None:
    deciding = re.compile(r"approv|reject|appl(y|ies)|digest|execute|undo|redo|cancel|decid", re.IGNORECASE)
    for name, definition in DEFINITIONS.items():
        found = {name, *names_in(definition.input_schema())}
        assert {each for each in found if deciding.search(each)} == set()


@pytest.mark.req("S1-22")
def test_names_are_the_tool_constants() -> None:
    assert list(DEFINITIONS) == [name.value for name in ToolName]
    assert ToolName.PRESENT_PLAN.value == "present_plan"


@ALL
def test_schema_is_one_plain_object(definition: Any) -> None:
    schema = definition.input_schema()
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert re.search(r'"(\$ref|\$defs|anyOf|oneOf|allOf|title)": [^{]', json.dumps(schema)) is None


@ALL
def test_every_argument_is_described(definition: Any) -> None:
    for argument in definition.input_schema()["properties"].values():
        assert argument["description"]


@pytest.mark.req("S1-04")
def test_present_plan_takes_markdown() -> None:
    schema = DEFINITIONS[ToolName.PRESENT_PLAN].input_schema()
    assert schema["required"] == ["plan_content"]
    assert schema["properties"]["plan_content"]["type"] == "string"


@pytest.mark.req("S3-14")
def test_plan_propose_takes_title_steps_and_context() -> None:
    schema = DEFINITIONS[ToolName.PLAN_PROPOSE].input_schema()
    assert schema["required"] == ["title", "steps"]
    assert "context" in schema["properties"]
    step = schema["properties"]["steps"]["items"]
    assert {"description", "tool", "args", "operation", "target"} <= set(step["properties"])
    assert all(name in step["properties"]["tool"]["description"] for name in STEP_TYPES)


def test_the_example_an_agent_reads_is_accepted() -> None:
    definition = DEFINITIONS[ToolName.PLAN_PROPOSE]
    example = re.search(r"<example>(.*)</example>", definition.description(ToolPrompts()), re.DOTALL)
    assert example is not None
    assert checked(definition.arguments, json.loads(example[1])).model_dump()["title"]
