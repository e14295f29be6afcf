"""Parses the arguments and runs one command to its exit code."""

import argparse
import importlib
import logging
import os
import shlex
import sys
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from tandem_desktop import __version__
from tandem_desktop.cli.arguments import GROUPS, CommandSpec
from tandem_desktop.cli.commands import CALLS, MAIN_CALLS
from tandem_desktop.cli.console import Console, Line, Span, Tone, UsageError, sentence
from tandem_desktop.domain.errors import BadInputError, TandemError
from tandem_desktop.domain.ids import OperationId, PlanId
from tandem_desktop.domain.paths import shown
from tandem_desktop.domain.patterns import lazy_pattern
from tandem_desktop.storage.errors import as_refusal

if TYPE_CHECKING:
    from tandem_desktop.domain.agent_protocol import AgentProfile
    from tandem_desktop.services.engine import Engine


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The outcome of a call that ran to its end."""

    data: dict[str, Any]
    lines: Sequence[Line] = field(default_factory=tuple)
    next: str = ""
    exit_code: int = 0
    failure: TandemError | None = None
    """Why the exit code is not 0, where something went wrong that was no refusal."""
    delivered: Callable[[], None] = lambda: None
    """Called when all of it has been written."""


def utc(moment: datetime | None) -> str | None:
    """ISO 8601 in UTC."""
    return None if moment is None else moment.astimezone(UTC).isoformat()


def readable(moment: datetime | None) -> str:
    """Readable date and time in UTC."""
    return "" if moment is None else moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def count(number: int, one: str, several: str = "") -> str:
    """`1 operation`, `3 operations`."""
    return f"{number} {one if number == 1 else several or one + 's'}"


OnOutput = Callable[[OperationId, bytes], None]


class BuildEngine(Protocol):
    """The composition root, as far as the command line knows it."""

    def __call__(self, root: Path, *, state: Path | None = None, on_output: OnOutput = ...) -> "Engine": ...


OpenWindow = Callable[[Path | None, str | None, str], int]
"""Shows the window on a workspace, and on one of its plans, until it is closed; says something there first."""


Serve = Callable[[Path, int, Callable[[str, str], None]], None]
"""Answers HTTP for a workspace on a port until it is stopped; tells its address and token when it is ready."""

ServeEditor = Callable[["AgentProfile", Path | None, Sequence[str], int], None]
"""Answers an editor on stdin and a descriptor: an agent, a workspace for all of it, and hosts the agent may reach."""


class CommandContext:
    """What a command needs: arguments, console, and an engine that is built on first use and closed at the end."""

    def __init__(
        self,
        arguments: Namespace,
        console: Console,
        build_engine: BuildEngine,
        open_window: OpenWindow,
        serve: Serve,
        serve_editor: ServeEditor,
    ) -> None:
        self.arguments = arguments
        self.console = console
        self.known: dict[str, Any] = {}
        """Goes into the JSON beside the error when the call fails."""
        self.on_output: OnOutput = lambda operation, chunk: None
        self.build_engine = build_engine
        self.open_window = open_window
        self.serve = serve
        self.serve_editor = serve_editor
        self._engine: Engine | None = None

    @property
    def workspace(self) -> Path:
        return Path(getattr(self.arguments, "workspace", "."))

    @property
    def engine(self) -> "Engine":
        if self._engine is None:
            self._engine = self.build_engine(
                self.workspace, on_output=lambda operation, chunk: self.on_output(operation, chunk)
            )
        return self._engine

    def plan_id(self) -> PlanId:
        """The plan that was named, by its id or its first digits."""
        plan_id = self.engine.plans.resolve(self.arguments.plan)
        self.known["plan_id"] = plan_id
        return plan_id

    def command(self, *words: str) -> str:
        """A call to type next, in the same workspace."""
        chosen = getattr(self.arguments, "workspace", None)
        return shlex.join(["tandem", *(("-C", chosen) if chosen else ()), *words])

    def close(self) -> None:
        if self._engine is not None:
            self._engine.close()
            self._engine = None


INTERRUPTED = 130
"""What a shell expects after Ctrl-C, for calls that are not runs."""
STDOUT_LOST = 4
_USUAL_COLUMNS = 80
_THIS_PLAN = lazy_pattern(r"(?<= )PLAN(?= |$)")
"""What the engine says where it does not know which plan its caller named."""

Handler = Callable[[CommandContext], CommandResult]
_log = logging.getLogger(__name__)


def run_command_line(
    argv: list[str], build_engine: BuildEngine, open_window: OpenWindow, serve: Serve, serve_editor: ServeEditor
) -> int:
    """Parse, do, answer."""
    console = Console(as_json=_wants_json(argv))
    try:
        arguments = build_parser(_named_call(argv)).parse_args(argv)
    except TandemError as error:
        return _deliver(console, _refused(error, {}))
    except SystemExit as leaving:  # --help and --version have answered already
        return leaving.code if isinstance(leaving.code, int) else 0
    call = CommandContext(arguments, console, build_engine, open_window, serve, serve_editor)
    _log.debug("call: %s, tandem %s, pid %d", arguments.command, __version__, os.getpid())
    try:
        answer = _handler(arguments.handler)(call)
        _log.debug("call ended: %s, exit code %d", arguments.command, answer.exit_code)
        return _deliver(console, answer)
    except KeyboardInterrupt:
        console.remark("Stopped.")
        return INTERRUPTED
    except Exception as error:  # every failure becomes a sentence and an exit code
        refusal = as_refusal(error)
        _log.debug("call refused: %s, %s, exit code %d", arguments.command, refusal.kind, refusal.exit_code)
        return _deliver(console, _refused(refusal, call.known))
    finally:
        call.close()


def _handler(name: str) -> Handler:
    """Only the module of this call is imported."""
    module, _, function = name.partition(":")
    handler: Handler = getattr(importlib.import_module(f"tandem_desktop.cli.{module}"), function)
    return handler


def _deliver(console: Console, answer: CommandResult) -> int:
    try:
        if console.as_json:
            failed = {"error": answer.failure.as_object()} if answer.failure else {}
            console.answer_object({**failed, **answer.data})
        else:
            console.answer(answer.lines)
            if answer.next:
                console.answer([(Span("Next: ", Tone.STRONG), sentence(answer.next))])
        console.flush()
        answer.delivered()
    except BrokenPipeError:
        console.give_up_stdout()  # the reader closed the pipe
    except OSError as error:
        console.give_up_stdout()
        console.complain(f"The answer could not be written: {error.strerror}.", "Make room, then look again.")
        return answer.exit_code or STDOUT_LOST
    if answer.failure:
        console.complain(answer.failure.message, answer.failure.next)
    return answer.exit_code


def _refused(error: TandemError, known: dict[str, Any]) -> CommandResult:
    if "plan_id" in known:
        error.next = _THIS_PLAN.sub(known["plan_id"], error.next)
    return CommandResult(dict(known), exit_code=error.exit_code, failure=error)


def _wants_json(argv: list[str]) -> bool:
    before_end = argv[: argv.index("--")] if "--" in argv else argv
    return "--json" in before_end


MAX_BYTES = 64 * 1024 * 1024
STANDARD_INPUT = "-"


def read_input(name: str, what: str, console: Console, limit: int = MAX_BYTES) -> bytes:
    """The bytes of `name`, at most `limit`: as many as any plan may have, unless said otherwise.

    Raises:
        BadInputError: there is no such file, it cannot be read, or it is too large.
    """
    try:
        data = _standard_input(what, console, limit) if name == STANDARD_INPUT else _file(name, limit)
    except OSError as error:
        raise BadInputError(
            f"{shown(name)} cannot be read: {error.strerror or error}.",
            path=name,
            next=f"Name a file that holds {what}, or - for standard input.",
        ) from error
    except ValueError as error:  # a name with a NUL in it
        raise BadInputError(f"{shown(name)} is no file name: {error}.", path=name, next="Name another file.") from error
    if len(data) > limit:
        raise BadInputError(
            f"{shown(name)} has more than {limit:,} bytes.", path=name, next="Split it into several plans."
        )
    return data


def _file(name: str, limit: int) -> bytes:
    with Path(name).open("rb") as file:
        return file.read(limit + 1)


def _standard_input(what: str, console: Console, limit: int) -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise BadInputError("Standard input is closed.", next=f"Name a file that holds {what}.")
    if sys.stdin.isatty():
        console.remark(f"Reading {what} from the terminal; end it with Ctrl-D.")
    return sys.stdin.buffer.read(limit + 1)


_OPENING = """\
See exactly what an agent will do, approve exactly that, get exactly that, take it back.
"""

_CLOSING = """\
PLAN and RUN are ids such as PLAN-1a2b3c4d, or their first digits.
Exit codes: 0 done · 1 a bug, or a check that failed · 2 bad arguments
            3 refused, nothing changed · 4 the run failed
            5 an interrupted run must be settled: tandem recover
