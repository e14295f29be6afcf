"""Write tandem(1) from the argument parser itself, so that the page never falls behind the program.

`python packaging/making/man_page.py` prints it; `--date` is put in its foot.
"""

import argparse
import sys
from collections.abc import Iterator

from tandem_desktop import __version__
from tandem_desktop.cli.arguments import GROUPS, CommandSpec
from tandem_desktop.cli.commands import CALLS
from tandem_desktop.cli.main import build_parser

_ENVIRONMENT = {
    "TANDEM_STATE_DIR": "where approvals, journals and stored bytes are kept, instead of the usual state folder",
    "TANDEM_CONFIG_DIR": "where settings.toml is read, instead of the usual configuration folder",
    "TANDEM_LOG": "the level of the log: debug, info or warning, which is the default",
    "TANDEM_MODEL": "the model of the built-in agent, such as ollama:qwen3; without it only recipes work",
    "NO_COLOR": "set to anything: no colours",
}
_EXIT_CODES = {
    "0": "done",
    "1": "a bug, or a check that failed",
    "2": "bad arguments, or a plan, run or agent that is not there",
    "3": "refused; nothing changed",
    "4": "the run or the agent failed",
    "5": "an interrupted run must be settled first: tandem recover",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--date", default="", help="the day of the release")
    sys.stdout.write(man_page(parser.parse_args().date))
    return 0


def man_page(date: str) -> str:
    return "\n".join(_lines(date)) + "\n"


def _lines(date: str) -> Iterator[str]:
    parser = build_parser()
    yield f'.TH TANDEM 1 "{date}" "Tandem Desktop {__version__}" "User Commands"'
    yield ".SH NAME"
    yield "tandem, tandem\\-desktop \\- see exactly what a coding agent will do, approve exactly that, take it back"
    yield ".SH SYNOPSIS"
    yield ".B tandem\n[\\fB\\-C\\fR \\fIDIR\\fR] [\\fB\\-\\-json\\fR] [\\fB\\-\\-debug\\fR] \\fICOMMAND\\fR ..."
    yield ".br\n.B tandem\\-desktop\n[\\fIDIR\\fR | \\fIPATCH\\fR]"
    yield ".SH DESCRIPTION"
    yield "An agent works in a shadow of the workspace. What it did is staged as a plan of operations with diffs;"
    yield "a person approves the plan by its digest; only then is it written, by Tandem itself, under a journal"
    yield "that makes the run atomic and undoable. Without a command, and as"
    yield ".BR tandem\\-desktop ,"
    yield "the window is opened: on the workspace used last, on a folder, or on a patch, as a plan for its project."
    yield ".SH OPTIONS"
    yield from _options(parser)
    parsers = _parts(parser)
    for group in GROUPS:
        yield f".SH {_text(group).upper()}"
        for words in (each for each in CALLS if each.group == group):
            yield from _call(words, parsers[words.name], "tandem")
    yield from _table("EXIT STATUS", _EXIT_CODES)
    yield from _table("ENVIRONMENT", _ENVIRONMENT)
    yield ".SH SEE ALSO\n.BR git (1),\n.BR diff (1),\n.BR bwrap (1)"


def _call(words: CommandSpec, parser: argparse.ArgumentParser, above: str) -> Iterator[str]:
    yield f".SS {_text(f'{above} {words.shown}')}"
    for line in words.explanation.split("\n"):
        yield _line(line)
    yield from _options(parser, skipped=("-h", "-C", "--json", "--debug"))
    for call, what in words.examples:
        yield f".TP\n.B {_text(call)}\n{_line(what)}"
    parts = _parts(parser)
    for part in words.parts:
        yield from _call(part, parts[part.name], f"{above} {words.name}")


def _options(parser: argparse.ArgumentParser, skipped: tuple[str, ...] = ()) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction) or action.help == argparse.SUPPRESS:
            continue
        if action.option_strings and action.option_strings[0] in skipped:
            continue
        yield f".TP\n{_option(action)}\n{_line(action.help or '')}"


def _option(action: argparse.Action) -> str:
    value = str(action.metavar or "|".join(map(str, action.choices or ())) or action.dest).strip("{}")
    if not action.option_strings:
        return f".I {_text(value)}"
    names = ", ".join(f"\\fB{_text(name)}\\fR" for name in action.option_strings)
    return f"{names} \\fI{_text(value)}\\fR" if action.nargs != 0 else names


def _parts(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    groups = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return {name: part for group in groups for name, part in group.choices.items()}


def _table(title: str, entries: dict[str, str]) -> Iterator[str]:
    yield f".SH {title}"
    for name, meaning in entries.items():
        yield f".TP\n.B {_text(name)}\n{_line(meaning)}"


def _line(text: str) -> str:
    """A line of text; a dot or quote at its beginning would be read as a request."""
    found = _text(text)
    return f"\\&{found}" if found[:1] in (".", "'") else found


def _text(text: str) -> str:
    return text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...").replace("%%", "%")


if __name__ == "__main__":
    sys.exit(main())
