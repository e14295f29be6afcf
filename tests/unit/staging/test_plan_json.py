import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.errors import BadInputError, TandemError, TaskCycleError
from tandem_desktop.domain.tasks import TaskPriority
from tandem_desktop.staging import plan_json
from tandem_desktop.staging.plan_json import parse_plan, plan_from
from tandem_desktop.staging.steps import STEP_TYPES, PlanInput

A_WRITE = {"description": "Write a", "tool": "write", "args": {"path": "a.txt", "content": "hello"}}
A_READ = {"description": "Look", "tool": "read", "args": {"path": "a.txt"}}


def a_plan(*steps, **fields) -> dict:
    return {"title": "A change", "steps": list(steps), **fields}


def a_step(tool: str, /, **fields) -> dict:
    known = {"id", "rationale", "risk", "task", "blocked_by", "description"}
    step = {"description": "Do it", "tool": tool, "args": {k: v for k, v in fields.items() if k not in known}}
    return step | {k: v for k, v in fields.items() if k in known}


def parsed(plan) -> PlanInput:
    return parse_plan(json.dumps(plan).encode())


def refusal(plan) -> BadInputError:
    raw = plan if isinstance(plan, bytes) else json.dumps(plan).encode()
    with pytest.raises(TandemError) as caught:
        parse_plan(raw)
    error = caught.value
    assert error.exit_code == 2
    assert error.next
    assert "pydantic" not in error.message
    assert "\n" not in error.message
    error.message.encode()
    return error


@pytest.mark.req("S0-56")
def test_a_plan_with_every_tool_becomes_typed_steps():
    plan = parsed(
        a_plan(
            a_step("write", path="a", content="x", mode="0755", id="one", rationale="why", risk="none", task="t2"),
            a_step("write", path="b", content_base64=base64.b64encode(b"\0\xff").decode()),
            a_step("edit", path="a", old_string="x", new_string="y", replace_all=True),
            a_step("patch", diff="--- a\n"),
            a_step("delete", path="b"),
            a_step("move", path="a", to="c"),
            a_step("chmod", path="c", mode="644", blocked_by=["one"]),
            a_step("symlink", path="l", target="c"),
            a_step("mkdir", path="d"),
            a_step("bash", command="make", cwd="d", timeout_s=5, env={"B": "2", "A": "1"}),
            {"description": "d", "tool": "external", "args": {"tool": "crm", "arguments": {"a": 1}}},
            A_READ,
            summary="What and why",
            context={"files": ["a"]},
            tasks=[
                {"id": "t1", "subject": "First"},
                {"id": "t2", "subject": "Then", "priority": "high", "blocked_by": ["t1"]},
            ],
        )
    )
    assert [step.tool for step in plan.steps] == ["write", *STEP_TYPES]
    assert [step.id for step in plan.steps] == ["one", *(f"s{n}" for n in range(2, 13))]
    assert [step.args.data for step in plan.steps[:2]] == [b"x", b"\0\xff"]
    assert plan.steps[9].args.env == {"A": "1", "B": "2"}
    assert plan.plan_tasks()[1].priority is TaskPriority.HIGH
    assert plan.plan_tasks()[1].blocked_by == ("t1",)


def test_null_means_not_given():
    plan = parsed(
        a_plan(a_step("write", path="a", content="x", content_base64=None, mode=None, task=None), summary=None)
    )
    assert plan.steps[0].args.mode is None
    assert "`args.path` is missing" in refusal(a_plan(a_step("write", path=None, content="x"))).message


def test_context_may_be_plain_words():
    assert parsed(a_plan(A_WRITE, context="as agreed")).context == {"notes": "as agreed"}


def test_ids_by_position_step_aside_for_ids_that_are_given():
    plan = parsed(a_plan(a_step("mkdir", path="a", id="s2"), a_step("mkdir", path="b"), a_step("mkdir", path="c")))
    assert [step.id for step in plan.steps] == ["s2", "s4", "s3"]


