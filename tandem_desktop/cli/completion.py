"""Shell completion scripts."""

import argparse
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

from tandem_desktop.cli.commands import CALLS
from tandem_desktop.cli.main import CommandContext, CommandResult, build_parser

_PLANS, _RUNS, _FILES, _FOLDERS = "plans", "runs", "files", "folders"
_BY_METAVAR = {"PLAN": _PLANS, "RUN": _RUNS, "FILE": _FILES, "PATCH": _FILES, "DIR": _FOLDERS}


@dataclass(frozen=True, slots=True)
class CompletionOption:
    """A word that begins with a dash, and what may follow it."""

    names: tuple[str, ...]
    explanation: str
    takes_value: bool
    values: tuple[str, ...] = ()
    kind: str = ""


@dataclass(frozen=True, slots=True)
class CompletionCommand:
    """One call as a completion sees it."""

    name: str
    summary: str
    options: tuple[CompletionOption, ...]
    words: tuple[str, ...] = ()
    """Words that may follow: choices, or the parts of a call."""
    kind: str = ""
    """What the first argument names."""


def completion(call: CommandContext) -> CommandResult:
    shell = call.arguments.shell
    script = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()
    return CommandResult({"shell": shell, "script": script}, script.rstrip("\n").split("\n"))


def commands() -> tuple[CompletionCommand, ...]:
    """Every call, read from the parser itself."""
    summaries = {words.name: words.summary for words in CALLS}
    return tuple(_command(name, parser, summaries[name]) for name, parser in _parts(build_parser()).items())


def _command(name: str, parser: argparse.ArgumentParser, summary: str) -> CompletionCommand:
    options, words, kind = [], list(_parts(parser)), ""
    for action in parser._actions:
        if action.option_strings:
            options.append(_option(action))
        elif not isinstance(action, argparse._SubParsersAction):
            kind = kind or _BY_METAVAR.get(str(action.metavar), "")
            words += [str(choice) for choice in action.choices or ()]
    return CompletionCommand(name, summary, tuple(options), tuple(words), kind)


def _option(action: argparse.Action) -> CompletionOption:
    return CompletionOption(
        names=tuple(action.option_strings),
        explanation=action.help or "",
        takes_value=action.nargs != 0,
        values=tuple(str(choice) for choice in action.choices or ()),
        kind=_BY_METAVAR.get(str(action.metavar), ""),
    )


