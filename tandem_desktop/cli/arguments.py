"""The arguments of all commands, and how a command is described."""

import argparse
from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import dataclass

from tandem_desktop.domain.paths import ROOT

PROPOSE, LOOK, CHANGE, DECIDE, RUN, HEALTH = GROUPS = (
    "Propose",
    "Look and try",
    "Revise",
    "Decide",
    "Run and undo",
    "Health",
)


def nothing(parser: ArgumentParser) -> None:
    """No arguments of its own."""


@dataclass(frozen=True, slots=True)
class CommandSpec:
    """One call as a person types it."""

    name: str
    group: str
    summary: str
    explanation: str
    examples: tuple[tuple[str, str], ...]
    handler: str = ""
    """`module:function` below `tandem_desktop.cli`, imported only when the call is made."""
    configure: Callable[[ArgumentParser], None] = nothing
    shape: str = ""
    parts: tuple["CommandSpec", ...] = ()

    @property
    def shown(self) -> str:
        return f"{self.name} {self.shape}".rstrip()


def plan(parser: ArgumentParser) -> None:
    parser.add_argument("plan", metavar="PLAN", help="the plan's id, or its first digits")


def run(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="the run's id, or its first digits")


def gui(parser: ArgumentParser) -> None:
    parser.add_argument(
        "folder", metavar="DIR", nargs="?", help="the workspace, or a patch (default: the last workspace)"
    )
    parser.add_argument("--plan", metavar="PLAN", help="show this plan of the workspace")


def propose(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="plan JSON; - reads it from standard input")


def review(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="PATCH", help="a unified diff; - reads it from standard input")
    parser.add_argument("--no-window", action="store_true", help="only make the plan, open no window")


def mcp(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="ID", help="the session whose agent this is (Tandem sets what it needs)")


def serve(parser: ArgumentParser) -> None:
    parser.add_argument("--port", metavar="N", type=port, default=0, help="the port (default: a free one)")


def recipe(parser: ArgumentParser) -> None:
    parser.add_argument("text", metavar="TEXT", nargs="?", help="the recipe and its words, as typed in the chat")


