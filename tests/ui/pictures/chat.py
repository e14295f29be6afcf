"""The chat pane in the states a person meets."""

from collections.abc import Iterator

from PySide6.QtWidgets import QApplication, QWidget

from tandem_desktop.acp_client.client import LOOK_AT_STDERR
from tandem_desktop.domain.agent_protocol import (
    EntryKind,
    OfferedCommand,
    ProposedDiff,
    ToolCallStatus,
    ToolKind,
    UsageReported,
)
from tandem_desktop.ui.chat.completion import with_window_commands
from tandem_desktop.ui.chat.pane import ChatPane
from tandem_desktop.ui.theme.theme import Theme
from tests.ui.chat import talk


def pictures(app: QApplication, theme: Theme) -> Iterator[tuple[str, QWidget]]:
    yield "chat-review", _review(theme)
    yield "chat-narrow", _review(theme, width=320)
    yield "chat-markdown", _markdown(theme)
    yield "chat-wide", _markdown(theme, width=1200)
    yield "chat-permission", _permission(theme)
    yield "chat-command-permission", _command_permission(theme)
    yield "chat-question", _question(theme)
    yield "chat-question-form", _question_form(theme)
    yield "chat-working", _working(theme)
    yield "chat-commands", _commands(theme)
    yield "chat-problem", _problem(theme)
    yield "chat-deny", _deny(theme)
    yield "chat-empty", _pane(theme)


def _pane(theme: Theme, width: int = 452, height: int = 828) -> ChatPane:
    pane = ChatPane(theme)
    pane.resize(theme.px(width), theme.px(height))
    pane.set_usage(UsageReported(used=12_400, size=200_000))
    pane.show()
    return pane


def _review(theme: Theme, width: int = 452) -> ChatPane:
    pane = _pane(theme, width)
    pane.set_entries(talk.review())
    pane.set_plan(talk.facts(3, is_waiting=False, origin="reworked from 1 comment"))
    return pane


def _markdown(theme: Theme, width: int = 452) -> ChatPane:
    pane = _pane(theme, width, 900)
    pane.set_entries(
        (
            talk.asked(1, "How does it work?"),
            talk.said(2, "First I look at how routes are registered, then\nat the settings.", EntryKind.THOUGHT),
            talk.said(3, talk.MARKDOWN),
        )
    )
    return pane


def _permission(theme: Theme) -> ChatPane:
    pane = _pane(theme)
    diff = ProposedDiff(
        path="app/settings.py",
        old_text="class Settings(BaseModel):\n    secret: str\n    debug: bool = False\n",
        new_text="class Settings(BaseModel):\n    secret: str\n    login_rate: int = 5\n    debug: bool = False\n",
    )
    edit = talk.a_call(4, ToolKind.EDIT, title="Edit settings", paths=("app/settings.py",), diffs=(diff,))
    pane.set_entries(
        (
            talk.asked(1, "Add a setting for the login rate."),
            talk.read(2, "app/settings.py"),
            talk.a_request(3, talk.a_call(3, ToolKind.EXECUTE, command="git status --short"), "allow", ""),
            talk.a_request(4, edit),
        )
    )
    pane.transcript.settle_now()
    card = pane.transcript.waiting_card()
    if card is not None:
        card.setFocus()
    return pane


def _command_permission(theme: Theme) -> ChatPane:
    pane = _pane(theme)
    command = (
        "find . -name '*.pyc' -delete && \\\n  pip install --upgrade httpx==1.0 && "
        "pytest -q tests/test_auth.py tests/test_ratelimit.py\u202e"
    )
    pane.set_entries(
        (
            talk.asked(1, "Upgrade httpx."),
            talk.a_request(2, talk.a_call(2, ToolKind.EXECUTE, command=command, cwd="services/api")),
        )
    )
    return pane


def _question(theme: Theme) -> ChatPane:
    pane = _pane(theme)
    pane.set_entries(
        (
            talk.asked(1, "Replace the HTTP client."),
            talk.a_question(2, "Keep the old module?", answer="accept", details=("Keep: no",)),
            talk.a_question(3, "May I see your calendar?", answer="decline"),
            talk.said(4, "Two clients are used at the moment."),
            talk.a_question(5, "Which library should the client use?", talk.LIBRARY, talk.OWN),
        )
    )
    pane.set_working(True, "Qwen Code is working…")
    return pane


def _question_form(theme: Theme) -> ChatPane:
    pane = _pane(theme, height=1000)
    address = "https://login.example.org/authorize?client=agent&elicitation=4f1c9b1e-6d0a-4a53-9d5e-1f2f9c1b7a10"
    pane.set_entries(
        (
            talk.asked(1, "Make a service of it."),
            talk.a_question(2, "A few facts first.\u202e", *talk.FORM),
            talk.a_question(3, "Please allow access to your repositories.", url=address),
        )
    )
    return pane


def _working(theme: Theme) -> ChatPane:
    pane = _pane(theme)
    running = talk.used(
        4, ToolKind.EXECUTE, command="pytest -q", status=ToolCallStatus.IN_PROGRESS, output="tests/test_auth.py ....\n"
    )
    pane.set_entries(
        (
            talk.asked(1, "Upgrade httpx to 1.0 and make the tests pass."),
            talk.said(2, "Looking at what uses the client first.", EntryKind.THOUGHT),
            talk.used(
                3,
                ToolKind.SEARCH,
                title="grep -rn httpx",
                output="app/client.py:3: import httpx\napp/jobs.py:9: import httpx\n",
            ),
            running,
            talk.said(5, "The client is used in two places. I will change"),
        )
    )
    pane.set_working(True, "OpenCode is working…")
    pane.set_queue(("Then look at the retry logic as well, it still catches the old error", "Update the changelog"))
    pane.composer.set_text("And also")
    pane.transcript.settle_now()
    chip = pane.transcript._widgets.get(3)
    if chip is not None:
        chip.set_open(True)
    return pane


def _commands(theme: Theme) -> ChatPane:
    pane = _review(theme)
    recipes = (
        OfferedCommand(name="replace", description="Replace words in many files", hint="OLD NEW"),
        OfferedCommand(name="rename-identifier", description="Rename something in the code", hint="OLD NEW"),
    )
    pane.set_commands(with_window_commands(recipes, (OfferedCommand(name="init", description="Describe the project"),)))
    pane.composer.set_text("/")
    return pane


def _problem(theme: Theme) -> ChatPane:
    pane = _pane(theme)
    pane.set_entries(
        (
            talk.asked(1, "Upgrade httpx to 1.0."),
            talk.said(
                2,
                "OpenCode ended while it was answering (exit code 1). What it did until then is kept.",
                EntryKind.PROBLEM,
                details=("Error: provider returned 529", "  at Session.prompt (session.ts:210)", LOOK_AT_STDERR),
            ),
            talk.said(3, "Completed: 5 files +142 −38, checked on disk.", EntryKind.NOTE, plan_id=talk.PLAN),
        )
    )
    pane.transcript.settle_now()
    card = pane.transcript._widgets.get(2)
    if card is not None:
        card.set_open(True)
    return pane


def _deny(theme: Theme) -> ChatPane:
    pane = _pane(theme)
    pane.set_entries((*talk.review()[:2], talk.a_plan(3, 1), talk.a_plan(4, 2)))
    pane.set_plan(talk.facts(1, is_waiting=False, state="Replaced", tone="neutral"))
    pane.set_plan(talk.facts(2))
    card = pane.transcript.waiting_card()
    if card is not None:
        card.press("2")
    return pane
