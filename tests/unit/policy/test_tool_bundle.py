"""The guidance for planning agents asks for exactly what Tandem takes."""

import json
from typing import Any

import jsonschema
import pytest

from tandem_desktop.domain.errors import TandemError
from tandem_desktop.policy.tools import ToolBundle, plan_schema, planning_bundle
from tandem_desktop.staging.plan_json import parse_plan
from tandem_desktop.staging.simulate import simulate_steps
from tandem_desktop.staging.steps import STEP_TYPES, PlanInput, TaskInput, WriteStep
from tests.support.builders import A_MOMENT
from tests.support.trees import MemoryTree

BUNDLE = planning_bundle()
STEP_SCHEMA = BUNDLE.json_schema["properties"]["steps"]["items"]


def is_valid(document: Any) -> bool:
    try:
        jsonschema.validate(document, BUNDLE.json_schema)
    except jsonschema.ValidationError:
        return False
    return True


@pytest.mark.req("S0-54")
def test_a_bundle_has_its_four_fields_filled() -> None:
    assert list(ToolBundle.model_fields) == ["category", "instructions", "json_schema", "example"]
    assert BUNDLE.category == "planning"
    assert all((BUNDLE.instructions, BUNDLE.json_schema, BUNDLE.example))


@pytest.mark.req("S0-55")
@pytest.mark.parametrize(
    "subject",
    ["atomic", "dependencies", "order", "risks", "mitigate", "validation", "`read`", "`write`", "`edit`", "`bash`"],
)
def test_the_instructions_speak_of_every_subject(subject: str) -> None:
    assert subject in BUNDLE.instructions


@pytest.mark.req("S0-55")
def test_the_instructions_always_want_the_rationale() -> None:
    assert "Always give the rationale" in BUNDLE.instructions


@pytest.mark.req("S0-56")
def test_the_schema_asks_for_steps_in_the_promised_shape() -> None:
    assert {"description", "tool", "args", "rationale", "risk"} <= set(STEP_SCHEMA["properties"])
    assert STEP_SCHEMA["required"] == ["description", "tool", "args"]
    assert STEP_SCHEMA["properties"]["tool"]["enum"][:4] == ["read", "write", "edit", "bash"]


def test_the_schema_knows_the_same_fields_and_tools_as_the_parser() -> None:
    assert set(STEP_SCHEMA["properties"]["tool"]["enum"]) == set(STEP_TYPES)
    assert set(STEP_SCHEMA["properties"]) == set(WriteStep.model_fields)
    schema = plan_schema()["properties"]
    assert set(schema) == set(PlanInput.model_fields)
    assert set(schema["tasks"]["items"]["properties"]) == set(TaskInput.model_fields)


@pytest.mark.req("S0-57")
def test_the_example_fits_the_schema_parses_and_applies() -> None:
    assert is_valid(json.loads(BUNDLE.example))
    plan = parse_plan(BUNDLE.example.encode())
    assert [step.tool for step in plan.steps] == ["read", "write", "edit", "bash"]
    assert all(step.rationale for step in plan.steps)
    simulated = simulate_steps(plan, MemoryTree({"README.md": b"hello\n"}), A_MOMENT)
    assert [operation.kind for operation in simulated.operations] == ["create", "modify", "command"]


@pytest.mark.req("S0-56")
@pytest.mark.parametrize(
    "step",
    [
        {"tool": "write", "args": {"path": "a", "content": ""}},
        {"description": "x", "args": {"path": "a", "content": ""}},
        {"description": "x", "tool": "write"},
        {"description": "x", "tool": "frobnicate", "args": {}},
        {"description": "x", "tool": "write", "args": "a"},
        {"description": 1, "tool": "write", "args": {"path": "a", "content": ""}},
        {"description": "x", "tool": "write", "args": {"path": "a", "content": ""}, "operation": "y"},
    ],
)
def test_a_malformed_plan_is_rejected_by_the_schema_and_by_the_parser_alike(step: dict[str, Any]) -> None:
    document = {"title": "t", "steps": [step]}
    assert not is_valid(document)
    with pytest.raises(TandemError):
        parse_plan(json.dumps(document).encode())
