"""A request is looked at by its words alone, and the same words always give the same answer."""

import pytest

from tandem_desktop.domain.advice import Complexity, Qualification, RiskLevel, TaskType
from tandem_desktop.policy.qualification import qualify


@pytest.mark.req("S2-01")
@pytest.mark.parametrize(
    ("request_text", "task_type", "complexity", "risk"),
    [
        ("refactor the auth system and deploy to staging", "mixed", "complex", "medium"),
        ("fix the typo in the README", "code", None, None),
        ("update the wording of the docs", "documents", None, None),
        ("add a --verbose flag", "code", None, None),
        ("restart nginx and set up a backup cron on the server", "operations", None, None),
        ("what does this module do?", "question", None, None),
        ("delete all users from the production database", "operations", None, "high"),
        ("rename get_user everywhere", "code", "complex", None),
        ("rotate the API keys on the server", None, None, "high"),
        ("Großputz im Keller", None, None, None),
        ("add a thing", None, None, None),
    ],
)
def test_request_is_qualified_by_what_its_words_show_and_by_nothing_else(
    request_text: str, task_type: str | None, complexity: str | None, risk: str | None
) -> None:
    found = qualify(request_text)
    assert (found.task_type, found.complexity, found.risk_level) == (task_type, complexity, risk)


@pytest.mark.req("S2-01")
def test_files_the_request_names_are_its_first_context() -> None:
    found = qualify(
        "fix src/app.py and tests/test_app.py, not nowhere.py.", {"src/app.py", "tests/test_app.py"}.__contains__
    )
    assert found.context == ("src/app.py", "tests/test_app.py")


@pytest.mark.req("S2-02")
@pytest.mark.parametrize("task_type", [None, *TaskType])
@pytest.mark.parametrize("complexity", [None, *Complexity])
@pytest.mark.parametrize("risk", [None, *RiskLevel])
def test_mixed_complex_or_risky_work_is_planned_and_nothing_else(
    task_type: TaskType | None, complexity: Complexity | None, risk: RiskLevel | None
) -> None:
    found = Qualification(task_type=task_type, complexity=complexity, risk_level=risk)
    expected = task_type is TaskType.MIXED or complexity is Complexity.COMPLEX or risk is RiskLevel.HIGH
    assert found.plan_required is expected


def test_reason_is_said_in_words() -> None:
    words = qualify("refactor the auth system and deploy to staging").summary
    assert words.startswith("Plan it first: mixed task, complex, medium risk")
    assert "it touches code and operations" in words
    assert qualify("add a --verbose flag").summary == (
        "Nothing known of it calls for a plan: code task. Guessed from its words."
    )
    assert qualify("add a thing").summary == "Nothing known of it calls for a plan. Guessed from its words."
    assert qualify("rotate the API keys on the server").summary == (
        "Plan it first: high risk (much is at stake: api keys). Guessed from its words."
    )
