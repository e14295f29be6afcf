"""A request is looked at by its words alone, and the same words always give the same answer."""

import pytest

from tandem_desktop.domain.qualification import Complexity, Qualification, RiskLevel, TaskType
from tandem_desktop.policy.qualification import qualify


@pytest.mark.req("S2-01")
@pytest.mark.parametrize(
    ("request_text", "task_type", "complexity", "risk"),
    [
        ("refactor the auth system and deploy to staging", "mixed", "complex", "medium"),
        ("fix the typo in the README", "code", "simple", "low"),
        ("update the wording of the docs", "documents", "simple", "low"),
        ("add a --verbose flag", "code", "simple", "low"),
        ("restart nginx and set up a backup cron on the server", "operations", "simple", "low"),
        ("what does this module do?", "question", "simple", "low"),
        ("delete all users from the production database", "operations", "simple", "high"),
        ("rename get_user everywhere", "code", "complex", "low"),
    ],
)
def test_request_is_qualified_by_what_it_says(request_text: str, task_type: str, complexity: str, risk: str) -> None:
    found = qualify(request_text)
    assert (found.task_type.value, found.complexity.value, found.risk_level.value) == (task_type, complexity, risk)


@pytest.mark.req("S2-01")
def test_files_the_request_names_are_its_first_context() -> None:
    found = qualify(
        "fix src/app.py and tests/test_app.py, not nowhere.py.", {"src/app.py", "tests/test_app.py"}.__contains__
    )
    assert found.context == ("src/app.py", "tests/test_app.py")


@pytest.mark.req("S2-02")
@pytest.mark.parametrize("task_type", list(TaskType))
@pytest.mark.parametrize("complexity", list(Complexity))
@pytest.mark.parametrize("risk", list(RiskLevel))
def test_mixed_complex_or_risky_work_is_planned_and_nothing_else(
    task_type: TaskType, complexity: Complexity, risk: RiskLevel
) -> None:
    found = Qualification(task_type=task_type, complexity=complexity, risk_level=risk)
    expected = task_type is TaskType.MIXED or complexity is Complexity.COMPLEX or risk is RiskLevel.HIGH
    assert found.plan_required is expected


def test_reason_is_said_in_words() -> None:
    words = qualify("refactor the auth system and deploy to staging").words
    assert words.startswith("Plan it first: mixed task, complex, medium risk")
    assert "it touches code and operations" in words
    assert qualify("add a --verbose flag").words == "It can be done at once: code task, simple, low risk."
