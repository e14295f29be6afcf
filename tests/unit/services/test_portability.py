"""A plan that is kept and used again proposes what it proposed, with other names where names were asked for."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem_desktop.app.wiring import build_engine
from tandem_desktop.domain.errors import BadInputError, StepRefusedError
from tandem_desktop.domain.operations import CommandCall, NodeState
from tandem_desktop.domain.plan import PlanVersion
from tandem_desktop.domain.template import PlanTemplate, TemplateParameter, marked
from tandem_desktop.selftest.corpus import a_case
from tandem_desktop.selftest.expectation import lay_out
from tandem_desktop.services.engine import Engine
from tandem_desktop.services.portability import plan_as_steps


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    (tmp_path / "project").mkdir()
    return build_engine(tmp_path / "project", state=tmp_path / "state")


def proposed(engine: Engine, *steps: dict[str, object]) -> str:
    raw = json.dumps({"title": "Add orders", "steps": steps}).encode()
    return engine.proposals.propose(raw).plan_id


def a_write(path: str, content: str) -> dict[str, object]:
    return {"description": f"Write {path}", "tool": "write", "args": {"path": path, "content": content}}


def left_behind(version: PlanVersion) -> dict[str, NodeState]:
    return {change.path: change.after for each in version.operations for change in each.changes()}


def commands(version: PlanVersion) -> list[CommandCall]:
    return [each.call for each in version.operations if each.call is not None]


def test_the_steps_of_a_stored_plan_lead_to_the_same_files_and_commands_again(tmp_path: Path) -> None:
    for seed in range(60):
        case, root = a_case(seed), tmp_path / str(seed)
        root.mkdir()
        lay_out(case.tree, root)
        engine = build_engine(root, state=tmp_path / "state")
        first = engine.proposals.propose(json.dumps(case.plan).encode())
        again = engine.proposals.make(plan_as_steps(first, engine.objects))
        assert left_behind(again) == left_behind(first), seed
        assert commands(again) == commands(first), seed


def test_a_parameter_stands_wherever_its_text_stood_and_takes_another(engine: Engine) -> None:
    plan = proposed(engine, a_write("api/orders.py", "class orders:\n    pass\n"), a_write("docs.md", "orders!\n"))
    template = engine.templates.save(plan, "endpoint", {"resource": "orders"})
    assert template.title == "Add {{resource}}"
    made = engine.templates.use("endpoint", {"resource": "customers"})
    assert made.title == "Add customers"
    assert [operation.path for operation in made.operations] == ["api/customers.py", "docs.md"]
    assert engine.contents(made.operations[1])[1] == b"customers!\n"


def test_a_kept_change_of_text_fits_a_file_that_differs_elsewhere(engine: Engine) -> None:
    file = engine.locations.workspace / "setup.cfg"
    lines = [f"line {number}\n" for number in range(20)]
    file.write_text("".join(lines))
    steps = {"path": "setup.cfg", "old_string": "line 9\n", "new_string": "line nine\n"}
    plan = proposed(engine, {"description": "Spell it", "tool": "edit", "args": steps})
    engine.templates.save(plan, "spell", {})
    file.write_text("# new above\n" + "".join(lines) + "new below\n")
    made = engine.templates.use("spell", {})
    assert engine.contents(made.operations[0])[1].decode() == file.read_text().replace("line 9\n", "line nine\n")


def test_a_template_that_does_not_apply_here_makes_no_plan(engine: Engine) -> None:
    plan = proposed(engine, a_write("new.txt", "new\n"))
    engine.templates.save(plan, "once", {})
    (engine.locations.workspace / "new.txt").write_text("new\n")
    with pytest.raises(StepRefusedError):
        engine.templates.use("once", {})
    assert len(engine.plans.list().plans) == 1


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "needs a value for resource"),
        ({"resource": "a", "more": "b"}, "no parameter more"),
        ({"resource": "  "}, "one line of text"),
        ({"resource": "a\nb"}, "one line of text"),
    ],
)
def test_values_that_do_not_fit_the_parameters_are_refused_with_the_whole_call(
    engine: Engine, values: dict[str, str], said: str
) -> None:
    engine.templates.save(proposed(engine, a_write("orders", "x\n")), "endpoint", {"resource": "orders"})
    with pytest.raises(BadInputError, match=said) as refusal:
        engine.templates.use("endpoint", values)
    assert refusal.value.next.endswith("tandem template use endpoint resource=orders")


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("../evil", {}, "no name for a template"),
        ("fine", {"resource": "nowhere"}, "occurs nowhere"),
        ("fine", {"Resource": "orders"}, "no name for a template or a parameter"),
        ("fine", {"own": "orders"}, "itself contains"),
    ],
)
def test_a_template_that_could_not_be_used_is_not_kept(
    engine: Engine, name: str, values: dict[str, str], said: str
) -> None:
    plan = proposed(engine, a_write("orders", "{{own}}\n"))
    with pytest.raises(BadInputError, match=said):
        engine.templates.save(plan, name, values)
    assert not engine.templates.all()


def test_a_name_that_is_taken_keeps_what_it_had(engine: Engine) -> None:
    engine.templates.save(proposed(engine, a_write("a", "a\n")), "mine", {})
    with pytest.raises(BadInputError, match="already"):
        engine.templates.save(proposed(engine, a_write("b", "b\n")), "mine", {})
    assert [step["args"]["path"] for step in engine.templates.named("mine").plan["steps"]] == ["a"]
    engine.templates.remove("mine")
    assert not engine.templates.all()


WORDS = st.text("abc{}", min_size=1, max_size=4)


@settings(deadline=None)
@given(text=st.text("abc{} \n", max_size=40), example=WORDS)
def test_a_template_filled_with_its_own_examples_is_the_plan_it_came_from(text: str, example: str) -> None:
    plan = {"title": text, "steps": [{"tool": "write", "args": {"path": text, "content": text}}]}
    parameter = TemplateParameter(name="name", example=example)
    try:
        template = PlanTemplate(name="t", title="t", parameters=(parameter,), plan=marked(plan, (parameter,)))
    except BadInputError:
        return
    assert template.filled({"name": example}) == plan