def template_name(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the template's name")


def template_save(parser: ArgumentParser) -> None:
    plan(parser)
    template_name(parser)
    parser.add_argument(
        "parameters", metavar="NAME=TEXT", nargs="*", help="a text of the plan that is said anew each time"
    )


def template_use(parser: ArgumentParser) -> None:
    template_name(parser)
    parser.add_argument("parameters", metavar="NAME=VALUE", nargs="*", help="what stands there this time")


def agent(parser: ArgumentParser) -> None:
    parser.add_argument("--regex-worker", action="store_true", help="only Tandem calls it so, for one pattern")
    parser.add_argument("--proof-worker", action="store_true", help="only Tandem calls it so, to parse source code")


def add_agent(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="lower-case letters, digits and hyphens")
    parser.add_argument("words", metavar="CMD", nargs="+", help="the command and its arguments, behind --")
    parser.add_argument("--title", metavar="TEXT", default="", help="what it is called in the window (default: NAME)")
    parser.add_argument(
        "--env", metavar="NAME", action="append", default=[], help="a variable of yours it may see; repeat it"
    )
    parser.add_argument(
        "--credentials",
        metavar="FILE",
        action="append",
        default=[],
        help="a file of its log-in, relative to your home, copied into its private home; repeat it",
    )


def import_agents(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a registry.json or agent.json; - reads it from standard input")
    parser.add_argument("names", metavar="NAME", nargs="*", help="only these (default: all that can be added)")


def remove_agent(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the name it was added under")


def which_agent(parser: ArgumentParser) -> None:
    parser.add_argument("--agent", metavar="NAME", help="one of `tandem agents` (default: the built-in one)")
    parser.add_argument("--agent-command", metavar="CMD", help="any command that speaks ACP on its standard input")
    parser.add_argument(
        "--env", metavar="NAME[=VALUE]", action="append", default=[], help="pass a variable on to the agent; repeat it"
    )


def acp(parser: ArgumentParser) -> None:
    which_agent(parser)
    parser.add_argument(
        "--allow-host", metavar="HOST[:PORT]", action="append", default=[], help="let the agent reach a host; repeat it"
    )
    parser.add_argument("words", metavar="AGENT", nargs="*", help="after --: the agent's command, as the editor has it")


def run_agent(parser: ArgumentParser) -> None:
    which_agent(parser)
    parser.add_argument("--task", metavar="TEXT", required=True, help="what the agent is to plan")
    parser.add_argument("--timeout", metavar="S", type=seconds, default=1800.0, help="seconds for the turn (1800)")
    parser.add_argument("--session", metavar="ID", help="go on with a session: its shadow and its plan are kept")
    parser.add_argument(
        "--include",
        metavar="GLOB",
        action="append",
        default=[],
        help="make new files part of the plan although git ignores them; repeat it",
    )
    parser.add_argument(
        "--allow-host",
        metavar="HOST[:PORT]",
        action="append",
        default=[],
        help="let the agent reach a host this once; repeat it",
    )
    perspectives(parser)


def perspectives(parser: ArgumentParser) -> None:
    wanted = parser.add_mutually_exclusive_group()
    wanted.add_argument(
        "--perspectives",
        action="store_const",
        const=True,
        help="first ask CHAPO, KODA and DEVO, who may only look; then plan by tasks",
    )
    wanted.add_argument(
        "--no-perspectives", dest="perspectives", action="store_const", const=False, help="ask no advisor first"
    )
    wanted.add_argument(
        "--delegate",
        action="store_true",
        help="the agent may only look, proposes a plan and ends; another follows up with --session",
    )
    parser.add_argument(
        "--voice",
        metavar="ROLE=AGENT[:MODEL]",
        action="append",
        default=[],
        help="who speaks for chapo, koda or devo; repeat it",
    )


def list_plans(parser: ArgumentParser) -> None:
    parser.add_argument("--session", metavar="SESSION", help="only the plans of this session, past and present")


def show(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("--diff", action="store_true", help="with every hunk, numbered as drop takes them")
    parser.add_argument(
        "--whole", action="store_true", help="with --diff: also very large files, and every line of them"
    )
    parser.add_argument("--revision", metavar="N", type=number, help="an earlier revision (default: the latest)")


def overlaps(parser: ArgumentParser) -> None:
    parser.add_argument("plans", nargs="*", metavar="PLAN", help="only pairs with one of these plans")


def compare(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("old", metavar="R1", type=number, help="the earlier revision")
    parser.add_argument("other", metavar="OTHER", nargs="?", help="the plan R2 is of (default: PLAN)")
    parser.add_argument("new", metavar="R2", type=number, help="the later revision")
    parser.add_argument("--diff", action="store_true", help="with the lines that differ between their results")


def rehearse(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("--network", action="store_true", help="let its commands use the network")
    parser.add_argument("--once", action="store_true", help="do not play it again to see whether it repeats")
    parser.add_argument("--diff", action="store_true", help="with every changed line of the file effects")
    parser.add_argument("--revision", metavar="N", type=number, help="an earlier revision (default: the latest)")
    parser.add_argument(
        "--record", metavar="OP", nargs="*", help="make a revision that applies the effects instead of running again"
    )


def check(parser: ArgumentParser) -> None:
    plan(parser)
    accept_checks(parser)
    parser.add_argument("--again", action="store_true", help="run also what has a stored result for the same files")
    parser.add_argument("--revision", metavar="N", type=number, help="an earlier revision (default: the latest)")


def accept_checks(parser: ArgumentParser) -> None:
    parser.add_argument("--accept", action="store_true", help="accept the list of checks as it is now, and run it")
    parser.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="run this check and no other; repeat it"
    )
    parser.add_argument("--timeout", metavar="S", type=seconds, help="seconds for each run of a check (600)")


def needed(parser: ArgumentParser) -> None:
    plan(parser)
    accept_checks(parser)
    parser.add_argument("--shrink", action="store_true", help="make a revision of what is needed")


def add(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("command_text", metavar="COMMAND", help="the command, as one argument, for the shell")
    parser.add_argument("--cwd", metavar="DIR", default=ROOT, help="the folder it runs in, relative to the workspace")


def drop(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument(
        "drops", metavar="OP[:HUNK,…]", nargs="+", help="an operation, some of its hunks (1,3), or lines (+12..14,-8)"
    )


def include(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument(
        "globs", metavar="GLOB", nargs="+", help="a folder or files that git ignores: node_modules, 'dist/*.js', '**'"
    )


def rebase(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument(
        "--take",
        nargs=2,
        metavar=("WAY", "PATH[:REGION,…]"),
        action="append",
        default=[],
        help="resolve a conflict, or some of its regions: disk, proposed, disk-then-proposed, proposed-then-disk",
    )
    parser.add_argument(
        "--resolved",
        nargs=2,
        metavar=("FILE", "PATH"),
        action="append",
        default=[],
        help="resolve a conflict with a file of your own: what PATH shall hold after the plan",
    )


def restore(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("revision", metavar="R", type=number, help="the revision to bring back")


def branch(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("revision", metavar="R", type=number, nargs="?", help="the revision (default: the latest)")


def approve(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("--digest", metavar="D", help="at least 12 digits of the digest you were shown")
    parser.add_argument("--notes", metavar="T", default="", help="words the agent gets with the result")
    parser.add_argument(
        "--comments-as-notes", action="store_true", help="comments that were not sent go with the notes"
    )
    parser.add_argument(
        "--skip-lock",
        metavar="PATH",
        action="append",
        default=[],
        help="approve this lock file, which installs code, without a look at its changes; may be repeated",
    )


def reject(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("--feedback", metavar="T", help="what should be different, beside the comments")


def rate(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("rating", metavar="N", type=int, choices=range(1, 6), help="from 1 (poor) to 5 (excellent)")


def comment(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("place", metavar="PLACE", help="an operation, lines of it, or the plan text")
    parser.add_argument("text", metavar="TEXT", help="what should be different")


def comments(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("--remove", metavar="ID", help="take this comment back")


def export(parser: ArgumentParser) -> None:
    plan(parser)
    parser.add_argument("-o", "--output", metavar="FILE", help="the file to make (default: PLAN.tandem-plan, here)")


def import_bundle(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="a plan bundle; - reads it from standard input")


def apply(parser: ArgumentParser) -> None:
    plan(parser)
    on_failure(parser)
    parser.add_argument("--commit", action="store_true", help="commit what the run leaves, as tandem commit does")
    _commit_options(parser)


def share(parser: ArgumentParser) -> None:
    plan(parser)
    remote(parser)


def remote(parser: ArgumentParser) -> None:
    parser.add_argument("--remote", metavar="NAME", help="a remote of the repository (default: the one you push to)")


def train(parser: ArgumentParser) -> None:
    parser.add_argument("plans", nargs="+", metavar="PLAN", help="approved plans, in the order to apply them")
    on_failure(parser)
    parser.add_argument("--no-checks", action="store_true", help="do not run the checks before each plan")


def verify(parser: ArgumentParser) -> None:
    parser.add_argument("commits", nargs="+", metavar="COMMIT", help="a commit, or a range such as main..topic")
    parser.add_argument("--allowed-signers", metavar="FILE", help="whose signatures count (default: as git is set)")


def why(parser: ArgumentParser) -> None:
    parser.add_argument("place", metavar="FILE:LINE", help="a file of the workspace, and the number of a line")


def commit(parser: ArgumentParser) -> None:
    run(parser)
    _commit_options(parser)


def _commit_options(parser: ArgumentParser) -> None:
    parser.add_argument("-m", "--message", metavar="TEXT", default="", help="the message (default: the plan's title)")
    parser.add_argument("--branch", metavar="NAME", help="commit to a new branch, and go to it")
    parser.add_argument("--per-task", action="store_true", help="a commit for each task of the plan")
    parser.add_argument(
        "--whole", action="store_true", help="take files with uncommitted changes of your own as the run left them"
    )
    parser.add_argument("--no-verify", action="store_true", help="run no hooks")
    parser.add_argument("--no-sign", action="store_true", help="do not sign, whatever git is set to")
    parser.add_argument("--push", action="store_true", help="push the branch, never by force")
    parser.add_argument("--pull-request", action="store_true", help="push, and let gh or glab open a pull request")


def on_failure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--on-failure",
        choices=("rollback", "stop", "continue"),
        help="when an operation fails: put everything back (the default, unless the settings say otherwise), "
        "keep what is done, or go on with the rest",
    )


def orchestrate(parser: ArgumentParser) -> None:
    which_agent(parser)
    parser.add_argument("--task", metavar="TEXT", required=True, help="what is to be done")
    parser.add_argument("--context", metavar="TEXT", default="", help="what the agent should know beside the task")
    on_failure(parser)


def plan_or_run(parser: ArgumentParser) -> None:
    parser.add_argument("what", metavar="PLAN|RUN", help="a run, or a plan, whose last run is meant")


def reflect(parser: ArgumentParser) -> None:
    plan_or_run(parser)
    which_agent(parser)
    parser.add_argument("--again", action="store_true", help="ask again, also where there is an answer already")


def adjust(parser: ArgumentParser) -> None:
    plan_or_run(parser)
    parser.add_argument(
        "--accept", metavar="N,…", required=True, help="the adjustments to make, by number; the others are rejected"
    )


def undo(parser: ArgumentParser) -> None:
    run(parser)
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--op", metavar="ID", help="take back one operation only")
    part.add_argument("--path", metavar="PATH", help="take back one file only, or all in one folder")
    part.add_argument("--with-later", action="store_true", help="with every run since: the files as before RUN")
    parser.add_argument(
        "--keep-git", action="store_true", help="only the working files go back; the git repository stays as it is"
    )
    parser.add_argument("--preview", action="store_true", help="say what would happen; write nothing")


def recover(parser: ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", nargs="?", help="the run (default: the interrupted one)")
    ways = parser.add_mutually_exclusive_group()
    for flag, words in (
        ("resume", "go on where it was cut off"),
        ("rollback", "put every path back to what it was before the run"),
        ("cancel", "cancel the plan; the run's policy on failure decides about the files"),
        ("mark-failed", "leave the tree as it is and close the run as failed"),
    ):
        ways.add_argument(f"--{flag}", dest="way", action="store_const", const=flag, help=words)
    parser.add_argument("--again", action="store_true", help="with --resume: run a command again that was cut off")


def selftest(parser: ArgumentParser) -> None:
    parser.add_argument("--full", action="store_true", help="the whole corpus instead of the quick one")


def completion(parser: ArgumentParser) -> None:
    parser.add_argument("shell", metavar="SHELL", choices=("bash", "zsh", "fish"), help="bash, zsh or fish")


def number(text: str) -> int:
    """A revision: 2, or r2 as it is shown."""
    digits = text.removeprefix("r")
    if not (digits.isascii() and digits.isdigit() and 0 < len(digits) < 10 and int(digits)):
        raise argparse.ArgumentTypeError(f"{text!r} is no revision; they are numbered from 1")
    return int(digits)


def port(text: str) -> int:
    """A port of this machine; 0 is a free one."""
    if not (text.isascii() and text.isdigit() and len(text) < 6 and int(text) < 65536):
        raise argparse.ArgumentTypeError(f"{text!r} is no port; they go from 0 to 65535")
    return int(text)


def seconds(text: str) -> float:
    """A time limit."""
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < 1e7:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds above 0")
    return found
