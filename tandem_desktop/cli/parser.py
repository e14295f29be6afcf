"""Builds the argument parser from the table of commands."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from tandem_desktop import __version__
from tandem_desktop.cli.commands import CALLS, GROUPS, CommandSpec
from tandem_desktop.cli.console import UsageError

_OPENING = """\
See exactly what an agent will do, approve exactly that, get exactly that, take it back.
"""

_CLOSING = """\
A first change:
  tandem propose plan.json                   staged; nothing is written yet
  tandem show PLAN --diff                    every operation, every line, and the digest
  tandem approve PLAN --digest DIGEST        exactly this, once
  tandem apply PLAN                          all of it, or nothing
  tandem undo RUN                            as if it had never been

PLAN and RUN are ids such as PLAN-1a2b3c4d, or their first digits.
Exit codes: 0 done · 1 a bug, or a check that failed · 2 bad arguments or unknown names · 3 refused, nothing changed
            4 the run failed · 5 an interrupted run must be settled: tandem recover
More about one call: tandem COMMAND --help
"""


class TandemParser(argparse.ArgumentParser):
    """An argument parser that refuses with a sentence instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(_reworded(message), next=f"See how it is called: {self.prog} --help")


def build_parser() -> TandemParser:
    """The whole command line."""
    parser = TandemParser(
        prog="tandem",
        usage="tandem [-C DIR] [--json] [--debug] COMMAND …",
        description=_OPENING,
        epilog=f"{_overview()}\n\n{_CLOSING}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_common()],
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"tandem {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True, help=argparse.SUPPRESS)
    for words in CALLS:
        _add(commands, words, "tandem")
    return parser


def _add(commands: "argparse._SubParsersAction[TandemParser]", words: CommandSpec, above: str) -> None:
    parser = commands.add_parser(
        words.name,
        prog=f"{above} {words.name}",
        description=words.explanation,
        epilog=_examples(words.examples),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        parents=[_common()],
        allow_abbrev=False,
    )
    parser.set_defaults(handler=words.handler)
    words.configure(parser)
    if words.parts:
        parts = parser.add_subparsers(metavar="PART", dest="part", required=True, help=argparse.SUPPRESS)
        for part in words.parts:
            _add(parts, part, parser.prog)


def _common() -> TandemParser:
    """Each may stand before or after the sub-command: whichever is given counts."""
    common = TandemParser(add_help=False)
    common.add_argument(
        "-C", metavar="DIR", dest="workspace", default=argparse.SUPPRESS, help="the workspace (default: this folder)"
    )
    common.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object on stdout"
    )
    common.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="log what happens on stderr")
    return common


def _overview() -> str:
    width = max(len(words.shown) for words in CALLS)
    parts = []
    for group in GROUPS:
        lines = [f"  {words.shown:<{width}}  {words.summary}" for words in CALLS if words.group == group]
        parts.append("\n".join([f"{group}:", *lines]))
    return "\n\n".join(parts)


def _examples(examples: Sequence[tuple[str, str]]) -> str:
    width = max(len(call) for call, _ in examples)
    return "\n".join(["Examples:", *(f"  {call:<{width}}   {what}" for call, what in examples)])


def _reworded(message: str) -> str:
    """Argparse's complaint about an unknown call, as a sentence."""
    start = "argument COMMAND: invalid choice: "
    if not message.startswith(start):
        return f"{message[:1].upper()}{message[1:]}."
    wanted = message.removeprefix(start).split(" (choose")[0].strip("'\"")
    import difflib  # only for a misspelled call

    near = difflib.get_close_matches(wanted, [words.name for words in CALLS], n=1)
    return f"There is no call {wanted!r}" + (f"; did you mean {near[0]!r}?" if near else ".")