BYTES = [
    (b"", "empty"),
    (b"   \n", "empty"),
    (b"\xef\xbb\xbf{}", "byte order mark"),
    ('{"title": 1}'.encode("utf-16"), "UTF-16"),
    ('{"title": 1}'.encode("utf-16-le"), "UTF-16"),
    ('{"title": 1}'.encode("utf-16-be"), "UTF-16"),
    ('{"title": 1}'.encode("utf-32"), "UTF-16"),
    (b'{"title": "\xff"}', "not UTF-8: byte 11"),
    (b"{", "line 1, column 2"),
    (b"{'title': 1}", "not valid JSON"),
    (b'{"title": "a",}', "not valid JSON"),
    (b"{} {}", "not valid JSON"),
    (b'{"title": "a\nb"}', "not valid JSON"),
    (b'{"title": NaN}', "NaN"),
    (b'{"context": {"x": -Infinity}}', "-Infinity"),
    (b'{"context": {"x": 1e999}}', "1e999"),
    (b'{"context": {"x": %s}}' % (b"9" * 5000), "5,000 digits"),
    (b'{"context": {"x": 0.%s}}' % (b"9" * 5000), "too large or too long"),
    (b'{"title": "a", "title": "b"}', "'title' twice"),
    (b'{"context": {"a": {"b": 1, "b": 1}}}', "'b' twice"),
    (b"[" * 100_000, "nested too deeply"),
    (b'{"a":' * 100_000, "nested too deeply"),
    (b'{"title": "a", "steps": [], "context": %s1%s}' % (b"[" * 50_000, b"]" * 50_000), "nested too deeply"),
    (b"[]", "must be a JSON object, not a list"),
    (b"null", "not null"),
    (b'"plan"', "not text"),
]


@pytest.mark.parametrize(("raw", "words"), BYTES, ids=lambda value: repr(value)[:40])
def test_bytes_that_are_no_plan_are_refused_in_words(raw, words):
    assert words in refusal(raw).message


def test_a_plan_over_the_limit_is_refused_before_it_is_read():
    with pytest.raises(BadInputError, match="limit is 10"):
        plan_json.read_json(b"{}" + b" " * 9, max_bytes=10)
    assert plan_json.read_json(b"{}" + b" " * 8, max_bytes=10) == {}