Options and examples of one call: tandem COMMAND --help
"""


class TandemParser(argparse.ArgumentParser):
    """An argument parser that refuses with a sentence instead of ending the process."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(_reworded(message), next=f"See how it is called: {self.prog} --help")


def _named_call(argv: Sequence[str]) -> str:
    """The command of a plain call; empty where it is not obvious, and the whole command line has to be known."""
    words = iter(argv)
    for word in words:
        if word == "-C":
            next(words, "")
        elif word not in ("--json", "--debug"):
            return word if any(spec.name == word for spec in CALLS) else ""
    return ""


class _HelpText(argparse.RawDescriptionHelpFormatter):
    """As wide as the terminal. It is made for each argument, and the width it would find itself imports archivers."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


@cache
def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS", "")) or os.get_terminal_size(1).columns or _USUAL_COLUMNS
    except (ValueError, OSError):
        return _USUAL_COLUMNS


def build_parser(only: str = "") -> TandemParser:
    """The whole command line, or as much of it as the command `only` needs, which is much quicker."""
    parser = TandemParser(
        prog="tandem",
        usage="tandem [-C DIR] [--json] [--debug] COMMAND …",
        description=_OPENING,
        epilog="" if only else f"{_overview()}\n\n{_CLOSING}",
        formatter_class=_HelpText,
        parents=[_common()],
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"tandem {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", dest="command", required=True, help=argparse.SUPPRESS)
    for spec in CALLS:
        if only in ("", spec.name):
            _add(commands, spec, "tandem")
    return parser


def _add(commands: "argparse._SubParsersAction[TandemParser]", spec: CommandSpec, above: str) -> None:
    parser = commands.add_parser(
        spec.name,
        prog=f"{above} {spec.name}",
        description=spec.explanation,
        epilog=_examples(spec.examples),
        formatter_class=_HelpText,
        parents=[_common()],
        allow_abbrev=False,
    )
    parser.set_defaults(handler=spec.handler)
    spec.configure(parser)
    if spec.parts:
        # A call that does something by itself needs no part.
        parts = parser.add_subparsers(metavar="PART", dest="part", required=not spec.handler, help=argparse.SUPPRESS)
        for part in spec.parts:
            _add(parts, part, parser.prog)


def _common() -> TandemParser:
    """The options that mean the same before and after the sub-command."""
    common = TandemParser(add_help=False, formatter_class=_HelpText)
    common.add_argument(
        "-C", metavar="DIR", dest="workspace", default=argparse.SUPPRESS, help="the workspace (default: this folder)"
    )
    common.add_argument(
        "--json", action="store_true", default=argparse.SUPPRESS, help="print one JSON object on stdout"
    )
    common.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help="log what happens on stderr")
    return common


def _overview() -> str:
    main = [spec for name in MAIN_CALLS for spec in CALLS if spec.name == name]
    calls = [spec.shown.partition(" [")[0] for spec in main]
    width = max(map(len, calls))
    lines = ["Every change:"]
    lines += [f"  {call:<{width}}  {spec.summary}" for call, spec in zip(calls, main, strict=True)]
    lines += ["", "More:"]
    width = max(map(len, GROUPS))
    for group in GROUPS:
        names = " ".join(spec.name for spec in CALLS if spec.group == group and spec not in main)
        lines.append(f"  {group:<{width}}  {names}")
    return "\n".join(lines)


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

    near = difflib.get_close_matches(wanted, [spec.name for spec in CALLS], n=1)
    return f"There is no call {wanted!r}" + (f"; did you mean {near[0]!r}?" if near else ".")