def _parts(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found.update(action.choices)
    return found


def _bash() -> str:
    cases = "\n".join(_bash_case(command) for command in commands())
    valued = "\n".join(_bash_values())
    return f"""\
# bash completion for tandem; load it with: source <(tandem completion bash)
_tandem_names() {{
    local folder
    for folder in "$1/.tandem/$2"/*/; do
        folder="${{folder%/}}"
        case "${{folder##*/}}" in
            *-*[!0-9a-f]*) ;; # not ours; and compgen would expand what a stranger wrote into a name
            PLAN-*|RUN-*) printf '%s\\n' "${{folder##*/}}" ;;
        esac
    done
}}

_tandem() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}"
    local command="" workspace="." words="" kind="" place
    for ((place = 1; place < COMP_CWORD; place++)); do
        case "${{COMP_WORDS[place]}}" in
            -C) workspace="${{COMP_WORDS[++place]}}" ;;
            -*) ;;
            *) [ -n "$command" ] || command="${{COMP_WORDS[place]}}" ;;
        esac
    done
    COMPREPLY=()
    case "$previous" in
{valued}
    esac
    case "$command" in
        "") words="{_words(command.name for command in commands())} -C --json --help --version" ;;
{cases}
    esac
    case "$kind" in
        plans|runs) words="$words $(_tandem_names "$workspace" "$kind")" ;;
        files) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    esac
    COMPREPLY+=($(compgen -W "$words" -- "$current"))
}}
complete -o filenames -F _tandem tandem
"""


def _bash_case(command: CompletionCommand) -> str:
    words = _words([*command.words, *(name for option in command.options for name in option.names)])
    return f'        {command.name}) words="{words}" kind="{command.kind}" ;;'


def _bash_values() -> Iterator[str]:
    """What follows an option, whatever the call: no two calls give one option different values."""
    seen = set()
    for option in (option for command in commands() for option in command.options):
        if not option.takes_value or option.names in seen:
            continue
        seen.add(option.names)
        names = "|".join(option.names)
        if option.kind == _FOLDERS:
            yield f'        {names}) mapfile -t COMPREPLY < <(compgen -d -- "$current"); return ;;'
        else:
            yield f'        {names}) COMPREPLY=($(compgen -W "{_words(option.values)}" -- "$current")); return ;;'


def _zsh() -> str:
    listed = "\n".join(f"        {shlex.quote(f'{each.name}:{each.summary}')}" for each in commands())
    cases = "\n".join(_zsh_case(each) for each in commands())
    return f"""\
#compdef tandem
# zsh completion for tandem; save it as _tandem in a folder of your fpath
_tandem_names() {{
    local -a names
    names=(${{opt_args[-C]:-.}}/.tandem/$argv[-1]/(PLAN|RUN)-*(N/:t))
    compadd "${{@[1,-2]}}" -a names
}}

_tandem() {{
    local -a calls
    local context state line
    typeset -A opt_args
    calls=(
{listed}
    )
    _arguments -C '-C+[the workspace]:folder:_files -/' '--json[print one JSON object]' '--version[the version]' \\
        '--help[help]' '1:call:->call' '*::argument:->argument'
    case $state in
        call) _describe 'call' calls ;;
        argument)
            case $words[1] in
{cases}
            esac ;;
    esac
}}

_tandem "$@"
"""


def _zsh_case(command: CompletionCommand) -> str:
    specs = [_zsh_option(option) for option in command.options]
    if command.words:
        specs.append(shlex.quote(f"1:word:({_words(command.words)})"))
    elif command.kind == _FILES:
        specs.append("'1:file:_files'")
    elif command.kind:
        specs.append(shlex.quote(f"1:{command.kind}:_tandem_names {command.kind}"))
    return f"                {command.name}) _arguments {' '.join(specs)} ;;"


def _zsh_option(option: CompletionOption) -> str:
    explanation = option.explanation.replace("[", "(").replace("]", ")").replace(":", ";")
    value = ""
    if option.takes_value:
        value = ":folder:_files -/" if option.kind == _FOLDERS else f":value:({_words(option.values)})"
    return shlex.quote(f"{option.names[-1]}[{explanation}]{value}")


def _fish() -> str:
    lines = [
        "# fish completion for tandem; save it as ~/.config/fish/completions/tandem.fish",
        "complete -c tandem -f",
        "complete -c tandem -s C -r -a '(__fish_complete_directories)' -d 'the workspace'",
        "complete -c tandem -l json -d 'print one JSON object on stdout'",
    ]
    for command in commands():
        lines.append(f"complete -c tandem -n __fish_use_subcommand -a {command.name} -d {_fish_text(command.summary)}")
        chosen = f"complete -c tandem -n '__fish_seen_subcommand_from {command.name}'"
        if command.words:
            lines.append(f"{chosen} -a {_fish_text(_words(command.words))}")
        if command.kind in (_PLANS, _RUNS):
            names = f'ls .tandem/{command.kind} 2>/dev/null | string match -r "^(?:PLAN|RUN)-[0-9a-f]+"'
            lines.append(f"{chosen} -a '({names})'")
        if command.kind == _FILES:
            lines.append(f"{chosen} -F")
        lines += [f"{chosen} {_fish_option(o)}" for o in command.options if o.names[-1] not in ("-C", "--json")]
    return "\n".join(lines) + "\n"


def _fish_option(option: CompletionOption) -> str:
    name = f"-l {option.names[-1].removeprefix('--')}"
    values = f" -a {_fish_text(_words(option.values))}" if option.values else ""
    return f"{name}{' -x' if option.takes_value else ''}{values} -d {_fish_text(option.explanation)}"


def _fish_text(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _words(words: "Iterator[str] | list[str] | tuple[str, ...]") -> str:
    return " ".join(words)
