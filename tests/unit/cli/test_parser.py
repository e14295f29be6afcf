"""Every call is there, says how it is used, and nothing that is not built yet pretends to be."""

import pytest

from tandem_desktop.cli.arguments import GROUPS
from tandem_desktop.cli.commands import CALLS, MAIN_CALLS
from tandem_desktop.cli.console import UsageError
from tandem_desktop.cli.main import TandemParser, _handler, _named_call, build_parser

NAMES = [
    *("gui", "propose", "review", "run", "orchestrate", "mcp", "acp", "serve", "recipe", "template", "import", "agent"),
    *("agents", "list", "show", "compare", "drift", "why", "simulate", "rehearse", "stats", "export", "reflect"),
    *("add", "drop", "include", "rebase", "restore", "branch", "adjust"),
    *("check", "needed", "share", "fetch", "overlaps", "comment", "comments", "approve", "reject", "rate", "cancel"),
    *("apply", "train", "runs", "undo", "commit", "verify", "redo", "recover"),
    *("gc", "audit", "selftest", "doctor", "completion"),
]


def test_the_calls_are_exactly_those_of_the_contract() -> None:
    assert [words.name for words in CALLS] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_each_call_explains_itself_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leaving:
        build_parser().parse_args([name, "--help"])
    assert leaving.value.code == 0
    shown = capsys.readouterr().out
    assert "Examples:" in shown
    assert f"tandem {name}" in shown.split("Examples:")[1]


def test_the_overview_explains_ten_calls_and_names_each_other_one_in_its_group() -> None:
    explained, _, named = build_parser().format_help().partition("\nMore:\n")
    assert len(MAIN_CALLS) == 10
    for spec in CALLS:
        assert any(line.startswith(f"  {spec.name} ") for line in explained.splitlines()) == (spec.name in MAIN_CALLS)
        group = next(line for line in named.splitlines() if line.startswith(f"  {spec.group}  "))
        assert (spec.name in group.removeprefix(f"  {spec.group}").split()) == (spec.name not in MAIN_CALLS)
    assert {spec.group for spec in CALLS} == set(GROUPS)
    assert max(map(len, named.splitlines())) <= 80


def test_every_call_leads_to_a_function() -> None:
    parts = [part for words in CALLS for part in words.parts]
    handlers = [each.handler for each in (*CALLS, *parts) if not each.parts]
    assert all(callable(_handler(handler)) for handler in handlers)


@pytest.mark.parametrize(("text", "number"), [("2", 2), ("r2", 2), ("r002", 2)])
def test_a_revision_is_named_as_it_is_shown(text: str, number: int) -> None:
    assert build_parser().parse_args(["restore", "PLAN", text]).revision == number


@pytest.mark.parametrize("text", ["0", "r0", "-1", "x", "", "1.5", "99999999999", "²"])
def test_what_is_no_revision_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        build_parser().parse_args(["restore", "PLAN", "--", text])


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["list", "--session", "SES-1"],
        ["--json", "-C", "list", "show", "PLAN", "--diff"],
        ["-C", "gui", "--debug", "apply", "--json", "PLAN", "--on-failure", "stop"],
        ["audit", "verify", "-C", "there"],
        ["list", "--sessions"],
        ["show"],
        ["audit", "nothing"],
        ["-C"],
        ["-C", "list"],
        ["-Clist", "runs"],
        ["--json", "lst"],
        ["--", "list"],
        [],
    ],
)
def test_a_call_is_understood_alike_by_its_own_parser_and_by_the_whole_one(words: list[str]) -> None:
    def understood(parser: TandemParser) -> object:
        try:
            return vars(parser.parse_args(words))
        except UsageError as error:
            return error.as_object()

    assert understood(build_parser(_named_call(words))) == understood(build_parser())
