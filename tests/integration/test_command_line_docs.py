"""docs/cli.md keeps up with the real thing."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tandem_desktop.cli.commands import CALLS
from tandem_desktop.cli.completion import commands
from tandem_desktop.cli.console import UsageError
from tandem_desktop.domain.errors import TandemError, UnexpectedError
from tandem_desktop.storage.logs import LOG_LEVELS
from tests.support.command_line import CommandLine, a_workspace, edit, write

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text(encoding="utf-8")
SECTIONS = {part.split()[1].strip("`"): part for part in re.split(r"^### `", DOCS, flags=re.MULTILINE)[1:]}


def every_error(kind: type[TandemError] = TandemError) -> set[type[TandemError]]:
    return {kind}.union(*(every_error(below) for below in kind.__subclasses__()))


def test_every_call_is_documented_and_no_other() -> None:
    assert list(SECTIONS) == [words.name for words in CALLS]


@pytest.mark.parametrize("command", commands(), ids=lambda command: command.name)
def test_every_option_of_a_call_is_documented(command: Any) -> None:
    everywhere = {"-h", "--help", "-C", "--json", "--debug"}
    for name in (name for option in command.options for name in option.names if name not in everywhere):
        assert name in SECTIONS[command.name]
    for word in command.words:
        assert word in SECTIONS[command.name]


def test_options_of_every_call_and_the_levels_of_the_log_are_documented() -> None:
    start = DOCS[: DOCS.index("## Exit codes")]
    assert all(f"`{name}" in start for name in ("-C", "--json", "--debug"))
    assert all(f"`{level}`" in DOCS[DOCS.index("`TANDEM_LOG`") :] for level in LOG_LEVELS)


def test_every_kind_of_error_is_documented() -> None:
    kinds = {error.kind for error in every_error()} - {TandemError.kind}
    assert {UsageError.kind, UnexpectedError.kind} <= kinds
    assert [kind for kind in sorted(kinds) if f"`{kind}`" not in DOCS] == []


def test_the_plan_in_the_docs_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = re.search(r"^```json\n(\{\n.*?)^```", DOCS, flags=re.MULTILINE | re.DOTALL)
    assert plan is not None
    tandem = CommandLine(a_workspace(tmp_path, {"greeter/greeting.py": 'return "Hello " + name\n'}), capsys)
    path = tmp_path / "plan.json"
    path.write_text(plan[1])
    assert tandem.answer("propose", str(path))["operations"][0]["id"] == json.loads(plan[1])["steps"][0]["id"]


def test_every_key_that_is_answered_is_documented(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tandem = CommandLine(a_workspace(tmp_path), capsys)
    plan = tandem.propose(edit("notes.txt", "two", "TWO"), write("b", "x"))
    plan_id = plan["plan_id"]
    answers = {name: tandem.answer(name, plan_id) for name in ("drift", "simulate")}
    answers |= {"propose": plan, "show": tandem.answer("show", plan_id, "--diff"), "list": tandem.answer("list")}
    answers["compare"] = tandem.answer("compare", plan_id, "1", "1")
    answers["approve"] = tandem.approve(plan_id)
    answers["apply"] = tandem.answer("apply", plan_id)
    answers["runs"] = tandem.answer("runs")
    answers["undo"] = tandem.answer("undo", answers["apply"]["run_id"])
    answers |= {name: tandem.answer(name) for name in ("recover", "doctor")}
    answers["audit"] = tandem.answer("audit", "verify")
    for name, answer in answers.items():
        for key in answer:
            assert re.search(rf"\b{key}\b", SECTIONS[name]), f"{name} answers {key!r}"
