"""Conversations as they come from agents, for tests and pictures."""

from datetime import UTC, datetime
from typing import Any

from tandem_desktop.domain.agent_protocol import (
    ChatEntry,
    EntryKind,
    OptionKind,
    PermissionRequest,
    ProposedDiff,
    ToolCall,
    ToolCallStatus,
    ToolKind,
)
from tandem_desktop.domain.ids import PlanId, RequestId, RunId, SessionId, ToolCallId
from tandem_desktop.domain.questions import AgentQuestion, FieldKind, QuestionChoice, QuestionField
from tandem_desktop.ui.chat.plan_card import PlanFacts
from tandem_desktop.ui.plan_text import RunFacts

AT = datetime(2026, 1, 5, 14, 2, tzinfo=UTC)
PLAN = PlanId("plan-1")
RUN = RunId("run-1")


def said(number: int, text: str, kind: EntryKind = EntryKind.AGENT, **facts: Any) -> ChatEntry:
    return ChatEntry(number=number, kind=kind, at=AT, text=text, **facts)


def asked(number: int, text: str) -> ChatEntry:
    return said(number, text, EntryKind.PERSON)


def a_call(number: int, kind: ToolKind, **facts: Any) -> ToolCall:
    return ToolCall(**{"id": ToolCallId(f"call-{number}"), "kind": kind, "status": ToolCallStatus.COMPLETED, **facts})


def used(number: int, kind: ToolKind, **facts: Any) -> ChatEntry:
    return ChatEntry(number=number, kind=EntryKind.TOOL, at=AT, call=a_call(number, kind, **facts))


def read(number: int, path: str) -> ChatEntry:
    return used(number, ToolKind.READ, tool="read", paths=(path,))


def wrote(number: int, path: str, added: int, removed: int = 0) -> ChatEntry:
    old = "".join(f"old {line}\n" for line in range(removed)) + "same\n"
    new = "".join(f"new {line}\n" for line in range(added)) + "same\n"
    return used(
        number, ToolKind.EDIT, tool="edit", paths=(path,), diffs=(ProposedDiff(path=path, old_text=old, new_text=new),)
    )


def queued(number: int, command: str) -> ChatEntry:
    output = "Not run now: the command was queued as operation 4. It runs when the person approves."
    return used(
        number, ToolKind.EXECUTE, tool="bash", command=command, output=output, status=ToolCallStatus.FAILED, asked=True
    )


def a_plan(number: int, revision: int = 1) -> ChatEntry:
    return said(number, "", EntryKind.PLAN, plan_id=PLAN, revision=revision)


def facts(revision: int = 1, **changed: Any) -> PlanFacts:
    known: dict[str, Any] = {
        "title": "Rate-limit the login route",
        "operations": 7,
        "files": 5,
        "commands": 2,
        "added": 142,
        "removed": 38,
        "state": "Reviewing",
        "tone": "risk",
        "is_waiting": True,
    }
    return PlanFacts(plan_id=PLAN, revision=revision, **{**known, **changed})


def a_run(way_back: str) -> RunFacts:
    return RunFacts(RUN, PLAN, 3, AT, way_back, is_applied=way_back == "Undo")


def a_request(number: int, call: ToolCall, answer: str = "", *details: str) -> ChatEntry:
    request = PermissionRequest(
        id=RequestId(f"request-{number}"),
        session_id=SessionId("session-1"),
        call=call,
        options=(OptionKind.ALLOW_ONCE, OptionKind.REJECT_ONCE),
    )
    return said(number, call.title, EntryKind.QUESTION, request=request, answer=answer, details=details)


LIBRARY = QuestionField(
    name="0",
    kind=FieldKind.CHOICE,
    title="Library",
    is_required=True,
    choices=(
        QuestionChoice(value="httpx", label="httpx (Recommended)", description="Speaks HTTP/2 and has the same calls."),
        QuestionChoice(value="requests", label="requests", description="Already used by the jobs."),
        QuestionChoice(value="urllib3", label="urllib3"),
    ),
)
OWN = QuestionField(name="0-other", kind=FieldKind.TEXT, title="Another answer", instead_of="0")
FORM = (
    QuestionField(name="name", kind=FieldKind.TEXT, title="Name of the service", is_required=True, max_length=40),
    QuestionField(name="port", kind=FieldKind.INTEGER, title="Port", minimum=1024, maximum=65535, default=8080),
    QuestionField(
        name="parts",
        kind=FieldKind.CHOICES,
        title="Parts",
        description="Which parts should it have?",
        choices=(
            QuestionChoice(value="api", label="API"),
            QuestionChoice(value="worker", label="Worker", description="Runs jobs in the background."),
        ),
        default=("api",),
    ),
    QuestionField(name="docs", kind=FieldKind.BOOLEAN, title="Write a page of documentation", default=True),
)


def a_question(number: int, message: str, *fields: QuestionField, url: str = "", **ended: Any) -> ChatEntry:
    question = AgentQuestion(id=RequestId(f"ASK-{number}"), agent="Qwen Code", message=message, fields=fields, url=url)
    return said(number, question.summary, EntryKind.ELICITATION, question=question, **ended)


def review() -> tuple[ChatEntry, ...]:
    """A rate limit, asked for, planned, and reworked once."""
    return (
        asked(1, "Limit login to 5 attempts a minute per address, with a test. Don't add a dependency."),
        said(
            2,
            "I read the auth routes and the settings. A token bucket kept in the app state is enough here; it needs "
            "one new module, a decorator on the route, and a setting.",
        ),
        read(3, "app/routes/auth.py"),
        read(4, "app/settings.py"),
        read(5, "app/main.py"),
        read(6, "tests/test_auth.py"),
        read(7, "pyproject.toml"),
        wrote(8, "app/ratelimit.py", 61),
        wrote(9, "app/routes/auth.py", 9, 3),
        queued(10, "pytest -q tests/test_auth.py"),
        asked(11, "Use the settings object for the limit, not a constant."),
        a_plan(12, 3),
        said(
            13,
            "Done: the limit now comes from `Settings.login_rate`. The plan has 7 operations and is ready for your "
            "review.",
        ),
    )


MARKDOWN = """## What changes

The bucket refills **steadily** and is *never* shared between addresses; see
[the algorithm](https://en.wikipedia.org/wiki/Token_bucket) and `app/ratelimit.py`.

1. A module with the limiter
2. A decorator on the route
   - applies to `POST /login` only
   - answers 429
3. A setting

```python
@router.post("/login")
@limited(lambda s: s.login_rate)  # per address
async def login(body: Login, request: Request) -> Token:
    user = await users.by_email(body.email)
    if user is None:
        raise Unauthorized("no such user", retry_after=60)
```

| Setting | Default | Meaning |
|---|---|---|
| `login_rate` | 5 | attempts a minute |
| `login_burst` | 5 | at once |

> The old throttle is removed: nothing imports it.

<img src="https://example.org/pixel.png"> ![a chart](https://example.org/chart.png)
"""
