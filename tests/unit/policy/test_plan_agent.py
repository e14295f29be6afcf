"""OpenCode's plan agent asks before it acts, and knows its role."""

import frontmatter
import pytest

from tandem_desktop.policy.prompts import chosen_agent, opencode_plan_agent


@pytest.mark.req("S0-76")
@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-4-20250514", 'odd: "model" # 1\nmode: subagent', "no"])
def test_the_front_matter_makes_it_a_primary_agent_that_asks(model: str) -> None:
    assert frontmatter.loads(opencode_plan_agent(model)).metadata == {
        "mode": "primary",
        "model": model,
        "temperature": 0.1,
        "permission": {"edit": "ask", "bash": "ask"},
    }


def test_without_a_known_model_the_agent_keeps_its_own() -> None:
    found = frontmatter.loads(opencode_plan_agent("")).metadata
    assert found == {"mode": "primary", "temperature": 0.1, "permission": {"edit": "ask", "bash": "ask"}}


@pytest.mark.req("S0-77")
def test_the_body_gives_role_output_format_and_special_commands() -> None:
    body = frontmatter.loads(opencode_plan_agent("m")).content
    role, _, rest = body.partition("## Output Format")
    assert [line[0] for line in role.splitlines() if line[:1].isdigit()] == ["1", "2", "3", "4", "5"]
    output, _, special = rest.partition("## Special Commands")
    for part in ("summary", "Description", "Tool", "path", "Rationale", "risks"):
        assert part in output
    assert "PLAN_CREATED" in special
    assert "PLAN_UPDATED" in special


@pytest.mark.req("S0-30")
@pytest.mark.parametrize(
    ("explicit", "plan_mode", "agent"),
    [
        ("build", True, "build"),
        ("build", False, "build"),
        (None, True, "plan"),
        (None, False, None),
        ("", True, "plan"),
    ],
)
def test_a_named_agent_wins_then_plan_in_plan_mode_then_none(
    explicit: str | None, plan_mode: bool, agent: str | None
) -> None:
    assert chosen_agent(explicit, plan_mode=plan_mode) == agent