A_TASK = {"id": "t1", "subject": "Part"}
PLANS = [
    ({"steps": [A_WRITE]}, "`title` must be text, and is missing"),
    (a_plan(A_WRITE, title=" "), "`title` must be text, and is empty"),
    (a_plan(A_WRITE, title=5), "`title` must be text, and is a number"),
    (a_plan(A_WRITE, title="\ud800"), "surrogate"),
    (a_plan(A_WRITE, summary=[]), "`summary`"),
    (a_plan(A_WRITE, stepz=[]), "'stepz'"),
    (a_plan(A_WRITE, context=5), "`context` must be an object"),
    (a_plan(A_WRITE, context={"a": ["\udc80"]}), "surrogate"),
    (a_plan(A_WRITE, context={"\udc80": 1}), "surrogate"),
    ({"title": "x"}, "no `steps`"),
    (a_plan(), "no operations"),
    (a_plan(A_READ, A_READ), "no operations"),
    ({"title": "x", "steps": {}}, "`steps` must be a list, not an object"),
    (a_plan(A_WRITE, "x"), "Step 2 must be an object, not text"),
    (a_plan(A_WRITE, {"description": "x"}), "Step 2 has no `tool`"),
    (a_plan({"tool": 5}), "a `tool` that is a number"),
    (a_plan(a_step("fetch", url="x")), "'fetch'"),
    (a_plan(a_step("Write", path="x", content="")), "'Write'"),
    (a_plan({"tool": "write", "args": {"path": "a", "content": ""}}), "Step 1 (write): `description` is missing"),
    (a_plan({"tool": "write", "description": "x"}), "`args` is missing"),
    (a_plan({"tool": "write", "description": "x", "args": []}), "`args` must be an object, not a list"),
    (a_plan({"tool": "write", "description": 7, "args": {"path": "a", "content": ""}}), "`description` must be text"),
    (a_plan(a_step("write", content="x")), "`args.path` is missing"),
    (a_plan(a_step("write", path=5, content="x")), "`args.path` must be text, not a number"),
    (a_plan(a_step("write", path="a")), "exactly one of `content` and `content_base64`"),
    (a_plan(a_step("write", path="a", content="", content_base64="")), "exactly one of"),
    (a_plan(a_step("write", path="a", content="\ud83d")), "`args.content` contains half of a surrogate pair"),
    (a_plan(a_step("write", path="a", content="x", file_mode="1")), "path, content, content_base64, mode are"),
    (a_plan(a_step("write", path="a", content="x", mode=755)), "`args.mode` must be text, not a number"),
    (a_plan(a_step("write", path="a", content="x", mode="rwx")), 'octal string such as "0755"'),
    (a_plan(a_step("write", path="a", content="x", mode="0o755")), "octal string"),
    (a_plan(a_step("write", path="a", content="x", mode="٧٥٥")), "octal string"),
    (a_plan(a_step("write", path="a", content="x", mode="888")), "octal string"),
    (a_plan(a_step("write", path="a", content="x", mode="7")), "octal string"),
    (a_plan(a_step("write", path="a", content_base64="aGk")), "not valid base64"),
    (a_plan(a_step("write", path="a", content_base64="aGk=\n")), "not valid base64"),
    (a_plan(a_step("write", path="a", content_base64="aG k=")), "not valid base64"),
    (a_plan(a_step("write", path="a", content_base64="aGl=")), "not valid base64"),
    (a_plan(a_step("write", path="a", content_base64="_-8=")), "not valid base64"),
    (a_plan(a_step("write", path="a", content_base64="é")), "not valid base64"),
    (a_plan(a_step("edit", path="a", old_string="x")), "`args.new_string` is missing"),
    (a_plan(a_step("edit", path="a", old_string="x", new_string="y", replace_all="yes")), "true or false, not text"),
    (a_plan(a_step("bash", command="x", env={"A": "\udc80"})), "surrogate"),
    (a_plan(A_WRITE | {"rationale": "\udc80"}), "Step 1 (write): `rationale` contains half"),
    (a_plan(A_WRITE | {"blocked_by": ["\udc80"]}), "surrogate"),
    (a_plan(A_WRITE, tasks=[A_TASK | {"subject": "\udc80"}]), "Task t1: `subject` contains half"),
    (a_plan(a_step("patch", diff=5)), "must be text"),
    (a_plan(a_step("move", path="a")), "`args.to` is missing"),
    (a_plan(a_step("chmod", path="a")), "`args.mode` is missing"),
    (a_plan(a_step("symlink", path="a")), "`args.target` is missing"),
    (a_plan(a_step("delete", path="a", recursive=True)), "`args.recursive` is not known; path are"),
    (a_plan(a_step("bash", command=" ")), "is empty"),
    (a_plan(a_step("bash", command="a\0b")), "NUL"),
    (a_plan(a_step("bash", command="x" * 131_072)), "131,071 bytes"),
    (a_plan(a_step("bash", command="x", timeout_s=0)), "greater than or equal to 1"),
    (a_plan(a_step("bash", command="x", timeout_s=86_401)), "less than or equal to 86400"),
    (a_plan(a_step("bash", command="x", timeout_s=1.5)), "a whole number"),
    (a_plan(a_step("bash", command="x", timeout_s=True)), "a whole number"),
    (a_plan(a_step("bash", command="x", env={"A B": "1"})), "the name 'A B'"),
    (a_plan(a_step("bash", command="x", env={"1A": "1"})), "the name '1A'"),
    (a_plan(a_step("bash", command="x", env={"": "1"})), "the name ''"),
    (a_plan(a_step("bash", command="x", env={"A": 1})), "`args.env.A` must be text"),
    (a_plan(a_step("bash", command="x", env={"A": "\0"})), "NUL"),
    (a_plan(a_step("bash", command="x", env=["A=1"])), "must be an object"),
    (a_plan(A_WRITE | {"id": "a b"}), "`id` must be 1 to 64 letters"),
    (a_plan(A_WRITE | {"id": ""}), "`id` must be 1 to 64 letters"),
    (a_plan(A_WRITE | {"id": "x" * 65}), "`id` must be 1 to 64 letters"),
    (a_plan(A_WRITE | {"id": 5}), "`id` must be text"),
    (a_plan(A_WRITE | {"blocked_by": "s1"}), "`blocked_by` must be a list"),
    (a_plan(A_WRITE | {"id": "x"}, A_WRITE | {"id": "x"}), "Steps 1 and 2 have the same id x"),
    (a_plan(A_WRITE, A_WRITE | {"id": "s1.2"}), "operations of step s1 may get"),
    (a_plan(A_WRITE | {"id": "x.1"}, A_WRITE | {"id": "x"}), "operations of step x may get"),
    (a_plan(A_WRITE | {"blocked_by": ["s9"]}), "Step s1 waits for 's9', which is not in the plan"),
    (a_plan(A_WRITE | {"blocked_by": ["s1"]}), "Step s1 waits for itself"),
    (a_plan(A_WRITE | {"task": "t9"}), "'t9'"),
    (a_plan(A_WRITE, tasks=["x"]), "Task 1 must be an object"),
    (a_plan(A_WRITE, tasks=[{"id": "t1"}]), "Task t1: `subject` is missing"),
    (a_plan(A_WRITE, tasks=[{"subject": "x"}]), "Task 1: `id` is missing"),
    (a_plan(A_WRITE, tasks=[A_TASK | {"priority": "urgent"}]), "`priority` must be one of 'critical'"),
    (a_plan(A_WRITE, tasks=[A_TASK, A_TASK]), "Two tasks have the same id t1"),
    (a_plan(A_WRITE, tasks=[A_TASK | {"blocked_by": ["t1"]}]), "Task t1 waits for itself"),
    (a_plan(A_WRITE, tasks=[A_TASK | {"blocked_by": ["t2"]}]), "Task t1 waits for 't2'"),
]


@pytest.mark.req("S0-56")
@pytest.mark.parametrize(("plan", "words"), PLANS, ids=lambda value: value[:40] if isinstance(value, str) else "")
def test_malformed_plan_is_refused_with_the_field_in_words(plan, words):
    assert words in refusal(plan).message


def test_refusal_names_the_step_by_its_id_or_its_place():
    assert refusal(a_plan(A_WRITE, a_step("write", id="two", content="x"))).step == "two"
    assert refusal(a_plan(A_WRITE, a_step("write", content="x"))).step == "s2"


def test_unknown_tool_is_answered_with_the_tools_there_are():
    message = refusal(a_plan(a_step("rm", path="a"))).message
    assert all(tool in message for tool in STEP_TYPES)


@pytest.mark.req("S4-22")
def test_steps_that_wait_in_a_circle_are_named_in_order():
    steps = [a_step("mkdir", path=f"d{n}", blocked_by=[f"s{n % 3 + 1}"]) for n in (1, 2, 3)]
    error = refusal(a_plan(*steps))
    assert isinstance(error, TaskCycleError)
    assert any(circle in error.message for circle in ("s1 → s2 → s3 → s1", "s2 → s3 → s1 → s2", "s3 → s1 → s2 → s3"))


@pytest.mark.req("S4-22")
def test_tasks_that_wait_in_a_circle_are_refused_however_long_the_circle():
    tasks = [{"id": f"t{n}", "subject": "x", "blocked_by": [f"t{(n + 1) % 5000}"]} for n in range(5000)]
    error = refusal(a_plan(A_WRITE, tasks=tasks))
    assert isinstance(error, TaskCycleError)
    assert "…" in error.message


def test_context_deeper_than_can_be_stored_is_refused():
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    assert "nested deeper than 100" in refusal(a_plan(A_WRITE, context={"x": deep})).message


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["write", "read", "s1", "t1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["title", "steps", "tasks", "id", "tool", "args", "path", "content", "blocked_by", "context"]
            )
            | st.text(max_size=3),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(JSON_VALUES | st.builds(lambda steps: {"title": "x", "steps": steps}, st.lists(JSON_VALUES, max_size=3)))
def test_any_json_is_a_plan_or_a_sentence(document):
    try:
        plan_from(document)
    except TandemError as error:
        refused = error
    else:
        return
    assert refused.exit_code == 2
    assert refused.message.endswith(".")


@given(st.binary(max_size=60))
def test_any_bytes_are_a_plan_or_a_sentence(raw):
    with pytest.raises(BadInputError):
        parse_plan(raw)
